//! The third codec of `n5_default`: what becomes of the elements behind a block header.

use std::sync::Arc;

use zarrs_codec::{
    BytesRepresentation, BytesToBytesCodecTraits, CodecOptions, CodecSpecificOptions,
};
use zarrs_metadata::v3::MetadataV3;

use crate::n5::compression::{
    Compression, CompressionError, Compressor, Payload, PayloadError, ThroughZarrs,
};

/// How the bytes behind a block header are compressed.
#[derive(Clone, Debug)]
pub(super) enum PayloadCodec {
    /// Not at all: there is no third codec.
    Raw,
    /// By a codec of zarrs.
    Compressed(CompressedPayload),
}

impl PayloadCodec {
    /// Whether the payload is the elements themselves.
    pub(super) const fn is_raw(&self) -> bool {
        matches!(self, Self::Raw)
    }

    /// The compression, if there is one.
    pub(super) const fn compressed(&self) -> Option<&CompressedPayload> {
        match self {
            Self::Raw => None,
            Self::Compressed(compressed) => Some(compressed),
        }
    }

    /// Why N5 has no such compression, so that blocks are decoded, but none are written.
    pub(super) fn not_n5(&self) -> Option<&Arc<CompressionError>> {
        self.compressed()?.not_n5.as_ref()
    }

    /// The size of the payload of a block of `elements` bytes.
    pub(super) fn encoded_representation(&self, elements: usize) -> BytesRepresentation {
        let elements = BytesRepresentation::FixedSize(elements as u64);
        match self {
            Self::Raw => elements,
            Self::Compressed(compressed) => compressed.codec.encoded_representation(&elements),
        }
    }

    /// The same with other options.
    pub(super) fn with_codec_specific_options(&self, options: &CodecSpecificOptions) -> Self {
        match self {
            Self::Raw => Self::Raw,
            Self::Compressed(compressed) => {
                let codec = Arc::clone(&compressed.codec).with_codec_specific_options(options);
                Self::Compressed(compressed.with_codec(codec))
            }
        }
    }
}

/// A third codec, with the compressor of this crate for it if there is one.
#[derive(Clone, Debug)]
pub(super) struct CompressedPayload {
    codec: Arc<dyn BytesToBytesCodecTraits>,
    /// The compression of N5 with the format of the payload.
    format: Option<Compression>,
    compressor: Arc<dyn Compressor>,
    not_n5: Option<Arc<CompressionError>>,
}

impl CompressedPayload {
    /// Judges the codec `metadata`, of which `codec` is the implementation.
    pub(super) fn new(metadata: &MetadataV3, codec: Arc<dyn BytesToBytesCodecTraits>) -> Self {
        let (format, not_n5) = match Compression::from_codec_metadata(Some(metadata)) {
            Ok(compression) => (Some(compression), None),
            Err(error) => {
                let format = Compression::format_of_codec(metadata.name());
                (format, Some(Arc::new(error)))
            }
        };
        Self {
            compressor: compressor(format.as_ref(), &codec),
            codec,
            format,
            not_n5,
        }
    }

    fn with_codec(&self, codec: Arc<dyn BytesToBytesCodecTraits>) -> Self {
        Self {
            compressor: compressor(self.format.as_ref(), &codec),
            codec,
            ..self.clone()
        }
    }

    /// Decompresses `encoded` into `out`, a buffer that is reused. `decoded_size` in bytes is what
    /// the header and the data type promise; anything else is an error.
    ///
    /// On success `out.len() == decoded_size`; what `out` held before is gone in any case.
    pub(super) fn decompress_into(
        &self,
        encoded: &[u8],
        decoded_size: usize,
        out: &mut Vec<u8>,
        options: &CodecOptions,
    ) -> Result<(), PayloadError> {
        let payload = Payload::new(self.compressor.name(), encoded, decoded_size);
        self.compressor.decompress_into(&payload, out, options)
    }

    /// Compresses `decoded` and appends the result to `out`, which already holds the block header.
    pub(super) fn compress_append(
        &self,
        decoded: &[u8],
        out: &mut Vec<u8>,
        options: &CodecOptions,
    ) -> Result<(), PayloadError> {
        self.compressor
            .compress_append(decoded, out, options)
            .map_err(|source| PayloadError::Compress {
                compression: self.compressor.name(),
                decoded: decoded.len(),
                source,
            })
    }
}

fn compressor(
    format: Option<&Compression>,
    codec: &Arc<dyn BytesToBytesCodecTraits>,
) -> Arc<dyn Compressor> {
    format
        .and_then(|format| format.compressor(codec))
        .unwrap_or_else(|| Arc::new(ThroughZarrs(Arc::clone(codec))))
}

#[cfg(all(test, feature = "gzip", feature = "zstd"))]
mod tests {
    use serde_json::{Value, json};
    use zarrs::array::codec::Crc32cCodec;
    use zarrs_codec::Codec;

    use super::*;

    fn metadata(name: &str, configuration: &Value) -> MetadataV3 {
        let json = json!({"name": name, "configuration": configuration});
        serde_json::from_value(json).unwrap()
    }

    fn created(metadata: &MetadataV3) -> CompressedPayload {
        match Codec::from_metadata(metadata).unwrap() {
            Codec::BytesToBytes(codec) => CompressedPayload::new(metadata, codec),
            other => panic!("{other:?} is no bytes-to-bytes codec"),
        }
    }

    #[test]
    fn a_codec_of_zarrs_is_replaced() {
        let payload = created(&metadata("gzip", &json!({"level": 6})));
        assert_eq!(payload.compressor.name(), "gzip");
        assert!(payload.not_n5.is_none());
    }

    #[test]
    fn a_program_s_own_codec_is_kept_whatever_its_name() {
        let gzip = metadata("gzip", &json!({"level": 6}));
        let payload = CompressedPayload::new(&gzip, Arc::new(Crc32cCodec::new()));
        let options = CodecOptions::default();
        let mut block = Vec::new();
        payload
            .compress_append(b"data", &mut block, &options)
            .unwrap();
        assert_eq!(block.len(), 8, "the data and its checksum");
        let mut data = Vec::new();
        payload
            .decompress_into(&block, 4, &mut data, &options)
            .unwrap();
        assert_eq!(data, b"data");
        assert!(payload.not_n5.is_none());
    }

    /// Its own decompression would believe the size that a frame states.
    #[test]
    fn a_known_format_with_parameters_that_n5_lacks_is_read_by_its_compressor() {
        let payload = created(&metadata("zstd", &json!({"level": 3, "checksum": true})));
        assert_eq!(payload.compressor.name(), "zstd");
        assert!(payload.not_n5.is_some());
    }

    #[test]
    fn a_codec_that_n5_lacks_is_only_read() {
        let payload = created(&metadata("crc32c", &json!({})));
        assert_eq!(payload.compressor.name(), "compressed");
        assert!(payload.not_n5.is_some());
    }

    #[test]
    fn other_options_keep_the_compressor() {
        let raw = PayloadCodec::Raw;
        let gzip = PayloadCodec::Compressed(created(&metadata("gzip", &json!({"level": 6}))));
        let options = CodecSpecificOptions::default();
        assert!(raw.with_codec_specific_options(&options).is_raw());
        let gzip = gzip.with_codec_specific_options(&options);
        assert_eq!(gzip.compressed().unwrap().compressor.name(), "gzip");
    }
}
