//! Reads of what may be of any size, or no file at all. `FilesystemStore` reserves memory for the
//! whole length of a file, and where there is not so much the process ends; of a pipe it waits for
//! whoever writes to it. So its files are looked at first. Other stores are asked as they are: for
//! most of them that would be one more request.

#[cfg(feature = "async")]
use zarrs_storage::AsyncReadableStorageTraits;
use zarrs_storage::{MaybeBytes, ReadableStorageTraits, StorageError, StoreKey};

use crate::n5::block::MAX_BLOCK_BYTES;
#[cfg(feature = "filesystem")]
use crate::n5::special_file::kind;

/// The most bytes of a metadata document. Larger ones were never seen.
pub(crate) const MAX_DOCUMENT_SIZE: u64 = 1 << 30;

/// The most bytes of a block: the most that N5 holds, and what a header and a compression that
/// fails to compress put on top.
pub(crate) const MAX_BLOCK_SIZE: u64 = MAX_BLOCK_BYTES + MAX_BLOCK_BYTES / 32 + (1 << 20);

/// The value of `key`, which in a folder may have `most` bytes, and is to be a file.
pub(crate) fn get<S: ReadableStorageTraits + 'static>(
    store: &S,
    key: &StoreKey,
    most: u64,
) -> Result<MaybeBytes, StorageError> {
    #[cfg(feature = "filesystem")]
    if let Some(files) = super::file_system::of(store) {
        let path = files.key_to_fspath(key);
        // What cannot be looked at is read: the store has the better error.
        let file = std::fs::metadata(&path).ok();
        if let Some(what) = file.as_ref().and_then(|file| kind(file.file_type())) {
            let path = path.display();
            return Err(StorageError::Other(format!(
                "{path} is {what}: expected a file"
            )));
        }
        let size = file.map_or(0, |file| file.len());
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
