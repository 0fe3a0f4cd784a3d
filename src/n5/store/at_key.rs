//! Errors of the wrapped store that say which key they are about. Pure.

use std::io;
use std::sync::Arc;

use thiserror::Error;
use zarrs_storage::StorageError;

/// An error of the system, with the key that it is about.
#[derive(Debug, Error)]
#[error("cannot {action} {place}: {source}")]
struct IoErrorAt {
    action: &'static str,
    place: String,
    source: Arc<io::Error>,
}

/// `error`, which happened when the wrapped store was to read the value of a key.
pub(super) fn reading(place: &str, error: StorageError) -> StorageError {
    naming("read", place, error)
}

/// `error`, which happened when the wrapped store was to list what is under a prefix.
pub(super) fn listing(place: &str, error: StorageError) -> StorageError {
    naming("list", place, error)
}

/// `error` with what was to be done and where, unless it says that itself. Its kind stays.
fn naming(action: &'static str, place: &str, error: StorageError) -> StorageError {
    let shown = if place.is_empty() { "/" } else { place };
    match error {
        StorageError::IOError(source) => {
            let kind = source.kind();
            let place = shown.to_owned();
            let error = IoErrorAt {
                action,
                place,
                source,
            };
            io::Error::new(kind, error).into()
        }
        StorageError::Other(text) if !text.contains(shown) => {
            StorageError::Other(format!("cannot {action} {shown}: {text}"))
        }
        error => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_system_keeps_its_kind_and_names_the_key() {
        let denied = io::Error::new(io::ErrorKind::PermissionDenied, "Permission denied");
        let error = naming("read", "a/0/0", denied.into());
        assert_eq!(error.to_string(), "cannot read a/0/0: Permission denied");
        let StorageError::IOError(error) = error else {
            panic!("{error:?}");
        };
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
    }

    #[test]
    fn an_error_that_says_where_it_happened_is_left_alone() {
        let error = StorageError::Other("Could not determine file size".to_owned());
        let named = naming("read", "a/attributes.json", error);
        let text = "cannot read a/attributes.json: Could not determine file size";
        assert_eq!(named.to_string(), text);
        assert_eq!(naming("read", "a/attributes.json", named).to_string(), text);
        let error = naming("list", "", StorageError::Other("no".to_owned()));
        assert_eq!(error.to_string(), "cannot list /: no");
    }
}
