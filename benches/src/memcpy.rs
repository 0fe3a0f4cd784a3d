//! The floor that everything is measured against: a copy.

use std::hint::black_box;

/// A cache line.
const LINE: usize = 64;
/// What the C library copies in its own loop, wherever it begins.
const SHORT: usize = 2048;

/// Copies as many bytes as `to` has from `from`, which is as long at least.
///
/// Long copies leave out a line's worth of bytes at the ends: between buffers that do not begin
/// with a line, the C library's copy takes up to twenty times as long on some processors.
pub fn memcpy(from: &[u8], to: &mut [u8]) {
    let (from, to) = black_box((from, to));
    if to.len() <= SHORT {
        return to.copy_from_slice(&from[..to.len()]);
    }
    let bytes = to.len() - LINE;
    let from = &from[from.as_ptr().align_offset(LINE)..][..bytes];
    let at = to.as_ptr().align_offset(LINE);
    to[at..][..bytes].copy_from_slice(from);
}
