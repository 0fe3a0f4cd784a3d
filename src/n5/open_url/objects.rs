//! What is asked of an object store: values and ranges of them, with errors that name the URL.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::future::try_join_all;
use object_store::path::Path;
use object_store::{Error, GetRange, ObjectMeta, ObjectStoreExt};
use zarrs_storage::byte_range::{ByteRange, InvalidByteRangeError};
use zarrs_storage::{Bytes, MaybeBytes, StorageError, StoreKey};

use super::body::Part;
use super::causes::{is_no_such_bucket, is_without_connection};
use super::error::{Reason, UrlError};
use super::not_a_file::{not_a_file, not_to_be_opened};
use super::options::{Missing, UrlOptions};
use super::places::{Kind, Place};
use super::ranges::{to_fetch, within};
use super::status::{self, Seen};
use crate::n5::adapter::slice;
use crate::n5::node::{is_block_component, last_component};

/// A hierarchy in an object store.
pub(super) struct Objects {
    pub(super) place: Place,
    missing: Missing,
    /// How often a request is sent again.
    pub(super) retries: usize,
    /// No request has shown that the server has no ranges.
    has_ranges: AtomicBool,
    /// A listing of this server had something in it.
    pub(super) has_listed: AtomicBool,
    /// The server has said that it cannot list.
    pub(super) cannot_list: AtomicBool,
}

impl Objects {
    pub(super) fn new(place: Place, options: &UrlOptions) -> Self {
        Self {
            place,
            missing: options.missing.clone(),
            retries: options.retries,
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
        let value = self.fetch(key, None).await?;
        Ok(value.map(|value| value.bytes))
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
                let parts = try_join_all(parts).await;
                Ok(parts.and_then(|parts| self.all_or_none(key, parts)))
            };
            match parts? {
                Err(error) if error.is_without_ranges() => {
                    self.has_ranges.store(false, Ordering::Relaxed);
                }
                // Read whole it is one or the other.
                Err(error) if error.is_replaced() => (),
                parts => return Ok(parts?),
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
            let meta = self.meta(key).await;
            return Ok(meta.map(|meta| meta.map(|_| vec![Bytes::new(); ranges.len()])));
        }
        let parts = fetched
            .iter()
            .map(|range| self.fetch(key, Some(GetRange::Bounded(range.clone()))));
        let parts = try_join_all(parts).await;
        let parts = match parts.and_then(|parts| self.all_or_none(key, parts)) {
            Ok(Some(parts)) => parts,
            Ok(None) => return Ok(Ok(None)),
            Err(error) => return Ok(Err(error)),
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

    /// The parts of a value, or `None` if none of them is there. It is an error if some are, or if
    /// they are of different values: it was erased meanwhile, or replaced, and what was read of it
    /// is no value of its own.
    fn all_or_none(
        &self,
        key: &StoreKey,
        parts: Vec<Option<Part>>,
    ) -> Result<Option<Vec<Bytes>>, UrlError> {
        let len = parts.len();
        let found: Vec<Part> = parts.into_iter().flatten().collect();
        let reason = if found.is_empty() {
            return Ok(None);
        } else if found.len() != len {
            Reason::Vanished
        } else if !found.iter().zip(found.iter().skip(1)).all(is_of_one_value) {
            Reason::Replaced
        } else {
            return Ok(Some(found.into_iter().map(|part| part.bytes).collect()));
        };
        Err(self.error("read", key.as_str(), reason, Seen::default()))
    }

    /// One range of any kind.
    async fn fetch_part(&self, key: &StoreKey, range: ByteRange) -> Result<Option<Part>, UrlError> {
        let asked = match range {
            ByteRange::FromStart(_, Some(0)) | ByteRange::Suffix(0) => {
                let of = self.meta(key).await?;
                return Ok(of.map(|of| Part {
                    bytes: Bytes::new(),
                    of,
                }));
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
            (Some(part), Some(expected)) if part.bytes.len() as u64 != expected => {
                let found = part.bytes.len() as u64;
                let reason = Reason::Length { expected, found };
                Err(self.error("read", key.as_str(), reason, Seen::default()))
            }
            _ => Ok(part),
        }
    }

    /// One request for a value or a range of it. `None` if there is no such key.
    async fn fetch(
        &self,
        key: &StoreKey,
        range: Option<GetRange>,
    ) -> Result<Option<Part>, UrlError> {
        let value = self.request(key, range).await;
        self.unless_missing(key, value)
    }

    /// The size in bytes of the value of `key`.
    pub(super) async fn size_key(&self, key: &StoreKey) -> Result<Option<u64>, StorageError> {
        Ok(self.meta(key).await?.map(|meta| meta.size))
    }

    async fn meta(&self, key: &StoreKey) -> Result<Option<ObjectMeta>, UrlError> {
        let path = self.path(key.as_str())?;
        self.check_file(key, &path).await?;
        let meta = match status::observed(self.place.objects.head(&path)).await {
            (Ok(meta), _) => Ok(Some(meta)),
            (Err(error), seen) if self.is_missing(&error, seen) => {
                // The answer to a `HEAD` has no text that says whether there is a bucket at all.
                if self.place.kind == Kind::S3 {
                    self.fetch(key, Some(GetRange::Bounded(0..1))).await?;
                }
                Ok(None)
            }
            (Err(error), seen) => Err(self.failed("read", key.as_str(), error, seen)),
        };
        self.unless_missing(key, meta)
    }

    /// An error if `path` is of something in a folder that must not be opened, such as a pipe.
    pub(super) async fn check_file(&self, key: &StoreKey, path: &Path) -> Result<(), UrlError> {
        let Some(folder) = &self.place.folder else {
            return Ok(());
        };
        match not_to_be_opened(folder.join(path.as_ref())).await {
            None => Ok(()),
            Some(what) => {
                let reason = Reason::NotAFile(what, None);
                Err(self.error("read", key.as_str(), reason, Seen::default()))
            }
        }
    }

    /// Where a key, or the folder of a prefix, is in the object store.
    pub(super) fn path(&self, key: &str) -> Result<Path, UrlError> {
        let prefix = self.place.prefix.as_ref();
        let path = if prefix.is_empty() {
            Path::parse(key)
        } else {
            Path::parse(format!("{prefix}/{key}"))
        };
        path.map_err(|error| {
            self.error("name", key, Reason::Name(Arc::new(error)), Seen::default())
        })
    }

    /// A value, or `None` where the options say that its error means so.
    fn unless_missing<T>(
        &self,
        key: &StoreKey,
        value: Result<Option<T>, UrlError>,
    ) -> Result<Option<T>, UrlError> {
        let mut error = match value {
            Err(error) => error,
            value => return value,
        };
        if is_block_component(last_component(key.as_str())) && !error.is_never_missing() {
            match self.missing.is_missing(key, &error) {
                Some(true) => return Ok(None),
                Some(false) => (),
                None => error.reason = Reason::MissingIfPanicked,
            }
        }
        Err(error)
    }

    /// Whether there is no such key, but a bucket that could have it.
    pub(super) fn is_missing(&self, error: &Error, seen: Seen) -> bool {
        // Of web servers the library takes 405, "method not allowed", for the same.
        let is_said = match self.place.kind {
            Kind::File => not_a_file(error).is_none(),
            Kind::S3 | Kind::Http => seen.status == Some(404),
        };
        matches!(error, Error::NotFound { .. }) && is_said && !is_no_such_bucket(error)
    }

    pub(super) fn failed(
        &self,
        action: &'static str,
        key: &str,
        error: Error,
        mut seen: Seen,
    ) -> UrlError {
        if is_no_such_bucket(&error) {
            let reason = Reason::NoSuchBucket(Arc::new(error));
            return self.error(action, key, reason, seen);
        }
        if self.place.kind == Kind::File
            && let Some(what) = not_a_file(&error)
        {
            let reason = Reason::NotAFile(what, Some(Arc::new(error)));
            return self.error(action, key, reason, seen);
        }
        // An answer that came and was cut off has the status of one that did not.
        seen.status = seen.status.filter(|status| *status >= 300);
        let is_of_proxy = is_without_connection(&error);
        let proxy = self.place.proxy.filter(|_| is_of_proxy);
        let failed = self.error(action, key, Reason::Failed(Arc::new(error)), seen);
        UrlError { proxy, ..failed }
    }

    pub(super) fn error(
        &self,
        action: &'static str,
        key: &str,
        reason: Reason,
        seen: Seen,
    ) -> UrlError {
        UrlError {
            action,
            url: format!("{}/{key}", self.place.url),
            seen,
            proxy: None,
            reason,
        }
    }
}

fn is_of_one_value((one, next): (&Part, &Part)) -> bool {
    one.is_of_the_same(next)
}
