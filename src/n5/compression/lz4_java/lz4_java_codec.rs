//! The `zarrs_interop.lz4_java` codec of zarr, as [`n5::lz4_java`](crate::n5::lz4_java) offers it.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use zarrs_codec::{
    ArrayBytesRaw, BytesRepresentation, BytesToBytesCodecTraits, Codec, CodecError,
    CodecMetadataOptions, CodecOptions, CodecPluginV3, CodecRuntimePluginV3, CodecTraits,
    CodecTraitsV3, PartialDecoderCapability, PartialEncoderCapability, RecommendedConcurrency,
    register_codec_v3,
};
use zarrs_metadata::v3::MetadataV3;
use zarrs_metadata::{Configuration, ConfigurationSerialize};
use zarrs_plugin::{ExtensionAliasesV3, PluginCreateError, ZarrVersion};

use super::frame;
use crate::n5::compression::bounded::{Bounded, OutOfRangeError};
use crate::n5::error_text::counted;
use crate::n5::memory::zeroed;

/// The block size of an `LZ4Block` stream in bytes.
type Lz4BlockSize = Bounded<64, 33_554_432>;

zarrs_plugin::impl_extension_aliases!(Lz4JavaCodec, v3: "zarrs_interop.lz4_java");

inventory::submit! {
    CodecPluginV3::new::<Lz4JavaCodec>()
}

/// The configuration of [`Lz4JavaCodec`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lz4JavaCodecConfiguration {
    /// The most bytes that go into one frame, from 64 to 33554432.
    #[serde(default = "default_block_size")]
    pub block_size: u32,
}

impl ConfigurationSerialize for Lz4JavaCodecConfiguration {}

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

impl CodecTraitsV3 for Lz4JavaCodec {
    fn create(metadata: &MetadataV3) -> Result<Codec, PluginCreateError> {
        let configuration: Lz4JavaCodecConfiguration = metadata.to_typed_configuration()?;
        let codec = Self::new_with_configuration(&configuration)?;
        Ok(Codec::BytesToBytes(Arc::new(codec)))
    }
}

/// Adds the codec to the run-time registry of zarrs.
pub(crate) fn register_runtime() {
    // The handle only serves to take the codec out again.
    let _handle = register_codec_v3(CodecRuntimePluginV3::new(
        Lz4JavaCodec::matches_name_v3,
        <Lz4JavaCodec as CodecTraitsV3>::create,
    ));
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
            .map_err(|error: OutOfRangeError| {
                PluginCreateError::Other(format!("the member `block_size`: {error}"))
            })
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

impl CodecTraits for Lz4JavaCodec {
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn configuration(
        &self,
        _version: ZarrVersion,
        _options: &CodecMetadataOptions,
    ) -> Option<Configuration> {
        let configuration = Lz4JavaCodecConfiguration {
            block_size: self.block_size_u32(),
        };
        Some(configuration.into())
    }

    fn partial_decoder_capability(&self) -> PartialDecoderCapability {
        PartialDecoderCapability {
            partial_read: false,
            partial_decode: false,
        }
    }

    fn partial_encoder_capability(&self) -> PartialEncoderCapability {
        PartialEncoderCapability {
            partial_encode: false,
        }
    }
}

#[cfg_attr(
    all(feature = "async", not(target_arch = "wasm32")),
    async_trait::async_trait
)]
#[cfg_attr(all(feature = "async", target_arch = "wasm32"), async_trait::async_trait(?Send))]
impl BytesToBytesCodecTraits for Lz4JavaCodec {
    fn into_dyn(self: Arc<Self>) -> Arc<dyn BytesToBytesCodecTraits> {
        self
    }

    fn recommended_concurrency(
        &self,
        _decoded_representation: &BytesRepresentation,
    ) -> Result<RecommendedConcurrency, CodecError> {
        Ok(RecommendedConcurrency::new_maximum(1))
    }

    fn encode<'a>(
        &self,
        decoded_value: ArrayBytesRaw<'a>,
        _options: &CodecOptions,
    ) -> Result<ArrayBytesRaw<'a>, CodecError> {
        let mut encoded = Vec::new();
        frame::compress_append(&decoded_value, self.block_size_u32(), &mut encoded);
        Ok(Cow::Owned(encoded))
    }

    fn decode<'a>(
        &self,
        encoded_value: ArrayBytesRaw<'a>,
        decoded_representation: &BytesRepresentation,
        _options: &CodecOptions,
    ) -> Result<ArrayBytesRaw<'a>, CodecError> {
        let other = |error: frame::Lz4JavaError| CodecError::Other(error.to_string());
        let size = frame::stated_size(&encoded_value).map_err(other)?;
        if let Some(limit) = decoded_representation.size().filter(|limit| size > *limit) {
            return Err(CodecError::Other(format!(
                "the LZ4Block stream decompresses to {}: expected {limit} at most",
                counted(size, "byte", "bytes")
            )));
        }
        // The headers admit at most 255 times the size of the stream, so the allocation is bounded.
        let size = usize::try_from(size)
            .map_err(|_| CodecError::Other(format!("{size} bytes do not fit into memory")))?;
        let mut decoded = zeroed(size)
            .map_err(|error| CodecError::Other(format!("no memory for {size} bytes: {error}")))?;
        frame::decompress(&encoded_value, &mut decoded).map_err(other)?;
        Ok(Cow::Owned(decoded))
    }

    /// Every frame adds its header, and no frame's data grows.
    fn encoded_representation(
        &self,
        decoded_representation: &BytesRepresentation,
    ) -> BytesRepresentation {
        let bound = decoded_representation.size().and_then(|size| {
            let frames = size.div_ceil(u64::from(self.block_size_u32())) + 1;
            frames
                .checked_mul(frame::HEADER_SIZE as u64)?
                .checked_add(size)
        });
        bound.map_or(
            BytesRepresentation::UnboundedSize,
            BytesRepresentation::BoundedSize,
        )
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use zarrs_codec::BytesPartialDecoderTraits;
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
