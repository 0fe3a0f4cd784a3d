//! Boxes of blocks that follow each other along one dimension of an array, written together.
//!
//! Each cache line of the array that two boxes share is then written once, and where the boxes fill
//! whole rows of the array, what is written is contiguous over many rows.

use std::cmp::Reverse;

use super::error::{ReorderError, Side};
use super::lanes::Lanes;
use super::sizes::{expect_dimensionality, expect_size, strided_size, too_large};
use super::{Region, abreast, decode, staged};
use wide::{u8x16, u16x8, u32x4, u64x2};

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

/// A part of a larger array that boxes are written to.
///
/// The first element goes to the front of `out`; neighbours along dimension `d` are `strides[d]`
/// elements apart there. No two elements may share a place.
pub(crate) struct Destination<'a> {
    pub(crate) out: &'a mut [u8],
    pub(crate) strides: &'a [usize],
    /// Memory to be used on the way, with any contents.
    pub(crate) scratch: &'a mut Vec<u8>,
}

/// Reads boxes that follow each other along `dimension` into a part of a larger array, each as
/// [`decode_region`](super::decode_region) does. Nothing between their elements is touched.
///
/// # Errors
/// If a box or the strides differ in dimensionality, there are several boxes and no such dimension,
/// or they have different lengths along another one, the element size is not 1, 2, 4 or 8, a shape
/// holds more bytes than can be addressed, the size of a payload is not exactly what its shape
/// needs, or `out` is shorter than the boxes need or ends within an element. Nothing is written
/// then.
pub(crate) fn decode_row(
    boxes: &[BlockBox<'_>],
    dimension: usize,
    fill_value: &[u8],
    destination: Destination<'_>,
) -> Result<(), ReorderError> {
    let Destination {
        out,
        strides,
        scratch,
    } = destination;
    let size = fill_value.len();
    let Some(row) = Row::new(boxes, dimension, strides, size)? else {
        return Ok(());
    };
    let shape = &row.shape;
    let expected = strided_size(shape, strides, size).ok_or_else(|| too_large(shape, size))?;
    if out.len() < expected || !out.len().is_multiple_of(size) {
        return Err(ReorderError::Length {
            side: Side::Array,
            shape: shape.clone(),
            element_size: size,
            expected,
            found: out.len(),
        });
    }
    if shape.contains(&0) {
        return Ok(());
    }
    match size {
        1 => row.decode::<u8x16, 16, 1>(fill_value, out, scratch),
        2 => row.decode::<u16x8, 8, 2>(fill_value, out, scratch),
        4 => row.decode::<u32x4, 4, 4>(fill_value, out, scratch),
        8 => row.decode::<u64x2, 2, 8>(fill_value, out, scratch),
        found => return Err(ReorderError::ElementSize { found }),
    }
    Ok(())
}

/// Boxes that follow each other along `dimension`.
pub(super) struct Row<'a> {
    boxes: &'a [BlockBox<'a>],
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
    fn stride(&self) -> usize {
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

    /// Decodes the boxes in the way that is fastest.
    fn decode<L: Lanes<LANES, SIZE>, const LANES: usize, const SIZE: usize>(
        &self,
        fill_value: &[u8],
        out: &mut [u8],
        scratch: &mut Vec<u8>,
    ) {
        if abreast::reorder::<SIZE>(self, out) {
            return;
        }
        let suits = |(_, one)| staged::suits::<SIZE>(self.region(one));
        let suits_parts = self.placed().any(suits);
        let part_size = staged::part_size(self.boxes.len());
        if suits_parts
            && staged::decode_parts::<L, LANES, SIZE>(self, fill_value, out, scratch, part_size)
        {
            return;
        }
        for (first, one) in self.placed() {
            let out = &mut out[first * self.stride() * SIZE..];
            decode::<L, LANES, SIZE>(one.payload, self.region(one), fill_value, out);
        }
    }
}
