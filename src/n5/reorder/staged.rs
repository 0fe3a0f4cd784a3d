//! Boxes that are spread over a large array are turned round in parts that fit the cache, each of
//! which is then copied row by row to its place.
//!
//! Tiles write short rows along the fastest dimension of the payload, which is the slowest of an
//! array in C order: each row is on another page than the last. Where the array is larger than the
//! cache, that costs more than a copy, which writes one row after the other.

use std::cmp::Reverse;

use super::lanes::Lanes;
use super::plan::{Axis, Plan};
use super::row::{BlockBox, Row};
use super::{Region, ahead, decode, tiled, turned};

/// Bytes of a part: what fits the second level of cache beside the payload.
///
/// Of parts of 64 to 512 KiB these were the fastest, or within noise of it, for blocks of 64 x 64 x
/// 64 elements of 1, 2, 4 and 8 bytes in an array of 250 x 250 x 250. The benchmark
/// `region_reader`, column `reader`, shows when it is wrong.
pub(super) const PART: usize = 256 << 10;

/// Bytes of a part of several boxes that follow each other along the fastest dimension of the
/// array.
///
/// In the case of `PART`, four boxes that are whole rows, a program of the files and these loops
/// took 1.02 to 1.09 times as long with 256 KiB.
const PART_OF_ROW: usize = 128 << 10;

/// Bytes that a part takes with its gaps, where rows are not very short.
pub(crate) const SCRATCH: usize = PART + (32 << 10);

/// Bytes of a part along the fastest dimension of the payload, which is read in runs of them.
///
/// With 64 the reader took 1.09 times as long for float32 and 1.18 times for uint64 in the case of
/// `PART`; with 256 none of uint16, float32 and uint64 was slower by more than 4 %.
const LINE: usize = 512;

/// Bytes that are left free in a part after what follows each other along its slowest dimension:
/// where lengths are powers of two, all lines of a square would be in the same set of the cache.
const GAP: usize = 64;

/// Whether parts are faster than writing to the array at once: there is much to transpose, and the
/// array does not stay in the cache.
pub(super) fn suits<const SIZE: usize>(region: Region<'_>) -> bool {
    let is_gapless = strides(region.shape, region.strides) == region.strides;
    let plan = Plan::new(region, tiled::LINE / SIZE);
    let is_large = |plan: Plan| plan.is_spread::<SIZE>() && plan.suits_tiles::<SIZE>();
    !is_gapless && plan.is_some_and(is_large)
}

/// Bytes of a part of so many boxes.
pub(super) const fn part_size(boxes: usize) -> usize {
    if boxes > 1 { PART_OF_ROW } else { PART }
}

/// Decodes the boxes of a row in parts, each of them to `part` first. Elements have `SIZE` bytes.
///
/// Parts have at most `part_size` bytes, gaps aside, which hold one element at least. `false`, with
/// nothing written, if there is no memory for a part.
pub(super) fn decode_parts<L: Lanes<LANES, SIZE>, const LANES: usize, const SIZE: usize>(
    row: &Row<'_>,
    fill_value: &[u8],
    out: &mut [u8],
    part: &mut Vec<u8>,
    part_size: usize,
) -> bool {
    let lens = part_shape(row, LINE / SIZE, part_size / SIZE);
    let part_strides = part_strides::<SIZE>(&lens, row.strides);
    let elements = std::iter::zip(&lens, &part_strides).map(|(len, stride)| (len - 1) * stride);
    let size = (elements.sum::<usize>() + 1) * SIZE;
    let missing = size.saturating_sub(part.len());
    if part.try_reserve_exact(missing).is_err() {
        return false;
    }
    part.resize(part.len().max(size), 0);
    let slowest_first = row.slowest_first();

    let mut at = vec![0; lens.len()];
    loop {
        let left: Vec<usize> = zip_with(&row.shape, &at, |len, at| len - at);
        let shape: Vec<usize> = zip_with(&left, &lens, usize::min);
        let to: usize = std::iter::zip(&at, row.strides)
            .map(|(at, stride)| at * stride)
            .sum();
        let elements = &mut part[..size];
        for (first, one) in row.placed() {
            let Some((start, shape, place)) = within(row, (first, one), &at, &shape) else {
                continue;
            };
            let region = Region {
                block_shape: one.block_shape,
                start: &start,
                shape: &shape,
                strides: &part_strides,
            };
            let elements = &mut elements[place * part_strides[row.dimension] * SIZE..];
            if !turned::turn::<L, LANES, SIZE>(one.payload, region, elements) {
                decode::<L, LANES, SIZE>(one.payload, region, fill_value, elements);
            }
        }
        let strides = (part_strides.as_slice(), row.strides);
        copy_rows::<SIZE>(elements, &shape, strides, &mut out[to * SIZE..]);

        // The next part, the fastest dimension of the array counting fastest.
        let next = slowest_first.iter().rev().find(|&&dimension| {
            at[dimension] += lens[dimension];
            let is_within = at[dimension] < row.shape[dimension];
            if !is_within {
                at[dimension] = 0;
            }
            is_within
        });
        if next.is_none() {
            return true;
        }
    }
}

/// What the part `[at, at + shape)` of a row has of a box that has `first` elements of the row
/// before it: where it starts in the block, its shape, and the elements of the part before it along
/// the dimension of the row. `None` if it has nothing.
fn within(
    row: &Row<'_>,
    (first, one): (usize, BlockBox<'_>),
    at: &[usize],
    shape: &[usize],
) -> Option<(Vec<usize>, Vec<usize>, usize)> {
    let along = row.dimension;
    let begin = at[along].max(first);
    let end = (at[along] + shape[along]).min(first + one.shape[along]);
    let len = end.checked_sub(begin).filter(|&len| len > 0)?;
    let mut start: Vec<usize> = zip_with(one.start, at, usize::saturating_add);
    start[along] = one.start[along].saturating_add(begin - first);
    let mut shape = shape.to_vec();
    shape[along] = len;
    Some((start, shape, begin - at[along]))
}

/// The shape of a part: `line` elements along the fastest dimension of the payload, then as much as
/// fits of `elements` along the others, the fastest of the array first. No length is 0.
fn part_shape(row: &Row<'_>, line: usize, elements: usize) -> Vec<usize> {
    let mut lens = vec![1; row.shape.len()];
    let mut left = elements;
    let mut take = |dimension: usize, most: usize| {
        lens[dimension] = row.shape[dimension].min(most).min(left).max(1);
        left /= lens[dimension];
    };
    let gathered = row.shape.iter().position(|&len| len > 1);
    if let Some(dimension) = gathered {
        take(dimension, line);
    }
    let mut fastest_first: Vec<usize> = (0..row.shape.len()).collect();
    fastest_first.sort_by_key(|&dimension| row.strides[dimension]);
    for dimension in fastest_first {
        if Some(dimension) != gathered {
            take(dimension, usize::MAX);
        }
    }
    lens
}

/// The strides of an array of `shape` without gaps whose dimensions are as fast as those of an
/// array with the strides `order`.
fn strides(shape: &[usize], order: &[usize]) -> Vec<usize> {
    let mut fastest_first: Vec<usize> = (0..shape.len()).collect();
    // What has one element may stand anywhere.
    fastest_first.sort_by_key(|&dimension| (order[dimension], shape[dimension] > 1));
    let mut strides = vec![1; shape.len()];
    let mut elements = 1;
    for dimension in fastest_first {
        strides[dimension] = elements;
        elements *= shape[dimension];
    }
    strides
}

/// The strides of a part: those of an array without gaps, but for one after each slice across the
/// slowest dimension.
fn part_strides<const SIZE: usize>(shape: &[usize], order: &[usize]) -> Vec<usize> {
    let mut strides = strides(shape, order);
    let long = (0..shape.len()).filter(|&dimension| shape[dimension] > 1);
    if let Some(slowest) = long.max_by_key(|&dimension| strides[dimension]) {
        strides[slowest] += GAP / SIZE;
    }
    strides
}

/// Copies the elements of a part to their places.
fn copy_rows<const SIZE: usize>(
    part: &[u8],
    shape: &[usize],
    (part_strides, strides): (&[usize], &[usize]),
    out: &mut [u8],
) {
    let lens = shape.iter().zip(part_strides);
    let mut axes: Vec<Axis> = lens
        .zip(strides)
        .map(|((&len, &from), &to)| Axis { len, from, to })
        .filter(|axis| axis.len > 1)
        .collect();
    axes.sort_by_key(|axis| Reverse(axis.to));
    let mut run = 1;
    while let Some(axis) = axes.pop_if(|axis| (axis.from, axis.to) == (run, run)) {
        run *= axis.len;
    }
    let (part, out) = (part.as_chunks::<SIZE>().0, out.as_chunks_mut::<SIZE>().0);
    ahead::for_each_row(&axes, 0, run, out, |from, row| {
        row.copy_from_slice(&part[from..][..run]);
    });
}

fn zip_with<T>(a: &[usize], b: &[usize], with: impl Fn(usize, usize) -> T) -> Vec<T> {
    std::iter::zip(a, b).map(|(&a, &b)| with(a, b)).collect()
}
