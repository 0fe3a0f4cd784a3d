//! What is listed in an object store, and what is not believed of it.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use futures::{StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{ListResult, ObjectMeta, Result as ObjectResult};
use zarrs_storage::{StorageError, StoreKey, StoreKeys, StoreKeysPrefixes, StorePrefix};

use super::error::{Reason, UrlError, is_no_such_bucket};
use super::objects::Objects;
use super::places::Kind;
use super::status;

const CANNOT_LIST: &str = "the server does not list folders, so that what is there is not known";

impl Objects {
    /// What is directly in the folder `prefix`.
    pub(super) async fn list_dir(
        &self,
        prefix: &StorePrefix,
    ) -> Result<StoreKeysPrefixes, StorageError> {
        let listed = self.list_folder(prefix.as_str()).await?;
        if listed.objects.is_empty() && listed.common_prefixes.is_empty() {
            self.believe_empty(prefix.as_str()).await?;
        }
        let keys = self.keys(&listed.objects)?;
        let folders = listed.common_prefixes.iter();
        let folders = folders.filter_map(|folder| self.below(folder));
        let folders: BTreeSet<_> = folders
            .map(|folder| StorePrefix::new(format!("{folder}/")))
            .collect::<Result<_, _>>()?;
        Ok(StoreKeysPrefixes::new(keys, folders.into_iter().collect()))
    }

    /// All that is under `prefix`.
    pub(super) async fn list_prefix(
        &self,
        prefix: &StorePrefix,
    ) -> Result<StoreKeys, StorageError> {
        self.keys(&self.list_all(prefix).await?)
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
        let listing = self.place.objects.list(Some(&path));
        let listing = status::observed(listing.boxed().try_collect::<Vec<_>>()).await;
        let listed = self.listed(prefix.as_str(), listing)?;
        if listed.is_empty() {
            self.believe_empty(prefix.as_str()).await?;
        }
        Ok(listed)
    }

    async fn list_folder(&self, folder: &str) -> Result<ListResult, UrlError> {
        self.can_list(folder)?;
        let path = self.path(folder)?;
        let listing = self.place.objects.list_with_delimiter(Some(&path));
        let listed = self.listed(folder, status::observed(listing).await)?;
        if !listed.objects.is_empty() || !listed.common_prefixes.is_empty() {
            self.has_listed.store(true, Ordering::Relaxed);
        }
        Ok(listed)
    }

    fn can_list(&self, folder: &str) -> Result<(), UrlError> {
        if self.cannot_list.load(Ordering::Relaxed) {
            return Err(self.error("list", folder, Reason::Unsupported(CANNOT_LIST), None));
        }
        Ok(())
    }

    /// A listing, or the error that it failed with. That of a web server which does not know how is
    /// remembered.
    fn listed<T>(
        &self,
        folder: &str,
        (listing, status): (ObjectResult<T>, Option<u16>),
    ) -> Result<T, UrlError> {
        let error = match listing {
            Ok(listed) => return Ok(listed),
            Err(error) => error,
        };
        // Either the method is unknown, or the answer is another one than to a listing, such as a
        // page for people.
        let is_unknown = matches!(status, Some(200..=299 | 400 | 404 | 405 | 411 | 501));
        if self.place.kind == Kind::Http && is_unknown && !is_no_such_bucket(&error) {
            self.cannot_list.store(true, Ordering::Relaxed);
            return Err(self.error("list", folder, Reason::Unsupported(CANNOT_LIST), status));
        }
        Err(self.failed("list", folder, error, status))
    }

    /// An error if the listing of `folder`, which is empty, means nothing: web servers without
    /// listings may answer that there is nothing, or give a file that has this name.
    async fn believe_empty(&self, folder: &str) -> Result<(), UrlError> {
        if self.place.kind != Kind::Http || self.has_listed.load(Ordering::Relaxed) {
            return Ok(());
        }
        if !folder.is_empty() {
            let root = self.list_folder("").await?;
            if !root.objects.is_empty() || !root.common_prefixes.is_empty() {
                return Ok(());
            }
        }
        self.cannot_list.store(true, Ordering::Relaxed);
        Err(self.error("list", folder, Reason::Unsupported(CANNOT_LIST), None))
    }

    fn keys(&self, objects: &[ObjectMeta]) -> Result<StoreKeys, StorageError> {
        let keys = objects
            .iter()
            .filter_map(|object| self.below(&object.location));
        let mut keys: StoreKeys = keys.map(StoreKey::new).collect::<Result<_, _>>()?;
        keys.sort();
        Ok(keys)
    }

    /// The part of `path` below the root of the hierarchy.
    fn below<'p>(&self, path: &'p Path) -> Option<&'p str> {
        let below = path.as_ref().strip_prefix(self.place.prefix.as_ref())?;
        let below = below.strip_prefix('/').unwrap_or(below);
        (!below.is_empty()).then_some(below)
    }
}
