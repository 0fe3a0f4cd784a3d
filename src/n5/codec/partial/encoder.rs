use std::sync::Arc;

use zarrs_chunk_grid::Indexer;
use zarrs_codec::{
    ArrayBytes, ArrayPartialDecoderTraits, ArrayPartialEncoderTraits, BytesPartialEncoderTraits,
    CodecError, CodecOptions,
};
#[cfg(feature = "async")]
use zarrs_codec::{
    AsyncArrayPartialDecoderTraits, AsyncArrayPartialEncoderTraits, AsyncBytesPartialEncoderTraits,
};
use zarrs_data_type::DataType;
use zarrs_storage::StorageError;

use super::block_write::{BlockWrite, Replacement};
use super::decoder::PartialDecoder;
use crate::n5::codec::N5DefaultCodec;
use crate::n5::codec::chunk_codec::ChunkCodec;

/// Changes regions of one chunk.
///
/// A raw block of the chunk's own shape is changed in place, if the store can and unless so many
/// small pieces would have to be written that replacing the block is cheaper. In every other case
/// the block is read, changed and written over what is there, with the chunk's shape or, where a
/// raw block reaches further, with its own. It is never erased first, so that no failing request
/// loses it.
///
/// Changing in place does not look at the other elements: a block that becomes all fill value
/// stays.
pub(in crate::n5::codec) struct PartialEncoder<T: ?Sized> {
    output: Arc<T>,
    codec: ChunkCodec<Arc<N5DefaultCodec>>,
}

impl<T: ?Sized> PartialEncoder<T> {
    pub(in crate::n5::codec) const fn new(
        output: Arc<T>,
        codec: ChunkCodec<Arc<N5DefaultCodec>>,
    ) -> Self {
        Self { output, codec }
    }

    /// A decoder for the block as it is now.
    fn decoder(&self) -> PartialDecoder<T> {
        PartialDecoder::new(self.output.clone(), self.codec.clone())
    }

    /// Checks the elements and binds them to the region.
    fn write<'w>(
        &'w self,
        indexer: &'w dyn Indexer,
        elements: &'w ArrayBytes<'w>,
    ) -> Result<BlockWrite<'w>, CodecError> {
        elements.validate(indexer.len(), &self.codec.chunk.data_type)?;
        Ok(BlockWrite {
            codec: &self.codec,
            indexer,
            elements,
        })
    }
}

impl<T: ?Sized + BytesPartialEncoderTraits> PartialEncoder<T> {
    /// Whether the block has been changed in place.
    fn encode_in_place(
        &self,
        write: &BlockWrite<'_>,
        options: &CodecOptions,
    ) -> Result<bool, CodecError> {
        if !ArrayPartialEncoderTraits::supports_partial_encode(self) {
            return Ok(false);
        }
        let Some(ranges) = write.ranges()? else {
            return Ok(false);
        };
        let probe = write.probe().into_iter();
        // A failed probe may mean a shorter block; if it does not, reading all bytes fails as well.
        let answer = self.output.partial_decode_many(Box::new(probe), options);
        if !write.is_in_place(answer.ok().flatten().as_ref()) {
            return Ok(false);
        }
        let pieces = write.pieces(&ranges)?.into_iter();
        self.output.partial_encode_many(Box::new(pieces), options)?;
        Ok(true)
    }
}

impl<T: ?Sized + BytesPartialEncoderTraits> ArrayPartialDecoderTraits for PartialEncoder<T> {
    fn data_type(&self) -> &DataType {
        &self.codec.chunk.data_type
    }

    fn exists(&self) -> Result<bool, StorageError> {
        self.output.exists()
    }

    fn size_held(&self) -> usize {
        self.output.size_held()
    }

    fn partial_decode(
        &self,
        indexer: &dyn Indexer,
        options: &CodecOptions,
    ) -> Result<ArrayBytes<'_>, CodecError> {
        self.decoder().decode_region(indexer, options)
    }

    fn supports_partial_decode(&self) -> bool {
        self.output.supports_partial_decode()
    }
}

impl<T: ?Sized + BytesPartialEncoderTraits> ArrayPartialEncoderTraits for PartialEncoder<T> {
    fn into_dyn_decoder(self: Arc<Self>) -> Arc<dyn ArrayPartialDecoderTraits> {
        self
    }

    fn erase(&self) -> Result<(), CodecError> {
        self.output.erase()
    }

    fn partial_encode(
        &self,
        indexer: &dyn Indexer,
        bytes: &ArrayBytes<'_>,
        options: &CodecOptions,
    ) -> Result<(), CodecError> {
        let write = self.write(indexer, bytes)?;
        if self.encode_in_place(&write, options)? {
            return Ok(());
        }
        let old = self.output.decode(options)?;
        match write.replacement(old, options)? {
            Replacement::Nothing => Ok(()),
            Replacement::Erase => self.output.erase(),
            Replacement::Over(block) => self.output.partial_encode(0, block.into(), options),
        }
    }

    fn supports_partial_encode(&self) -> bool {
        self.codec.is_raw() && self.output.supports_partial_encode()
    }
}

#[cfg(feature = "async")]
impl<T: ?Sized + AsyncBytesPartialEncoderTraits> PartialEncoder<T> {
    /// Whether the block has been changed in place.
    async fn async_encode_in_place(
        &self,
        write: &BlockWrite<'_>,
        options: &CodecOptions,
    ) -> Result<bool, CodecError> {
        if !AsyncArrayPartialEncoderTraits::supports_partial_encode(self) {
            return Ok(false);
        }
        let Some(ranges) = write.ranges()? else {
            return Ok(false);
        };
        let probe = write.probe().into_iter();
        // A failed probe may mean a shorter block; if it does not, reading all bytes fails as well.
        let answer = self
            .output
            .partial_decode_many(Box::new(probe), options)
            .await;
        if !write.is_in_place(answer.ok().flatten().as_ref()) {
            return Ok(false);
        }
        let pieces = write.pieces(&ranges)?.into_iter();
        self.output
            .partial_encode_many(Box::new(pieces), options)
            .await?;
        Ok(true)
    }
}

#[cfg(feature = "async")]
#[cfg_attr(target_arch = "wasm32", async_trait::async_trait(?Send))]
#[cfg_attr(not(target_arch = "wasm32"), async_trait::async_trait)]
impl<T: ?Sized + AsyncBytesPartialEncoderTraits> AsyncArrayPartialDecoderTraits
    for PartialEncoder<T>
{
    fn data_type(&self) -> &DataType {
        &self.codec.chunk.data_type
    }

    async fn exists(&self) -> Result<bool, StorageError> {
        self.output.exists().await
    }

    fn size_held(&self) -> usize {
        self.output.size_held()
    }

    async fn partial_decode<'a>(
        &'a self,
        indexer: &dyn Indexer,
        options: &CodecOptions,
    ) -> Result<ArrayBytes<'a>, CodecError> {
        let decoder = self.decoder();
        decoder.async_decode_region(indexer, options).await
    }

    fn supports_partial_decode(&self) -> bool {
        self.output.supports_partial_decode()
    }
}

#[cfg(feature = "async")]
#[cfg_attr(target_arch = "wasm32", async_trait::async_trait(?Send))]
#[cfg_attr(not(target_arch = "wasm32"), async_trait::async_trait)]
impl<T: ?Sized + AsyncBytesPartialEncoderTraits> AsyncArrayPartialEncoderTraits
    for PartialEncoder<T>
{
    fn into_dyn_decoder(self: Arc<Self>) -> Arc<dyn AsyncArrayPartialDecoderTraits> {
        self
    }

    async fn erase(&self) -> Result<(), CodecError> {
        self.output.erase().await
    }

    async fn partial_encode(
        &self,
        indexer: &dyn Indexer,
        bytes: &ArrayBytes<'_>,
        options: &CodecOptions,
    ) -> Result<(), CodecError> {
        let write = self.write(indexer, bytes)?;
        if self.async_encode_in_place(&write, options).await? {
            return Ok(());
        }
        let old = self.output.decode(options).await?;
        match write.replacement(old, options)? {
            Replacement::Nothing => Ok(()),
            Replacement::Erase => self.output.erase().await,
            Replacement::Over(block) => self.output.partial_encode(0, block.into(), options).await,
        }
    }

    fn supports_partial_encode(&self) -> bool {
        self.codec.is_raw() && self.output.supports_partial_encode()
    }
}
