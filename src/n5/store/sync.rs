//! The synchronous storage traits of [`N5DefaultStore`]. Its twin, `asynchronous`, differs only in
//! `.await`.

use std::collections::HashSet;

use zarrs_storage::byte_range::{ByteRange, ByteRangeIterator};
use zarrs_storage::{
    Bytes, ListableStorageTraits, MaybeBytes, MaybeBytesIterator, OffsetBytesIterator,
    ReadableStorageTraits, StorageError, StoreKey, StoreKeys, StoreKeysPrefixes, StorePrefix,
    WritableStorageTraits,
};

use super::at_key::{listing, reading};
use super::document::Update;
use super::options::Unconvertible;
use super::{N5DefaultStore, document};
use crate::n5::adapter::{merge, slice, slices};
use crate::n5::node::NodeKeys;
use crate::n5::whole_value::{Asked, is_whole, single};

impl<S: ReadableStorageTraits> N5DefaultStore<S> {
    /// The `zarr.json` of `node`, from its `attributes.json` or as it is.
    fn document(&self, node: &NodeKeys) -> Result<MaybeBytes, StorageError> {
        match self.read(&node.attributes)? {
            Some(attributes) => document::present(self.options, node, &attributes),
            None => self.read(&node.zarr),
        }
    }

    /// The value of `key` in the wrapped store.
    fn read(&self, key: &StoreKey) -> Result<MaybeBytes, StorageError> {
        let value = self.store.get(key);
        value.map_err(|error| reading(key.as_str(), error))
    }

    /// The size of the value of `key` in the wrapped store, in bytes.
    fn size(&self, key: &StoreKey) -> Result<Option<u64>, StorageError> {
        let size = self.store.size_key(key);
        size.map_err(|error| reading(key.as_str(), error))
    }

    /// Whether `key` is a block of 0 bytes that counts as missing.
    fn is_missing_block(&self, key: &StoreKey) -> Result<bool, StorageError> {
        Ok(self.may_be_empty_block(key) && self.size(key)? == Some(0))
    }
}

#[deny(clippy::missing_trait_methods)]
impl<S: ReadableStorageTraits> ReadableStorageTraits for N5DefaultStore<S> {
    fn get(&self, key: &StoreKey) -> Result<MaybeBytes, StorageError> {
        if let Some(node) = NodeKeys::of_zarr_json(key) {
            return self.document(&node);
        }
        let value = self.read(key)?;
        Ok(self.block(key, value))
    }

    fn get_partial_many<'a>(
        &'a self,
        key: &StoreKey,
        byte_ranges: ByteRangeIterator<'a>,
    ) -> Result<MaybeBytesIterator<'a>, StorageError> {
        if let Some(node) = NodeKeys::of_zarr_json(key) {
            let document = self.document(&node)?;
            return Ok(slices(document.as_ref(), byte_ranges));
        }
        let byte_ranges = match Asked::by(byte_ranges) {
            Asked::Whole => return Ok(single(self.get(key)?)),
            Asked::Ranges(byte_ranges) => byte_ranges,
        };
        if self.is_missing_block(key)? {
            return Ok(None);
        }
        let values = self.store.get_partial_many(key, byte_ranges);
        values.map_err(|error| reading(key.as_str(), error))
    }

    fn get_partial(
        &self,
        key: &StoreKey,
        byte_range: ByteRange,
    ) -> Result<MaybeBytes, StorageError> {
        if let Some(node) = NodeKeys::of_zarr_json(key) {
            let document = self.document(&node)?;
            return document
                .map(|document| slice(&document, byte_range))
                .transpose();
        }
        if is_whole(byte_range) {
            return self.get(key);
        }
        if self.is_missing_block(key)? {
            return Ok(None);
        }
        let value = self.store.get_partial(key, byte_range);
        value.map_err(|error| reading(key.as_str(), error))
    }

    fn size_key(&self, key: &StoreKey) -> Result<Option<u64>, StorageError> {
        if let Some(node) = NodeKeys::of_zarr_json(key) {
            let document = self.document(&node)?;
            return Ok(document.map(|document| document.len() as u64));
        }
        let size = self.size(key)?;
        Ok(size.filter(|size| *size > 0 || !self.may_be_empty_block(key)))
    }

    fn supports_get_partial(&self) -> bool {
        self.store.supports_get_partial()
    }
}

impl<S: ReadableStorageTraits + ListableStorageTraits> N5DefaultStore<S> {
    /// A listing of the wrapped store with the `zarr.json` of each `attributes.json` in it.
    fn present_keys(&self, mut keys: StoreKeys) -> Result<StoreKeys, StorageError> {
        let mut shown = Vec::new();
        let mut hidden = HashSet::new();
        for node in keys.iter().filter_map(NodeKeys::of_attributes_json) {
            if self.options.unconvertible == Unconvertible::Hidden
                && self.document(&node)?.is_none()
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
impl<S: ReadableStorageTraits + ListableStorageTraits> ListableStorageTraits for N5DefaultStore<S> {
    fn list(&self) -> Result<StoreKeys, StorageError> {
        self.present_keys(self.store.list()?)
    }

    fn list_prefix(&self, prefix: &StorePrefix) -> Result<StoreKeys, StorageError> {
        self.present_keys(self.store.list_prefix(prefix)?)
    }

    fn list_dir(&self, prefix: &StorePrefix) -> Result<StoreKeysPrefixes, StorageError> {
        let found = self.store.list_dir(prefix);
        let found = found.map_err(|error| listing(prefix.as_str(), error))?;
        let keys = self.present_keys(found.keys().clone())?;
        Ok(StoreKeysPrefixes::new(keys, found.prefixes().clone()))
    }

    fn size_prefix(&self, prefix: &StorePrefix) -> Result<u64, StorageError> {
        let mut size = self.store.size_prefix(prefix)?;
        for node in
            (self.store.list_prefix(prefix)?.iter()).filter_map(NodeKeys::of_attributes_json)
        {
            let stored = self.store.size_key(&node.zarr)?.unwrap_or(0);
            let shown = self.size_key(&node.zarr)?.unwrap_or(0);
            size = size.saturating_sub(stored).saturating_add(shown);
        }
        Ok(size)
    }

    fn size(&self) -> Result<u64, StorageError> {
        self.size_prefix(&StorePrefix::root())
    }
}

impl<S: ReadableStorageTraits + WritableStorageTraits> N5DefaultStore<S> {
    /// Writes the documents of `node`.
    fn set_documents(&self, node: &NodeKeys, update: Update) -> Result<(), StorageError> {
        if let Some(existing) = self.read(&node.zarr)? {
            let zarr = update.zarr(node, &existing)?;
            self.store.set(&node.zarr, zarr)?;
        }
        self.store.set(&node.attributes, update.attributes)
    }

    /// Sees to it that the root states a version of N5.
    fn state_version(&self) -> Result<(), StorageError> {
        let Some(root) = NodeKeys::root() else {
            return Ok(());
        };
        let attributes = self.read(&root.attributes)?;
        let zarr = match attributes {
            Some(_) => None,
            None => self.read(&root.zarr)?,
        };
        match document::with_version(attributes.as_deref(), zarr.as_deref()) {
            Some(update) => self.set_documents(&root, update),
            None => Ok(()),
        }
    }
}

#[deny(clippy::missing_trait_methods)]
impl<S: ReadableStorageTraits + WritableStorageTraits> WritableStorageTraits for N5DefaultStore<S> {
    fn set(&self, key: &StoreKey, value: Bytes) -> Result<(), StorageError> {
        let Some(node) = NodeKeys::of_zarr_json(key) else {
            return self.store.set(key, value);
        };
        let existing = self.read(&node.attributes)?;
        let Some(update) = document::update(&node, &value, existing.as_deref())? else {
            return Ok(());
        };
        if !node.is_root() {
            // First, so that after a crash the same `set` still finds the node to be stored.
            self.state_version()?;
        }
        self.set_documents(&node, update)
    }

    fn set_partial(&self, key: &StoreKey, offset: u64, value: Bytes) -> Result<(), StorageError> {
        if NodeKeys::of_zarr_json(key).is_some() {
            return self.set_partial_many(key, Box::new([(offset, value)].into_iter()));
        }
        self.store.set_partial(key, offset, value)
    }

    fn set_partial_many(
        &self,
        key: &StoreKey,
        offset_values: OffsetBytesIterator,
    ) -> Result<(), StorageError> {
        let Some(node) = NodeKeys::of_zarr_json(key) else {
            return self.store.set_partial_many(key, offset_values);
        };
        let document = self.document(&node)?.unwrap_or_default();
        self.set(key, document::patch(document, offset_values)?)
    }

    fn erase(&self, key: &StoreKey) -> Result<(), StorageError> {
        let Some(node) = NodeKeys::of_zarr_json(key) else {
            return self.store.erase(key);
        };
        // The document that speaks for the node goes last: until then the node is as it was.
        self.store.erase(&node.zarr)?;
        self.store.erase(&node.attributes)
    }

    fn erase_many(&self, keys: &[StoreKey]) -> Result<(), StorageError> {
        self.store.erase_many(&document::behind(keys))
    }

    fn erase_prefix(&self, prefix: &StorePrefix) -> Result<(), StorageError> {
        self.store.erase_prefix(prefix)
    }

    fn supports_set_partial(&self) -> bool {
        self.store.supports_set_partial()
    }
}
