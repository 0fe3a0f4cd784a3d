//! Lines of the destination from lines of the payloads: all boxes of a row side by side, one line
//! of the destination after the other. Nothing is transposed.

use super::row::Row;
use super::{Dimension, swapped};

/// The lines of one box.
struct Lines<'a, const SIZE: usize> {
    /// The payload from the first element of the box on.
    source: &'a [[u8; SIZE]],
    /// How far neighbours are apart in it along the dimensions across the lines, in elements.
    strides: Vec<usize>,
    /// Elements of a line.
    len: usize,
    /// Where the current line begins.
    at: usize,
}

/// Writes the boxes if all lie within their blocks, and lines along the dimension of the row are
/// contiguous in the payloads and in the destination. Otherwise nothing is written, and the answer
/// is `false`.
pub(super) fn reorder<const SIZE: usize>(row: &Row<'_>, out: &mut [u8]) -> bool {
    let mut across = row.slowest_first();
    if across.pop() != Some(row.dimension) || row.strides[row.dimension] != 1 {
        return false;
    }
    let mut boxes = Vec::new();
    for (_, one) in row.placed() {
        let region = row.region(one);
        let dimensions = region.dimensions();
        if dimensions.clone().any(Dimension::is_padded) {
            return false;
        }
        let (mut first, mut stride) = (0, 1);
        let mut strides = Vec::with_capacity(row.shape.len());
        for dimension in dimensions {
            strides.push(stride);
            first += dimension.start * stride;
            stride *= dimension.block;
        }
        if strides[row.dimension] != 1 {
            return false;
        }
        boxes.push(Lines {
            source: &one.payload.as_chunks::<SIZE>().0[first..],
            strides: across.iter().map(|&across| strides[across]).collect(),
            len: one.shape[row.dimension],
            at: 0,
        });
    }
    let lens: Vec<usize> = across.iter().map(|&across| row.shape[across]).collect();
    let strides: Vec<usize> = across.iter().map(|&across| row.strides[across]).collect();
    write(&mut boxes, &lens, &strides, out.as_chunks_mut::<SIZE>().0);
    true
}

/// Writes all lines. There are `lens` of them along the dimensions across, the slowest first, and
/// neighbours are `strides` elements apart in the destination.
fn write<const SIZE: usize>(
    boxes: &mut [Lines<'_, SIZE>],
    lens: &[usize],
    strides: &[usize],
    out: &mut [[u8; SIZE]],
) {
    let (lines, outer) = lens.split_last().unwrap_or((&1, &[]));
    let last = outer.len();
    let stride = strides.get(last).copied().unwrap_or(0);
    for number in 0..outer.iter().product() {
        let (mut rest, mut first) = (number, 0);
        for one in boxes.iter_mut() {
            one.at = 0;
        }
        for (dimension, len) in outer.iter().enumerate().rev() {
            let at = rest % len;
            rest /= len;
            first += at * strides[dimension];
            for one in boxes.iter_mut() {
                one.at += at * one.strides[dimension];
            }
        }
        for line in 0..*lines {
            let mut place = &mut out[first + line * stride..];
            for one in boxes.iter_mut() {
                let source = &one.source[one.at..][..one.len];
                one.at += one.strides.get(last).copied().unwrap_or(0);
                let (this, rest) = place.split_at_mut(one.len);
                for (place, element) in this.iter_mut().zip(source) {
                    *place = swapped(*element);
                }
                place = rest;
            }
        }
    }
}
