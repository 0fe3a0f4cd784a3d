//! (provisional) just enough conversion for the tests of the stores; the lead drops it on merge.
#![allow(missing_docs, clippy::all, clippy::pedantic)]

use serde_json::{Map, Value, json};

/// Which chunk grid the zarr.json made from an N5 dataset has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChunkGrid {
    /// `zarrs.regular_bounded`: edge chunks end with the array.
    #[default]
    RegularBounded,
    /// `regular`: every chunk has the same shape; other Zarr readers know this one.
    Regular,
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertError {
    #[error("{0}: not valid JSON")]
    Json(String, #[source] serde_json::Error),
    #[error("{0}: the member `{1}` is missing or bad")]
    Member(String, &'static str),
    #[error("{0}: `{1}` is not supported")]
    Unsupported(String, String),
}

impl ConvertError {
    /// Whether the document itself is fine but says something that the other format cannot (an unsupported
    /// compression, data type, n5 version, ...), as opposed to a malformed document.
    pub fn is_unsupported(&self) -> bool {
        matches!(self, Self::Unsupported(..))
    }
}

const MEMBERS: [&str; 5] = [
    "dimensions",
    "blockSize",
    "dataType",
    "compression",
    "compressionType",
];

fn parse(bytes: &[u8], path: &str) -> Result<Map<String, Value>, ConvertError> {
    serde_json::from_slice(bytes).map_err(|error| ConvertError::Json(path.to_owned(), error))
}

fn describes_dataset(map: &Map<String, Value>) -> bool {
    map.contains_key("dimensions") && MEMBERS[1..].iter().any(|member| map.contains_key(*member))
}

/// Whether an attributes.json document describes a dataset (design section 4); cheap, for walks.
pub fn is_dataset(attributes: &[u8], node_path: &str) -> Result<bool, ConvertError> {
    Ok(describes_dataset(&parse(attributes, node_path)?))
}

/// attributes.json -> zarr.json (both as serialised bytes).
pub fn attributes_to_zarr(
    attributes: &[u8],
    node_path: &str,
    grid: ChunkGrid,
) -> Result<Vec<u8>, ConvertError> {
    let mut map = parse(attributes, node_path)?;
    if map
        .get("n5")
        .and_then(Value::as_str)
        .is_some_and(|version| version.starts_with('5'))
    {
        return Err(ConvertError::Unsupported(
            node_path.to_owned(),
            "n5 5".into(),
        ));
    }
    if !describes_dataset(&map) {
        return Ok(serde_json::to_vec(
            &json!({"zarr_format": 3, "node_type": "group", "attributes": map}),
        )
        .unwrap());
    }
    let bad = |member| ConvertError::Member(node_path.to_owned(), member);
    let shape = map
        .shift_remove("dimensions")
        .filter(Value::is_array)
        .ok_or(bad("dimensions"))?;
    let block = map
        .shift_remove("blockSize")
        .filter(Value::is_array)
        .ok_or(bad("blockSize"))?;
    let data_type = map.shift_remove("dataType").ok_or(bad("dataType"))?;
    let compression = map.shift_remove("compression").ok_or(bad("compression"))?;
    let rank = shape.as_array().unwrap().len();
    let mut codecs = vec![
        json!({"name": "transpose", "configuration": {"order": (0..rank).rev().collect::<Vec<_>>()}}),
        json!({"name": "bytes", "configuration": {"endian": "big"}}),
    ];
    match compression.get("type").and_then(Value::as_str) {
        Some("raw") => {}
        Some("gzip") => codecs.push(json!({"name": "gzip", "configuration": {"level": 6}})),
        other => {
            return Err(ConvertError::Unsupported(
                node_path.to_owned(),
                format!("compression {other:?}"),
            ));
        }
    }
    let grid = match grid {
        ChunkGrid::RegularBounded => "zarrs.regular_bounded",
        ChunkGrid::Regular => "regular",
    };
    Ok(serde_json::to_vec(&json!({
        "zarr_format": 3, "node_type": "array", "shape": shape, "data_type": data_type,
        "chunk_grid": {"name": grid, "configuration": {"chunk_shape": block}},
        "chunk_key_encoding": {"name": "v2", "configuration": {"separator": "/"}},
        "fill_value": 0,
        "codecs": [{"name": "n5_default", "configuration": {"codecs": codecs}}],
        "attributes": map,
    }))
    .unwrap())
}

/// zarr.json -> attributes.json. `existing` is the attributes.json that is there now, if any. `None` means that
/// nothing changes and nothing is to be written. The root (`node_path == "/"`) gets `"n5": "4.0.0"` when it has none.
pub fn zarr_to_attributes(
    zarr: &[u8],
    existing: Option<&[u8]>,
    node_path: &str,
) -> Result<Option<Vec<u8>>, ConvertError> {
    let zarr = parse(zarr, node_path)?;
    let old = existing.map(|old| parse(old, node_path)).transpose()?;
    let mut map = Map::new();
    let bad = |member| ConvertError::Member(node_path.to_owned(), member);
    if zarr.get("node_type").and_then(Value::as_str) == Some("array") {
        if zarr
            .get("fill_value")
            .and_then(Value::as_f64)
            .is_none_or(|fill| fill != 0.0)
        {
            return Err(ConvertError::Unsupported(
                node_path.to_owned(),
                "fill_value".into(),
            ));
        }
        let codec = &zarr.get("codecs").ok_or(bad("codecs"))?[0];
        if codec["name"] != "n5_default" {
            return Err(ConvertError::Unsupported(
                node_path.to_owned(),
                codec.to_string(),
            ));
        }
        let inner = codec["configuration"]["codecs"]
            .as_array()
            .ok_or(bad("codecs"))?;
        let compression = match inner.get(2) {
            None => json!({"type": "raw"}),
            Some(gzip) => {
                json!({"type": "gzip", "level": gzip["configuration"]["level"], "useZlib": false})
            }
        };
        let compression = old
            .as_ref()
            .and_then(|old| old.get("compression"))
            .filter(|old| old["type"] == compression["type"])
            .cloned()
            .unwrap_or(compression);
        map.insert(
            "dimensions".into(),
            zarr.get("shape").ok_or(bad("shape"))?.clone(),
        );
        map.insert(
            "blockSize".into(),
            zarr["chunk_grid"]["configuration"]["chunk_shape"].clone(),
        );
        map.insert(
            "dataType".into(),
            zarr.get("data_type").ok_or(bad("data_type"))?.clone(),
        );
        map.insert("compression".into(), compression);
    } else if zarr.get("node_type").and_then(Value::as_str) != Some("group") {
        return Err(bad("node_type"));
    }
    if let Some(Value::Object(attributes)) = zarr.get("attributes") {
        map.extend(attributes.clone());
    }
    if node_path == "/" && !map.contains_key("n5") {
        map.insert("n5".into(), json!("4.0.0"));
    }
    Ok((old.as_ref() != Some(&map)).then(|| serde_json::to_vec(&map).unwrap()))
}
