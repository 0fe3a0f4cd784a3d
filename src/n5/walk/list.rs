//! How the folder of a node is listed. Of the twins only the synchronous one meets stores that are
//! folders of the file system.

#[cfg(feature = "async")]
use zarrs_storage::AsyncListableStorageTraits;
use zarrs_storage::{ListableStorageTraits, StorageError};

use super::folder::Folder;
use super::frontier::Visit;

pub(crate) fn list<S: ListableStorageTraits + 'static>(
    store: &S,
    visit: &Visit,
) -> Result<Folder, StorageError> {
    let prefix = visit.node.prefix();
    #[cfg(feature = "filesystem")]
    if let Some(files) = super::file_system::of(store) {
        let listed = super::file_system::list(files, &prefix, visit.real.as_ref());
        return Ok(listed?);
    }
    Ok(Folder::of_listing(&store.list_dir(&prefix)?))
}

#[cfg(feature = "async")]
pub(crate) async fn async_list<S: AsyncListableStorageTraits + 'static>(
    store: &S,
    visit: &Visit,
) -> Result<Folder, StorageError> {
    let prefix = visit.node.prefix();
    Ok(Folder::of_listing(&store.list_dir(&prefix).await?))
}
