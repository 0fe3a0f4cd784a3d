use std::borrow::Cow;
use std::sync::Arc;

use zarrs_chunk_grid::{ArraySubset, Indexer};
use zarrs_codec::{
    ArrayBytes, ArrayBytesRaw, ArrayPartialDecoderTraits, ArrayPartialEncoderTraits,
    BytesPartialEncoderTraits, CodecError, CodecOptions, update_array_bytes,
};
#[cfg(feature = "async")]
use zarrs_codec::{
    AsyncArrayPartialDecoderTraits, AsyncArrayPartialEncoderTraits, AsyncBytesPartialEncoderTraits,
};
use zarrs_data_type::DataType;
use zarrs_storage::StorageError;
use zarrs_storage::byte_range::ByteRange;

use super::block::{header_shape, parse_header};
use super::chunk::{Chunk, Region};
use super::partial_decoder::PartialDecoder;
use super::read_plan::ReadPlan;
use super::{N5DefaultCodec, N5DefaultCodecError};
use crate::n5::reorder;

/// Changes regions of one chunk.
///
/// A raw block of the chunk's own shape is changed in place, if the store can and unless so many small pieces would
/// have to be written that replacing the block is cheaper. In every other case the chunk is read, changed and written as a
/// new block of the chunk's shape; the old one is erased only when the new one is ready to be written.
///
/// Changing in place does not look at the other elements: a block that becomes all fill value stays.
pub(super) struct PartialEncoder<T: ?Sized> {
    output: Arc<T>,
    codec: Arc<N5DefaultCodec>,
    chunk: Chunk,
    data_type: DataType,
}

/// Offsets in bytes from the start of the block, and what to write there.
type Writes = Vec<(u64, ArrayBytesRaw<'static>)>;

impl<T: ?Sized> PartialEncoder<T> {
    pub(super) const fn new(
        output: Arc<T>,
        codec: Arc<N5DefaultCodec>,
        chunk: Chunk,
        data_type: DataType,
    ) -> Self {
        Self {
            output,
            codec,
            chunk,
            data_type,
        }
    }

    /// A decoder for the block as it is now.
    fn decoder(&self) -> PartialDecoder<T> {
        PartialDecoder::new(
            self.output.clone(),
            self.codec.clone(),
            self.chunk.clone(),
            self.data_type.clone(),
        )
    }

    /// Where the region lies in a raw block of the chunk's shape; `None` if that is not worth writing piece by piece.
    fn plan(&self, indexer: &dyn Indexer) -> Result<Option<ReadPlan>, CodecError> {
        let region = self.chunk.region(indexer)?;
        let Some(region) = region.filter(|region| region.num_elements() > 0) else {
            return Ok(None);
        };
        let Chunk {
            shape,
            element_size,
            ..
        } = &self.chunk;
        Ok(ReadPlan::exact_if_cheaper_than_all(
            shape,
            *element_size,
            region,
        ))
    }

    /// The bytes that tell whether a block of the chunk's shape is there in full: its header and its last byte.
    fn probe(&self) -> [ByteRange; 2] {
        let last = self.chunk.header_size() + self.chunk.byte_size as u64 - 1;
        [
            self.chunk.header_range(),
            ByteRange::FromStart(last, Some(1)),
        ]
    }

    /// Whether the answer to [`probe`](Self::probe) says so.
    fn is_in_place(&self, answer: Option<&Vec<ArrayBytesRaw<'_>>>) -> bool {
        let Some([header, last]) = answer.map(Vec::as_slice) else {
            return false;
        };
        let header = parse_header(header, &self.chunk);
        last.len() == 1 && header.is_ok_and(|(header, _)| header_shape(&header) == self.chunk.shape)
    }

    fn writes(&self, plan: ReadPlan, bytes: &ArrayBytes<'_>) -> Result<Writes, CodecError> {
        let ReadPlan {
            fetched: Region { shape, .. },
            ranges,
        } = plan;
        let element_size = self.chunk.element_size;
        let elements = bytes.clone().into_fixed()?;
        let mut payload = vec![0; elements.len()];
        reorder::encode_block(&elements, &shape, element_size, &mut payload)
            .map_err(N5DefaultCodecError::from)?;
        let header = self.chunk.header_size();
        let mut rest = payload.as_slice();
        let pieces = ranges.into_iter().map(|range| {
            let length = usize::try_from(range.end - range.start).unwrap_or(usize::MAX);
            let (piece, behind) = rest.split_at(length.min(rest.len()));
            rest = behind;
            (header + range.start, Cow::Owned(piece.to_vec()))
        });
        Ok(pieces.collect())
    }

    fn whole_chunk(&self) -> ArraySubset {
        ArraySubset::new_with_shape(self.chunk.shape_u64())
    }

    /// The block with the changed elements; `None` if it would hold nothing but the fill value and zarrs is set not to
    /// store such chunks.
    fn changed_block(
        &self,
        old: ArrayBytes<'_>,
        indexer: &dyn Indexer,
        bytes: &ArrayBytes<'_>,
        options: &CodecOptions,
    ) -> Result<Option<Vec<u8>>, CodecError> {
        let shape = self.chunk.shape_u64();
        let changed = update_array_bytes(old, &shape, indexer, bytes, self.data_type.size())?;
        if !options.store_empty_chunks() && changed.is_fill_value(&self.chunk.fill_value) {
            return Ok(None);
        }
        let elements = changed.into_fixed()?;
        let block = self.codec.encode_chunk(&elements, &self.chunk, options)?;
        Ok(Some(block))
    }
}

impl<T: ?Sized + BytesPartialEncoderTraits> PartialEncoder<T> {
    /// Whether the block has been changed in place.
    fn encode_in_place(
        &self,
        indexer: &dyn Indexer,
        bytes: &ArrayBytes<'_>,
        options: &CodecOptions,
    ) -> Result<bool, CodecError> {
        if !ArrayPartialEncoderTraits::supports_partial_encode(self) {
            return Ok(false);
        }
        let Some(plan) = self.plan(indexer)? else {
            return Ok(false);
        };
        let probe = self.probe().into_iter();
        // A failed probe means a shorter block; what else is wrong, the other way finds again.
        let answer = self.output.partial_decode_many(Box::new(probe), options);
        if !self.is_in_place(answer.ok().flatten().as_ref()) {
            return Ok(false);
        }
        let writes = self.writes(plan, bytes)?.into_iter();
        self.output.partial_encode_many(Box::new(writes), options)?;
        Ok(true)
    }
}

impl<T: ?Sized + BytesPartialEncoderTraits> ArrayPartialDecoderTraits for PartialEncoder<T> {
    fn data_type(&self) -> &DataType {
        &self.data_type
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
        bytes.validate(indexer.len(), &self.data_type)?;
        if self.encode_in_place(indexer, bytes, options)? {
            return Ok(());
        }
        let old = self.decoder().decode_region(&self.whole_chunk(), options)?;
        let block = self.changed_block(old, indexer, bytes, options)?;
        // The new block may be shorter.
        self.output.erase()?;
        match block {
            Some(block) => self.output.partial_encode(0, block.into(), options),
            None => Ok(()),
        }
    }

    fn supports_partial_encode(&self) -> bool {
        self.codec.payload.is_raw() && self.output.supports_partial_encode()
    }
}

#[cfg(feature = "async")]
impl<T: ?Sized + AsyncBytesPartialEncoderTraits> PartialEncoder<T> {
    async fn async_encode_in_place(
        &self,
        indexer: &dyn Indexer,
        bytes: &ArrayBytes<'_>,
        options: &CodecOptions,
    ) -> Result<bool, CodecError> {
        if !AsyncArrayPartialEncoderTraits::supports_partial_encode(self) {
            return Ok(false);
        }
        let Some(plan) = self.plan(indexer)? else {
            return Ok(false);
        };
        let probe = self.probe().into_iter();
        // A failed probe means a shorter block; what else is wrong, the other way finds again.
        let answer = self
            .output
            .partial_decode_many(Box::new(probe), options)
            .await;
        if !self.is_in_place(answer.ok().flatten().as_ref()) {
            return Ok(false);
        }
        let writes = self.writes(plan, bytes)?.into_iter();
        self.output
            .partial_encode_many(Box::new(writes), options)
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
        &self.data_type
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
        bytes.validate(indexer.len(), &self.data_type)?;
        if self.async_encode_in_place(indexer, bytes, options).await? {
            return Ok(());
        }
        let decoder = self.decoder();
        let old = decoder
            .async_decode_region(&self.whole_chunk(), options)
            .await?;
        let block = self.changed_block(old, indexer, bytes, options)?;
        // The new block may be shorter.
        self.output.erase().await?;
        match block {
            Some(block) => self.output.partial_encode(0, block.into(), options).await,
            None => Ok(()),
        }
    }

    fn supports_partial_encode(&self) -> bool {
        self.codec.payload.is_raw() && self.output.supports_partial_encode()
    }
}
