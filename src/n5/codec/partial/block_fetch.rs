//! Blocks fetched one by one from a store and written to their place in a larger array, several of
//! a row together if need be.
//!
//! This is what a reader of regions needs of the codec, sync and async: fetch, decompress, write.

use std::borrow::Cow;
use std::num::NonZeroU64;
use std::sync::Arc;

#[cfg(feature = "async")]
use futures::TryStreamExt;
use zarrs_codec::{ArrayBytesRaw, CodecError, CodecOptions};
use zarrs_data_type::{DataType, FillValue};
#[cfg(feature = "async")]
use zarrs_storage::AsyncReadableStorageTraits;
use zarrs_storage::{Bytes, ReadableStorageTraits, StorageError, StoreKey};

use super::block_cache::{BlockCache, Located};
use super::byte_ranges::ByteRanges;
use super::region_read::{RegionRead, Request};
use crate::n5::codec::N5DefaultCodec;
use crate::n5::codec::chunk_codec::ChunkCodec;
use crate::n5::codec::decoded_block::DecodedBlock;
use crate::n5::codec::error::N5DefaultCodecError;
use crate::n5::codec::region::Region;
use crate::n5::codec::scratch::with_buffer;
use crate::n5::reorder::{BlockBox, Destination, SCRATCH, decode_row};

/// Fetches and decodes the blocks of one array.
#[derive(Clone, Debug)]
pub(crate) struct BlockFetch {
    codec: ChunkCodec<Arc<N5DefaultCodec>>,
    options: CodecOptions,
}

/// How often a value of a store counts: allocators lose as much as the values take, since what one
/// leaves is often too short for the next one by some bytes. It was seen with glibc, for one value
/// at a time as for several. Buffers that are kept count once.
const LOST: usize = 2;

/// A block to read: the shape of its chunk and the box that is wanted of it, in elements,
/// dimension 0 first.
#[derive(Clone, Debug)]
pub(crate) struct WantedBlock {
    pub(crate) chunk_shape: Vec<usize>,
    pub(crate) start: Vec<usize>,
    pub(crate) shape: Vec<usize>,
}

/// What the store has of a block.
pub(crate) struct Fetched(Found);

enum Found {
    /// There is no block.
    Missing,
    /// The block ends before the wanted box begins.
    Outside,
    /// The part of a raw block that holds the wanted box, which is in elements of that part.
    Part(DecodedBlock<'static>, Region),
    /// The whole block as it is stored.
    Whole(Bytes),
}

/// Elements that are ready to be written to the output; the fill value if there is no block.
pub(crate) struct Decoded {
    block: Option<DecodedBlock<'static>>,
    wanted: Region,
}

/// The ranges of a block as the store hands them out; `None` if there is no such key.
type Parts = Result<Option<Vec<ArrayBytesRaw<'static>>>, CodecError>;

impl BlockFetch {
    /// Checks that the codec fits the array. `chunk_shape` is in elements, dimension 0 first.
    pub(crate) fn new(
        codec: &N5DefaultCodec,
        chunk_shape: &[NonZeroU64],
        data_type: &DataType,
        fill_value: &FillValue,
    ) -> Result<Self, CodecError> {
        let codec = Arc::new(codec.clone());
        Ok(Self {
            codec: ChunkCodec::new(codec, chunk_shape, data_type, fill_value)?,
            options: CodecOptions::default(),
        })
    }

    /// The size in bytes of an element.
    pub(crate) const fn element_size(&self) -> usize {
        self.codec.chunk.element_size
    }

    /// Fetches what is needed of a block: its byte ranges if it is raw and little of it is wanted,
    /// otherwise all of it.
    pub(crate) fn fetch<S: ?Sized + ReadableStorageTraits>(
        &self,
        store: &S,
        key: &StoreKey,
        wanted: &WantedBlock,
    ) -> Result<Fetched, CodecError> {
        let reads_ranges = store.supports_get_partial();
        let Some((cache, region)) = self.ranged(wanted, reads_ranges)? else {
            return Ok(Fetched::whole(store.get(key)?));
        };
        let mut read = RegionRead::new(&cache, &region, reads_ranges);
        loop {
            let Request::Ranges(ranges) = read.request() else {
                let block = store.get(key)?;
                read.check_gone(block.is_some())?;
                return Ok(Fetched::whole(block));
            };
            let parts = match store.get_partial_many(key, Box::new(ranges.into_iter())) {
                Ok(Some(parts)) => owned(parts.collect()),
                Ok(None) => Ok(None),
                Err(error) => Err(error.into()),
            };
            if let Some(located) = read.answer(parts, &self.options)? {
                return Ok(Fetched(located.into()));
            }
        }
    }

    /// The asynchronous twin of [`fetch`](Self::fetch).
    #[cfg(feature = "async")]
    pub(crate) async fn async_fetch<S: ?Sized + AsyncReadableStorageTraits>(
        &self,
        store: &S,
        key: &StoreKey,
        wanted: &WantedBlock,
    ) -> Result<Fetched, CodecError> {
        let reads_ranges = store.supports_get_partial();
        let Some((cache, region)) = self.ranged(wanted, reads_ranges)? else {
            return Ok(Fetched::whole(store.get(key).await?));
        };
        let mut read = RegionRead::new(&cache, &region, reads_ranges);
        loop {
            let Request::Ranges(ranges) = read.request() else {
                let block = store.get(key).await?;
                read.check_gone(block.is_some())?;
                return Ok(Fetched::whole(block));
            };
            let parts = match store
                .get_partial_many(key, Box::new(ranges.into_iter()))
                .await
            {
                Ok(Some(parts)) => owned(parts.try_collect().await),
                Ok(None) => Ok(None),
                Err(error) => Err(error.into()),
            };
            if let Some(located) = read.answer(parts, &self.options)? {
                return Ok(Fetched(located.into()));
            }
        }
    }

    /// What is needed to read only ranges of a block; `None` where all of it is to be fetched.
    fn ranged(
        &self,
        wanted: &WantedBlock,
        reads_ranges: bool,
    ) -> Result<Option<(BlockCache, Region)>, CodecError> {
        if !reads_ranges || !self.codec.is_raw() || wanted.shape == wanted.chunk_shape {
            return Ok(None);
        }
        let codec = self.codec.resized(wanted.chunk_shape.clone())?;
        let region = wanted.region();
        let ranges = ByteRanges::to_read(&wanted.chunk_shape, self.element_size(), &region);
        let size = ranges.map_or(0, |ranges| ranges.sizes().sum());
        let is_all = size >= codec.chunk.size as u64;
        Ok((!is_all).then(|| (BlockCache::new(codec), region)))
    }

    /// Sets aside what this thread needs for blocks of up to `size` bytes of elements, of which
    /// `most` are in memory at the same time: the buffers to decompress them to, which are taken
    /// from `buffers`. Where memory is short, less is set aside.
    pub(crate) fn memory_for(
        &self,
        most: usize,
        size: usize,
        buffers: impl Fn() -> Vec<u8>,
    ) -> Vec<Vec<u8>> {
        with_buffer(|scratch| {
            let missing = SCRATCH.saturating_sub(scratch.len());
            let _ = scratch.try_reserve_exact(missing);
        });
        if self.codec.is_raw() {
            return Vec::new();
        }
        let buffer = || {
            let mut buffer = buffers();
            let missing = size.saturating_sub(buffer.len());
            let _ = buffer.try_reserve_exact(missing);
            buffer
        };
        (0..most).map(|_| buffer()).collect()
    }

    /// The bytes that a block takes in memory while it is decompressed: as it was fetched, and its
    /// elements if these are not the same.
    pub(crate) fn size_in_memory(&self, fetched: &Fetched, wanted: &WantedBlock) -> usize {
        let (fetched, elements) = match &fetched.0 {
            Found::Missing | Found::Outside => (0, 0),
            Found::Part(block, _) => (block.size_held(), 0),
            Found::Whole(block) if self.codec.is_raw() => (block.len(), 0),
            Found::Whole(block) => (block.len(), wanted.elements()),
        };
        let elements = elements.saturating_mul(self.element_size());
        fetched.saturating_mul(LOST).saturating_add(elements)
    }

    /// Decompresses what was fetched for `wanted`, into the memory of `buffer` where it is
    /// compressed.
    pub(crate) fn decompress(
        &self,
        fetched: Fetched,
        wanted: &WantedBlock,
        buffer: &mut Vec<u8>,
    ) -> Result<Decoded, CodecError> {
        let (block, wanted) = match fetched.0 {
            Found::Missing | Found::Outside => (None, wanted.region()),
            Found::Part(block, region) => (Some(block), region),
            Found::Whole(bytes) => {
                let encoded = Cow::Borrowed(bytes.as_ref());
                let block = self.codec.decompress(encoded, buffer, &self.options);
                // The reader names the key of every block.
                let block = block.map_err(N5DefaultCodecError::without_key)?;
                (Some(block.keeping(&bytes)), wanted.region())
            }
        };
        Ok(Decoded { block, wanted })
    }

    /// Checks that the elements of a whole block, as it is stored, can be read, using the memory of
    /// `buffer`.
    pub(crate) fn check(&self, block: &[u8], buffer: &mut Vec<u8>) -> Result<(), CodecError> {
        let encoded = Cow::Borrowed(block);
        let block = self.codec.decompress(encoded, buffer, &self.options)?;
        if let Some(memory) = block.into_buffer() {
            *buffer = memory;
        }
        Ok(())
    }

    /// Writes blocks that follow each other along `dimension` to `out`, the fill value where there
    /// are no elements.
    ///
    /// The first element goes to the front of `out`, neighbours along dimension `d` are
    /// `strides[d]` elements apart. Nothing is written if an error is returned.
    pub(crate) fn write<'d>(
        &self,
        row: impl IntoIterator<Item = &'d Decoded>,
        dimension: usize,
        out: &mut [u8],
        strides: &[usize],
    ) -> Result<(), CodecError> {
        // Of an empty block all is padding.
        let empty = vec![0; strides.len()];
        let boxes = row.into_iter().map(|decoded| match &decoded.block {
            Some(block) => block.box_of(&decoded.wanted),
            None => BlockBox {
                payload: &[],
                block_shape: &empty,
                start: &empty,
                shape: &decoded.wanted.shape,
            },
        });
        let boxes: Vec<_> = boxes.collect();
        let fill_value = self.codec.chunk.fill_value.as_ne_bytes();
        with_buffer(|scratch| {
            let destination = Destination {
                out,
                strides,
                scratch,
            };
            decode_row(&boxes, dimension, fill_value, destination)
        })
        .map_err(N5DefaultCodecError::from)?;
        Ok(())
    }
}

impl WantedBlock {
    fn region(&self) -> Region {
        Region {
            start: self.start.clone(),
            shape: self.shape.clone(),
        }
    }

    /// The number of elements of the chunk, `usize::MAX` if that is too many to count.
    fn elements(&self) -> usize {
        let lens = self.chunk_shape.iter();
        lens.fold(1, |elements: usize, &len| elements.saturating_mul(len))
    }
}

impl Fetched {
    pub(crate) const fn is_missing(&self) -> bool {
        matches!(self.0, Found::Missing)
    }

    fn whole(block: Option<Bytes>) -> Self {
        Self(block.map_or(Found::Missing, Found::Whole))
    }
}

impl From<Located<'_>> for Found {
    fn from(located: Located<'_>) -> Self {
        match located {
            Located::Missing => Self::Missing,
            Located::Outside => Self::Outside,
            Located::Part(block, region) => Self::Part(block, region),
            // Blocks that are needed whole are taken from the store as they are, so that none is
            // kept in the cache.
            Located::Whole(_) => unreachable!("whole blocks are not asked of the cache"),
        }
    }
}

impl Decoded {
    /// Nothing but the fill value.
    pub(crate) fn fill(wanted: &WantedBlock) -> Self {
        Self {
            block: None,
            wanted: wanted.region(),
        }
    }

    /// The bytes that it takes in memory.
    pub(crate) fn size_in_memory(&self) -> usize {
        self.block.as_ref().map_or(0, |block| {
            let size = block.size_held();
            if block.has_buffer() {
                size
            } else {
                size.saturating_mul(LOST)
            }
        })
    }

    /// The memory of the elements, to be used for the next block; `None` if it belongs to others.
    pub(crate) fn into_buffer(self) -> Option<Vec<u8>> {
        self.block.and_then(DecodedBlock::into_buffer)
    }
}

fn owned(parts: Result<Vec<Bytes>, StorageError>) -> Parts {
    let parts = parts?.into_iter().map(|part| Cow::Owned(part.into()));
    Ok(Some(parts.collect()))
}
