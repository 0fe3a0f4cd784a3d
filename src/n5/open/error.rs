//! [`OpenError`]: what is where a dataset was looked for.

use std::path::PathBuf;

use thiserror::Error;
use zarrs::array::ArrayCreateError;
use zarrs_storage::{StorageError, StoreKey};

use super::nearby::{list_of_datasets, list_of_names, readable};
use crate::n5::attributes::MetadataError;
use crate::n5::error_text::full_text;
use crate::n5::walk::ForeignNode;

/// Why a dataset was not opened, and what is there instead.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The path has a backslash, as file paths of Windows do.
    #[error(
        "{path} has a backslash: in N5 paths a `/` is between names on every system: {advised}"
    )]
    Backslash {
        /// The path as it was given.
        path: String,
        /// The same with slashes.
        advised: String,
    },
    /// The path cannot be that of a node.
    #[error(
        "{path:?} cannot be the path of a dataset: expected names with one `/` between them, none \
         of them empty, only dots or beginning with `__`, as in /volumes/raw/s0"
    )]
    InvalidPath {
        /// The path as it was given.
        path: String,
    },
    /// The store is a folder that does not exist.
    #[error("there is no folder {}: check the path of the store", .folder.display())]
    NoSuchFolder {
        /// The path of the folder.
        folder: PathBuf,
    },
    /// There is nothing at all in the store.
    #[error(
        "there is nothing in {}: check the path of the store",
        .folder.as_ref().map_or_else(|| "the store".into(), |folder| folder.display().to_string())
    )]
    EmptyStore {
        /// The path of the store, if it is a folder.
        folder: Option<PathBuf>,
    },
    /// There is nothing at the path, nor anything that is probably meant.
    #[error(
        "there is nothing at {}: {} is there, and {}",
        readable(.node_path),
        readable(.nearest),
        list_of_names(.entries)
    )]
    NothingThere {
        /// The path of the node that was looked for.
        node_path: String,
        /// The path of the deepest folder on the way to it that exists.
        nearest: String,
        /// The names of the folders in that, those most similar to the one missing first. Those
        /// that hold the blocks of a dataset are left out.
        entries: Vec<String>,
    },
    /// There is nothing at the path, but at one that differs from it only by case.
    #[error(
        "there is nothing at {}: names differ by case, and {} is there",
        readable(.node_path),
        readable(.found)
    )]
    OtherCase {
        /// The path of the node that was looked for.
        node_path: String,
        /// The path that exists.
        found: String,
    },
    /// There is nothing at the path, but at one that differs from it only by what it begins with.
    #[error(
        "there is nothing at {}, but at {}: the path of a node begins at the root of the store",
        readable(.node_path),
        readable(.found)
    )]
    OtherBeginning {
        /// The path of the node that was looked for.
        node_path: String,
        /// The path that exists.
        found: String,
    },
    /// The path leads to a block, to a folder of blocks, or to where they would be.
    #[error(
        "there is no node at {}: {} above it is a dataset; open that",
        readable(.node_path),
        readable(.dataset)
    )]
    InDataset {
        /// The path of the node that was looked for.
        node_path: String,
        /// The path of the dataset.
        dataset: String,
    },
    /// There is a group at the path.
    #[error(
        "{} is a group, not a dataset; {}",
        readable(.node_path),
        list_of_datasets(.datasets, *.is_all, .source.as_ref())
    )]
    Group {
        /// The path of the group.
        node_path: String,
        /// The paths of datasets below it.
        datasets: Vec<String>,
        /// Whether those are all: the search for them goes only so deep and so far.
        is_all: bool,
        /// Why the group cannot be listed, if it cannot.
        source: Option<StorageError>,
    },
    /// The `attributes.json` at the path is there, and nothing is in it.
    #[error(
        "{attributes} is empty, of 0 bytes or only blanks, so that there is no dataset at \
         {}: expected an object with `dimensions`, `blockSize`, `dataType` and `compression`; \
         restore it",
        readable(.node_path)
    )]
    EmptyDocument {
        /// The path of the node.
        node_path: String,
        /// The key of the document.
        attributes: StoreKey,
    },
    /// There are blocks at the path, and no `attributes.json`.
    #[error(
        "there is no dataset at {}: a file is there with the name of a block, {}, but no \
         {attributes}, which says what is in the blocks; restore it",
        readable(.node_path),
        readable(.block)
    )]
    MissingDocument {
        /// The path of the node.
        node_path: String,
        /// The key of the document that is not there.
        attributes: StoreKey,
        /// The path of the first block that was found.
        block: String,
    },
    /// There is an array or a group of Zarr at the path, without N5's `attributes.json`.
    #[error(
        "{} is {kind} without N5, as it has no attributes.json: open it with plain zarrs, \
         zarrs::{}(store, {node_path:?})",
        readable(.node_path),
        zarrs_call(*.kind)
    )]
    Zarr {
        /// The path of the node.
        node_path: String,
        /// What it is.
        kind: ForeignNode,
    },
    /// The `attributes.json` of the dataset is malformed.
    #[error("the dataset cannot be opened, as its document cannot be read: {}", full_text(.0))]
    Document(#[source] MetadataError),
    /// The `attributes.json` of the dataset says what this crate does not support.
    #[error(
        "the dataset cannot be opened: its document is not damaged, but what it says is not \
         supported: {}",
        full_text(.0)
    )]
    Unsupported(#[source] MetadataError),
    /// zarrs cannot make an array of the metadata.
    #[error("zarrs cannot open the dataset at {}: {source}", readable(.node_path))]
    Array {
        /// The path of the dataset.
        node_path: String,
        /// What zarrs says.
        source: ArrayCreateError,
    },
    /// The store refuses to read a document.
    #[error(
        "access denied: the store refused to read {key}: {source}; check the permissions and the \
         credentials, and the path too, as a bucket that may not be listed answers so for what is \
         not there"
    )]
    AccessDenied {
        /// The key of the document.
        key: StoreKey,
        /// The error of the store.
        source: StorageError,
    },
    /// The store failed to read a document, for another reason than that it may not be read.
    #[error("cannot read {key}: {source}")]
    Read {
        /// The key of the document.
        key: StoreKey,
        /// The error of the store.
        source: StorageError,
    },
    /// There is no document at the path, and what is there is not known, as the store refuses to
    /// list, or fails.
    #[error(
        "there is no dataset at {} (no {attributes}), and what is there instead is not known, as \
         listing {} failed: {source}",
        readable(.node_path),
        readable(.listed)
    )]
    ListingDenied {
        /// The path of the node that was looked for.
        node_path: String,
        /// The key of the document that is not there.
        attributes: StoreKey,
        /// The path of the node whose folder could not be listed.
        listed: String,
        /// The error of the store.
        source: StorageError,
    },
}

fn zarrs_call(kind: ForeignNode) -> &'static str {
    match kind {
        ForeignNode::ZarrV3Array | ForeignNode::ZarrV2Array => "array::Array::open",
        ForeignNode::ZarrV3Group | ForeignNode::ZarrV2Group => "group::Group::open",
    }
}
