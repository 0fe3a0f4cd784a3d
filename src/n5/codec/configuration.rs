use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use zarrs::array::codec::{BytesCodec, BytesCodecConfiguration, TransposeCodec};
use zarrs_codec::{BytesToBytesCodecTraits, Codec};
use zarrs_metadata::{ConfigurationSerialize, Endianness, v3::MetadataV3};
use zarrs_plugin::{ExtensionAliases, PluginCreateError, ZarrVersion3};

use crate::n5::error_text::shown;

/// The configuration of the [`n5_default` codec](crate::n5::codec).
///
/// Reading the JSON checks the members only; [`N5DefaultCodec::new_with_configuration`] checks the codecs.
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
        "n5_default: `codecs` holds {found} codecs: expected `transpose`, `bytes` and at most one compressor"
    )]
    TooFewCodecs {
        /// The number of codecs.
        found: usize,
    },
    /// There are codecs behind the compressor.
    #[error(
        "n5_default: `codecs` holds {found} codecs: expected at most one compressor after `transpose` and `bytes`, \
         since an N5 block has at most one"
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
        "n5_default: the `bytes` codec has `endian` \"{found}\": expected \"big\", as N5 blocks are big-endian"
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

/// What the codec needs to know of its configuration.
pub(super) struct Parts {
    /// The length of the transpose order: the only number of dimensions that the codec is for.
    pub(super) dimensionality: usize,
    pub(super) has_endian: bool,
    pub(super) compressor: Option<Arc<dyn BytesToBytesCodecTraits>>,
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

    pub(super) fn check(&self) -> Result<Parts, N5DefaultConfigurationError> {
        let (transpose, bytes, rest) = match self.codecs.as_slice() {
            [transpose, bytes, rest @ ..] => (transpose, bytes, rest),
            codecs => {
                return Err(N5DefaultConfigurationError::TooFewCodecs {
                    found: codecs.len(),
                });
            }
        };
        let dimensionality = check_transpose(transpose)?;
        let has_endian = check_bytes(bytes)?;
        let compressor = match rest {
            [] => None,
            [metadata] => Some(create_compressor(metadata)?),
            _ => {
                return Err(N5DefaultConfigurationError::TooManyCodecs {
                    found: self.codecs.len(),
                });
            }
        };
        Ok(Parts {
            dimensionality,
            has_endian,
            compressor,
        })
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
) -> Result<T, N5DefaultConfigurationError> {
    metadata.to_typed_configuration().map_err(|source| {
        N5DefaultConfigurationError::MalformedCodec {
            codec: metadata.name().to_owned(),
            source,
        }
    })
}

fn check_transpose(metadata: &MetadataV3) -> Result<usize, N5DefaultConfigurationError> {
    check_name::<TransposeCodec>(metadata, 0, "transpose")?;
    let TransposeConfiguration { order } = typed(metadata)?;
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
    check_name::<BytesCodec>(metadata, 1, "bytes")?;
    let endian = match typed::<BytesCodecConfiguration>(metadata)? {
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

fn create_compressor(
    metadata: &MetadataV3,
) -> Result<Arc<dyn BytesToBytesCodecTraits>, N5DefaultConfigurationError> {
    match Codec::from_metadata(metadata) {
        Ok(Codec::BytesToBytes(compressor)) => Ok(compressor),
        Ok(_) => Err(N5DefaultConfigurationError::NotBytesToBytes {
            found: metadata.name().to_owned(),
        }),
        Err(source) => Err(N5DefaultConfigurationError::Compressor {
            codec: metadata.name().to_owned(),
            source,
        }),
    }
}
