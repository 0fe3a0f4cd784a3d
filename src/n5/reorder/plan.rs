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

/// The moves of one call. Source position 0 goes to destination position 0, up to `origin`.
pub(super) struct Plan {
    /// The part of the region that lies within the block, in elements, dimension 0 first.
    pub(super) extent: Vec<usize>,
    /// The position of the region's first element in the source.
    pub(super) origin: usize,
    /// Dimensions of more than one element, the source's fastest first.
    axes: Vec<Axis>,
    /// `axes[..front]` are neighbours in the source.
    front: usize,
    /// `axes[back..]` are neighbours in the destination.
    back: usize,
}

/// Groups grow until this many elements.
const ENOUGH: usize = 64;

impl Plan {
    pub(super) fn new(region: Region<'_>) -> Self {
        let Region {
            block_shape,
            start,
            shape,
        } = region;
        let extent: Vec<usize> = (block_shape.iter().zip(start).zip(shape))
            .map(|((&block, &start), &len)| block.saturating_sub(start).min(len))
            .collect();
        let mut plan = Plan {
            extent,
            origin: 0,
            axes: Vec::new(),
            front: 0,
            back: 0,
        };
        if plan.extent.contains(&0) {
            return plan;
        }
        plan.axes.reserve_exact(shape.len());
        let mut from = 1;
        let mut to: usize = shape.iter().product();
        for (((&block, &start), &shape), &len) in
            block_shape.iter().zip(start).zip(shape).zip(&plan.extent)
        {
            to /= shape;
            // Dimensions of one element move nothing. All others stay apart: reversing the axes leaves no two
            // that follow each other both in the source and in the destination.
            if len > 1 {
                plan.axes.push(Axis { len, from, to });
            }
            plan.origin += start * from;
            from *= block;
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
    pub(super) fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Whether tiles of `n` by `n` elements hold enough to be worth their while.
    pub(super) fn suits_tiles(&self, n: usize) -> bool {
        let front = len(self.front()).min(n);
        let back = len(self.back()).min(n);
        front > 1 && back > 1 && front * back * 16 >= n * n
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
