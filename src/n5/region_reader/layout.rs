//! Which blocks a region needs, and where each of them goes in the output. Pure.
//!
//! The output is cut along its slowest dimension into *slabs*, at the borders of blocks. A slab is
//! a contiguous part of the output, and a block lies within one slab, so that slabs can be written
//! at the same time:
//!
//! ```text
//! output, C order       blocks 0,0 | 0,1 | 0,2     slab 0: elements 0..2 of dimension 0
//! dimension 0 slowest   blocks 1,0 | 1,1 | 1,2     slab 1: elements 2..5 of dimension 0
//! ```
//!
//! Within a slab, blocks that follow each other along the fastest dimension of the output that has
//! several are a *row*. A thread may take some or all blocks of a row and write them together.
//!
//! Shapes and positions are in elements, dimension 0 first, unless they are said to be in blocks.

use crate::n5::codec::WantedBlock;
use crate::n5::dimension_order::DimensionOrder;

/// The grid of blocks of an array.
#[derive(Clone, Debug)]
pub(super) struct BlockGrid {
    pub(super) array_shape: Vec<u64>,
    /// Of blocks that the end of the array does not cut; none is 0.
    pub(super) block_shape: Vec<u64>,
    /// Whether chunks end with the array (`zarrs.regular_bounded`) or reach beyond (`regular`).
    pub(super) is_bounded: bool,
}

/// A region of an array and its place in an output of exactly its elements.
#[derive(Debug)]
pub(super) struct Layout<'g> {
    grid: &'g BlockGrid,
    dimensions: Vec<Dimension>,
    /// How far neighbours along each dimension are apart in the output, in elements.
    strides: Vec<usize>,
    /// The dimensions from the slowest of the output to the fastest.
    slowest_first: Vec<usize>,
    /// The dimension that slabs follow each other along; `None` without dimensions.
    slab_dimension: Option<usize>,
}

/// One dimension of a region.
#[derive(Clone, Copy, Debug)]
struct Dimension {
    start: u64,
    len: usize,
    /// The position of the first block, in blocks.
    first_block: u64,
    /// The number of blocks.
    blocks: usize,
}

/// Blocks that follow each other along a dimension of the output, from one end of the region to the
/// other.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockRow {
    pub(super) dimension: usize,
    /// The number of blocks.
    pub(super) blocks: usize,
    /// The elements of a block along the dimension.
    pub(super) block_len: usize,
    /// Whether it is another dimension than the fastest of a payload.
    pub(super) is_transposed: bool,
}

/// A block of a region.
#[derive(Debug)]
pub(super) struct PlacedBlock {
    /// In blocks.
    pub(super) position: Vec<u64>,
    /// Where its first element goes, in elements of the slab.
    pub(super) offset: usize,
    pub(super) wanted: WantedBlock,
}

impl BlockGrid {
    /// The shape of the chunk at `position` along a dimension; at least 1.
    fn chunk_len(&self, dimension: usize, position: u64) -> u64 {
        let len = self.block_shape[dimension];
        if self.is_bounded {
            let start = position.saturating_mul(len);
            let left = self.array_shape[dimension].saturating_sub(start);
            len.min(left).max(1)
        } else {
            len
        }
    }

    /// The shape of the first chunk.
    pub(super) fn first_chunk(&self) -> Vec<u64> {
        (0..self.block_shape.len())
            .map(|dimension| self.chunk_len(dimension, 0))
            .collect()
    }
}

impl<'g> Layout<'g> {
    /// Plans the region `[start, start + shape)`, which lies within the array; `None` if it holds
    /// more elements than can be counted.
    pub(super) fn new(
        grid: &'g BlockGrid,
        start: &[u64],
        shape: &[u64],
        order: DimensionOrder,
    ) -> Option<Self> {
        let mut dimensions = Vec::with_capacity(shape.len());
        for ((&start, &len), &block) in start.iter().zip(shape).zip(&grid.block_shape) {
            let first_block = start / block;
            let blocks = start.checked_add(len)?.div_ceil(block) - first_block;
            dimensions.push(Dimension {
                start,
                len: usize::try_from(len).ok()?,
                first_block,
                blocks: if len == 0 {
                    0
                } else {
                    usize::try_from(blocks).ok()?
                },
            });
        }
        let mut slowest_first: Vec<usize> = (0..dimensions.len()).collect();
        if order == DimensionOrder::Reversed {
            slowest_first.reverse();
        }
        let mut strides = vec![0; dimensions.len()];
        let mut elements: usize = 1;
        for &dimension in slowest_first.iter().rev() {
            strides[dimension] = elements;
            elements = elements.checked_mul(dimensions[dimension].len)?;
        }
        // Dimensions of one element keep what follows them contiguous.
        let is_long = |dimension: &&usize| dimensions[**dimension].len > 1;
        let slab_dimension = slowest_first.iter().find(is_long);
        let slab_dimension = slab_dimension.or(slowest_first.last()).copied();
        Some(Self {
            grid,
            dimensions,
            strides,
            slowest_first,
            slab_dimension,
        })
    }

    /// How far neighbours along each dimension are apart in the output, in elements.
    pub(super) fn strides(&self) -> &[usize] {
        &self.strides
    }

    /// The number of elements of the output.
    pub(super) fn len(&self) -> usize {
        self.dimensions
            .iter()
            .map(|dimension| dimension.len)
            .product()
    }

    /// The number of slabs, 0 for an empty region.
    pub(super) fn slabs(&self) -> usize {
        match self.slab_dimension {
            _ if self.len() == 0 => 0,
            None => 1,
            Some(dimension) => self.dimensions[dimension].blocks,
        }
    }

    /// The number of blocks of each slab.
    pub(super) fn blocks_per_slab(&self) -> usize {
        self.in_slab()
            .map(|dimension| self.dimensions[dimension].blocks)
            .product()
    }

    /// The dimensions along which a slab may have several blocks, the slowest first.
    fn in_slab(&self) -> impl DoubleEndedIterator<Item = usize> {
        let dimensions = self.slowest_first.iter().copied();
        dimensions.filter(|&dimension| Some(dimension) != self.slab_dimension)
    }

    /// The rows of blocks whose numbers follow each other.
    pub(super) fn row(&self) -> BlockRow {
        let mut fastest_first = self.in_slab().rev();
        let dimension = fastest_first.find(|&dimension| self.dimensions[dimension].blocks > 1);
        let Some(dimension) = dimension else {
            return BlockRow {
                dimension: 0,
                blocks: 1,
                block_len: 0,
                is_transposed: false,
            };
        };
        let block_len = self.grid.block_shape[dimension];
        BlockRow {
            dimension,
            blocks: self.dimensions[dimension].blocks,
            block_len: usize::try_from(block_len).unwrap_or(usize::MAX),
            is_transposed: dimension > 0,
        }
    }

    /// The number of elements of a slab.
    pub(super) fn slab_len(&self, slab: usize) -> usize {
        match self.slab_dimension {
            None => self.len(),
            Some(dimension) => {
                let (_, len) = self.extent(dimension, slab);
                len * self.strides[dimension]
            }
        }
    }

    /// Where in the region the block number `block` along a dimension begins, and how much of the
    /// region lies in it.
    fn extent(&self, dimension: usize, block: usize) -> (usize, usize) {
        let Dimension {
            start,
            len,
            first_block,
            ..
        } = self.dimensions[dimension];
        let block_len = self.grid.block_shape[dimension];
        let boundary = |block: u64| {
            let boundary = (first_block + block).saturating_mul(block_len);
            // Within the region, whose length fits.
            usize::try_from(boundary.saturating_sub(start)).map_or(len, |at| at.min(len))
        };
        let first = boundary(block as u64);
        (first, boundary(block as u64 + 1) - first)
    }

    /// The block number `index` of slab number `slab`, the dimension that is fastest in the output
    /// counting fastest.
    pub(super) fn block(&self, slab: usize, mut index: usize) -> PlacedBlock {
        let mut numbers = vec![0; self.dimensions.len()];
        if let Some(dimension) = self.slab_dimension {
            numbers[dimension] = slab;
        }
        for dimension in self.in_slab().rev() {
            let blocks = self.dimensions[dimension].blocks;
            numbers[dimension] = index % blocks;
            index /= blocks;
        }
        let mut placed = PlacedBlock {
            position: Vec::with_capacity(numbers.len()),
            offset: 0,
            wanted: WantedBlock {
                chunk_shape: Vec::with_capacity(numbers.len()),
                start: Vec::with_capacity(numbers.len()),
                shape: Vec::with_capacity(numbers.len()),
            },
        };
        for (dimension, number) in numbers.into_iter().enumerate() {
            let position = self.dimensions[dimension].first_block + number as u64;
            let (first, len) = self.extent(dimension, number);
            let block_start = position.saturating_mul(self.grid.block_shape[dimension]);
            let start = self.dimensions[dimension].start.saturating_sub(block_start);
            if Some(dimension) != self.slab_dimension {
                placed.offset += first * self.strides[dimension];
            }
            placed.position.push(position);
            // A chunk of more elements than can be counted is refused when the reader is made.
            let to_usize = |value| usize::try_from(value).unwrap_or(usize::MAX);
            let chunk_len = self.grid.chunk_len(dimension, position);
            placed.wanted.chunk_shape.push(to_usize(chunk_len));
            placed.wanted.start.push(to_usize(start));
            placed.wanted.shape.push(len);
        }
        placed
    }
}
