//! Broken blocks give an error that says what was found and what was expected: no panic and no
//! wrong value.

use crate::broken_blocks::{assert_says, decode, error, good_block, header};
use crate::oracle::{COMPRESSORS, codec};

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
