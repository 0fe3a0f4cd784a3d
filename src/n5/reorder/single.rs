//! The plain way, element by element, for what gives the tiles too little to do: a few elements in all, few rows or
//! lines, or neighbours in the source or the destination that a region has parted.

use super::plan::{self, Axis, Plan};
use super::swapped;

/// Elements of the longest axis that are moved at a time: what they touch on the side where they are far apart stays in
/// the cache until the next of the other axes comes back to it.
const STRIP: usize = 256;

/// Elements whose positions are checked at once: fewer checks than elements, and too few for the compiler to take the
/// loop apart into slower pieces.
const STEP: usize = 4;

/// Moves every element of the plan, swapping its bytes.
pub(super) fn reorder<const Z: usize>(plan: Plan, source: &[[u8; Z]], destination: &mut [[u8; Z]]) {
    let origin = plan.origin;
    let mut axes = plan.into_axes();
    let longest = (0..axes.len()).max_by_key(|&i| axes[i].len);
    let inner = match longest {
        Some(longest) => axes.remove(longest),
        None => Axis {
            len: 1,
            from: 1,
            to: 1,
        },
    };
    let strip = if axes.is_empty() { inner.len } else { STRIP };
    for first in (0..inner.len).step_by(strip) {
        let last = strip.min(inner.len - first) - 1;
        let (from, to) = (origin + first * inner.from, first * inner.to);
        plan::for_each(&axes, from, to, &mut |from, to| {
            let source = &source[from..][..=last * inner.from];
            let destination = &mut destination[to..][..=last * inner.to];
            match (inner.from, inner.to) {
                (1, 1) if Z < 8 => {
                    for (place, element) in destination.iter_mut().zip(source) {
                        *place = swapped(*element);
                    }
                }
                (from, 1) => read_apart(source, from, destination),
                (1, to) => write_apart(source, destination, to),
                (from, to) => {
                    for i in 0..=last {
                        destination[i * to] = swapped(source[i * from]);
                    }
                }
            }
        });
    }
}

/// Fills a row with elements that are `stride` apart.
#[inline]
fn read_apart<const Z: usize>(source: &[[u8; Z]], stride: usize, row: &mut [[u8; Z]]) {
    let (steps, rest) = row.as_chunks_mut::<STEP>();
    let done = steps.len() * STEP;
    for (i, places) in steps.iter_mut().enumerate() {
        let source = &source[i * STEP * stride..][..=(STEP - 1) * stride];
        for (k, place) in places.iter_mut().enumerate() {
            *place = swapped(source[k * stride]);
        }
    }
    for (i, place) in rest.iter_mut().enumerate() {
        *place = swapped(source[(done + i) * stride]);
    }
}

/// Spreads a line over places that are `stride` apart.
#[inline]
fn write_apart<const Z: usize>(line: &[[u8; Z]], destination: &mut [[u8; Z]], stride: usize) {
    let (steps, rest) = line.as_chunks::<STEP>();
    let done = steps.len() * STEP;
    for (i, elements) in steps.iter().enumerate() {
        let destination = &mut destination[i * STEP * stride..][..=(STEP - 1) * stride];
        for (k, element) in elements.iter().enumerate() {
            destination[k * stride] = swapped(*element);
        }
    }
    for (i, element) in rest.iter().enumerate() {
        destination[(done + i) * stride] = swapped(*element);
    }
}
