//! The asynchronous storage traits of [`N5DefaultStore`]. Its twin, `sync`, differs only in
//! `.await`.

use std::collections::HashSet;

use async_trait::async_trait;
use zarrs_storage::byte_range::{ByteRange, ByteRangeIterator};
use zarrs_storage::{
    AsyncListableStorageTraits, AsyncMaybeBytesIterator, AsyncReadableStorageTraits,
    AsyncWritableStorageTraits, Bytes, MaybeBytes, OffsetBytesIterator, StorageError, StoreKey,
    StoreKeys, StoreKeysPrefixes, StorePrefix,
};

use super::at_key::{listing, reading};
use super::document::Update;
use super::options::Unconvertible;
use super::{N5DefaultStore, document};
use crate::n5::adapter::{async_slices, merge, slice};
use crate::n5::node::NodeKeys;
use crate::n5::whole_value::{Asked, async_single, is_whole};

impl<S: AsyncReadableStorageTraits> N5DefaultStore<S> {
    /// The `zarr.json` of `node`, from its `attributes.json` or as it is.
    async fn async_document(&self, node: &NodeKeys) -> Result<MaybeBytes, StorageError> {
        match self.async_read(&node.attributes).await? {
            Some(attributes) => document::present(self.options, node, &attributes),
            None => self.async_read(&node.zarr).await,
        }
    }

    /// The value of `key` in the wrapped store.
    async fn async_read(&self, key: &StoreKey) -> Result<MaybeBytes, StorageError> {
        let value = self.store.get(key).await;
        value.map_err(|error| reading(key.as_str(), error))
    }

    /// The size of the value of `key` in the wrapped store, in bytes.
    async fn async_size(&self, key: &StoreKey) -> Result<Option<u64>, StorageError> {
        let size = self.store.size_key(key).await;
        size.map_err(|error| reading(key.as_str(), error))
    }

    /// Whether `key` is a block of 0 bytes that counts as missing.
    async fn async_is_missing_block(&self, key: &StoreKey) -> Result<bool, StorageError> {
        Ok(self.may_be_empty_block(key) && self.async_size(key).await? == Some(0))
    }
}

#[deny(clippy::missing_trait_methods)]
#[cfg_attr(target_arch = "wasm32", async_trait(?Send))]
#[cfg_attr(not(target_arch = "wasm32"), async_trait)]
impl<S: AsyncReadableStorageTraits> AsyncReadableStorageTraits for N5DefaultStore<S> {
    async fn get(&self, key: &StoreKey) -> Result<MaybeBytes, StorageError> {
        if let Some(node) = NodeKeys::of_zarr_json(key) {
            return self.async_document(&node).await;
        }
        let value = self.async_read(key).await?;
        Ok(self.block(key, value))
    }

    async fn get_partial_many<'a>(
        &'a self,
        key: &StoreKey,
        byte_ranges: ByteRangeIterator<'a>,
    ) -> Result<AsyncMaybeBytesIterator<'a>, StorageError> {
        if let Some(node) = NodeKeys::of_zarr_json(key) {
            let document = self.async_document(&node).await?;
            return Ok(async_slices(document.as_ref(), byte_ranges));
        }
        let byte_ranges = match Asked::by(byte_ranges) {
            Asked::Whole => return Ok(async_single(self.get(key).await?)),
            Asked::Ranges(byte_ranges) => byte_ranges,
        };
        if self.async_is_missing_block(key).await? {
            return Ok(None);
        }
        let values = self.store.get_partial_many(key, byte_ranges).await;
        values.map_err(|error| reading(key.as_str(), error))
    }

    async fn get_partial(
        &self,
        key: &StoreKey,
        byte_range: ByteRange,
    ) -> Result<MaybeBytes, StorageError> {
        if let Some(node) = NodeKeys::of_zarr_json(key) {
            let document = self.async_document(&node).await?;
            return document
                .map(|document| slice(&document, byte_range))
                .transpose();
        }
        if is_whole(byte_range) {
            return self.get(key).await;
        }
        if self.async_is_missing_block(key).await? {
            return Ok(None);
        }
        let value = self.store.get_partial(key, byte_range).await;
        value.map_err(|error| reading(key.as_str(), error))
    }

    async fn size_key(&self, key: &StoreKey) -> Result<Option<u64>, StorageError> {
        if let Some(node) = NodeKeys::of_zarr_json(key) {
            let document = self.async_document(&node).await?;
            return Ok(document.map(|document| document.len() as u64));
        }
        let size = self.async_size(key).await?;
        Ok(size.filter(|size| *size > 0 || !self.may_be_empty_block(key)))
    }

    fn supports_get_partial(&self) -> bool {
        self.store.supports_get_partial()
    }
}

impl<S: AsyncReadableStorageTraits + AsyncListableStorageTraits> N5DefaultStore<S> {
    /// A listing of the wrapped store with the `zarr.json` of each `attributes.json` in it.
    async fn async_present_keys(&self, mut keys: StoreKeys) -> Result<StoreKeys, StorageError> {
        let mut shown = Vec::new();
        let mut hidden = HashSet::new();
        for node in keys.iter().filter_map(NodeKeys::of_attributes_json) {
            if self.options.unconvertible == Unconvertible::Hidden
                && self.async_document(&node).await?.is_none()
            {
                hidden.insert(node.zarr);
            } else {
                shown.push(node.zarr);
            }
        }
        merge(&mut keys, shown, &hidden);
        Ok(keys)
    }
}

#[deny(clippy::missing_trait_methods)]
#[cfg_attr(target_arch = "wasm32", async_trait(?Send))]
#[cfg_attr(not(target_arch = "wasm32"), async_trait)]
impl<S: AsyncReadableStorageTraits + AsyncListableStorageTraits> AsyncListableStorageTraits
    for N5DefaultStore<S>
{
    async fn list(&self) -> Result<StoreKeys, StorageError> {
        self.async_present_keys(self.store.list().await?).await
    }

    async fn list_prefix(&self, prefix: &StorePrefix) -> Result<StoreKeys, StorageError> {
        self.async_present_keys(self.store.list_prefix(prefix).await?)
            .await
    }

    async fn list_dir(&self, prefix: &StorePrefix) -> Result<StoreKeysPrefixes, StorageError> {
        let found = self.store.list_dir(prefix).await;
        let found = found.map_err(|error| listing(prefix.as_str(), error))?;
        let keys = self.async_present_keys(found.keys().clone()).await?;
        Ok(StoreKeysPrefixes::new(keys, found.prefixes().clone()))
    }

    async fn size_prefix(&self, prefix: &StorePrefix) -> Result<u64, StorageError> {
        let mut size = self.store.size_prefix(prefix).await?;
        for node in
            (self.store.list_prefix(prefix).await?.iter()).filter_map(NodeKeys::of_attributes_json)
        {
            let stored = self.store.size_key(&node.zarr).await?.unwrap_or(0);
            let shown = self.size_key(&node.zarr).await?.unwrap_or(0);
            size = size.saturating_sub(stored).saturating_add(shown);
        }
        Ok(size)
    }

    async fn size(&self) -> Result<u64, StorageError> {
        self.size_prefix(&StorePrefix::root()).await
    }
}

impl<S: AsyncReadableStorageTraits + AsyncWritableStorageTraits> N5DefaultStore<S> {
    /// Writes the documents of `node`.
    async fn async_set_documents(
        &self,
        node: &NodeKeys,
        update: Update,
    ) -> Result<(), StorageError> {
        if let Some(existing) = self.async_read(&node.zarr).await? {
            let zarr = update.zarr(node, &existing)?;
            self.store.set(&node.zarr, zarr).await?;
        }
        self.store.set(&node.attributes, update.attributes).await
    }

    /// Sees to it that the root states a version of N5.
    async fn async_state_version(&self) -> Result<(), StorageError> {
        let Some(root) = NodeKeys::root() else {
            return Ok(());
        };
        let attributes = self.async_read(&root.attributes).await?;
        let zarr = match attributes {
            Some(_) => None,
            None => self.async_read(&root.zarr).await?,
        };
        match document::with_version(attributes.as_deref(), zarr.as_deref()) {
            Some(update) => self.async_set_documents(&root, update).await,
            None => Ok(()),
        }
    }
}

#[deny(clippy::missing_trait_methods)]
#[cfg_attr(target_arch = "wasm32", async_trait(?Send))]
#[cfg_attr(not(target_arch = "wasm32"), async_trait)]
impl<S: AsyncReadableStorageTraits + AsyncWritableStorageTraits> AsyncWritableStorageTraits
    for N5DefaultStore<S>
{
    async fn set(&self, key: &StoreKey, value: Bytes) -> Result<(), StorageError> {
        let Some(node) = NodeKeys::of_zarr_json(key) else {
            return self.store.set(key, value).await;
        };
        let existing = self.async_read(&node.attributes).await?;
        let Some(update) = document::update(&node, &value, existing.as_deref())? else {
            return Ok(());
        };
        if !node.is_root() {
            // First, so that after a crash the same `set` still finds the node to be stored.
            self.async_state_version().await?;
        }
        self.async_set_documents(&node, update).await
    }

    async fn set_partial(
        &self,
        key: &StoreKey,
        offset: u64,
        value: Bytes,
    ) -> Result<(), StorageError> {
        if NodeKeys::of_zarr_json(key).is_some() {
            return self
                .set_partial_many(key, Box::new([(offset, value)].into_iter()))
                .await;
        }
        self.store.set_partial(key, offset, value).await
    }

    async fn set_partial_many<'a>(
        &'a self,
        key: &StoreKey,
        offset_values: OffsetBytesIterator<'a>,
    ) -> Result<(), StorageError> {
        let Some(node) = NodeKeys::of_zarr_json(key) else {
            return self.store.set_partial_many(key, offset_values).await;
        };
        let document = self.async_document(&node).await?.unwrap_or_default();
        self.set(key, document::patch(document, offset_values)?)
            .await
    }

    async fn erase(&self, key: &StoreKey) -> Result<(), StorageError> {
        let Some(node) = NodeKeys::of_zarr_json(key) else {
            return self.store.erase(key).await;
        };
        // The document that speaks for the node goes last: until then the node is as it was.
        self.store.erase(&node.zarr).await?;
        self.store.erase(&node.attributes).await
    }

    async fn erase_many(&self, keys: &[StoreKey]) -> Result<(), StorageError> {
        self.store.erase_many(&document::behind(keys)).await
    }

    async fn erase_prefix(&self, prefix: &StorePrefix) -> Result<(), StorageError> {
        self.store.erase_prefix(prefix).await
    }

    fn supports_set_partial(&self) -> bool {
        self.store.supports_set_partial()
    }
}
