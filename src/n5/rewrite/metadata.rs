//! The documents of the output. Pure.

use serde_json::{Map, Value, json};
use zarrs::array::{ArrayMetadataV3, CodecChain};
use zarrs_metadata::v3::MetadataV3;

use super::error::RewriteError;
use super::options::{OutputCompression, RewriteOptions};
use super::plan::RewritePlan;
use super::planned_level::{LevelOrigin, PlannedLevel};
use super::settings::{SOURCE, VERSION};
use crate::n5::multiscale::{OmeOrder, ome_attributes};

/// The attribute with the settings of the run, by which a later one knows its own output.
pub(super) const OURS: &str = "zarrs_interop";

/// The member beside the settings with what the last run had to say of the image, by which a later
/// one knows what somebody has corrected.
pub(super) const SAID: &str = "said";

/// The members of an image that may be corrected.
pub(super) const IMAGE_MEMBERS: [&str; 2] = ["axes", "datasets"];

/// The version of the record: what runs of other versions have written is not gone on with.
const RECORD_VERSION: u64 = 1;

/// What a run writes and another one must agree with: name and value of every setting.
pub(super) fn settings(plan: &RewritePlan, options: &RewriteOptions) -> Map<String, Value> {
    let levels: Vec<Value> = plan
        .levels
        .iter()
        .map(|level| {
            let from = match &level.origin {
                LevelOrigin::Dataset { node_path } => json!(node_path),
                LevelOrigin::Made { how, factors } => json!([how.name(), factors]),
            };
            let members = [
                ("path", json!(level.path)),
                ("from", from),
                ("shape", json!(level.shape())),
                ("data_type", json!(level.data_type.name())),
            ];
            let members = members.map(|(name, member)| (name.to_owned(), member));
            Value::Object(members.into_iter().chain(level.recorded.clone()).collect())
        })
        .collect();
    let shapes = plan
        .levels
        .first()
        .map(|level| (level.chunk(), level.shard()));
    let (chunk, shard) = shapes.unwrap_or_default();
    Map::from_iter([
        (VERSION.to_owned(), json!(RECORD_VERSION)),
        (SOURCE.to_owned(), json!(options.source)),
        ("dataset".to_owned(), json!(plan.source_path)),
        ("order".to_owned(), json!(plan.order)),
        ("chunk".to_owned(), json!(chunk)),
        ("shard".to_owned(), json!(shard)),
        (
            "compression".to_owned(),
            compression_setting(&options.compression),
        ),
        ("levels".to_owned(), Value::Array(levels)),
    ])
}

fn compression_setting(compression: &OutputCompression) -> Value {
    match compression {
        OutputCompression::None => json!("none"),
        OutputCompression::Zstd { level } => json!(["zstd", level]),
        OutputCompression::Blosc {
            compressor,
            level,
            shuffle,
        } => json!(["blosc", compressor, level, shuffle]),
    }
}

/// The document of the group, and why it has no `ome` if it has none.
pub(super) fn group(plan: &RewritePlan, settings: &Map<String, Value>) -> (Value, Option<String>) {
    let (mut attributes, without) = match ome_attributes(&plan.pyramid, OmeOrder::Stored) {
        Ok(attributes) => (attributes, None),
        Err(error) => (Map::new(), Some(error.to_string())),
    };
    let mut record = json!({ "rewrite": settings });
    if let Some(said) = said(&attributes) {
        record[SAID] = said;
    }
    attributes.insert(OURS.to_owned(), record);
    let document = json!({
        "zarr_format": 3,
        "node_type": "group",
        "attributes": attributes,
    });
    (document, without)
}

/// What the attributes of a group say of the image.
pub(super) fn said(attributes: &Map<String, Value>) -> Option<Value> {
    let images = attributes.get("ome")?.get("multiscales")?;
    let image = images.get(0)?.as_object()?;
    let members = IMAGE_MEMBERS.map(|name| Some((name.to_owned(), image.get(name)?.clone())));
    Some(Value::Object(members.into_iter().flatten().collect()))
}

/// The document of a group that says no more than whose it is.
pub(super) fn claim_of(settings: &Map<String, Value>) -> Value {
    json!({
        "zarr_format": 3,
        "node_type": "group",
        "attributes": { OURS: { "rewrite": settings } },
    })
}

/// The settings in the document of a group, if this crate wrote them.
pub(super) fn settings_in(document: &Value) -> Option<&Map<String, Value>> {
    document
        .get("attributes")?
        .get(OURS)?
        .get("rewrite")?
        .as_object()
}

/// Replaces the settings in the document of a group.
pub(super) fn set_settings(document: &mut Value, settings: &Map<String, Value>) {
    let ours = document
        .get_mut("attributes")
        .and_then(|attributes| attributes.get_mut(OURS))
        .and_then(Value::as_object_mut);
    if let Some(ours) = ours {
        ours.insert("rewrite".to_owned(), Value::Object(settings.clone()));
    }
}

/// The codecs of chunks, of the index of a shard, and of the whole array.
pub(super) struct Codecs {
    chunk: Vec<Value>,
    index: Vec<Value>,
}

impl Codecs {
    pub(super) fn new(level: &PlannedLevel, compression: &OutputCompression) -> Self {
        let little = json!({"name": "bytes", "configuration": {"endian": "little"}});
        let bytes = if level.data_type.size() == 1 {
            json!({"name": "bytes"})
        } else {
            little.clone()
        };
        let mut chunk = vec![bytes];
        match compression {
            OutputCompression::None => {}
            OutputCompression::Zstd { level } => chunk.push(json!({
                "name": "zstd",
                "configuration": {"level": level, "checksum": false},
            })),
            OutputCompression::Blosc {
                compressor,
                level: clevel,
                shuffle,
            } => chunk.push(json!({
                "name": "blosc",
                "configuration": {
                    "cname": compressor,
                    "clevel": clevel,
                    "shuffle": shuffle,
                    "typesize": level.data_type.size(),
                    "blocksize": 0,
                },
            })),
        }
        Self {
            chunk,
            index: vec![little, json!({"name": "crc32c"})],
        }
    }

    /// The codecs of chunks and of the index, as zarrs makes them.
    pub(super) fn chains(&self, path: &str) -> Result<(CodecChain, CodecChain), RewriteError> {
        Ok((chain(&self.chunk, path)?, chain(&self.index, path)?))
    }

    fn of_array(&self, level: &PlannedLevel) -> Value {
        json!([{
            "name": "sharding_indexed",
            "configuration": {
                "chunk_shape": level.chunk(),
                "codecs": self.chunk,
                "index_codecs": self.index,
                "index_location": "end",
            },
        }])
    }
}

fn chain(codecs: &[Value], path: &str) -> Result<CodecChain, RewriteError> {
    let metadata: Vec<MetadataV3> = serde_json::from_value(Value::Array(codecs.to_vec()))
        .map_err(|source| document_error(path, source))?;
    CodecChain::from_metadata(&metadata)
        .map_err(|source| RewriteError::Compression(Box::new(source)))
}

/// The document of a level.
pub(super) fn array(
    plan: &RewritePlan,
    level: &PlannedLevel,
    codecs: &Codecs,
) -> Result<ArrayMetadataV3, RewriteError> {
    let names: Vec<_> = plan
        .pyramid
        .axes
        .iter()
        .map(|axis| axis.name.as_deref())
        .collect();
    let mut document = json!({
        "zarr_format": 3,
        "node_type": "array",
        "shape": level.shape(),
        "data_type": level.data_type.name(),
        "chunk_grid": {
            "name": "regular",
            "configuration": {"chunk_shape": level.shard()},
        },
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 0,
        "codecs": codecs.of_array(level),
        "attributes": {},
    });
    if names.iter().any(Option::is_some)
        && let Some(document) = document.as_object_mut()
    {
        document.insert("dimension_names".to_owned(), json!(names));
    }
    serde_json::from_value(document).map_err(|source| document_error(&level.path, source))
}

fn document_error(path: &str, source: serde_json::Error) -> RewriteError {
    RewriteError::Document {
        path: path.to_owned(),
        source,
    }
}
