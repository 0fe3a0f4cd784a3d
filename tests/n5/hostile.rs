//! Broken blocks give an error that says what was found and what was expected: no panic and no
//! wrong value.

use crate::broken_blocks::{assert_says, decode, error, good_block, header};
use crate::oracle::{COMPRESSORS, codec};
use serde_json::json;
use zarrs::array::data_type;
use zarrs::storage::store::MemoryStore;
use zarrs::storage::{ReadableStorageTraits, StoreKey, WritableStorageTraits};
use zarrs_interop::n5::{
    Compression, DimensionOrder, MissingBlocks, N5DefaultStore, RegionReader, array_builder,
    open_array,
};

/// The longest dimension that N5 holds.
const MOST: u64 = (1 << 63) - 1;

fn dataset(length: u64) -> MemoryStore {
    let store = MemoryStore::new();
    let attributes = json!({
        "dimensions": [length, length, 3], "blockSize": [64, 64, 64], "dataType": "uint8",
        "compression": {"type": "raw"}
    });
    let key = StoreKey::new("attributes.json").unwrap();
    store.set(&key, attributes.to_string().into()).unwrap();
    store
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
fn the_last_elements_of_the_longest_dimensions_are_read() {
    let array = open_array(dataset(MOST), "/").unwrap();
    let last = [MOST - 3..MOST, MOST - 2..MOST, 0..3];
    let elements: Vec<u8> = array.retrieve_array_subset(&last).unwrap();
    assert_eq!(elements, [0; 18]);
    let reader = RegionReader::new(&array).unwrap();
    assert_eq!(reader.read::<u8>(&last).unwrap(), [0; 18]);
    let reader = reader.with_missing(MissingBlocks::Error);
    let error = reader.read::<u8>(&last).unwrap_err().to_string();
    assert_says(&error, &["144115188075855871/144115188075855871/0"]);
}

/// Beyond them zarrs adds an offset and a length without a check.
#[test]
fn longer_dimensions_are_refused_by_whatever_reads_or_writes_them() {
    for length in [MOST + 1, u64::MAX] {
        let says = [
            &format!("dimension 0 is {length} elements long") as &str,
            "N5 holds at most 9223372036854775807",
        ];
        let error = open_array(dataset(length), "/").unwrap_err();
        assert_says(&error.to_string(), &says);
        for order in [DimensionOrder::AsStored, DimensionOrder::Reversed] {
            let store = N5DefaultStore::new(dataset(length)).with_dimension_order(order);
            let document = store.get(&StoreKey::new("zarr.json").unwrap());
            assert_says(&document.unwrap_err().to_string(), &says);
        }
        let shape = vec![length, 1];
        let built = array_builder(shape.clone(), [1, 1], data_type::uint8(), &Compression::Raw);
        assert_says(&built.unwrap_err().to_string(), &says);

        // zarrs itself makes such an array, and the store refuses its metadata.
        let plain = array_builder([1, 1], [1, 1], data_type::uint8(), &Compression::Raw).unwrap();
        let mut metadata = serde_json::to_value(plain.build_metadata().unwrap()).unwrap();
        metadata["shape"] = json!(shape);
        let store = N5DefaultStore::new(MemoryStore::new());
        let key = StoreKey::new("zarr.json").unwrap();
        let stored = store.set(&key, metadata.to_string().into());
        assert_says(&stored.unwrap_err().to_string(), &says);
    }
}
