//! Boxes that are spread over a large array are turned round in parts that fit the cache, each of
//! which is then copied row by row to its place.
//!
//! Tiles write short rows along the fastest dimension of the payload, which is the slowest of an
//! array in C order: each row is on another page than the last. Where the array is larger than the
//! cache, that costs more than a copy, which writes one row after the other.

use std::cmp::Reverse;

use super::lanes::Lanes;
use super::plan::{Axis, Plan};
use super::{Region, ahead, decode, tiled, turned};

/// Bytes of a part: what fits the second level of cache beside the payload.
///
/// Of parts of 64 to 512 KiB these were the fastest, or within noise of it, for blocks of 64 x 64 x
/// 64 elements of 1, 2, 4 and 8 bytes in an array of 250 x 250 x 250. The benchmark
/// `region_reader`, column `reader`, shows when it is wrong.
pub(super) const PART: usize = 256 << 10;

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

/// Decodes the region in parts, each of them to `part` first. Elements have `SIZE` bytes.
///
/// Parts have at most `part_size` bytes, gaps aside, which hold one element at least. `false`, with
/// nothing written, if there is no memory for a part.
pub(super) fn decode_parts<L: Lanes<LANES, SIZE>, const LANES: usize, const SIZE: usize>(
    payload: &[u8],
    region: Region<'_>,
    fill_value: &[u8],
    out: &mut [u8],
    part: &mut Vec<u8>,
    part_size: usize,
) -> bool {
    let lens = part_shape(region, LINE / SIZE, part_size / SIZE);
    let part_strides = part_strides::<SIZE>(&lens, region.strides);
    let elements = std::iter::zip(&lens, &part_strides).map(|(len, stride)| (len - 1) * stride);
    let size = (elements.sum::<usize>() + 1) * SIZE;
    let missing = size.saturating_sub(part.len());
    if part.try_reserve_exact(missing).is_err() {
        return false;
    }
    part.resize(part.len().max(size), 0);
    let mut slowest_first: Vec<usize> = (0..lens.len()).collect();
    slowest_first.sort_by_key(|&dimension| Reverse(region.strides[dimension]));
    slowest_first.retain(|&dimension| region.shape[dimension] > 1);

    let mut at = vec![0; lens.len()];
    loop {
        let start: Vec<usize> = zip_with(region.start, &at, |start, at| start + at);
        let left: Vec<usize> = zip_with(region.shape, &at, |len, at| len - at);
        let shape: Vec<usize> = zip_with(&left, &lens, usize::min);
        let to: usize = std::iter::zip(&at, region.strides)
            .map(|(at, stride)| at * stride)
            .sum();
        let inner = Region {
            block_shape: region.block_shape,
            start: &start,
            shape: &shape,
            strides: &part_strides,
        };
        let elements = &mut part[..size];
        if !turned::turn::<L, LANES, SIZE>(payload, inner, elements) {
            decode::<L, LANES, SIZE>(payload, inner, fill_value, elements);
        }
        copy_rows::<SIZE>(elements, inner, region.strides, &mut out[to * SIZE..]);

        // The next part, the fastest dimension of the array counting fastest.
        let next = slowest_first.iter().rev().find(|&&dimension| {
            at[dimension] += lens[dimension];
            let is_within = at[dimension] < region.shape[dimension];
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

/// The shape of a part: `line` elements along the fastest dimension of the payload, then as much as
/// fits of `elements` along the others, the fastest of the array first. No length is 0.
fn part_shape(region: Region<'_>, line: usize, elements: usize) -> Vec<usize> {
    let mut lens = vec![1; region.shape.len()];
    let mut left = elements;
    let mut take = |dimension: usize, most: usize| {
        lens[dimension] = region.shape[dimension].min(most).min(left).max(1);
        left /= lens[dimension];
    };
    let gathered = region.shape.iter().position(|&len| len > 1);
    if let Some(dimension) = gathered {
        take(dimension, line);
    }
    let mut fastest_first: Vec<usize> = (0..region.shape.len()).collect();
    fastest_first.sort_by_key(|&dimension| region.strides[dimension]);
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
    region: Region<'_>,
    strides: &[usize],
    out: &mut [u8],
) {
    let mut axes: Vec<Axis> = region
        .dimensions()
        .zip(strides)
        .map(|(dimension, &to)| Axis {
            len: dimension.len,
            from: dimension.stride,
            to,
        })
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
