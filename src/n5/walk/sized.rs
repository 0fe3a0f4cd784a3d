//! Reads of what may be of any size. `FilesystemStore` reserves memory for the whole length of a
//! file, and where there is not so much the process ends, so that of its files the size is looked
//! at first. Other stores are asked as they are: for most of them that would be one more request.

#[cfg(feature = "async")]
use zarrs_storage::AsyncReadableStorageTraits;
use zarrs_storage::{MaybeBytes, ReadableStorageTraits, StorageError, StoreKey};

use crate::n5::block::MAX_BLOCK_BYTES;

/// The most bytes of a metadata document. Larger ones were never seen.
pub(crate) const MAX_DOCUMENT_SIZE: u64 = 1 << 30;

/// The most bytes of a block: the most that N5 holds, and what a header and a compression that
/// fails to compress put on top.
pub(crate) const MAX_BLOCK_SIZE: u64 = MAX_BLOCK_BYTES + MAX_BLOCK_BYTES / 32 + (1 << 20);

/// The value of `key`, which in a folder may have `most` bytes.
pub(crate) fn get<S: ReadableStorageTraits + 'static>(
    store: &S,
    key: &StoreKey,
    most: u64,
) -> Result<MaybeBytes, StorageError> {
    #[cfg(feature = "filesystem")]
    if let Some(files) = super::file_system::of(store) {
        // What cannot be looked at is read: the store has the better error.
        let size = std::fs::metadata(files.key_to_fspath(key)).map_or(0, |file| file.len());
        if size > most {
            return Err(StorageError::Other(format!(
                "{key} is {size} bytes long: expected at most {most}"
            )));
        }
    }
    #[cfg(not(feature = "filesystem"))]
    let _ = most;
    store.get(key)
}

/// The asynchronous twin of [`get`], which never meets a `FilesystemStore`.
#[cfg(feature = "async")]
pub(crate) async fn async_get<S: AsyncReadableStorageTraits + 'static>(
    store: &S,
    key: &StoreKey,
    _most: u64,
) -> Result<MaybeBytes, StorageError> {
    store.get(key).await
}
