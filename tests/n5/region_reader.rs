//! The region reader gives the bytes that zarrs gives, in either order, and says what it could not
//! read.

#[cfg(feature = "async")]
mod asynchronous;
mod memory;
mod outcomes;
mod refusals;
mod requests;

use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use zarrs::array::{Array, ArraySubset, ElementOwned, FillValue};
use zarrs::storage::byte_range::ByteRangeIterator;
use zarrs::storage::store::MemoryStore;
use zarrs::storage::{
    MaybeBytes, MaybeBytesIterator, ReadableStorageTraits, StorageError, StoreKey,
    WritableStorageTraits,
};
use zarrs_interop::n5::region_reader::BlockFailureReason;
use zarrs_interop::n5::{
    BlockErrors, DimensionOrder, MissingBlocks, N5DataType, RegionError, RegionReader,
};

use crate::careless_array::{FILL, SHAPE, array_json, entries, grids, n5_default, regions};
use crate::oracle::{self, block, for_each_position, index};

/// The grids that N5 has: of those of the careless array all but the last.
fn n5_grids() -> impl Iterator<Item = String> {
    grids().into_iter().take(2)
}

fn careless(grid: &str, compressor: &str) -> Array<MemoryStore> {
    let store = MemoryStore::new();
    for (key, value) in entries(grid, compressor) {
        store.set(&key, value).unwrap();
    }
    Array::open(Arc::new(store), "/").unwrap()
}

fn reader<S: ?Sized>(
    array: &Array<S>,
    threads: usize,
    memory: Option<usize>,
) -> RegionReader<'_, S> {
    let reader = RegionReader::new(array).unwrap().with_concurrency(threads);
    match memory {
        Some(memory) => reader.with_memory(memory),
        None => reader,
    }
}

/// The elements of an array of `shape`, given in C order, in C order of the transposed array: by
/// loops over coordinates.
fn transposed<T: Copy>(elements: &[T], shape: &[u64]) -> Vec<T> {
    let backwards: Vec<u64> = shape.iter().rev().copied().collect();
    let mut out = Vec::with_capacity(elements.len());
    for_each_position(&backwards, |position| {
        let position: Vec<u64> = position.iter().rev().copied().collect();
        out.push(elements[index(shape, &position)]);
    });
    out
}

#[test]
fn a_careless_array_reads_the_same_in_both_orders() {
    for grid in n5_grids() {
        for compressor in oracle::COMPRESSORS {
            let array = careless(&grid, compressor);
            for (threads, memory) in [(1, None), (3, None), (1, Some(0)), (2, Some(1 << 30))] {
                let reader = reader(&array, threads, memory);
                for (region, expected) in regions() {
                    let found: Vec<u16> = reader.read(&region).unwrap();
                    assert_eq!(found, expected, "{grid} {compressor} {region}");
                }
                let reader = reader.with_dimension_order(DimensionOrder::Reversed);
                for (region, expected) in regions() {
                    let found: Vec<u16> = reader.read(&region).unwrap();
                    let expected = transposed(&expected, region.shape());
                    assert_eq!(found, expected, "reversed {grid} {compressor} {region}");
                }
            }
        }
    }
}

/// An array of blocks that were cut, padded, and left away, made by numbers that proptest chooses.
#[derive(Clone, Debug)]
struct Case {
    data_type: N5DataType,
    compressor: &'static str,
    is_bounded: bool,
    /// Array, block, and the start and the end of the region, for each dimension.
    axes: Vec<(u64, u64, u64, u64)>,
    /// What is done to the blocks, one after the other.
    habits: Vec<u8>,
    threads: usize,
    memory: Option<usize>,
}

fn cases() -> impl Strategy<Value = Case> {
    let axis = (1_u64..24, 1_u64..12).prop_flat_map(|(array, block)| {
        (Just(array), Just(block), 0..=array, 0..=array)
            .prop_map(|(array, block, a, b)| (array, block, a.min(b), a.max(b)))
    });
    (
        prop::sample::select(N5DataType::ALL.as_slice()),
        prop::sample::select(oracle::COMPRESSORS),
        any::<bool>(),
        prop::collection::vec(axis, 1..4),
        prop::collection::vec(0..6_u8, 7),
        1..4_usize,
        // Room for one to four blocks beside what writing needs.
        prop_oneof![
            Just(None),
            Just(Some(0)),
            (300_000..310_000_usize).prop_map(Some)
        ],
    )
        .prop_map(
            |(data_type, compressor, is_bounded, axes, habits, threads, memory)| Case {
                data_type,
                compressor,
                is_bounded,
                axes,
                habits,
                threads,
                memory,
            },
        )
}

impl Case {
    fn array(&self) -> Array<MemoryStore> {
        let shape: Vec<u64> = self.axes.iter().map(|axis| axis.0).collect();
        let blocks: Vec<u64> = self.axes.iter().map(|axis| axis.1).collect();
        let grid = if self.is_bounded {
            "zarrs.regular_bounded"
        } else {
            "regular"
        };
        let fill_value = match self.data_type {
            N5DataType::Float32 | N5DataType::Float64 => "-1.5",
            _ => "7",
        };
        let json = format!(
            r#"{{"zarr_format":3,"node_type":"array","shape":{shape:?},"data_type":"{}",
                "fill_value":{fill_value},
                "chunk_grid":{{"name":"{grid}","configuration":{{"chunk_shape":{blocks:?}}}}},
                "chunk_key_encoding":{{"name":"v2","configuration":{{"separator":"/"}}}},
                "codecs":[{}]}}"#,
            self.data_type.name(),
            serde_json::to_string(&oracle::metadata(shape.len(), self.compressor)).unwrap()
        );
        let store = MemoryStore::new();
        store
            .set(&StoreKey::new("zarr.json").unwrap(), json.into())
            .unwrap();
        let grid_shape: Vec<u64> = self
            .axes
            .iter()
            .map(|axis| axis.0.div_ceil(axis.1))
            .collect();
        let mut number = 0_usize;
        for_each_position(&grid_shape, |at| {
            let habit = self.habits[number % self.habits.len()];
            number += 1;
            let mut size = blocks.clone();
            match habit {
                // Left away.
                0 => return,
                // Ends with the array.
                1 => {
                    for (axis, len) in size.iter_mut().enumerate() {
                        *len = (*len).min(shape[axis] - at[axis] * blocks[axis]);
                    }
                }
                // Shorter and longer than it should be.
                2 => size[0] = size[0].div_ceil(2),
                3 => *size.last_mut().unwrap() += 2,
                _ => {}
            }
            let bytes = size.iter().product::<u64>() * self.data_type.size() as u64;
            let elements: Vec<u8> = (0..bytes)
                .map(|i| {
                    ((i + number as u64 * 977).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
                })
                .collect();
            let key = at.iter().map(u64::to_string).collect::<Vec<_>>().join("/");
            let block = block(&size, self.data_type, &elements, self.compressor);
            store
                .set(&StoreKey::new(key).unwrap(), block.into())
                .unwrap();
        });
        Array::open(Arc::new(store), "/").unwrap()
    }

    fn region(&self) -> ArraySubset {
        let ranges: Vec<_> = self.axes.iter().map(|axis| axis.2..axis.3).collect();
        ArraySubset::new_with_ranges(&ranges)
    }

    /// Compares as bytes, as elements may be NaN.
    fn check<T: ElementOwned + bytemuck::Pod + Debug>(&self) {
        let (array, region) = (self.array(), self.region());
        let expected: Vec<T> = array.retrieve_array_subset(&region).unwrap();
        let reader = reader(&array, self.threads, self.memory);
        let found: Vec<T> = reader.read(&region).unwrap();
        assert_eq!(
            bytemuck::cast_slice::<T, u8>(&found),
            bytemuck::cast_slice::<T, u8>(&expected)
        );
        let reader = reader.with_dimension_order(DimensionOrder::Reversed);
        let mut found = vec![T::zeroed(); expected.len()];
        reader.read_into(&region, &mut found).unwrap();
        let expected = transposed(&expected, region.shape());
        assert_eq!(
            bytemuck::cast_slice::<T, u8>(&found),
            bytemuck::cast_slice::<T, u8>(&expected)
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(400)
    })]

    #[test]
    fn regions_equal_those_of_zarrs(case in cases()) {
        match case.data_type {
            N5DataType::UInt8 => case.check::<u8>(),
            N5DataType::UInt16 => case.check::<u16>(),
            N5DataType::UInt32 => case.check::<u32>(),
            N5DataType::UInt64 => case.check::<u64>(),
            N5DataType::Int8 => case.check::<i8>(),
            N5DataType::Int16 => case.check::<i16>(),
            N5DataType::Int32 => case.check::<i32>(),
            N5DataType::Int64 => case.check::<i64>(),
            N5DataType::Float32 => case.check::<f32>(),
            N5DataType::Float64 => case.check::<f64>(),
        }
    }
}

/// Blocks whose rows fill the tiles of the reordering loop, one by one, by two, and in whole rows.
#[test]
fn large_blocks_read_the_same() {
    let block = 40 * 33 * 16;
    for (data_type, memory) in [
        (N5DataType::UInt8, 0),
        (N5DataType::UInt8, 4 * block + (300 << 10)),
        (N5DataType::UInt16, 1 << 30),
        (N5DataType::Float32, 4 * 4 * block + (300 << 10)),
        (N5DataType::UInt64, 0),
        (N5DataType::UInt64, 1 << 30),
    ] {
        let case = Case {
            data_type,
            compressor: "",
            is_bounded: true,
            axes: vec![(90, 40, 3, 88), (70, 33, 0, 70), (61, 16, 1, 61)],
            habits: vec![4, 1, 4, 2, 5, 0, 3],
            threads: 2,
            memory: Some(memory),
        };
        match data_type {
            N5DataType::UInt8 => case.check::<u8>(),
            N5DataType::UInt16 => case.check::<u16>(),
            N5DataType::Float32 => case.check::<f32>(),
            _ => case.check::<u64>(),
        }
    }
}

#[cfg(feature = "ndarray")]
#[test]
fn an_ndarray_has_the_shape_of_the_output() {
    let array = careless(&grids()[0], "");
    let reader = RegionReader::new(&array).unwrap();
    let region = ArraySubset::new_with_ranges(&[1..6, 1..4, 1..3]);
    let stored = reader.read_ndarray::<u16>(&region).unwrap();
    assert_eq!(stored.shape(), [5, 3, 2]);
    let reader = reader.with_dimension_order(DimensionOrder::Reversed);
    let reversed = reader.read_ndarray::<u16>(&region).unwrap();
    assert_eq!(reversed, stored.reversed_axes());
}
