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

use super::block::Block;
use super::chunk::Chunk;
use super::partial_decoder::PartialDecoder;
use super::partial_encoder::PartialEncoder;
use super::scratch::{sized, with_buffer};
use super::{N5DefaultCodec, N5DefaultCodecError};
use crate::n5::block::BlockHeader;
use crate::n5::reorder;

impl N5DefaultCodec {
    /// Decodes a block to the elements of `chunk` in C order. `output` is called when the block is decompressed, so that
    /// the memory it touches is still in the cache when it is written.
    fn decode_chunk<T: AsMut<[u8]>>(
        &self,
        encoded: &[u8],
        chunk: &Chunk,
        options: &CodecOptions,
        output: impl FnOnce() -> T,
    ) -> Result<T, N5DefaultCodecError> {
        with_buffer(|buffer| {
            let block = Block::decompress_into(self, chunk, encoded, buffer, options)?;
            let mut out = output();
            block.read(&chunk.whole(), chunk, out.as_mut())?;
            Ok(out)
        })
    }

    /// Encodes the elements of `chunk`, in C order, to a block of the same shape.
    pub(super) fn encode_chunk(
        &self,
        elements: &[u8],
        chunk: &Chunk,
        options: &CodecOptions,
    ) -> Result<Vec<u8>, N5DefaultCodecError> {
        if let Some(source) = self.payload.not_n5() {
            let source = source.clone();
            return Err(N5DefaultCodecError::NotN5Compression { source });
        }
        chunk.check_size(elements.len())?;
        let header = BlockHeader::new(&chunk.shape_u64())?;
        let mut block = Vec::new();
        if let Some(compressed) = self.payload.compressed() {
            header.write_to(&mut block);
            with_buffer(|buffer| {
                let payload = sized(buffer, chunk.byte_size);
                reorder::encode_block(elements, &chunk.shape, chunk.element_size, payload)?;
                compressed.compress_append(payload, &mut block, options)?;
                Ok::<_, N5DefaultCodecError>(())
            })?;
        } else {
            block.reserve_exact(header.size() + chunk.byte_size);
            header.write_to(&mut block);
            block.resize(header.size() + chunk.byte_size, 0);
            let payload = block.get_mut(header.size()..).unwrap_or_default();
            reorder::encode_block(elements, &chunk.shape, chunk.element_size, payload)?;
        }
        Ok(block)
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
        Arc::new(Self {
            payload: self.payload.with_codec_specific_options(options),
            ..(*self).clone()
        })
    }

    /// The size of what [`encode`](Self::encode) makes, the header included.
    fn encoded_representation(
        &self,
        shape: &[NonZeroU64],
        data_type: &DataType,
        fill_value: &FillValue,
    ) -> Result<BytesRepresentation, CodecError> {
        let chunk = Chunk::new(self, shape, data_type, fill_value)?;
        let header = chunk.header_size();
        let payload = self.payload.encoded_representation(chunk.byte_size);
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
        let chunk = Chunk::new(self, shape, data_type, fill_value)?;
        let elements = bytes.into_fixed()?;
        Ok(Cow::Owned(self.encode_chunk(&elements, &chunk, options)?))
    }

    fn decode<'a>(
        &self,
        bytes: ArrayBytesRaw<'a>,
        shape: &[NonZeroU64],
        data_type: &DataType,
        fill_value: &FillValue,
        options: &CodecOptions,
    ) -> Result<ArrayBytes<'a>, CodecError> {
        let chunk = Chunk::new(self, shape, data_type, fill_value)?;
        let elements = self.decode_chunk(&bytes, &chunk, options, || vec![0; chunk.byte_size])?;
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
        let chunk = Chunk::new(self, shape, data_type, fill_value)?;
        let ArrayBytesDecodeIntoTarget::Fixed(view) = output_target else {
            return Err(ExpectedFixedLengthBytesError.into());
        };
        with_buffer(|buffer| {
            let elements =
                self.decode_chunk(&bytes, &chunk, options, || sized(buffer, chunk.byte_size))?;
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
        let chunk = Chunk::new(&self, shape, data_type, fill_value)?;
        Ok(Arc::new(PartialDecoder::new(
            input_handle,
            self,
            chunk,
            data_type.clone(),
        )))
    }

    fn partial_encoder(
        self: Arc<Self>,
        input_output_handle: Arc<dyn BytesPartialEncoderTraits>,
        shape: &[NonZeroU64],
        data_type: &DataType,
        fill_value: &FillValue,
        _options: &CodecOptions,
    ) -> Result<Arc<dyn ArrayPartialEncoderTraits>, CodecError> {
        let chunk = Chunk::new(&self, shape, data_type, fill_value)?;
        Ok(Arc::new(PartialEncoder::new(
            input_output_handle,
            self,
            chunk,
            data_type.clone(),
        )))
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
        let chunk = Chunk::new(&self, shape, data_type, fill_value)?;
        Ok(Arc::new(PartialDecoder::new(
            input_handle,
            self,
            chunk,
            data_type.clone(),
        )))
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
        let chunk = Chunk::new(&self, shape, data_type, fill_value)?;
        Ok(Arc::new(PartialEncoder::new(
            input_output_handle,
            self,
            chunk,
            data_type.clone(),
        )))
    }
}
