//! The codec of arrays whose dimensions are N5's backwards, as
//! [`N5DefaultStore`](crate::n5::N5DefaultStore) shows them on request.
//!
//! A chunk in C order of the reversed dimensions has the elements in the order of the payload, so
//! that only their bytes are swapped. Published codecs say the same with a `transpose` before
//! `n5_default`, and would transpose twice. This one is only ever seen in memory.

use std::any::Any;
use std::num::NonZeroU64;
use std::sync::Arc;

use zarrs_codec::{
    ArrayBytes, ArrayBytesDecodeIntoTarget, ArrayBytesRaw, ArrayCodecTraits,
    ArrayPartialDecoderTraits, ArrayPartialEncoderTraits, ArrayToBytesCodecTraits,
    BytesPartialDecoderTraits, BytesPartialEncoderTraits, BytesRepresentation, Codec, CodecError,
    CodecMetadataOptions, CodecOptions, CodecPluginV3, CodecRuntimePluginV3, CodecSpecificOptions,
    CodecTraits, CodecTraitsV3, PartialDecoderCapability, PartialEncoderCapability,
    RecommendedConcurrency, register_codec_v3,
};
#[cfg(feature = "async")]
use zarrs_codec::{
    AsyncArrayPartialDecoderTraits, AsyncArrayPartialEncoderTraits, AsyncBytesPartialDecoderTraits,
    AsyncBytesPartialEncoderTraits,
};
use zarrs_data_type::{DataType, FillValue};
use zarrs_metadata::{Configuration, v3::MetadataV3};
use zarrs_plugin::{ExtensionAliases, PluginCreateError, ZarrVersion, ZarrVersion3};

use super::{N5DefaultCodec, N5DefaultCodecConfiguration};
use crate::n5::dimension_order::DimensionOrder;

/// The name of the codec.
pub(crate) const NAME: &str = "zarrs_interop.n5_reversed";

zarrs_plugin::impl_extension_aliases!(N5ReversedCodec, v3: "zarrs_interop.n5_reversed");

inventory::submit! {
    CodecPluginV3::new::<N5ReversedCodec>()
}

/// Registers the codec in zarrs's run-time registry.
pub(super) fn register_runtime() {
    register_codec_v3(CodecRuntimePluginV3::new(
        <N5ReversedCodec as ExtensionAliases<ZarrVersion3>>::matches_name,
        N5ReversedCodec::create,
    ));
}

/// `n5_default` for chunks whose dimensions are those of the block backwards.
#[derive(Clone, Debug)]
pub(crate) struct N5ReversedCodec(Arc<N5DefaultCodec>);

impl N5ReversedCodec {
    /// The codec of the same blocks with N5's order of the dimensions.
    pub(crate) fn as_stored(&self) -> N5DefaultCodec {
        N5DefaultCodec {
            order: DimensionOrder::AsStored,
            ..(*self.0).clone()
        }
    }
}

impl CodecTraitsV3 for N5ReversedCodec {
    fn create(metadata: &MetadataV3) -> Result<Codec, PluginCreateError> {
        let configuration: N5DefaultCodecConfiguration = metadata.to_typed_configuration()?;
        let codec = N5DefaultCodec::new_with_configuration(&configuration)
            .map_err(|error| PluginCreateError::Other(error.to_string()))?;
        let codec = N5DefaultCodec {
            order: DimensionOrder::Reversed,
            ..codec
        };
        Ok(Codec::ArrayToBytes(Arc::new(Self(Arc::new(codec)))))
    }
}

impl CodecTraits for N5ReversedCodec {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn configuration(
        &self,
        version: ZarrVersion,
        options: &CodecMetadataOptions,
    ) -> Option<Configuration> {
        self.0.configuration(version, options)
    }

    fn partial_decoder_capability(&self) -> PartialDecoderCapability {
        self.0.partial_decoder_capability()
    }

    fn partial_encoder_capability(&self) -> PartialEncoderCapability {
        self.0.partial_encoder_capability()
    }
}

impl ArrayCodecTraits for N5ReversedCodec {
    fn recommended_concurrency(
        &self,
        shape: &[NonZeroU64],
        data_type: &DataType,
    ) -> Result<RecommendedConcurrency, CodecError> {
        self.0.recommended_concurrency(shape, data_type)
    }
}

#[cfg_attr(
    all(feature = "async", not(target_arch = "wasm32")),
    async_trait::async_trait
)]
#[cfg_attr(all(feature = "async", target_arch = "wasm32"), async_trait::async_trait(?Send))]
impl ArrayToBytesCodecTraits for N5ReversedCodec {
    fn into_dyn(self: Arc<Self>) -> Arc<dyn ArrayToBytesCodecTraits> {
        self
    }

    fn with_codec_specific_options(
        self: Arc<Self>,
        options: &CodecSpecificOptions,
    ) -> Arc<dyn ArrayToBytesCodecTraits> {
        Arc::new(Self(Arc::new(self.0.with_specific_options(options))))
    }

    fn encoded_representation(
        &self,
        shape: &[NonZeroU64],
        data_type: &DataType,
        fill_value: &FillValue,
    ) -> Result<BytesRepresentation, CodecError> {
        self.0.encoded_representation(shape, data_type, fill_value)
    }

    fn encode<'a>(
        &self,
        bytes: ArrayBytes<'a>,
        shape: &[NonZeroU64],
        data_type: &DataType,
        fill_value: &FillValue,
        options: &CodecOptions,
    ) -> Result<ArrayBytesRaw<'a>, CodecError> {
        self.0.encode(bytes, shape, data_type, fill_value, options)
    }

    fn decode<'a>(
        &self,
        bytes: ArrayBytesRaw<'a>,
        shape: &[NonZeroU64],
        data_type: &DataType,
        fill_value: &FillValue,
        options: &CodecOptions,
    ) -> Result<ArrayBytes<'a>, CodecError> {
        self.0.decode(bytes, shape, data_type, fill_value, options)
    }

    fn decode_into(
        &self,
        bytes: ArrayBytesRaw<'_>,
        shape: &[NonZeroU64],
        data_type: &DataType,
        fill_value: &FillValue,
        target: ArrayBytesDecodeIntoTarget<'_>,
        options: &CodecOptions,
    ) -> Result<(), CodecError> {
        (self.0).decode_into(bytes, shape, data_type, fill_value, target, options)
    }

    fn partial_decoder(
        self: Arc<Self>,
        input: Arc<dyn BytesPartialDecoderTraits>,
        shape: &[NonZeroU64],
        data_type: &DataType,
        fill_value: &FillValue,
        options: &CodecOptions,
    ) -> Result<Arc<dyn ArrayPartialDecoderTraits>, CodecError> {
        let codec = self.0.clone();
        codec.partial_decoder(input, shape, data_type, fill_value, options)
    }

    fn partial_encoder(
        self: Arc<Self>,
        output: Arc<dyn BytesPartialEncoderTraits>,
        shape: &[NonZeroU64],
        data_type: &DataType,
        fill_value: &FillValue,
        options: &CodecOptions,
    ) -> Result<Arc<dyn ArrayPartialEncoderTraits>, CodecError> {
        let codec = self.0.clone();
        codec.partial_encoder(output, shape, data_type, fill_value, options)
    }

    #[cfg(feature = "async")]
    async fn async_partial_decoder(
        self: Arc<Self>,
        input: Arc<dyn AsyncBytesPartialDecoderTraits>,
        shape: &[NonZeroU64],
        data_type: &DataType,
        fill_value: &FillValue,
        options: &CodecOptions,
    ) -> Result<Arc<dyn AsyncArrayPartialDecoderTraits>, CodecError> {
        let codec = self.0.clone();
        let decoder = codec.async_partial_decoder(input, shape, data_type, fill_value, options);
        decoder.await
    }

    #[cfg(feature = "async")]
    async fn async_partial_encoder(
        self: Arc<Self>,
        output: Arc<dyn AsyncBytesPartialEncoderTraits>,
        shape: &[NonZeroU64],
        data_type: &DataType,
        fill_value: &FillValue,
        options: &CodecOptions,
    ) -> Result<Arc<dyn AsyncArrayPartialEncoderTraits>, CodecError> {
        let codec = self.0.clone();
        let encoder = codec.async_partial_encoder(output, shape, data_type, fill_value, options);
        encoder.await
    }
}
