//! [`MetadataError`]: what can be wrong with the metadata of a node.

use std::error::Error;
use std::fmt;

use thiserror::Error;

use super::compression::CompressionError;
use super::convert::codec::CodecsError;
use super::data_type::DataTypeError;
use super::json::DocumentError;
use super::members::MemberError;
use super::shape::ShapeError;

/// A metadata document that cannot be read, or that says what the other format cannot.
///
/// Its text names the document and the node, then what was found and what was expected.
#[derive(Debug)]
pub struct MetadataError {
    node_path: Box<str>,
    document: MetadataDocument,
    kind: Box<MetadataErrorKind>,
}

impl MetadataError {
    pub(crate) fn new(
        node_path: &str,
        document: MetadataDocument,
        kind: impl Into<MetadataErrorKind>,
    ) -> Self {
        Self {
            node_path: node_path.into(),
            document,
            kind: Box::new(kind.into()),
        }
    }

    /// The path of the node, such as `/volumes/raw`.
    #[must_use]
    pub fn node_path(&self) -> &str {
        &self.node_path
    }

    /// The name of the document at fault: `attributes.json` or `zarr.json`.
    #[must_use]
    pub fn document(&self) -> &'static str {
        self.document.name()
    }

    /// Whether the document itself is fine but says something that this crate or the other format
    /// cannot (an unsupported compression, data type, N5 version, block size, …), as opposed to a
    /// malformed document.
    #[must_use]
    pub fn is_unsupported(&self) -> bool {
        self.kind.is_unsupported(self.document)
    }
}

impl fmt::Display for MetadataError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            node_path,
            document,
            kind,
        } = self;
        let document = document.name();
        match **kind {
            MetadataErrorKind::MissingDatasetMember { .. } => {
                write!(formatter, "{document} of {node_path} {kind}")
            }
            _ => write!(formatter, "{document} of {node_path}: {kind}"),
        }
    }
}

impl Error for MetadataError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.kind.source()
    }
}

/// One of the two metadata documents of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MetadataDocument {
    /// `attributes.json`.
    N5,
    /// `zarr.json`.
    Zarr,
}

impl MetadataDocument {
    const fn name(self) -> &'static str {
        match self {
            Self::N5 => "attributes.json",
            Self::Zarr => "zarr.json",
        }
    }
}

/// What is wrong with a document. Neither the document nor the node is named here.
#[derive(Debug, Error)]
pub(crate) enum MetadataErrorKind {
    /// The document is not a JSON object.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// A dataset of N5 lacks one of its members.
    #[error("describes a dataset, but its member `{member}` is missing: expected {expected}")]
    MissingDatasetMember { member: String, expected: String },
    /// A member is missing.
    #[error("the member `{member}` is missing: expected {expected}")]
    MissingMember { member: String, expected: String },
    /// A member has the wrong type or an impossible value.
    #[error("the member `{member}` is {found}: expected {expected}")]
    InvalidMember {
        member: String,
        found: String,
        expected: String,
    },
    /// A member is right in itself, but the other format, or this crate, cannot say the same.
    #[error("the member `{member}` is {found}: expected {expected}")]
    UnsupportedMember {
        member: &'static str,
        found: String,
        expected: String,
    },
    /// The shapes are lists of numbers, but not ones that N5 allows.
    #[error("the members {members}: {source}")]
    Shape {
        members: &'static str,
        source: ShapeError,
    },
    /// The data type is one that blocks in default mode cannot hold.
    #[error("the member `{member}`: {source}")]
    DataType {
        member: &'static str,
        source: DataTypeError,
    },
    /// The compression is not supported, or one of its members is wrong.
    #[error("{0}")]
    Compression(#[source] Box<CompressionError>),
    /// The compression is right, but has no codec here.
    #[error("{0}")]
    NoCodec(#[source] Box<CompressionError>),
    /// The dataset is sharded, as N5 4 can be: it has the member `codecs`.
    #[error(
        "the member `codecs` says that the dataset is sharded, which is not supported: expected \
         `compression` only"
    )]
    Sharded,
    /// The codecs are not those of an N5 dataset.
    #[error("the member `codecs`: {0}")]
    Codecs(#[source] CodecsError),
    /// The document has an extension that must be understood.
    #[error(
        "N5 has no place for the extension `{member}`, which must be understood: found {found}, \
         expected no such member"
    )]
    Extension { member: String, found: String },
    /// An attribute of an array has the name of a member that describes the dataset in N5.
    #[error(
        "the attribute `{attribute}` has the name of a member that describes a dataset in \
         attributes.json: rename it"
    )]
    ReservedAttribute { attribute: String },
    /// The attributes of a group would make it a dataset in N5.
    #[error(
        "with the attributes `dimensions` and `{attribute}` the group would be a dataset in N5: \
         rename one of them"
    )]
    GroupLikeDataset { attribute: String },
    /// `dimension_names` and the attribute `axes` contradict each other, and N5 has only `axes`.
    #[error(
        "the member `dimension_names` is {names}, but the attribute `axes` is {axes}: N5 keeps \
         both in `axes`, so they must be equal"
    )]
    Axes { names: String, axes: String },
}

impl MetadataErrorKind {
    fn is_unsupported(&self, document: MetadataDocument) -> bool {
        match self {
            Self::Document(_)
            | Self::MissingDatasetMember { .. }
            | Self::MissingMember { .. }
            | Self::InvalidMember { .. } => false,
            Self::Shape { source, .. } => match document {
                MetadataDocument::N5 => matches!(source, ShapeError::BlockBytes { .. }),
                MetadataDocument::Zarr => !matches!(
                    source,
                    ShapeError::BlockDimensionality { .. }
                        | ShapeError::BlockLength { found: 0, .. }
                ),
            },
            Self::Compression(source) => {
                matches!(**source, CompressionError::UnsupportedType { .. })
            }
            Self::Codecs(source) => source.is_unsupported(),
            Self::UnsupportedMember { .. }
            | Self::DataType { .. }
            | Self::NoCodec(_)
            | Self::Sharded
            | Self::Extension { .. }
            | Self::ReservedAttribute { .. }
            | Self::GroupLikeDataset { .. }
            | Self::Axes { .. } => true,
        }
    }
}

/// A member of a `zarr.json`. One of a dataset of N5 has a text of its own when it is missing.
impl From<MemberError> for MetadataErrorKind {
    fn from(error: MemberError) -> Self {
        let MemberError {
            member,
            expected,
            found,
        } = error;
        match found {
            None => Self::MissingMember { member, expected },
            Some(found) => Self::InvalidMember {
                member,
                found,
                expected,
            },
        }
    }
}
