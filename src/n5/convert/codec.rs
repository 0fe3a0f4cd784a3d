//! The `n5_default` codec as metadata: made from, and taken apart into, its compressor.

use serde::Deserialize;
use serde_json::{Value, json};
use thiserror::Error;
use zarrs_metadata::v3::MetadataV3;
use zarrs_plugin::{ExtensionAliases, ZarrVersion3};

use super::presentation::{Presentation, is_reversing, transpose};
use crate::n5::codec::REVERSED_NAME;
use crate::n5::compression::CompressionError;
use crate::n5::error_text::{quote, shown};
use crate::n5::{Compression, N5DataType, N5DefaultCodec, N5DefaultCodecConfiguration};

/// The name that is written.
const NAME: &str = "n5_default";

/// The codec metadata of an N5 dataset: `n5_default` around `transpose`, `bytes` and the
/// compressor, with another `transpose` before it in reversed order.
///
/// `endian` is written for 1-byte types too, where the specification lets it be absent: older
/// versions of the Python package `zarr-n5` take an absent one for little-endian and refuse the
/// array.
pub(super) fn codec_metadata(
    dimensionality: usize,
    data_type: N5DataType,
    compression: &Compression,
    presentation: Presentation,
) -> Result<Vec<MetadataV3>, CompressionError> {
    let compressor = compression.to_codec_metadata(data_type)?;
    let configuration = N5DefaultCodecConfiguration::new(dimensionality, compressor);
    let codec = |name| MetadataV3::new_with_configuration(name, configuration);
    Ok(match presentation {
        Presentation::Stored => vec![codec(NAME)],
        Presentation::View => vec![codec(REVERSED_NAME)],
        Presentation::Published => vec![transpose(dimensionality), codec(NAME)],
    })
}

/// Codecs of a Zarr array that are not those of an N5 dataset.
#[derive(Debug, Error)]
pub(crate) enum CodecsError {
    /// The array has other codecs than `n5_default` alone.
    #[error("found {found}: expected exactly one codec, `{NAME}`")]
    NotN5 {
        /// The codecs, shortened.
        found: String,
    },
    /// The configuration of `n5_default` is not an object with the one member `codecs`, a list of 2
    /// or 3.
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
    pub(in crate::n5) fn is_unsupported(&self) -> bool {
        matches!(self, Self::NotN5 { .. } | Self::Compressor(_))
    }
}

/// How an array with these codecs shows the dimensions, and the codecs without the one that
/// reverses them.
pub(super) fn presentation_of_codecs(
    codecs: &[Value],
    dimensionality: usize,
) -> (Presentation, &[Value]) {
    let name_of = |codec: &'_ Value| codec.get("name").and_then(Value::as_str).map(str::to_owned);
    match codecs {
        [codec] if name_of(codec).as_deref() == Some(REVERSED_NAME) => (Presentation::View, codecs),
        [first, rest @ ..] if rest.len() == 1 && is_reversing(first, dimensionality) => {
            (Presentation::Published, rest)
        }
        _ => (Presentation::Stored, codecs),
    }
}

/// The compression of an array whose codecs are `n5_default` alone, but for what reverses the
/// dimensions.
pub(super) fn compression_of_codecs(
    codecs: &[Value],
    dimensionality: usize,
    data_type: N5DataType,
) -> Result<Compression, CodecsError> {
    let not_n5 = || CodecsError::NotN5 {
        found: quote(&json!(codecs)),
    };
    let [codec] = codecs else {
        return Err(not_n5());
    };
    let codec = MetadataV3::deserialize(codec).map_err(|_| not_n5())?;
    let is_n5 = <N5DefaultCodec as ExtensionAliases<ZarrVersion3>>::matches_name(codec.name());
    if !is_n5 && codec.name() != REVERSED_NAME {
        return Err(not_n5());
    }
    let configuration = || CodecsError::Configuration {
        found: quote(&json!(codec.configuration())),
    };
    let inner: N5DefaultCodecConfiguration = codec
        .to_typed_configuration()
        .map_err(|_| configuration())?;
    let inner_codec = |position| quote(&json!(inner.codecs.get(position)));
    let transpose = || CodecsError::Transpose {
        found: inner_codec(0),
        expected: (0..dimensionality).rev().collect(),
    };
    let bytes = || CodecsError::Bytes {
        found: inner_codec(1),
        data_type,
    };
    let parts = inner.parts().map_err(|error| match error.position() {
        None => configuration(),
        Some(0) => transpose(),
        Some(_) => bytes(),
    })?;
    if parts.dimensionality != dimensionality {
        return Err(transpose());
    }
    // The codec asks the same when it is first used for a data type.
    if !parts.has_endian && data_type.size() > 1 {
        return Err(bytes());
    }
    Compression::from_codec_metadata(parts.compressor)
        .map_err(|source| CodecsError::Compressor(source.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What codec and conversion think of `n5_default` around these codecs, for two dimensions.
    fn judged(codecs: &Value) -> [bool; 2] {
        let configuration = json!({ "codecs": codecs });
        let created = serde_json::from_value::<N5DefaultCodecConfiguration>(configuration.clone())
            .is_ok_and(|configuration| {
                N5DefaultCodec::new_with_configuration(&configuration).is_ok()
            });
        let codec = json!({"name": NAME, "configuration": configuration});
        let converted = compression_of_codecs(&[codec], 2, N5DataType::UInt8);
        [created, converted.is_ok()]
    }

    fn transpose(order: &Value) -> Value {
        json!({"name": "transpose", "configuration": {"order": order}})
    }

    #[test]
    fn what_the_codec_takes_can_be_converted() {
        let reversed = transpose(&json!([1, 0]));
        for bytes in [
            json!({"name": "bytes", "configuration": {"endian": "big"}}),
            json!({"name": "endian", "configuration": {"endian": "big"}}),
            json!({"name": "bytes", "configuration": {}}),
            json!({"name": "bytes"}),
            json!("bytes"),
        ] {
            let codecs = json!([reversed, bytes]);
            assert_eq!(judged(&codecs), [true, true], "{codecs}");
        }
    }

    #[test]
    fn what_the_codec_refuses_cannot_be_converted() {
        let bytes = json!({"name": "bytes", "configuration": {"endian": "big"}});
        let reversed = transpose(&json!([1, 0]));
        for codecs in [
            json!([]),
            json!([reversed]),
            json!([bytes, reversed]),
            json!([transpose(&json!([0, 1])), bytes]),
            json!([transpose(&json!("C")), bytes]),
            json!([reversed, {"name": "bytes", "configuration": {"endian": "little"}}]),
            json!([reversed, {"name": "bytes", "configuration": {"order": "big"}}]),
            json!([reversed, bytes, bytes]),
            json!([reversed, bytes, {"name": "gzip", "configuration": {"level": 10}}]),
            json!([reversed, bytes, {"name": "gzip", "configuration": {"level": 6.0}}]),
            json!([reversed, bytes, {"name": "gzip", "configuration": {"level": 6}}, bytes]),
        ] {
            assert_eq!(judged(&codecs), [false, false], "{codecs}");
        }
    }

    #[test]
    fn the_endianness_may_be_absent_for_single_bytes_only() {
        let codec = json!({"name": NAME, "configuration":
            {"codecs": [transpose(&json!([1, 0])), {"name": "bytes"}]}});
        let error = compression_of_codecs(&[codec], 2, N5DataType::UInt16).unwrap_err();
        assert!(error.to_string().contains("this one is uint16"), "{error}");
    }
}
