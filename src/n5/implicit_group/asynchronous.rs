//! The asynchronous storage traits of [`ImplicitGroupStore`]. Its twin, `sync`, differs only
//! in `.await`.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use zarrs_storage::byte_range::{ByteRange, ByteRangeIterator};
use zarrs_storage::{
    AsyncListableStorageTraits, AsyncMaybeBytesIterator, AsyncReadableStorageTraits,
    AsyncWritableStorageTraits, Bytes, MaybeBytes, MaybeSend, MaybeSync, OffsetBytesIterator,
    StorageError, StoreKey, StoreKeys, StoreKeysPrefixes, StorePrefix,
};

use super::ImplicitGroupStore;
use super::existence::{Listed, Unconditional};
use super::rules::{Contents, Prefixes, nodes_above};
use crate::n5::adapter::{async_slices, merge, slice};
use crate::n5::node::{EMPTY_GROUP, NodeKeys, NodeKind};
use crate::n5::whole_value::{Asked, async_single, is_whole};

/// What the kind of existence test decides.
#[cfg_attr(target_arch = "wasm32", async_trait(?Send))]
#[cfg_attr(not(target_arch = "wasm32"), async_trait)]
pub trait AsyncFindsGroups<S>: MaybeSend + MaybeSync {
    /// Whether listings show groups without a document.
    const LISTS_GROUPS: bool;

    /// Whether `prefix`, which has no `zarr.json`, is a group.
    async fn async_is_group(store: &S, prefix: &StorePrefix) -> Result<bool, StorageError>;

    /// Whether `prefix`, which has this `listing`, is to be listed with a `zarr.json` of its own.
    async fn async_is_listed_group(
        store: &S,
        prefix: &StorePrefix,
        listing: &StoreKeysPrefixes,
    ) -> Result<bool, StorageError>;

    /// The `zarr.json` keys to list of the groups among `keys`, everything that the store has under
    /// `prefix`.
    async fn async_implicit_keys(
        store: &S,
        prefix: &StorePrefix,
        keys: &[StoreKey],
    ) -> Result<StoreKeys, StorageError>;
}

#[cfg_attr(target_arch = "wasm32", async_trait(?Send))]
#[cfg_attr(not(target_arch = "wasm32"), async_trait)]
impl<S: AsyncReadableStorageTraits + AsyncListableStorageTraits> AsyncFindsGroups<S> for Listed {
    const LISTS_GROUPS: bool = true;

    async fn async_is_group(store: &S, prefix: &StorePrefix) -> Result<bool, StorageError> {
        let listing = store.list_dir(prefix).await?;
        Self::async_is_listed_group(store, prefix, &listing).await
    }

    async fn async_is_listed_group(
        store: &S,
        prefix: &StorePrefix,
        listing: &StoreKeysPrefixes,
    ) -> Result<bool, StorageError> {
        let exists = match Contents::of(listing) {
            Contents::Document => false,
            Contents::Something => true,
            Contents::Nothing => match prefix.parent() {
                Some(parent) => store.list_dir(&parent).await?.prefixes().contains(prefix),
                None => false,
            },
        };
        Ok(exists && !async_is_block_directory(store, prefix).await?)
    }

    async fn async_implicit_keys(
        store: &S,
        prefix: &StorePrefix,
        keys: &[StoreKey],
    ) -> Result<StoreKeys, StorageError> {
        let prefixes = Prefixes::without_document(keys, prefix);
        let mut kinds = HashMap::new();
        for node in prefixes.ancestors_to_read() {
            if let Some(kind) = async_kind(store, node).await? {
                kinds.insert(node.clone(), kind);
            }
        }
        Ok(prefixes.implicit_documents(&kinds))
    }
}

#[cfg_attr(target_arch = "wasm32", async_trait(?Send))]
#[cfg_attr(not(target_arch = "wasm32"), async_trait)]
impl<S: AsyncReadableStorageTraits> AsyncFindsGroups<S> for Unconditional {
    const LISTS_GROUPS: bool = false;

    async fn async_is_group(store: &S, prefix: &StorePrefix) -> Result<bool, StorageError> {
        match NodeKeys::of_prefix(prefix) {
            Some(node) => Ok(store.size_key(&node.attributes).await?.is_none()),
            None => Ok(false),
        }
    }

    async fn async_is_listed_group(
        _: &S,
        _: &StorePrefix,
        _: &StoreKeysPrefixes,
    ) -> Result<bool, StorageError> {
        Ok(false)
    }

    async fn async_implicit_keys(
        _: &S,
        _: &StorePrefix,
        _: &[StoreKey],
    ) -> Result<StoreKeys, StorageError> {
        Ok(Vec::new())
    }
}

async fn async_is_block_directory<S: AsyncReadableStorageTraits>(
    store: &S,
    prefix: &StorePrefix,
) -> Result<bool, StorageError> {
    for node in nodes_above(prefix) {
        if let Some(kind) = async_kind(store, &node).await? {
            return Ok(kind == NodeKind::Array);
        }
    }
    Ok(false)
}

/// The kind of `node`, if it is there. A node that cannot be shown as Zarr, or that the wrapped
/// store hides, counts as an array: nothing below it is shown either.
async fn async_kind<S: AsyncReadableStorageTraits>(
    store: &S,
    node: &NodeKeys,
) -> Result<Option<NodeKind>, StorageError> {
    match store.get(&node.zarr).await {
        Ok(Some(document)) => Ok(Some(NodeKind::of(&document))),
        Ok(None) => {
            let is_hidden = store.size_key(&node.attributes).await?.is_some();
            Ok(is_hidden.then_some(NodeKind::Array))
        }
        Err(StorageError::InvalidMetadata(..)) => Ok(Some(NodeKind::Array)),
        Err(error) => Err(error),
    }
}

impl<S: AsyncReadableStorageTraits, E: AsyncFindsGroups<S>> ImplicitGroupStore<S, E> {
    /// The document of the implicit group whose `zarr.json` is `key`, which the wrapped store does
    /// not have.
    async fn async_implicit_document(&self, key: &StoreKey) -> Result<MaybeBytes, StorageError> {
        let Some(node) = NodeKeys::of_zarr_json(key) else {
            return Ok(None);
        };
        let is_group = E::async_is_group(&self.store, &node.prefix()).await?;
        Ok(is_group.then(|| Bytes::from_static(EMPTY_GROUP)))
    }
}

#[deny(clippy::missing_trait_methods)]
#[cfg_attr(target_arch = "wasm32", async_trait(?Send))]
#[cfg_attr(not(target_arch = "wasm32"), async_trait)]
impl<S: AsyncReadableStorageTraits, E: AsyncFindsGroups<S>> AsyncReadableStorageTraits
    for ImplicitGroupStore<S, E>
{
    async fn get(&self, key: &StoreKey) -> Result<MaybeBytes, StorageError> {
        match self.store.get(key).await? {
            Some(value) => Ok(Some(value)),
            None => self.async_implicit_document(key).await,
        }
    }

    async fn get_partial_many<'a>(
        &'a self,
        key: &StoreKey,
        byte_ranges: ByteRangeIterator<'a>,
    ) -> Result<AsyncMaybeBytesIterator<'a>, StorageError> {
        if NodeKeys::of_zarr_json(key).is_none() {
            return match Asked::by(byte_ranges) {
                Asked::Whole => Ok(async_single(self.get(key).await?)),
                Asked::Ranges(byte_ranges) => self.store.get_partial_many(key, byte_ranges).await,
            };
        }
        // The ranges can be taken only once, so the document is read whole before it is known to be
        // there.
        let document = self.get(key).await?;
        Ok(async_slices(document.as_ref(), byte_ranges))
    }

    async fn get_partial(
        &self,
        key: &StoreKey,
        byte_range: ByteRange,
    ) -> Result<MaybeBytes, StorageError> {
        if is_whole(byte_range) {
            return self.get(key).await;
        }
        if let Some(value) = self.store.get_partial(key, byte_range).await? {
            return Ok(Some(value));
        }
        let document = self.async_implicit_document(key).await?;
        document
            .map(|document| slice(&document, byte_range))
            .transpose()
    }

    async fn size_key(&self, key: &StoreKey) -> Result<Option<u64>, StorageError> {
        if let Some(size) = self.store.size_key(key).await? {
            return Ok(Some(size));
        }
        let document = self.async_implicit_document(key).await?;
        Ok(document.map(|document| document.len() as u64))
    }

    fn supports_get_partial(&self) -> bool {
        self.store.supports_get_partial()
    }
}

#[deny(clippy::missing_trait_methods)]
#[cfg_attr(target_arch = "wasm32", async_trait(?Send))]
#[cfg_attr(not(target_arch = "wasm32"), async_trait)]
impl<S: AsyncReadableStorageTraits + AsyncListableStorageTraits, E: AsyncFindsGroups<S>>
    AsyncListableStorageTraits for ImplicitGroupStore<S, E>
{
    async fn list(&self) -> Result<StoreKeys, StorageError> {
        let mut keys = self.store.list().await?;
        let implicit = E::async_implicit_keys(&self.store, &StorePrefix::root(), &keys).await?;
        merge(&mut keys, implicit, &HashSet::new());
        Ok(keys)
    }

    async fn list_prefix(&self, prefix: &StorePrefix) -> Result<StoreKeys, StorageError> {
        let mut keys = self.store.list_prefix(prefix).await?;
        let implicit = E::async_implicit_keys(&self.store, prefix, &keys).await?;
        merge(&mut keys, implicit, &HashSet::new());
        Ok(keys)
    }

    async fn list_dir(&self, prefix: &StorePrefix) -> Result<StoreKeysPrefixes, StorageError> {
        let listing = self.store.list_dir(prefix).await?;
        if !E::async_is_listed_group(&self.store, prefix, &listing).await? {
            return Ok(listing);
        }
        let mut keys = listing.keys().clone();
        let implicit = NodeKeys::of_prefix(prefix).map(|node| node.zarr);
        merge(&mut keys, implicit.into_iter().collect(), &HashSet::new());
        Ok(StoreKeysPrefixes::new(keys, listing.prefixes().clone()))
    }

    async fn size_prefix(&self, prefix: &StorePrefix) -> Result<u64, StorageError> {
        let size = self.store.size_prefix(prefix).await?;
        if !E::LISTS_GROUPS {
            return Ok(size);
        }
        let keys = self.store.list_prefix(prefix).await?;
        let implicit = E::async_implicit_keys(&self.store, prefix, &keys).await?;
        let implicit = implicit.len().saturating_mul(EMPTY_GROUP.len());
        Ok(size.saturating_add(implicit as u64))
    }

    async fn size(&self) -> Result<u64, StorageError> {
        self.size_prefix(&StorePrefix::root()).await
    }
}

#[deny(clippy::missing_trait_methods)]
#[cfg_attr(target_arch = "wasm32", async_trait(?Send))]
#[cfg_attr(not(target_arch = "wasm32"), async_trait)]
impl<S: AsyncWritableStorageTraits, E: MaybeSend + MaybeSync> AsyncWritableStorageTraits
    for ImplicitGroupStore<S, E>
{
    async fn set(&self, key: &StoreKey, value: Bytes) -> Result<(), StorageError> {
        self.store.set(key, value).await
    }

    async fn set_partial(
        &self,
        key: &StoreKey,
        offset: u64,
        value: Bytes,
    ) -> Result<(), StorageError> {
        self.store.set_partial(key, offset, value).await
    }

    async fn set_partial_many<'a>(
        &'a self,
        key: &StoreKey,
        offset_values: OffsetBytesIterator<'a>,
    ) -> Result<(), StorageError> {
        self.store.set_partial_many(key, offset_values).await
    }

    async fn erase(&self, key: &StoreKey) -> Result<(), StorageError> {
        self.store.erase(key).await
    }

    async fn erase_many(&self, keys: &[StoreKey]) -> Result<(), StorageError> {
        self.store.erase_many(keys).await
    }

    async fn erase_prefix(&self, prefix: &StorePrefix) -> Result<(), StorageError> {
        self.store.erase_prefix(prefix).await
    }

    fn supports_set_partial(&self) -> bool {
        self.store.supports_set_partial()
    }
}
