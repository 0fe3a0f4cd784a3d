//! [`DatasetAttributes`]: the `attributes.json` of a dataset.

use serde_json::{Map, Value};

use super::layout::{
    AXES, BLOCK_SIZE, CODECS, COMPRESSION, COMPRESSION_TYPE, DATA_TYPE, DIMENSIONS,
    compression_object, dataset_members, is_dataset_member,
};
use crate::n5::compression::Compression;
use crate::n5::data_type::N5DataType;
use crate::n5::json::Document;
use crate::n5::members::{MemberError, Members, strings, whole_number, whole_numbers};
use crate::n5::metadata_error::MetadataErrorKind;
use crate::n5::shape::{ShapeError, check_shape};

const EXPECTED_DIMENSIONS: &str = "a list of whole numbers, one per dimension";
const EXPECTED_BLOCK_SIZE: &str = "a list of whole numbers from 1 to 4294967295, one per dimension";
const EXPECTED_DATA_TYPE: &str = "the name of a data type, such as \"uint8\"";
const EXPECTED_COMPRESSION: &str = "an object with the member `type`, such as {\"type\":\"gzip\"}";
const EXPECTED_COMPRESSION_TYPE: &str = "the name of a compression, such as \"gzip\"";

/// The `attributes.json` of a dataset.
///
/// The members that do not describe the blocks are held as text; their values are made when they
/// are asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct DatasetAttributes {
    dimensions: Vec<u64>,
    block_size: Vec<u32>,
    data_type: N5DataType,
    compression: Compression,
    axes: Option<Vec<String>>,
    document: Document<'static>,
}

impl DatasetAttributes {
    /// A dataset without further attributes. `dimensions` and `block_size` are in elements,
    /// dimension 0 first.
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
        let mut members = Map::new();
        members.insert(DIMENSIONS.to_owned(), dimensions.clone().into());
        members.insert(BLOCK_SIZE.to_owned(), block_size.clone().into());
        members.insert(DATA_TYPE.to_owned(), data_type.name().into());
        members.insert(COMPRESSION.to_owned(), compression.to_json().into());
        Ok(Self {
            dimensions,
            block_size,
            data_type,
            compression,
            axes: None,
            document: Document::from(&members),
        })
    }

    /// Reads a document that describes a dataset.
    pub(super) fn read(document: Document<'static>) -> Result<Self, MetadataErrorKind> {
        if document.contains(CODECS) {
            return Err(MetadataErrorKind::Sharded);
        }
        let values = dataset_members(&document)?;
        let members = Members::new(&values);
        let dimensions = members
            .required(DIMENSIONS, EXPECTED_DIMENSIONS, whole_numbers)
            .map_err(of_dataset)?;
        let block_size = members
            .required(BLOCK_SIZE, EXPECTED_BLOCK_SIZE, block_lengths)
            .map_err(of_dataset)?;
        let data_type = members
            .required(DATA_TYPE, EXPECTED_DATA_TYPE, Value::as_str)
            .map_err(of_dataset)?
            .parse()
            .map_err(|source| MetadataErrorKind::DataType {
                member: DATA_TYPE,
                source,
            })?;
        let block_size = check_shape(&dimensions, &block_size, data_type).map_err(|source| {
            MetadataErrorKind::Shape {
                members: "`dimensions` and `blockSize`",
                source,
            }
        })?;
        // A list that holds NaN, or is too large to be parsed, holds other things than names.
        let axes = document.parsed(AXES).ok().flatten();
        let axes = axes.and_then(|axes| {
            let names = strings(&axes, dimensions.len())?;
            Some(names.into_iter().map(str::to_owned).collect())
        });
        Ok(Self {
            dimensions,
            block_size,
            data_type,
            compression: compression(&values).map_err(|kind| *kind)?,
            axes,
            document,
        })
    }

    /// The size of the dataset in elements, dimension 0 first. The shape of the Zarr array is the
    /// same list.
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
        self.document.to_map(|name| !is_dataset_member(name))
    }

    /// The names of the dimensions, dimension 0 first: the member `axes` if it is a list with one
    /// string per dimension.
    #[must_use]
    pub fn axes(&self) -> Option<Vec<&str>> {
        let axes = self.axes.as_ref()?;
        Some(axes.iter().map(String::as_str).collect())
    }

    /// The document.
    #[must_use]
    pub fn to_json(&self) -> Map<String, Value> {
        self.document.to_map(|_| true)
    }

    pub(crate) fn document(&self) -> &Document<'static> {
        &self.document
    }
}

/// The error of a member without which there is no dataset.
fn of_dataset(error: MemberError) -> MetadataErrorKind {
    match MetadataErrorKind::from(error) {
        MetadataErrorKind::MissingMember { member, expected } => {
            MetadataErrorKind::MissingDatasetMember { member, expected }
        }
        kind => kind,
    }
}

/// A list of whole numbers that fit the 32 bits of a block's header.
fn block_lengths(value: &Value) -> Option<Vec<u64>> {
    let is_length = |length: &u32| *length > 0;
    let lengths = value.as_array()?.iter();
    lengths
        .map(|length| whole_number(length).filter(is_length).map(u64::from))
        .collect()
}

fn compression(members: &Map<String, Value>) -> Result<Compression, Box<MetadataErrorKind>> {
    let Some(object) = compression_object(members) else {
        let error = match (members.get(COMPRESSION), members.get(COMPRESSION_TYPE)) {
            (Some(value), _) => MemberError::invalid(COMPRESSION, EXPECTED_COMPRESSION, value),
            (None, Some(name)) => {
                MemberError::invalid(COMPRESSION_TYPE, EXPECTED_COMPRESSION_TYPE, name)
            }
            (None, None) => MemberError::missing(COMPRESSION, EXPECTED_COMPRESSION),
        };
        return Err(Box::new(of_dataset(error)));
    };
    Compression::from_json(&object)
        .map_err(|source| Box::new(MetadataErrorKind::Compression(source.into())))
}
