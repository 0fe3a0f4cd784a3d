//! Zstandard, with one context per thread.

#[cfg(feature = "zstd")]
mod frames;

#[cfg(feature = "zstd")]
use std::sync::Arc;

use serde_json::{Map, Value, json};
#[cfg(feature = "zstd")]
use zarrs::array::codec::ZstdCodec;
#[cfg(feature = "zstd")]
use zarrs_codec::{BytesToBytesCodecTraits, CodecOptions};
use zarrs_metadata::v3::MetadataV3;
use zarrs_plugin::ExtensionAliasesV3;

use super::bounded::Bounded;
#[cfg(feature = "zstd")]
use super::compressor::Compressor;
use super::compressor::{Parameters, codec_metadata};
#[cfg(feature = "zstd")]
use super::payload::{Cause, Payload, PayloadError};
use crate::n5::N5DataType;
use crate::n5::members::{MemberError, Members};

/// The level of Zstandard; 0 is its own default, negative levels are faster.
pub type ZstdLevel = Bounded<-131_072, 22>;

/// The parameters of [`Compression::Zstd`](super::Compression::Zstd).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Zstd {
    /// The level.
    pub level: ZstdLevel,
}

impl Zstd {
    /// The level 3.
    pub(super) const DEFAULT: Self = Self {
        level: Bounded::constant(3),
    };
}

impl Default for Zstd {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Parameters for Zstd {
    const NAME: &'static str = "zstd";
    const FEATURE: &'static str = "zstd";
    const ENABLED: bool = cfg!(feature = "zstd");

    fn from_json(members: Members<'_>) -> Result<Self, MemberError> {
        let level = Bounded::optional(members, "level")?;
        Ok(level.map_or(Self::DEFAULT, |level| Self { level }))
    }

    fn to_json(&self, object: &mut Map<String, Value>) {
        object.insert("level".to_owned(), json!(self.level.get()));
    }

    fn is_codec(name: &str) -> bool {
        ZstdCodec::matches_name_v3(name)
    }

    fn from_codec(_name: &str, members: Members<'_>) -> Result<Self, MemberError> {
        members.only(&["level", "checksum"])?;
        members.optional("checksum", "false", |checksum| {
            (checksum.is_null() || *checksum == false).then_some(())
        })?;
        Ok(Self {
            level: Bounded::required(members, "level")?,
        })
    }

    fn to_codec(&self, _data_type: N5DataType) -> MetadataV3 {
        codec_metadata::<ZstdCodec>(json!({ "level": self.level.get(), "checksum": false }))
    }

    #[cfg(feature = "zstd")]
    fn compressor(&self, codec: &Arc<dyn BytesToBytesCodecTraits>) -> Option<Arc<dyn Compressor>> {
        let is_own = codec.as_any().is::<ZstdCodec>();
        is_own.then(|| Arc::new(self.clone()) as _)
    }
}

#[cfg(feature = "zstd")]
impl Compressor for Zstd {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn decompress_into(
        &self,
        payload: &Payload<'_>,
        out: &mut Vec<u8>,
        _options: &CodecOptions,
    ) -> Result<(), PayloadError> {
        let encoded = payload.encoded();
        let stated = frames::stated_size(encoded).map_err(|error| payload.unreadable(error))?;
        if let Some(size) = stated {
            payload.check_length(size)?;
        }
        payload.check_ratio(frames::MAX_RATIO)?;
        payload.set_length(out)?;
        match frames::decompress(encoded, out) {
            Ok(count) => payload.check_length(count as u64),
            Err(error) if frames::is_too_long(&error) => Err(payload.too_long()),
            Err(error) => Err(payload.unreadable(error)),
        }
    }

    fn compress_append(
        &self,
        decoded: &[u8],
        out: &mut Vec<u8>,
        _options: &CodecOptions,
    ) -> Result<(), Cause> {
        frames::compress_append(decoded, self.level.get(), out).map_err(Cause::new)
    }
}

/// A stand-in that has the name only, to say which feature is missing.
#[cfg(not(feature = "zstd"))]
struct ZstdCodec;
#[cfg(not(feature = "zstd"))]
zarrs_plugin::impl_extension_aliases!(ZstdCodec, v3: "zstd");

#[cfg(all(test, feature = "zstd"))]
mod tests {
    use super::*;

    #[test]
    fn thousands_of_empty_frames_are_refused() {
        let mut empty = Vec::new();
        frames::compress_append(&[], 3, &mut empty).unwrap();
        let encoded = empty.repeat(100_000);
        let payload = Payload::new(Zstd::NAME, &encoded, 48);
        let error = Zstd::DEFAULT
            .decompress_into(&payload, &mut Vec::new(), &CodecOptions::default())
            .unwrap_err()
            .to_string();
        assert!(
            error.ends_with("more than 64 of its streams hold nothing"),
            "{error}"
        );
    }

    #[test]
    fn a_frame_of_other_data_before_each_frame_is_ordinary() {
        // Skippable frames with 4 bytes, as `pzstd` writes.
        let mut frame = vec![0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4];
        frames::compress_append(b"data", 3, &mut frame).unwrap();
        let encoded = frame.repeat(100);
        let payload = Payload::new(Zstd::NAME, &encoded, 400);
        let mut out = Vec::new();
        Zstd::DEFAULT
            .decompress_into(&payload, &mut out, &CodecOptions::default())
            .unwrap();
        assert_eq!(out, b"data".repeat(100));
    }
}
