//! `attributes.json` as Zarr V3 metadata.

use std::collections::HashSet;

use serde::Serialize;
use serde_json::Value;
use zarrs_metadata::v3::{ArrayMetadataV3, FillValueMetadataV3, GroupMetadataV3, MetadataV3};

use super::chunk_grid::ChunkGrid;
use super::codec::codec_metadata;
use super::names::{ATTRIBUTES, MULTISCALES, OME};
use super::presentation::Presentation;
use crate::n5::attributes::layout::{describes_dataset, is_dataset_member};
use crate::n5::attributes::{DatasetAttributes, GroupAttributes, N5Metadata};
use crate::n5::compression::CompressionError;
use crate::n5::json::{Document, ObjectWriter, Shift, readable};
use crate::n5::metadata_error::{MetadataDocument, MetadataError, MetadataErrorKind};

/// Whether an `attributes.json` describes a dataset, be it a good one or not. For walks through a
/// hierarchy.
///
/// # Errors
/// [`MetadataError`] if the document is not a JSON object.
pub fn is_dataset(attributes: &[u8], node_path: &str) -> Result<bool, MetadataError> {
    match Document::of_attributes(attributes) {
        Ok(document) => Ok(describes_dataset(&document)),
        Err(error) => Err(MetadataError::new(node_path, MetadataDocument::N5, error)),
    }
}

/// The `zarr.json` that says what an `attributes.json` says. Equal bytes give equal bytes.
///
/// The attributes stand in it as they were written, but `NaN`, `Infinity`, `-Infinity` and numbers
/// beyond 64-bit floating point as the strings `"NaN"`, `"Infinity"` and `"-Infinity"`.
///
/// # Errors
/// [`MetadataError`] if the document is malformed or says something that is not supported, also a
/// compression that needs a feature of this crate that is off.
pub fn attributes_to_zarr(
    attributes: &[u8],
    node_path: &str,
    grid: ChunkGrid,
) -> Result<Vec<u8>, MetadataError> {
    let options = ZarrOptions {
        grid,
        ..ZarrOptions::default()
    };
    attributes_to_document(attributes, node_path, &options)
}

/// What a `zarr.json` is to be beyond what the `attributes.json` says.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ZarrOptions<'a> {
    pub(crate) grid: ChunkGrid,
    pub(crate) presentation: Presentation,
    /// The attribute `ome` of a group. It takes the place of `multiscales`.
    pub(crate) ome: Option<&'a Value>,
    /// The names of the dimensions, dimension 0 first, instead of `axes`.
    pub(crate) dimension_names: Option<&'a [String]>,
}

impl ZarrOptions<'_> {
    /// Whether an attribute of a group is copied.
    fn is_copied(&self, name: &str) -> bool {
        self.ome.is_none() || !matches!(name, OME | MULTISCALES)
    }
}

/// The same as [`attributes_to_zarr`] with `options`.
pub(crate) fn attributes_to_document(
    attributes: &[u8],
    node_path: &str,
    options: &ZarrOptions<'_>,
) -> Result<Vec<u8>, MetadataError> {
    let text = match N5Metadata::parse(attributes, node_path)? {
        N5Metadata::Group(group) => {
            let copied = |name: &str| options.is_copied(name);
            with_attributes(
                &GroupMetadataV3::new(),
                group.document(),
                copied,
                options.ome,
            )
        }
        N5Metadata::Dataset(dataset) => {
            let metadata = bare_array_metadata(&dataset, options).map_err(|source| {
                let kind = MetadataErrorKind::NoCodec(source.into());
                MetadataError::new(node_path, MetadataDocument::N5, kind)
            })?;
            let copied = |name: &str| !is_dataset_member(name);
            with_attributes(&metadata, dataset.document(), copied, None)
        }
    };
    Ok(text.into_bytes())
}

/// The text of `metadata`, which has no attributes, with the `wanted` members of a document as its
/// attributes, and the attribute `ome` if there is one.
fn with_attributes(
    metadata: &impl Serialize,
    attributes: &Document<'_>,
    wanted: impl Fn(&str) -> bool,
    ome: Option<&Value>,
) -> String {
    // Metadata of Zarr has only strings as keys, so that it always is a value.
    let members = serde_json::to_value(metadata).unwrap_or_default();
    let mut text = String::new();
    let mut document = ObjectWriter::new(&mut text, 0);
    for (name, value) in members.as_object().into_iter().flatten() {
        Shift::In.push(document.member(name), &format!("{value:#}"));
    }
    let mut attributes = attributes
        .members()
        .filter(|(name, _)| wanted(name))
        .peekable();
    if attributes.peek().is_some() || ome.is_some() {
        let mut object = ObjectWriter::new(document.member(ATTRIBUTES), 1);
        for (name, value) in attributes {
            Shift::In.push(object.member(&name), &readable(value));
        }
        if let Some(ome) = ome {
            let text = format!("{ome:#}");
            // Once for each of the two objects that it stands in.
            let mut within = String::new();
            Shift::In.push(&mut within, &text);
            Shift::In.push(object.member(OME), &within);
        }
        object.finish();
    }
    document.finish();
    text
}

/// The metadata of a dataset without its attributes.
fn bare_array_metadata(
    dataset: &DatasetAttributes,
    options: &ZarrOptions<'_>,
) -> Result<ArrayMetadataV3, CompressionError> {
    let dimensionality = dataset.dimensions().len();
    let presentation = options.presentation.of_dimensionality(dimensionality);
    let order = presentation.order();
    let (data_type, compression) = (dataset.data_type(), dataset.compression());
    let codecs = codec_metadata(dimensionality, data_type, compression, presentation)?;
    let metadata = ArrayMetadataV3::new(
        order.between(dataset.dimensions().to_vec()),
        options
            .grid
            .metadata(&order.between(dataset.block_size().to_vec())),
        MetadataV3::new(dataset.data_type().name()),
        FillValueMetadataV3::Number(0.into()),
        codecs,
    );
    let given = options
        .dimension_names
        .filter(|names| names.len() == dimensionality);
    let given = given.map(|names| names.iter().map(String::as_str).collect());
    let names = given.or_else(|| dataset.axes().filter(|names| are_distinct(names)));
    Ok(metadata
        .with_chunk_key_encoding(presentation.keys(dimensionality))
        .with_dimension_names(names.map(|names| order.between(names))))
}

/// Whether no two dimensions have the same name. Empty names are none.
pub(super) fn are_distinct<S: AsRef<str>>(names: &[S]) -> bool {
    let mut seen = HashSet::new();
    let mut names = names.iter().map(AsRef::as_ref);
    names.all(|name| name.is_empty() || seen.insert(name))
}

impl DatasetAttributes {
    /// The metadata of the Zarr array that reads this dataset. Its shape is `dimensions`, in the
    /// same order.
    ///
    /// # Errors
    /// [`CompressionError`] if the compression needs a feature of this crate that is off.
    pub fn to_array_metadata(&self, grid: ChunkGrid) -> Result<ArrayMetadataV3, CompressionError> {
        let options = ZarrOptions {
            grid,
            ..ZarrOptions::default()
        };
        let metadata = bare_array_metadata(self, &options)?;
        Ok(metadata.with_attributes(self.attributes()))
    }
}

impl GroupAttributes {
    /// The metadata of the Zarr group with the same attributes.
    #[must_use]
    pub fn to_group_metadata(&self) -> GroupMetadataV3 {
        GroupMetadataV3::new().with_attributes(self.attributes())
    }
}
