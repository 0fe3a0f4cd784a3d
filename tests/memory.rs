//! No memory is set aside on the word of a header: a small file costs little, whatever it promises.
//! A region reader takes no more than it may.
//!
//! A program of its own, as the allocator counts what all threads use.
#![cfg(feature = "n5")]

#[path = "support/broken_blocks.rs"]
mod broken_blocks;
#[path = "support/oracle.rs"]
mod oracle;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use broken_blocks::{DATA_TYPE, SHAPE, assert_says, error, good_block, header};
use oracle::COMPRESSORS;
use peak_alloc::PeakAlloc;
use zarrs::array::{Array, ArraySubset, data_type};
use zarrs::storage::store::MemoryStore;
use zarrs_interop::n5::{Compression, RegionReader, array_builder};

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

/// The most memory that a call takes beyond what it is given, in parts of `size`.
fn times<T>(size: usize, call: impl FnOnce() -> T) -> usize {
    ALLOCATOR.reset_peak_usage();
    let before = ALLOCATOR.current_usage();
    let result = call();
    let used = ALLOCATOR.peak_usage() - before;
    drop(result);
    used / size
}

/// Documents of the kinds that take most memory beside their text. The multiple is the same for 16
/// MB.
#[test]
fn a_large_attributes_json_takes_a_small_multiple_of_itself() {
    use zarrs_interop::n5::N5Metadata;
    use zarrs_interop::n5::convert::{ChunkGrid, attributes_to_zarr, zarr_to_attributes};

    let _guard = alone();
    let size = 1 << 20;
    let dataset =
        r#""dimensions":[5],"blockSize":[3],"dataType":"uint8","compression":{"type":"raw"}"#;
    let list = |item: &str| {
        format!(
            "[{}{item}]",
            format!("{item},").repeat(size / (item.len() + 1))
        )
    };
    let names = (0..size / 12).map(|name| format!(r#""{name:06}":[],"#));
    let members: String = names.collect();
    for (kind, document) in [
        ("list", format!(r#"{{{dataset},"a":{}}}"#, list("0"))),
        ("NaN", format!(r#"{{"a":{}}}"#, list("NaN"))),
        ("lists", format!(r#"{{"a":{}}}"#, list("[]"))),
        ("members", format!(r"{{{members}{dataset}}}")),
        ("nested members", format!(r#"{{"a":{{{members}"b":0}}}}"#)),
    ] {
        let document = document.as_bytes();
        let read = || N5Metadata::parse(document, "/a").unwrap();
        let to_zarr = || attributes_to_zarr(document, "/a", ChunkGrid::default()).unwrap();
        let zarr = to_zarr();
        let changed = [&document[..document.len() - 1], br#","c":1}"#].concat();
        let changed = attributes_to_zarr(&changed, "/a", ChunkGrid::default()).unwrap();
        let to_n5 = |zarr: &[u8]| zarr_to_attributes(zarr, Some(document), "/a").unwrap();
        for (what, times) in [
            ("read", times(document.len(), read)),
            ("to Zarr", times(document.len(), to_zarr)),
            ("unchanged", times(document.len(), || to_n5(&zarr))),
            ("changed", times(document.len(), || to_n5(&changed))),
        ] {
            println!("{kind}, {what}: {times} times");
            assert!(times < 20, "{kind}, {what}: {times} times its size");
        }
        assert!(
            to_n5(&zarr).is_none() && to_n5(&changed).is_some(),
            "{kind}"
        );
    }
}

/// A store with a raw uint8 array of this shape, every block of which is there.
fn raw_array(shape: &[u64], block_shape: &[u64]) -> Array<MemoryStore> {
    let array = array_builder(
        shape.to_vec(),
        block_shape,
        data_type::uint8(),
        &Compression::Raw,
    );
    let array = array.unwrap().build(Arc::default(), "/").unwrap();
    let elements: Vec<u8> = (0..=250)
        .cycle()
        .take(array.subset_all().num_elements_usize())
        .collect();
    array
        .store_array_subset(&array.subset_all(), &elements)
        .unwrap();
    array
}

/// What was fetched in ranges is no memory for the next block, which is fetched anew.
#[test]
fn a_region_reader_keeps_no_ranges_of_raw_blocks() {
    let _guard = alone();
    let array = raw_array(&[256, 256, 64], &[64, 64, 64]);
    let reader = RegionReader::new(&array).unwrap().with_concurrency(1);
    let plane = ArraySubset::new_with_ranges(&[0..256, 0..256, 9..10]);
    let mut out = vec![0_u8; 256 * 256];
    reader.read_into(&plane, &mut out).unwrap();
    let before = ALLOCATOR.current_usage();
    for _ in 0..10 {
        reader.read_into(&plane, &mut out).unwrap();
    }
    let kept = ALLOCATOR.current_usage().saturating_sub(before);
    assert!(kept < 64 * 64, "{kept} bytes");
}

/// Blocks of a byte need more memory for what is known of them than for their elements.
#[test]
fn a_region_reader_holds_no_more_small_blocks_than_memory_allows() {
    let _guard = alone();
    let array = raw_array(&[2, 20_000], &[2, 1]);
    let reader = RegionReader::new(&array).unwrap().with_concurrency(1);
    let mut out = vec![0_u8; 40_000];
    ALLOCATOR.reset_peak_usage();
    let before = ALLOCATOR.current_usage();
    reader.read_into(&array.subset_all(), &mut out).unwrap();
    let used = ALLOCATOR.peak_usage() - before;
    assert!(used < 5 << 18, "{used} bytes");
}

/// Blocks that are missing take no memory, however large the array says that they are.
#[cfg(feature = "gzip")]
#[test]
fn a_region_reader_sets_nothing_aside_for_huge_blocks_that_are_missing() {
    let _guard = alone();
    let array = array_builder(
        vec![1 << 30],
        [1 << 30],
        data_type::uint8(),
        &Compression::gzip(),
    );
    let array: Array<MemoryStore> = array.unwrap().build(Arc::default(), "/").unwrap();
    let reader = RegionReader::new(&array).unwrap().with_concurrency(1);
    ALLOCATOR.reset_peak_usage();
    let before = ALLOCATOR.current_usage();
    let one = ArraySubset::new_with_start_shape(vec![7], vec![1]).unwrap();
    assert_eq!(reader.read::<u8>(&one).unwrap(), [0]);
    let used = ALLOCATOR.peak_usage() - before;
    assert!(used < 1 << 20, "{used} bytes");
}
