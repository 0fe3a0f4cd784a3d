//! The output in parts that are written by different threads, and which blocks each thread takes.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::layout::Layout;

/// The slabs of an output and what of them is left to read.
pub(super) struct Slabs<'o> {
    all: Vec<Slab<'o>>,
    blocks_per_slab: usize,
    blocks_per_row: usize,
    /// The most blocks of a row that a thread takes at once.
    blocks_at_once: usize,
    /// The first slab that no thread has begun with.
    unstarted: AtomicUsize,
    /// The output holds nothing but 0, the fill value.
    is_zero: bool,
}

struct Slab<'o> {
    /// Held while blocks are written. Threads have slabs of their own until fewer are left than
    /// there are threads; then they share, and only fetch and decompress at the same time.
    out: Mutex<&'o mut [u8]>,
    /// How many parts of rows were taken: each is what a thread takes at once.
    next: AtomicUsize,
}

/// Where a thread is.
pub(super) struct Cursor {
    slab: usize,
    /// All slabs were begun, so that this thread takes blocks of the slabs of others.
    is_helping: bool,
}

impl<'o> Slabs<'o> {
    /// Cuts an output of exactly the elements of `layout`.
    pub(super) fn new(layout: &Layout<'_>, element_size: usize, mut out: &'o mut [u8]) -> Self {
        let slabs = (0..layout.slabs()).map(|slab| {
            let size = layout.slab_len(slab) * element_size;
            let (first, rest) = std::mem::take(&mut out).split_at_mut(size);
            out = rest;
            Slab {
                out: Mutex::new(first),
                next: AtomicUsize::new(0),
            }
        });
        Self {
            all: slabs.collect(),
            blocks_per_slab: layout.blocks_per_slab(),
            blocks_per_row: layout.row().blocks,
            blocks_at_once: 1,
            unstarted: AtomicUsize::new(0),
            is_zero: false,
        }
    }

    /// Lets threads take up to `most` blocks at once, which follow each other in a row. Rows that
    /// are longer are taken in parts of equal length, of which the last may be shorter.
    pub(super) fn with_rows_of(mut self, most: usize) -> Self {
        let times = self.blocks_per_row.div_ceil(most.max(1)).max(1);
        self.blocks_at_once = self.blocks_per_row.div_ceil(times).max(1);
        self
    }

    /// The most blocks of a row that a thread takes at once.
    pub(super) fn blocks_at_once(&self) -> usize {
        self.blocks_at_once
    }

    /// Says that the output holds nothing but 0, so that missing blocks need not be written.
    #[cfg(feature = "rewrite")]
    pub(super) fn over_zeros(mut self) -> Self {
        self.is_zero = true;
        self
    }

    /// Whether the output holds nothing but 0.
    pub(super) fn is_zero(&self) -> bool {
        self.is_zero
    }

    /// The number of blocks.
    pub(super) fn blocks(&self) -> usize {
        self.all.len() * self.blocks_per_slab
    }

    /// Starts a thread.
    pub(super) fn start(&self) -> Cursor {
        Cursor {
            slab: self.unstarted.fetch_add(1, Ordering::Relaxed),
            is_helping: false,
        }
    }

    /// The next blocks for a thread, which follow each other in a row: the number of a slab and the
    /// numbers of blocks in it.
    pub(super) fn next(&self, cursor: &mut Cursor) -> Option<(usize, Range<usize>)> {
        let times_per_row = self.blocks_per_row.div_ceil(self.blocks_at_once);
        loop {
            if let Some(slab) = self.all.get(cursor.slab) {
                let number = slab.next.fetch_add(1, Ordering::Relaxed);
                let row = number / times_per_row * self.blocks_per_row;
                if row < self.blocks_per_slab {
                    let first = number % times_per_row * self.blocks_at_once;
                    let end = self.blocks_per_row.min(first + self.blocks_at_once);
                    return Some((cursor.slab, row + first..row + end));
                }
            }
            if !cursor.is_helping {
                cursor.slab = self.unstarted.fetch_add(1, Ordering::Relaxed);
                if cursor.slab < self.all.len() {
                    continue;
                }
                *cursor = Cursor {
                    slab: 0,
                    is_helping: true,
                };
            } else if cursor.slab < self.all.len() {
                cursor.slab += 1;
            } else {
                return None;
            }
        }
    }

    /// Calls `write` with the part of a slab from `offset` on, in bytes. Other threads wait.
    pub(super) fn write<R>(
        &self,
        slab: usize,
        offset: usize,
        write: impl FnOnce(&mut [u8]) -> R,
    ) -> R {
        let mut out = self.all[slab]
            .out
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        write(out.get_mut(offset..).unwrap_or_default())
    }
}
