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

mod error;
mod lanes;
mod plan;
mod strided;
mod tiled;

pub(crate) use error::ReorderError;
use error::Side;
use lanes::Lanes;
use plan::Plan;
use wide::{u8x16, u16x8, u32x4, u64x2};

/// Reads a box of an N5 payload (big-endian, dimension 0 fastest) into native-endian C order.
///
/// Writes the box `[start, start + shape)` (in elements, dimension 0 first) of the block into
/// `out`, an array of `shape` in C order. What lies outside `block_shape` is set to `fill_value`,
/// the native-endian bytes of one element, whose length is the element size: 1, 2, 4 or 8. Nothing
/// is written if an error is returned.
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
    out: &mut [u8],
) -> Result<(), ReorderError> {
    if block_shape.len() != start.len() || block_shape.len() != shape.len() {
        return Err(ReorderError::Dimensionality {
            block: block_shape.len(),
            start: start.len(),
            region: shape.len(),
        });
    }
    let size = fill_value.len();
    expect_bytes(Side::Payload, payload.len(), block_shape, size)?;
    expect_bytes(Side::Array, out.len(), shape, size)?;

    let region = Region {
        block_shape,
        start,
        shape,
    };
    match size {
        1 => decode::<u8x16, 16, 1>(payload, region, fill_value, out),
        2 => decode::<u16x8, 8, 2>(payload, region, fill_value, out),
        4 => decode::<u32x4, 4, 4>(payload, region, fill_value, out),
        8 => decode::<u64x2, 2, 8>(payload, region, fill_value, out),
        found => return Err(ReorderError::ElementSize { found }),
    }
    Ok(())
}

/// Writes a native-endian C-order array of `shape` (in elements, dimension 0 first) as an N5
/// payload to `out` (big-endian, dimension 0 fastest). Elements have 1, 2, 4 or 8 bytes.
///
/// # Errors
/// If the element size is another, the shape holds more bytes than can be addressed, or the size of
/// `elements` or `out` is not exactly what the shape needs. Nothing is written then.
pub(crate) fn encode_block(
    elements: &[u8],
    shape: &[usize],
    element_size: usize,
    out: &mut [u8],
) -> Result<(), ReorderError> {
    expect_bytes(Side::Array, elements.len(), shape, element_size)?;
    expect_bytes(Side::Payload, out.len(), shape, element_size)?;
    // C order is "dimension 0 fastest" with the dimensions listed backwards, and a byte swap is its
    // own inverse.
    let backwards: Vec<usize> = shape.iter().rev().copied().collect();
    let start = vec![0; shape.len()];
    let fill_value = [0; 8];
    let fill_value = fill_value
        .get(..element_size)
        .ok_or(ReorderError::ElementSize {
            found: element_size,
        })?;
    decode_region(elements, &backwards, &start, &backwards, fill_value, out)
}

/// Checks that a buffer has exactly the bytes that its shape needs.
fn expect_bytes(
    side: Side,
    found: usize,
    shape: &[usize],
    element_size: usize,
) -> Result<(), ReorderError> {
    if !matches!(element_size, 1 | 2 | 4 | 8) {
        return Err(ReorderError::ElementSize {
            found: element_size,
        });
    }
    // With a dimension of length 0 the array is empty, even if the product of the others overflows.
    let expected = if shape.contains(&0) {
        Some(0)
    } else {
        shape
            .iter()
            .try_fold(element_size, |bytes, &len| bytes.checked_mul(len))
    };
    match expected {
        None => Err(ReorderError::TooLarge {
            shape: shape.to_vec(),
            element_size,
        }),
        Some(expected) if expected != found => Err(ReorderError::Length {
            side,
            shape: shape.to_vec(),
            element_size,
            expected,
            found,
        }),
        Some(_) => Ok(()),
    }
}

/// The box `[start, start + shape)` of a block, all in elements, dimension 0 first.
#[derive(Clone, Copy)]
struct Region<'a> {
    block_shape: &'a [usize],
    start: &'a [usize],
    shape: &'a [usize],
}

impl Region<'_> {
    /// The dimensions, first to last.
    fn dimensions(&self) -> impl Iterator<Item = Dimension> + Clone {
        (self.block_shape.iter().zip(self.start).zip(self.shape)).map(|((&block, &start), &len)| {
            Dimension {
                block,
                start,
                len,
                within: block.saturating_sub(start).min(len),
            }
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
    if out.is_empty() {
        return;
    }
    let Some(mut plan) = Plan::new(region, tiled::LINE / SIZE) else {
        return out.fill(fill_value);
    };
    let tiled = suits_tiles(&plan);
    // Tiles write the padding at the end of a row together with the row: a pass of its own would
    // touch every row again.
    let padded_separately = if tiled && tiled::holds_padding(&plan) {
        plan.row_dimension
    } else {
        plan.row_padding = 0;
        region.shape.len()
    };
    let dimensions = region.dimensions().take(padded_separately);
    let dimensions = dimensions.filter(|dimension| dimension.len > 1);
    if dimensions.clone().any(Dimension::is_padded) {
        let dimensions: Vec<Dimension> = dimensions.collect();
        let slices: usize = dimensions.iter().map(|dimension| dimension.len).product();
        pad(&dimensions, out.len() / slices, fill_value, out);
    }
    if tiled {
        tiled::reorder::<L, LANES, SIZE>(&plan, payload, fill_value, out);
    } else {
        strided::reorder(plan, payload, out);
    }
}

/// Sets what lies outside the block to the fill value, and touches nothing else.
///
/// `out` holds arrays of these dimensions one after the other, and each element of them is a slice
/// of `slice` elements. Every dimension has at least two elements, so there are fewer than 64 and
/// the recursion is shallow.
fn pad<const SIZE: usize>(
    dimensions: &[Dimension],
    slice: usize,
    fill_value: [u8; SIZE],
    out: &mut [[u8; SIZE]],
) {
    let Some((dimension, rest)) = dimensions.split_first() else {
        return;
    };
    if !dimension.is_padded() {
        return pad(rest, slice, fill_value, out);
    }
    let slices: usize = rest.iter().map(|dimension| dimension.len).product();
    for array in out.chunks_exact_mut(dimension.len * slices * slice) {
        let (inside, outside) = array.split_at_mut(dimension.within * slices * slice);
        outside.fill(fill_value);
        pad(rest, slice, fill_value, inside);
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
