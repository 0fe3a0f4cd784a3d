//! How to change a region of a block without ever losing what is there: the rules, free of any
//! writing.
//!
//! ```text
//! Probe: header and last byte of a raw block      not raw, many small ranges, the store cannot
//!   |  a block of the chunk's shape                 |
//!   |        \  anything else, or the probe fails   |
//!   v         \------------------------------------>v
//! In place: only the ranges of the region         Over: all bytes are read, the changed block is
//!                                                 written over them from offset 0
//! ```
//!
//! Nothing is erased in order to write. A store that fails leaves the block as it was before the
//! request, or with a part of one write.

use std::borrow::Cow;
use std::iter;
use std::sync::Arc;

use zarrs_chunk_grid::Indexer;
use zarrs_codec::{ArrayBytes, ArrayBytesRaw, CodecError, CodecOptions, update_array_bytes};
use zarrs_storage::byte_range::ByteRange;

use super::block_cache::Located;
use super::byte_ranges::ByteRanges;
use crate::n5::codec::N5DefaultCodec;
use crate::n5::codec::chunk::Chunk;
use crate::n5::codec::chunk_codec::{ChunkCodec, header_shape};
use crate::n5::codec::decoded_block::DecodedBlock;
use crate::n5::codec::error::N5DefaultCodecError;
use crate::n5::memory::zeroed;
use crate::n5::reorder;

/// New elements for a region of a chunk.
pub(super) struct BlockWrite<'w> {
    pub(super) codec: &'w ChunkCodec<Arc<N5DefaultCodec>>,
    pub(super) indexer: &'w dyn Indexer,
    /// In C order, one after the other as the indexer names them.
    pub(super) elements: &'w ArrayBytes<'w>,
}

/// What is to happen to a block that is read, changed and written as a whole.
pub(super) enum Replacement {
    /// There is none, and none is needed.
    Nothing,
    /// It would hold nothing but the fill value, and zarrs is set not to store such chunks.
    Erase,
    /// These bytes are to be written from offset 0. They are at least as many as there are.
    Over(Vec<u8>),
}

impl BlockWrite<'_> {
    const fn chunk(&self) -> &Chunk {
        &self.codec.chunk
    }

    /// Where the region lies in a raw block of the chunk's shape; `None` if that is not worth
    /// writing range by range.
    pub(super) fn ranges(&self) -> Result<Option<ByteRanges>, CodecError> {
        let chunk = self.chunk();
        let region = chunk.region(self.indexer)?;
        Ok(region
            .filter(|region| !region.is_empty())
            .and_then(|region| ByteRanges::to_write(&chunk.shape, chunk.element_size, region)))
    }

    /// The bytes that tell whether a raw block of the chunk's shape is there in full: its header
    /// and its last byte.
    pub(super) fn probe(&self) -> [ByteRange; 2] {
        let header_size = self.chunk().header_size();
        let last = header_size + self.chunk().size as u64 - 1;
        [
            ByteRange::FromStart(0, Some(header_size)),
            ByteRange::FromStart(last, Some(1)),
        ]
    }

    /// Whether the answer to [`probe`](Self::probe) says so.
    pub(super) fn is_in_place(&self, answer: Option<&Vec<ArrayBytesRaw<'_>>>) -> bool {
        let Some([header, last]) = answer.map(Vec::as_slice) else {
            return false;
        };
        let header = self.codec.parse_header(header);
        last.len() == 1
            && header.is_ok_and(|(header, _)| header_shape(&header) == self.chunk().shape)
    }

    /// What to write in place: offsets in bytes from the start of the block, and the bytes there.
    pub(super) fn pieces(
        &self,
        ranges: &ByteRanges,
    ) -> Result<Vec<(u64, ArrayBytesRaw<'static>)>, CodecError> {
        let element_size = self.chunk().element_size;
        let elements = self.elements.clone().into_fixed()?;
        let mut payload = vec![0; elements.len()];
        let shape = &ranges.region.shape;
        let order = self.chunk().order;
        reorder::encode_block(&elements, shape, element_size, order, &mut payload)
            .map_err(N5DefaultCodecError::from)?;
        let mut rest = payload.as_slice();
        let pieces = ranges.in_block(self.chunk().header_size()).map(|range| {
            let size = usize::try_from(range.end - range.start).unwrap_or(usize::MAX);
            let (piece, behind) = rest.split_at(size.min(rest.len()));
            rest = behind;
            (range.start, Cow::Owned(piece.to_vec()))
        });
        Ok(pieces.collect())
    }

    /// Changes the block whose bytes are `old`; `None`: there is none.
    ///
    /// A raw block that reaches beyond the chunk somewhere keeps what it has there, so that the new
    /// one is never the shorter one.
    pub(super) fn replacement(
        &self,
        old: Option<ArrayBytesRaw<'_>>,
        options: &CodecOptions,
    ) -> Result<Replacement, CodecError> {
        let old_size = old.as_ref().map(|old| old.len());
        let old = match old {
            Some(old) => {
                let block = self.codec.decompress(old, &mut Vec::new(), options)?;
                Some(block.into_owned())
            }
            None => None,
        };
        let codec = self.codec_for(old.as_ref())?;
        let chunk = &codec.chunk;
        let mut elements = zeroed(chunk.size).map_err(N5DefaultCodecError::from)?;
        let located = Located::in_whole(old.as_ref());
        located.read(&chunk.whole(), chunk, &mut elements)?;

        let changed = update_array_bytes(
            ArrayBytes::from(elements),
            &chunk.array_shape(),
            self.indexer,
            self.elements,
            chunk.data_type.size(),
        )?;
        if !options.store_empty_chunks() && changed.is_fill_value(&chunk.fill_value) {
            return Ok(match old_size {
                Some(_) => Replacement::Erase,
                None => Replacement::Nothing,
            });
        }
        let block = codec.encode(&changed.into_fixed()?, options)?;
        match old_size {
            Some(expected) if block.len() < expected => {
                let found = block.len();
                Err(N5DefaultCodecError::CannotShorten { expected, found }.into())
            }
            _ => Ok(Replacement::Over(block)),
        }
    }

    /// The codec for the box that holds the chunk and, if it is raw, the old block.
    fn codec_for(
        &self,
        old: Option<&DecodedBlock<'_>>,
    ) -> Result<Cow<'_, ChunkCodec<Arc<N5DefaultCodec>>>, CodecError> {
        let chunk = self.chunk();
        // For the box may be larger: the region must lie within the chunk.
        if chunk.region(self.indexer)?.is_none() {
            self.indexer.iter_linearised_indices(&chunk.array_shape())?;
        }
        match old {
            Some(old) if self.codec.is_raw() => {
                let shape = iter::zip(&chunk.shape, &old.shape);
                let shape: Vec<usize> = shape.map(|(&chunk, &old)| chunk.max(old)).collect();
                Ok(Cow::Owned(self.codec.resized(shape)?))
            }
            _ => Ok(Cow::Borrowed(self.codec)),
        }
    }
}
