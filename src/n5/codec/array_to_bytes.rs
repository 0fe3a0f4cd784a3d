use std::borrow::Cow;
use std::num::NonZeroU64;
use std::sync::Arc;

use zarrs_codec::{
    ArrayBytes, ArrayBytesDecodeIntoTarget, ArrayBytesRaw, ArrayPartialDecoderTraits,
    ArrayPartialEncoderTraits, ArrayToBytesCodecTraits, BytesPartialDecoderTraits,
    BytesPartialEncoderTraits, BytesRepresentation, CodecError, CodecOptions, CodecSpecificOptions,
    ExpectedFixedLengthBytesError,
};
#[cfg(feature = "async")]
use zarrs_codec::{
    AsyncArrayPartialDecoderTraits, AsyncArrayPartialEncoderTraits, AsyncBytesPartialDecoderTraits,
    AsyncBytesPartialEncoderTraits,
};
use zarrs_data_type::{DataType, FillValue};

use super::N5DefaultCodec;
use super::chunk_codec::ChunkCodec;
use super::partial::{PartialDecoder, PartialEncoder};
use super::scratch::{sized, with_buffer};
use crate::n5::memory::zeroed;

impl N5DefaultCodec {
    /// The codec with a compressor that knows these options.
    pub(super) fn with_specific_options(&self, options: &CodecSpecificOptions) -> Self {
        Self {
            payload: self.payload.with_codec_specific_options(options),
            ..self.clone()
        }
    }

    /// Binds the codec to a chunk and to the bytes of its block, for partial access by `P`.
    fn partial<T: ?Sized, P>(
        self: Arc<Self>,
        handle: Arc<T>,
        shape: &[NonZeroU64],
        data_type: &DataType,
        fill_value: &FillValue,
        new: impl FnOnce(Arc<T>, ChunkCodec<Arc<Self>>) -> P,
    ) -> Result<Arc<P>, CodecError> {
        let codec = ChunkCodec::new(self, shape, data_type, fill_value)?;
        Ok(Arc::new(new(handle, codec)))
    }
}

#[cfg_attr(
    all(feature = "async", not(target_arch = "wasm32")),
    async_trait::async_trait
)]
#[cfg_attr(all(feature = "async", target_arch = "wasm32"), async_trait::async_trait(?Send))]
impl ArrayToBytesCodecTraits for N5DefaultCodec {
    fn into_dyn(self: Arc<Self>) -> Arc<dyn ArrayToBytesCodecTraits> {
        self
    }

    fn with_codec_specific_options(
        self: Arc<Self>,
        options: &CodecSpecificOptions,
    ) -> Arc<dyn ArrayToBytesCodecTraits> {
        Arc::new(self.with_specific_options(options))
    }

    /// Returns the size of what [`encode`](Self::encode) makes, the header included.
    fn encoded_representation(
        &self,
        shape: &[NonZeroU64],
        data_type: &DataType,
        fill_value: &FillValue,
    ) -> Result<BytesRepresentation, CodecError> {
        let chunk = ChunkCodec::new(self, shape, data_type, fill_value)?.chunk;
        let header = chunk.header_size();
        let payload = self.payload.encoded_representation(chunk.size);
        Ok(match payload {
            BytesRepresentation::FixedSize(size) => BytesRepresentation::FixedSize(header + size),
            BytesRepresentation::BoundedSize(size) => {
                BytesRepresentation::BoundedSize(header + size)
            }
            BytesRepresentation::UnboundedSize => BytesRepresentation::UnboundedSize,
        })
    }

    fn encode<'a>(
        &self,
        bytes: ArrayBytes<'a>,
        shape: &[NonZeroU64],
        data_type: &DataType,
        fill_value: &FillValue,
        options: &CodecOptions,
    ) -> Result<ArrayBytesRaw<'a>, CodecError> {
        let codec = ChunkCodec::new(self, shape, data_type, fill_value)?;
        let elements = bytes.into_fixed()?;
        Ok(Cow::Owned(codec.encode(&elements, options)?))
    }

    fn decode<'a>(
        &self,
        bytes: ArrayBytesRaw<'a>,
        shape: &[NonZeroU64],
        data_type: &DataType,
        fill_value: &FillValue,
        options: &CodecOptions,
    ) -> Result<ArrayBytes<'a>, CodecError> {
        let codec = ChunkCodec::new(self, shape, data_type, fill_value)?;
        let elements = codec.decode(&bytes, options, || zeroed(codec.chunk.size))?;
        Ok(ArrayBytes::from(elements))
    }

    fn decode_into(
        &self,
        bytes: ArrayBytesRaw<'_>,
        shape: &[NonZeroU64],
        data_type: &DataType,
        fill_value: &FillValue,
        output_target: ArrayBytesDecodeIntoTarget<'_>,
        options: &CodecOptions,
    ) -> Result<(), CodecError> {
        let codec = ChunkCodec::new(self, shape, data_type, fill_value)?;
        let ArrayBytesDecodeIntoTarget::Fixed(view) = output_target else {
            return Err(ExpectedFixedLengthBytesError.into());
        };
        with_buffer(|buffer| {
            let elements = codec.decode(&bytes, options, || sized(buffer, codec.chunk.size))?;
            Ok(view.copy_from_slice(elements)?)
        })
    }

    fn partial_decoder(
        self: Arc<Self>,
        input_handle: Arc<dyn BytesPartialDecoderTraits>,
        shape: &[NonZeroU64],
        data_type: &DataType,
        fill_value: &FillValue,
        _options: &CodecOptions,
    ) -> Result<Arc<dyn ArrayPartialDecoderTraits>, CodecError> {
        let new = PartialDecoder::new;
        Ok(self.partial(input_handle, shape, data_type, fill_value, new)?)
    }

    fn partial_encoder(
        self: Arc<Self>,
        input_output_handle: Arc<dyn BytesPartialEncoderTraits>,
        shape: &[NonZeroU64],
        data_type: &DataType,
        fill_value: &FillValue,
        _options: &CodecOptions,
    ) -> Result<Arc<dyn ArrayPartialEncoderTraits>, CodecError> {
        let new = PartialEncoder::new;
        Ok(self.partial(input_output_handle, shape, data_type, fill_value, new)?)
    }

    #[cfg(feature = "async")]
    async fn async_partial_decoder(
        self: Arc<Self>,
        input_handle: Arc<dyn AsyncBytesPartialDecoderTraits>,
        shape: &[NonZeroU64],
        data_type: &DataType,
        fill_value: &FillValue,
        _options: &CodecOptions,
    ) -> Result<Arc<dyn AsyncArrayPartialDecoderTraits>, CodecError> {
        let new = PartialDecoder::new;
        Ok(self.partial(input_handle, shape, data_type, fill_value, new)?)
    }

    #[cfg(feature = "async")]
    async fn async_partial_encoder(
        self: Arc<Self>,
        input_output_handle: Arc<dyn AsyncBytesPartialEncoderTraits>,
        shape: &[NonZeroU64],
        data_type: &DataType,
        fill_value: &FillValue,
        _options: &CodecOptions,
    ) -> Result<Arc<dyn AsyncArrayPartialEncoderTraits>, CodecError> {
        let new = PartialEncoder::new;
        Ok(self.partial(input_output_handle, shape, data_type, fill_value, new)?)
    }
}
