//! No memory is set aside on the word of a header: a small file costs little, whatever it promises.
//!
//! A program of its own, as the allocator counts what all threads use.
#![cfg(feature = "n5")]

#[path = "support/broken_blocks.rs"]
mod broken_blocks;
#[path = "support/oracle.rs"]
mod oracle;

use std::sync::{Mutex, MutexGuard, PoisonError};

use broken_blocks::{DATA_TYPE, SHAPE, assert_says, error, good_block, header};
use oracle::COMPRESSORS;
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Keeps the other tests from allocating meanwhile.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn dimensions_over_the_limit_are_refused_before_anything_is_allocated() {
    let _guard = alone();
    for compressor in COMPRESSORS {
        let mut block = good_block(compressor);
        block[4..16].fill(0xff);
        ALLOCATOR.reset_peak_usage();
        let before = ALLOCATOR.current_usage();
        assert_says(&error(compressor, &block), &["4294967295", "limit"]);
        let used = ALLOCATOR.peak_usage() - before;
        assert!(used < 1 << 20, "{compressor}: {used} bytes");
    }
}

/// A small block that promises 2 GiB, the most that N5 allows, and holds 120 bytes.
#[test]
fn a_false_promise_of_2_gib_costs_no_memory() {
    let _guard = alone();
    for compressor in COMPRESSORS {
        let good = good_block(compressor);
        let mut block = header(&[1 << 15, 1 << 15, 1]);
        block.extend_from_slice(&good[16..]);
        ALLOCATOR.reset_peak_usage();
        let before = ALLOCATOR.current_usage();
        assert_says(&error(compressor, &block), &["2147483648"]);
        let used = ALLOCATOR.peak_usage() - before;
        assert!(used < 16 << 20, "{compressor}: {used} bytes");
    }
}

/// A stream that goes on for longer than the header says stops at once.
#[test]
fn a_bomb_stops_at_the_promised_size() {
    let _guard = alone();
    let zeros = vec![0; 16 << 20];
    for compressor in COMPRESSORS.iter().filter(|name| !name.is_empty()) {
        let bomb = oracle::block(&[8 << 20], DATA_TYPE, &zeros, compressor);
        let mut block = header(&SHAPE);
        block.extend_from_slice(&bomb[8..]);
        ALLOCATOR.reset_peak_usage();
        let before = ALLOCATOR.current_usage();
        assert_says(&error(compressor, &block), &["120"]);
        let used = ALLOCATOR.peak_usage() - before;
        // bzip2 takes a few MB of working memory; the test hands the block over in copies.
        let allowed = (8 << 20) + 3 * block.len();
        assert!(
            used < allowed,
            "{compressor}: {used} bytes, {allowed} allowed"
        );
    }
}
