//! What is listed in an object store, and what is not believed of it.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use futures::{StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{ObjectMeta, Result as ObjectResult};
use zarrs_storage::{StorageError, StoreKey, StoreKeys, StoreKeysPrefixes, StorePrefix};

use super::again::listed_again;
use super::causes::{is_no_such_bucket, is_of_connection};
use super::error::{Reason, UrlError};
use super::objects::Objects;
use super::places::Kind;
use super::status::{self, Seen};

const CANNOT_LIST: &str = "the server does not list folders, so that what is there is not known";

impl Objects {
    /// What is directly in the folder `prefix`.
    pub(super) async fn list_dir(
        &self,
        prefix: &StorePrefix,
    ) -> Result<StoreKeysPrefixes, StorageError> {
        let listed = self.list_folder(prefix).await?;
        if is_empty(&listed) {
            self.believe_empty(prefix).await?;
        }
        Ok(listed)
    }

    /// All that is under `prefix`.
    pub(super) async fn list_prefix(
        &self,
        prefix: &StorePrefix,
    ) -> Result<StoreKeys, StorageError> {
        self.keys(prefix, &self.list_all(prefix).await?)
    }

    /// The size in bytes of all that is under `prefix`.
    pub(super) async fn size_prefix(&self, prefix: &StorePrefix) -> Result<u64, StorageError> {
        let sizes = self.list_all(prefix).await?;
        Ok(sizes
            .iter()
            .fold(0, |size: u64, meta| size.saturating_add(meta.size)))
    }

    async fn list_all(&self, prefix: &StorePrefix) -> Result<Vec<ObjectMeta>, StorageError> {
        self.can_list(prefix.as_str())?;
        let path = self.path(prefix.as_str())?;
        let list = || {
            let listing = self.place.objects.list(Some(&path));
            status::observed(listing.boxed().try_collect::<Vec<_>>())
        };
        let listing = listed_again(self.retries, list).await;
        let listed = self.listed(prefix.as_str(), listing)?;
        if listed.is_empty() {
            self.believe_empty(prefix).await?;
        }
        Ok(listed)
    }

    async fn list_folder(&self, prefix: &StorePrefix) -> Result<StoreKeysPrefixes, StorageError> {
        self.can_list(prefix.as_str())?;
        let path = self.path(prefix.as_str())?;
        let list = || status::observed(self.place.objects.list_with_delimiter(Some(&path)));
        let listing = listed_again(self.retries, list).await;
        let listed = self.listed(prefix.as_str(), listing)?;
        let keys = self.keys(prefix, &listed.objects)?;
        let folders = listed.common_prefixes.iter();
        let folders = folders.filter_map(|folder| self.below(prefix, folder));
        let folders: BTreeSet<_> = folders
            .map(|folder| StorePrefix::new(format!("{folder}/")))
            .collect::<Result<_, _>>()?;
        let listed = StoreKeysPrefixes::new(keys, folders.into_iter().collect());
        if !is_empty(&listed) {
            self.has_listed.store(true, Ordering::Relaxed);
        }
        Ok(listed)
    }

    fn can_list(&self, folder: &str) -> Result<(), UrlError> {
        if self.cannot_list.load(Ordering::Relaxed) {
            return Err(self.error(
                "list",
                folder,
                Reason::Unsupported(CANNOT_LIST),
                Seen::default(),
            ));
        }
        Ok(())
    }

    /// A listing, or the error that it failed with. That of a web server which does not know how is
    /// remembered.
    fn listed<T>(
        &self,
        folder: &str,
        (listing, seen): (ObjectResult<T>, Seen),
    ) -> Result<T, UrlError> {
        let error = match listing {
            Ok(listed) => return Ok(listed),
            Err(error) => error,
        };
        // Either the method is unknown, or the answer is another one than to a listing (207), such
        // as a page for people. An answer that was cut off says nothing.
        let is_unknown = matches!(seen.status, Some(200..=206 | 400 | 404 | 405 | 411 | 501))
            && !is_no_such_bucket(&error)
            && !is_of_connection(&error);
        if self.place.kind == Kind::Http && is_unknown {
            self.cannot_list.store(true, Ordering::Relaxed);
            return Err(self.error("list", folder, Reason::Unsupported(CANNOT_LIST), seen));
        }
        Err(self.failed("list", folder, error, seen))
    }

    /// An error if the listing of `folder`, which is empty, means nothing: web servers without
    /// listings may answer that there is nothing, or give a file that has this name.
    async fn believe_empty(&self, prefix: &StorePrefix) -> Result<(), StorageError> {
        if self.place.kind != Kind::Http || self.has_listed.load(Ordering::Relaxed) {
            return Ok(());
        }
        if *prefix != StorePrefix::root() {
            let root = self.list_folder(&StorePrefix::root()).await?;
            if !is_empty(&root) {
                return Ok(());
            }
        }
        self.cannot_list.store(true, Ordering::Relaxed);
        let reason = Reason::Unsupported(CANNOT_LIST);
        Err(self
            .error("list", prefix.as_str(), reason, Seen::default())
            .into())
    }

    fn keys(
        &self,
        prefix: &StorePrefix,
        objects: &[ObjectMeta],
    ) -> Result<StoreKeys, StorageError> {
        let keys = objects
            .iter()
            .filter_map(|object| self.below(prefix, &object.location));
        let mut keys: StoreKeys = keys.map(StoreKey::new).collect::<Result<_, _>>()?;
        keys.sort();
        Ok(keys)
    }

    /// The part of `path` below the root of the hierarchy; `None` if that is not below `prefix`.
    ///
    /// What is listed in a folder may be the folder itself: web servers give it, and in buckets
    /// there may be an empty key for it, with a `/` at its end.
    fn below<'p>(&self, prefix: &StorePrefix, path: &'p Path) -> Option<&'p str> {
        let root = self.place.listed_prefix.as_ref();
        let below = path.as_ref().strip_prefix(root)?;
        let below = if root.is_empty() {
            below
        } else {
            below.strip_prefix('/')?
        };
        let name = below.strip_prefix(prefix.as_str())?;
        (!name.is_empty()).then_some(below)
    }
}

fn is_empty(listed: &StoreKeysPrefixes) -> bool {
    listed.keys().is_empty() && listed.prefixes().is_empty()
}
