//! The plain way, element by element, for what gives the tiles too little to do: a few elements in all, very few rows or
//! lines, or neighbours in the source or the destination that a region has parted.

use super::plan::{self, Axis, Plan};
use super::swapped;

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
    plan::for_each(&axes, origin, 0, &mut |from, to| {
        let source = &source[from..][..=(inner.len - 1) * inner.from];
        let destination = &mut destination[to..][..=(inner.len - 1) * inner.to];
        // Without positions to check against the end, but for the last: elements that follow each other on both sides
        // are taken many at a time (those of 8 bytes would lose by that), rows and lines by iterators.
        match (inner.from, inner.to) {
            (1, 1) if Z < 8 => {
                for (place, element) in destination.iter_mut().zip(source) {
                    *place = swapped(*element);
                }
            }
            (from, 1) => {
                for (place, run) in destination.iter_mut().zip(source.chunks(from)) {
                    *place = swapped(run[0]);
                }
            }
            (1, to) => {
                for (place, element) in destination.iter_mut().step_by(to).zip(source) {
                    *place = swapped(*element);
                }
            }
            (from, to) => {
                for i in 0..inner.len {
                    destination[i * to] = swapped(source[i * from]);
                }
            }
        }
    });
}
