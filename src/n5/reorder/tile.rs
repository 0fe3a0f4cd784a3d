//! The way of the tiles: 64 lines of up to 512 bytes at a time through a small buffer.
//!
//! A loop that walks the source and the destination in step moves one element at a time, and on one side it jumps from
//! cache line to cache line; when the jumps are a power of two, all of these lines compete for the same few places in
//! the cache and are fetched anew for every element. So whole lines are read and written at once:
//!
//! 1. *gather*: up to 64 runs of up to 512 bytes are copied from the source into the lines of a buffer;
//! 2. *turn*: columns of the buffer, 16 bytes wide, are transposed in squares that fit the vector registers (16 by 16
//!    elements of 1 byte to 2 by 2 of 8 bytes), the bytes of each element being swapped on the way;
//! 3. *scatter*: each column has become a few rows of up to 64 elements, which are copied out to the destination.
//!
//! Next come the other lines of the same rows, so that rows are written to their end while their last cache line is near.
//!
//! A square that lines or rows do not fill is transposed with whatever else the buffer holds, and that is not copied
//! out: no loop for the rest is needed. Runs and rows may reach over several dimensions, as long as their elements are
//! neighbours; all other dimensions are walked around the three steps.

use super::lanes::{Lanes, Piece};
use super::plan::{self, Plan};
use super::swapped;

/// Lines of the buffer, and elements of a row.
pub(super) const LINES: usize = 64;
/// Bytes of a line. Out of memory, runs of 512 bytes come a third faster than runs of 128.
pub(super) const LINE: usize = 512;
/// Pieces between the starts of two lines: never a power of two, as such lines would compete for places in the cache.
const LONG: usize = LINE / 16 + 4;
/// The same if no line has more than these, because to clear the long ones costs as much as to move a thousand elements.
const SHORT: usize = 9;

/// Whether the buffer has lines to spare for the padding at the end of the rows.
pub(super) fn holds_padding(plan: &Plan) -> bool {
    let last_line = (plan::len(plan.back()) - 1) % LINES;
    plan.row_padding < LINES - last_line
}

/// Gathers, turns and scatters all of the plan.
pub(super) fn reorder<L: Lanes<N, Z>, const N: usize, const Z: usize>(
    plan: &Plan,
    source: &[[u8; Z]],
    fill_value: [u8; Z],
    destination: &mut [[u8; Z]],
) {
    if plan::len(plan.front()) * Z <= SHORT * 16 {
        reorder_lines::<L, N, Z, SHORT>(plan, source, fill_value, destination);
    } else {
        reorder_lines::<L, N, Z, LONG>(plan, source, fill_value, destination);
    }
}

/// The same with `P` pieces to a line.
fn reorder_lines<L: Lanes<N, Z>, const N: usize, const Z: usize, const P: usize>(
    plan: &Plan,
    source: &[[u8; Z]],
    fill_value: [u8; Z],
    destination: &mut [[u8; Z]],
) {
    let (front, back) = (plan::len(plan.front()), plan::len(plan.back()));
    let mut padding = [[0; 16]; P];
    let elements = padding.as_flattened_mut().as_chunks_mut::<Z>().0;
    elements.fill(swapped(fill_value));
    let mut lines = vec![[[0; 16]; P]; LINES.min((back + plan.row_padding).next_multiple_of(N))];
    let mut rows = [[0; 16]; LINES];
    let (mut line_starts, mut row_starts) = (Starts::default(), Starts::default());

    plan::for_each(plan.middle(), plan.origin, 0, &mut |from, to| {
        for (first_row, height) in strips(front, LINE.min(P * 16) / Z) {
            let strides = plan.front().map(|axis| (axis.len, axis.to));
            let row_starts = row_starts.of(strides, first_row, height);
            // Whole pieces are copied faster than ends are, if the source goes on.
            let pieces = height.next_multiple_of(N);
            let source = &source[from + first_row..];
            for (first_line, width) in strips(back, LINES) {
                let strides = plan.back().map(|axis| (axis.len, axis.from));
                let line_starts = line_starts.of(strides, first_line, width);
                let destination = &mut destination[to + first_line..];
                let is_last = first_line + width == back;
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
                for (column, row_starts) in row_starts.chunks(N).enumerate() {
                    turn::<L, N, Z, P>(&lines[..padded.next_multiple_of(N)], column, &mut rows);
                    for (row, &start) in rows.chunks_exact(LINES / N).zip(row_starts) {
                        let run = destination[start..][..padded].as_flattened_mut();
                        copy(&row.as_flattened()[..run.len()], run);
                    }
                }
            }
        }
    });
}

/// Transposes a column of the lines, one piece wide, into `N` rows.
#[inline(never)] // Alone it keeps all registers to itself.
fn turn<L: Lanes<N, Z>, const N: usize, const Z: usize, const P: usize>(
    lines: &[[Piece; P]],
    column: usize,
    rows: &mut [Piece; LINES],
) {
    for (i, lines) in lines.as_chunks::<N>().0.iter().enumerate() {
        let square = L::transpose(std::array::from_fn(|k| L::load(lines[k][column])));
        for (row, lanes) in rows.chunks_exact_mut(LINES / N).zip(square) {
            row[i] = lanes.store();
        }
    }
}

/// Cuts `0..len` into strips of `most` elements: their first elements and lengths.
fn strips(len: usize, most: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..len)
        .step_by(most)
        .map(move |first| (first, most.min(len - first)))
}

/// Where the elements of a strip start on the side where they are not neighbours. Kept for as long as it is asked for
/// the same strip, which is always when a group has only one.
#[derive(Default)]
struct Starts {
    first: Option<usize>,
    starts: Vec<usize>,
}

impl Starts {
    /// The positions of elements `first..first + len` of a group of axes, given as lengths and strides.
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
        // One run along the innermost axis after the other.
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

/// Copies between slices of the same length, in pieces of fixed size of which the last two may overlap: calls of
/// `memcpy` would cost more than such short copies.
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
