//! The plain way, element by element, for what the tiles would not move faster: few elements in all, few rows or lines,
//! neighbours that a region has parted, and elements of 8 bytes unless the cache forbids it.

use super::plan::{self, Axis, Plan};
use super::swapped;

/// Elements of a run: what runs touch on the side where elements are far apart stays in the cache until the next run
/// comes back to it.
const STRIP: usize = 256;

/// Elements whose positions are checked at once: fewer checks than elements, and too few for the compiler to take the
/// loop apart into slower pieces.
const STEP: usize = 4;

/// Moves every element of the plan, swapping its bytes.
pub(super) fn reorder<const Z: usize>(plan: Plan, source: &[[u8; Z]], destination: &mut [[u8; Z]]) {
    let origin = plan.origin;
    let mut axes = plan.into_axes();
    let inner = (0..axes.len()).max_by_key(|&i| (axes[i].good_run(Z), axes[i].len));
    let inner = match inner {
        Some(inner) => axes.remove(inner),
        None => Axis {
            len: 1,
            from: 1,
            to: 1,
        },
    };
    let strip = if axes.is_empty() { inner.len } else { STRIP };
    for first in (0..inner.len).step_by(strip) {
        let len = strip.min(inner.len - first);
        let (from, to) = (origin + first * inner.from, first * inner.to);
        plan::for_each(&axes, from, to, &mut |from, to| {
            let (source, destination) = (&source[from..], &mut destination[to..]);
            match (inner.from, inner.to) {
                // Taken many at a time by the compiler, which does not pay for those of 8 bytes.
                (1, 1) if Z < 8 => {
                    for (place, element) in destination[..len].iter_mut().zip(&source[..len]) {
                        *place = swapped(*element);
                    }
                }
                (from, 1) => read_apart(source, from, &mut destination[..len]),
                (1, to) => write_apart(&source[..len], destination, to),
                (from, to) => move_apart(source, from, destination, to, len),
            }
        });
    }
}

/// Fills a run with elements that are `stride` apart.
fn read_apart<const Z: usize>(source: &[[u8; Z]], stride: usize, run: &mut [[u8; Z]]) {
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

/// Spreads a run over places that are `stride` apart.
fn write_apart<const Z: usize>(run: &[[u8; Z]], destination: &mut [[u8; Z]], stride: usize) {
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

/// Moves `len` elements that are apart on both sides.
fn move_apart<const Z: usize>(
    source: &[[u8; Z]],
    from: usize,
    destination: &mut [[u8; Z]],
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
