//! The synchronous storage traits of [`ImplicitGroupStore`]. Its twin, `asynchronous`, differs only in `.await`.

use std::collections::{HashMap, HashSet};

use zarrs_storage::byte_range::{ByteRange, ByteRangeIterator};
use zarrs_storage::{
    Bytes, ListableStorageTraits, MaybeBytes, MaybeBytesIterator, OffsetBytesIterator,
    ReadableStorageTraits, StorageError, StoreKey, StoreKeys, StoreKeysPrefixes, StorePrefix,
    WritableStorageTraits,
};

use super::rules::{Contents, EMPTY_GROUP, NodeKind, Undocumented, nodes_above};
use super::{Existence, ImplicitGroupStore};
use crate::n5::store::document::slice;
use crate::n5::store::keys::{self, NodeKeys};

type ListDir<S> = fn(&S, &StorePrefix) -> Result<StoreKeysPrefixes, StorageError>;

impl<S: ReadableStorageTraits> ImplicitGroupStore<S> {
    /// The document of the implicit group whose `zarr.json` is `key`, which the wrapped store does not have.
    fn implicit_document(&self, key: &StoreKey) -> Result<MaybeBytes, StorageError> {
        let Some(node) = NodeKeys::of_zarr_json(key) else {
            return Ok(None);
        };
        let is_group = match self.existence {
            Existence::Unconditional => self.store.size_key(&node.attributes)?.is_none(),
            Existence::Listed(list_dir) => {
                let prefix = node.prefix();
                let listing = list_dir(&self.store, &prefix)?;
                self.is_group(&prefix, &listing, list_dir)?
            }
            #[cfg(feature = "async")]
            Existence::ListedAsync(_) => return Err(super::wrong_kind("ImplicitGroupStore::new")),
        };
        Ok(is_group.then(|| Bytes::from_static(EMPTY_GROUP)))
    }

    /// Whether `prefix`, which has this `listing`, is an implicit group.
    fn is_group(
        &self,
        prefix: &StorePrefix,
        listing: &StoreKeysPrefixes,
        list_dir: ListDir<S>,
    ) -> Result<bool, StorageError> {
        let exists = match Contents::of(listing) {
            Contents::Document => false,
            Contents::Something => true,
            Contents::Nothing => match prefix.parent() {
                Some(parent) => list_dir(&self.store, &parent)?.prefixes().contains(prefix),
                None => false,
            },
        };
        Ok(exists && !self.is_block_directory(prefix)?)
    }

    fn is_block_directory(&self, prefix: &StorePrefix) -> Result<bool, StorageError> {
        for node in nodes_above(prefix) {
            if let Some(kind) = self.kind(&node)? {
                return Ok(kind == NodeKind::Array);
            }
        }
        Ok(false)
    }

    /// The kind of `node`, if it is there. A node that cannot be shown as Zarr, or that the wrapped store hides, counts as
    /// an array: nothing below it is shown either.
    fn kind(&self, node: &NodeKeys) -> Result<Option<NodeKind>, StorageError> {
        match self.store.get(&node.zarr) {
            Ok(Some(document)) => Ok(Some(NodeKind::of(&document))),
            Ok(None) => {
                let is_hidden = self.store.size_key(&node.attributes)?.is_some();
                Ok(is_hidden.then_some(NodeKind::Array))
            }
            Err(StorageError::InvalidMetadata(..)) => Ok(Some(NodeKind::Array)),
            Err(error) => Err(error),
        }
    }
}

impl<S: ReadableStorageTraits> ReadableStorageTraits for ImplicitGroupStore<S> {
    fn get(&self, key: &StoreKey) -> Result<MaybeBytes, StorageError> {
        match self.store.get(key)? {
            Some(value) => Ok(Some(value)),
            None => self.implicit_document(key),
        }
    }

    fn get_partial_many<'a>(
        &'a self,
        key: &StoreKey,
        byte_ranges: ByteRangeIterator<'a>,
    ) -> Result<MaybeBytesIterator<'a>, StorageError> {
        if NodeKeys::of_zarr_json(key).is_none() {
            return self.store.get_partial_many(key, byte_ranges);
        }
        // The ranges can be taken only once, so the document is read whole before it is known to be there.
        let Some(document) = self.get(key)? else {
            return Ok(None);
        };
        let slices = byte_ranges.map(move |range| slice(&document, range));
        Ok(Some(Box::new(slices)))
    }

    fn get_partial(
        &self,
        key: &StoreKey,
        byte_range: ByteRange,
    ) -> Result<MaybeBytes, StorageError> {
        if let Some(value) = self.store.get_partial(key, byte_range)? {
            return Ok(Some(value));
        }
        let document = self.implicit_document(key)?;
        document
            .map(|document| slice(&document, byte_range))
            .transpose()
    }

    fn size_key(&self, key: &StoreKey) -> Result<Option<u64>, StorageError> {
        if let Some(size) = self.store.size_key(key)? {
            return Ok(Some(size));
        }
        let document = self.implicit_document(key)?;
        Ok(document.map(|document| document.len() as u64))
    }

    fn supports_get_partial(&self) -> bool {
        self.store.supports_get_partial()
    }
}

impl<S: ReadableStorageTraits + ListableStorageTraits> ImplicitGroupStore<S> {
    /// The `zarr.json` keys of the implicit groups among `keys`, everything that the wrapped store has under `prefix`.
    fn implicit_keys(
        &self,
        keys: &[StoreKey],
        prefix: &StorePrefix,
    ) -> Result<StoreKeys, StorageError> {
        if matches!(self.existence, Existence::Unconditional) {
            return Ok(Vec::new());
        }
        let undocumented = Undocumented::among(keys, prefix);
        let mut kinds = HashMap::new();
        for node in undocumented.questions() {
            if let Some(kind) = self.kind(node)? {
                kinds.insert(node.clone(), kind);
            }
        }
        Ok(undocumented.implicit_documents(&kinds))
    }
}

impl<S: ReadableStorageTraits + ListableStorageTraits> ListableStorageTraits
    for ImplicitGroupStore<S>
{
    fn list(&self) -> Result<StoreKeys, StorageError> {
        let mut keys = self.store.list()?;
        let implicit = self.implicit_keys(&keys, &StorePrefix::root())?;
        keys::merge(&mut keys, implicit, &HashSet::new());
        Ok(keys)
    }

    fn list_prefix(&self, prefix: &StorePrefix) -> Result<StoreKeys, StorageError> {
        let mut keys = self.store.list_prefix(prefix)?;
        let implicit = self.implicit_keys(&keys, prefix)?;
        keys::merge(&mut keys, implicit, &HashSet::new());
        Ok(keys)
    }

    fn list_dir(&self, prefix: &StorePrefix) -> Result<StoreKeysPrefixes, StorageError> {
        let listing = self.store.list_dir(prefix)?;
        let Existence::Listed(list_dir) = self.existence else {
            return Ok(listing);
        };
        if !self.is_group(prefix, &listing, list_dir)? {
            return Ok(listing);
        }
        let mut keys = listing.keys().clone();
        let implicit = NodeKeys::of_prefix(prefix).map(|node| node.zarr);
        keys::merge(&mut keys, implicit.into_iter().collect(), &HashSet::new());
        Ok(StoreKeysPrefixes::new(keys, listing.prefixes().clone()))
    }

    fn size_prefix(&self, prefix: &StorePrefix) -> Result<u64, StorageError> {
        let size = self.store.size_prefix(prefix)?;
        if matches!(self.existence, Existence::Unconditional) {
            return Ok(size);
        }
        let keys = self.store.list_prefix(prefix)?;
        let implicit = self.implicit_keys(&keys, prefix)?.len() * EMPTY_GROUP.len();
        Ok(size.saturating_add(implicit as u64))
    }
}

impl<S: WritableStorageTraits> WritableStorageTraits for ImplicitGroupStore<S> {
    fn set(&self, key: &StoreKey, value: Bytes) -> Result<(), StorageError> {
        self.store.set(key, value)
    }

    fn set_partial(&self, key: &StoreKey, offset: u64, value: Bytes) -> Result<(), StorageError> {
        self.store.set_partial(key, offset, value)
    }

    fn set_partial_many(
        &self,
        key: &StoreKey,
        offset_values: OffsetBytesIterator,
    ) -> Result<(), StorageError> {
        self.store.set_partial_many(key, offset_values)
    }

    fn erase(&self, key: &StoreKey) -> Result<(), StorageError> {
        self.store.erase(key)
    }

    fn erase_many(&self, keys: &[StoreKey]) -> Result<(), StorageError> {
        self.store.erase_many(keys)
    }

    fn erase_prefix(&self, prefix: &StorePrefix) -> Result<(), StorageError> {
        self.store.erase_prefix(prefix)
    }

    fn supports_set_partial(&self) -> bool {
        self.store.supports_set_partial()
    }
}
