//! Buffers that each thread reuses from block to block.

use std::cell::Cell;
use std::collections::TryReserveError;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::n5::memory::zeroed;

/// A buffer that has grown beyond this is given back after use.
const MAX_KEPT_BYTES: usize = 64 << 20;

/// The most bytes that the buffers of all threads keep between two blocks.
///
/// It is enough for two buffers of 1 MiB in each of 128 threads. Blocks that need more work as
/// well, with fresh memory for each.
const MAX_KEPT_BYTES_OF_PROCESS: usize = 256 << 20;

static KEPT: Budget = Budget::new(MAX_KEPT_BYTES_OF_PROCESS);

thread_local! {
    static BUFFERS: Cell<Buffers> = const { Cell::new(Buffers(Vec::new())) };
}

/// How many bytes may be kept, and are.
struct Budget {
    limit: usize,
    used: AtomicUsize,
}

/// What a thread keeps, to be used again from the end. It goes with the thread.
#[derive(Default)]
struct Buffers(Vec<Vec<u8>>);

impl Budget {
    const fn new(limit: usize) -> Self {
        Self {
            limit,
            used: AtomicUsize::new(0),
        }
    }

    /// Whether there is room for `size` bytes more, which are then counted.
    fn take(&self, size: usize) -> bool {
        let add = |used: usize| used.checked_add(size).filter(|&used| used <= self.limit);
        let update = (self.used).fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        update.is_ok()
    }

    /// Counts off what [`take`](Self::take) has counted.
    fn give_back(&self, size: usize) {
        self.used.fetch_sub(size, Ordering::Relaxed);
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        KEPT.give_back(self.0.iter().map(Vec::capacity).sum());
    }
}

impl Buffers {
    fn pop(&mut self) -> Vec<u8> {
        let buffer = self.0.pop().unwrap_or_default();
        KEPT.give_back(buffer.capacity());
        buffer
    }

    fn push(&mut self, buffer: Vec<u8>) {
        if buffer.capacity() <= MAX_KEPT_BYTES && KEPT.take(buffer.capacity()) {
            self.0.push(buffer);
        }
    }

    /// Runs `work` on the buffers of this thread.
    fn with<T>(work: impl FnOnce(&mut Self) -> T) -> T {
        let mut buffers = BUFFERS.take();
        let result = work(&mut buffers);
        BUFFERS.set(buffers);
        result
    }
}

/// Lends a buffer that this thread reuses from block to block: fresh memory costs a page fault for
/// every 4 kB, which is more than changing the order of the elements.
///
/// The buffer has the contents that its last user left. Nested calls each get a buffer of their
/// own.
pub(super) fn with_buffer<T>(work: impl FnOnce(&mut Vec<u8>) -> T) -> T {
    let mut buffer = Buffers::with(Buffers::pop);
    let result = work(&mut buffer);
    Buffers::with(|buffers| buffers.push(buffer));
    result
}

/// The first `size` bytes of a reused buffer, with any contents.
pub(super) fn sized(buffer: &mut Vec<u8>, size: usize) -> Result<&mut [u8], TryReserveError> {
    if buffer.capacity() < size {
        // The old one makes room first.
        *buffer = Vec::new();
        *buffer = zeroed(size)?;
    } else if buffer.len() < size {
        buffer.resize(size, 0);
    }
    Ok(buffer.get_mut(..size).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_users_get_different_buffers() {
        with_buffer(|outer| {
            sized(outer, 4).unwrap().fill(1);
            with_buffer(|inner| sized(inner, 4).unwrap().fill(2));
            assert_eq!(outer[..4], [1; 4]);
        });
    }

    #[test]
    fn a_buffer_is_reused_and_a_huge_one_is_not_kept() {
        let address = || with_buffer(|buffer| sized(buffer, 100).unwrap().as_ptr() as usize);
        assert_eq!(address(), address());
        with_buffer(|buffer| buffer.reserve_exact(MAX_KEPT_BYTES + 1));
        with_buffer(|buffer| assert!(buffer.capacity() <= MAX_KEPT_BYTES));
    }

    #[test]
    fn a_size_that_memory_has_not_is_an_error_and_the_buffer_stays_usable() {
        with_buffer(|buffer| {
            assert!(sized(buffer, usize::MAX / 2).is_err());
            assert_eq!(sized(buffer, 3).unwrap().len(), 3);
        });
    }

    #[test]
    fn a_budget_is_never_exceeded() {
        let budget = Budget::new(10);
        assert!(budget.take(6));
        assert!(!budget.take(5));
        assert!(!budget.take(usize::MAX));
        assert!(budget.take(4));
        budget.give_back(6);
        assert!(budget.take(5));
    }

    /// Of 16 threads with two buffers of 30 MiB each, most keep theirs only for a block.
    #[test]
    fn all_threads_together_keep_no_more_than_the_budget() {
        let all_have_one = std::sync::Barrier::new(16);
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    with_buffer(|outer| {
                        outer.reserve_exact(30 << 20);
                        with_buffer(|inner| inner.reserve_exact(30 << 20));
                    });
                    all_have_one.wait();
                    assert!(KEPT.used.load(Ordering::Relaxed) <= MAX_KEPT_BYTES_OF_PROCESS);
                    all_have_one.wait();
                });
            }
        });
    }

    #[test]
    fn a_thread_that_ends_gives_its_share_back() {
        // Other tests keep buffers at the same time, but none of this size for so long.
        let kept = || KEPT.used.load(Ordering::Relaxed);
        std::thread::spawn(move || {
            with_buffer(|buffer| buffer.reserve_exact(50 << 20));
            let kept = Buffers::with(|buffers| buffers.0.iter().map(Vec::capacity).sum::<usize>());
            assert!(kept == 0 || kept >= 50 << 20);
        })
        .join()
        .unwrap();
        assert!(kept() <= MAX_KEPT_BYTES_OF_PROCESS);
    }
}
