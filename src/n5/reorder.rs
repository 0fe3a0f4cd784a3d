//! The one hot loop of reading and writing N5: bytes turned round, axes reversed, cut to size and padded, in one pass.
//!
//! An N5 payload is big-endian with dimension 0 fastest; a Zarr chunk is native-endian in C order, the last dimension
//! fastest. Seen from either side the other is the same transposition with a byte swap, so reading and writing share
//! one loop: encoding reads the chunk as a payload whose dimensions are listed backwards.
//!
//! Shapes and starts count elements and list dimension 0 first. Nothing here knows of headers, stores or codecs.

mod error;
mod lanes;
mod plan;
mod single;
mod tile;

pub use error::{ReorderError, Side};
use lanes::Lanes;
use plan::Plan;
use wide::{u8x16, u16x8, u32x4, u64x2};

/// Reads a box of an N5 payload (big-endian, dimension 0 fastest) into native-endian C order.
///
/// Writes the box `[start, start + shape)` (in elements, dimension 0 first) of the block into `out`, an array of
/// `shape` in C order. What lies outside `block_shape` is set to `fill_value`, the native-endian bytes of one element,
/// whose length is the element size: 1, 2, 4 or 8. Nothing is written if an error is returned.
///
/// # Errors
/// If the three shapes differ in rank, the element size is another, a shape holds more bytes than can be addressed, or
/// `payload` or `out` is not exactly as long as its shape says.
pub(crate) fn decode_region(
    payload: &[u8],
    block_shape: &[usize],
    start: &[usize],
    shape: &[usize],
    fill_value: &[u8],
    out: &mut [u8],
) -> Result<(), ReorderError> {
    if block_shape.len() != start.len() || block_shape.len() != shape.len() {
        return Err(ReorderError::Rank {
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

/// The inverse: a whole native-endian C-order array of `shape` (in elements, dimension 0 first) to an N5 payload in
/// `out` (big-endian, dimension 0 fastest), with elements of 1, 2, 4 or 8 bytes.
///
/// # Errors
/// If the element size is another, the shape holds more bytes than can be addressed, or `elements` or `out` is not
/// exactly as long as the shape says. Nothing is written then.
pub(crate) fn encode_block(
    elements: &[u8],
    shape: &[usize],
    element_size: usize,
    out: &mut [u8],
) -> Result<(), ReorderError> {
    expect_bytes(Side::Array, elements.len(), shape, element_size)?;
    expect_bytes(Side::Payload, out.len(), shape, element_size)?;
    // C order is "dimension 0 fastest" of the dimensions listed backwards, and a byte swap undoes itself.
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

/// Checks that a buffer has exactly the bytes that its shape asks for.
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
    // A dimension of size 0 makes the whole empty, whatever the others would multiply to.
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
    /// Elements of the region that lie within the block: its first ones. The rest is padding.
    within: usize,
}

impl Dimension {
    fn is_padded(self) -> bool {
        self.within < self.len
    }
}

/// Reorders the part of the region that lies within the block and pads the rest, for elements of `Z` bytes.
fn decode<L: Lanes<N, Z>, const N: usize, const Z: usize>(
    payload: &[u8],
    region: Region<'_>,
    fill_value: &[u8],
    out: &mut [u8],
) {
    decode_by::<L, N, Z>(payload, region, fill_value, out, Plan::suits_tiles::<Z>);
}

/// The same, in the way of the tiles if `suits_tiles`, else in the plain one.
fn decode_by<L: Lanes<N, Z>, const N: usize, const Z: usize>(
    payload: &[u8],
    region: Region<'_>,
    fill_value: &[u8],
    out: &mut [u8],
    suits_tiles: impl Fn(&Plan) -> bool,
) {
    let (payload, out) = (payload.as_chunks::<Z>().0, out.as_chunks_mut::<Z>().0);
    let Some(&fill_value) = fill_value.first_chunk::<Z>() else {
        return;
    };
    if out.is_empty() {
        return;
    }
    let Some(mut plan) = Plan::new(region, tile::LINE / Z) else {
        return out.fill(fill_value);
    };
    let tiled = suits_tiles(&plan);
    // Padding at the ends of rows comes with the rows if these are written whole; alone it would cost as much as they do.
    let padded_apart = if tiled && tile::holds_padding(&plan) {
        plan.row_dimension
    } else {
        plan.row_padding = 0;
        region.shape.len()
    };
    let dimensions = region.dimensions().take(padded_apart);
    let dimensions = dimensions.filter(|dimension| dimension.len > 1);
    if dimensions.clone().any(Dimension::is_padded) {
        let dimensions: Vec<Dimension> = dimensions.collect();
        let slices: usize = dimensions.iter().map(|dimension| dimension.len).product();
        pad(&dimensions, out.len() / slices, fill_value, out);
    }
    if tiled {
        tile::reorder::<L, N, Z>(&plan, payload, fill_value, out);
    } else {
        single::reorder(plan, payload, out);
    }
}

/// Sets what lies outside the block to the fill value, and touches nothing else.
///
/// `out` is a run of arrays of these dimensions, each of their elements being a slice of `slice` elements. As no
/// dimension has only one element, there are fewer than 64, and no stack is too small for them.
fn pad<const Z: usize>(
    dimensions: &[Dimension],
    slice: usize,
    fill_value: [u8; Z],
    out: &mut [[u8; Z]],
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

/// Big-endian to native, and native to big-endian.
#[inline]
fn swap<const Z: usize>(element: &mut [u8; Z]) {
    if cfg!(target_endian = "little") {
        element.reverse();
    }
}

/// A copy of an element, swapped.
#[inline]
fn swapped<const Z: usize>(mut element: [u8; Z]) -> [u8; Z] {
    swap(&mut element);
    element
}

#[cfg(test)]
mod tests;
