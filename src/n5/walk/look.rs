//! What a store says of one node.

use thiserror::Error;
use zarrs_storage::{MaybeBytes, StorageError, StoreKey};

use super::folder::Folder;
use crate::n5::node::{ATTRIBUTES_JSON, last_component};

/// A metadata document that the store could not read.
#[derive(Clone, Debug, Error)]
#[error("cannot read {key}: {source}")]
#[non_exhaustive]
pub struct ReadError {
    /// The key of the document.
    pub key: StoreKey,
    /// The error of the store.
    pub source: StorageError,
}

/// The documents of a node and what is in its folder.
#[derive(Debug)]
pub(crate) struct Look {
    pub(crate) attributes: Result<MaybeBytes, ReadError>,
    pub(crate) zarr: Result<MaybeBytes, ReadError>,
    pub(crate) folder: Result<Folder, StorageError>,
    /// Whether it is an index of Paintera: one of its blocks says so.
    pub(crate) is_paintera_index: bool,
}

impl Look {
    /// Whether there is an `attributes.json`, whether or not it could be read.
    pub(crate) fn has_attributes(&self) -> bool {
        let folder = self.folder.as_ref();
        matches!(&self.attributes, Ok(Some(_)))
            || folder.is_ok_and(|folder| folder.has_document(ATTRIBUTES_JSON))
    }

    /// Whether there is nothing at all at the node.
    pub(crate) fn is_nothing(&self) -> bool {
        matches!((&self.attributes, &self.zarr), (Ok(None), Ok(None)))
            && self.folder.as_ref().is_ok_and(|folder| folder.is_empty)
    }
}

/// Whether a document is to be read, given what is listed.
///
/// A folder that cannot be listed, or in which there is nothing, is asked for its documents all the
/// same: some stores take a folder that may not be read for an empty one.
pub(super) fn is_to_be_read(folder: &Result<Folder, StorageError>, document: &str) -> bool {
    folder.as_ref().map_or(true, |folder| {
        folder.is_empty || folder.has_document(document)
    })
}

/// What was read of a document; an error if it is listed and is not there, as is a link that leads
/// nowhere. A dataset would pass for a group.
pub(super) fn as_listed(
    folder: &Result<Folder, StorageError>,
    key: &StoreKey,
    document: MaybeBytes,
) -> Result<MaybeBytes, ReadError> {
    let name = last_component(key.as_str());
    let is_listed = folder
        .as_ref()
        .is_ok_and(|folder| folder.has_document(name));
    if document.is_none() && is_listed {
        return Err(ReadError {
            key: key.clone(),
            source: "it is listed, but not there, as is a link that leads nowhere"
                .to_owned()
                .into(),
        });
    }
    Ok(document)
}
