//! Moves elements in tiles: 64 lines of up to 512 bytes at a time, through a small buffer.
//!
//! A loop over single elements touches another cache line with each element on one of the two
//! sides. If the stride is a power of two, these lines map to the same few sets of the cache, which
//! evict each other before they are used again. Tiles read and write whole cache lines instead:
//!
//! 1. *gather*: up to 64 runs of up to 512 bytes are copied from the source to the lines of a
//!    buffer;
//! 2. *transpose*: columns of the buffer, 16 bytes wide, are transposed in squares that fit the
//!    vector registers (16 by 16 elements of 1 byte to 2 by 2 of 8 bytes); the bytes of each
//!    element are swapped on the way;
//! 3. *scatter*: the rows that a column becomes, of up to 64 elements each, are copied to the
//!    destination.
//!
//! The other lines of the same rows come next, while the last cache line of each row is still in
//! the cache.
//!
//! A square that the lines or rows do not fill is transposed with what is left in the buffer, which
//! is not copied out, so remainders need no loop of their own. Runs and rows may span several
//! dimensions whose elements are neighbours; the remaining dimensions are loops around the three
//! steps.

use super::lanes::{Lanes, Piece};
use super::plan::{self, LINES, Plan};
use super::swapped;

/// Bytes of a line. Longer runs are faster out of memory. How this and the following were checked
/// is said in `plan`.
///
/// With 128 the rows `[128, 128, 128]` of uint8 and uint32 take 1.3 to 1.5 times as long; with 1024
/// no row differs.
pub(super) const LINE: usize = 512;

/// Pieces from the start of one line to the next. A power of two would make the pieces of a column
/// compete for the same sets of the cache; without the 4 no row differs.
const LONG: usize = LINE / 16 + 4;

/// The same if no line needs more than these: clearing the long ones costs as much as moving a
/// thousand elements.
///
/// With 36 the row `u8 [64, 64, 64] from [0, 0, 9], [64, 64, 1]` takes 1.9 times as long; with 5 no
/// row differs.
const SHORT: usize = 9;

/// Whether the buffer has spare lines for the padding at the end of the rows.
pub(super) fn holds_padding(plan: &Plan) -> bool {
    let last_line = (plan::len(plan.scatter()) - 1) % LINES;
    plan.row_padding < LINES - last_line
}

/// Gathers, transposes and scatters the elements of the plan.
pub(super) fn reorder<L: Lanes<LANES, SIZE>, const LANES: usize, const SIZE: usize>(
    plan: &Plan,
    source: &[[u8; SIZE]],
    fill_value: [u8; SIZE],
    destination: &mut [[u8; SIZE]],
) {
    if plan::len(plan.gather()) * SIZE <= SHORT * 16 {
        reorder_lines::<L, LANES, SIZE, SHORT>(plan, source, fill_value, destination);
    } else {
        reorder_lines::<L, LANES, SIZE, LONG>(plan, source, fill_value, destination);
    }
}

/// Does the same with `PIECES` pieces to a line.
fn reorder_lines<
    L: Lanes<LANES, SIZE>,
    const LANES: usize,
    const SIZE: usize,
    const PIECES: usize,
>(
    plan: &Plan,
    source: &[[u8; SIZE]],
    fill_value: [u8; SIZE],
    destination: &mut [[u8; SIZE]],
) {
    let (gather_len, scatter_len) = (plan::len(plan.gather()), plan::len(plan.scatter()));
    let mut padding = [[0; 16]; PIECES];
    let elements = padding.as_flattened_mut().as_chunks_mut::<SIZE>().0;
    elements.fill(swapped(fill_value));
    let mut lines = vec![
        [[0; 16]; PIECES];
        LINES.min((scatter_len + plan.row_padding).next_multiple_of(LANES))
    ];
    let mut rows = [[0; 16]; LINES];
    let (mut line_starts, mut row_starts) = (Starts::default(), Starts::default());

    plan::for_each(plan.outer(), plan.origin, 0, &mut |from, to| {
        for (first_row, height) in strips(gather_len, LINE.min(PIECES * 16) / SIZE) {
            let strides = plan.gather().map(|axis| (axis.len, axis.to));
            let row_starts = row_starts.of(strides, first_row, height);
            // Whole pieces are faster to copy than remainders, where the source continues.
            let pieces = height.next_multiple_of(LANES);
            let source = &source[from + first_row..];
            for (first_line, width) in strips(scatter_len, LINES) {
                let strides = plan.scatter().map(|axis| (axis.len, axis.from));
                let line_starts = line_starts.of(strides, first_line, width);
                let destination = &mut destination[to + first_line..];
                let is_last = first_line + width == scatter_len;
                let padded = width + if is_last { plan.row_padding } else { 0 };

                for (line, &start) in lines.iter_mut().zip(line_starts) {
                    let source = &source[start..];
                    let run = source
                        .get(..pieces)
                        .unwrap_or(&source[..height])
                        .as_flattened();
                    copy(run, &mut line.as_flattened_mut()[..run.len()]);
                }
                lines[width..padded].fill(padding);
                for (column, row_starts) in row_starts.chunks(LANES).enumerate() {
                    transpose_column::<L, LANES, SIZE, PIECES>(
                        &lines[..padded.next_multiple_of(LANES)],
                        column,
                        &mut rows,
                    );
                    for (row, &start) in rows.chunks_exact(LINES / LANES).zip(row_starts) {
                        let run = destination[start..][..padded].as_flattened_mut();
                        copy(&row.as_flattened()[..run.len()], run);
                    }
                }
            }
        }
    });
}

/// Transposes a column of the lines, one piece wide, to `LANES` rows.
#[inline(never)] // Inlined, the loops around it take registers from it.
fn transpose_column<
    L: Lanes<LANES, SIZE>,
    const LANES: usize,
    const SIZE: usize,
    const PIECES: usize,
>(
    lines: &[[Piece; PIECES]],
    column: usize,
    rows: &mut [Piece; LINES],
) {
    for (i, lines) in lines.as_chunks::<LANES>().0.iter().enumerate() {
        let mut square = [L::load([0; 16]); LANES];
        for (register, line) in square.iter_mut().zip(lines) {
            *register = L::load(line[column]);
        }
        let square = L::transpose(square);
        for (row, lanes) in rows.chunks_exact_mut(LINES / LANES).zip(square) {
            row[i] = lanes.store();
        }
    }
}

/// Splits `0..len` into strips of at most `most` elements: the first element and the length of
/// each.
fn strips(len: usize, most: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..len)
        .step_by(most)
        .map(move |first| (first, most.min(len - first)))
}

/// The positions of a strip's elements on the side where they are not neighbours. They are kept
/// until another strip is asked for; a group of one strip computes them once.
#[derive(Default)]
struct Starts {
    first: Option<usize>,
    starts: Vec<usize>,
}

impl Starts {
    /// The positions of elements `first..first + len` of a group of axes, which are given as
    /// lengths and strides.
    fn of(
        &mut self,
        axes: impl Iterator<Item = (usize, usize)> + Clone,
        first: usize,
        len: usize,
    ) -> &[usize] {
        let starts = &mut self.starts;
        if self.first.replace(first) == Some(first) {
            return starts;
        }
        starts.clear();
        starts.reserve(len);
        let mut outer = axes;
        let Some((inner_len, inner_stride)) = outer.next() else {
            return starts;
        };
        // Run by run along the innermost axis.
        while starts.len() < len {
            let position = first + starts.len();
            let (mut rest, at) = (position / inner_len, position % inner_len);
            let mut start = at * inner_stride;
            for (outer_len, outer_stride) in outer.clone() {
                start += rest % outer_len * outer_stride;
                rest /= outer_len;
            }
            let run = (inner_len - at).min(len - starts.len());
            starts.extend((0..run).map(|i| start + i * inner_stride));
        }
        starts
    }
}

/// Copies between slices of the same length in pieces of fixed size, of which the last two may
/// overlap. For copies this short a call of `memcpy` costs more than its work.
#[inline]
fn copy(from: &[u8], to: &mut [u8]) {
    let ((from, from_end), (to, to_end)) = (from.as_chunks::<64>(), to.as_chunks_mut::<64>());
    for (from, to) in from.iter().zip(to) {
        *to = *from;
    }
    match from_end.len() {
        0 => {}
        1 => copy_ends::<1>(from_end, to_end),
        2..4 => copy_ends::<2>(from_end, to_end),
        4..8 => copy_ends::<4>(from_end, to_end),
        8..16 => copy_ends::<8>(from_end, to_end),
        16..32 => copy_ends::<16>(from_end, to_end),
        _ => copy_ends::<32>(from_end, to_end),
    }
}

/// Copies the first `K` bytes and the last.
#[inline]
fn copy_ends<const K: usize>(from: &[u8], to: &mut [u8]) {
    if let (Some(from), Some(to)) = (from.first_chunk::<K>(), to.first_chunk_mut::<K>()) {
        *to = *from;
    }
    if let (Some(from), Some(to)) = (from.last_chunk::<K>(), to.last_chunk_mut::<K>()) {
        *to = *from;
    }
}
