//! Why a document of one format cannot be said in the other.

use thiserror::Error;

use super::codec::CodecsError;
use crate::n5::DataTypeError;
use crate::n5::attributes::{AttributesError, DocumentError, ShapeError};
use crate::n5::compression::CompressionError;

/// A metadata document that cannot be converted. Every text names the node.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// The `attributes.json` cannot be read.
    #[error(transparent)]
    Attributes(#[from] AttributesError),
    /// The compression of `attributes.json` has no codec here.
    #[error("attributes.json of {node_path}: {source}")]
    Compression {
        /// The node, such as `/volumes/raw`.
        node_path: String,
        /// Why there is no codec.
        source: Box<CompressionError>,
    },
    /// The `zarr.json` is not a JSON object.
    #[error("zarr.json of {node_path}: {source}")]
    Document {
        /// The node.
        node_path: String,
        /// What was found instead.
        source: DocumentError,
    },
    /// The `zarr.json` lacks a member.
    #[error("zarr.json of {node_path}: the member `{member}` is missing: expected {expected}")]
    MissingMember {
        /// The node.
        node_path: String,
        /// The name of the member.
        member: &'static str,
        /// What the member should be.
        expected: &'static str,
    },
    /// A member of the `zarr.json` has the wrong type or an impossible value.
    #[error("zarr.json of {node_path}: the member `{member}` is {found}: expected {expected}")]
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
    /// The document is of another version of Zarr.
    #[error("zarr.json of {node_path}: the member `zarr_format` is {found}: expected 3")]
    ZarrFormat {
        /// The node.
        node_path: String,
        /// The JSON value that was found, shortened.
        found: String,
    },
    /// The node is neither an array nor a group.
    #[error(
        "zarr.json of {node_path}: the member `node_type` is {found}: expected \"array\" or \"group\""
    )]
    NodeType {
        /// The node.
        node_path: String,
        /// The JSON value that was found, shortened.
        found: String,
    },
    /// The fill value is not zero, the only one that N5 has. A negative zero is another value.
    #[error(
        "zarr.json of {node_path}: the member `fill_value` is {found}: expected 0, the only fill value of N5"
    )]
    FillValue {
        /// The node.
        node_path: String,
        /// The fill value, shortened.
        found: String,
    },
    /// The chunks are not of one shape.
    #[error(
        "zarr.json of {node_path}: the member `chunk_grid` is {found}: expected `regular` or `zarrs.regular_bounded` with the one member `chunk_shape`"
    )]
    ChunkGrid {
        /// The node.
        node_path: String,
        /// The chunk grid, shortened.
        found: String,
    },
    /// The chunks have other keys than N5 blocks.
    #[error(
        "zarr.json of {node_path}: the member `chunk_key_encoding` is {found}: expected `v2` with the separator \"/\", the keys of N5 blocks"
    )]
    ChunkKeyEncoding {
        /// The node.
        node_path: String,
        /// The chunk key encoding, shortened.
        found: String,
    },
    /// The array has storage transformers.
    #[error(
        "zarr.json of {node_path}: the member `storage_transformers` is {found}: expected none, as N5 has none"
    )]
    StorageTransformers {
        /// The node.
        node_path: String,
        /// The storage transformers, shortened.
        found: String,
    },
    /// Some dimensions have names and others have none.
    #[error(
        "zarr.json of {node_path}: the member `dimension_names` is {found}: expected a name for every dimension or for none, as N5 keeps them as a list of strings, `axes`"
    )]
    UnnamedDimension {
        /// The node.
        node_path: String,
        /// The dimension names, shortened.
        found: String,
    },
    /// The data type is not one of N5.
    #[error("zarr.json of {node_path}: the member `data_type`: {source}")]
    DataType {
        /// The node.
        node_path: String,
        /// The name that was found.
        source: DataTypeError,
    },
    /// N5 cannot hold the shape or the chunk shape.
    #[error("zarr.json of {node_path}: the members `shape` and `chunk_grid`: {source}")]
    Shape {
        /// The node.
        node_path: String,
        /// The limit that is exceeded.
        source: ShapeError,
    },
    /// The codecs are not those of an N5 dataset.
    #[error("zarr.json of {node_path}: the member `codecs`: {source}")]
    Codecs {
        /// The node.
        node_path: String,
        /// What is different.
        source: CodecsError,
    },
    /// The document has an extension that must be understood.
    #[error(
        "zarr.json of {node_path}: N5 has no place for the extension `{member}`, which must be \
         understood: found {found}, expected no such member"
    )]
    Extension {
        /// The node.
        node_path: String,
        /// The name of the member.
        member: String,
        /// The JSON value that was found, shortened.
        found: String,
    },
    /// An attribute of an array has the name of a member that describes the dataset in N5.
    #[error(
        "zarr.json of {node_path}: the attribute `{attribute}` has the name of a member that \
         describes a dataset in attributes.json: rename it"
    )]
    ReservedAttribute {
        /// The node.
        node_path: String,
        /// The name of the attribute.
        attribute: String,
    },
    /// The attributes of a group would make it a dataset in N5.
    #[error(
        "zarr.json of {node_path}: with the attributes `dimensions` and `{attribute}` the group \
         would be a dataset in N5: rename one of them"
    )]
    GroupLikeDataset {
        /// The node.
        node_path: String,
        /// The name of the attribute beside `dimensions`.
        attribute: String,
    },
    /// `dimension_names` and the attribute `axes` contradict each other, and N5 has only `axes`.
    #[error(
        "zarr.json of {node_path}: the member `dimension_names` is {names}, but the attribute \
         `axes` is {axes}: N5 keeps both in `axes`, so they must be equal"
    )]
    Axes {
        /// The node.
        node_path: String,
        /// The dimension names, dimension 0 first, shortened.
        names: String,
        /// The attribute, shortened.
        axes: String,
    },
}

impl ConvertError {
    /// Whether the document itself is fine but says something that the other format cannot (an unsupported
    /// compression, data type, N5 version, …), as opposed to a malformed document.
    #[must_use]
    pub fn is_unsupported(&self) -> bool {
        match self {
            Self::Attributes(error) => error.is_unsupported(),
            Self::Codecs { source, .. } => source.is_unsupported(),
            Self::Document { .. } | Self::MissingMember { .. } | Self::InvalidMember { .. } => {
                false
            }
            Self::Shape { source, .. } => !matches!(
                source,
                ShapeError::RankMismatch { .. } | ShapeError::BlockLength { found: 0, .. }
            ),
            Self::Compression { .. }
            | Self::ZarrFormat { .. }
            | Self::NodeType { .. }
            | Self::FillValue { .. }
            | Self::ChunkGrid { .. }
            | Self::ChunkKeyEncoding { .. }
            | Self::StorageTransformers { .. }
            | Self::UnnamedDimension { .. }
            | Self::DataType { .. }
            | Self::Extension { .. }
            | Self::ReservedAttribute { .. }
            | Self::GroupLikeDataset { .. }
            | Self::Axes { .. } => true,
        }
    }
}
