use std::sync::{Arc, Mutex, PoisonError};

use zarrs_chunk_grid::Indexer;
use zarrs_codec::{
    ArrayBytes, ArrayBytesDecodeIntoTarget, ArrayPartialDecoderTraits, BytesPartialDecoderTraits,
    CodecError, CodecOptions, ExpectedFixedLengthBytesError, InvalidNumberOfElementsError,
};
#[cfg(feature = "async")]
use zarrs_codec::{AsyncArrayPartialDecoderTraits, AsyncBytesPartialDecoderTraits};
use zarrs_data_type::DataType;
use zarrs_storage::StorageError;

use super::N5DefaultCodec;
use super::chunk::{Chunk, Region};
use super::region_read::{Found, Knowledge, RegionRead, Request};
use super::scratch::{sized, with_buffer};

/// Decodes regions of one chunk. A compressed block is read and decompressed once.
pub(super) struct PartialDecoder<T: ?Sized> {
    input: Arc<T>,
    knowledge: Knowledge,
    data_type: DataType,
    /// Held while the whole block is read, so that it is decompressed by one thread only.
    loading: Mutex<()>,
    #[cfg(feature = "async")]
    async_loading: futures::lock::Mutex<()>,
}

impl<T: ?Sized> PartialDecoder<T> {
    pub(super) fn new(
        input: Arc<T>,
        codec: Arc<N5DefaultCodec>,
        chunk: Chunk,
        data_type: DataType,
    ) -> Self {
        Self {
            input,
            knowledge: Knowledge::new(codec, chunk),
            data_type,
            loading: Mutex::new(()),
            #[cfg(feature = "async")]
            async_loading: futures::lock::Mutex::new(()),
        }
    }

    /// The region to read for `indexer`: its own, or the whole chunk to pick from.
    fn region(&self, indexer: &dyn Indexer) -> Result<(Region, IsExact), CodecError> {
        Ok(match self.knowledge.chunk.region(indexer)? {
            Some(region) => (region, true),
            None => (self.knowledge.chunk.whole(), false),
        })
    }

    fn decode_found(
        &self,
        found: &Found<'_>,
        region: &Region,
        is_exact: IsExact,
        indexer: &dyn Indexer,
    ) -> Result<ArrayBytes<'static>, CodecError> {
        let chunk = &self.knowledge.chunk;
        let mut elements = vec![0; region.num_elements() * chunk.element_size];
        found.read(region, chunk, &mut elements)?;
        let elements = ArrayBytes::from(elements);
        if is_exact {
            return Ok(elements);
        }
        let shape = self.knowledge.chunk.shape_u64();
        Ok(elements
            .extract_array_subset(indexer, &shape, &self.data_type)?
            .into_owned())
    }

    fn decode_found_into(
        &self,
        found: &Found<'_>,
        region: &Region,
        is_exact: IsExact,
        indexer: &dyn Indexer,
        target: ArrayBytesDecodeIntoTarget<'_>,
    ) -> Result<(), CodecError> {
        check_target(indexer, &target)?;
        let ArrayBytesDecodeIntoTarget::Fixed(view) = target else {
            return Err(ExpectedFixedLengthBytesError.into());
        };
        if !is_exact {
            let elements = self.decode_found(found, region, is_exact, indexer)?;
            return Ok(view.copy_from_slice(&elements.into_fixed()?)?);
        }
        let chunk = &self.knowledge.chunk;
        with_buffer(|buffer| {
            let elements = sized(buffer, region.num_elements() * chunk.element_size);
            found.read(region, chunk, elements)?;
            Ok(view.copy_from_slice(elements)?)
        })
    }
}

/// Whether the elements of a region are those asked for, in the order asked for.
type IsExact = bool;

fn check_target(
    indexer: &dyn Indexer,
    target: &ArrayBytesDecodeIntoTarget<'_>,
) -> Result<(), CodecError> {
    if indexer.len() == target.num_elements() {
        return Ok(());
    }
    Err(InvalidNumberOfElementsError::new(indexer.len(), target.num_elements()).into())
}

impl<T: ?Sized + BytesPartialDecoderTraits> PartialDecoder<T> {
    fn find(&self, region: &Region, options: &CodecOptions) -> Result<Found<'_>, CodecError> {
        if let Some(found) = self.knowledge.known(region) {
            return Ok(found);
        }
        let reads_ranges = self.input.supports_partial_decode();
        let mut read = RegionRead::new(&self.knowledge, region, reads_ranges);
        loop {
            let found = match read.request() {
                Request::Ranges(ranges) => {
                    let answer = self
                        .input
                        .partial_decode_many(Box::new(ranges.into_iter()), options);
                    read.answer(answer, options)?
                }
                Request::Whole => {
                    let _guard = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
                    if let Some(found) = self.knowledge.known(region) {
                        return Ok(found);
                    }
                    let answer = self.input.decode(options);
                    read.answer(answer.map(|bytes| bytes.map(|bytes| vec![bytes])), options)?
                }
            };
            if let Some(found) = found {
                return Ok(found);
            }
        }
    }

    pub(super) fn decode_region(
        &self,
        indexer: &dyn Indexer,
        options: &CodecOptions,
    ) -> Result<ArrayBytes<'static>, CodecError> {
        let (region, is_exact) = self.region(indexer)?;
        let found = self.find(&region, options)?;
        self.decode_found(&found, &region, is_exact, indexer)
    }
}

impl<T: ?Sized + BytesPartialDecoderTraits> ArrayPartialDecoderTraits for PartialDecoder<T> {
    fn data_type(&self) -> &DataType {
        &self.data_type
    }

    fn exists(&self) -> Result<bool, StorageError> {
        self.input.exists()
    }

    fn size_held(&self) -> usize {
        self.input.size_held() + self.knowledge.size_held()
    }

    fn partial_decode(
        &self,
        indexer: &dyn Indexer,
        options: &CodecOptions,
    ) -> Result<ArrayBytes<'_>, CodecError> {
        self.decode_region(indexer, options)
    }

    fn partial_decode_into(
        &self,
        indexer: &dyn Indexer,
        output_target: ArrayBytesDecodeIntoTarget<'_>,
        options: &CodecOptions,
    ) -> Result<(), CodecError> {
        let (region, is_exact) = self.region(indexer)?;
        let found = self.find(&region, options)?;
        self.decode_found_into(&found, &region, is_exact, indexer, output_target)
    }

    fn supports_partial_decode(&self) -> bool {
        self.input.supports_partial_decode()
    }
}

#[cfg(feature = "async")]
impl<T: ?Sized + AsyncBytesPartialDecoderTraits> PartialDecoder<T> {
    async fn async_find(
        &self,
        region: &Region,
        options: &CodecOptions,
    ) -> Result<Found<'_>, CodecError> {
        if let Some(found) = self.knowledge.known(region) {
            return Ok(found);
        }
        let reads_ranges = self.input.supports_partial_decode();
        let mut read = RegionRead::new(&self.knowledge, region, reads_ranges);
        loop {
            let found = match read.request() {
                Request::Ranges(ranges) => {
                    let answer = self
                        .input
                        .partial_decode_many(Box::new(ranges.into_iter()), options)
                        .await;
                    read.answer(answer, options)?
                }
                Request::Whole => {
                    let _guard = self.async_loading.lock().await;
                    if let Some(found) = self.knowledge.known(region) {
                        return Ok(found);
                    }
                    let answer = self.input.decode(options).await;
                    read.answer(answer.map(|bytes| bytes.map(|bytes| vec![bytes])), options)?
                }
            };
            if let Some(found) = found {
                return Ok(found);
            }
        }
    }

    pub(super) async fn async_decode_region(
        &self,
        indexer: &dyn Indexer,
        options: &CodecOptions,
    ) -> Result<ArrayBytes<'static>, CodecError> {
        let (region, is_exact) = self.region(indexer)?;
        let found = self.async_find(&region, options).await?;
        self.decode_found(&found, &region, is_exact, indexer)
    }
}

#[cfg(feature = "async")]
#[cfg_attr(target_arch = "wasm32", async_trait::async_trait(?Send))]
#[cfg_attr(not(target_arch = "wasm32"), async_trait::async_trait)]
impl<T: ?Sized + AsyncBytesPartialDecoderTraits> AsyncArrayPartialDecoderTraits
    for PartialDecoder<T>
{
    fn data_type(&self) -> &DataType {
        &self.data_type
    }

    async fn exists(&self) -> Result<bool, StorageError> {
        self.input.exists().await
    }

    fn size_held(&self) -> usize {
        self.input.size_held() + self.knowledge.size_held()
    }

    async fn partial_decode<'a>(
        &'a self,
        indexer: &dyn Indexer,
        options: &CodecOptions,
    ) -> Result<ArrayBytes<'a>, CodecError> {
        self.async_decode_region(indexer, options).await
    }

    async fn partial_decode_into(
        &self,
        indexer: &dyn Indexer,
        output_target: ArrayBytesDecodeIntoTarget<'_>,
        options: &CodecOptions,
    ) -> Result<(), CodecError> {
        let (region, is_exact) = self.region(indexer)?;
        let found = self.async_find(&region, options).await?;
        self.decode_found_into(&found, &region, is_exact, indexer, output_target)
    }

    fn supports_partial_decode(&self) -> bool {
        self.input.supports_partial_decode()
    }
}
