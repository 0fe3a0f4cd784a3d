//! What can be wrong with a compression object, or with the zarr codec that stands for it.

use thiserror::Error;

use crate::n5::members::MemberError;

/// Every `type` that is supported, for error texts.
pub(super) const SUPPORTED_NAMES: &str = "raw, gzip, bzip2, zstd, blosc, xz, lz4";

/// What is wrong with a compression object, or with the zarr codec that stands for it.
///
/// The texts name what was found and what was expected. They do not name the node: callers that
/// know it add it.
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
        member: String,
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
        "the codec `{name}` cannot be expressed in N5: expected none, or the codec of one of \
         the compressions {SUPPORTED_NAMES}"
    )]
    UnsupportedCodec {
        /// The name of the codec.
        name: String,
    },

    /// A member of the zarr codec's configuration is wrong, or says what N5 cannot express.
    #[error(
        "the member `{member}` of the codec `{codec}` is {found}, which N5 cannot express: \
         expected {expected}"
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
}

impl CompressionError {
    /// A wrong member of the `compression` object of type `compression`.
    pub(super) fn member(compression: &'static str, error: MemberError) -> Self {
        Self::InvalidMember {
            compression,
            member: error.member,
            expected: error.expected,
            found: error.found.unwrap_or_else(|| "missing".to_owned()),
        }
    }

    /// A wrong member of the zarr codec `codec`. An absent one counts as null, as in zarrs.
    pub(super) fn codec_member(codec: &str, error: MemberError) -> Self {
        Self::InvalidCodecMember {
            codec: codec.to_owned(),
            member: error.member,
            expected: error.expected,
            found: error.found.unwrap_or_else(|| "null".to_owned()),
        }
    }
}
