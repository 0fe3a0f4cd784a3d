//! The floor that everything is measured against: a copy.

use std::hint::black_box;

/// A cache line. Between buffers that begin elsewhere, the C library's copy takes up to twenty times as long on some
/// processors.
const ALIGNMENT: usize = 64;

/// Copies so many bytes, the same ones at every call.
pub(crate) fn memcpy(bytes: usize) -> impl FnMut() {
    let (from, mut to) = (vec![7_u8; bytes + ALIGNMENT], vec![1_u8; bytes + ALIGNMENT]);
    let [at, to_at] = [from.as_ptr(), to.as_ptr()].map(|start| start.align_offset(ALIGNMENT));
    move || {
        let (from, to) = (&from[at..][..bytes], &mut to[to_at..][..bytes]);
        black_box(to).copy_from_slice(black_box(from));
    }
}
