//! [`UrlStore`]: a hierarchy at a URL as a store of zarrs.

use std::fmt;
use std::sync::Arc;

use tokio::runtime::Handle;
use zarrs_storage::StorageError;

use super::error::{Reason, UrlError};
use super::objects::Objects;
use super::options::UrlOptions;
use super::places::Place;
use super::runtime;
use super::status::Seen;
use super::traffic::UrlTraffic;

/// The store of a hierarchy at a URL, for reading. [`open_url`](super::open_url()) opens it.
///
/// It is the hierarchy as it is, N5 or not: [`open_array`](crate::n5::open_array),
/// [`walk`](crate::n5::walk()), [`check`](crate::n5::check()) and their asynchronous twins take it.
/// For plain zarrs calls put an [`N5DefaultStore`](crate::n5::N5DefaultStore) around it. A copy of
/// it is the same store.
///
/// # Errors
/// That there is no such key is no error, and all else is one: a [`UrlError`] within a
/// [`StorageError`].
#[derive(Clone)]
pub struct UrlStore {
    pub(super) objects: Arc<Objects>,
    threads: Handle,
}

impl UrlStore {
    pub(super) fn new(place: Place, options: &UrlOptions, threads: Handle) -> Self {
        Self {
            objects: Arc::new(Objects::new(place, options)),
            threads,
        }
    }

    /// The URL of the hierarchy, without a `/` at its end.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.objects.place().url
    }

    /// How much was requested since the store was opened.
    #[must_use]
    pub fn traffic(&self) -> UrlTraffic {
        self.objects.place().counters.traffic()
    }

    /// What `work` gives, waited for by this thread.
    pub(super) fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, StorageError>> + Send + 'static,
    ) -> Result<T, StorageError> {
        let result = runtime::wait(&self.threads, work);
        result.unwrap_or_else(|| Err(self.panicked()))
    }

    /// What `work` gives, awaited.
    pub(super) async fn async_run<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, StorageError>> + Send + 'static,
    ) -> Result<T, StorageError> {
        let result = runtime::async_wait(&self.threads, work).await;
        result.unwrap_or_else(|| Err(self.panicked()))
    }

    fn panicked(&self) -> StorageError {
        let error = UrlError {
            action: "request",
            url: self.url().to_owned(),
            seen: Seen::default(),
            proxy: None,
            reason: Reason::Panicked,
        };
        error.into()
    }
}

impl fmt::Debug for UrlStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("UrlStore")
            .field("url", &self.url())
            .field("traffic", &self.traffic())
            .finish_non_exhaustive()
    }
}
