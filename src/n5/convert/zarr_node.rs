//! [`ZarrNode`]: a `zarr.json`, read as far as N5 can say the same.

use serde_json::Value;
use zarrs_metadata::v3::MetadataV3;

use super::chunk_grid::{CHUNK_SHAPE, ChunkGrid};
use super::codec::{compression_of_codecs, presentation_of_codecs};
use super::names::{ATTRIBUTES, MULTISCALES, OME};
use super::presentation::{Presentation, only_member};
use crate::n5::attributes::DatasetAttributes;
use crate::n5::compression::Compression;
use crate::n5::data_type::N5DataType;
use crate::n5::error_text::{quote, shortened};
use crate::n5::json::Document;
use crate::n5::members::{MemberError, whole_numbers};
use crate::n5::metadata_error::MetadataErrorKind;

const EXPECTED_SHAPE: &str = "a list of whole numbers, one per dimension";
const EXPECTED_NAMES: &str = "a list with one string or null per dimension";
const EXPECTED_CODECS: &str = "a list of codecs";
const EXPECTED_DATA_TYPE: &str = "the name of a data type, or an object with the member `name`";

/// The member with the chunk grid.
pub(super) const CHUNK_GRID: &str = "chunk_grid";

/// The members of every node; consolidated metadata repeats what the nodes themselves say.
const NODE_MEMBERS: [&str; 4] = [
    "zarr_format",
    "node_type",
    ATTRIBUTES,
    "consolidated_metadata",
];

/// The members of an array besides those of every node.
const ARRAY_MEMBERS: [&str; 8] = [
    "shape",
    "data_type",
    CHUNK_GRID,
    "chunk_key_encoding",
    "fill_value",
    "storage_transformers",
    "codecs",
    "dimension_names",
];

/// What a `zarr.json` says, in the terms of N5.
pub(super) struct ZarrNode<'a> {
    /// `None` for a group.
    pub(super) array: Option<ZarrArray>,
    pub(super) attributes: Document<'a>,
}

pub(super) struct ZarrArray {
    pub(super) dataset: DatasetAttributes,
    /// One name per dimension, dimension 0 first.
    pub(super) dimension_names: Option<Vec<String>>,
    pub(super) grid: ChunkGrid,
    pub(super) presentation: Presentation,
}

impl<'a> ZarrNode<'a> {
    /// Reads a `zarr.json`.
    pub(super) fn read(document: &'a Document<'a>) -> Result<Self, MetadataErrorKind> {
        let reader = Reader { document };
        let zarr_format = reader.member("zarr_format", "3")?;
        if zarr_format != 3 {
            return Err(unsupported("zarr_format", &zarr_format, "3"));
        }
        let node_type = reader.member("node_type", "\"array\" or \"group\"")?;
        let array = match node_type.as_str() {
            Some("array") => Some(reader.array()?),
            Some("group") => None,
            _ => {
                return Err(unsupported(
                    "node_type",
                    &node_type,
                    "\"array\" or \"group\"",
                ));
            }
        };
        let attributes = reader.attributes()?;
        reader.check_extensions(array.is_some())?;
        Ok(Self { array, attributes })
    }

    /// Whether it is a group that OME-Zarr 0.5 describes as an image.
    pub(super) fn has_ome_image(&self) -> bool {
        let ome = self.attributes.get(OME).map(Document::of_json);
        let is_image = ome.is_some_and(|ome| ome.is_ok_and(|ome| ome.contains(MULTISCALES)));
        is_image && self.array.is_none()
    }
}

struct Reader<'a> {
    document: &'a Document<'a>,
}

impl<'a> Reader<'a> {
    fn array(&self) -> Result<ZarrArray, MetadataErrorKind> {
        let shape = self.shape()?;
        let data_type = self.data_type()?;
        let (grid, block_size) = self.chunk_grid()?;
        let presentation = self.presentation(shape.len())?;
        let order = presentation.order();
        self.check_chunk_keys(shape.len(), presentation)?;
        self.check_fill_value(data_type)?;
        self.check_storage_transformers()?;
        let compression = self.compression(shape.len(), data_type)?;
        let dimension_names = self.dimension_names(shape.len())?;
        let (shape, block_size) = (order.between(shape), order.between(block_size));
        let dataset = DatasetAttributes::new(shape, &block_size, data_type, compression).map_err(
            |source| MetadataErrorKind::Shape {
                members: "`shape` and `chunk_grid`",
                source,
            },
        )?;
        Ok(ZarrArray {
            dataset,
            dimension_names: dimension_names.map(|names| order.between(names)),
            grid,
            presentation,
        })
    }

    fn shape(&self) -> Result<Vec<u64>, MetadataErrorKind> {
        let value = self.member("shape", EXPECTED_SHAPE)?;
        whole_numbers(&value).ok_or_else(|| invalid("shape", &value, EXPECTED_SHAPE))
    }

    fn data_type(&self) -> Result<N5DataType, MetadataErrorKind> {
        let value = self.member("data_type", EXPECTED_DATA_TYPE)?;
        let metadata =
            metadata(&value).ok_or_else(|| invalid("data_type", &value, EXPECTED_DATA_TYPE))?;
        // The types of N5 have no configuration; one that has is named with it.
        let name = if metadata.configuration_is_none_or_empty() {
            metadata.name().to_owned()
        } else {
            quote(&value)
        };
        name.parse().map_err(|source| MetadataErrorKind::DataType {
            member: "data_type",
            source,
        })
    }

    fn chunk_grid(&self) -> Result<(ChunkGrid, Vec<u64>), MetadataErrorKind> {
        let value = self.member(CHUNK_GRID, "a chunk grid")?;
        let grid = metadata(&value).and_then(|metadata| {
            let grid = ChunkGrid::of_name(metadata.name())?;
            let block_size = whole_numbers(only_member(&metadata, CHUNK_SHAPE)?)?;
            Some((grid, block_size))
        });
        grid.ok_or_else(|| {
            let expected = "`regular` or `zarrs.regular_bounded` with the one member `chunk_shape`";
            unsupported(CHUNK_GRID, &value, expected)
        })
    }

    fn check_chunk_keys(
        &self,
        dimensionality: usize,
        presentation: Presentation,
    ) -> Result<(), MetadataErrorKind> {
        let value = self.member("chunk_key_encoding", "a chunk key encoding")?;
        let is_n5 =
            metadata(&value).is_some_and(|keys| presentation.has_keys(&keys, dimensionality));
        if is_n5 {
            Ok(())
        } else {
            let expected = presentation.expected_keys(dimensionality);
            Err(unsupported("chunk_key_encoding", &value, &expected))
        }
    }

    fn check_fill_value(&self, data_type: N5DataType) -> Result<(), MetadataErrorKind> {
        let value = self.member("fill_value", "0")?;
        if is_zero(&value, data_type) {
            Ok(())
        } else {
            let expected = "0, the only fill value of N5";
            Err(unsupported("fill_value", &value, expected))
        }
    }

    fn check_storage_transformers(&self) -> Result<(), MetadataErrorKind> {
        match self.document.parsed("storage_transformers")? {
            Some(value) if value != Value::Array(Vec::new()) => {
                let expected = "none, as N5 has none";
                Err(unsupported("storage_transformers", &value, expected))
            }
            _ => Ok(()),
        }
    }

    fn presentation(&self, dimensionality: usize) -> Result<Presentation, MetadataErrorKind> {
        let value = self.member("codecs", EXPECTED_CODECS)?;
        let codecs = value.as_array().map(Vec::as_slice);
        let (presentation, _) = presentation_of_codecs(codecs.unwrap_or_default(), dimensionality);
        Ok(presentation)
    }

    fn compression(
        &self,
        dimensionality: usize,
        data_type: N5DataType,
    ) -> Result<Compression, MetadataErrorKind> {
        let value = self.member("codecs", EXPECTED_CODECS)?;
        let codecs = value
            .as_array()
            .ok_or_else(|| invalid("codecs", &value, EXPECTED_CODECS))?;
        let (_, codecs) = presentation_of_codecs(codecs, dimensionality);
        compression_of_codecs(codecs, dimensionality, data_type).map_err(MetadataErrorKind::Codecs)
    }

    /// Dimensions without any name count as no names.
    fn dimension_names(
        &self,
        dimensionality: usize,
    ) -> Result<Option<Vec<String>>, MetadataErrorKind> {
        let Some(value) = self.document.parsed("dimension_names")? else {
            return Ok(None);
        };
        let names = match &value {
            Value::Null => return Ok(None),
            Value::Array(names) if names.len() == dimensionality => names,
            _ => return Err(invalid("dimension_names", &value, EXPECTED_NAMES)),
        };
        if names.iter().all(Value::is_null) {
            return Ok(None);
        }
        names
            .iter()
            .map(|name| match name {
                Value::String(name) => Ok(name.clone()),
                Value::Null => {
                    let expected = "a name for every dimension or for none, as N5 keeps them as \
                                    a list of strings, `axes`";
                    Err(unsupported("dimension_names", &value, expected))
                }
                _ => Err(invalid("dimension_names", &value, EXPECTED_NAMES)),
            })
            .collect::<Result<Vec<_>, _>>()
            .map(Some)
    }

    fn attributes(&self) -> Result<Document<'a>, MetadataErrorKind> {
        let Some(attributes) = self.document.get(ATTRIBUTES) else {
            return Ok(Document::default());
        };
        Document::of_json(attributes).map_err(|_| MetadataErrorKind::InvalidMember {
            member: ATTRIBUTES.to_owned(),
            found: shortened(attributes),
            expected: "an object".to_owned(),
        })
    }

    /// Extensions that need not be understood are dropped, consolidated metadata too, for which
    /// some versions of zarr-python write `null`.
    fn check_extensions(&self, is_array: bool) -> Result<(), MetadataErrorKind> {
        let extension = self.document.members().find(|(name, value)| {
            let name = name.as_ref();
            let is_known =
                NODE_MEMBERS.contains(&name) || is_array && ARRAY_MEMBERS.contains(&name);
            !is_known
                && Document::of_json(value)
                    .ok()
                    .is_none_or(|object| object.get("must_understand") != Some("false"))
        });
        match extension {
            None => Ok(()),
            Some((member, value)) => Err(MetadataErrorKind::Extension {
                member: member.into_owned(),
                found: shortened(value),
            }),
        }
    }

    fn member(&self, member: &str, expected: &str) -> Result<Value, MetadataErrorKind> {
        let value = self.document.parsed(member)?;
        Ok(value.ok_or_else(|| MemberError::missing(member, expected))?)
    }
}

fn invalid(member: &str, found: &Value, expected: &str) -> MetadataErrorKind {
    MemberError::invalid(member, expected, found).into()
}

fn unsupported(member: &'static str, found: &Value, expected: &str) -> MetadataErrorKind {
    MetadataErrorKind::UnsupportedMember {
        member,
        found: quote(found),
        expected: expected.to_owned(),
    }
}

fn metadata(value: &Value) -> Option<MetadataV3> {
    serde_json::from_value(value.clone()).ok()
}

/// Whether all bits of a fill value are zero. Floating point may write it in hexadecimal; -0.0 is
/// another value.
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
