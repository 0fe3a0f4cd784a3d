//! The fast way: 64 lines of 64 bytes at a time through a buffer that stays in the first-level cache.
//!
//! A loop that walks the source and the destination in step is slow whatever the order of its axes: one of the two jumps
//! from cache line to cache line, and when the jumps are a power of two apart all of these lines compete for the same
//! few places in the cache and are fetched anew for every element. So no line of either side is touched twice:
//!
//! 1. *gather*: up to 64 runs of up to 64 bytes are copied whole from the source into the lines of a buffer;
//! 2. *turn*: the buffer is transposed in squares of 16 by 16 bytes that fit the vector registers, the bytes of each
//!    element being swapped on the way;
//! 3. *scatter*: whole rows of up to 64 elements are copied out to the destination.
//!
//! The ends of lines and rows that do not fill a square are turned round as whatever the buffer holds, and not copied.

use super::plan::{self, Plan};
use super::swapped;
use wide::{u8x16, u16x8, u32x4, u64x2};

/// Lines of the buffer before the turn, and elements of a row after it.
const LINES: usize = 64;
/// Bytes of a line.
const LINE: usize = 128;

/// A vector register of `N` elements of `Z` bytes, 16 bytes in all.
pub(super) trait Lanes<const N: usize, const Z: usize>: Copy {
    /// Big-endian elements to native ones, and native ones to big-endian.
    fn load_swapped(bytes: [u8; 16]) -> Self;
    fn store(self) -> [u8; 16];
    /// Element `i` of register `j` becomes element `j` of register `i`.
    fn transpose(square: [Self; N]) -> [Self; N];
}

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
    let mut padding = [[0; 16]; LINE / 16];
    padding
        .as_flattened_mut()
        .as_chunks_mut::<Z>()
        .0
        .fill(swapped(fill_value));
    let mut lines = [[[0; 16]; LINE / 16]; LINES];
    let mut rows = [[0; 16]; LINES];
    let (front, back) = (plan::len(plan.front()), plan::len(plan.back()));
    let (mut row_starts, mut line_starts) = (Starts::new(), Starts::new());

    plan::for_each(plan.middle(), plan.origin, 0, &mut |from, to| {
        for (first_row, height) in strips(front, LINE / Z) {
            let row_starts = row_starts.of(
                plan.front().map(|axis| (axis.len, axis.to)),
                first_row,
                height,
            );
            for (first_line, width) in strips(back, LINES) {
                let line_starts = line_starts.of(
                    plan.back().map(|axis| (axis.len, axis.from)),
                    first_line,
                    width,
                );

                for (line, start) in lines.iter_mut().zip(line_starts) {
                    let start = from + first_row + start;
                    let run = source[start..start + height].as_flattened();
                    copy_long(run, &mut line.as_flattened_mut()[..run.len()]);
                }
                let padded = if first_line + width == back {
                    width + plan.row_padding
                } else {
                    width
                };
                lines[width..padded].fill(padding);
                for (j, row_starts) in row_starts.chunks(N).enumerate() {
                    turn::<L, N, Z>(&lines[..padded.next_multiple_of(N)], j, &mut rows);
                    for (row, start) in rows.chunks_exact(LINES / 16 * Z).zip(row_starts) {
                        let start = to + first_line + start;
                        let run = destination[start..start + padded].as_flattened_mut();
                        copy_long(&row.as_flattened()[..run.len()], run);
                    }
                }
            }
        }
    });
}

/// Transposes column `j` of the lines, 16 bytes wide, into `N` rows.
#[inline(never)]
fn turn<L: Lanes<N, Z>, const N: usize, const Z: usize>(
    lines: &[[[u8; 16]; LINE / 16]],
    j: usize,
    rows: &mut [[u8; 16]; LINES],
) {
    for (i, lines) in lines.as_chunks::<N>().0.iter().enumerate() {
        let square = L::transpose(std::array::from_fn(|k| L::load_swapped(lines[k][j])));
        for (row, lanes) in rows.chunks_exact_mut(LINES / 16 * Z).zip(square) {
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
struct Starts {
    first: Option<usize>,
    starts: [usize; 256],
}

impl Starts {
    fn new() -> Self {
        Starts {
            first: None,
            starts: [0; 256],
        }
    }

    /// The positions of elements `first..first + len` of a group of axes, given as lengths and strides.
    fn of(
        &mut self,
        axes: impl Iterator<Item = (usize, usize)> + Clone,
        first: usize,
        len: usize,
    ) -> &[usize] {
        let starts = &mut self.starts[..len];
        if self.first.replace(first) != Some(first) {
            let mut axes = axes;
            let Some((inner, stride)) = axes.next() else {
                starts.fill(0);
                return starts;
            };
            let mut done = 0;
            while done < starts.len() {
                let (mut rest, at) = ((first + done) / inner, (first + done) % inner);
                let mut base = at * stride;
                for (len, stride) in axes.clone() {
                    base += rest % len * stride;
                    rest /= len;
                }
                let run = (inner - at).min(starts.len() - done);
                for start in &mut starts[done..done + run] {
                    *start = base;
                    base += stride;
                }
                done += run;
            }
        }
        starts
    }
}

/// Copies up to 64 bytes between slices of the same length, as two pieces of fixed size that may overlap: a call of
/// `memcpy` would take as long as the whole line.
#[inline]
fn copy_short(from: &[u8], to: &mut [u8]) {
    match from.len() {
        64 => copy_ends::<64>(from, to),
        32.. => copy_ends::<32>(from, to),
        16.. => copy_ends::<16>(from, to),
        8.. => copy_ends::<8>(from, to),
        4.. => copy_ends::<4>(from, to),
        2.. => copy_ends::<2>(from, to),
        _ => copy_ends::<1>(from, to),
    }
}

#[inline]
fn copy_ends<const K: usize>(from: &[u8], to: &mut [u8]) {
    if let (Some(from), Some(to)) = (from.first_chunk::<K>(), to.first_chunk_mut::<K>()) {
        *to = *from;
    }
    if from.len() == K {
        return;
    }
    if let (Some(from), Some(to)) = (from.last_chunk::<K>(), to.last_chunk_mut::<K>()) {
        *to = *from;
    }
}

/// The same for any number of bytes.
#[inline]
fn copy_long(from: &[u8], to: &mut [u8]) {
    let ((from, from_end), (to, to_end)) = (from.as_chunks::<64>(), to.as_chunks_mut::<64>());
    for (from, to) in from.iter().zip(to) {
        *to = *from;
    }
    if !from_end.is_empty() {
        copy_short(from_end, to_end);
    }
}

impl Lanes<16, 1> for u8x16 {
    fn load_swapped(bytes: [u8; 16]) -> Self {
        u8x16::new(bytes)
    }

    fn store(self) -> [u8; 16] {
        self.to_array()
    }

    // Each round moves one bit of the register number into the element number, so four rounds exchange the two.
    fn transpose(square: [Self; 16]) -> [Self; 16] {
        fn round(square: [u8x16; 16]) -> [u8x16; 16] {
            std::array::from_fn(|i| {
                let (low, high) = (square[i / 2], square[i / 2 + 8]);
                if i % 2 == 0 {
                    u8x16::unpack_low(low, high)
                } else {
                    u8x16::unpack_high(low, high)
                }
            })
        }
        round(round(round(round(square))))
    }
}

/// The other sizes: `$half` and `$rest` together swap the bytes within each element of a register.
macro_rules! lanes {
    ($($lanes:ident, $element:ty, $n:literal, $z:literal, $half:expr, $rest:expr;)*) => {$(
        impl Lanes<$n, $z> for $lanes {
            #[inline(always)]
            fn load_swapped(bytes: [u8; 16]) -> Self {
                let (elements, _) = bytes.as_chunks::<$z>();
                let native = $lanes::new(std::array::from_fn(|i| <$element>::from_ne_bytes(elements[i])));
                if cfg!(target_endian = "little") { $half(native) } else { native }
            }

            #[inline(always)]
            fn store(self) -> [u8; 16] {
                let this = if cfg!(target_endian = "little") { $rest(self) } else { self };
                let mut bytes = [0; 16];
                for (bytes, element) in bytes.as_chunks_mut::<$z>().0.iter_mut().zip(this.to_array()) {
                    *bytes = element.to_ne_bytes();
                }
                bytes
            }

            #[inline(always)]
            fn transpose(square: [Self; $n]) -> [Self; $n] {
                $lanes::transpose(square)
            }
        }
    )*};
}

lanes! {
    u16x8, u16, 8, 2, |x: u16x8| (x << 8_u32) | (x >> 8_u32), |x| x;
    u32x4, u32, 4, 4, |x: u32x4| {
        let low = u32x4::splat(0x00ff_00ff);
        ((x & low) << 8_u32) | ((x >> 8_u32) & low)
    }, |x: u32x4| (x << 16_u32) | (x >> 16_u32);
    u64x2, u64, 2, 8, |x: u64x2| u64x2::new(x.to_array().map(u64::swap_bytes)), |x| x;
}
