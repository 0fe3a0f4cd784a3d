//! What is directly in a folder of blocks. Of the twins only the synchronous one meets stores that
//! are folders of the file system.

#[cfg(feature = "async")]
use zarrs_storage::AsyncListableStorageTraits;
use zarrs_storage::{ListableStorageTraits, StorageError, StoreKeysPrefixes, StorePrefix};

use crate::n5::node::last_component;

/// A file or a folder in a folder of blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::n5) struct Entry {
    /// With � for what is not UTF-8.
    pub(in crate::n5) name: String,
    pub(in crate::n5) kind: EntryKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::n5) enum EntryKind {
    File,
    Folder,
    /// A link that leads nowhere, in the place of a file or a folder; or a pipe, a socket or a
    /// device, of which a reader may wait forever.
    #[cfg_attr(
        not(any(test, feature = "filesystem")),
        expect(dead_code, reason = "only the file system has such")
    )]
    Vanished,
}

pub(super) type Listing = Result<Vec<Entry>, StorageError>;

pub(super) fn list<S: ListableStorageTraits + 'static>(store: &S, prefix: &StorePrefix) -> Listing {
    #[cfg(feature = "filesystem")]
    if let Some(files) = crate::n5::walk::file_system::of(store) {
        return Ok(file_system(&files.prefix_to_fs_path(prefix))?);
    }
    Ok(of_listing(&store.list_dir(prefix)?))
}

#[cfg(feature = "async")]
pub(super) async fn async_list<S: AsyncListableStorageTraits>(
    store: &S,
    prefix: &StorePrefix,
) -> Listing {
    Ok(of_listing(&store.list_dir(prefix).await?))
}

fn of_listing(listing: &StoreKeysPrefixes) -> Vec<Entry> {
    let entry = |path: &str, kind| Entry {
        name: last_component(path).to_owned(),
        kind,
    };
    let files = listing.keys().iter();
    let files = files.map(|key| entry(key.as_str(), EntryKind::File));
    let folders = listing.prefixes().iter();
    let folders = folders.map(|prefix| entry(prefix.as_str(), EntryKind::Folder));
    files.chain(folders).collect()
}

/// The entries of a folder; none if there is no such folder. The listing of zarrs's store panics on
/// a name that is not UTF-8 and takes a folder that may not be read for an empty one.
#[cfg(feature = "filesystem")]
pub(in crate::n5) fn file_system(path: &std::path::Path) -> std::io::Result<Vec<Entry>> {
    use std::io::{Error, ErrorKind};

    let naming = |error: &Error| Error::new(error.kind(), format!("{}: {error}", path.display()));
    let entries = match std::fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(naming(&error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| naming(&error))?;
        let file_type = entry.file_type().map_err(|error| naming(&error))?;
        let kind = if file_type.is_symlink() {
            behind_link(&entry.path())
        } else if file_type.is_dir() {
            EntryKind::Folder
        } else if file_type.is_file() {
            EntryKind::File
        } else {
            EntryKind::Vanished
        };
        found.push(Entry {
            name: entry.file_name().to_string_lossy().into_owned(),
            kind,
        });
    }
    Ok(found)
}

/// What the link at `path` leads to. Where that cannot be told it is a file: reading it says why.
#[cfg(feature = "filesystem")]
fn behind_link(path: &std::path::Path) -> EntryKind {
    match std::fs::metadata(path) {
        Ok(target) if target.is_dir() => EntryKind::Folder,
        Ok(target) if !target.is_file() => EntryKind::Vanished,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => EntryKind::Vanished,
        _ => EntryKind::File,
    }
}
