//! The members of a dataset, read and checked one by one.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::json::{quote, whole_numbers};
use super::{
    AttributesError, BLOCK_SIZE, CODECS, COMPRESSION, COMPRESSION_TYPE, DATA_TYPE, DIMENSIONS,
    DatasetAttributes, check_shape,
};
use crate::n5::{Compression, N5DataType};

/// The member of a compression object that names its type.
const TYPE: &str = "type";

const EXPECTED_DIMENSIONS: &str = "a list of whole numbers, one per dimension";
const EXPECTED_BLOCK_SIZE: &str = "a list of whole numbers from 1 to 4294967295, one per dimension";
const EXPECTED_DATA_TYPE: &str = "the name of a data type, such as \"uint8\"";
const EXPECTED_COMPRESSION: &str = "an object with the member `type`, such as {\"type\":\"gzip\"}";
const EXPECTED_COMPRESSION_TYPE: &str = "the name of a compression, such as \"gzip\"";

/// A document that describes a dataset.
pub(super) struct DatasetReader<'a> {
    document: &'a Map<String, Value>,
    node_path: &'a str,
}

impl<'a> DatasetReader<'a> {
    pub(super) fn new(document: &'a Map<String, Value>, node_path: &'a str) -> Self {
        Self {
            document,
            node_path,
        }
    }

    /// The dataset, without its document.
    pub(super) fn read(&self) -> Result<DatasetAttributes, AttributesError> {
        if self.document.contains_key(CODECS) {
            return Err(AttributesError::Sharded {
                node_path: self.node_path.to_owned(),
            });
        }
        let dimensions = self.dimensions()?;
        let block_size = self.block_size()?;
        let data_type = self.data_type()?;
        let block_size = check_shape(&dimensions, &block_size, data_type).map_err(|source| {
            AttributesError::Shape {
                node_path: self.node_path.to_owned(),
                source,
            }
        })?;
        Ok(DatasetAttributes {
            dimensions,
            block_size,
            data_type,
            compression: self.compression()?,
            document: Map::new(),
        })
    }

    fn dimensions(&self) -> Result<Vec<u64>, AttributesError> {
        let value = self.member(DIMENSIONS, EXPECTED_DIMENSIONS)?;
        whole_numbers(value).ok_or_else(|| self.invalid(DIMENSIONS, value, EXPECTED_DIMENSIONS))
    }

    fn block_size(&self) -> Result<Vec<u64>, AttributesError> {
        let value = self.member(BLOCK_SIZE, EXPECTED_BLOCK_SIZE)?;
        whole_numbers(value)
            .filter(|lengths| {
                lengths
                    .iter()
                    .all(|length| (1..=u64::from(u32::MAX)).contains(length))
            })
            .ok_or_else(|| self.invalid(BLOCK_SIZE, value, EXPECTED_BLOCK_SIZE))
    }

    fn data_type(&self) -> Result<N5DataType, AttributesError> {
        let value = self.member(DATA_TYPE, EXPECTED_DATA_TYPE)?;
        let name = value
            .as_str()
            .ok_or_else(|| self.invalid(DATA_TYPE, value, EXPECTED_DATA_TYPE))?;
        name.parse().map_err(|source| AttributesError::DataType {
            node_path: self.node_path.to_owned(),
            source,
        })
    }

    fn compression(&self) -> Result<Compression, AttributesError> {
        let object = self.compression_object()?;
        Compression::from_json(&object).map_err(|source| AttributesError::Compression {
            node_path: self.node_path.to_owned(),
            source: source.into(),
        })
    }

    /// The object whose type is sure to be a string.
    fn compression_object(&self) -> Result<Cow<'a, Map<String, Value>>, AttributesError> {
        match compression_object(self.document) {
            Some(object) => Ok(object),
            None => Err(match self.document.get(COMPRESSION) {
                Some(value) => self.invalid(COMPRESSION, value, EXPECTED_COMPRESSION),
                None => match self.document.get(COMPRESSION_TYPE) {
                    Some(value) => self.invalid(COMPRESSION_TYPE, value, EXPECTED_COMPRESSION_TYPE),
                    None => self.missing(COMPRESSION, EXPECTED_COMPRESSION),
                },
            }),
        }
    }

    fn member(
        &self,
        member: &'static str,
        expected: &'static str,
    ) -> Result<&'a Value, AttributesError> {
        self.document
            .get(member)
            .ok_or_else(|| self.missing(member, expected))
    }

    fn missing(&self, member: &'static str, expected: &'static str) -> AttributesError {
        AttributesError::MissingMember {
            node_path: self.node_path.to_owned(),
            member,
            expected,
        }
    }

    fn invalid(
        &self,
        member: &'static str,
        found: &Value,
        expected: &'static str,
    ) -> AttributesError {
        AttributesError::InvalidMember {
            node_path: self.node_path.to_owned(),
            member,
            found: quote(found),
            expected,
        }
    }
}

/// The `compression` of a document, or the `compressionType` of N5 1.x as such an object. `None` if there is none
/// whose type is a string.
pub(crate) fn compression_object(
    document: &Map<String, Value>,
) -> Option<Cow<'_, Map<String, Value>>> {
    if let Some(compression) = document.get(COMPRESSION) {
        let object = compression.as_object()?;
        object.get(TYPE)?.as_str()?;
        Some(Cow::Borrowed(object))
    } else {
        let name = document.get(COMPRESSION_TYPE)?.as_str()?;
        Some(Cow::Owned(Map::from_iter([(TYPE.to_owned(), name.into())])))
    }
}
