//! Transposes a box straight from the payload to a small array, in squares that fit the vector
//! registers.
//!
//! Where both sides are in the cache, the buffers of tiles are two copies too many.

use super::lanes::Lanes;
use super::plan::{self, Axis};
use super::{Dimension, Region};

/// Transposes the box if it lies within the block, follows the payload's order along one dimension
/// and the destination's along another, and fills squares along both. Otherwise nothing is written,
/// and the answer is `false`.
pub(super) fn turn<L: Lanes<LANES, SIZE>, const LANES: usize, const SIZE: usize>(
    payload: &[u8],
    region: Region<'_>,
    out: &mut [u8],
) -> bool {
    if region.dimensions().any(Dimension::is_padded) {
        return false;
    }
    let mut axes = Vec::with_capacity(region.shape.len());
    let (mut origin, mut from) = (0, 1);
    for dimension in region.dimensions() {
        if dimension.len > 1 {
            axes.push(Axis {
                len: dimension.len,
                from,
                to: dimension.stride,
            });
        }
        origin += dimension.start * from;
        from *= dimension.block;
    }
    let Some(gathered) = take(&mut axes, |axis| axis.from == 1 && axis.len >= LANES) else {
        return false;
    };
    let Some(scattered) = take(&mut axes, |axis| axis.to == 1 && axis.len >= LANES) else {
        return false;
    };
    let (payload, out) = (payload.as_chunks::<SIZE>().0, out.as_chunks_mut::<SIZE>().0);
    plan::for_each(&axes, origin, 0, &mut |from, to| {
        let (source, destination) = (&payload[from..], &mut out[to..]);
        for row in squares(scattered.len, LANES) {
            let source = &source[row * scattered.from..];
            let destination = &mut destination[row..];
            for column in squares(gathered.len, LANES) {
                let source = (&source[column..], scattered.from);
                let destination = (&mut destination[column * gathered.to..], gathered.to);
                if SIZE == 1 {
                    turn_square_apart::<L, LANES, SIZE>(source, destination);
                } else {
                    turn_square::<L, LANES, SIZE>(source, destination);
                }
            }
        }
    });
    true
}

/// Takes the first axis that `suits`.
fn take(axes: &mut Vec<Axis>, suits: impl Fn(&Axis) -> bool) -> Option<Axis> {
    let found = axes.iter().position(suits)?;
    Some(axes.remove(found))
}

/// The first elements of squares that cover `0..len`, which is no shorter than a square. The last
/// two may overlap.
fn squares(len: usize, lanes: usize) -> impl Iterator<Item = usize> {
    (0..len).step_by(lanes).map(move |at| at.min(len - lanes))
}

/// Does as [`turn_square`] in a function of its own: a square of bytes needs all registers, and the
/// reader took twice as long with it in the loops. There one of larger elements is faster.
#[inline(never)]
fn turn_square_apart<L: Lanes<LANES, SIZE>, const LANES: usize, const SIZE: usize>(
    source: (&[[u8; SIZE]], usize),
    destination: (&mut [[u8; SIZE]], usize),
) {
    turn_square::<L, LANES, SIZE>(source, destination);
}

/// Transposes one square, whose lines are `from` and `to` elements apart.
#[inline]
fn turn_square<L: Lanes<LANES, SIZE>, const LANES: usize, const SIZE: usize>(
    (source, from): (&[[u8; SIZE]], usize),
    (destination, to): (&mut [[u8; SIZE]], usize),
) {
    let mut square = [L::load([0; 16]); LANES];
    for (i, register) in square.iter_mut().enumerate() {
        let line = source[i * from..][..LANES].as_flattened();
        if let Some(&piece) = line.first_chunk() {
            *register = L::load(piece);
        }
    }
    let square = L::transpose(square);
    for (i, lanes) in square.iter().enumerate() {
        let line = destination[i * to..][..LANES].as_flattened_mut();
        if let Some(piece) = line.first_chunk_mut() {
            *piece = lanes.store();
        }
    }
}
