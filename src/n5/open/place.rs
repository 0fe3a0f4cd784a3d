//! The folder that a store is, for an error.

use std::path::PathBuf;

use super::error::OpenError;

/// The error for a store in which there is nothing.
pub(super) fn nothing_in<S: 'static>(store: &S) -> OpenError {
    match folder(store) {
        Some(folder) if !folder.is_dir() => OpenError::NoSuchFolder { folder },
        folder => OpenError::EmptyStore { folder },
    }
}

/// The path of the folder that `store` is; `None` if it is something else.
#[cfg(feature = "filesystem")]
fn folder<S: 'static>(store: &S) -> Option<PathBuf> {
    let files = crate::n5::walk::file_system::of(store)?;
    let folder = files.prefix_to_fs_path(&zarrs_storage::StorePrefix::root());
    // Without the `/` at the end that the store puts there.
    Some(folder.components().collect())
}

#[cfg(not(feature = "filesystem"))]
fn folder<S: 'static>(_: &S) -> Option<PathBuf> {
    None
}
