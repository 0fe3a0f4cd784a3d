//! What the nodes are that a walk finds.

use std::fmt;

use serde_json::Value;
use thiserror::Error;
use zarrs_storage::StorageError;

use super::look::ReadError;
use crate::n5::attributes::{DatasetAttributes, GroupAttributes};
use crate::n5::error_text::full_text;
use crate::n5::metadata_error::MetadataError;

/// A node that was visited.
#[derive(Debug)]
#[non_exhaustive]
pub struct WalkedNode {
    /// The path of the node: `/`, `/volumes/raw`.
    pub node_path: String,
    /// What it is.
    pub kind: WalkedKind,
}

impl fmt::Display for WalkedNode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.node_path, self.kind)
    }
}

/// What a node is.
#[derive(Debug)]
#[non_exhaustive]
pub enum WalkedKind {
    /// A group, with its attributes; without any if it has no `attributes.json`.
    Group(GroupAttributes),
    /// A dataset.
    Dataset(WalkedDataset),
    /// A node of another format, which has no `attributes.json`.
    Foreign(ForeignNode),
    /// A node that cannot be read.
    Unreadable(Unreadable),
}

impl fmt::Display for WalkedKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Group(_) => formatter.write_str("group"),
            Self::Dataset(dataset) => write!(formatter, "{dataset}"),
            Self::Foreign(foreign) => write!(formatter, "{foreign}"),
            Self::Unreadable(reason) => write!(formatter, "unreadable: {reason}"),
        }
    }
}

/// A dataset that was visited.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WalkedDataset {
    /// What its `attributes.json` says.
    pub attributes: DatasetAttributes,
    /// Whether its folder has any file or folder named by a number; `None` if it could not be
    /// listed.
    pub has_blocks: Option<bool>,
    /// Whether there are datasets below it.
    pub has_datasets_below: bool,
    /// Whether it is an index of Paintera (`unique-labels`, `label-to-block-mapping`), whose blocks
    /// cannot be read as an array. For a dataset below a folder of such a name one block is asked
    /// for its mode; without any block that can be read it passes for a dataset like others.
    pub is_paintera_index: bool,
}

impl WalkedDataset {
    /// Whether it has no block, but datasets below it. `BigStitcher` writes such ones on `setupN`;
    /// reading it gives zeros.
    #[must_use]
    pub fn is_only_a_container(&self) -> bool {
        self.has_blocks == Some(false) && self.has_datasets_below
    }

    /// Whether it is a label multiset of Paintera, whose blocks cannot be read as an array.
    #[must_use]
    pub fn is_label_multiset(&self) -> bool {
        is_label_multiset(&self.attributes)
    }
}

/// Whether a dataset is a label multiset of Paintera, whose blocks cannot be read as an array.
pub(crate) fn is_label_multiset(attributes: &DatasetAttributes) -> bool {
    attributes.attributes().get("isLabelMultiset") == Some(&Value::Bool(true))
}

impl fmt::Display for WalkedDataset {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dimensions = self.attributes.dimensions();
        let data_type = self.attributes.data_type().name();
        write!(formatter, "dataset {dimensions:?} {data_type}")?;
        if self.is_label_multiset() {
            formatter.write_str(", a label multiset: its blocks cannot be read as an array")?;
        }
        if self.is_paintera_index {
            formatter.write_str(", an index of Paintera: its blocks cannot be read as an array")?;
        }
        if self.is_only_a_container() {
            formatter.write_str(", without blocks, with datasets below")?;
        }
        Ok(())
    }
}

/// A node of another format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ForeignNode {
    /// A group that has only a `zarr.json`.
    ZarrV3Group,
    /// An array that has only a `zarr.json`.
    ZarrV3Array,
    /// A group of Zarr V2.
    ZarrV2Group,
    /// An array of Zarr V2.
    ZarrV2Array,
}

impl fmt::Display for ForeignNode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::ZarrV3Group => "a group of Zarr V3",
            Self::ZarrV3Array => "an array of Zarr V3",
            Self::ZarrV2Group => "a group of Zarr V2",
            Self::ZarrV2Array => "an array of Zarr V2",
        })
    }
}

/// Why a node cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// Its document is malformed, or says something that is not supported.
    #[error("{}", full_text(.0))]
    Document(#[source] MetadataError),
    /// The store cannot read its document.
    #[error("{0}")]
    Read(#[source] ReadError),
    /// The store cannot list its folder, and there is no document to say what it is.
    #[error("cannot list its folder: {0}")]
    List(#[source] StorageError),
}
