//! What the errors of a store mean. Pure.

use std::io::ErrorKind;

use zarrs_storage::{StorageError, StoreKey};

use super::error::OpenError;

/// How stores that hand on only the text of an error say that something is not allowed:
/// `object_store`, `opendal`, S3, and what servers answer. In small letters.
const DENIALS: [&str; 8] = [
    "permission denied",
    "permissiondenied",
    "access denied",
    "accessdenied",
    "forbidden",
    "lacked the necessary privileges",
    "lacked valid authentication",
    "unauthorized",
];

/// The error for a document that the store could not read.
pub(super) fn reading(key: StoreKey, source: StorageError) -> OpenError {
    if is_denied(&source) {
        OpenError::AccessDenied { key, source }
    } else {
        OpenError::Read { key, source }
    }
}

fn is_denied(error: &StorageError) -> bool {
    match error {
        StorageError::IOError(error) => error.kind() == ErrorKind::PermissionDenied,
        StorageError::Other(text) => {
            let text = text.to_lowercase();
            DENIALS.iter().any(|denial| text.contains(denial))
        }
        _ => false,
    }
}

/// Whether there is nothing, because there is a file where a folder would be.
pub(super) fn is_file_on_the_way(error: &StorageError) -> bool {
    match error {
        StorageError::IOError(error) => error.kind() == ErrorKind::NotADirectory,
        StorageError::Other(text) => text.contains("Not a directory"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn denials_are_told_from_other_errors() {
        let io = |kind| StorageError::from(std::io::Error::from(kind));
        let other = |text: &str| StorageError::Other(text.to_owned());
        for denied in [
            io(ErrorKind::PermissionDenied),
            other("Server returned non-2xx status code: 403 Forbidden: <Code>AccessDenied</Code>"),
            other("The operation lacked the necessary privileges to complete for path a"),
            other("PermissionDenied (permanent) at read, context: { service: s3 }"),
            other("The operation lacked valid authentication credentials for path a"),
        ] {
            assert!(is_denied(&denied), "{denied}");
        }
        for failed in [
            io(ErrorKind::TimedOut),
            other("503 Service Unavailable"),
            StorageError::Unsupported("no".to_owned()),
        ] {
            assert!(!is_denied(&failed), "{failed}");
        }
    }

    #[test]
    fn a_file_on_the_way_is_told_from_other_errors() {
        let error = StorageError::from(std::io::Error::from(ErrorKind::NotADirectory));
        assert!(is_file_on_the_way(&error));
        let error = StorageError::Other("x: Not a directory (os error 20)".to_owned());
        assert!(is_file_on_the_way(&error));
        assert!(!is_file_on_the_way(&StorageError::ReadOnly));
    }
}
