mod dimension_names;
mod existing;
mod from_zarr;
mod spelling;
mod through_zarrs;
mod to_zarr;
mod version;

use serde_json::{Map, Value, json};

use super::*;
use crate::n5::metadata_error::MetadataError;

const PATH: &str = "/volumes/raw";

/// An N5 dataset of two dimensions.
fn n5() -> Value {
    json!({
        "dimensions": [5, 3],
        "blockSize": [3, 2],
        "dataType": "uint16",
        "compression": {"type": "gzip", "useZlib": false, "level": 6},
        "resolution": [4.0, 40.5]
    })
}

/// The Zarr array of [`n5`].
fn zarr() -> Value {
    json!({
        "zarr_format": 3,
        "node_type": "array",
        "shape": [5, 3],
        "data_type": "uint16",
        "chunk_grid": {"name": "zarrs.regular_bounded", "configuration": {"chunk_shape": [3, 2]}},
        "chunk_key_encoding": {"name": "v2", "configuration": {"separator": "/"}},
        "fill_value": 0,
        "codecs": [{"name": "n5_default", "configuration": {"codecs": [
            {"name": "transpose", "configuration": {"order": [1, 0]}},
            {"name": "bytes", "configuration": {"endian": "big"}},
            {"name": "gzip", "configuration": {"level": 6}}
        ]}}],
        "attributes": {"resolution": [4.0, 40.5]}
    })
}

fn zarr_group(attributes: &Value) -> Value {
    json!({"zarr_format": 3, "node_type": "group", "attributes": attributes})
}

fn with(mut document: Value, pointer: &str, value: Value) -> Value {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    document.pointer_mut(parent).unwrap()[name] = value;
    document
}

/// The Zarr array with one codec inside `n5_default` replaced.
fn inner(index: usize, codec: &Value) -> Value {
    let mut array = zarr();
    array["codecs"][0]["configuration"]["codecs"][index] = codec.clone();
    array
}

fn without(mut document: Value, member: &str) -> Value {
    document
        .as_object_mut()
        .unwrap()
        .shift_remove(member)
        .unwrap();
    document
}

fn to_zarr(document: &Value) -> Value {
    let bytes =
        attributes_to_zarr(document.to_string().as_bytes(), PATH, ChunkGrid::default()).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

fn store(
    zarr: &Value,
    existing: Option<&str>,
    path: &str,
) -> Result<Option<String>, MetadataError> {
    let existing = existing.map(str::as_bytes);
    let bytes = zarr_to_attributes(zarr.to_string().as_bytes(), existing, path)?;
    Ok(bytes.map(|bytes| String::from_utf8(bytes).unwrap()))
}

/// The new document, in one line and with its order.
fn stored(zarr: &Value, existing: Option<&str>, path: &str) -> Option<String> {
    store(zarr, existing, path)
        .unwrap()
        .map(|text| serde_json::from_str::<Value>(&text).unwrap().to_string())
}

fn stored_new(zarr: &Value) -> Value {
    serde_json::from_str(&stored(zarr, None, PATH).unwrap()).unwrap()
}

/// The error of storing a document, whose text must hold the node path and all of `parts`.
fn refused(zarr: &Value, existing: Option<&str>, parts: &[&str]) -> MetadataError {
    let error = store(zarr, existing, PATH).unwrap_err();
    let text = error.to_string();
    for part in [&[PATH], parts].concat() {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
    error
}

fn malformed(zarr: &Value, parts: &[&str]) {
    let error = refused(zarr, None, parts);
    assert!(!error.is_unsupported(), "{error}");
}

fn unsupported(zarr: &Value, parts: &[&str]) {
    let error = refused(zarr, None, parts);
    assert!(error.is_unsupported(), "{error}");
}
