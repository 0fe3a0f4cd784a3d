//! Which elements go where: the dimensions of a reordering as pairs of strides, in three groups.

use std::ops::Range;

use super::Region;

/// One dimension of the elements to move: its length, and its strides (in elements) in the source
/// and the destination.
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
    /// The dimension along which the rows of the destination run, if its elements are neighbours.
    pub(super) row_dimension: Option<usize>,
    /// Elements of padding at the end of each row.
    pub(super) row_padding: usize,
    /// Dimensions of more than one element, the source's fastest first.
    axes: Vec<Axis>,
    /// `axes[..gather_end]` are the gather group: their elements are neighbours in the source.
    gather_end: usize,
    /// `axes[scatter_start..]` are the scatter group: their elements are neighbours in the
    /// destination.
    scatter_start: usize,
}

// The thresholds below, and the sizes in `tiled` and `strided`, were chosen while the loops were
// written. They were checked by changing one at a time over the rows of the benchmark `reorder`
// (which has names such as `u8 [64, 64, 64]`) and a few more shapes, in turns within one process,
// on an Intel Xeon at 2.8 GHz with 48 MiB of cache of the last level. That machine was busy: the
// same code differed from itself by up to a third, and what is called no difference is within that.

/// Shortest group worth tiling: below it squares are mostly empty; below twice it a long strided
/// run is as fast.
///
/// With 4 the rows `[3, 10000, 5]`, `[10, 20000]` and `[20000, 10]` take twice as long; with 16
/// blocks of 12 x 300 x 12 of uint8 (no row) take 1.5 times as long.
const FEW: usize = 8;

/// Shortest run that strided loops move faster than tiles move groups below twice `FEW`: below
/// this, loop set-up dominates.
///
/// With 32 and with 512 no row differs.
const LONG_RUN: usize = 128;

/// Fewest elements worth tiling: fewer are moved in less time than the buffers take to set up. Wide
/// elements gain little from squares where all is in the L1 cache.
///
/// With an eighth the row `u32 [8, 8, 8]` takes 1.3 times as long; with eight times as many the
/// rows `u8` and `u16 [3, 5, 7, 11]` do.
const fn tiny(element_size: usize) -> usize {
    match element_size {
        1 | 2 => 512,
        4 => 2048,
        _ => 8192,
    }
}

/// 8-byte elements that fit the last-level cache of small machines (8 MiB).
///
/// With 2<sup>16</sup> and with 2<sup>24</sup> no row differs on a machine with a larger one. When
/// it was compared with the elements instead of the span of the destination, the region reader read
/// uint64 in blocks of 64 x 64 x 64 to an array of 250 x 250 x 250 at 1.6 times the speed of zarrs,
/// with the span at 2.9 times.
const CACHED: usize = 1 << 20;

/// Strides that are a multiple of this alias in the L1 cache: they map to few of its sets, so that
/// a line is evicted before its next element is wanted.
///
/// With 4096 the row `u32 [64, 64, 64]` takes 1.4 times as long; with 64 no row differs.
const EVEN_STRIDE: usize = 256;

/// Lines of the buffer of tiles, and elements of a row of it: the scatter group needs no more.
///
/// With 32 the rows `u8 [128, 128, 128]` and `u8 [60, 100, 50]` take 1.3 times as long; with 128
/// `u8 [257, 256]` does.
pub(super) const LINES: usize = 64;

/// Bytes from the first element that is written to the last, from which on an array does not stay
/// in the cache. It is the size of the second level of small machines.
const SPREAD: usize = 1 << 20;

impl Axis {
    /// The length of a run along this axis that strided loops move at their best speed: on one side
    /// the elements are neighbours, on the other their stride spreads them over the cache. 0 for
    /// any other axis.
    pub(super) fn good_run(&self, element_size: usize) -> usize {
        let ((stride, 1) | (1, stride)) = (self.from, self.to) else {
            return 0;
        };
        let is_good = self.len >= FEW && !(stride * element_size).is_multiple_of(EVEN_STRIDE);
        if is_good { self.len } else { 0 }
    }
}

impl Plan {
    /// Plans the moves for a region; `None` if no element of it lies within the block. A line of a
    /// tile has `line` elements.
    pub(super) fn new(region: Region<'_>, line: usize) -> Option<Self> {
        if region.dimensions().any(|dimension| dimension.within == 0) {
            return None;
        }
        let mut plan = Plan {
            origin: 0,
            row_dimension: None,
            row_padding: 0,
            axes: Vec::with_capacity(region.shape.len()),
            gather_end: 0,
            scatter_start: 0,
        };
        let mut from = 1;
        for (i, dimension) in region.dimensions().enumerate() {
            // Dimensions of one element move nothing.
            if dimension.within > 1 {
                plan.push(Axis {
                    len: dimension.within,
                    from,
                    to: dimension.stride,
                });
            }
            if dimension.stride == 1 && dimension.len > 1 {
                plan.row_dimension = Some(i);
                plan.row_padding = dimension.len - dimension.within;
            }
            plan.origin += dimension.start * from;
            from *= dimension.block;
        }
        plan.group(line);
        Some(plan)
    }

    /// Adds an axis, or lengthens the last one where the new one continues it on both sides. The
    /// axes of a transposition are all kept, as none follow each other on both sides.
    fn push(&mut self, axis: Axis) {
        match self.axes.last_mut() {
            Some(last) if axis.from == last.from * last.len && axis.to == last.to * last.len => {
                last.len *= axis.len;
            }
            _ => self.axes.push(axis),
        }
    }

    /// Grows the gather and the scatter group towards each other, the smaller one first, while
    /// their elements are neighbours and do not fill a line or a row of a tile.
    fn group(&mut self, line: usize) {
        self.scatter_start = self.axes.len();
        let (mut gather_len, mut scatter_len) = (1, 1);
        while self.gather_end < self.scatter_start {
            let (first, last) = (
                self.axes[self.gather_end],
                self.axes[self.scatter_start - 1],
            );
            let gather_grows = gather_len < line && first.from == gather_len;
            let scatter_grows = scatter_len < LINES && last.to == scatter_len;
            if gather_grows && (gather_len <= scatter_len || !scatter_grows) {
                gather_len *= first.len;
                self.gather_end += 1;
            } else if scatter_grows {
                scatter_len *= last.len;
                self.scatter_start -= 1;
            } else {
                return;
            }
        }
    }

    /// The axes whose elements are neighbours in the source, the fastest first.
    pub(super) fn gather(&self) -> impl Iterator<Item = Axis> + Clone {
        self.axes[..self.gather_end].iter().copied()
    }

    /// The axes whose elements are neighbours in the destination, the fastest first.
    pub(super) fn scatter(&self) -> impl Iterator<Item = Axis> + Clone {
        self.axes[self.scatter_start..].iter().rev().copied()
    }

    /// All other axes.
    pub(super) fn outer(&self) -> &[Axis] {
        &self.axes[self.gather_end..self.scatter_start]
    }

    /// All axes, the source's fastest first.
    pub(super) fn into_axes(self) -> Vec<Axis> {
        self.axes
    }

    /// The elements of the destination from the first that is written to the last. A box in a
    /// larger array touches more of the cache than it has elements.
    pub(super) fn span(&self) -> usize {
        let last: usize = self.axes.iter().map(|axis| (axis.len - 1) * axis.to).sum();
        last + 1
    }

    /// Whether the elements are spread over more of the destination than stays in the cache.
    pub(super) fn is_spread<const SIZE: usize>(&self) -> bool {
        self.span() > SPREAD / SIZE
    }

    /// Whether tiles are faster than strided loops: there is enough to transpose, and strided loops
    /// have no good run. For elements of 8 bytes, of which a register holds only two, a short one
    /// is good enough.
    pub(super) fn suits_tiles<const SIZE: usize>(&self) -> bool {
        let elements = len(self.axes.iter().copied());
        let shorter = len(self.gather()).min(len(self.scatter()));
        let run = self.axes.iter().map(|axis| axis.good_run(SIZE)).max();
        let run = run.unwrap_or(0);
        let has_gain = if SIZE < 8 {
            shorter >= 2 * FEW || run < LONG_RUN
        } else {
            run < FEW || self.span() > CACHED
        };
        shorter >= FEW && elements >= tiny(SIZE) && has_gain
    }
}

/// The number of elements in a group.
pub(super) fn len(axes: impl Iterator<Item = Axis>) -> usize {
    axes.map(|axis| axis.len).product()
}

/// Calls `visit` with the source and destination positions of every element of `axes`, the last
/// axis innermost.
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

/// Calls `visit` with the runs of neighbours that make up a box whose first element is at `first`.
/// Its axes are lengths and strides, the longest stride first; none is longer than memory.
pub(super) fn for_each_run(
    axes: impl IntoIterator<Item = (usize, usize)>,
    first: usize,
    visit: &mut impl FnMut(Range<usize>),
) {
    let mut outer: Vec<Axis> = axes
        .into_iter()
        .filter(|&(len, _)| len != 1)
        .map(|(len, to)| Axis { len, from: 0, to })
        .collect();
    let mut run = 1;
    while let Some(axis) = outer.pop_if(|axis| axis.to == run) {
        run *= axis.len;
    }
    for_each(&outer, 0, first, &mut |_, to| visit(to..to + run));
}
