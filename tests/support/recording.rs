//! A store that notes every request, and that can be made to fail at a given write.
#![allow(
    dead_code,
    reason = "shared by several test programs, and none needs all of it"
)]

use std::sync::Mutex;

use zarrs_storage::byte_range::{ByteRange, ByteRangeIterator};
use zarrs_storage::{
    AtomicRenameStorageTraits, Bytes, ListableStorageTraits, MaybeBytes, MaybeBytesIterator,
    OffsetBytesIterator, ReadableStorageTraits, StorageError, StoreKey, StoreKeys,
    StoreKeysPrefixes, StorePrefix, WritableStorageTraits, store::MemoryStore,
};

#[derive(Debug, Default)]
pub(crate) struct RecordingStore {
    pub(crate) inner: MemoryStore,
    requests: Mutex<Vec<String>>,
    crash: Mutex<Option<Crash>>,
}

/// When the store crashes, and how.
#[derive(Clone, Copy, Debug)]
struct Crash {
    /// The number of writes that still happen.
    left: usize,
    /// Whether the write after those leaves half of its value.
    is_torn: bool,
    /// Whether it happened.
    is_over: bool,
}

impl RecordingStore {
    /// The requests since the last call.
    pub(crate) fn take_requests(&self) -> Vec<String> {
        std::mem::take(&mut self.requests.lock().unwrap())
    }

    /// Lets `left` more writes through and refuses the others; the first of those leaves half of
    /// its value if `is_torn`.
    pub(crate) fn crash_after(&self, left: usize, is_torn: bool) {
        *self.crash.lock().unwrap() = Some(Crash {
            left,
            is_torn,
            is_over: false,
        });
    }

    /// Ends the crash; tells whether there was one.
    pub(crate) fn restart(&self) -> bool {
        let crash = self.crash.lock().unwrap().take();
        crash.is_some_and(|crash| crash.is_over)
    }

    fn note(&self, request: &str, subject: &str) {
        let mut requests = self.requests.lock().unwrap();
        requests.push(format!("{request} {subject}"));
    }

    /// Whether the next write happens, and if not, whether it leaves half of its value.
    fn next_write(&self) -> Result<(), bool> {
        let mut crash = self.crash.lock().unwrap();
        let Some(crash) = crash.as_mut() else {
            return Ok(());
        };
        if crash.left > 0 {
            crash.left -= 1;
            return Ok(());
        }
        let is_first = !std::mem::replace(&mut crash.is_over, true);
        Err(is_first && crash.is_torn)
    }
}

fn crashed() -> StorageError {
    StorageError::Other("crashed".into())
}

impl ReadableStorageTraits for RecordingStore {
    fn get(&self, key: &StoreKey) -> Result<MaybeBytes, StorageError> {
        self.note("get", key.as_str());
        self.inner.get(key)
    }

    fn get_partial_many<'a>(
        &'a self,
        key: &StoreKey,
        byte_ranges: ByteRangeIterator<'a>,
    ) -> Result<MaybeBytesIterator<'a>, StorageError> {
        self.note("get_partial_many", key.as_str());
        self.inner.get_partial_many(key, byte_ranges)
    }

    fn get_partial(&self, key: &StoreKey, range: ByteRange) -> Result<MaybeBytes, StorageError> {
        self.note("get_partial", key.as_str());
        self.inner.get_partial(key, range)
    }

    fn size_key(&self, key: &StoreKey) -> Result<Option<u64>, StorageError> {
        self.note("size_key", key.as_str());
        self.inner.size_key(key)
    }

    fn supports_get_partial(&self) -> bool {
        false
    }
}

impl WritableStorageTraits for RecordingStore {
    fn set(&self, key: &StoreKey, value: Bytes) -> Result<(), StorageError> {
        self.note("set", key.as_str());
        match self.next_write() {
            Ok(()) => self.inner.set(key, value),
            Err(is_torn) => {
                if is_torn {
                    self.inner.set(key, value.slice(..value.len() / 2))?;
                }
                Err(crashed())
            }
        }
    }

    fn set_partial(&self, key: &StoreKey, offset: u64, value: Bytes) -> Result<(), StorageError> {
        self.note("set_partial", key.as_str());
        self.inner.set_partial(key, offset, value)
    }

    fn set_partial_many(
        &self,
        key: &StoreKey,
        offset_values: OffsetBytesIterator,
    ) -> Result<(), StorageError> {
        self.note("set_partial_many", key.as_str());
        self.inner.set_partial_many(key, offset_values)
    }

    fn erase(&self, key: &StoreKey) -> Result<(), StorageError> {
        self.note("erase", key.as_str());
        self.next_write().map_err(|_| crashed())?;
        self.inner.erase(key)
    }

    fn erase_many(&self, keys: &[StoreKey]) -> Result<(), StorageError> {
        let keys_text: Vec<_> = keys.iter().map(StoreKey::as_str).collect();
        self.note("erase_many", &keys_text.join(" "));
        self.inner.erase_many(keys)
    }

    fn erase_prefix(&self, prefix: &StorePrefix) -> Result<(), StorageError> {
        self.note("erase_prefix", prefix.as_str());
        self.inner.erase_prefix(prefix)
    }

    fn supports_set_partial(&self) -> bool {
        false
    }
}

impl AtomicRenameStorageTraits for RecordingStore {
    fn rename(&self, source: &StoreKey, destination: &StoreKey) -> Result<(), StorageError> {
        self.note("rename", source.as_str());
        self.next_write().map_err(|_| crashed())?;
        let value = self.inner.get(source)?.ok_or("nothing to rename")?;
        self.inner.set(destination, value)?;
        self.inner.erase(source)
    }
}

impl ListableStorageTraits for RecordingStore {
    fn list(&self) -> Result<StoreKeys, StorageError> {
        self.note("list", "");
        self.inner.list()
    }

    fn list_prefix(&self, prefix: &StorePrefix) -> Result<StoreKeys, StorageError> {
        self.note("list_prefix", prefix.as_str());
        self.inner.list_prefix(prefix)
    }

    fn list_dir(&self, prefix: &StorePrefix) -> Result<StoreKeysPrefixes, StorageError> {
        self.note("list_dir", prefix.as_str());
        self.inner.list_dir(prefix)
    }

    fn size_prefix(&self, prefix: &StorePrefix) -> Result<u64, StorageError> {
        self.note("size_prefix", prefix.as_str());
        self.inner.size_prefix(prefix)
    }
}
