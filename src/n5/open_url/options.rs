//! How a URL is opened.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use zarrs_storage::StoreKey;

use super::error::UrlError;

/// Where the credentials for a bucket come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Access {
    /// From the environment: `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY` (and
    /// `AWS_SESSION_TOKEN`), or what containers and web identities have. Requests are anonymous if
    /// there is none of these, or with `AWS_SKIP_SIGNATURE=true`. The file `~/.aws/credentials` is
    /// not read.
    #[default]
    Environment,
    /// From none: requests are not signed, as public buckets want it.
    Anonymous,
    /// From the machine of Amazon's cloud that the program runs on, if there are none in the
    /// environment.
    Instance,
}

/// How a URL is opened. What is not set here is as the methods say.
///
/// For `s3://` these variables of the environment count, where no option says something else:
/// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN` and what containers and web
/// identities have, `AWS_REGION`, `AWS_ENDPOINT_URL`, `AWS_ALLOW_HTTP`, `AWS_SKIP_SIGNATURE`,
/// `AWS_PROXY_URL` with `AWS_PROXY_EXCLUDES` and `AWS_PROXY_CA_CERTIFICATE`, and those of
/// `object_store` for the requests themselves, such as `AWS_REQUEST_PAYER`. Time-outs, retries and
/// other settings of the client are set here only: `AWS_TIMEOUT` and the like have no effect, and
/// no variable turns the check of certificates off. For every server `HTTP_PROXY`, `HTTPS_PROXY`,
/// `ALL_PROXY` and `NO_PROXY` count.
#[derive(Clone)]
pub struct UrlOptions {
    pub(super) access: Access,
    pub(super) region: Option<String>,
    pub(super) endpoint: Option<String>,
    pub(super) allow_http: bool,
    pub(super) authorization: Option<String>,
    pub(super) retries: usize,
    pub(super) timeout: Duration,
    pub(super) connect_timeout: Duration,
    pub(super) idle_timeout: Duration,
    pub(super) missing: Missing,
}

/// Says whether an error of a block means that it is not there.
type IsMissing = dyn Fn(&StoreKey, &UrlError) -> bool + Send + Sync;

/// Which errors of blocks mean that they are not there, beside the status 404.
#[derive(Clone, Default)]
pub(super) struct Missing {
    statuses: Vec<u16>,
    is_missing: Option<Arc<IsMissing>>,
}

impl Missing {
    /// Whether `error` means that the block is not there; `None` if whoever is asked panics.
    pub(super) fn is_missing(&self, key: &StoreKey, error: &UrlError) -> Option<bool> {
        let by_status = error
            .status()
            .is_some_and(|status| self.statuses.contains(&status));
        match &self.is_missing {
            Some(is_missing) if !by_status => {
                catch_unwind(AssertUnwindSafe(|| is_missing(key, error))).ok()
            }
            _ => Some(by_status),
        }
    }
}

impl Default for UrlOptions {
    fn default() -> Self {
        Self {
            access: Access::default(),
            region: None,
            endpoint: None,
            allow_http: false,
            authorization: None,
            retries: 5,
            timeout: Duration::from_mins(2),
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(30),
            missing: Missing::default(),
        }
    }
}

impl UrlOptions {
    /// As the environment says.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets where the credentials for a bucket come from.
    #[must_use]
    pub fn with_access(mut self, access: Access) -> Self {
        self.access = access;
        self
    }

    /// Sets the region of a bucket, `us-east-1` by default.
    #[must_use]
    pub fn with_region(mut self, region: impl Into<String>) -> Self {
        self.region = Some(region.into());
        self
    }

    /// Sets the server of a bucket, such as `https://s3.example.org`, instead of Amazon's. The name
    /// of the bucket is put behind it as a folder. Only for `s3://`.
    #[must_use]
    pub fn with_endpoint(mut self, endpoint: impl Into<String>) -> Self {
        self.endpoint = Some(endpoint.into());
        self
    }

    /// Sets whether the endpoint of a bucket may be `http://`, which anyone on the way can read. A
    /// URL that begins so says so itself.
    #[must_use]
    pub fn with_allow_http(mut self, allow_http: bool) -> Self {
        self.allow_http = allow_http;
        self
    }

    /// Sets the value of the header `Authorization` for a web server, such as `Bearer …`. It is
    /// shown nowhere. Not for `s3://`.
    #[must_use]
    pub fn with_authorization(mut self, authorization: impl Into<String>) -> Self {
        self.authorization = Some(authorization.into());
        self
    }

    /// Sets how often a request is sent again that failed on the way, that took too long, whose
    /// answer was cut off, or that the server answered with a status from 500 on (but 501), 408 or
    /// 429: 5 times by default. The time between grows from 0.1 s on. Then the last answer counts,
    /// whatever came before: after 503 a 404 means that it is not there.
    ///
    /// So a server that says nothing is an error after (retries + 1) x the idle time-out and the
    /// time between, by default 6 x 30 s or 3 minutes; no request is sent again later than 3
    /// minutes after the first. For an earlier error set both lower. Errors say after how many
    /// tries they are.
    ///
    /// A part of a raw block is up to three requests, one after the other, each with its own tries:
    /// for its ranges, for the header alone and for the whole block, where the one before failed.
    /// There an error may take three times as long.
    #[must_use]
    pub fn with_retries(mut self, retries: usize) -> Self {
        self.retries = retries;
        self
    }

    /// Sets how long one request may take from its beginning to the last byte, 2 minutes by
    /// default, a year at most. For blocks of many MB on a slow line it is to be longer.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets how long a connection to the server may take, 10 seconds by default.
    #[must_use]
    pub fn with_connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Sets how long no byte may come, 30 seconds by default.
    #[must_use]
    pub fn with_idle_timeout(mut self, timeout: Duration) -> Self {
        self.idle_timeout = timeout;
        self
    }

    /// Takes blocks for missing that the server answers with one of `statuses`, such as 403 or 400:
    /// so some buckets answer for what is not there. They read as the fill value then.
    ///
    /// By default only 404 means so, since with a lost permission, or the wrong credentials, all of
    /// an array would read as the fill value. Documents such as `attributes.json` are never taken
    /// for missing by this.
    #[must_use]
    pub fn with_missing_statuses(mut self, statuses: impl IntoIterator<Item = u16>) -> Self {
        self.missing.statuses = statuses.into_iter().collect();
        self
    }

    /// Takes blocks for missing of whose errors `is_missing` says so, as
    /// [`with_missing_statuses`](Self::with_missing_statuses) does. If it panics, the read is an
    /// error that says so.
    #[must_use]
    pub fn with_missing_if(
        mut self,
        is_missing: impl Fn(&StoreKey, &UrlError) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.missing.is_missing = Some(Arc::new(is_missing));
        self
    }
}

impl fmt::Debug for UrlOptions {
    /// All but the authorization.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("UrlOptions")
            .field("access", &self.access)
            .field("region", &self.region)
            .field("endpoint", &self.endpoint)
            .field("allow_http", &self.allow_http)
            .field("retries", &self.retries)
            .field("timeout", &self.timeout)
            .field("connect_timeout", &self.connect_timeout)
            .field("idle_timeout", &self.idle_timeout)
            .field("missing_statuses", &self.missing.statuses)
            .finish_non_exhaustive()
    }
}
