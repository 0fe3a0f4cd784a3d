//! A new `attributes.json` that keeps what the old one said the same, word for word.

use serde_json::{Map, Value};

use super::ConvertError;
use super::from_zarr::{ZarrArray, ZarrNode};
use crate::n5::attributes::{
    AXES, BLOCK_SIZE, CODECS, COMPRESSION, COMPRESSION_TYPE, DIMENSIONS, DatasetAttributes,
    VERSION, compression_object, describes_dataset, is_dataset_member, quote, whole_numbers,
};
use crate::n5::{Compression, N5DataType};

/// The version that a new root gets.
const NEW_VERSION: &str = "2.0.0";

/// The attributes that Zarr writers add on their own: `zarrs` its version, to arrays; the Python package `zarr-n5`
/// a copy of `attributes.json`.
const ZARR_WRITERS: [&str; 2] = ["_zarrs", "_n5"];

/// The document for `node`. `existing` is the one that is there now, empty if there is none.
pub(super) fn merge(
    node: ZarrNode,
    existing: &Map<String, Value>,
    node_path: &str,
) -> Result<Map<String, Value>, ConvertError> {
    let ZarrNode { array, attributes } = node;
    let mut document = if let Some(array) = array {
        check_attribute_names(&attributes, node_path)?;
        let axes = axes(&array, &attributes, existing, node_path)?;
        let mut document = dataset_members(&array.dataset, existing);
        document.extend(attributes);
        document.extend(axes.map(|axes| (AXES.to_owned(), axes)));
        document
    } else {
        check_group(&attributes, node_path)?;
        attributes
    };
    for name in ZARR_WRITERS {
        restore(name, &mut document, existing);
    }
    if node_path == "/" {
        set_version(&mut document, existing);
    }
    Ok(in_order_of(existing, document))
}

/// The members that describe the blocks. One that says the same as before stays as it was written.
fn dataset_members(
    dataset: &DatasetAttributes,
    existing: &Map<String, Value>,
) -> Map<String, Value> {
    let mut members = dataset.to_json();
    for name in [DIMENSIONS, BLOCK_SIZE] {
        if let (Some(new), Some(old)) = (members.get(name), existing.get(name))
            && whole_numbers(new) == whole_numbers(old)
        {
            members.insert(name.to_owned(), old.clone());
        }
    }
    if says_same_compression(dataset.compression(), existing, dataset.data_type()) {
        members.shift_remove(COMPRESSION);
        for name in [COMPRESSION, COMPRESSION_TYPE] {
            let old = existing.get(name);
            members.extend(old.map(|value| (name.to_owned(), value.clone())));
        }
    }
    members
}

/// Whether the existing compression makes the same codec. It may say so in other words, such as `level: -1`, and
/// may have members that only other programs know.
///
/// `new` is what a codec says in N5; so the existing one is compared after a way through its codec, too.
fn says_same_compression(
    new: &Compression,
    existing: &Map<String, Value>,
    data_type: N5DataType,
) -> bool {
    let through_codec = |old: &Compression| {
        let codec = old.to_codec_metadata(data_type)?;
        Compression::from_codec_metadata(codec.as_ref())
    };
    compression_object(existing)
        .and_then(|object| Compression::from_json(&object).ok())
        .and_then(|old| through_codec(&old).ok())
        .is_some_and(|old| old == *new)
}

/// `axes` holds both the attribute and the dimension names. Where they differ, the one that changed wins.
fn axes(
    array: &ZarrArray,
    attributes: &Map<String, Value>,
    existing: &Map<String, Value>,
    node_path: &str,
) -> Result<Option<Value>, ConvertError> {
    let attribute = attributes.get(AXES);
    let Some(names) = array.dimension_names.clone().map(Value::from) else {
        return Ok(attribute.cloned());
    };
    match (attribute, existing.get(AXES)) {
        (None, _) => Ok(Some(names)),
        (Some(axes), _) if *axes == names => Ok(Some(names)),
        (Some(axes), Some(old)) if axes == old => Ok(Some(names)),
        (Some(axes), Some(old)) if names == *old => Ok(Some(axes.clone())),
        (Some(axes), _) => Err(ConvertError::Axes {
            node_path: node_path.to_owned(),
            names: quote(&names),
            axes: quote(axes),
        }),
    }
}

/// Attributes of an array stand beside the members that describe its blocks, and must not have their names.
fn check_attribute_names(
    attributes: &Map<String, Value>,
    node_path: &str,
) -> Result<(), ConvertError> {
    match attributes
        .keys()
        .find(|name| is_dataset_member(name) || *name == CODECS)
    {
        None => Ok(()),
        Some(attribute) => Err(ConvertError::ReservedAttribute {
            node_path: node_path.to_owned(),
            attribute: attribute.clone(),
        }),
    }
}

/// The attributes of a group must not make it a dataset.
fn check_group(attributes: &Map<String, Value>, node_path: &str) -> Result<(), ConvertError> {
    let mut names = attributes.keys();
    match names.find(|name| *name != DIMENSIONS && is_dataset_member(name)) {
        Some(attribute) if describes_dataset(attributes) => Err(ConvertError::GroupLikeDataset {
            node_path: node_path.to_owned(),
            attribute: attribute.clone(),
        }),
        _ => Ok(()),
    }
}

/// Makes a member what it was before, present or absent.
fn restore(name: &str, document: &mut Map<String, Value>, existing: &Map<String, Value>) {
    match existing.get(name) {
        Some(value) => document.insert(name.to_owned(), value.clone()),
        None => document.shift_remove(name),
    };
}

/// The root of a container has a version. An old one is left alone.
fn set_version(document: &mut Map<String, Value>, existing: &Map<String, Value>) {
    if document.get(VERSION).is_none_or(Value::is_null) {
        let version = existing
            .get(VERSION)
            .filter(|version| !version.is_null())
            .cloned()
            .unwrap_or_else(|| NEW_VERSION.into());
        document.shift_insert(0, VERSION.to_owned(), version);
    }
}

/// First the members that were there before, in their old order; then the new ones.
///
/// One pass over each: taking members out of `document` one by one would move all others each time.
fn in_order_of(
    existing: &Map<String, Value>,
    mut document: Map<String, Value>,
) -> Map<String, Value> {
    let mut ordered: Map<String, Value> = existing
        .keys()
        .filter_map(|name| Some((name.clone(), document.get_mut(name)?.take())))
        .collect();
    let new = document.into_iter();
    ordered.extend(new.filter(|(name, _)| !existing.contains_key(name)));
    ordered
}
