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
        // A step of one that the compiler can see makes a loop that it can do well.
        match inner {
            Axis { from: 1, to: 1, .. } => walk(source, 1, destination, 1, inner.len),
            Axis { from: 1, to, .. } => walk(source, 1, destination, to, inner.len),
            Axis { from, to: 1, .. } => walk(source, from, destination, 1, inner.len),
            Axis { from, to, .. } => walk(source, from, destination, to, inner.len),
        }
    });
}

/// Moves every `from`th element of the source to every `to`th place of the destination.
#[inline]
fn walk<const Z: usize>(
    source: &[[u8; Z]],
    from: usize,
    destination: &mut [[u8; Z]],
    to: usize,
    len: usize,
) {
    for i in 0..len {
        destination[i * to] = swapped(source[i * from]);
    }
}
