//! bzip2.

#[cfg(feature = "bzip2")]
use std::io::Write;
#[cfg(feature = "bzip2")]
use std::sync::Arc;

#[cfg(feature = "bzip2")]
use ::bzip2::{bufread::BzDecoder, write::BzEncoder};
use serde_json::{Map, Value, json};
#[cfg(feature = "bzip2")]
use zarrs::array::codec::bytes_to_bytes::bz2::Bz2Codec;
#[cfg(feature = "bzip2")]
use zarrs_codec::{BytesToBytesCodecTraits, CodecOptions};
use zarrs_metadata::v3::MetadataV3;
use zarrs_plugin::ExtensionAliasesV3;

use super::bounded::Bounded;
#[cfg(feature = "bzip2")]
use super::compressor::Compressor;
use super::compressor::{Parameters, codec_metadata};
#[cfg(feature = "bzip2")]
use super::payload::{Cause, Payload, PayloadError};
#[cfg(feature = "bzip2")]
use super::streams::read_streams;
use crate::n5::N5DataType;
use crate::n5::members::{MemberError, Members};

/// The block size of bzip2 in units of 100 kB.
pub type Bzip2BlockSize = Bounded<1, 9>;

/// The parameters of [`Compression::Bzip2`](super::Compression::Bzip2).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bzip2 {
    /// The block size in units of 100 kB.
    pub block_size: Bzip2BlockSize,
}

impl Bzip2 {
    /// The largest block size.
    pub(super) const DEFAULT: Self = Self {
        block_size: Bounded::constant(9),
    };
}

impl Default for Bzip2 {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Parameters for Bzip2 {
    const NAME: &'static str = "bzip2";
    const FEATURE: &'static str = "bzip2";
    const ENABLED: bool = cfg!(feature = "bzip2");

    fn from_json(members: Members<'_>) -> Result<Self, MemberError> {
        let block_size = Bounded::optional(members, "blockSize")?;
        Ok(block_size.map_or(Self::DEFAULT, |block_size| Self { block_size }))
    }

    fn to_json(&self, object: &mut Map<String, Value>) {
        object.insert("blockSize".to_owned(), json!(self.block_size.get()));
    }

    fn is_codec(name: &str) -> bool {
        Bz2Codec::matches_name_v3(name)
    }

    fn from_codec(_name: &str, members: Members<'_>) -> Result<Self, MemberError> {
        members.only(&["level"])?;
        Ok(Self {
            block_size: Bounded::required(members, "level")?,
        })
    }

    fn to_codec(&self, _data_type: N5DataType) -> MetadataV3 {
        codec_metadata::<Bz2Codec>(json!({ "level": self.block_size.get() }))
    }

    #[cfg(feature = "bzip2")]
    fn compressor(&self, codec: &Arc<dyn BytesToBytesCodecTraits>) -> Option<Arc<dyn Compressor>> {
        let is_own = codec.as_any().is::<Bz2Codec>();
        is_own.then(|| Arc::new(self.clone()) as _)
    }
}

#[cfg(feature = "bzip2")]
impl Compressor for Bzip2 {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn decompress_into(
        &self,
        payload: &Payload<'_>,
        out: &mut Vec<u8>,
        _options: &CodecOptions,
    ) -> Result<(), PayloadError> {
        let open = |encoded| Ok(BzDecoder::new(encoded));
        let rest = BzDecoder::into_inner;
        read_streams(payload.encoded(), payload.expected(), out, open, rest)
            .map_err(|error| payload.unreadable(error))?;
        payload.check_bounded(out.len())
    }

    fn compress_append(
        &self,
        decoded: &[u8],
        out: &mut Vec<u8>,
        _options: &CodecOptions,
    ) -> Result<(), Cause> {
        let level = ::bzip2::Compression::new(self.block_size.get().unsigned_abs());
        let mut encoder = BzEncoder::new(out, level);
        encoder.write_all(decoded).map_err(Cause::new)?;
        encoder.finish().map_err(Cause::new)?;
        Ok(())
    }
}

/// A stand-in that has the name only, to say which feature is missing.
#[cfg(not(feature = "bzip2"))]
struct Bz2Codec;
#[cfg(not(feature = "bzip2"))]
zarrs_plugin::impl_extension_aliases!(Bz2Codec, v3: "numcodecs.bz2");

#[cfg(all(test, feature = "bzip2"))]
mod tests {
    use super::*;

    fn bzip2(decoded: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        Bzip2::DEFAULT
            .compress_append(decoded, &mut out, &CodecOptions::default())
            .unwrap();
        out
    }

    fn decompress(encoded: &[u8], expected: usize) -> Result<Vec<u8>, PayloadError> {
        let mut out = Vec::new();
        let payload = Payload::new(Bzip2::NAME, encoded, expected);
        Bzip2::DEFAULT.decompress_into(&payload, &mut out, &CodecOptions::default())?;
        Ok(out)
    }

    #[test]
    fn several_streams_are_read_as_one() {
        let encoded = [bzip2(b"to be, "), bzip2(b""), bzip2(b"or not")].concat();
        assert_eq!(decompress(&encoded, 13), Ok(b"to be, or not".to_vec()));
    }

    /// 100,000 of them took eight seconds.
    #[test]
    fn thousands_of_empty_streams_are_refused() {
        let text = decompress(&bzip2(b"").repeat(100_000), 48).unwrap_err();
        let text = text.to_string();
        assert!(
            text.ends_with("more than 64 of its streams hold nothing"),
            "{text}"
        );
    }
}
