//! The `numcodecs.lzma` codec of zarr, as [`n5::xz`](crate::n5::xz) offers it.

use liblzma::stream::Check;
use serde::{Deserialize, Serialize};
use zarrs_codec::CodecError;
use zarrs_plugin::PluginCreateError;

use super::{XzPreset, stream};
use crate::n5::compression::own_codec::{OwnCodec, grow, own_codec};

own_codec!(XzCodec, XzCodecConfiguration, "numcodecs.lzma");

/// The configuration of [`XzCodec`]. Every member may be absent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct XzCodecConfiguration {
    /// The container: 1 for `.xz`, the only one that is supported.
    #[serde(default = "default_format")]
    pub format: i32,
    /// The integrity check: -1 for the default, which is CRC64; 0 for none, 1 for CRC32, 4 for
    /// CRC64, 10 for SHA-256.
    #[serde(default = "default_check")]
    pub check: i32,
    /// The preset from 0 to 9; null for the default, which is 6.
    #[serde(default)]
    pub preset: Option<i32>,
    /// Must be null.
    #[serde(default)]
    pub filters: Option<serde_json::Value>,
}

impl Default for XzCodecConfiguration {
    fn default() -> Self {
        Self {
            format: default_format(),
            check: default_check(),
            preset: None,
            filters: None,
        }
    }
}

const fn default_format() -> i32 {
    1
}

const fn default_check() -> i32 {
    -1
}

/// A `numcodecs.lzma` codec implementation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XzCodec {
    preset: Option<XzPreset>,
    check: i32,
}

impl XzCodec {
    /// Creates a codec that writes with `preset` and CRC64. Reading does not depend on it.
    #[must_use]
    pub const fn new(preset: XzPreset) -> Self {
        Self {
            preset: Some(preset),
            check: -1,
        }
    }

    /// Creates a codec from its configuration.
    ///
    /// # Errors
    /// Returns [`PluginCreateError`] naming the member that is out of range or not supported.
    pub fn new_with_configuration(
        configuration: &XzCodecConfiguration,
    ) -> Result<Self, PluginCreateError> {
        let refuse = |text: String| Err(PluginCreateError::Other(text));
        let XzCodecConfiguration {
            format,
            check,
            preset,
            filters,
        } = configuration;
        if *format != 1 {
            return refuse(format!("the member `format` is {format}: expected 1 (.xz)"));
        }
        if !matches!(check, -1 | 0 | 1 | 4 | 10) {
            return refuse(format!(
                "the member `check` is {check}: expected -1, 0, 1, 4 or 10"
            ));
        }
        if let Some(filters) = filters {
            return refuse(format!("the member `filters` is {filters}: expected null"));
        }
        let preset = match preset.map(XzPreset::new).transpose() {
            Ok(preset) => preset,
            Err(error) => return refuse(format!("the member `preset`: {error}")),
        };
        Ok(Self {
            preset,
            check: *check,
        })
    }
}

impl OwnCodec for XzCodec {
    type Configuration = XzCodecConfiguration;

    fn from_configuration(configuration: &XzCodecConfiguration) -> Result<Self, PluginCreateError> {
        Self::new_with_configuration(configuration)
    }

    fn to_configuration(&self) -> XzCodecConfiguration {
        XzCodecConfiguration {
            check: self.check,
            preset: self.preset.map(XzPreset::get),
            ..XzCodecConfiguration::default()
        }
    }

    fn compress_append(&self, decoded: &[u8], out: &mut Vec<u8>) -> Result<(), CodecError> {
        let preset = self.preset.map_or(6, |preset| preset.get().unsigned_abs());
        let check = match self.check {
            0 => Check::None,
            1 => Check::Crc32,
            10 => Check::Sha256,
            _ => stream::DEFAULT_CHECK,
        };
        Ok(stream::compress_append(decoded, preset, check, out)?)
    }

    fn decompress(encoded: &[u8], limit: Option<u64>) -> Result<Vec<u8>, CodecError> {
        grow("xz data", limit, |limit, out| {
            stream::decompress(encoded, limit, out)
        })
    }

    /// What LZMA2 cannot compress it stores, in chunks of about 64 KiB with at most 6 bytes of
    /// header. Headers, index and check of the container are less than 256 bytes.
    fn largest_encoded(&self, size: u64) -> Option<u64> {
        size.checked_add(size / 1024)?.checked_add(1024)
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::sync::Arc;

    use serde_json::{Value, json};
    use zarrs_codec::{
        BytesRepresentation, BytesToBytesCodecTraits, Codec, CodecMetadataOptions, CodecOptions,
    };
    use zarrs_metadata::v3::MetadataV3;

    use super::*;

    fn create(
        configuration: &Value,
    ) -> Result<Arc<dyn BytesToBytesCodecTraits>, PluginCreateError> {
        let metadata = json!({"name": "numcodecs.lzma", "configuration": configuration});
        let metadata: MetadataV3 = serde_json::from_value(metadata).unwrap();
        match Codec::from_metadata(&metadata)? {
            Codec::BytesToBytes(codec) => Ok(codec),
            other => panic!("{other:?} is no bytes-to-bytes codec"),
        }
    }

    #[test]
    fn every_member_may_be_absent_and_all_are_shown() {
        let codec = create(&json!({})).unwrap();
        let shown = codec.configuration_v3(&CodecMetadataOptions::default());
        assert_eq!(
            serde_json::to_value(shown).unwrap(),
            json!({"format": 1, "check": -1, "preset": null, "filters": null})
        );
        assert_eq!(codec.name_v3().as_deref(), Some("numcodecs.lzma"));
    }

    #[test]
    fn what_is_not_supported_is_refused_by_member() {
        let cases = [
            (json!({"format": 2}), "`format` is 2"),
            (json!({"check": 2}), "`check` is 2"),
            (json!({"preset": 10}), "`preset`: 10 is out of range"),
            (json!({"filters": [{"id": 33}]}), "`filters` is [{"),
            (json!({"level": 3}), "unknown field `level`"),
        ];
        for (configuration, expected) in cases {
            let error = create(&configuration).unwrap_err().to_string();
            assert!(error.contains(expected), "{error:?} lacks {expected:?}");
        }
    }

    #[test]
    fn every_check_and_preset_reads_back() {
        let options = CodecOptions::default();
        let data = b"to be, or not to be".repeat(100);
        let size = BytesRepresentation::FixedSize(data.len() as u64);
        // The eighth byte of .xz is the check.
        for (check, byte) in [(-1, 4), (0, 0), (1, 1), (4, 4), (10, 10)] {
            for preset in [0, 6, 9] {
                let codec = create(&json!({"check": check, "preset": preset})).unwrap();
                let encoded = codec.encode(Cow::Borrowed(&data), &options).unwrap();
                assert_eq!(encoded.get(7), Some(&byte));
                let decoded = codec.decode(encoded, &size, &options).unwrap();
                assert_eq!(*decoded, *data);
            }
        }
    }

    #[test]
    fn more_than_the_expected_size_is_an_error() {
        let options = CodecOptions::default();
        let codec = create(&json!({})).unwrap();
        let encoded = codec.encode(Cow::Owned(vec![7; 1000]), &options).unwrap();
        let expected = BytesRepresentation::BoundedSize(999);
        let error = codec.decode(encoded.clone(), &expected, &options);
        assert!(error.unwrap_err().to_string().contains("999 bytes"));
        let unbounded = BytesRepresentation::UnboundedSize;
        let decoded = codec.decode(encoded, &unbounded, &options).unwrap();
        assert_eq!(*decoded, [7; 1000]);
    }

    #[test]
    fn the_bound_holds_for_noise() {
        let codec = create(&json!({"check": 10})).unwrap();
        let mut state = 1_u64;
        let mut noise = Vec::new();
        for size in [0_usize, 1, 100, 300_000] {
            noise.resize_with(size, || {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                state.to_be_bytes()[0]
            });
            let encoded = codec
                .encode(Cow::Borrowed(&noise), &CodecOptions::default())
                .unwrap();
            let bound = codec
                .encoded_representation(&BytesRepresentation::FixedSize(size as u64))
                .size()
                .unwrap();
            assert!(encoded.len() as u64 <= bound, "{} > {bound}", encoded.len());
        }
    }
}
