use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use zarrs::array::codec::{BytesCodec, BytesCodecConfiguration, TransposeCodec};
use zarrs_codec::Codec;
use zarrs_metadata::{ConfigurationSerialize, Endianness, v3::MetadataV3};
use zarrs_plugin::{ExtensionAliases, PluginCreateError, ZarrVersion3};

use super::payload_codec::{CompressedPayload, PayloadCodec};
use crate::n5::error_text::{counted, shown};

/// The configuration of the [`n5_default` codec](crate::n5::codec).
///
/// Reading the JSON checks the members only; [`N5DefaultCodec::new_with_configuration`] checks the
/// codecs.
///
/// [`N5DefaultCodec::new_with_configuration`]: crate::n5::N5DefaultCodec::new_with_configuration
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct N5DefaultCodecConfiguration {
    /// `transpose`, `bytes`, and at most one bytes to bytes codec.
    pub codecs: Vec<MetadataV3>,
}

impl ConfigurationSerialize for N5DefaultCodecConfiguration {}

/// Why the inner codecs of an `n5_default` codec are not those of an N5 block.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum N5DefaultConfigurationError {
    /// A codec is missing at the front.
    #[error(
        "n5_default: `codecs` holds {}: expected `transpose`, `bytes` and at most one compressor",
        counted(*found, "codec", "codecs")
    )]
    TooFewCodecs {
        /// The number of codecs.
        found: usize,
    },
    /// There are codecs behind the compressor.
    #[error(
        "n5_default: `codecs` holds {found} codecs: expected at most one compressor after \
         `transpose` and `bytes`, since an N5 block has at most one"
    )]
    TooManyCodecs {
        /// The number of codecs.
        found: usize,
    },
    /// Another codec stands where `transpose` or `bytes` must.
    #[error("n5_default: codec {position} of `codecs` is `{found}`: expected `{expected}`")]
    WrongCodec {
        /// The position in `codecs`, counted from 0.
        position: usize,
        /// The codec that must stand there.
        expected: &'static str,
        /// The name of the codec that does.
        found: String,
    },
    /// The configuration of `transpose` or `bytes` cannot be read.
    #[error("n5_default: the configuration of the `{codec}` codec is malformed: {source}")]
    MalformedCodec {
        /// The position in `codecs`, counted from 0.
        position: usize,
        /// The name of the codec.
        codec: String,
        /// What is wrong with it.
        source: Arc<serde_json::Error>,
    },
    /// The transpose is not the full reversal.
    #[error(
        "n5_default: the `transpose` order is {}: expected the full reversal {}",
        shown(found),
        shown(expected)
    )]
    NotReversed {
        /// The order that reverses all dimensions.
        expected: Vec<usize>,
        /// The order in the configuration.
        found: Vec<usize>,
    },
    /// The bytes are not big-endian.
    #[error(
        "n5_default: the `bytes` codec has `endian` \"{found}\": expected \"big\", as N5 blocks \
         are big-endian"
    )]
    NotBigEndian {
        /// The endianness in the configuration.
        found: &'static str,
    },
    /// The third codec is not a bytes to bytes codec.
    #[error(
        "n5_default: the last codec `{found}` is not a bytes to bytes codec: expected a compressor"
    )]
    NotBytesToBytes {
        /// The name of the codec.
        found: String,
    },
    /// zarrs cannot create the third codec.
    #[error("n5_default: the compressor `{codec}` cannot be created: {source}")]
    Compressor {
        /// The name of the codec.
        codec: String,
        /// Why not.
        source: PluginCreateError,
    },
}

impl N5DefaultConfigurationError {
    /// The position of the codec that is wrong, counted from 0; `None` if it is their number.
    pub(crate) const fn position(&self) -> Option<usize> {
        match self {
            Self::TooFewCodecs { .. } | Self::TooManyCodecs { .. } => None,
            Self::WrongCodec { position, .. } | Self::MalformedCodec { position, .. } => {
                Some(*position)
            }
            Self::NotReversed { .. } => Some(TRANSPOSE),
            Self::NotBigEndian { .. } => Some(BYTES),
            Self::NotBytesToBytes { .. } | Self::Compressor { .. } => Some(COMPRESSOR),
        }
    }
}

/// The positions in `codecs`.
const TRANSPOSE: usize = 0;
const BYTES: usize = 1;
const COMPRESSOR: usize = 2;

/// What the inner codecs say.
#[derive(Debug)]
pub(crate) struct Parts<'a> {
    /// The length of the transpose order: the only number of dimensions that the codec is for.
    pub(crate) dimensionality: usize,
    /// Whether `bytes` states its endianness, which is then big.
    pub(crate) has_endian: bool,
    /// The bytes to bytes codec; blocks without are raw.
    pub(crate) compressor: Option<&'a MetadataV3>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TransposeConfiguration {
    order: Vec<usize>,
}

impl N5DefaultCodecConfiguration {
    /// The configuration for an array of `dimensionality` dimensions.
    ///
    /// Without `compressor` the blocks are raw.
    #[must_use]
    pub fn new(dimensionality: usize, compressor: Option<MetadataV3>) -> Self {
        let order: Vec<usize> = (0..dimensionality).rev().collect();
        let transpose = codec("transpose", "order", order.into());
        let bytes = codec("bytes", "endian", "big".into());
        Self {
            codecs: [transpose, bytes].into_iter().chain(compressor).collect(),
        }
    }

    /// Takes the inner codecs apart: the one judge of whether they are those of an N5 block.
    ///
    /// Names and members may be all that zarrs accepts. The compressor is not looked at.
    pub(crate) fn parts(&self) -> Result<Parts<'_>, N5DefaultConfigurationError> {
        let found = self.codecs.len();
        let (transpose, bytes, compressor) = match self.codecs.as_slice() {
            [transpose, bytes] => (transpose, bytes, None),
            [transpose, bytes, compressor] => (transpose, bytes, Some(compressor)),
            [] | [_] => return Err(N5DefaultConfigurationError::TooFewCodecs { found }),
            [transpose, bytes, ..] => {
                // What is wrong with these is the better news.
                check_transpose(transpose)?;
                check_bytes(bytes)?;
                return Err(N5DefaultConfigurationError::TooManyCodecs { found });
            }
        };
        Ok(Parts {
            dimensionality: check_transpose(transpose)?,
            has_endian: check_bytes(bytes)?,
            compressor,
        })
    }
}

impl Parts<'_> {
    /// Creates the third codec.
    pub(super) fn payload_codec(&self) -> Result<PayloadCodec, N5DefaultConfigurationError> {
        let Some(metadata) = self.compressor else {
            return Ok(PayloadCodec::Raw);
        };
        match Codec::from_metadata(metadata) {
            Ok(Codec::BytesToBytes(codec)) => Ok(PayloadCodec::Compressed(CompressedPayload::new(
                metadata, codec,
            ))),
            Ok(_) => Err(N5DefaultConfigurationError::NotBytesToBytes {
                found: metadata.name().to_owned(),
            }),
            Err(source) => Err(N5DefaultConfigurationError::Compressor {
                codec: metadata.name().to_owned(),
                source,
            }),
        }
    }
}

fn codec(name: &str, member: &str, value: serde_json::Value) -> MetadataV3 {
    let configuration = serde_json::Map::from_iter([(member.to_owned(), value)]);
    MetadataV3::new_with_configuration(name, configuration)
}

fn check_name<T: ExtensionAliases<ZarrVersion3>>(
    metadata: &MetadataV3,
    position: usize,
    expected: &'static str,
) -> Result<(), N5DefaultConfigurationError> {
    if T::matches_name(metadata.name()) {
        return Ok(());
    }
    Err(N5DefaultConfigurationError::WrongCodec {
        position,
        expected,
        found: metadata.name().to_owned(),
    })
}

fn typed<T: serde::de::DeserializeOwned>(
    metadata: &MetadataV3,
    position: usize,
) -> Result<T, N5DefaultConfigurationError> {
    metadata.to_typed_configuration().map_err(|source| {
        N5DefaultConfigurationError::MalformedCodec {
            position,
            codec: metadata.name().to_owned(),
            source,
        }
    })
}

fn check_transpose(metadata: &MetadataV3) -> Result<usize, N5DefaultConfigurationError> {
    check_name::<TransposeCodec>(metadata, TRANSPOSE, "transpose")?;
    let TransposeConfiguration { order } = typed(metadata, TRANSPOSE)?;
    let expected: Vec<usize> = (0..order.len()).rev().collect();
    if order == expected {
        Ok(order.len())
    } else {
        Err(N5DefaultConfigurationError::NotReversed {
            expected,
            found: order,
        })
    }
}

/// Whether the `bytes` codec states an endianness.
fn check_bytes(metadata: &MetadataV3) -> Result<bool, N5DefaultConfigurationError> {
    check_name::<BytesCodec>(metadata, BYTES, "bytes")?;
    let endian = match typed::<BytesCodecConfiguration>(metadata, BYTES)? {
        BytesCodecConfiguration::V1(configuration) => configuration.endian,
        _ => None,
    };
    match endian {
        Some(Endianness::Little) => {
            Err(N5DefaultConfigurationError::NotBigEndian { found: "little" })
        }
        Some(Endianness::Big) => Ok(true),
        None => Ok(false),
    }
}
