//! Blocks that were read and wait to be written together with others of their row.

use std::hint::black_box;

use zarrs_codec::CodecError;

use super::layout::{Layout, PlacedBlock};
use super::slabs::Slabs;
use super::summary::BlockOutcome;
use super::{BlockErrors, BlockFailureReason, MAX_KEPT_SIZE, MissingBlocks, RegionReader};
use crate::n5::codec::{Decoded, Fetched};
use crate::n5::reorder;

/// Where blocks are transposed and have lines of so many bytes or more, either whole rows are held
/// or one block: two blocks share few cache lines then, and those that wait push each other out of
/// the cache.
///
/// With two blocks at once uint64 in blocks of 64 x 64 x 64, raw, in C order, took 1.03 to 1.06
/// times as long; float32 0.98 to 1.00 times.
const LONG_LINE: usize = 512;

/// Bytes for what is known of a block beside its elements: position, outcome, and where it goes.
/// Twice that and the header are less than the 4 KiB of the documentation of `with_memory`.
///
/// In 2 dimensions 20 000 blocks held at once took 1300 bytes each.
const OF_BLOCK: usize = 1536;

/// The most that is announced to the allocator: glibc takes no notice of more than 32 MiB.
const MOST_ANNOUNCED: usize = 31 << 20;

/// How much memory one thread may use beside the output, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThreadMemory {
    limit: usize,
    /// The elements of a block.
    elements: usize,
    /// A block: its elements and what is known of it.
    block: usize,
}

impl ThreadMemory {
    /// Of one of `threads` of a reader, for blocks of `elements` bytes of elements: `wanted`, or
    /// two blocks and its share of 1 MiB. One block is read in any case.
    pub(super) fn new(elements: usize, threads: usize, wanted: Option<usize>) -> Self {
        let share = (1 << 20) / threads.max(1);
        let usual = elements.saturating_mul(2).saturating_add(share);
        Self {
            limit: wanted.unwrap_or(usual),
            elements,
            block: elements.saturating_add(OF_BLOCK),
        }
    }

    /// How many blocks of a row a thread is to hold until it writes them together, `most_of_thread`
    /// at most.
    pub(super) fn blocks_at_once(
        self,
        layout: &Layout<'_>,
        element_size: usize,
        most_of_thread: usize,
    ) -> usize {
        let room = self.limit.saturating_sub(reorder::SCRATCH);
        let most = room.checked_div(self.block.saturating_mul(2)).unwrap_or(0);
        let most = most.min(most_of_thread).max(1);
        let row = layout.row();
        let has_gain = most >= row.blocks
            || !row.is_transposed
            || row.block_len.saturating_mul(element_size) < LONG_LINE;
        if has_gain { most.min(row.blocks) } else { 1 }
    }

    /// Tells the allocator how much memory is to be used again and again, for `blocks` at once.
    ///
    /// glibc gives memory back to the system once twice of the largest allocation so far is free at
    /// the end of its heap. Of one block it never is, of several it may be, and each row would have
    /// its page faults anew, which cost more than all that this reader does.
    pub(super) fn announce(self, blocks: usize) {
        let mut memory: Vec<u8> = Vec::new();
        let size = self.block.saturating_mul(blocks).min(MOST_ANNOUNCED);
        if memory.try_reserve_exact(size).is_ok() {
            // It is not touched, so that it takes no memory.
            black_box(&memory);
        }
    }

    /// Whether there is room for `size` bytes and what writing needs.
    fn holds(self, size: usize) -> bool {
        size.checked_add(reorder::SCRATCH)
            .is_some_and(|size| size <= self.limit)
    }
}

/// A block that was read.
struct Held {
    block: PlacedBlock,
    /// What is to be written, if anything is.
    decoded: Option<Decoded>,
    outcome: BlockOutcome,
}

/// The blocks of one slab that a thread holds, which follow each other in a row.
pub(super) struct HeldBlocks<'r, TStorage: ?Sized> {
    reader: &'r RegionReader<'r, TStorage>,
    memory: ThreadMemory,
    blocks: Vec<Held>,
    /// What they take in memory, in bytes.
    size: usize,
    /// What the last block took while it was decompressed.
    last_size: usize,
    /// Memory of blocks that were written.
    buffers: Vec<Vec<u8>>,
}

impl<'r, TStorage: ?Sized> HeldBlocks<'r, TStorage> {
    /// For up to `most` blocks at once.
    ///
    /// All memory that is kept from block to block is set aside now, before the first block is
    /// fetched. Otherwise it would lie between those that are fetched and given back, and what is
    /// free there would be too short for the next ones by some bytes.
    pub(super) fn new(
        reader: &'r RegionReader<'r, TStorage>,
        memory: ThreadMemory,
        most: usize,
    ) -> Self {
        // Nothing large on the word of the array alone: its blocks may be missing, or shorter.
        let size = Some(memory.elements).filter(|&size| size <= MAX_KEPT_SIZE);
        let size = size.unwrap_or(0);
        Self {
            reader,
            memory,
            blocks: Vec::new(),
            size: 0,
            last_size: 0,
            buffers: reader
                .blocks
                .memory_for(most, size, || reader.take_buffer()),
        }
    }

    /// Whether a block that was fetched can be decompressed before those are written that are held.
    /// Its size is kept for [`is_due`](Self::is_due).
    pub(super) fn has_room_for(
        &mut self,
        fetched: &Result<Fetched, CodecError>,
        block: &PlacedBlock,
    ) -> bool {
        let size = |fetched| self.reader.blocks.size_in_memory(fetched, &block.wanted);
        let last_size = fetched.as_ref().map_or(0, size);
        self.last_size = last_size.saturating_add(OF_BLOCK);
        self.memory.holds(self.size.saturating_add(self.last_size))
    }

    /// Decompresses what was fetched of a block, and holds it.
    ///
    /// `is_zero` says that the output holds nothing but 0.
    pub(super) fn add(
        &mut self,
        fetched: Result<Fetched, CodecError>,
        block: PlacedBlock,
        is_zero: bool,
    ) {
        let result = match fetched {
            Ok(fetched) if fetched.is_missing() => match self.reader.missing {
                MissingBlocks::Error => Err(BlockFailureReason::Missing),
                // Of a large region without blocks most of the time would go there.
                MissingBlocks::Fill if is_zero => Ok((None, BlockOutcome::Missing)),
                MissingBlocks::Fill => {
                    Ok((Some(Decoded::fill(&block.wanted)), BlockOutcome::Missing))
                }
            },
            Ok(fetched) => self
                .decompress(fetched, &block)
                .map(|decoded| (Some(decoded), BlockOutcome::Read))
                .map_err(Into::into),
            Err(error) => Err(error.into()),
        };
        let (decoded, outcome) = result.unwrap_or_else(|reason| {
            let fill =
                (self.reader.errors == BlockErrors::Collect).then(|| Decoded::fill(&block.wanted));
            (
                fill,
                BlockOutcome::Failed(self.reader.failure(&block, reason)),
            )
        });
        let size = decoded.as_ref().map_or(0, Decoded::size_in_memory);
        self.size = self.size.saturating_add(size).saturating_add(OF_BLOCK);
        self.blocks.push(Held {
            block,
            decoded,
            outcome,
        });
    }

    fn decompress(&mut self, fetched: Fetched, block: &PlacedBlock) -> Result<Decoded, CodecError> {
        let buffer = self.buffers.pop();
        let mut buffer = buffer.unwrap_or_else(|| self.reader.take_buffer());
        let decoded = self
            .reader
            .blocks
            .decompress(fetched, &block.wanted, &mut buffer);
        // It is left where nothing was decompressed.
        if buffer.capacity() > 0 {
            self.buffers.push(buffer);
        }
        decoded
    }

    /// Whether what is held is to be written now: another block like the last one would have no
    /// room, or the last one ends the read.
    pub(super) fn is_due(&self) -> bool {
        let last = self.blocks.last().map(|last| &last.outcome);
        let is_last = self.reader.errors == BlockErrors::Stop
            && matches!(last, Some(BlockOutcome::Failed(_)));
        is_last || !self.memory.holds(self.size.saturating_add(self.last_size))
    }

    /// Writes what is held to its slab. What became of the blocks is in the order of the row.
    pub(super) fn write(
        &mut self,
        slab: usize,
        (layout, slabs): (&Layout<'_>, &Slabs<'_>),
    ) -> Vec<BlockOutcome> {
        let mut blocks = std::mem::take(&mut self.blocks);
        let has_elements = |a: &Held, b: &Held| a.decoded.is_some() && b.decoded.is_some();
        for row in blocks.chunk_by_mut(has_elements) {
            let write = |blocks: &[Held]| self.write_row(blocks, slab, (layout, slabs));
            if write(row).is_err() {
                // Finds the one at fault.
                for one in row {
                    let written = write(std::slice::from_ref(one));
                    if let Err(error) = written {
                        let failure = self.reader.failure(&one.block, error.into());
                        one.outcome = BlockOutcome::Failed(failure);
                        if self.reader.errors == BlockErrors::Collect {
                            // The same write without a block has no way to fail.
                            one.decoded = Some(Decoded::fill(&one.block.wanted));
                            let _ = write(std::slice::from_ref(one));
                        }
                    }
                }
            }
        }
        self.size = 0;
        let outcomes = blocks.into_iter().map(|held| {
            let buffer = held.decoded.and_then(Decoded::into_buffer);
            self.buffers.extend(buffer);
            held.outcome
        });
        outcomes.collect()
    }

    fn write_row(
        &self,
        row: &[Held],
        slab: usize,
        (layout, slabs): (&Layout<'_>, &Slabs<'_>),
    ) -> Result<(), CodecError> {
        let Some(first) = row.first() else {
            return Ok(());
        };
        let offset = first.block.offset * self.reader.element_size();
        let decoded = row.iter().filter_map(|held| held.decoded.as_ref());
        let dimension = layout.row().dimension;
        slabs.write(slab, offset, |out| {
            let strides = layout.strides();
            self.reader.blocks.write(decoded, dimension, out, strides)
        })
    }
}

impl<TStorage: ?Sized> Drop for HeldBlocks<'_, TStorage> {
    /// Leaves the memory to the next read.
    fn drop(&mut self) {
        for buffer in self.buffers.drain(..) {
            self.reader.keep_buffer(buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::n5::dimension_order::DimensionOrder;
    use crate::n5::region_reader::layout::BlockGrid;

    const MIB: usize = 1 << 20;

    /// Blocks at once of a row of four blocks of 64 x 64 x 64 elements.
    fn at_once(size: usize, threads: usize, wanted: Option<usize>, order: DimensionOrder) -> usize {
        let grid = BlockGrid {
            array_shape: vec![250; 3],
            block_shape: vec![64; 3],
            is_bounded: true,
        };
        let layout = Layout::new(&grid, &[0; 3], &[250; 3], order).unwrap();
        let memory = ThreadMemory::new((64 * 64 * 64) * size, threads, wanted);
        memory.blocks_at_once(&layout, size, usize::MAX)
    }

    #[test]
    fn a_row_is_held_as_far_as_two_blocks_and_a_mebibyte_go() {
        let [stored, reversed] = [DimensionOrder::AsStored, DimensionOrder::Reversed];
        for (size, threads, order, expected) in [
            (1, 1, stored, 2),
            (1, 2, stored, 1),
            (2, 1, reversed, 1),
            (4, 1, stored, 1),
            (8, 1, reversed, 1),
        ] {
            let case = format!("{size} bytes, {threads} threads, {order:?}");
            assert_eq!(at_once(size, threads, None, order), expected, "{case}");
        }
    }

    #[test]
    fn more_memory_holds_whole_rows() {
        for order in [DimensionOrder::AsStored, DimensionOrder::Reversed] {
            assert_eq!(at_once(8, 1, Some(17 * MIB), order), 4);
            assert_eq!(at_once(8, 1, Some(usize::MAX), order), 4);
            assert_eq!(at_once(4, 1, Some(5 * MIB), order), 2);
            assert_eq!(at_once(1, 1, Some(0), order), 1);
        }
    }

    #[test]
    fn no_more_is_held_than_there_is_for_a_thread() {
        let grid = BlockGrid {
            array_shape: vec![250; 3],
            block_shape: vec![64; 3],
            is_bounded: true,
        };
        let layout = Layout::new(&grid, &[0; 3], &[250; 3], DimensionOrder::AsStored).unwrap();
        for (size, expected) in [(1, 2), (8, 1)] {
            let memory = ThreadMemory::new((64 * 64 * 64) * size, 2, Some(usize::MAX));
            assert_eq!(memory.blocks_at_once(&layout, size, 2), expected);
        }
    }

    /// Of uint64 in C order a part of a row is not held.
    #[test]
    fn of_long_lines_that_are_transposed_whole_rows_are_held_or_one_block() {
        for (order, expected) in [(DimensionOrder::AsStored, 1), (DimensionOrder::Reversed, 3)] {
            assert_eq!(at_once(8, 1, Some(13 * MIB), order), expected);
        }
    }

    #[test]
    fn a_block_as_large_as_memory_is_one_at_once() {
        let memory = ThreadMemory::new(usize::MAX, 1, None);
        let grid = BlockGrid {
            array_shape: vec![9],
            block_shape: vec![3],
            is_bounded: true,
        };
        let layout = Layout::new(&grid, &[0], &[9], DimensionOrder::AsStored).unwrap();
        assert_eq!(memory.blocks_at_once(&layout, 1, usize::MAX), 1);
        assert!(!memory.holds(usize::MAX - 1));
    }
}
