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

use super::block_cache::{BlockCache, Located};
use super::region_read::{RegionRead, Request};
use crate::n5::codec::N5DefaultCodec;
use crate::n5::codec::chunk_codec::ChunkCodec;
use crate::n5::codec::error::N5DefaultCodecError;
use crate::n5::codec::region::Region;
use crate::n5::codec::scratch::{sized, with_buffer};
use crate::n5::memory::zeroed;

/// Decodes regions of one chunk. A compressed block is read and decompressed once.
pub(in crate::n5::codec) struct PartialDecoder<T: ?Sized> {
    input: Arc<T>,
    cache: BlockCache,
    /// Held while the whole block is read, so that it is decompressed by one thread only.
    loading: Mutex<()>,
    #[cfg(feature = "async")]
    async_loading: futures::lock::Mutex<()>,
}

/// What to decode for an indexer.
struct Wanted<'i> {
    indexer: &'i dyn Indexer,
    /// The region to read: that of the indexer, or the whole chunk to pick from.
    region: Region,
    picked: Picked,
}

/// Which elements of a region are wanted.
enum Picked {
    /// All, in the order of the region.
    All,
    /// Those that the indexer names, in its order.
    ByIndexer,
}

impl<T: ?Sized> PartialDecoder<T> {
    pub(in crate::n5::codec) fn new(input: Arc<T>, codec: ChunkCodec<Arc<N5DefaultCodec>>) -> Self {
        Self {
            input,
            cache: BlockCache::new(codec),
            loading: Mutex::new(()),
            #[cfg(feature = "async")]
            async_loading: futures::lock::Mutex::new(()),
        }
    }

    fn wanted<'i>(&self, indexer: &'i dyn Indexer) -> Result<Wanted<'i>, CodecError> {
        let chunk = self.cache.chunk();
        let (region, picked) = match chunk.region(indexer)? {
            Some(region) => (region, Picked::All),
            None => (chunk.whole(), Picked::ByIndexer),
        };
        Ok(Wanted {
            indexer,
            region,
            picked,
        })
    }

    fn decode_located(
        &self,
        located: &Located<'_>,
        wanted: &Wanted<'_>,
    ) -> Result<ArrayBytes<'static>, CodecError> {
        let chunk = self.cache.chunk();
        let size = wanted.region.len() * chunk.element_size;
        let mut elements = zeroed(size).map_err(N5DefaultCodecError::from)?;
        located.read(&wanted.region, chunk, &mut elements)?;
        let elements = ArrayBytes::from(elements);
        Ok(match wanted.picked {
            Picked::All => elements,
            Picked::ByIndexer => elements
                .extract_array_subset(wanted.indexer, &chunk.array_shape(), &chunk.data_type)?
                .into_owned(),
        })
    }

    fn decode_located_into(
        &self,
        located: &Located<'_>,
        wanted: &Wanted<'_>,
        target: ArrayBytesDecodeIntoTarget<'_>,
    ) -> Result<(), CodecError> {
        check_target(wanted.indexer, &target)?;
        let ArrayBytesDecodeIntoTarget::Fixed(view) = target else {
            return Err(ExpectedFixedLengthBytesError.into());
        };
        if matches!(wanted.picked, Picked::ByIndexer) {
            let elements = self.decode_located(located, wanted)?;
            return Ok(view.copy_from_slice(&elements.into_fixed()?)?);
        }
        let chunk = self.cache.chunk();
        with_buffer(|buffer| {
            let size = wanted.region.len() * chunk.element_size;
            let elements = sized(buffer, size).map_err(N5DefaultCodecError::from)?;
            located.read(&wanted.region, chunk, elements)?;
            Ok(view.copy_from_slice(elements)?)
        })
    }
}

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
    fn locate(&self, region: &Region, options: &CodecOptions) -> Result<Located<'_>, CodecError> {
        if let Some(located) = self.cache.locate(region) {
            return Ok(located);
        }
        let reads_ranges = self.input.supports_partial_decode();
        let mut read = RegionRead::new(&self.cache, region, reads_ranges);
        loop {
            let located = match read.request() {
                Request::Ranges(ranges) => {
                    let answer = self
                        .input
                        .partial_decode_many(Box::new(ranges.into_iter()), options);
                    read.answer(answer, options)?
                }
                Request::Whole => {
                    let _guard = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
                    if let Some(located) = self.cache.locate(region) {
                        return Ok(located);
                    }
                    let answer = self.input.decode(options);
                    read.answer(answer.map(|bytes| bytes.map(|bytes| vec![bytes])), options)?
                }
            };
            if let Some(located) = located {
                return Ok(located);
            }
        }
    }

    pub(super) fn decode_region(
        &self,
        indexer: &dyn Indexer,
        options: &CodecOptions,
    ) -> Result<ArrayBytes<'static>, CodecError> {
        let wanted = self.wanted(indexer)?;
        let located = self.locate(&wanted.region, options)?;
        self.decode_located(&located, &wanted)
    }
}

impl<T: ?Sized + BytesPartialDecoderTraits> ArrayPartialDecoderTraits for PartialDecoder<T> {
    fn data_type(&self) -> &DataType {
        &self.cache.chunk().data_type
    }

    fn exists(&self) -> Result<bool, StorageError> {
        self.input.exists()
    }

    fn size_held(&self) -> usize {
        self.input.size_held() + self.cache.size_held()
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
        let wanted = self.wanted(indexer)?;
        let located = self.locate(&wanted.region, options)?;
        self.decode_located_into(&located, &wanted, output_target)
    }

    fn supports_partial_decode(&self) -> bool {
        self.input.supports_partial_decode()
    }
}

#[cfg(feature = "async")]
impl<T: ?Sized + AsyncBytesPartialDecoderTraits> PartialDecoder<T> {
    async fn async_locate(
        &self,
        region: &Region,
        options: &CodecOptions,
    ) -> Result<Located<'_>, CodecError> {
        if let Some(located) = self.cache.locate(region) {
            return Ok(located);
        }
        let reads_ranges = self.input.supports_partial_decode();
        let mut read = RegionRead::new(&self.cache, region, reads_ranges);
        loop {
            let located = match read.request() {
                Request::Ranges(ranges) => {
                    let answer = self
                        .input
                        .partial_decode_many(Box::new(ranges.into_iter()), options)
                        .await;
                    read.answer(answer, options)?
                }
                Request::Whole => {
                    let _guard = self.async_loading.lock().await;
                    if let Some(located) = self.cache.locate(region) {
                        return Ok(located);
                    }
                    let answer = self.input.decode(options).await;
                    read.answer(answer.map(|bytes| bytes.map(|bytes| vec![bytes])), options)?
                }
            };
            if let Some(located) = located {
                return Ok(located);
            }
        }
    }

    pub(super) async fn async_decode_region(
        &self,
        indexer: &dyn Indexer,
        options: &CodecOptions,
    ) -> Result<ArrayBytes<'static>, CodecError> {
        let wanted = self.wanted(indexer)?;
        let located = self.async_locate(&wanted.region, options).await?;
        self.decode_located(&located, &wanted)
    }
}

#[cfg(feature = "async")]
#[cfg_attr(target_arch = "wasm32", async_trait::async_trait(?Send))]
#[cfg_attr(not(target_arch = "wasm32"), async_trait::async_trait)]
impl<T: ?Sized + AsyncBytesPartialDecoderTraits> AsyncArrayPartialDecoderTraits
    for PartialDecoder<T>
{
    fn data_type(&self) -> &DataType {
        &self.cache.chunk().data_type
    }

    async fn exists(&self) -> Result<bool, StorageError> {
        self.input.exists().await
    }

    fn size_held(&self) -> usize {
        self.input.size_held() + self.cache.size_held()
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
        let wanted = self.wanted(indexer)?;
        let located = self.async_locate(&wanted.region, options).await?;
        self.decode_located_into(&located, &wanted, output_target)
    }

    fn supports_partial_decode(&self) -> bool {
        self.input.supports_partial_decode()
    }
}
