//! The synchronous storage traits of [`UrlStore`]. Its twin, `asynchronous`, differs only in
//! `.await`.

use std::sync::Arc;

use zarrs_storage::byte_range::ByteRangeIterator;
use zarrs_storage::{
    ListableStorageTraits, MaybeBytes, MaybeBytesIterator, ReadableStorageTraits, StorageError,
    StoreKey, StoreKeys, StoreKeysPrefixes, StorePrefix,
};

use super::store::UrlStore;
use crate::n5::whole_value::each;

impl ReadableStorageTraits for UrlStore {
    fn get(&self, key: &StoreKey) -> Result<MaybeBytes, StorageError> {
        let (objects, key) = (Arc::clone(&self.objects), key.clone());
        self.run(async move { objects.get(&key).await })
    }

    fn get_partial_many<'a>(
        &'a self,
        key: &StoreKey,
        byte_ranges: ByteRangeIterator<'a>,
    ) -> Result<MaybeBytesIterator<'a>, StorageError> {
        let (objects, key) = (Arc::clone(&self.objects), key.clone());
        let ranges: Vec<_> = byte_ranges.collect();
        let parts = self.run(async move { objects.get_ranges(&key, &ranges).await })?;
        Ok(each(parts))
    }

    fn size_key(&self, key: &StoreKey) -> Result<Option<u64>, StorageError> {
        let (objects, key) = (Arc::clone(&self.objects), key.clone());
        self.run(async move { objects.size_key(&key).await })
    }

    fn supports_get_partial(&self) -> bool {
        self.objects.has_ranges()
    }
}

impl ListableStorageTraits for UrlStore {
    fn list(&self) -> Result<StoreKeys, StorageError> {
        self.list_prefix(&StorePrefix::root())
    }

    fn list_prefix(&self, prefix: &StorePrefix) -> Result<StoreKeys, StorageError> {
        let (objects, prefix) = (Arc::clone(&self.objects), prefix.clone());
        self.run(async move { objects.list_prefix(&prefix).await })
    }

    fn list_dir(&self, prefix: &StorePrefix) -> Result<StoreKeysPrefixes, StorageError> {
        let (objects, prefix) = (Arc::clone(&self.objects), prefix.clone());
        self.run(async move { objects.list_dir(&prefix).await })
    }

    fn size_prefix(&self, prefix: &StorePrefix) -> Result<u64, StorageError> {
        let (objects, prefix) = (Arc::clone(&self.objects), prefix.clone());
        self.run(async move { objects.size_prefix(&prefix).await })
    }
}
