//! What is asked of an object store: values and ranges of them, with errors that name the URL.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::future::try_join_all;
use object_store::path::Path;
use object_store::{Error, GetOptions, GetRange, ObjectStoreExt, Result as ObjectResult};
use zarrs_storage::byte_range::{ByteRange, InvalidByteRangeError};
use zarrs_storage::{Bytes, MaybeBytes, StorageError, StoreKey};

use super::again::{Again, is_cut_off};
use super::body::{self, Most, Unread};
use super::error::{Reason, UrlError, is_no_such_bucket, is_of_connection, is_range_refused};
use super::options::{Missing, UrlOptions};
use super::places::{Kind, Place};
use super::ranges::{to_fetch, within};
use super::status;
use crate::n5::adapter::slice;
use crate::n5::node::{is_block_component, last_component};

/// An answer, whose bytes are there or not.
struct Answer {
    /// The size of what was asked for in bytes, as the answer says.
    expected: u64,
    bytes: Result<Bytes, Unread<Error>>,
    /// The library for requests has tried to get the rest.
    is_resumed: bool,
}

impl Answer {
    fn is_to_be_asked_again(&self) -> bool {
        let Err(Unread::Cut(error)) = &self.bytes else {
            return false;
        };
        if self.is_resumed {
            // The rest was asked for as a range, of a server that may have none.
            is_range_refused(error)
        } else {
            is_of_connection(error)
        }
    }
}

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
        Ok(self.fetch(key, None).await?)
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
            let size = self.size(key).await;
            return Ok(size.map(|size| size.map(|_| vec![Bytes::new(); ranges.len()])));
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

    /// The parts of a value, or `None` if none of them is there. It is an error if some are: the
    /// value was erased meanwhile, or replaced, and what was read of it is no value of its own.
    fn all_or_none(
        &self,
        key: &StoreKey,
        parts: Vec<MaybeBytes>,
    ) -> Result<Option<Vec<Bytes>>, UrlError> {
        let len = parts.len();
        let found: Vec<Bytes> = parts.into_iter().flatten().collect();
        if found.len() == len {
            Ok(Some(found))
        } else if found.is_empty() {
            Ok(None)
        } else {
            Err(self.error("read", key.as_str(), Reason::Vanished, None))
        }
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
        let value = self.request(key, range).await;
        self.unless_missing(key, value)
    }

    async fn request(
        &self,
        key: &StoreKey,
        range: Option<GetRange>,
    ) -> Result<MaybeBytes, UrlError> {
        let path = self.path(key.as_str())?;
        let options = GetOptions {
            range,
            ..GetOptions::default()
        };
        if self.place.kind == Kind::File {
            self.place.counters.add_request();
        }
        let most = Most::of(key.as_str());
        let mut again = Again::new(self.retries);
        let (answer, status) = loop {
            let work = self.answer(&path, options.clone(), most);
            let (answer, status) = status::observed(work).await;
            let is_again = match &answer {
                Ok(answer) => answer.is_to_be_asked_again(),
                Err(error) => is_cut_off(error, status),
            };
            if !is_again || !again.may().await {
                break (answer, status);
            }
        };
        let Answer {
            expected, bytes, ..
        } = match answer {
            Ok(answer) => answer,
            Err(error) if self.is_missing(&error, status) => return Ok(None),
            Err(error) => return Err(self.failed("read", key.as_str(), error, status)),
        };
        let reason = match bytes {
            Ok(bytes) => {
                let found = bytes.len() as u64;
                self.place.counters.add_bytes(found);
                if found == expected {
                    return Ok(Some(bytes));
                }
                Reason::Length { expected, found }
            }
            Err(Unread::Cut(error)) => {
                return Err(self.failed("read", key.as_str(), error, status));
            }
            Err(Unread::TooLarge(found)) if found <= most.bytes => {
                Reason::Length { expected, found }
            }
            Err(Unread::TooLarge(found)) => Reason::TooLarge { found, most },
            Err(Unread::NoMemory(size)) => Reason::NoMemory { size },
        };
        Err(self.error("read", key.as_str(), reason, None))
    }

    async fn answer(&self, path: &Path, options: GetOptions, most: Most) -> ObjectResult<Answer> {
        let answer = self.place.objects.get_opts(path, options).await?;
        Ok(Answer {
            expected: answer.range.end.saturating_sub(answer.range.start),
            is_resumed: answer.meta.e_tag.is_some(),
            bytes: body::read(answer, most).await,
        })
    }

    /// The size in bytes of the value of `key`.
    pub(super) async fn size_key(&self, key: &StoreKey) -> Result<Option<u64>, StorageError> {
        Ok(self.size(key).await?)
    }

    async fn size(&self, key: &StoreKey) -> Result<Option<u64>, UrlError> {
        let path = self.path(key.as_str())?;
        let size = match status::observed(self.place.objects.head(&path)).await {
            (Ok(meta), _) => Ok(Some(meta.size)),
            (Err(error), status) if self.is_missing(&error, status) => {
                // The answer to a `HEAD` has no text that says whether there is a bucket at all.
                if self.place.kind == Kind::S3 {
                    self.fetch(key, Some(GetRange::Bounded(0..1))).await?;
                }
                Ok(None)
            }
            (Err(error), status) => Err(self.failed("read", key.as_str(), error, status)),
        };
        self.unless_missing(key, size)
    }

    /// Where a key, or the folder of a prefix, is in the object store.
    pub(super) fn path(&self, key: &str) -> Result<Path, UrlError> {
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
    ) -> Result<Option<T>, UrlError> {
        match value {
            Err(error)
                if is_block_component(last_component(key.as_str()))
                    && !error.is_never_missing()
                    && self.missing.is_missing(key, &error) =>
            {
                Ok(None)
            }
            value => value,
        }
    }

    /// Whether there is no such key, but a bucket that could have it.
    fn is_missing(&self, error: &Error, status: Option<u16>) -> bool {
        // Of web servers the library takes 405, "method not allowed", for the same.
        let is_said = self.place.kind == Kind::File || status == Some(404);
        matches!(error, Error::NotFound { .. }) && is_said && !is_no_such_bucket(error)
    }

    pub(super) fn failed(
        &self,
        action: &'static str,
        key: &str,
        error: Error,
        status: Option<u16>,
    ) -> UrlError {
        if is_no_such_bucket(&error) {
            let reason = Reason::NoSuchBucket(Arc::new(error));
            return self.error(action, key, reason, status);
        }
        // An answer that came and was cut off has the status of one that did not.
        let status = status.filter(|status| *status >= 300);
        self.error(action, key, Reason::Failed(Arc::new(error)), status)
    }

    pub(super) fn error(
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
