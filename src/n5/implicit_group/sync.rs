//! The synchronous storage traits of [`ImplicitGroupStore`]. Its twin, `asynchronous`, differs only
//! in `.await`.

use std::collections::{HashMap, HashSet};

use zarrs_storage::byte_range::{ByteRange, ByteRangeIterator};
use zarrs_storage::{
    Bytes, ListableStorageTraits, MaybeBytes, MaybeBytesIterator, MaybeSend, MaybeSync,
    OffsetBytesIterator, ReadableStorageTraits, StorageError, StoreKey, StoreKeys,
    StoreKeysPrefixes, StorePrefix, WritableStorageTraits,
};

use super::ImplicitGroupStore;
use super::existence::{Listed, Unconditional};
use super::rules::{Contents, Prefixes, nodes_above};
use crate::n5::adapter::{merge, slice, slices};
use crate::n5::node::{EMPTY_GROUP, NodeKeys, NodeKind};
use crate::n5::whole_value::{Asked, is_whole, single};

/// What the kind of existence test decides.
pub trait FindsGroups<S>: MaybeSend + MaybeSync {
    /// Whether listings show groups without a document.
    const LISTS_GROUPS: bool;

    /// Whether `prefix`, which has no `zarr.json`, is a group.
    fn is_group(store: &S, prefix: &StorePrefix) -> Result<bool, StorageError>;

    /// Whether `prefix`, which has this `listing`, is to be listed with a `zarr.json` of its own.
    fn is_listed_group(
        store: &S,
        prefix: &StorePrefix,
        listing: &StoreKeysPrefixes,
    ) -> Result<bool, StorageError>;

    /// The `zarr.json` keys to list of the groups among `keys`, everything that the store has under
    /// `prefix`.
    fn implicit_keys(
        store: &S,
        prefix: &StorePrefix,
        keys: &[StoreKey],
    ) -> Result<StoreKeys, StorageError>;
}

impl<S: ReadableStorageTraits + ListableStorageTraits> FindsGroups<S> for Listed {
    const LISTS_GROUPS: bool = true;

    fn is_group(store: &S, prefix: &StorePrefix) -> Result<bool, StorageError> {
        let listing = store.list_dir(prefix)?;
        Self::is_listed_group(store, prefix, &listing)
    }

    fn is_listed_group(
        store: &S,
        prefix: &StorePrefix,
        listing: &StoreKeysPrefixes,
    ) -> Result<bool, StorageError> {
        let exists = match Contents::of(listing) {
            Contents::Document => false,
            Contents::Something => true,
            Contents::Nothing => match prefix.parent() {
                Some(parent) => store.list_dir(&parent)?.prefixes().contains(prefix),
                None => false,
            },
        };
        Ok(exists && !is_block_directory(store, prefix)?)
    }

    fn implicit_keys(
        store: &S,
        prefix: &StorePrefix,
        keys: &[StoreKey],
    ) -> Result<StoreKeys, StorageError> {
        let prefixes = Prefixes::without_document(keys, prefix);
        let mut kinds = HashMap::new();
        for node in prefixes.ancestors_to_read() {
            if let Some(kind) = kind(store, node)? {
                kinds.insert(node.clone(), kind);
            }
        }
        Ok(prefixes.implicit_documents(&kinds))
    }
}

impl<S: ReadableStorageTraits> FindsGroups<S> for Unconditional {
    const LISTS_GROUPS: bool = false;

    fn is_group(store: &S, prefix: &StorePrefix) -> Result<bool, StorageError> {
        match NodeKeys::of_prefix(prefix) {
            Some(node) => Ok(store.size_key(&node.attributes)?.is_none()),
            None => Ok(false),
        }
    }

    fn is_listed_group(
        _: &S,
        _: &StorePrefix,
        _: &StoreKeysPrefixes,
    ) -> Result<bool, StorageError> {
        Ok(false)
    }

    fn implicit_keys(_: &S, _: &StorePrefix, _: &[StoreKey]) -> Result<StoreKeys, StorageError> {
        Ok(Vec::new())
    }
}

fn is_block_directory<S: ReadableStorageTraits>(
    store: &S,
    prefix: &StorePrefix,
) -> Result<bool, StorageError> {
    for node in nodes_above(prefix) {
        if let Some(kind) = kind(store, &node)? {
            return Ok(kind == NodeKind::Array);
        }
    }
    Ok(false)
}

/// The kind of `node`, if it is there. A node that cannot be shown as Zarr, or that the wrapped
/// store hides, counts as an array: nothing below it is shown either.
fn kind<S: ReadableStorageTraits>(
    store: &S,
    node: &NodeKeys,
) -> Result<Option<NodeKind>, StorageError> {
    match store.get(&node.zarr) {
        Ok(Some(document)) => Ok(Some(NodeKind::of(&document))),
        Ok(None) => {
            let is_hidden = store.size_key(&node.attributes)?.is_some();
            Ok(is_hidden.then_some(NodeKind::Array))
        }
        Err(StorageError::InvalidMetadata(..)) => Ok(Some(NodeKind::Array)),
        Err(error) => Err(error),
    }
}

impl<S: ReadableStorageTraits, E: FindsGroups<S>> ImplicitGroupStore<S, E> {
    /// The document of the implicit group whose `zarr.json` is `key`, which the wrapped store does
    /// not have.
    fn implicit_document(&self, key: &StoreKey) -> Result<MaybeBytes, StorageError> {
        let Some(node) = NodeKeys::of_zarr_json(key) else {
            return Ok(None);
        };
        let is_group = E::is_group(&self.store, &node.prefix())?;
        Ok(is_group.then(|| Bytes::from_static(EMPTY_GROUP)))
    }
}

#[deny(clippy::missing_trait_methods)]
impl<S: ReadableStorageTraits, E: FindsGroups<S>> ReadableStorageTraits
    for ImplicitGroupStore<S, E>
{
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
            return match Asked::by(byte_ranges) {
                Asked::Whole => Ok(single(self.get(key)?)),
                Asked::Ranges(byte_ranges) => self.store.get_partial_many(key, byte_ranges),
            };
        }
        // The ranges can be taken only once, so the document is read whole before it is known to be
        // there.
        let document = self.get(key)?;
        Ok(slices(document.as_ref(), byte_ranges))
    }

    fn get_partial(
        &self,
        key: &StoreKey,
        byte_range: ByteRange,
    ) -> Result<MaybeBytes, StorageError> {
        if is_whole(byte_range) {
            return self.get(key);
        }
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

#[deny(clippy::missing_trait_methods)]
impl<S: ReadableStorageTraits + ListableStorageTraits, E: FindsGroups<S>> ListableStorageTraits
    for ImplicitGroupStore<S, E>
{
    fn list(&self) -> Result<StoreKeys, StorageError> {
        let mut keys = self.store.list()?;
        let implicit = E::implicit_keys(&self.store, &StorePrefix::root(), &keys)?;
        merge(&mut keys, implicit, &HashSet::new());
        Ok(keys)
    }

    fn list_prefix(&self, prefix: &StorePrefix) -> Result<StoreKeys, StorageError> {
        let mut keys = self.store.list_prefix(prefix)?;
        let implicit = E::implicit_keys(&self.store, prefix, &keys)?;
        merge(&mut keys, implicit, &HashSet::new());
        Ok(keys)
    }

    fn list_dir(&self, prefix: &StorePrefix) -> Result<StoreKeysPrefixes, StorageError> {
        let listing = self.store.list_dir(prefix)?;
        if !E::is_listed_group(&self.store, prefix, &listing)? {
            return Ok(listing);
        }
        let mut keys = listing.keys().clone();
        let implicit = NodeKeys::of_prefix(prefix).map(|node| node.zarr);
        merge(&mut keys, implicit.into_iter().collect(), &HashSet::new());
        Ok(StoreKeysPrefixes::new(keys, listing.prefixes().clone()))
    }

    fn size_prefix(&self, prefix: &StorePrefix) -> Result<u64, StorageError> {
        let size = self.store.size_prefix(prefix)?;
        if !E::LISTS_GROUPS {
            return Ok(size);
        }
        let keys = self.store.list_prefix(prefix)?;
        let implicit = E::implicit_keys(&self.store, prefix, &keys)?;
        let implicit = implicit.len().saturating_mul(EMPTY_GROUP.len());
        Ok(size.saturating_add(implicit as u64))
    }

    fn size(&self) -> Result<u64, StorageError> {
        self.size_prefix(&StorePrefix::root())
    }
}

#[deny(clippy::missing_trait_methods)]
impl<S: WritableStorageTraits, E: MaybeSend + MaybeSync> WritableStorageTraits
    for ImplicitGroupStore<S, E>
{
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
