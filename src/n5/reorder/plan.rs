//! Which elements go where: the dimensions of one reordering as pairs of strides, sorted into three groups.

use super::Region;

/// One dimension of the elements to move: how many there are, and how far apart (in elements) in the source and in the
/// destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    pub(super) len: usize,
    pub(super) from: usize,
    pub(super) to: usize,
}

/// The moves of one call.
pub(super) struct Plan {
    /// The position of the region's first element in the source.
    pub(super) origin: usize,
    /// The dimension along which the rows of the destination run.
    pub(super) row_dimension: usize,
    /// Elements of padding at the end of each row.
    pub(super) row_padding: usize,
    /// Dimensions of more than one element, the source's fastest first.
    axes: Vec<Axis>,
    /// `axes[..front]` are neighbours in the source.
    front: usize,
    /// `axes[back..]` are neighbours in the destination.
    back: usize,
}

/// Groups grow until they have this many elements.
const ENOUGH: usize = 64;
/// Groups of fewer elements leave most of a tile empty.
const FEW: usize = 8;
/// Fewer elements than these are moved before the buffers of the tiles are set up.
const TINY: usize = 512;

impl Plan {
    pub(super) fn new(region: Region<'_>) -> Self {
        let mut plan = Plan {
            origin: 0,
            row_dimension: 0,
            row_padding: 0,
            axes: Vec::with_capacity(region.shape.len()),
            front: 0,
            back: 0,
        };
        if region.dimensions().any(|dimension| dimension.within == 0) {
            plan.axes.push(Axis {
                len: 0,
                from: 0,
                to: 0,
            });
            return plan;
        }
        let mut from = 1;
        let mut to: usize = region.shape.iter().product();
        for (i, dimension) in region.dimensions().enumerate() {
            to /= dimension.len;
            // Dimensions of one element move nothing. All others stay apart: reversing the axes leaves no two that
            // follow each other both in the source and in the destination.
            if dimension.within > 1 {
                plan.axes.push(Axis {
                    len: dimension.within,
                    from,
                    to,
                });
            }
            if to == 1 && dimension.len > 1 {
                plan.row_dimension = i;
                plan.row_padding = dimension.len - dimension.within;
            }
            plan.origin += dimension.start * from;
            from *= dimension.block;
        }
        plan.group();
        plan
    }

    /// Grows the two groups towards each other, the smaller one first, as long as their elements stay neighbours.
    fn group(&mut self) {
        let axes = &self.axes;
        self.back = axes.len();
        let (mut front_len, mut back_len) = (1, 1);
        loop {
            let grow_front = axes
                .get(self.front)
                .filter(|axis| axis.from == front_len && front_len < ENOUGH);
            let grow_back = (self.back.checked_sub(1).and_then(|last| axes.get(last)))
                .filter(|axis| axis.to == back_len && back_len < ENOUGH);
            if self.front == self.back {
                return;
            }
            match (grow_front, grow_back) {
                (Some(axis), None) => {
                    front_len *= axis.len;
                    self.front += 1;
                }
                (Some(axis), Some(_)) if front_len <= back_len => {
                    front_len *= axis.len;
                    self.front += 1;
                }
                (_, Some(axis)) => {
                    back_len *= axis.len;
                    self.back -= 1;
                }
                (None, None) => return,
            }
        }
    }

    /// Neighbours in the source, the fastest first.
    pub(super) fn front(&self) -> impl DoubleEndedIterator<Item = Axis> + Clone {
        self.axes[..self.front].iter().copied()
    }

    /// Neighbours in the destination, the fastest first.
    pub(super) fn back(&self) -> impl DoubleEndedIterator<Item = Axis> + Clone {
        self.axes[self.back..].iter().rev().copied()
    }

    /// All that is neither.
    pub(super) fn middle(&self) -> &[Axis] {
        &self.axes[self.front..self.back]
    }

    /// All dimensions, the source's fastest first.
    pub(super) fn into_axes(self) -> Vec<Axis> {
        self.axes
    }

    /// Whether tiles hold enough to be worth their while.
    pub(super) fn suits_tiles(&self) -> bool {
        len(self.front()) >= FEW
            && len(self.back()) >= FEW
            && len(self.axes.iter().copied()) >= TINY
    }
}

/// The elements of a group.
pub(super) fn len(axes: impl Iterator<Item = Axis>) -> usize {
    axes.map(|axis| axis.len).product()
}

/// Calls `visit` with the source and destination positions of every element of `axes`, the last axis innermost.
pub(super) fn for_each(
    axes: &[Axis],
    from: usize,
    to: usize,
    visit: &mut impl FnMut(usize, usize),
) {
    let Some((axis, rest)) = axes.split_first() else {
        return visit(from, to);
    };
    for i in 0..axis.len {
        for_each(rest, from + i * axis.from, to + i * axis.to, visit);
    }
}
