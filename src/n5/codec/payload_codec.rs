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

    /// Decompresses `encoded` into `out`, a buffer that is reused. `decoded_size` in bytes is what the
    /// header and the data type promise; anything else is an error.
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
