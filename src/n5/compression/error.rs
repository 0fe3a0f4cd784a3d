//! What can go wrong with a compression object, its zarr codec, or a compressed payload.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use super::SUPPORTED_NAMES;

/// An error of a compression object, of the zarr codec that stands for it, or of a block's payload.
///
/// The texts name what was found and what was expected. They do not name the node or the key: whoever
/// knows them adds them.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CompressionError {
    /// The compression object has no `type`.
    #[error("the compression has no member `type`: expected one of {SUPPORTED_NAMES}")]
    MissingType,

    /// N5 has, or may have, such a compression, but this crate cannot read or write it.
    #[error("compression `{name}` is not supported: expected one of {SUPPORTED_NAMES}")]
    UnsupportedType {
        /// The value of `type`.
        name: String,
    },

    /// A member of the compression object has a wrong type or value.
    #[error(
        "the member `{member}` of the {compression} compression is {found}: expected {expected}"
    )]
    InvalidMember {
        /// The compression, as in `type`; `"N5"` when it is `type` itself that is wrong.
        compression: &'static str,
        /// The name of the member.
        member: &'static str,
        /// What would be right.
        expected: String,
        /// The value as JSON, shortened.
        found: String,
    },

    /// The compressor is not compiled in.
    #[error("compression `{compression}` needs the feature `{feature}` of zarrs_interop")]
    FeatureOff {
        /// The compression, as in `type`.
        compression: &'static str,
        /// The cargo feature to turn on.
        feature: &'static str,
    },

    /// No N5 compression stands for this zarr codec.
    #[error(
        "the codec `{name}` cannot be expressed in N5: expected none, or the codec of one of the compressions {SUPPORTED_NAMES}"
    )]
    UnsupportedCodec {
        /// The name of the codec.
        name: String,
    },

    /// A member of the zarr codec's configuration is wrong, or says what N5 cannot express.
    #[error(
        "the member `{member}` of the codec `{codec}` is {found}, which N5 cannot express: expected {expected}"
    )]
    InvalidCodecMember {
        /// The name of the codec.
        codec: String,
        /// The name of the member.
        member: String,
        /// What would be right.
        expected: String,
        /// The value as JSON, shortened.
        found: String,
    },

    /// The payload does not decompress to the size that the block header promises.
    #[error(
        "the {compression} payload decompresses to {found} bytes: the block header promises {expected}"
    )]
    Length {
        /// The compression.
        compression: &'static str,
        /// The number of bytes that the block header promises.
        expected: usize,
        /// The number of bytes that there are.
        found: u64,
    },

    /// The payload decompresses to more than the block header promises; decompression stopped there.
    #[error(
        "the {compression} payload decompresses to more than the {expected} bytes that the block header promises"
    )]
    TooLong {
        /// The compression.
        compression: &'static str,
        /// The number of bytes that the block header promises.
        expected: usize,
    },

    /// The compression format cannot pack as much as the block header promises into so few bytes.
    #[error(
        "{encoded} bytes of {compression} hold at most {limit} bytes: the block header promises {expected}"
    )]
    ImpossibleRatio {
        /// The compression.
        compression: &'static str,
        /// The size of the payload in bytes.
        encoded: usize,
        /// The most that so many bytes can decompress to.
        limit: usize,
        /// The number of bytes that the block header promises.
        expected: usize,
    },

    /// The payload is not what its compression should be, or a checksum in it is wrong.
    #[error("the {compression} payload of {encoded} bytes is corrupt: {source}")]
    Corrupt {
        /// The compression.
        compression: &'static str,
        /// The size of the payload in bytes.
        encoded: usize,
        /// What the decompressor says.
        source: CompressorError,
    },

    /// The compressor failed.
    #[error("{decoded} bytes cannot be compressed with {compression}: {source}")]
    Compress {
        /// The compression.
        compression: &'static str,
        /// The number of bytes to compress.
        decoded: usize,
        /// What the compressor says.
        source: CompressorError,
    },
}

/// The error of a compressor library, whichever it is.
///
/// Two of them are equal when their texts are.
#[derive(Clone)]
pub struct CompressorError(Arc<dyn Error + Send + Sync>);

impl CompressorError {
    /// Wraps the error of a library.
    pub(crate) fn new(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(Arc::from(error.into()))
    }
}

impl fmt::Debug for CompressorError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl fmt::Display for CompressorError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl Error for CompressorError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

impl PartialEq for CompressorError {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for CompressorError {}
