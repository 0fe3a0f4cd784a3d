//! The `n5_default` codec as metadata: made from, and taken apart into, its compressor.

use serde::Deserialize;
use serde_json::{Value, json};
use thiserror::Error;
use zarrs_metadata::v3::MetadataV3;
use zarrs_plugin::{ExtensionAliases, ZarrVersion3};

use crate::n5::attributes::quote;
use crate::n5::compression::CompressionError;
use crate::n5::error_text::shown;
use crate::n5::{Compression, N5DataType, N5DefaultCodec, N5DefaultCodecConfiguration};

/// The name that is written.
const NAME: &str = "n5_default";

/// The codec metadata of an N5 dataset: `n5_default` around `transpose`, `bytes` and the compressor.
///
/// `endian` is written for 1-byte types too, where the specification lets it be absent: older versions of the
/// Python package `zarr-n5` take an absent one for little-endian and refuse the array.
pub(super) fn codec_metadata(
    ndim: usize,
    data_type: N5DataType,
    compression: &Compression,
) -> Result<MetadataV3, CompressionError> {
    let compressor = compression.to_codec_metadata(data_type)?;
    let configuration = N5DefaultCodecConfiguration::new(ndim, compressor);
    Ok(MetadataV3::new_with_configuration(NAME, configuration))
}

/// Codecs of a Zarr array that are not those of an N5 dataset.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CodecsError {
    /// The array has other codecs than `n5_default` alone.
    #[error("found {found}: expected exactly one codec, `{NAME}`")]
    NotN5 {
        /// The codecs, shortened.
        found: String,
    },
    /// The configuration of `n5_default` is not an object with the one member `codecs`, a list of 2 or 3.
    #[error(
        "the configuration of `{NAME}` is {found}: expected the one member `codecs` with \
         `transpose`, `bytes` and at most one compressor"
    )]
    Configuration {
        /// The configuration, shortened.
        found: String,
    },
    /// The first inner codec does not reverse all axes.
    #[error(
        "the first codec in `{NAME}` is {found}: expected `transpose` with the order {}",
        shown(expected)
    )]
    Transpose {
        /// The codec, shortened.
        found: String,
        /// The order of the axes that N5 has.
        expected: Vec<usize>,
    },
    /// The second inner codec is not big-endian `bytes`.
    #[error(
        "the second codec in `{NAME}` is {found}: expected `bytes` with the endian \"big\" (it may \
         be absent for data types of 1 byte; this one is {data_type})"
    )]
    Bytes {
        /// The codec, shortened.
        found: String,
        /// The data type of the array.
        data_type: N5DataType,
    },
    /// The third inner codec is not a compressor that N5 has.
    #[error("the third codec in `{NAME}`: {0}")]
    Compressor(#[source] Box<CompressionError>),
}

impl CodecsError {
    /// Whether the codecs are fine as Zarr, but not those of N5.
    pub(super) fn is_unsupported(&self) -> bool {
        matches!(self, Self::NotN5 { .. } | Self::Compressor(_))
    }
}

/// The compression of an array whose codecs are `n5_default` alone.
pub(super) fn compression_of_codecs(
    codecs: &[Value],
    ndim: usize,
    data_type: N5DataType,
) -> Result<Compression, CodecsError> {
    let not_n5 = || CodecsError::NotN5 {
        found: quote(&json!(codecs)),
    };
    let [codec] = codecs else {
        return Err(not_n5());
    };
    let codec = MetadataV3::deserialize(codec).map_err(|_| not_n5())?;
    if !<N5DefaultCodec as ExtensionAliases<ZarrVersion3>>::matches_name(codec.name()) {
        return Err(not_n5());
    }
    let configuration = || CodecsError::Configuration {
        found: quote(&json!(codec.configuration())),
    };
    let N5DefaultCodecConfiguration { codecs } = codec
        .to_typed_configuration()
        .map_err(|_| configuration())?;
    let (transpose, bytes, compressor) = match codecs.as_slice() {
        [transpose, bytes] => (transpose, bytes, None),
        [transpose, bytes, compressor] => (transpose, bytes, Some(compressor)),
        _ => return Err(configuration()),
    };
    check_inner(transpose, bytes, ndim, data_type)?;
    Compression::from_codec_metadata(compressor)
        .map_err(|source| CodecsError::Compressor(source.into()))
}

/// The first two codecs must be those that are written, but that single bytes need no endianness.
fn check_inner(
    transpose: &MetadataV3,
    bytes: &MetadataV3,
    ndim: usize,
    data_type: N5DataType,
) -> Result<(), CodecsError> {
    let written = N5DefaultCodecConfiguration::new(ndim, None).codecs;
    let is_written = |codec: &MetadataV3, index| written.get(index) == Some(codec);
    let is_single_byte =
        data_type.size() == 1 && bytes.name() == "bytes" && bytes.configuration_is_none_or_empty();
    if !is_written(transpose, 0) {
        Err(CodecsError::Transpose {
            found: quote(&json!(transpose)),
            expected: (0..ndim).rev().collect(),
        })
    } else if !is_written(bytes, 1) && !is_single_byte {
        Err(CodecsError::Bytes {
            found: quote(&json!(bytes)),
            data_type,
        })
    } else {
        Ok(())
    }
}
