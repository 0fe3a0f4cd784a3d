//! Writing a part of a block keeps the rest of it: on every grid, over edge blocks of either kind,
//! in place or not.

use std::sync::Arc;

use zarrs::array::{Array, ArraySubset, CodecOptions};
use zarrs::storage::store::MemoryStore;
use zarrs::storage::{
    Bytes, ListableStorageTraits, MaybeBytesIterator, OffsetBytesIterator, ReadableStorageTraits,
    StorageError, StoreKey, StorePrefix, WritableStorageTraits, byte_range::ByteRangeIterator,
};
use zarrs_interop::n5::{BlockHeader, N5DataType};

use crate::oracle::{self, block, for_each_position, index};

const SHAPE: [u64; 2] = [7, 5];

fn value(position: &[u64]) -> u16 {
    u16::try_from(1000 + index(&SHAPE, position)).unwrap()
}

fn json(grid: &str, compressor: &str) -> String {
    format!(
        r#"{{"zarr_format":3,"node_type":"array","shape":{SHAPE:?},"data_type":"uint16","fill_value":0,
            "chunk_grid":{{"name":"{grid}","configuration":{{"chunk_shape":[4,3]}}}},
            "chunk_key_encoding":{{"name":"v2","configuration":{{"separator":"/"}}}},
            "codecs":[{}]}}"#,
        serde_json::to_string(&oracle::metadata(2, compressor)).unwrap()
    )
}

fn key(text: &str) -> StoreKey {
    StoreKey::new(text).unwrap()
}

/// An array whose edge blocks are padded or truncated, whatever its grid.
fn store(grid: &str, compressor: &str, padded: bool) -> Arc<MemoryStore> {
    let store = Arc::new(MemoryStore::new());
    store
        .set(&key("zarr.json"), json(grid, compressor).into())
        .unwrap();
    for_each_position(&[2, 2], |grid_position| {
        let start = [grid_position[0] * 4, grid_position[1] * 3];
        let shape = if padded {
            [4, 3]
        } else {
            [4.min(7 - start[0]), 3.min(5 - start[1])]
        };
        let mut elements = Vec::new();
        for_each_position(&shape, |at| {
            let position = [start[0] + at[0], start[1] + at[1]];
            let inside = position[0] < 7 && position[1] < 5;
            let element = if inside { value(&position) } else { 0 };
            elements.extend(element.to_ne_bytes());
        });
        let block = block(&shape, N5DataType::UInt16, &elements, compressor);
        let [x, y] = grid_position else { panic!() };
        store.set(&key(&format!("{x}/{y}")), block.into()).unwrap();
    });
    store
}

/// Every box within the array.
fn all_boxes() -> Vec<ArraySubset> {
    let mut boxes = Vec::new();
    for_each_position(&[7, 7, 5, 5], |at| {
        if at[0] <= at[1] && at[2] <= at[3] {
            boxes.push(ArraySubset::new_with_ranges(&[
                at[0]..at[1] + 1,
                at[2]..at[3] + 1,
            ]));
        }
    });
    boxes
}

fn check(
    grid: &str,
    compressor: &str,
    padded: bool,
    options: &CodecOptions,
    boxes: &[ArraySubset],
) {
    for written in boxes {
        let array = Array::open(store(grid, compressor, padded), "/").unwrap();
        let count = u16::try_from(written.num_elements()).unwrap();
        let new: Vec<u16> = (1..=count).collect();
        array
            .store_array_subset_opt(written, &new, options)
            .unwrap();

        let mut new = new.into_iter();
        let mut expected = Vec::new();
        for_each_position(&SHAPE, |position| {
            expected.push(if written.contains(position) {
                new.next().unwrap()
            } else {
                value(position)
            });
        });
        let found: Vec<u16> = array.retrieve_array_subset(&array.subset_all()).unwrap();
        assert_eq!(
            found, expected,
            "{grid} {compressor} padded {padded} {written}"
        );
    }
}

#[test]
fn every_box_over_raw_blocks() {
    for grid in ["regular", "zarrs.regular_bounded"] {
        for padded in [false, true] {
            for in_place in [false, true] {
                let options = CodecOptions::default().with_experimental_partial_encoding(in_place);
                check(grid, "", padded, &options, &all_boxes());
            }
        }
    }
}

#[test]
fn some_boxes_over_compressed_blocks() {
    let boxes: Vec<_> = all_boxes().into_iter().step_by(17).collect();
    for grid in ["regular", "zarrs.regular_bounded"] {
        for padded in [false, true] {
            for compressor in oracle::COMPRESSORS.iter().filter(|name| !name.is_empty()) {
                check(grid, compressor, padded, &CodecOptions::default(), &boxes);
            }
        }
    }
}

fn shape_of(store: &MemoryStore, block: &str) -> Vec<u32> {
    let block = store.get(&key(block)).unwrap().unwrap();
    BlockHeader::parse(&block).unwrap().0.shape().to_vec()
}

#[test]
fn edge_blocks_are_padded_on_a_regular_grid_and_truncated_on_a_bounded_one() {
    for (grid, corner) in [("regular", [4, 3]), ("zarrs.regular_bounded", [3, 2])] {
        let store = Arc::new(MemoryStore::new());
        store.set(&key("zarr.json"), json(grid, "").into()).unwrap();
        let array = Array::open(store.clone(), "/").unwrap();
        array
            .store_array_subset(&array.subset_all(), &[1u16; 35])
            .unwrap();
        assert_eq!(shape_of(&store, "0/0"), [4, 3]);
        assert_eq!(shape_of(&store, "1/1"), corner, "{grid}");
    }
}

#[test]
fn blocks_of_nothing_but_fill_follow_the_setting_of_zarrs() {
    for (keep, count) in [(false, 0), (true, 4)] {
        let store = Arc::new(MemoryStore::new());
        store
            .set(&key("zarr.json"), json("regular", "").into())
            .unwrap();
        let array = Array::open(store.clone(), "/").unwrap();
        let options = CodecOptions::default().with_store_empty_chunks(keep);
        array
            .store_array_subset_opt(&array.subset_all(), &[0u16; 35], &options)
            .unwrap();
        assert_eq!(store.list().unwrap().len(), 1 + count);
    }
}

/// A store that can write parts of a value, and fails when it is asked to write a whole one.
struct PartsOnly(MemoryStore);

impl ReadableStorageTraits for PartsOnly {
    fn get_partial_many<'a>(
        &'a self,
        key: &StoreKey,
        byte_ranges: ByteRangeIterator<'a>,
    ) -> Result<MaybeBytesIterator<'a>, StorageError> {
        self.0.get_partial_many(key, byte_ranges)
    }

    fn size_key(&self, key: &StoreKey) -> Result<Option<u64>, StorageError> {
        self.0.size_key(key)
    }

    fn supports_get_partial(&self) -> bool {
        true
    }
}

impl WritableStorageTraits for PartsOnly {
    fn set(&self, _key: &StoreKey, _value: Bytes) -> Result<(), StorageError> {
        Err(StorageError::ReadOnly)
    }

    fn set_partial_many(
        &self,
        key: &StoreKey,
        offset_values: OffsetBytesIterator,
    ) -> Result<(), StorageError> {
        let values: Vec<(u64, Bytes)> = offset_values.collect();
        let size = self.0.size_key(key)?.unwrap_or(0);
        let is_whole = values
            .iter()
            .any(|(offset, value)| *offset == 0 && value.len() as u64 >= size);
        if is_whole {
            return Err(StorageError::ReadOnly);
        }
        self.0.set_partial_many(key, Box::new(values.into_iter()))
    }

    fn erase(&self, _key: &StoreKey) -> Result<(), StorageError> {
        Err(StorageError::ReadOnly)
    }

    fn erase_prefix(&self, _prefix: &StorePrefix) -> Result<(), StorageError> {
        Err(StorageError::ReadOnly)
    }

    fn supports_set_partial(&self) -> bool {
        true
    }
}

/// 64 x 64 x 64 elements of 2 bytes in one raw block.
#[test]
fn a_large_raw_block_is_changed_in_place() {
    let shape = [64, 64, 64];
    let memory = MemoryStore::new();
    let document = json("regular", "")
        .replace(&format!("{SHAPE:?}"), "[64,64,64]")
        .replace("[4,3]", "[64,64,64]")
        .replace(
            &serde_json::to_string(&oracle::metadata(2, "")).unwrap(),
            &serde_json::to_string(&oracle::metadata(3, "")).unwrap(),
        );
    memory.set(&key("zarr.json"), document.into()).unwrap();
    let elements = oracle::elements(&shape, N5DataType::UInt16, 5);
    let block = block(&shape, N5DataType::UInt16, &elements, "");
    memory.set(&key("0/0/0"), block.into()).unwrap();

    let array = Array::open(Arc::new(PartsOnly(memory)), "/").unwrap();
    let written = ArraySubset::new_with_ranges(&[3..9, 4..6, 5..8]);
    let options = CodecOptions::default().with_experimental_partial_encoding(true);
    array
        .store_array_subset_opt(&written, &[0xabcd_u16; 36], &options)
        .unwrap();

    let found: Vec<u16> = array.retrieve_array_subset(&array.subset_all()).unwrap();
    for_each_position(&shape, |position| {
        let at = index(&shape, position);
        let old = u16::from_ne_bytes([elements[2 * at], elements[2 * at + 1]]);
        let expected = if written.contains(position) {
            0xabcd
        } else {
            old
        };
        assert_eq!(found[at], expected, "{position:?}");
    });
}
