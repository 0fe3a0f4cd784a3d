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
                (from, 1) => move_run(source, from, destination, 1, len),
                (1, to) => move_run(source, 1, destination, to, len),
                (from, to) => move_run(source, from, destination, to, len),
            }
        });
    }
}

/// Moves `len` elements, `from` and `to` apart. Inlined, so that a distance of 1 is known to the compiler.
#[inline(always)]
#[expect(clippy::inline_always, reason = "see above")]
fn move_run<const Z: usize>(
    source: &[[u8; Z]],
    from: usize,
    destination: &mut [[u8; Z]],
    to: usize,
    len: usize,
) {
    let steps = len / STEP;
    for step in 0..steps {
        let source = &source[step * STEP * from..][..=(STEP - 1) * from];
        let destination = &mut destination[step * STEP * to..][..=(STEP - 1) * to];
        for k in 0..STEP {
            destination[k * to] = swapped(source[k * from]);
        }
    }
    for i in steps * STEP..len {
        destination[i * to] = swapped(source[i * from]);
    }
}
