//! Boxes of blocks that follow each other along one dimension of an array, written together.
//!
//! Each cache line of the array that two boxes share is then written once, and where the boxes fill
//! whole rows of the array, what is written is contiguous over many rows.

use std::cmp::Reverse;

use super::Region;
use super::error::{ReorderError, Side};
use super::sizes::{expect_dimensionality, expect_size, too_large};

/// The box `[start, start + shape)` of the block of `block_shape` whose elements are in `payload`
/// (big-endian, dimension 0 fastest). What lies outside the block is padding.
///
/// Shapes and the start are in elements, dimension 0 first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockBox<'a> {
    pub(crate) payload: &'a [u8],
    pub(crate) block_shape: &'a [usize],
    pub(crate) start: &'a [usize],
    pub(crate) shape: &'a [usize],
}

/// Boxes that follow each other along `dimension`.
pub(super) struct Row<'a> {
    pub(super) boxes: &'a [BlockBox<'a>],
    pub(super) dimension: usize,
    /// Of all boxes together, in elements.
    pub(super) shape: Vec<usize>,
    /// How far neighbours along each dimension are apart in the destination, in elements.
    pub(super) strides: &'a [usize],
}

impl<'a> Row<'a> {
    /// Checks the boxes; `None` if there are none.
    pub(super) fn new(
        boxes: &'a [BlockBox<'a>],
        dimension: usize,
        strides: &'a [usize],
        element_size: usize,
    ) -> Result<Option<Self>, ReorderError> {
        let Some(first) = boxes.first() else {
            return Ok(None);
        };
        // One box is a row along any dimension.
        let is_fastest = |&d: &usize| first.shape[d] > 1 && strides.get(d) == Some(&1);
        let fastest = (0..first.shape.len()).find(is_fastest);
        let dimension = fastest.filter(|_| boxes.len() == 1).unwrap_or(dimension);
        let mut len: usize = 0;
        for one in boxes {
            expect_dimensionality(one.block_shape, one.start, one.shape)?;
            expect_dimensionality(one.block_shape, one.start, strides)?;
            expect_size(
                Side::Payload,
                one.payload.len(),
                one.block_shape,
                element_size,
            )?;
            let is_along = |d: usize| boxes.len() > 1 && d == dimension;
            let mut lens = std::iter::zip(first.shape, one.shape).enumerate();
            let is_in_row = lens.all(|(d, (expected, found))| is_along(d) || expected == found);
            if !is_in_row || (boxes.len() > 1 && dimension >= first.shape.len()) {
                return Err(ReorderError::Row {
                    dimension,
                    expected: first.shape.to_vec(),
                    found: one.shape.to_vec(),
                });
            }
            let more = one.shape.get(dimension).copied().unwrap_or(0);
            len = (len.checked_add(more)).ok_or_else(|| too_large(one.shape, element_size))?;
        }
        let mut shape = first.shape.to_vec();
        if let Some(all) = shape.get_mut(dimension) {
            *all = len;
        }
        Ok(Some(Self {
            boxes,
            dimension,
            shape,
            strides,
        }))
    }

    /// The boxes that have elements, each with the elements of the row before it along
    /// `dimension`.
    pub(super) fn placed(&self) -> impl Iterator<Item = (usize, BlockBox<'a>)> {
        let mut first = 0;
        let placed = self.boxes.iter().map(move |&one| {
            let before = first;
            first += one.shape.get(self.dimension).copied().unwrap_or(0);
            (before, one)
        });
        placed.filter(|(_, one)| !one.shape.contains(&0))
    }

    /// A box with its strides in the destination.
    pub(super) fn region(&self, one: BlockBox<'a>) -> Region<'a> {
        Region {
            block_shape: one.block_shape,
            start: one.start,
            shape: one.shape,
            strides: self.strides,
        }
    }

    /// How far elements are apart in the destination that are neighbours along `dimension`.
    pub(super) fn stride(&self) -> usize {
        self.strides.get(self.dimension).copied().unwrap_or(0)
    }

    /// The dimensions from the slowest of the destination to the fastest, without those of one
    /// element.
    pub(super) fn slowest_first(&self) -> Vec<usize> {
        let dimensions = 0..self.shape.len();
        let mut long: Vec<usize> = dimensions.filter(|&d| self.shape[d] > 1).collect();
        long.sort_by_key(|&dimension| Reverse(self.strides[dimension]));
        long
    }
}
