//! How much was requested.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::n5::error_text::counted;

/// How much a [`UrlStore`](super::UrlStore) has requested since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UrlTraffic {
    /// The number of requests that were sent: retries and listings count. For `file://` the number
    /// of values and ranges that were read.
    pub requests: u64,
    /// The size in bytes of the values and ranges that were received: headers and listings do not
    /// count.
    pub bytes: u64,
}

impl fmt::Display for UrlTraffic {
    /// Such as `65 requests, 16.779 MB`.
    #[expect(clippy::cast_precision_loss, reason = "a figure to look at")]
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let requests = counted(self.requests, "request", "requests");
        write!(formatter, "{requests}, {:.3} MB", self.bytes as f64 / 1e6)
    }
}

/// Counts traffic.
#[derive(Debug, Default)]
pub(super) struct Counters {
    requests: AtomicU64,
    bytes: AtomicU64,
}

impl Counters {
    pub(super) fn add_request(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn add_bytes(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn traffic(&self) -> UrlTraffic {
        UrlTraffic {
            requests: self.requests.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
        }
    }
}
