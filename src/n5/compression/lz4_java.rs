//! The `LZ4Block` stream of lz4-java, and the zarr codec for it, which is of this crate.

#[cfg(feature = "lz4")]
mod frame;
#[cfg(feature = "lz4")]
mod lz4_java_codec;

#[cfg(feature = "lz4")]
use std::sync::Arc;

use serde_json::{Map, Value, json};
#[cfg(feature = "lz4")]
use zarrs_codec::{BytesToBytesCodecTraits, CodecOptions};
use zarrs_metadata::v3::MetadataV3;
use zarrs_plugin::ExtensionAliasesV3;

use super::bounded::Bounded;
#[cfg(feature = "lz4")]
use super::compressor::Compressor;
use super::compressor::{Parameters, codec_metadata};
#[cfg(feature = "lz4")]
use super::payload::{Cause, Payload, PayloadError};
use crate::n5::N5DataType;
use crate::n5::members::{MemberError, Members, whole_number};

#[cfg(feature = "lz4")]
pub use lz4_java_codec::{Lz4JavaCodec, Lz4JavaCodecConfiguration};

/// The block size of an `LZ4Block` stream in bytes.
pub type Lz4BlockSize = Bounded<64, 33_554_432>;

/// The parameters of [`Compression::Lz4`](super::Compression::Lz4).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lz4 {
    /// The size of the stream's blocks in bytes.
    pub block_size: Lz4BlockSize,
}

impl Lz4 {
    /// Blocks of 64 KiB.
    pub(super) const DEFAULT: Self = Self {
        block_size: Bounded::constant(65_536),
    };
}

impl Default for Lz4 {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Parameters for Lz4 {
    const NAME: &'static str = "lz4";
    const FEATURE: &'static str = "lz4";
    const ENABLED: bool = cfg!(feature = "lz4");

    /// z5py writes a level where the block size belongs, and blocks of another format.
    fn from_json(members: Members<'_>) -> Result<Self, MemberError> {
        let block_size = Bounded::optional(members, "blockSize").map_err(|error| {
            let found = members.get("blockSize").and_then(whole_number::<i32>);
            let is_level = found.is_some_and(|found| (0..64).contains(&found));
            let expected = if is_level {
                format!(
                    "{}; so small a number is the level that z5py writes, whose `lz4` is another \
                     format and not supported",
                    error.expected
                )
            } else {
                error.expected
            };
            MemberError { expected, ..error }
        })?;
        Ok(block_size.map_or(Self::DEFAULT, |block_size| Self { block_size }))
    }

    fn to_json(&self, object: &mut Map<String, Value>) {
        object.insert("blockSize".to_owned(), json!(self.block_size.get()));
    }

    fn is_codec(name: &str) -> bool {
        Lz4JavaCodec::matches_name_v3(name)
    }

    fn from_codec(_name: &str, members: Members<'_>) -> Result<Self, MemberError> {
        members.only(&["block_size"])?;
        match members.get("block_size") {
            None | Some(Value::Null) => Ok(Self::DEFAULT),
            Some(_) => Ok(Self {
                block_size: Bounded::required(members, "block_size")?,
            }),
        }
    }

    fn to_codec(&self, _data_type: N5DataType) -> MetadataV3 {
        codec_metadata::<Lz4JavaCodec>(json!({ "block_size": self.block_size.get() }))
    }

    #[cfg(feature = "lz4")]
    fn register_runtime() {
        lz4_java_codec::register_runtime();
    }

    #[cfg(feature = "lz4")]
    fn compressor(&self, codec: &Arc<dyn BytesToBytesCodecTraits>) -> Option<Arc<dyn Compressor>> {
        let is_own = codec.as_any().is::<Lz4JavaCodec>();
        is_own.then(|| Arc::new(self.clone()) as _)
    }
}

#[cfg(feature = "lz4")]
impl Compressor for Lz4 {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn decompress_into(
        &self,
        payload: &Payload<'_>,
        out: &mut Vec<u8>,
        _options: &CodecOptions,
    ) -> Result<(), PayloadError> {
        let corrupt = |error| payload.corrupt(Cause::new(error));
        let stated = frame::stated_size(payload.encoded()).map_err(corrupt)?;
        payload.check_length(stated)?;
        payload.set_length(out)?;
        frame::decompress(payload.encoded(), out).map_err(corrupt)
    }

    fn compress_append(
        &self,
        decoded: &[u8],
        out: &mut Vec<u8>,
        _options: &CodecOptions,
    ) -> Result<(), Cause> {
        frame::compress_append(decoded, self.block_size.get().unsigned_abs(), out);
        Ok(())
    }
}

/// A stand-in that has the name only, to say which feature is missing.
#[cfg(not(feature = "lz4"))]
struct Lz4JavaCodec;
#[cfg(not(feature = "lz4"))]
zarrs_plugin::impl_extension_aliases!(Lz4JavaCodec, v3: "zarrs_interop.lz4_java");

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(block_size: i32) -> String {
        let json = json!({"type": "lz4", "blockSize": block_size});
        Lz4::from_json(Members::new(json.as_object()))
            .unwrap_err()
            .expected
    }

    #[test]
    fn the_level_that_z5py_writes_is_told_apart_from_a_block_size() {
        let text = refused(6);
        assert!(
            text.starts_with("a whole number from 64 to 33554432; so small"),
            "{text}"
        );
        assert!(text.contains("z5py"), "{text}");
    }

    #[test]
    fn other_wrong_block_sizes_are_just_wrong() {
        for block_size in [-1, 33_554_433] {
            assert_eq!(refused(block_size), "a whole number from 64 to 33554432");
        }
    }
}
