//! The asynchronous storage traits of [`UrlStore`]. Its twin, `sync`, differs only in `.await`.

use std::sync::Arc;

use async_trait::async_trait;
use zarrs_storage::byte_range::ByteRangeIterator;
use zarrs_storage::{
    AsyncListableStorageTraits, AsyncMaybeBytesIterator, AsyncReadableStorageTraits, MaybeBytes,
    StorageError, StoreKey, StoreKeys, StoreKeysPrefixes, StorePrefix,
};

use super::store::UrlStore;
use crate::n5::whole_value::async_each;

#[cfg_attr(target_arch = "wasm32", async_trait(?Send))]
#[cfg_attr(not(target_arch = "wasm32"), async_trait)]
impl AsyncReadableStorageTraits for UrlStore {
    async fn get(&self, key: &StoreKey) -> Result<MaybeBytes, StorageError> {
        let (objects, key) = (Arc::clone(&self.objects), key.clone());
        self.async_run(async move { objects.get(&key).await }).await
    }

    async fn get_partial_many<'a>(
        &'a self,
        key: &StoreKey,
        byte_ranges: ByteRangeIterator<'a>,
    ) -> Result<AsyncMaybeBytesIterator<'a>, StorageError> {
        let (objects, key) = (Arc::clone(&self.objects), key.clone());
        let ranges: Vec<_> = byte_ranges.collect();
        let parts = self
            .async_run(async move { objects.get_ranges(&key, &ranges).await })
            .await?;
        Ok(async_each(parts))
    }

    async fn size_key(&self, key: &StoreKey) -> Result<Option<u64>, StorageError> {
        let (objects, key) = (Arc::clone(&self.objects), key.clone());
        self.async_run(async move { objects.size_key(&key).await })
            .await
    }

    fn supports_get_partial(&self) -> bool {
        self.objects.has_ranges()
    }
}

#[cfg_attr(target_arch = "wasm32", async_trait(?Send))]
#[cfg_attr(not(target_arch = "wasm32"), async_trait)]
impl AsyncListableStorageTraits for UrlStore {
    async fn list(&self) -> Result<StoreKeys, StorageError> {
        self.list_prefix(&StorePrefix::root()).await
    }

    async fn list_prefix(&self, prefix: &StorePrefix) -> Result<StoreKeys, StorageError> {
        let (objects, prefix) = (Arc::clone(&self.objects), prefix.clone());
        self.async_run(async move { objects.list_prefix(&prefix).await })
            .await
    }

    async fn list_dir(&self, prefix: &StorePrefix) -> Result<StoreKeysPrefixes, StorageError> {
        let (objects, prefix) = (Arc::clone(&self.objects), prefix.clone());
        self.async_run(async move { objects.list_dir(&prefix).await })
            .await
    }

    async fn size_prefix(&self, prefix: &StorePrefix) -> Result<u64, StorageError> {
        let (objects, prefix) = (Arc::clone(&self.objects), prefix.clone());
        self.async_run(async move { objects.size_prefix(&prefix).await })
            .await
    }
}
