use std::sync::{Arc, OnceLock};

use zarrs_codec::{ArrayBytesRaw, CodecError, CodecOptions};

use crate::n5::codec::N5DefaultCodec;
use crate::n5::codec::chunk::Chunk;
use crate::n5::codec::chunk_codec::ChunkCodec;
use crate::n5::codec::decoded_block::DecodedBlock;
use crate::n5::codec::error::N5DefaultCodecError;
use crate::n5::codec::region::Region;
use crate::n5::provenance::{self, Described};

/// What a partial decoder remembers of its block.
pub(super) struct BlockCache {
    pub(super) codec: ChunkCodec<Arc<N5DefaultCodec>>,
    /// What was read for the decoder before it was made: zarrs does so if the block is compressed.
    origin: Option<Described>,
    /// The shape in the header of a raw block, once that has been read.
    pub(super) block_shape: OnceLock<Vec<usize>>,
    /// The whole block, decompressed, if it had to be read whole; `None` in it: there is no block.
    pub(super) whole: OnceLock<Option<DecodedBlock<'static>>>,
}

/// Where the elements of a region are.
pub(super) enum Located<'a> {
    /// There is no block: all elements have the fill value.
    Missing,
    /// The raw block does not reach as far as the region: the same.
    Outside,
    /// In a part of the block that was fetched for it. The region is in elements of that part.
    Part(DecodedBlock<'static>, Region),
    /// In the whole block.
    Whole(&'a DecodedBlock<'static>),
}

impl BlockCache {
    pub(super) fn new(codec: ChunkCodec<Arc<N5DefaultCodec>>) -> Self {
        Self {
            origin: (!codec.is_raw()).then(provenance::take_last).flatten(),
            codec,
            block_shape: OnceLock::new(),
            whole: OnceLock::new(),
        }
    }

    /// Decompresses the whole block. Errors name its key, if it is known.
    pub(super) fn decompress(
        &self,
        encoded: ArrayBytesRaw<'_>,
        options: &CodecOptions,
    ) -> Result<DecodedBlock<'static>, N5DefaultCodecError> {
        let origin = self.origin.clone();
        let key = origin.and_then(|origin| origin.key_of(&encoded));
        let block = self.codec.decompress(encoded, &mut Vec::new(), options);
        match block {
            Ok(block) => Ok(block.into_owned()),
            Err(error) => Err(error.of_block(key)),
        }
    }

    pub(super) const fn chunk(&self) -> &Chunk {
        &self.codec.chunk
    }

    /// Locates a region without asking the store.
    pub(super) fn locate(&self, region: &Region) -> Option<Located<'_>> {
        if region.is_empty() {
            return Some(Located::Outside);
        }
        self.whole
            .get()
            .map(|whole| Located::in_whole(whole.as_ref()))
    }

    /// The size in bytes of the block that is kept.
    pub(super) fn size_held(&self) -> usize {
        match self.whole.get() {
            Some(Some(block)) => block.size_held(),
            _ => 0,
        }
    }
}

impl<'a> Located<'a> {
    pub(super) const fn in_whole(whole: Option<&'a DecodedBlock<'static>>) -> Self {
        match whole {
            Some(block) => Self::Whole(block),
            None => Self::Missing,
        }
    }

    /// Writes the elements of `region`, which this was located for, to `out` in C order.
    pub(super) fn read(
        &self,
        region: &Region,
        chunk: &Chunk,
        out: &mut [u8],
    ) -> Result<(), CodecError> {
        match self {
            Self::Missing | Self::Outside => {
                let fill_value = chunk.fill_value.as_ne_bytes();
                for element in out.chunks_exact_mut(chunk.element_size) {
                    element.copy_from_slice(fill_value);
                }
            }
            Self::Part(block, region) => block.read(region, chunk, out)?,
            Self::Whole(block) => block.read(region, chunk, out)?,
        }
        Ok(())
    }
}
