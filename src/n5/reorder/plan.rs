//! Which elements go where: the dimensions of one reordering as pairs of strides, sorted into three groups.

use super::{Region, tile};

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

/// Groups of fewer elements leave too much of the squares empty; and those of fewer than twice as many make the tiles
/// no faster than long runs of the plain way.
const FEW: usize = 8;
/// Runs of fewer elements cost the plain way more to begin than to move.
const LONG_RUN: usize = 128;
/// Fewer elements in all are moved in less time than it takes to set up the buffers; of wide ones more, as squares gain
/// little where all is in the cache of the first level.
const fn tiny(element_size: usize) -> usize {
    match element_size {
        1 | 2 => 512,
        4 => 2048,
        _ => 8192,
    }
}

/// Of 8 bytes, so many are in the cache of the last level.
const CACHED: usize = 1 << 20;
/// Jumps of a multiple of so many bytes land in few places of the cache of the first level, which therefore loses each
/// line before its next element is wanted.
const EVEN_JUMP: usize = 256;

impl Axis {
    /// How many elements the plain way can move in a run along this axis at its best: on one side they are neighbours,
    /// on the other the jumps spread over the cache. None otherwise.
    pub(super) fn good_run(&self, element_size: usize) -> usize {
        let ((jump, 1) | (1, jump)) = (self.from, self.to) else {
            return 0;
        };
        let is_good = self.len >= FEW && !(jump * element_size).is_multiple_of(EVEN_JUMP);
        if is_good { self.len } else { 0 }
    }
}

impl Plan {
    /// The moves that a region asks for, or none if no element of it lies within the block. A line of the tiles has
    /// `line` elements.
    pub(super) fn new(region: Region<'_>, line: usize) -> Option<Self> {
        if region.dimensions().any(|dimension| dimension.within == 0) {
            return None;
        }
        let mut plan = Plan {
            origin: 0,
            row_dimension: 0,
            row_padding: 0,
            axes: Vec::with_capacity(region.shape.len()),
            front: 0,
            back: 0,
        };
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
        plan.group(line);
        Some(plan)
    }

    /// Grows the two groups towards each other, the smaller one first, for as long as their elements stay neighbours and
    /// do not fill a line or a row of the tiles.
    fn group(&mut self, line: usize) {
        self.back = self.axes.len();
        let (mut front_len, mut back_len) = (1, 1);
        while self.front < self.back {
            let (first, last) = (self.axes[self.front], self.axes[self.back - 1]);
            let front_grows = front_len < line && first.from == front_len;
            let back_grows = back_len < tile::LINES && last.to == back_len;
            if front_grows && (front_len <= back_len || !back_grows) {
                front_len *= first.len;
                self.front += 1;
            } else if back_grows {
                back_len *= last.len;
                self.back -= 1;
            } else {
                return;
            }
        }
    }

    /// Neighbours in the source, the fastest first.
    pub(super) fn front(&self) -> impl Iterator<Item = Axis> + Clone {
        self.axes[..self.front].iter().copied()
    }

    /// Neighbours in the destination, the fastest first.
    pub(super) fn back(&self) -> impl Iterator<Item = Axis> + Clone {
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

    /// Whether the way of the tiles is the faster one: with enough to transpose, and if the plain way has no good run,
    /// which for elements of 8 bytes, of which a register holds only two, need not be long.
    pub(super) fn suits_tiles<const Z: usize>(&self) -> bool {
        let elements = len(self.axes.iter().copied());
        let narrow = len(self.front()).min(len(self.back()));
        let run = self.axes.iter().map(|axis| axis.good_run(Z)).max();
        let run = run.unwrap_or(0);
        let has_gain = if Z < 8 {
            narrow >= 2 * FEW || run < LONG_RUN
        } else {
            run < FEW || elements > CACHED
        };
        narrow >= FEW && elements >= tiny(Z) && has_gain
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
    let Some((first, rest)) = axes.split_first() else {
        return visit(from, to);
    };
    for i in 0..first.len {
        for_each(rest, from + i * first.from, to + i * first.to, visit);
    }
}
