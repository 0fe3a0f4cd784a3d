//! Moves elements one by one in strided loops, where tiles are not faster: for few elements, few
//! rows or lines, regions that separate neighbours, and elements of 8 bytes that fit the cache.

use std::cmp::Reverse;

use super::plan::{self, Axis, Plan};
use super::swapped;

/// Elements of a run: what runs touch on the side where elements are far apart stays in the cache
/// until the next run comes back to it. How this and the following were checked is said in `plan`.
///
/// With 64 the rows `u8 [10, 20000]` and `u8 [20000, 10]` take 1.3 times as long; with 1024
/// `u32 [20000, 10]` takes 1.2 times as long.
const STRIP: usize = 256;

/// Elements whose positions are checked at once: fewer checks than elements, and too few elements
/// for the compiler to split the loop into slower parts.
///
/// With 1 the rows `[4, 65536]`, `[10, 20000]` and `[20000, 10]` of uint8 and uint16 take twice as
/// long; with 16 no row differs.
const STEP: usize = 4;

/// Moves every element of the plan, swapping its bytes.
pub(super) fn reorder<const SIZE: usize>(
    plan: Plan,
    source: &[[u8; SIZE]],
    destination: &mut [[u8; SIZE]],
) {
    let origin = plan.origin;
    let mut axes = plan.into_axes();
    let inner = (0..axes.len()).max_by_key(|&i| (axes[i].good_run(SIZE), axes[i].len));
    let inner = match inner {
        Some(inner) => axes.remove(inner),
        None => Axis {
            len: 1,
            from: 1,
            to: 1,
        },
    };
    // Already so in a transposition.
    axes.sort_by_key(|axis| Reverse(axis.to));
    let is_copied = (inner.from, inner.to) == (1, 1);
    let strip = if axes.is_empty() || is_copied {
        inner.len
    } else {
        STRIP
    };
    for first in (0..inner.len).step_by(strip) {
        let len = strip.min(inner.len - first);
        let (from, to) = (origin + first * inner.from, first * inner.to);
        plan::for_each(&axes, from, to, &mut |from, to| {
            let (source, destination) = (&source[from..], &mut destination[to..]);
            match (inner.from, inner.to) {
                // The compiler vectorises this form, which does not pay for elements of 8 bytes.
                (1, 1) if SIZE < 8 => {
                    for (place, element) in destination[..len].iter_mut().zip(&source[..len]) {
                        *place = swapped(*element);
                    }
                }
                (from, 1) => read_strided(source, from, &mut destination[..len]),
                (1, to) => write_strided(&source[..len], destination, to),
                (from, to) => move_strided(source, from, destination, to, len),
            }
        });
    }
}

/// Reads elements that are `stride` apart into a run.
fn read_strided<const SIZE: usize>(source: &[[u8; SIZE]], stride: usize, run: &mut [[u8; SIZE]]) {
    let (steps, rest) = run.as_chunks_mut::<STEP>();
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

/// Writes a run to places that are `stride` apart.
fn write_strided<const SIZE: usize>(
    run: &[[u8; SIZE]],
    destination: &mut [[u8; SIZE]],
    stride: usize,
) {
    let (steps, rest) = run.as_chunks::<STEP>();
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

/// Moves `len` elements that are not neighbours on either side.
fn move_strided<const SIZE: usize>(
    source: &[[u8; SIZE]],
    from: usize,
    destination: &mut [[u8; SIZE]],
    to: usize,
    len: usize,
) {
    let done = len / STEP * STEP;
    for i in (0..done).step_by(STEP) {
        let source = &source[i * from..][..=(STEP - 1) * from];
        let destination = &mut destination[i * to..][..=(STEP - 1) * to];
        for k in 0..STEP {
            destination[k * to] = swapped(source[k * from]);
        }
    }
    for i in done..len {
        destination[i * to] = swapped(source[i * from]);
    }
}
