//! The asynchronous storage traits of [`ImplicitGroupStore`]. Its twin, `sync`, differs only in `.await`.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use futures::{StreamExt, stream};
use zarrs_storage::byte_range::{ByteRange, ByteRangeIterator};
use zarrs_storage::{
    AsyncListableStorageTraits, AsyncMaybeBytesIterator, AsyncReadableStorageTraits,
    AsyncWritableStorageTraits, Bytes, MaybeBytes, OffsetBytesIterator, StorageError, StoreKey,
    StoreKeys, StoreKeysPrefixes, StorePrefix,
};

use super::rules::{Contents, EMPTY_GROUP, NodeKind, Undocumented, nodes_above};
use super::{Existence, ImplicitGroupStore};
use crate::n5::store::document::slice;
use crate::n5::store::keys::{self, NodeKeys};

/// What `list_dir` of an asynchronous store is, as a function pointer.
pub(super) type ListDir<S> = for<'a> fn(&'a S, &'a StorePrefix) -> ListDirFuture<'a>;

#[cfg(not(target_arch = "wasm32"))]
type ListDirFuture<'a> = futures::future::BoxFuture<'a, Result<StoreKeysPrefixes, StorageError>>;
#[cfg(target_arch = "wasm32")]
type ListDirFuture<'a> =
    futures::future::LocalBoxFuture<'a, Result<StoreKeysPrefixes, StorageError>>;

impl<S: AsyncReadableStorageTraits + AsyncListableStorageTraits> ImplicitGroupStore<S> {
    /// The asynchronous twin of [`new`](Self::new).
    #[must_use]
    pub fn new_async(store: S) -> Self {
        Self {
            store,
            existence: Existence::ListedAsync(|store, prefix| store.list_dir(prefix)),
        }
    }
}

impl<S: AsyncReadableStorageTraits> ImplicitGroupStore<S> {
    /// The document of the implicit group whose `zarr.json` is `key`, which the wrapped store does not have.
    async fn async_implicit_document(&self, key: &StoreKey) -> Result<MaybeBytes, StorageError> {
        let Some(node) = NodeKeys::of_zarr_json(key) else {
            return Ok(None);
        };
        let is_group = match self.existence {
            Existence::Unconditional => self.store.size_key(&node.attributes).await?.is_none(),
            Existence::ListedAsync(list_dir) => {
                let prefix = node.prefix();
                let listing = list_dir(&self.store, &prefix).await?;
                self.async_is_group(&prefix, &listing, list_dir).await?
            }
            Existence::Listed(_) => return Err(super::wrong_kind("ImplicitGroupStore::new_async")),
        };
        Ok(is_group.then(|| Bytes::from_static(EMPTY_GROUP)))
    }

    /// Whether `prefix`, which has this `listing`, is an implicit group.
    async fn async_is_group(
        &self,
        prefix: &StorePrefix,
        listing: &StoreKeysPrefixes,
        list_dir: ListDir<S>,
    ) -> Result<bool, StorageError> {
        let exists = match Contents::of(listing) {
            Contents::Document => false,
            Contents::Something => true,
            Contents::Nothing => match prefix.parent() {
                Some(parent) => list_dir(&self.store, &parent)
                    .await?
                    .prefixes()
                    .contains(prefix),
                None => false,
            },
        };
        Ok(exists && !self.async_is_block_directory(prefix).await?)
    }

    async fn async_is_block_directory(&self, prefix: &StorePrefix) -> Result<bool, StorageError> {
        for node in nodes_above(prefix) {
            if let Some(kind) = self.async_kind(&node).await? {
                return Ok(kind == NodeKind::Array);
            }
        }
        Ok(false)
    }

    /// The kind of `node`, if it is there. A node that cannot be shown as Zarr, or that the wrapped store hides, counts as
    /// an array: nothing below it is shown either.
    async fn async_kind(&self, node: &NodeKeys) -> Result<Option<NodeKind>, StorageError> {
        match self.store.get(&node.zarr).await {
            Ok(Some(document)) => Ok(Some(NodeKind::of(&document))),
            Ok(None) => {
                let is_hidden = self.store.size_key(&node.attributes).await?.is_some();
                Ok(is_hidden.then_some(NodeKind::Array))
            }
            Err(StorageError::InvalidMetadata(..)) => Ok(Some(NodeKind::Array)),
            Err(error) => Err(error),
        }
    }
}

#[cfg_attr(target_arch = "wasm32", async_trait(?Send))]
#[cfg_attr(not(target_arch = "wasm32"), async_trait)]
impl<S: AsyncReadableStorageTraits> AsyncReadableStorageTraits for ImplicitGroupStore<S> {
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
            return self.store.get_partial_many(key, byte_ranges).await;
        }
        // The ranges can be taken only once, so the document is read whole before it is known to be there.
        let Some(document) = self.get(key).await? else {
            return Ok(None);
        };
        let slices: Vec<_> = byte_ranges.map(|range| slice(&document, range)).collect();
        Ok(Some(stream::iter(slices).boxed()))
    }

    async fn get_partial(
        &self,
        key: &StoreKey,
        byte_range: ByteRange,
    ) -> Result<MaybeBytes, StorageError> {
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

impl<S: AsyncReadableStorageTraits + AsyncListableStorageTraits> ImplicitGroupStore<S> {
    /// The `zarr.json` keys of the implicit groups among `keys`, everything that the wrapped store has under `prefix`.
    async fn async_implicit_keys(
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
            if let Some(kind) = self.async_kind(node).await? {
                kinds.insert(node.clone(), kind);
            }
        }
        Ok(undocumented.implicit_documents(&kinds))
    }
}

#[cfg_attr(target_arch = "wasm32", async_trait(?Send))]
#[cfg_attr(not(target_arch = "wasm32"), async_trait)]
impl<S: AsyncReadableStorageTraits + AsyncListableStorageTraits> AsyncListableStorageTraits
    for ImplicitGroupStore<S>
{
    async fn list(&self) -> Result<StoreKeys, StorageError> {
        let mut keys = self.store.list().await?;
        let implicit = self
            .async_implicit_keys(&keys, &StorePrefix::root())
            .await?;
        keys::merge(&mut keys, implicit, &HashSet::new());
        Ok(keys)
    }

    async fn list_prefix(&self, prefix: &StorePrefix) -> Result<StoreKeys, StorageError> {
        let mut keys = self.store.list_prefix(prefix).await?;
        let implicit = self.async_implicit_keys(&keys, prefix).await?;
        keys::merge(&mut keys, implicit, &HashSet::new());
        Ok(keys)
    }

    async fn list_dir(&self, prefix: &StorePrefix) -> Result<StoreKeysPrefixes, StorageError> {
        let listing = self.store.list_dir(prefix).await?;
        let Existence::ListedAsync(list_dir) = self.existence else {
            return Ok(listing);
        };
        if !self.async_is_group(prefix, &listing, list_dir).await? {
            return Ok(listing);
        }
        let mut keys = listing.keys().clone();
        let implicit = NodeKeys::of_prefix(prefix).map(|node| node.zarr);
        keys::merge(&mut keys, implicit.into_iter().collect(), &HashSet::new());
        Ok(StoreKeysPrefixes::new(keys, listing.prefixes().clone()))
    }

    async fn size_prefix(&self, prefix: &StorePrefix) -> Result<u64, StorageError> {
        let size = self.store.size_prefix(prefix).await?;
        if matches!(self.existence, Existence::Unconditional) {
            return Ok(size);
        }
        let keys = self.store.list_prefix(prefix).await?;
        let implicit = self.async_implicit_keys(&keys, prefix).await?.len() * EMPTY_GROUP.len();
        Ok(size.saturating_add(implicit as u64))
    }
}

#[cfg_attr(target_arch = "wasm32", async_trait(?Send))]
#[cfg_attr(not(target_arch = "wasm32"), async_trait)]
impl<S: AsyncWritableStorageTraits> AsyncWritableStorageTraits for ImplicitGroupStore<S> {
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
