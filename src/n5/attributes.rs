//! `attributes.json`, the metadata document of N5, parsed.
//!
//! A document describes a *dataset* if it has the member `dimensions` and any of `blockSize`, `dataType`,
//! `compression` and `compressionType`. Then the members of a dataset must all be there and be right; anything
//! else is an error that names the node and the member. Every other document describes a *group*.
//!
//! Both keep the document as it was, the order of its members and all unknown members included.
//!
//! Dimensions, block sizes and all other vectors are in the order of N5: dimension 0 first, which is the fastest in
//! a block. Dimensions and block sizes count elements.
//!
//! ```
//! use zarrs_interop::n5::attributes::N5Metadata;
//!
//! let document = br#"{"dimensions": [3, 2], "blockSize": [3, 2], "axes": ["x", "y"]}"#;
//! let error = N5Metadata::parse(document, "/volumes/raw").unwrap_err();
//! assert!(error.to_string().contains("/volumes/raw"));
//! assert!(error.to_string().contains("`dataType` is missing"));
//! ```

mod error;
mod json;
mod reader;
mod shape;
mod version;

#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

pub use error::AttributesError;
pub use json::DocumentError;
pub use shape::ShapeError;

pub(crate) use json::{parse_object, quote, strings, to_bytes, whole_numbers};
pub(crate) use reader::compression_object;
pub(crate) use shape::check_shape;
pub(crate) use version::check_version;

use super::{Compression, N5DataType};
use json::check_depth;
use reader::DatasetReader;

pub(crate) const DIMENSIONS: &str = "dimensions";
pub(crate) const BLOCK_SIZE: &str = "blockSize";
pub(crate) const DATA_TYPE: &str = "dataType";
pub(crate) const COMPRESSION: &str = "compression";
/// Where N5 1.x keeps the name of the compression.
pub(crate) const COMPRESSION_TYPE: &str = "compressionType";
/// The sharding of N5 4.
pub(crate) const CODECS: &str = "codecs";
/// The version of the format.
pub(crate) const VERSION: &str = "n5";
/// The names of the dimensions, by convention of several N5 tools.
pub(crate) const AXES: &str = "axes";

/// Whether a member of a dataset describes its blocks, and so is no attribute.
pub(crate) fn is_dataset_member(name: &str) -> bool {
    [
        DIMENSIONS,
        BLOCK_SIZE,
        DATA_TYPE,
        COMPRESSION,
        COMPRESSION_TYPE,
    ]
    .contains(&name)
}

/// Whether a document describes a dataset, be it a good one or not.
pub(crate) fn describes_dataset(document: &Map<String, Value>) -> bool {
    document.contains_key(DIMENSIONS)
        && document
            .keys()
            .any(|name| name != DIMENSIONS && is_dataset_member(name))
}

/// A parsed `attributes.json`.
#[derive(Clone, Debug, PartialEq)]
pub enum N5Metadata {
    /// A group, with any attributes.
    Group(GroupAttributes),
    /// A dataset.
    Dataset(DatasetAttributes),
}

impl N5Metadata {
    /// Parses the bytes of an `attributes.json`. The node path is for the texts of errors.
    ///
    /// # Errors
    /// [`AttributesError`] if the document is not a JSON object, if its N5 version is newer than 4, or if it
    /// describes a dataset with a missing, wrong or unsupported member.
    pub fn parse(document: &[u8], node_path: &str) -> Result<Self, AttributesError> {
        let refused = |source| AttributesError::Document {
            node_path: node_path.to_owned(),
            source,
        };
        let document = parse_object(document).map_err(refused)?;
        check_depth(&document).map_err(refused)?;
        check_version(&document, node_path)?;
        if describes_dataset(&document) {
            DatasetReader::new(&document, node_path)
                .read()
                .map(|dataset| {
                    Self::Dataset(DatasetAttributes {
                        document,
                        ..dataset
                    })
                })
        } else {
            Ok(Self::Group(GroupAttributes { document }))
        }
    }

    /// The document, as it was parsed.
    #[must_use]
    pub fn to_json(&self) -> Map<String, Value> {
        match self {
            Self::Group(group) => group.to_json(),
            Self::Dataset(dataset) => dataset.to_json(),
        }
    }
}

/// The `attributes.json` of a group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupAttributes {
    document: Map<String, Value>,
}

impl GroupAttributes {
    /// Every member of the document, `n5` included.
    #[must_use]
    pub fn attributes(&self) -> &Map<String, Value> {
        &self.document
    }

    /// The document.
    #[must_use]
    pub fn to_json(&self) -> Map<String, Value> {
        self.document.clone()
    }
}

/// The `attributes.json` of a dataset.
#[derive(Clone, Debug, PartialEq)]
pub struct DatasetAttributes {
    dimensions: Vec<u64>,
    block_size: Vec<u32>,
    data_type: N5DataType,
    compression: Compression,
    document: Map<String, Value>,
}

impl DatasetAttributes {
    /// A dataset without further attributes. `dimensions` and `block_size` are in elements, dimension 0 first.
    ///
    /// # Errors
    /// [`ShapeError`] if N5 cannot hold the dimensions or the block size.
    pub fn new(
        dimensions: Vec<u64>,
        block_size: &[u64],
        data_type: N5DataType,
        compression: Compression,
    ) -> Result<Self, ShapeError> {
        let block_size = check_shape(&dimensions, block_size, data_type)?;
        let mut document = Map::new();
        document.insert(DIMENSIONS.to_owned(), dimensions.clone().into());
        document.insert(BLOCK_SIZE.to_owned(), block_size.clone().into());
        document.insert(DATA_TYPE.to_owned(), data_type.name().into());
        document.insert(COMPRESSION.to_owned(), compression.to_json().into());
        Ok(Self {
            dimensions,
            block_size,
            data_type,
            compression,
            document,
        })
    }

    /// The size of the dataset in elements, dimension 0 first. The shape of the Zarr array is the same list.
    #[must_use]
    pub fn dimensions(&self) -> &[u64] {
        &self.dimensions
    }

    /// The size of a block in elements, dimension 0 first.
    #[must_use]
    pub fn block_size(&self) -> &[u32] {
        &self.block_size
    }

    /// The type of an element.
    #[must_use]
    pub fn data_type(&self) -> N5DataType {
        self.data_type
    }

    /// How the blocks are compressed.
    #[must_use]
    pub fn compression(&self) -> &Compression {
        &self.compression
    }

    /// Every member that does not describe the blocks, in the order of the document, `n5` included.
    #[must_use]
    pub fn attributes(&self) -> Map<String, Value> {
        self.document
            .iter()
            .filter(|(name, _)| !is_dataset_member(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }

    /// The names of the dimensions, dimension 0 first: the member `axes` if it is a list with one string per
    /// dimension.
    #[must_use]
    pub fn axes(&self) -> Option<Vec<&str>> {
        strings(self.document.get(AXES)?, self.dimensions.len())
    }

    /// The document.
    #[must_use]
    pub fn to_json(&self) -> Map<String, Value> {
        self.document.clone()
    }
}
