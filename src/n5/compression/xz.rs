//! LZMA2 in the `.xz` container, and the zarr codec for it, which zarrs lacks.

#[cfg(feature = "xz")]
mod stream;
#[cfg(feature = "xz")]
mod xz_codec;

#[cfg(feature = "xz")]
use std::sync::Arc;

use serde_json::{Map, Value, json};
#[cfg(feature = "xz")]
use zarrs_codec::{BytesToBytesCodecTraits, CodecOptions};
use zarrs_metadata::v3::MetadataV3;
use zarrs_plugin::ExtensionAliasesV3;

use super::bounded::Bounded;
#[cfg(feature = "xz")]
use super::compressor::Compressor;
use super::compressor::{Parameters, codec_metadata};
#[cfg(feature = "xz")]
use super::payload::{Cause, Payload, PayloadError};
use crate::n5::N5DataType;
use crate::n5::members::{MemberError, Members};

#[cfg(feature = "xz")]
pub use xz_codec::{XzCodec, XzCodecConfiguration};

/// The preset of xz.
pub type XzPreset = Bounded<0, 9>;

/// The parameters of [`Compression::Xz`](super::Compression::Xz).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Xz {
    /// The preset.
    pub preset: XzPreset,
}

impl Xz {
    /// The preset 6.
    pub(super) const DEFAULT: Self = Self {
        preset: Bounded::constant(6),
    };
}

impl Default for Xz {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Parameters for Xz {
    const NAME: &'static str = "xz";
    const FEATURE: &'static str = "xz";
    const ENABLED: bool = cfg!(feature = "xz");

    fn from_json(members: Members<'_>) -> Result<Self, MemberError> {
        let preset = Bounded::optional(members, "preset")?;
        Ok(preset.map_or(Self::DEFAULT, |preset| Self { preset }))
    }

    fn to_json(&self, object: &mut Map<String, Value>) {
        object.insert("preset".to_owned(), json!(self.preset.get()));
    }

    fn is_codec(name: &str) -> bool {
        XzCodec::matches_name_v3(name)
    }

    fn from_codec(_name: &str, members: Members<'_>) -> Result<Self, MemberError> {
        members.only(&["format", "check", "preset", "filters"])?;
        let one_of = |member, expected, allowed: &[i32]| {
            members.optional(member, expected, |value| {
                let is_allowed = value.is_null() || allowed.iter().any(|allowed| value == allowed);
                is_allowed.then_some(())
            })
        };
        one_of("format", "1 (.xz)", &[1])?;
        one_of("filters", "null", &[])?;
        one_of("check", "-1 or 4 (CRC64)", &[-1, 4])?;
        match members.get("preset") {
            None | Some(Value::Null) => Ok(Self::DEFAULT),
            Some(_) => Ok(Self {
                preset: Bounded::required(members, "preset")?,
            }),
        }
    }

    fn to_codec(&self, _data_type: N5DataType) -> MetadataV3 {
        codec_metadata::<XzCodec>(
            json!({ "format": 1, "check": -1, "preset": self.preset.get(), "filters": null }),
        )
    }

    #[cfg(feature = "xz")]
    fn register_runtime() {
        xz_codec::register_runtime();
    }

    #[cfg(feature = "xz")]
    fn compressor(&self, codec: &Arc<dyn BytesToBytesCodecTraits>) -> Option<Arc<dyn Compressor>> {
        let is_own = codec.as_any().is::<XzCodec>();
        is_own.then(|| Arc::new(self.clone()) as _)
    }
}

#[cfg(feature = "xz")]
impl Compressor for Xz {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn decompress_into(
        &self,
        payload: &Payload<'_>,
        out: &mut Vec<u8>,
        _options: &CodecOptions,
    ) -> Result<(), PayloadError> {
        stream::decompress(payload.encoded(), payload.expected(), out).map_err(|error| {
            if stream::is_beyond_limit(&error) {
                payload.limit(Cause::new(error))
            } else {
                payload.unreadable(error)
            }
        })?;
        payload.check_bounded(out.len())
    }

    fn compress_append(
        &self,
        decoded: &[u8],
        out: &mut Vec<u8>,
        _options: &CodecOptions,
    ) -> Result<(), Cause> {
        let preset = self.preset.get().unsigned_abs();
        stream::compress_append(decoded, preset, stream::DEFAULT_CHECK, out).map_err(Cause::new)
    }
}

/// A stand-in that has the name only, to say which feature is missing.
#[cfg(not(feature = "xz"))]
struct XzCodec;
#[cfg(not(feature = "xz"))]
zarrs_plugin::impl_extension_aliases!(XzCodec, v3: "numcodecs.lzma");

#[cfg(all(test, feature = "xz"))]
mod tests {
    use super::*;

    fn xz(decoded: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        Xz::DEFAULT
            .compress_append(decoded, &mut out, &CodecOptions::default())
            .unwrap();
        out
    }

    fn decompress(encoded: &[u8], expected: usize) -> Result<Vec<u8>, PayloadError> {
        let mut out = Vec::new();
        let payload = Payload::new(Xz::NAME, encoded, expected);
        Xz::DEFAULT.decompress_into(&payload, &mut out, &CodecOptions::default())?;
        Ok(out)
    }

    #[test]
    fn several_streams_with_padding_are_read_as_one() {
        let encoded = [
            xz(b"to be, "),
            vec![0; 8],
            xz(b""),
            xz(b"or not"),
            vec![0; 4],
        ]
        .concat();
        assert_eq!(decompress(&encoded, 13), Ok(b"to be, or not".to_vec()));
    }

    #[test]
    fn padding_that_is_no_multiple_of_four_is_refused() {
        for size in [1, 2, 3, 5] {
            let encoded = [xz(b"to be"), vec![0; size]].concat();
            assert!(decompress(&encoded, 5).is_err(), "{size}");
        }
    }

    #[test]
    fn thousands_of_empty_streams_are_refused() {
        let text = decompress(&xz(b"").repeat(100_000), 48).unwrap_err();
        let text = text.to_string();
        assert!(
            text.ends_with("more than 64 of its streams hold nothing"),
            "{text}"
        );
    }
}
