//! (being written) the interface that the other modules code against.
#![allow(missing_docs, clippy::all, clippy::pedantic)]

use super::N5DataType;
use std::borrow::Cow;
use zarrs_codec::{BytesToBytesCodecTraits, CodecOptions};
use zarrs_metadata::v3::MetadataV3;

// PROVISIONAL: replaced by the real module on merge.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Compression {
    Raw,
    Gzip { level: i64, use_zlib: bool },
    Zstd { level: i64 },
    Blosc { cname: String, clevel: u64, shuffle: i64, blocksize: u64 },
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CompressionError {
    #[error("compression `{0}` is not known")]
    Unknown(String),
    #[error("compression member `{0}` is wrong")]
    Member(&'static str),
    #[error("codec {0} has no N5 compression")]
    Codec(String),
    #[error("being written")]
    Placeholder,
}

fn int(json: &serde_json::Map<String, serde_json::Value>, member: &'static str, default: i64) -> Result<i64, CompressionError> {
    json.get(member).map_or(Ok(default), |v| v.as_i64().ok_or(CompressionError::Member(member)))
}

impl Compression {
    pub fn from_json(json: &serde_json::Map<String, serde_json::Value>) -> Result<Self, CompressionError> {
        match json.get("type").and_then(|v| v.as_str()).ok_or(CompressionError::Member("type"))? {
            "raw" => Ok(Self::Raw),
            "gzip" => Ok(Self::Gzip { level: int(json, "level", -1)?, use_zlib: json.get("useZlib").is_some_and(|v| v == true) }),
            "zstd" => Ok(Self::Zstd { level: int(json, "level", 3)? }),
            "blosc" => Ok(Self::Blosc {
                cname: json.get("cname").map_or(Ok("blosclz"), |v| v.as_str().ok_or(CompressionError::Member("cname")))?.to_owned(),
                clevel: int(json, "clevel", 6)? as u64,
                shuffle: int(json, "shuffle", 0)?,
                blocksize: int(json, "blocksize", 0)? as u64,
            }),
            other => Err(CompressionError::Unknown(other.to_owned())),
        }
    }
    #[must_use]
    pub fn to_json(&self) -> serde_json::Map<String, serde_json::Value> {
        match self {
            Self::Raw => serde_json::json!({"type": "raw"}),
            Self::Gzip { level, use_zlib } => serde_json::json!({"type": "gzip", "useZlib": use_zlib, "level": level}),
            Self::Zstd { level } => serde_json::json!({"type": "zstd", "level": level}),
            Self::Blosc { cname, clevel, shuffle, blocksize } => serde_json::json!({"type": "blosc", "cname": cname, "clevel": clevel, "shuffle": shuffle, "blocksize": blocksize}),
        }.as_object().unwrap().clone()
    }
    pub fn to_codec_metadata(&self, data_type: N5DataType) -> Result<Option<MetadataV3>, CompressionError> {
        let (name, configuration) = match self {
            Self::Raw => return Ok(None),
            Self::Gzip { level, use_zlib } => (if *use_zlib { "zlib" } else { "gzip" }, serde_json::json!({"level": if *level < 0 { 6 } else { *level }})),
            Self::Zstd { level } => ("zstd", serde_json::json!({"level": level, "checksum": false})),
            Self::Blosc { cname, clevel, shuffle, blocksize } => ("blosc", serde_json::json!({"cname": cname, "clevel": clevel,
                "shuffle": match shuffle { 0 => "noshuffle", 2 => "bitshuffle", -1 if data_type.size() == 1 => "bitshuffle", _ => "shuffle" },
                "typesize": data_type.size(), "blocksize": blocksize})),
        };
        Ok(Some(MetadataV3::new_with_configuration(name, configuration.as_object().unwrap().clone())))
    }
    pub fn from_codec_metadata(codec: Option<&MetadataV3>, _data_type: N5DataType) -> Result<Self, CompressionError> {
        let Some(codec) = codec else { return Ok(Self::Raw) };
        let empty = zarrs_metadata::Configuration::default();
        let c = codec.configuration().unwrap_or(&empty);
        match codec.name() {
            "gzip" => Ok(Self::Gzip { level: int(c, "level", 6)?, use_zlib: false }),
            "zlib" => Ok(Self::Gzip { level: int(c, "level", 6)?, use_zlib: true }),
            "zstd" if c.get("checksum").is_none_or(|v| v == false) => Ok(Self::Zstd { level: int(c, "level", 3)? }),
            "blosc" => Ok(Self::Blosc {
                cname: c.get("cname").and_then(|v| v.as_str()).ok_or(CompressionError::Member("cname"))?.to_owned(),
                clevel: int(c, "clevel", 6)? as u64,
                shuffle: match c.get("shuffle").and_then(|v| v.as_str()) { Some("shuffle") => 1, Some("bitshuffle") => 2, _ => 0 },
                blocksize: int(c, "blocksize", 0)? as u64,
            }),
            _ => Err(CompressionError::Codec(codec.to_string())),
        }
    }
}

/// How the bytes behind a block header are compressed: the fast path of each known compressor,
/// or any other zarrs codec as it is.
#[derive(Debug)]
pub(crate) enum PayloadCodec {
    Raw,
}

impl PayloadCodec {
    /// Picks the fast path for a bytes-to-bytes codec object of zarrs (by downcast).
    pub(crate) fn new(_codec: Option<&std::sync::Arc<dyn BytesToBytesCodecTraits>>) -> Self {
        Self::Raw
    }
    pub(crate) fn is_raw(&self) -> bool {
        true
    }
    /// `decoded_size` in bytes is what header and data type promise; anything else is an error.
    pub(crate) fn decompress<'a>(&self, _encoded: Cow<'a, [u8]>, _decoded_size: usize, _options: &CodecOptions) -> Result<Cow<'a, [u8]>, CompressionError> {
        Err(CompressionError::Placeholder)
    }
    /// Like `decompress`, into a reused buffer (cleared and filled; on success `out.len() == decoded_size`).
    pub(crate) fn decompress_into(&self, _encoded: &[u8], _decoded_size: usize, _out: &mut Vec<u8>, _options: &CodecOptions) -> Result<(), CompressionError> {
        Err(CompressionError::Placeholder)
    }
    /// Compresses `decoded` and appends the result to `out` (which already holds the block header).
    pub(crate) fn compress_append(&self, _decoded: &[u8], _out: &mut Vec<u8>, _options: &CodecOptions) -> Result<(), CompressionError> {
        Err(CompressionError::Placeholder)
    }
}
