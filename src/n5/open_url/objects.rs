//! What is asked of an object store: values, ranges of them and listings, with errors that name the
//! URL.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::future::try_join_all;
use futures::{StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{
    Error, GetOptions, GetRange, ListResult, ObjectMeta, ObjectStoreExt, Result as ObjectResult,
};
use zarrs_storage::byte_range::{ByteRange, InvalidByteRangeError};
use zarrs_storage::{
    Bytes, MaybeBytes, StorageError, StoreKey, StoreKeys, StoreKeysPrefixes, StorePrefix,
};

use super::error::{Reason, UrlError};
use super::options::Missing;
use super::places::{Kind, Place};
use super::ranges::{to_fetch, within};
use super::status;
use crate::n5::adapter::slice;
use crate::n5::node::{is_block_component, last_component};

/// A hierarchy in an object store.
pub(super) struct Objects {
    place: Place,
    missing: Missing,
    /// No request has shown that the server has no ranges.
    has_ranges: AtomicBool,
    /// A listing of this server had something in it.
    has_listed: AtomicBool,
    /// The server has said that it cannot list.
    cannot_list: AtomicBool,
}

const CANNOT_LIST: &str = "the server does not list folders, so that what is there is not known";

impl Objects {
    pub(super) fn new(place: Place, missing: Missing) -> Self {
        Self {
            place,
            missing,
            has_ranges: AtomicBool::new(true),
            has_listed: AtomicBool::new(false),
            cannot_list: AtomicBool::new(false),
        }
    }

    pub(super) fn place(&self) -> &Place {
        &self.place
    }

    pub(super) fn has_ranges(&self) -> bool {
        self.has_ranges.load(Ordering::Relaxed)
    }

    /// The value of `key`.
    pub(super) async fn get(&self, key: &StoreKey) -> Result<MaybeBytes, StorageError> {
        let value = self.fetch(key, None).await;
        self.unless_missing(key, value)
    }

    /// The bytes of the value of `key` in each of `ranges`.
    pub(super) async fn get_ranges(
        &self,
        key: &StoreKey,
        ranges: &[ByteRange],
    ) -> Result<Option<Vec<Bytes>>, StorageError> {
        let is_by_start = |range: &ByteRange| matches!(range, ByteRange::FromStart(_, Some(_)));
        if self.has_ranges() && !ranges.contains(&ByteRange::FromStart(0, None)) {
            let parts = if ranges.iter().all(is_by_start) {
                self.fetch_parts(key, ranges).await
            } else {
                let parts = ranges.iter().map(|range| self.fetch_part(key, *range));
                Ok(try_join_all(parts)
                    .await
                    .map(|parts| parts.into_iter().collect()))
            };
            match parts? {
                Err(error) if error.is_without_ranges() => {
                    self.has_ranges.store(false, Ordering::Relaxed);
                }
                parts => return self.unless_missing(key, parts),
            }
        }
        let Some(value) = self.get(key).await? else {
            return Ok(None);
        };
        let parts = ranges.iter().map(|range| slice(&value, *range));
        parts.collect::<Result<_, _>>().map(Some)
    }

    /// Ranges that all have a beginning and an end, together.
    async fn fetch_parts(
        &self,
        key: &StoreKey,
        ranges: &[ByteRange],
    ) -> Result<Result<Option<Vec<Bytes>>, UrlError>, StorageError> {
        let mut wanted = Vec::with_capacity(ranges.len());
        for range in ranges {
            let ends = match range {
                ByteRange::FromStart(start, Some(len)) => {
                    start.checked_add(*len).map(|end| *start..end)
                }
                _ => None,
            };
            wanted.push(ends.ok_or_else(|| InvalidByteRangeError::new(*range, u64::MAX))?);
        }
        let fetched = to_fetch(&wanted);
        if fetched.is_empty() {
            // No bytes are wanted: only whether there are any.
            let size = self.size(key).await;
            return Ok(size.map(|size| size.map(|_| vec![Bytes::new(); ranges.len()])));
        }
        let parts = fetched
            .iter()
            .map(|range| self.fetch(key, Some(GetRange::Bounded(range.clone()))));
        let parts: Option<Vec<Bytes>> = match try_join_all(parts).await {
            Ok(parts) => parts.into_iter().collect(),
            Err(error) => return Ok(Err(error)),
        };
        let Some(parts) = parts else {
            return Ok(Ok(None));
        };
        let mut found = Vec::with_capacity(ranges.len());
        for (range, wanted) in ranges.iter().zip(&wanted) {
            if wanted.is_empty() {
                found.push(Bytes::new());
                continue;
            }
            let part = within(&fetched, wanted).and_then(|(index, within)| {
                let part = parts.get(index)?;
                (within.end <= part.len()).then(|| part.slice(within))
            });
            // The value ends before the range does.
            found.push(part.ok_or_else(|| {
                let size = fetched
                    .iter()
                    .zip(&parts)
                    .map(|(range, part)| range.start + part.len() as u64);
                InvalidByteRangeError::new(*range, size.max().unwrap_or(0))
            })?);
        }
        Ok(Ok(Some(found)))
    }

    /// One range of any kind.
    async fn fetch_part(
        &self,
        key: &StoreKey,
        range: ByteRange,
    ) -> Result<Option<Bytes>, UrlError> {
        let asked = match range {
            ByteRange::FromStart(_, Some(0)) | ByteRange::Suffix(0) => {
                return Ok(self.size(key).await?.map(|_| Bytes::new()));
            }
            ByteRange::FromStart(start, None) => GetRange::Offset(start),
            ByteRange::FromStart(start, Some(len)) => {
                GetRange::Bounded(start..start.saturating_add(len))
            }
            ByteRange::Suffix(len) => GetRange::Suffix(len),
        };
        let wanted = match range {
            ByteRange::FromStart(_, len) => len,
            ByteRange::Suffix(len) => Some(len),
        };
        let part = self.fetch(key, Some(asked)).await?;
        match (&part, wanted) {
            (Some(part), Some(expected)) if part.len() as u64 != expected => {
                let found = part.len() as u64;
                Err(self.error(
                    "read",
                    key.as_str(),
                    Reason::Length { expected, found },
                    None,
                ))
            }
            _ => Ok(part),
        }
    }

    /// One request for a value or a range of it. `None` if there is no such key.
    async fn fetch(&self, key: &StoreKey, range: Option<GetRange>) -> Result<MaybeBytes, UrlError> {
        let path = self.path(key.as_str())?;
        let options = GetOptions {
            range,
            ..GetOptions::default()
        };
        if self.place.kind == Kind::File {
            self.place.counters.add_request();
        }
        let work = async {
            let answer = self.place.objects.get_opts(&path, options).await?;
            let expected = answer.range.end.saturating_sub(answer.range.start);
            ObjectResult::Ok((expected, answer.bytes().await?))
        };
        let (expected, bytes) = match status::observed(work).await {
            (Ok(answer), _) => answer,
            (Err(Error::NotFound { .. }), _) => return Ok(None),
            (Err(error), status) => return Err(self.failed("read", key.as_str(), error, status)),
        };
        let found = bytes.len() as u64;
        self.place.counters.add_bytes(found);
        if found != expected {
            let reason = Reason::Length { expected, found };
            return Err(self.error("read", key.as_str(), reason, None));
        }
        Ok(Some(bytes))
    }

    /// The size in bytes of the value of `key`.
    pub(super) async fn size_key(&self, key: &StoreKey) -> Result<Option<u64>, StorageError> {
        let size = self.size(key).await;
        self.unless_missing(key, size)
    }

    async fn size(&self, key: &StoreKey) -> Result<Option<u64>, UrlError> {
        let path = self.path(key.as_str())?;
        match status::observed(self.place.objects.head(&path)).await {
            (Ok(meta), _) => Ok(Some(meta.size)),
            (Err(Error::NotFound { .. }), _) => Ok(None),
            (Err(error), status) => Err(self.failed("read", key.as_str(), error, status)),
        }
    }

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
        if self.place.kind == Kind::Http && is_unknown {
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

    /// Where a key, or the folder of a prefix, is in the object store.
    fn path(&self, key: &str) -> Result<Path, UrlError> {
        let prefix = self.place.prefix.as_ref();
        let path = if prefix.is_empty() {
            Path::parse(key)
        } else {
            Path::parse(format!("{prefix}/{key}"))
        };
        path.map_err(|error| self.error("name", key, Reason::Name(Arc::new(error)), None))
    }

    /// A value, or `None` where the options say that its error means so.
    fn unless_missing<T>(
        &self,
        key: &StoreKey,
        value: Result<Option<T>, UrlError>,
    ) -> Result<Option<T>, StorageError> {
        match value {
            Ok(value) => Ok(value),
            Err(error)
                if is_block_component(last_component(key.as_str()))
                    && self.missing.is_missing(key, &error) =>
            {
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn failed(
        &self,
        action: &'static str,
        key: &str,
        error: Error,
        status: Option<u16>,
    ) -> UrlError {
        // An answer that came and was cut off has the status of one that did not.
        let status = status.filter(|status| *status >= 300);
        self.error(action, key, Reason::Failed(Arc::new(error)), status)
    }

    fn error(
        &self,
        action: &'static str,
        key: &str,
        reason: Reason,
        status: Option<u16>,
    ) -> UrlError {
        UrlError {
            action,
            url: format!("{}/{key}", self.place.url),
            status,
            reason,
        }
    }
}
