//! A store that is watched, and that refuses.

use std::sync::Mutex;

use zarrs::storage::byte_range::ByteRangeIterator;
use zarrs::storage::store::MemoryStore;
use zarrs::storage::{
    ListableStorageTraits, MaybeBytesIterator, ReadableStorageTraits, StorageError, StoreKey,
    StoreKeys, StoreKeysPrefixes, StorePrefix,
};

/// A store that notes what is read, and that refuses what it is told to.
pub(super) struct Watched {
    inner: MemoryStore,
    pub(super) read: Mutex<Vec<String>>,
    pub(super) unlistable: Option<&'static str>,
    pub(super) unreadable: Option<&'static str>,
    /// Listed, but not there when it is read.
    pub(super) gone: Option<&'static str>,
    pub(super) panics: Option<&'static str>,
}

impl Watched {
    pub(super) fn new(inner: MemoryStore) -> Self {
        Self {
            inner,
            read: Mutex::default(),
            unlistable: None,
            unreadable: None,
            gone: None,
            panics: None,
        }
    }
}

impl ReadableStorageTraits for Watched {
    fn get_partial_many<'a>(
        &'a self,
        key: &StoreKey,
        byte_ranges: ByteRangeIterator<'a>,
    ) -> Result<MaybeBytesIterator<'a>, StorageError> {
        if self.unreadable == Some(key.as_str()) {
            return Err(StorageError::Other("permission denied".into()));
        }
        self.read.lock().unwrap().push(key.to_string());
        if self.gone == Some(key.as_str()) {
            return Ok(None);
        }
        self.inner.get_partial_many(key, byte_ranges)
    }

    fn size_key(&self, key: &StoreKey) -> Result<Option<u64>, StorageError> {
        self.inner.size_key(key)
    }

    fn supports_get_partial(&self) -> bool {
        self.inner.supports_get_partial()
    }
}

impl ListableStorageTraits for Watched {
    fn list(&self) -> Result<StoreKeys, StorageError> {
        panic!("a check does not list everything")
    }

    fn list_prefix(&self, _: &StorePrefix) -> Result<StoreKeys, StorageError> {
        panic!("a check does not list everything")
    }

    fn list_dir(&self, prefix: &StorePrefix) -> Result<StoreKeysPrefixes, StorageError> {
        assert_ne!(self.panics, Some(prefix.as_str()));
        if self.unlistable == Some(prefix.as_str()) {
            return Err(StorageError::Other("permission denied".into()));
        }
        self.inner.list_dir(prefix)
    }

    fn size_prefix(&self, _: &StorePrefix) -> Result<u64, StorageError> {
        panic!("a check does not list everything")
    }
}
