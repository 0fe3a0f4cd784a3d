//! The `n5_default` codec as metadata: made from, and taken apart into, its compressor.

use serde_json::{Value, json};
use thiserror::Error;
use zarrs_metadata::v3::MetadataV3;

use crate::n5::attributes::quote;
use crate::n5::compression::CompressionError;
use crate::n5::{Compression, N5DataType};

/// The name that is written.
const NAME: &str = "n5_default";

/// A name that an existing reader wrote.
const ALIAS: &str = "zarrs.n5_default";

/// The codec metadata of an N5 dataset: `n5_default` around `transpose`, `bytes` and the compressor.
///
/// `endian` is written for 1-byte types too, where the specification lets it be absent: older versions of the
/// Python package `zarr-n5` take an absent one for little-endian and refuse the array.
pub(crate) fn codec_metadata(
    ndim: usize,
    data_type: N5DataType,
    compression: &Compression,
) -> Result<MetadataV3, CompressionError> {
    let mut codecs = vec![
        json!({"name": "transpose", "configuration": {"order": reversal(ndim)}}),
        json!({"name": "bytes", "configuration": {"endian": "big"}}),
    ];
    if let Some(compressor) = compression.to_codec_metadata(data_type)? {
        codecs.push(json!(compressor));
    }
    let configuration = serde_json::Map::from_iter([("codecs".to_owned(), codecs.into())]);
    Ok(MetadataV3::new_with_configuration(NAME, configuration))
}

/// The axis order that turns an array around: `ndim - 1, …, 1, 0`.
fn reversal(ndim: usize) -> Vec<usize> {
    (0..ndim).rev().collect()
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
        "the first codec in `{NAME}` is {found}: expected `transpose` with the order {expected:?}"
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
    Compressor(#[source] CompressionError),
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
    let codec = metadata(codec)
        .filter(|codec| [NAME, ALIAS].contains(&codec.name()))
        .ok_or_else(not_n5)?;
    let (transpose, bytes, compressor) =
        inner_codecs(&codec).ok_or_else(|| CodecsError::Configuration {
            found: quote(&json!(codec.configuration())),
        })?;
    check_transpose(transpose, ndim)?;
    check_bytes(bytes, data_type)?;
    Compression::from_codec_metadata(compressor.as_ref(), data_type)
        .map_err(CodecsError::Compressor)
}

/// `transpose`, `bytes` and the compressor, unless the configuration has another form.
fn inner_codecs(codec: &MetadataV3) -> Option<(&Value, &Value, Option<MetadataV3>)> {
    let configuration = codec.configuration()?;
    if configuration.len() != 1 {
        return None;
    }
    match configuration.get("codecs")?.as_array()?.as_slice() {
        [transpose, bytes] => Some((transpose, bytes, None)),
        [transpose, bytes, compressor] => Some((transpose, bytes, Some(metadata(compressor)?))),
        _ => None,
    }
}

fn metadata(value: &Value) -> Option<MetadataV3> {
    serde_json::from_value(value.clone()).ok()
}

fn check_transpose(codec: &Value, ndim: usize) -> Result<(), CodecsError> {
    let expected = reversal(ndim);
    let is_reversal = metadata(codec).is_some_and(|codec| {
        codec.name() == "transpose"
            && codec.configuration().is_some_and(|configuration| {
                configuration.len() == 1 && configuration.get("order") == Some(&json!(expected))
            })
    });
    if is_reversal {
        Ok(())
    } else {
        Err(CodecsError::Transpose {
            found: quote(codec),
            expected,
        })
    }
}

fn check_bytes(codec: &Value, data_type: N5DataType) -> Result<(), CodecsError> {
    let is_big_endian = metadata(codec).is_some_and(|codec| {
        let endian = codec.configuration().and_then(|bytes| bytes.get("endian"));
        let members = codec.configuration().map_or(0, |bytes| bytes.len());
        codec.name() == "bytes"
            && match endian {
                Some(endian) => members == 1 && endian == "big",
                None => members == 0 && data_type.size() == 1,
            }
    });
    if is_big_endian {
        Ok(())
    } else {
        Err(CodecsError::Bytes {
            found: quote(codec),
            data_type,
        })
    }
}
