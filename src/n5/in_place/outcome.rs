//! What became of one node in an in-place conversion.

use std::fmt;

use thiserror::Error;
use zarrs_storage::{StorageError, StoreKey};

use crate::n5::error_text::full_text;
use crate::n5::metadata_error::MetadataError;
use crate::n5::walk::{LeftOutReason, ReadError};

/// What became of one node.
#[derive(Debug)]
#[non_exhaustive]
pub struct NodeReport {
    /// The path of the node: `/`, `/volumes/raw`.
    pub node_path: String,
    /// What became of it.
    pub outcome: Outcome,
}

impl fmt::Display for NodeReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.node_path, self.outcome)
    }
}

/// What became of a node.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// The document was written; in a dry run, it would be.
    Converted,
    /// The document was there and says the same.
    Unchanged,
    /// The document was not written, for a reason that is no fault of the node.
    Skipped(SkipReason),
    /// Something is wrong with the node or the store. What is below the node is converted all the
    /// same, as far as it is known not to be blocks.
    Failed(FailureReason),
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Converted => formatter.write_str("converted"),
            Self::Unchanged => formatter.write_str("unchanged"),
            Self::Skipped(reason) => write!(formatter, "skipped: {reason}"),
            Self::Failed(reason) => write!(formatter, "failed: {reason}"),
        }
    }
}

/// Why a node was skipped.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SkipReason {
    /// The document of the node says something that the other format cannot. Nothing below the node
    /// is visited.
    #[error("{}", full_text(.0))]
    Unsupported(#[source] MetadataError),
    /// The document to write is there and says something else.
    #[error("{0} is there and says something else: allow overwriting to replace it")]
    SaysSomethingElse(StoreKey),
    /// The `zarr.json` of the array is there, with the dimensions in the other order.
    #[error(
        "{0} is there and has the dimensions in the other order: allow overwriting to replace it"
    )]
    OtherOrder(StoreKey),
    /// The node has only a document of the format to convert to.
    #[error("only {0} is there, so there is nothing to convert")]
    NothingToConvert(StoreKey),
    /// The node is a group without attributes, and a group of N5 needs no document.
    #[error("a group without attributes needs no document in N5")]
    NotNeeded,
    /// The node is one of Zarr V2.
    #[error("a node of Zarr V2: converting those is not supported")]
    ZarrV2,
    /// The walk does not visit it. Nothing below it is visited either, nor written to.
    #[error("{0}")]
    LeftOut(#[source] LeftOutReason),
    /// The dataset is a label multiset of Paintera.
    #[error("a label multiset: its blocks cannot be read as an array")]
    LabelMultiset,
    /// The dataset is an index of Paintera, `unique-labels` or `label-to-block-mapping`.
    #[error("an index of Paintera: its blocks cannot be read as an array")]
    PainteraIndex,
    /// The folder has no document, and there is no `attributes.json` above it or below it.
    #[error("nothing of N5: there is no attributes.json here, above or below")]
    NothingOfN5,
    /// The node has no `attributes.json`, or an empty one, nor is there one below it, and its
    /// folder looks as if it held blocks: it may be a dataset whose `attributes.json` is lost.
    #[error(
        "it has names of blocks, and no attributes.json, or an empty one: restore that if it is a \
         dataset, or write {{}} into it if it is a group"
    )]
    MayBeBlocks,
    /// There is a folder with the name of the document.
    #[error("{0} is a folder, so that no document can have this name")]
    FolderInTheWay(StoreKey),
    /// The name of the node contains a backslash.
    #[error("a backslash in the name: Java N5 and tensorstore cannot find such a node; rename it")]
    Backslash,
}

/// What is wrong with a node or its store.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FailureReason {
    /// The document of the node is malformed.
    #[error("{}", full_text(.0))]
    Malformed(#[source] MetadataError),
    /// A document of the node could not be read.
    #[error("{0}")]
    Read(#[source] ReadError),
    /// The children of the node could not be listed.
    #[error("cannot list its children: {0}")]
    List(#[source] StorageError),
    /// The document could not be written. The old one, if there was one, is still there.
    #[error("cannot write {key}: {source}")]
    Write {
        /// The key of the document.
        key: StoreKey,
        /// The error of the store.
        source: StorageError,
    },
}
