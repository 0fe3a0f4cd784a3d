//! Converts between N5 payloads and C order in one pass: byte swap, transposition, truncation and
//! padding.
//!
//! An N5 payload is big-endian with dimension 0 fastest; a Zarr chunk is native-endian in C order,
//! the last dimension fastest. Either is the transposed and byte-swapped form of the other, so
//! reading and writing share one loop: encoding reads the chunk as a payload whose dimensions are
//! listed backwards.
//!
//! Shapes and starts are in elements, dimension 0 first. Nothing here depends on headers, stores or
//! codecs.

mod abreast;
mod ahead;
mod error;
mod lanes;
mod plan;
mod row;
mod sizes;
mod staged;
mod strided;
mod tiled;
mod turned;

use std::borrow::Cow;
use std::cmp::{Ordering, Reverse};

use super::dimension_order::DimensionOrder;
pub(crate) use error::ReorderError;
pub(crate) use row::BlockBox;
pub(crate) use staged::SCRATCH;

use error::Side;
use lanes::Lanes;
use plan::Plan;
use row::Row;
use sizes::{expect_dimensionality, expect_size, strided_size, strides, too_large};
use wide::{u8x16, u16x8, u32x4, u64x2};

/// Reads a box of an N5 payload (big-endian, dimension 0 fastest) into native-endian C order.
///
/// Writes the box `[start, start + shape)` (in elements, dimension 0 first) of the block into
/// `out`, an array of `shape` in C order, or of `shape` backwards if `order` is reversed. What lies
/// outside `block_shape` is set to `fill_value`, the native-endian bytes of one element, whose
/// length is the element size: 1, 2, 4 or 8. Nothing is written if an error is returned.
///
/// # Errors
/// If the three shapes differ in dimensionality, the element size is another, a shape holds more
/// bytes than can be addressed, or the size of `payload` or `out` is not exactly what its shape
/// needs.
pub(crate) fn decode_region(
    payload: &[u8],
    block_shape: &[usize],
    start: &[usize],
    shape: &[usize],
    fill_value: &[u8],
    order: DimensionOrder,
    out: &mut [u8],
) -> Result<(), ReorderError> {
    expect_dimensionality(block_shape, start, shape)?;
    let size = fill_value.len();
    expect_size(Side::Payload, payload.len(), block_shape, size)?;
    expect_size(Side::Array, out.len(), shape, size)?;
    let region = Region {
        block_shape,
        start,
        shape,
        strides: &strides(shape, order),
    };
    decode_sized(payload, region, fill_value, out)
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
/// [`decode_region`] does. Nothing between their elements is touched.
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
        1 => decode_boxes::<u8x16, 16, 1>(&row, fill_value, out, scratch),
        2 => decode_boxes::<u16x8, 8, 2>(&row, fill_value, out, scratch),
        4 => decode_boxes::<u32x4, 4, 4>(&row, fill_value, out, scratch),
        8 => decode_boxes::<u64x2, 2, 8>(&row, fill_value, out, scratch),
        found => return Err(ReorderError::ElementSize { found }),
    }
    Ok(())
}

/// Decodes the boxes of a row in the way that is fastest.
fn decode_boxes<L: Lanes<LANES, SIZE>, const LANES: usize, const SIZE: usize>(
    row: &Row<'_>,
    fill_value: &[u8],
    out: &mut [u8],
    scratch: &mut Vec<u8>,
) {
    if abreast::reorder::<SIZE>(row, out) {
        return;
    }
    let suits = |(_, one)| staged::suits::<SIZE>(row.region(one));
    let suits_parts = row.placed().any(suits);
    let part_size = staged::part_size(row.boxes.len());
    if suits_parts
        && staged::decode_parts::<L, LANES, SIZE>(row, fill_value, out, scratch, part_size)
    {
        return;
    }
    for (first, one) in row.placed() {
        let out = &mut out[first * row.stride() * SIZE..];
        decode::<L, LANES, SIZE>(one.payload, row.region(one), fill_value, out);
    }
}

/// Picks the loops for the size of an element.
fn decode_sized(
    payload: &[u8],
    region: Region<'_>,
    fill_value: &[u8],
    out: &mut [u8],
) -> Result<(), ReorderError> {
    match fill_value.len() {
        1 => decode::<u8x16, 16, 1>(payload, region, fill_value, out),
        2 => decode::<u16x8, 8, 2>(payload, region, fill_value, out),
        4 => decode::<u32x4, 4, 4>(payload, region, fill_value, out),
        8 => decode::<u64x2, 2, 8>(payload, region, fill_value, out),
        found => return Err(ReorderError::ElementSize { found }),
    }
    Ok(())
}

/// Writes a native-endian array in C order as an N5 payload to `out` (big-endian, dimension 0
/// fastest).
///
/// `shape` is that of the block (in elements, dimension 0 first), and the array has it backwards if
/// `order` is reversed. Elements have 1, 2, 4 or 8 bytes.
///
/// # Errors
/// If the element size is another, the shape holds more bytes than can be addressed, or the size of
/// `elements` or `out` is not exactly what the shape needs. Nothing is written then.
pub(crate) fn encode_block(
    elements: &[u8],
    shape: &[usize],
    element_size: usize,
    order: DimensionOrder,
    out: &mut [u8],
) -> Result<(), ReorderError> {
    expect_size(Side::Array, elements.len(), shape, element_size)?;
    expect_size(Side::Payload, out.len(), shape, element_size)?;
    // C order is "dimension 0 fastest" with the dimensions listed backwards, and a byte swap is its
    // own inverse. An array of reversed dimensions is in the order of the payload as it is.
    let shape = match order {
        DimensionOrder::AsStored => Cow::Owned(shape.iter().rev().copied().collect()),
        DimensionOrder::Reversed => Cow::Borrowed(shape),
    };
    let start = vec![0; shape.len()];
    let fill_value = [0; 8];
    let fill_value = fill_value
        .get(..element_size)
        .ok_or(ReorderError::ElementSize {
            found: element_size,
        })?;
    decode_region(elements, &shape, &start, &shape, fill_value, order, out)
}

/// The box `[start, start + shape)` of a block and the strides of its destination, all in elements,
/// dimension 0 first.
#[derive(Clone, Copy)]
struct Region<'a> {
    block_shape: &'a [usize],
    start: &'a [usize],
    shape: &'a [usize],
    strides: &'a [usize],
}

impl Region<'_> {
    /// The dimensions, first to last.
    fn dimensions(&self) -> impl Iterator<Item = Dimension> + Clone {
        let inside = self.block_shape.iter().zip(self.start);
        let outside = self.shape.iter().zip(self.strides);
        inside
            .zip(outside)
            .map(|((&block, &start), (&len, &stride))| Dimension {
                block,
                start,
                len,
                within: block.saturating_sub(start).min(len),
                stride,
            })
    }
}

/// One dimension of a region.
#[derive(Clone, Copy)]
struct Dimension {
    /// Elements of the block.
    block: usize,
    /// Where in the block the region starts.
    start: usize,
    /// Elements of the region.
    len: usize,
    /// Elements of the region that lie within the block, which are its first ones. The rest is
    /// padding.
    within: usize,
    /// How far apart neighbours are in the destination.
    stride: usize,
}

impl Dimension {
    fn is_padded(self) -> bool {
        self.within < self.len
    }
}

/// Reorders the part of the region that lies within the block and pads the rest. Elements have
/// `SIZE` bytes.
fn decode<L: Lanes<LANES, SIZE>, const LANES: usize, const SIZE: usize>(
    payload: &[u8],
    region: Region<'_>,
    fill_value: &[u8],
    out: &mut [u8],
) {
    decode_by::<L, LANES, SIZE>(payload, region, fill_value, out, Plan::suits_tiles::<SIZE>);
}

/// Does the same with tiles if `suits_tiles` says so, otherwise with strided loops.
fn decode_by<L: Lanes<LANES, SIZE>, const LANES: usize, const SIZE: usize>(
    payload: &[u8],
    region: Region<'_>,
    fill_value: &[u8],
    out: &mut [u8],
    suits_tiles: impl Fn(&Plan) -> bool,
) {
    let (payload, out) = (payload.as_chunks::<SIZE>().0, out.as_chunks_mut::<SIZE>().0);
    let Some(&fill_value) = fill_value.first_chunk::<SIZE>() else {
        return;
    };
    if region.shape.contains(&0) {
        return;
    }
    let Some(mut plan) = Plan::new(region, tiled::LINE / SIZE) else {
        let lens = region.dimensions().map(|axis| (axis.len, axis.stride));
        let mut lens: Vec<(usize, usize)> = lens.filter(|&(len, _)| len > 1).collect();
        lens.sort_by_key(|&(_, stride)| Reverse(stride));
        return plan::for_each_run(lens, 0, &mut |run| out[run].fill(fill_value));
    };
    let tiled = suits_tiles(&plan);
    // Tiles write the padding at the end of a row together with the row: a pass of its own would
    // touch every row again.
    let padded_with_rows = tiled && tiled::holds_padding(&plan);
    if !padded_with_rows {
        plan.row_padding = 0;
    }
    let skipped = plan.row_dimension.filter(|_| padded_with_rows);
    if region.dimensions().any(Dimension::is_padded) {
        pad(region, skipped, fill_value, out);
    }
    if tiled {
        tiled::reorder::<L, LANES, SIZE>(&plan, payload, fill_value, out);
    } else {
        strided::reorder(plan, payload, out);
    }
}

/// Sets what lies outside the block to the fill value, and touches nothing else. Some element of
/// the region must lie within.
///
/// The padding at the end of the rows is left out if they run along the dimension `skipped`.
fn pad<const SIZE: usize>(
    region: Region<'_>,
    skipped: Option<usize>,
    fill_value: [u8; SIZE],
    out: &mut [[u8; SIZE]],
) {
    // As some element lies within the block, padded dimensions have at least two: there are fewer
    // than 64 dimensions here, and loops over the boxes may recurse.
    let mut dimensions: Vec<(usize, Dimension)> = region
        .dimensions()
        .enumerate()
        .filter(|(_, dimension)| dimension.len > 1)
        .collect();
    // The slowest one of the destination first: the largest boxes are then the contiguous ones.
    dimensions.sort_by_key(|(_, dimension)| Reverse(dimension.stride));
    for (position, &(number, dimension)) in dimensions.iter().enumerate() {
        if !dimension.is_padded() || skipped == Some(number) {
            continue;
        }
        // Inside the block along the slower dimensions, outside along this one.
        let lens = dimensions.iter().enumerate().map(|(other, (_, axis))| {
            let len = match other.cmp(&position) {
                Ordering::Less => axis.within,
                Ordering::Equal => axis.len - axis.within,
                Ordering::Greater => axis.len,
            };
            (len, axis.stride)
        });
        let first = dimension.within * dimension.stride;
        plan::for_each_run(lens, first, &mut |run| out[run].fill(fill_value));
    }
}

/// Converts an element from big-endian to native or back.
#[inline]
fn swap<const SIZE: usize>(element: &mut [u8; SIZE]) {
    if cfg!(target_endian = "little") {
        element.reverse();
    }
}

/// The element, converted from big-endian to native or back.
#[inline]
fn swapped<const SIZE: usize>(mut element: [u8; SIZE]) -> [u8; SIZE] {
    swap(&mut element);
    element
}

#[cfg(test)]
mod tests;
