//! The `zarrs_interop.lz4_java` codec of zarr, as [`n5::lz4_java`](crate::n5::lz4_java) offers it.

use serde::{Deserialize, Serialize};
use zarrs_codec::CodecError;
use zarrs_plugin::PluginCreateError;

use super::{Lz4BlockSize, frame};
use crate::n5::compression::own_codec::{OwnCodec, fill, own_codec};

own_codec!(
    Lz4JavaCodec,
    Lz4JavaCodecConfiguration,
    "zarrs_interop.lz4_java"
);

/// The configuration of [`Lz4JavaCodec`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lz4JavaCodecConfiguration {
    /// The most bytes that go into one frame, from 64 to 33554432.
    #[serde(default = "default_block_size")]
    pub block_size: u32,
}

impl Default for Lz4JavaCodecConfiguration {
    fn default() -> Self {
        Self {
            block_size: default_block_size(),
        }
    }
}

/// The default of lz4-java.
const fn default_block_size() -> u32 {
    65_536
}

/// A `zarrs_interop.lz4_java` codec implementation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lz4JavaCodec {
    block_size: Lz4BlockSize,
}

impl Lz4JavaCodec {
    /// Creates a codec that writes frames of `block_size` bytes. Reading does not depend on it.
    #[must_use]
    pub const fn new(block_size: Lz4BlockSize) -> Self {
        Self { block_size }
    }

    /// Creates a codec from its configuration.
    ///
    /// # Errors
    /// Returns [`PluginCreateError`] if the block size is out of range.
    pub fn new_with_configuration(
        configuration: &Lz4JavaCodecConfiguration,
    ) -> Result<Self, PluginCreateError> {
        let block_size = i32::try_from(configuration.block_size).unwrap_or(i32::MAX);
        Lz4BlockSize::new(block_size)
            .map(Self::new)
            .map_err(|error| PluginCreateError::Other(format!("the member `block_size`: {error}")))
    }

    /// The block size in bytes.
    #[must_use]
    pub const fn block_size(&self) -> Lz4BlockSize {
        self.block_size
    }

    fn block_size_u32(&self) -> u32 {
        self.block_size.get().unsigned_abs()
    }
}

impl OwnCodec for Lz4JavaCodec {
    type Configuration = Lz4JavaCodecConfiguration;

    fn from_configuration(
        configuration: &Lz4JavaCodecConfiguration,
    ) -> Result<Self, PluginCreateError> {
        Self::new_with_configuration(configuration)
    }

    fn to_configuration(&self) -> Lz4JavaCodecConfiguration {
        Lz4JavaCodecConfiguration {
            block_size: self.block_size_u32(),
        }
    }

    fn compress_append(&self, decoded: &[u8], out: &mut Vec<u8>) -> Result<(), CodecError> {
        frame::compress_append(decoded, self.block_size_u32(), out);
        Ok(())
    }

    /// The headers admit at most 255 times the size of the stream, so the allocation is bounded.
    fn decompress(encoded: &[u8], limit: Option<u64>) -> Result<Vec<u8>, CodecError> {
        let size = frame::stated_size(encoded).map_err(|e| CodecError::Other(e.to_string()))?;
        fill("LZ4Block stream", size, limit, |out| {
            frame::decompress(encoded, out)
        })
    }

    /// Every frame adds its header, and no frame's data grows.
    fn largest_encoded(&self, size: u64) -> Option<u64> {
        let frames = size.div_ceil(u64::from(self.block_size_u32())) + 1;
        frames
            .checked_mul(frame::HEADER_SIZE as u64)?
            .checked_add(size)
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::sync::Arc;

    use serde_json::json;
    use zarrs_codec::{
        BytesPartialDecoderTraits, BytesRepresentation, BytesToBytesCodecTraits, Codec,
        CodecMetadataOptions, CodecOptions,
    };
    use zarrs_metadata::v3::MetadataV3;
    use zarrs_storage::byte_range::ByteRange;

    use super::*;

    fn create(configuration: &serde_json::Value) -> Result<Codec, PluginCreateError> {
        let metadata = json!({"name": "zarrs_interop.lz4_java", "configuration": configuration});
        let metadata: MetadataV3 = serde_json::from_value(metadata).unwrap();
        Codec::from_metadata(&metadata)
    }

    fn codec() -> Arc<dyn BytesToBytesCodecTraits> {
        match create(&json!({"block_size": 64})).unwrap() {
            Codec::BytesToBytes(codec) => codec,
            other => panic!("{other:?} is no bytes-to-bytes codec"),
        }
    }

    #[test]
    fn the_configuration_is_kept() {
        let shown = codec().configuration_v3(&CodecMetadataOptions::default());
        assert_eq!(
            serde_json::to_value(shown).unwrap(),
            json!({"block_size": 64})
        );
        assert_eq!(codec().name_v3().as_deref(), Some("zarrs_interop.lz4_java"));
    }

    #[test]
    fn a_block_size_out_of_range_is_refused() {
        for size in [63_u32, 33_554_433, u32::MAX] {
            let error = create(&json!({"block_size": size}))
                .unwrap_err()
                .to_string();
            assert!(error.contains("`block_size`"), "{error}");
            assert!(error.contains("64 to 33554432"), "{error}");
        }
    }

    #[test]
    fn an_unknown_member_is_refused() {
        let error = create(&json!({"level": 3})).unwrap_err().to_string();
        assert!(error.contains("`level`"), "{error}");
    }

    #[test]
    fn more_than_the_expected_size_is_an_error() {
        let options = CodecOptions::default();
        let encoded = codec().encode(Cow::Owned(vec![7; 1000]), &options).unwrap();
        let expected = BytesRepresentation::BoundedSize(999);
        let error = codec().decode(encoded.clone(), &expected, &options);
        assert!(error.unwrap_err().to_string().contains("1000 bytes"));
        let unbounded = BytesRepresentation::UnboundedSize;
        let decoded = codec().decode(encoded, &unbounded, &options).unwrap();
        assert_eq!(*decoded, [7; 1000]);
    }

    #[test]
    fn the_bound_holds_for_data_that_is_stored() {
        let noise: Vec<u8> = (0..1000_u32)
            .map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes()[0])
            .collect();
        let encoded = codec()
            .encode(Cow::Borrowed(&noise), &CodecOptions::default())
            .unwrap();
        // 16 frames and the last one.
        let size = 1000 + 17 * 21;
        assert_eq!(encoded.len(), size);
        assert_eq!(
            codec().encoded_representation(&BytesRepresentation::FixedSize(1000)),
            BytesRepresentation::BoundedSize(size as u64)
        );
    }

    #[test]
    fn a_part_is_decoded() {
        let options = CodecOptions::default();
        let data: Vec<u8> = (0..200).collect();
        let encoded = codec().encode(Cow::Borrowed(&data), &options).unwrap();
        let input: Arc<dyn BytesPartialDecoderTraits> =
            Arc::new(Cow::<'static, [u8]>::Owned(encoded.into_owned()));
        let decoder = codec()
            .partial_decoder(input, &BytesRepresentation::FixedSize(200), &options)
            .unwrap();
        let part = decoder
            .partial_decode(ByteRange::FromStart(100, Some(3)), &options)
            .unwrap()
            .unwrap();
        assert_eq!(*part, [100, 101, 102]);
    }
}
