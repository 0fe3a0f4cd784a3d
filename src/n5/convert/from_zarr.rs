//! `zarr.json`, read as far as N5 can say the same.

use serde_json::{Map, Value};
use zarrs_metadata::v3::MetadataV3;

use super::ConvertError;
use super::codec::compression_of_codecs;
use crate::n5::attributes::{DatasetAttributes, parse_object, quote, whole_numbers};
use crate::n5::{Compression, N5DataType};

const EXPECTED_SHAPE: &str = "a list of whole numbers, one per dimension";
const EXPECTED_NAMES: &str = "a list with one string or null per dimension";
const EXPECTED_CODECS: &str = "a list of codecs";
const EXPECTED_DATA_TYPE: &str = "the name of a data type, or an object with the member `name`";

/// What a `zarr.json` says, in the terms of N5.
pub(super) struct ZarrNode {
    /// `None` for a group.
    pub(super) array: Option<ZarrArray>,
    pub(super) attributes: Map<String, Value>,
}

pub(super) struct ZarrArray {
    pub(super) dataset: DatasetAttributes,
    /// One name per dimension, dimension 0 first.
    pub(super) dimension_names: Option<Vec<String>>,
}

/// Reads a `zarr.json`.
pub(super) fn read(document: &[u8], node_path: &str) -> Result<ZarrNode, ConvertError> {
    let members = parse_object(document).map_err(|source| ConvertError::Document {
        node_path: node_path.to_owned(),
        source,
    })?;
    Reader { members, node_path }.read()
}

/// Takes the members out of a document one by one; what is left at the end are extensions.
struct Reader<'a> {
    members: Map<String, Value>,
    node_path: &'a str,
}

impl Reader<'_> {
    fn read(mut self) -> Result<ZarrNode, ConvertError> {
        let zarr_format = self.take("zarr_format", "3")?;
        if zarr_format != 3 {
            return Err(ConvertError::ZarrFormat {
                node_path: self.path(),
                found: quote(&zarr_format),
            });
        }
        let node_type = self.take("node_type", "\"array\" or \"group\"")?;
        let array = match node_type.as_str() {
            Some("array") => Some(self.array()?),
            Some("group") => None,
            _ => {
                return Err(ConvertError::NodeType {
                    node_path: self.path(),
                    found: quote(&node_type),
                });
            }
        };
        let attributes = self.attributes()?;
        self.check_extensions()?;
        Ok(ZarrNode { array, attributes })
    }

    fn array(&mut self) -> Result<ZarrArray, ConvertError> {
        let shape = self.shape()?;
        let data_type = self.data_type()?;
        let block_size = self.chunk_shape()?;
        self.check_chunk_keys(shape.len())?;
        self.check_fill_value(data_type)?;
        self.check_storage_transformers()?;
        let compression = self.compression(shape.len(), data_type)?;
        let dimension_names = self.dimension_names(shape.len())?;
        let dataset = DatasetAttributes::new(shape, &block_size, data_type, compression).map_err(
            |source| ConvertError::Shape {
                node_path: self.path(),
                source,
            },
        )?;
        Ok(ZarrArray {
            dataset,
            dimension_names,
        })
    }

    fn shape(&mut self) -> Result<Vec<u64>, ConvertError> {
        let value = self.take("shape", EXPECTED_SHAPE)?;
        whole_numbers(&value).ok_or_else(|| self.invalid("shape", &value, EXPECTED_SHAPE))
    }

    fn data_type(&mut self) -> Result<N5DataType, ConvertError> {
        let value = self.take("data_type", EXPECTED_DATA_TYPE)?;
        let metadata = metadata(&value)
            .ok_or_else(|| self.invalid("data_type", &value, EXPECTED_DATA_TYPE))?;
        // The types of N5 have no configuration; one that has is named with it.
        let name = if metadata.configuration_is_none_or_empty() {
            metadata.name().to_owned()
        } else {
            quote(&value)
        };
        name.parse().map_err(|source| ConvertError::DataType {
            node_path: self.path(),
            source,
        })
    }

    fn chunk_shape(&mut self) -> Result<Vec<u64>, ConvertError> {
        let value = self.take("chunk_grid", "a chunk grid")?;
        metadata(&value)
            .filter(|grid| ["regular", "zarrs.regular_bounded"].contains(&grid.name()))
            .and_then(|grid| whole_numbers(only_member(&grid, "chunk_shape")?))
            .ok_or_else(|| ConvertError::ChunkGrid {
                node_path: self.path(),
                found: quote(&value),
            })
    }

    /// With one dimension there is no separator in a key, so that any one will do.
    fn check_chunk_keys(&mut self, ndim: usize) -> Result<(), ConvertError> {
        let value = self.take("chunk_key_encoding", "a chunk key encoding")?;
        let is_n5 = metadata(&value).is_some_and(|encoding| {
            let separator = if encoding.configuration_is_none_or_empty() {
                Some(".")
            } else {
                only_member(&encoding, "separator").and_then(Value::as_str)
            };
            encoding.name() == "v2"
                && (separator == Some("/") || separator == Some(".") && ndim == 1)
        });
        if is_n5 {
            Ok(())
        } else {
            Err(ConvertError::ChunkKeyEncoding {
                node_path: self.path(),
                found: quote(&value),
            })
        }
    }

    fn check_fill_value(&mut self, data_type: N5DataType) -> Result<(), ConvertError> {
        let value = self.take("fill_value", "0")?;
        if is_zero(&value, data_type) {
            Ok(())
        } else {
            Err(ConvertError::FillValue {
                node_path: self.path(),
                found: quote(&value),
            })
        }
    }

    fn check_storage_transformers(&mut self) -> Result<(), ConvertError> {
        match self.members.remove("storage_transformers") {
            Some(value) if value != Value::Array(Vec::new()) => {
                Err(ConvertError::StorageTransformers {
                    node_path: self.path(),
                    found: quote(&value),
                })
            }
            _ => Ok(()),
        }
    }

    fn compression(
        &mut self,
        ndim: usize,
        data_type: N5DataType,
    ) -> Result<Compression, ConvertError> {
        let value = self.take("codecs", EXPECTED_CODECS)?;
        let codecs = value
            .as_array()
            .ok_or_else(|| self.invalid("codecs", &value, EXPECTED_CODECS))?;
        compression_of_codecs(codecs, ndim, data_type).map_err(|source| ConvertError::Codecs {
            node_path: self.path(),
            source,
        })
    }

    /// Dimensions without any name count as no names.
    fn dimension_names(&mut self, ndim: usize) -> Result<Option<Vec<String>>, ConvertError> {
        let Some(value) = self.members.remove("dimension_names") else {
            return Ok(None);
        };
        let names = match &value {
            Value::Null => return Ok(None),
            Value::Array(names) if names.len() == ndim => names,
            _ => return Err(self.invalid("dimension_names", &value, EXPECTED_NAMES)),
        };
        if names.iter().all(Value::is_null) {
            return Ok(None);
        }
        names
            .iter()
            .map(|name| match name {
                Value::String(name) => Ok(name.clone()),
                Value::Null => Err(ConvertError::UnnamedDimension {
                    node_path: self.path(),
                    found: quote(&value),
                }),
                _ => Err(self.invalid("dimension_names", &value, EXPECTED_NAMES)),
            })
            .collect::<Result<Vec<_>, _>>()
            .map(Some)
    }

    fn attributes(&mut self) -> Result<Map<String, Value>, ConvertError> {
        match self.members.remove("attributes") {
            None => Ok(Map::new()),
            Some(Value::Object(attributes)) => Ok(attributes),
            Some(value) => Err(self.invalid("attributes", &value, "an object")),
        }
    }

    /// Extensions that need not be understood are dropped, consolidated metadata too: it repeats what the nodes
    /// themselves say, and some versions of zarr-python write `null` for none.
    fn check_extensions(&self) -> Result<(), ConvertError> {
        let extension = self.members.iter().find(|(name, value)| {
            *name != "consolidated_metadata" && value.get("must_understand") != Some(&false.into())
        });
        match extension {
            None => Ok(()),
            Some((member, value)) => Err(ConvertError::Extension {
                node_path: self.path(),
                member: member.clone(),
                found: quote(value),
            }),
        }
    }

    fn take(
        &mut self,
        member: &'static str,
        expected: &'static str,
    ) -> Result<Value, ConvertError> {
        self.members
            .remove(member)
            .ok_or_else(|| ConvertError::MissingMember {
                node_path: self.path(),
                member,
                expected,
            })
    }

    fn invalid(&self, member: &'static str, found: &Value, expected: &'static str) -> ConvertError {
        ConvertError::InvalidMember {
            node_path: self.path(),
            member,
            found: quote(found),
            expected,
        }
    }

    fn path(&self) -> String {
        self.node_path.to_owned()
    }
}

fn metadata(value: &Value) -> Option<MetadataV3> {
    serde_json::from_value(value.clone()).ok()
}

/// The value of a configuration's only member.
fn only_member<'a>(metadata: &'a MetadataV3, name: &str) -> Option<&'a Value> {
    metadata
        .configuration()
        .filter(|configuration| configuration.len() == 1)?
        .get(name)
}

/// Whether all bits of a fill value are zero. Floating point may write it in hexadecimal; -0.0 is another value.
fn is_zero(value: &Value, data_type: N5DataType) -> bool {
    let is_float = matches!(data_type, N5DataType::Float32 | N5DataType::Float64);
    match value {
        Value::Number(number) if is_float => {
            number.as_f64().is_some_and(|number| number.to_bits() == 0)
        }
        Value::Number(number) => number.as_u64() == Some(0),
        Value::String(text) if is_float => text.strip_prefix("0x").is_some_and(|digits| {
            digits.len() == 2 * data_type.size() && digits.bytes().all(|digit| digit == b'0')
        }),
        _ => false,
    }
}
