//! Broken blocks give an error that says what was found and what was expected: no panic, no wrong value, and no
//! memory on the word of a header.
#![cfg(feature = "n5")]

mod oracle;

use std::borrow::Cow;
use std::sync::Arc;

use oracle::{COMPRESSORS, codec, elements, fill_value, non_zero};
use peak_alloc::PeakAlloc;
use zarrs::array::ArraySubset;
use zarrs::array::codec::api::{ArrayToBytesCodecTraits, CodecOptions};
use zarrs_interop::n5::{BlockHeader, N5DataType};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const SHAPE: [u64; 3] = [5, 4, 3];
const DATA_TYPE: N5DataType = N5DataType::UInt16;

/// Decodes as a chunk of [`SHAPE`], whole and then a part of it.
fn decode(codec: &Arc<dyn ArrayToBytesCodecTraits>, block: &[u8]) -> Result<Vec<u8>, String> {
    let data_type = oracle::zarr_data_type(DATA_TYPE);
    let (shape, fill) = (non_zero(&SHAPE), fill_value(DATA_TYPE));
    let options = CodecOptions::default();
    let whole = codec
        .decode(Cow::Borrowed(block), &shape, &data_type, &fill, &options)
        .map(|bytes| bytes.into_fixed().unwrap().into_owned())
        .map_err(|error| error.to_string());
    let part = codec
        .clone()
        .partial_decoder(
            Arc::new(block.to_vec()),
            &shape,
            &data_type,
            &fill,
            &options,
        )
        .unwrap()
        .partial_decode(&ArraySubset::new_with_shape(SHAPE.to_vec()), &options)
        .map(|bytes| bytes.into_fixed().unwrap().into_owned())
        .map_err(|error| error.to_string());
    match (&whole, &part) {
        (Ok(whole), Ok(part)) => assert_eq!(whole, part),
        // Surplus bytes are all that a partial read of a raw block may overlook.
        (Err(error), Ok(_)) => assert!(error.contains("payload"), "{error}"),
        (Err(whole), Err(part)) => assert_eq!(whole, part),
        (Ok(_), Err(error)) => panic!("only the part fails: {error}"),
    }
    whole
}

fn error(compressor: &str, block: &[u8]) -> String {
    decode(&codec(3, compressor), block).unwrap_err()
}

fn header(shape: &[u64]) -> Vec<u8> {
    BlockHeader::new(shape).unwrap().to_bytes()
}

fn good_block(compressor: &str) -> Vec<u8> {
    oracle::block(
        &SHAPE,
        DATA_TYPE,
        &elements(&SHAPE, DATA_TYPE, 3),
        compressor,
    )
}

#[track_caller]
fn assert_says(error: &str, texts: &[&str]) {
    for text in texts {
        assert!(error.contains(text), "`{text}` is missing in: {error}");
    }
}

#[test]
fn every_prefix_of_a_block_is_refused() {
    for compressor in COMPRESSORS {
        let block = good_block(compressor);
        let codec = codec(3, compressor);
        assert!(decode(&codec, &block).is_ok());
        // LZ4Block readers do without the 21 bytes of the end frame.
        let end_frame = if compressor.contains("lz4_java") {
            21
        } else {
            0
        };
        for length in 0..block.len() - end_frame {
            let error = decode(&codec, &block[..length]).expect_err(compressor);
            assert!(error.contains("N5 block"), "{compressor} {length}: {error}");
        }
    }
}

#[test]
fn changed_bytes_give_an_error_or_values_but_no_panic() {
    for compressor in COMPRESSORS {
        let block = good_block(compressor);
        let codec = codec(3, compressor);
        for position in 0..block.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut block = block.clone();
                block[position] ^= change;
                if let Ok(elements) = decode(&codec, &block) {
                    assert_eq!(elements.len(), 120, "{compressor} {position}");
                }
            }
        }
    }
}

#[test]
fn surplus_bytes_of_a_raw_block_are_refused() {
    let mut block = good_block("");
    block.push(0);
    assert_says(&error("", &block), &["121 bytes", "expected 120"]);
}

#[test]
fn a_missing_byte_of_a_raw_block_is_refused() {
    let mut block = good_block("");
    block.pop();
    assert_says(&error("", &block), &["119 bytes", "expected 120"]);
}

#[test]
fn an_empty_object_is_refused() {
    assert_says(&error("", &[]), &["at least 2 bytes", "found 0"]);
}

#[test]
fn short_headers_are_refused() {
    assert_says(&error("", &[0]), &["at least 2 bytes", "found 1"]);
    assert_says(&error("", &[0, 0, 0]), &["at least 4 bytes", "found 3"]);
    assert_says(
        &error("", &[0, 0, 0, 3, 0, 0, 0, 5]),
        &["at least 16 bytes", "found 8"],
    );
}

#[test]
fn another_number_of_dimensions_is_refused() {
    let mut block = header(&[5, 4]);
    block.resize(block.len() + 40, 1);
    assert_says(
        &error("", &block),
        &["2 dimensions", "[5, 4]", "expected 3"],
    );
}

#[test]
fn other_modes_are_refused() {
    for (mode, text) in [(1, "mode is 1"), (2, "mode is 2"), (7, "mode 7")] {
        let mut block = good_block("");
        block[1] = mode;
        assert_says(&error("", &block), &[text, "default"]);
    }
}

#[test]
fn a_zero_dimension_is_refused() {
    let mut block = good_block("");
    block[8..12].fill(0);
    assert_says(&error("", &block), &["dimension 1", "[5, 0, 3]"]);
}

#[test]
fn dimensions_over_the_limit_are_refused_before_anything_is_allocated() {
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
    let zeros = vec![0; 16 << 20];
    let bomb_shape = [1 << 13, 1 << 10, 1];
    for compressor in COMPRESSORS.iter().filter(|name| !name.is_empty()) {
        let bomb = oracle::block(&bomb_shape, DATA_TYPE, &zeros, compressor);
        let mut block = header(&SHAPE);
        block.extend_from_slice(&bomb[16..]);
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
