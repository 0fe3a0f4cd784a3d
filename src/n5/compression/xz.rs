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
pub(crate) use xz_codec::register_runtime;
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
