//! What is below an error of the library for requests, and what that says.

use std::error::Error;
use std::iter;

use object_store::client::{HttpError, HttpErrorKind};

/// Whether the answer that makes `error` says that the whole bucket is not there, which the status
/// alone does not. The library keeps the answer only in its texts.
pub(super) fn is_no_such_bucket(error: &object_store::Error) -> bool {
    causes(error).any(|cause| says_no_such_bucket(&cause.to_string()))
}

/// Whether a text has what S3 answers for a bucket that does not exist.
pub(super) fn says_no_such_bucket(text: &str) -> bool {
    text.contains("<Code>NoSuchBucket</Code>")
}

/// Whether it is the connection that failed, and not what the server answered.
pub(super) fn is_of_connection(error: &object_store::Error) -> bool {
    causes(error).any(<dyn Error>::is::<HttpError>)
}

/// Whether there was no connection at all.
pub(super) fn is_without_connection(error: &object_store::Error) -> bool {
    let is_connect = |error: &HttpError| error.kind() == HttpErrorKind::Connect;
    causes(error).any(|cause| cause.downcast_ref().is_some_and(is_connect))
}

/// Whether the answer to a range was the whole value.
pub(super) fn is_range_refused(error: &object_store::Error) -> bool {
    let is_refusal =
        |cause: &object_store::Error| matches!(cause, object_store::Error::NotSupported { .. });
    causes(error).any(|cause| cause.downcast_ref().is_some_and(is_refusal))
}

/// An error and what is below it.
pub(super) fn causes(error: &object_store::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    iter::successors(Some(error as &(dyn Error + 'static)), |&error| {
        error.source()
    })
}

/// The text of what is at the bottom of an error, such as "connection refused": what is above it
/// says again which request it was.
pub(super) fn last_cause(error: &object_store::Error) -> String {
    let cause = causes(error).last();
    cause.map_or_else(|| error.to_string(), ToString::to_string)
}
