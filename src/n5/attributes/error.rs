//! What can be wrong with an `attributes.json`.

use thiserror::Error;

use super::{DocumentError, ShapeError};
use crate::n5::DataTypeError;
use crate::n5::compression::CompressionError;

/// An `attributes.json` that cannot be read. Every text names the node.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AttributesError {
    /// The document is not a JSON object.
    #[error("attributes.json of {node_path}: {source}")]
    Document {
        /// The node, such as `/volumes/raw`.
        node_path: String,
        /// What was found instead.
        source: DocumentError,
    },
    /// A dataset lacks one of its members.
    #[error(
        "attributes.json of {node_path} describes a dataset, but its member `{member}` is missing: \
         expected {expected}"
    )]
    MissingMember {
        /// The node.
        node_path: String,
        /// The name of the member.
        member: &'static str,
        /// What the member should be.
        expected: &'static str,
    },
    /// A member of a dataset has the wrong type or an impossible value.
    #[error(
        "attributes.json of {node_path}: the member `{member}` is {found}: expected {expected}"
    )]
    InvalidMember {
        /// The node.
        node_path: String,
        /// The name of the member.
        member: &'static str,
        /// The JSON value that was found, shortened.
        found: String,
        /// What the member should be.
        expected: &'static str,
    },
    /// `dimensions` and `blockSize` are numbers, but not ones that N5 allows.
    #[error("attributes.json of {node_path}: the members `dimensions` and `blockSize`: {source}")]
    Shape {
        /// The node.
        node_path: String,
        /// The limit that is exceeded.
        source: ShapeError,
    },
    /// `dataType` names a type that blocks in default mode cannot hold.
    #[error("attributes.json of {node_path}: the member `dataType`: {source}")]
    DataType {
        /// The node.
        node_path: String,
        /// The name that was found.
        source: DataTypeError,
    },
    /// `compression` (or `compressionType`) is not supported, or one of its members is wrong.
    #[error("attributes.json of {node_path}: {source}")]
    Compression {
        /// The node.
        node_path: String,
        /// The type that is not supported, or the member that is wrong.
        source: Box<CompressionError>,
    },
    /// The dataset is sharded, as N5 4 can be: it has the member `codecs`.
    #[error(
        "attributes.json of {node_path}: the member `codecs` says that the dataset is sharded, \
         which is not supported: expected `compression` only"
    )]
    Sharded {
        /// The node.
        node_path: String,
    },
    /// The N5 version is newer than this crate knows.
    #[error(
        "attributes.json of {node_path}: the member `n5` is {found}: expected major version {max} \
         or older",
        max = super::version::MAX_MAJOR
    )]
    Version {
        /// The node.
        node_path: String,
        /// The JSON value that was found.
        found: String,
    },
}

impl AttributesError {
    /// Whether the document is well-formed N5 that this crate (or Zarr) has no way to say: an unknown
    /// compression, data type or version, or a block that is too large.
    #[must_use]
    pub fn is_unsupported(&self) -> bool {
        match self {
            Self::DataType { .. } | Self::Sharded { .. } | Self::Version { .. } => true,
            Self::Shape { source, .. } => matches!(source, ShapeError::BlockBytes { .. }),
            Self::Compression { source, .. } => {
                matches!(**source, CompressionError::UnsupportedType { .. })
            }
            Self::Document { .. } | Self::MissingMember { .. } | Self::InvalidMember { .. } => {
                false
            }
        }
    }
}
