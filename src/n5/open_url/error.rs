//! What goes wrong with a URL, and with a request to it.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;
use zarrs_storage::StorageError;

use super::body::Most;
use super::causes::{is_range_refused, last_cause};
use super::status::{Seen, name};

/// Why a URL cannot be opened. Secrets in the URL are not shown.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpenUrlError {
    /// The text is no URL, or one of the right kind that lacks something.
    #[error(
        "{url} cannot be opened: {reason}; expected s3://bucket/x.n5, https://host/x.n5 or \
         file:///data/x.n5"
    )]
    Invalid {
        /// The URL.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// The URL begins with something else than `s3`, `http`, `https` or `file`.
    #[error(
        "{url} cannot be opened: found {scheme}://, expected s3://, https://, http:// or file://"
    )]
    Scheme {
        /// The URL.
        url: String,
        /// What it begins with.
        scheme: String,
    },
    /// There is a user or a password in the URL.
    #[error(
        "{url} cannot be opened: credentials do not belong in a URL; for S3 set AWS_ACCESS_KEY_ID \
         and AWS_SECRET_ACCESS_KEY, for a web server use `UrlOptions::with_authorization`"
    )]
    Credentials {
        /// The URL.
        url: String,
    },
    /// There is a `?` or a `#` in the URL, which keys below it cannot have.
    #[error(
        "{url} cannot be opened: what follows a `?` or `#` cannot be part of it; in names they are \
         written %3F and %23, and URLs that are signed for one file open no hierarchy"
    )]
    Query {
        /// The URL.
        url: String,
    },
    /// The endpoint is `http://`, and that was not allowed.
    #[error(
        "the endpoint {endpoint} is not encrypted: use https, or allow it by \
         `UrlOptions::with_allow_http` or AWS_ALLOW_HTTP=true"
    )]
    HttpNotAllowed {
        /// The endpoint.
        endpoint: String,
    },
    /// A variable of the environment, or an option, has a value that it cannot have.
    #[error("{name} cannot be used: {reason}")]
    Setting {
        /// The variable or the option.
        name: String,
        /// What is wrong, and what is expected. It shows no secrets.
        reason: String,
    },
    /// The option has no meaning for such URLs.
    #[error("{url} cannot be opened: `UrlOptions::{option}` is for {expected} only; leave it out")]
    OptionNotForUrl {
        /// The URL.
        url: String,
        /// The option.
        option: &'static str,
        /// The URLs that it is for.
        expected: &'static str,
    },
    /// There is no such folder.
    #[error("there is no folder {}: check the path", .folder.display())]
    NoSuchFolder {
        /// The path of the folder.
        folder: PathBuf,
    },
    /// The value for [`UrlOptions::with_authorization`](super::UrlOptions::with_authorization) has
    /// characters that no header can have.
    #[error("the authorization given has characters that are not allowed in a header of HTTP")]
    Authorization,
    /// The client for such requests cannot be made, such as by an environment variable with a value
    /// that is none.
    #[error("the client for {url} cannot be made: {source}")]
    Client {
        /// The URL.
        url: String,
        /// What the library for requests says.
        source: object_store::Error,
    },
    /// The system cannot start the threads for requests.
    #[error("the threads for requests cannot be started: {source}")]
    Threads {
        /// The error of the system.
        #[from]
        source: io::Error,
    },
}

/// An error of a request: what was to be done, the URL, and the answer.
///
/// It comes within a [`StorageError`], where [`UrlError::of`] finds it.
#[derive(Clone, Debug)]
pub struct UrlError {
    pub(super) action: &'static str,
    pub(super) url: String,
    pub(super) seen: Seen,
    /// The variable of the environment that names the proxy that could not be reached, perhaps.
    pub(super) proxy: Option<&'static str>,
    pub(super) reason: Reason,
}

/// Why a request failed, where its status does not say all.
#[derive(Clone, Debug)]
pub(super) enum Reason {
    /// The server or the way to it failed.
    Failed(Arc<object_store::Error>),
    /// The bucket does not exist, as the server says.
    NoSuchBucket(Arc<object_store::Error>),
    /// A part of the value was read, and another part was not there.
    Vanished,
    /// Something else is where a file should be, as this text says: the library found out, or it
    /// was not asked.
    NotAFile(&'static str, Option<Arc<object_store::Error>>),
    /// Two parts were read that are of different values.
    Replaced,
    /// The server cannot do this, as this text says.
    Unsupported(&'static str),
    /// The value was not as long as it said.
    Length { expected: u64, found: u64 },
    /// The value is larger than such values are.
    TooLarge { found: u64, most: Most },
    /// There is no memory for the value.
    NoMemory { size: u64 },
    /// The name cannot be part of a URL.
    Name(Arc<object_store::path::Error>),
    /// What sent it panicked.
    Panicked,
    /// What the program says that tells missing blocks panicked.
    MissingIfPanicked,
}

impl UrlError {
    /// The error of a request within the error of a store; `None` if that has another cause.
    #[must_use]
    pub fn of(error: &StorageError) -> Option<&Self> {
        let StorageError::IOError(error) = error else {
            return None;
        };
        let mut error: &(dyn Error + 'static) = &**error;
        loop {
            if let Some(found) = error.downcast_ref() {
                return Some(found);
            }
            // An error of the system has for its source not what is in it, but the source of that.
            let system = error.downcast_ref::<io::Error>();
            let system =
                system.or_else(|| error.downcast_ref::<Arc<io::Error>>().map(|error| &**error));
            error = match system.and_then(io::Error::get_ref) {
                Some(inner) => inner,
                None => error.source()?,
            };
        }
    }

    /// The URL that was requested.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The status of HTTP that the server answered with, such as 403. `None` if there was no
    /// answer, or it was cut off.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.seen.status
    }

    /// Whether the server refused, by the status 401 or 403.
    #[must_use]
    pub fn is_denied(&self) -> bool {
        matches!(self.seen.status, Some(401 | 403))
    }

    /// Whether a web server answered a range with the whole value, as those without ranges do.
    pub(super) fn is_without_ranges(&self) -> bool {
        match &self.reason {
            Reason::Failed(error) => is_range_refused(error),
            _ => false,
        }
    }

    /// Whether a told status, or who is asked, cannot make this mean that a block is missing.
    pub(super) fn is_never_missing(&self) -> bool {
        matches!(self.reason, Reason::NoSuchBucket(_)) || self.is_without_ranges()
    }

    /// Whether two parts were read of different values.
    pub(super) fn is_replaced(&self) -> bool {
        matches!(self.reason, Reason::Replaced)
    }

    fn kind(&self) -> io::ErrorKind {
        match &self.reason {
            Reason::Unsupported(_) => io::ErrorKind::Unsupported,
            // The codec takes this for a proof that something is there.
            Reason::Length { .. } | Reason::Vanished | Reason::Replaced => {
                io::ErrorKind::UnexpectedEof
            }
            Reason::TooLarge { .. } => io::ErrorKind::FileTooLarge,
            Reason::NoMemory { .. } => io::ErrorKind::OutOfMemory,
            Reason::NotAFile(..) | Reason::Name(_) => io::ErrorKind::InvalidInput,
            Reason::Failed(_) if self.is_denied() => io::ErrorKind::PermissionDenied,
            Reason::Failed(error) if last_cause(error).contains("timed out") => {
                io::ErrorKind::TimedOut
            }
            // Not `NotFound`, which might be taken for a missing key.
            Reason::NoSuchBucket(_)
            | Reason::Failed(_)
            | Reason::Panicked
            | Reason::MissingIfPanicked => io::ErrorKind::Other,
        }
    }
}

impl UrlError {
    /// How often it was tried, if more than once.
    fn fmt_tries(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.seen.tries {
            0 | 1 => Ok(()),
            tries => write!(formatter, ", after {tries} tries"),
        }
    }
}

impl fmt::Display for UrlError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "cannot {} {}: ", self.action, self.url)?;
        match (&self.reason, self.seen.status) {
            (Reason::Unsupported(text), Some(status)) => {
                write!(formatter, "{text} (HTTP {status}{})", name(status))
            }
            (Reason::Unsupported(text), None) => formatter.write_str(text),
            (Reason::NoSuchBucket(_), _) => formatter.write_str(
                "the bucket does not exist (HTTP 404 NoSuchBucket): check its name, and the \
                 endpoint",
            ),
            (Reason::Vanished, _) => formatter.write_str(
                "it vanished while it was read: of two parts only one was there; read again",
            ),
            (Reason::NotAFile(what, _), _) => write!(formatter, "found {what}, expected a file"),
            (Reason::Replaced, _) => formatter.write_str(
                "it was replaced while it was read: two parts are not of the same value; read again",
            ),
            (Reason::Length { expected, found }, _) if found > expected => write!(
                formatter,
                "the answer is longer than it says: expected {expected} bytes, found {found} or more"
            ),
            (Reason::Length { expected, found }, _) => write!(
                formatter,
                "the answer was cut off: expected {expected} bytes, found {found}"
            ),
            (Reason::TooLarge { found, most }, _) => write!(
                formatter,
                "found a size of {found} bytes, expected {} at most for {}",
                most.bytes, most.reason
            ),
            (Reason::NoMemory { size }, _) => {
                write!(formatter, "there is no memory for its {size} bytes")
            }
            (Reason::Name(error), _) => write!(formatter, "{error}"),
            (Reason::Panicked, _) => formatter.write_str(
                "the program panicked while it sent the request, as the standard error says: a \
                 defect of zarrs_interop or object_store, please report it",
            ),
            (Reason::MissingIfPanicked, _) => formatter.write_str(
                "what this program gave to `UrlOptions::with_missing_if` panicked, as the standard \
                 error says",
            ),
            (Reason::Failed(_), Some(status)) if self.is_denied() => {
                write!(formatter, "access denied (HTTP {status}{})", name(status))
            }
            (Reason::Failed(_), Some(status)) => {
                write!(
                    formatter,
                    "the server answered HTTP {status}{}",
                    name(status)
                )?;
                // So S3 answers for a bucket that is elsewhere, without saying where.
                if status == 301 && self.url.starts_with("s3://") {
                    formatter.write_str(": is the region right?")?;
                }
                self.fmt_tries(formatter)
            }
            (Reason::Failed(error), None) => {
                formatter.write_str(&last_cause(error))?;
                self.fmt_tries(formatter)?;
                match self.proxy {
                    Some(name) => write!(
                        formatter,
                        "; it was asked by way of the proxy that {name} names, unless NO_PROXY has \
                         the host"
                    ),
                    None => Ok(()),
                }
            }
        }
    }
}

impl Error for UrlError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.reason {
            Reason::Failed(error)
            | Reason::NoSuchBucket(error)
            | Reason::NotAFile(_, Some(error)) => Some(&**error),
            Reason::Name(error) => Some(&**error),
            Reason::Unsupported(_)
            | Reason::NotAFile(_, None)
            | Reason::Length { .. }
            | Reason::TooLarge { .. }
            | Reason::NoMemory { .. }
            | Reason::Vanished
            | Reason::Replaced
            | Reason::Panicked
            | Reason::MissingIfPanicked => None,
        }
    }
}

impl From<UrlError> for StorageError {
    fn from(error: UrlError) -> Self {
        io::Error::new(error.kind(), error).into()
    }
}
