//! The plain way, element by element, for what gives the tiles too little to do: a few elements in all, very few rows or
//! lines, or neighbours in the source or the destination that a region has parted.

use super::plan::{self, Axis, Plan};

/// Moves every element of the plan, swapping its bytes.
pub(super) fn reorder<const Z: usize>(
    plan: &Plan,
    source: &[[u8; Z]],
    destination: &mut [[u8; Z]],
) {
    let mut axes = plan.axes().to_vec();
    let longest = (0..axes.len()).max_by_key(|&i| axes[i].len);
    let inner = match longest {
        Some(longest) => axes.remove(longest),
        None => Axis {
            len: 1,
            from: 1,
            to: 1,
        },
    };
    plan::for_each(&axes, plan.origin, 0, &mut |from, to| {
        let source = &source[from..][..(inner.len - 1) * inner.from + 1];
        let destination = &mut destination[to..][..(inner.len - 1) * inner.to + 1];
        if inner.from == 1 && inner.to == 1 {
            for (to, from) in destination.iter_mut().zip(source) {
                *to = swapped(*from);
            }
        } else {
            for i in 0..inner.len {
                destination[i * inner.to] = swapped(source[i * inner.from]);
            }
        }
    });
}

/// Big-endian to native, and native to big-endian.
#[inline]
fn swapped<const Z: usize>(mut element: [u8; Z]) -> [u8; Z] {
    if cfg!(target_endian = "little") {
        element.reverse();
    }
    element
}
