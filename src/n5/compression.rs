//! (being written) the interface that the other modules code against.
#![allow(missing_docs, clippy::all, clippy::pedantic)]

use super::N5DataType;
use std::borrow::Cow;
use zarrs_codec::{BytesToBytesCodecTraits, CodecOptions};
use zarrs_metadata::v3::MetadataV3;

/// The `compression` object of attributes.json.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Compression {
    /// No compression.
    Raw,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CompressionError {
    #[error("being written")]
    Placeholder,
}

impl Compression {
    /// Parse the `compression` object (or a legacy `compressionType` string as `{"type": name}`).
    pub fn from_json(_json: &serde_json::Map<String, serde_json::Value>) -> Result<Self, CompressionError> {
        Err(CompressionError::Placeholder)
    }
    /// The object for attributes.json.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Map<String, serde_json::Value> {
        serde_json::Map::new()
    }
    /// The zarr bytes-to-bytes codec metadata; `None` for raw. Err when the feature is off.
    pub fn to_codec_metadata(&self, _data_type: N5DataType) -> Result<Option<MetadataV3>, CompressionError> {
        Err(CompressionError::Placeholder)
    }
    /// The reverse; `None` stands for raw. Err for what N5 cannot express.
    pub fn from_codec_metadata(_codec: Option<&MetadataV3>, _data_type: N5DataType) -> Result<Self, CompressionError> {
        Err(CompressionError::Placeholder)
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
