//! Fetches the cache lines of short rows before they are written.
//!
//! What a row does not fill of a line has to be fetched before the line is written. Stores wait for
//! that nearly one after the other, reads side by side; and rows that are far apart are not fetched
//! by the machine itself.

use std::hint::black_box;

use super::plan::{self, Axis};

/// Rows whose lines are fetched together, few enough for the first level of cache.
///
/// With 8 and with 32 the reads of whole arrays that `staged` names were as fast, within noise.
const ROWS: usize = 16;

/// Bytes of a cache line. On machines with longer ones some are read twice.
const LINE: usize = 64;

/// Bytes of a page, or less than that.
const PAGE: usize = 4096;

/// Calls `write` with the source position and the place in `out` of every row, after its lines were
/// fetched. It must write the whole row.
///
/// Rows have `len` elements, which is not 0, and the first one is at `origin` in the source. They
/// lie along `axes`, the last one innermost.
pub(super) fn for_each_row<const SIZE: usize>(
    axes: &[Axis],
    origin: usize,
    len: usize,
    out: &mut [[u8; SIZE]],
    mut write: impl FnMut(usize, &mut [[u8; SIZE]]),
) {
    let one = Axis {
        len: 1,
        from: 0,
        to: 0,
    };
    let (rows, axes) = axes.split_last().unwrap_or((&one, &[]));
    plan::for_each(axes, origin, 0, &mut |from, to| {
        for first in (0..rows.len).step_by(ROWS) {
            let group = first..rows.len.min(first + ROWS);
            fetch(group.clone().map(|row| to + row * rows.to), len, out);
            for row in group {
                let place = &mut out[to + row * rows.to..][..len];
                write(from + row * rows.from, place);
            }
        }
    });
}

/// Reads a byte of each line of some rows. The first one in each page is written instead: reading
/// memory that was never written would cost a second page fault.
fn fetch<const SIZE: usize>(rows: impl Iterator<Item = usize>, len: usize, out: &mut [[u8; SIZE]]) {
    let (mut page, mut seen) = (None, 0);
    for row in rows {
        let row = out[row..][..len].as_flattened_mut();
        let last = row.len().saturating_sub(1);
        for at in (0..last).step_by(LINE).chain([last]) {
            let byte = &mut row[at];
            let its_page = std::ptr::from_ref(byte).addr() / PAGE;
            if page.replace(its_page) == Some(its_page) {
                seen ^= *byte;
            } else {
                *byte = 0;
            }
        }
    }
    black_box(seen);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of one byte, of a few lines, and of more than a page.
    #[test]
    fn every_row_is_written_and_nothing_else() {
        for len in [1, 150, 5000] {
            let along = |len, from, to| Axis { len, from, to };
            let axes = [along(2, 7000, 40 * (len + 3)), along(37, 11, len + 3)];
            let mut out = vec![[7_u8]; 80 * (len + 3)];
            let mut expected = out.clone();
            plan::for_each(&axes, 5, 0, &mut |from, to| {
                expected[to..to + len].fill([from.to_le_bytes()[0]]);
            });
            for_each_row(&axes, 5, len, &mut out, |from, row| {
                row.fill([from.to_le_bytes()[0]]);
            });
            assert!(out == expected, "rows of {len}");
        }
    }

    #[test]
    fn without_axes_there_is_one_row() {
        let mut out = [[0_u8; 2]; 3];
        for_each_row(&[], 4, 2, &mut out, |from, row| {
            assert_eq!(from, 4);
            row.fill([1; 2]);
        });
        assert_eq!(out, [[1; 2], [1; 2], [0; 2]]);
    }
}
