//! The region reader gives the bytes that zarrs gives, in either order, and says what it could not
//! read.

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
            for threads in [1, 3] {
                let reader = RegionReader::new(&array).unwrap();
                let reader = reader.with_concurrency(threads);
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
    )
        .prop_map(
            |(data_type, compressor, is_bounded, axes, habits, threads)| Case {
                data_type,
                compressor,
                is_bounded,
                axes,
                habits,
                threads,
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
        let reader = RegionReader::new(&array).unwrap();
        let reader = reader.with_concurrency(self.threads);
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

/// Blocks whose rows fill the tiles of the reordering loop.
#[test]
fn large_blocks_read_the_same() {
    for data_type in [
        N5DataType::UInt8,
        N5DataType::UInt16,
        N5DataType::Float32,
        N5DataType::UInt64,
    ] {
        let case = Case {
            data_type,
            compressor: "",
            is_bounded: true,
            axes: vec![(90, 40, 3, 88), (70, 33, 0, 70), (101, 64, 1, 101)],
            habits: vec![4, 1, 4, 2, 5, 0, 3],
            threads: 2,
        };
        match data_type {
            N5DataType::UInt8 => case.check::<u8>(),
            N5DataType::UInt16 => case.check::<u16>(),
            N5DataType::Float32 => case.check::<f32>(),
            _ => case.check::<u64>(),
        }
    }
}

#[test]
fn a_summary_counts_the_blocks() {
    let array = careless(&grids()[0], "");
    let reader = RegionReader::new(&array).unwrap();
    let mut out = vec![0_u16; 140];
    let summary = reader.read_into(&array.subset_all(), &mut out).unwrap();
    assert_eq!((summary.blocks_read, summary.blocks_missing), (17, 1));
    assert!(summary.failures.is_empty());
}

#[test]
fn progress_reaches_the_number_of_blocks() {
    let array = careless(&grids()[0], "");
    let seen = Arc::new(Mutex::new(Vec::new()));
    let seen_by_reader = Arc::clone(&seen);
    let reader = RegionReader::new(&array).unwrap().with_concurrency(3);
    let reader = reader.with_progress(move |progress| {
        assert_eq!(progress.blocks, 18);
        seen_by_reader.lock().unwrap().push(progress.blocks_done);
    });
    reader.read::<u16>(&array.subset_all()).unwrap();
    assert_eq!(*seen.lock().unwrap(), (1..=18).collect::<Vec<u64>>());
}

#[test]
fn a_missing_block_is_an_error_if_it_is_to_be_one() {
    for compressor in oracle::COMPRESSORS {
        let array = careless(&grids()[1], compressor);
        let reader = RegionReader::new(&array).unwrap();
        let reader = reader.with_missing(MissingBlocks::Error);
        let error = reader.read::<u16>(&array.subset_all()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "array /: block [0, 0, 1] at key 0/0/1: there is no block: expected one, as missing blocks \
             were to be errors"
        );
        let RegionError::Block(failure) = error else {
            panic!("{error} is not about a block");
        };
        assert!(matches!(failure.reason, BlockFailureReason::Missing));
        // One element of it, of which a raw block would be read in ranges.
        let region = ArraySubset::new_with_ranges(&[0..1, 0..1, 2..3]);
        assert!(reader.read::<u16>(&region).is_err());
        let region = ArraySubset::new_with_ranges(&[0..7, 0..5, 0..2]);
        reader.read::<u16>(&region).unwrap();
    }
}

/// The careless array with two corrupt blocks.
fn corrupt(compressor: &str) -> Array<MemoryStore> {
    let array = careless(&grids()[0], compressor);
    for key in ["1/0/0", "2/1/1"] {
        let (key, store) = (StoreKey::new(key).unwrap(), array.storage());
        let mut block = store.get(&key).unwrap().unwrap().to_vec();
        block.truncate(17);
        store.set(&key, block.into()).unwrap();
    }
    array
}

#[test]
fn a_corrupt_block_stops_the_read_with_its_position_and_key() {
    for compressor in oracle::COMPRESSORS {
        let array = corrupt(compressor);
        let reader = RegionReader::new(&array).unwrap().with_concurrency(1);
        let error = reader
            .read::<u16>(&array.subset_all())
            .unwrap_err()
            .to_string();
        let start = "array /: block [1, 0, 0] at key 1/0/0: N5 block: ";
        assert!(error.starts_with(start), "{error}");
    }
}

#[test]
fn all_corrupt_blocks_are_collected_and_filled() {
    for compressor in oracle::COMPRESSORS {
        let array = corrupt(compressor);
        let reader = RegionReader::new(&array).unwrap().with_concurrency(2);
        let reader = reader.with_errors(BlockErrors::Collect);
        let mut out = vec![0_u16; 140];
        let summary = reader.read_into(&array.subset_all(), &mut out).unwrap();
        let positions: Vec<_> = summary
            .failures
            .iter()
            .map(|failure| &failure.position)
            .collect();
        assert_eq!(positions, [&vec![1, 0, 0], &vec![2, 1, 1]]);
        assert_eq!((summary.blocks_read, summary.blocks_missing), (15, 1));

        let (_, mut expected) = regions().swap_remove(0);
        for_each_position(&SHAPE, |at| {
            let is_first = (3..6).contains(&at[0]) && at[1] < 2 && at[2] < 2;
            let is_second = at[0] == 6 && (2..4).contains(&at[1]) && at[2] >= 2;
            if is_first || is_second {
                expected[index(&SHAPE, at)] = FILL;
            }
        });
        assert_eq!(out, expected, "{compressor}");
    }
}

/// A store that counts what is asked of it.
struct Counting {
    inner: MemoryStore,
    requests: AtomicUsize,
    bytes: AtomicU64,
}

impl ReadableStorageTraits for Counting {
    fn get(&self, key: &StoreKey) -> Result<MaybeBytes, StorageError> {
        let value = self.inner.get(key)?;
        self.requests.fetch_add(1, Ordering::Relaxed);
        let size = value.as_ref().map_or(0, |value| value.len() as u64);
        self.bytes.fetch_add(size, Ordering::Relaxed);
        Ok(value)
    }

    fn get_partial_many<'a>(
        &'a self,
        key: &StoreKey,
        ranges: ByteRangeIterator<'a>,
    ) -> Result<MaybeBytesIterator<'a>, StorageError> {
        let ranges: Vec<_> = ranges.collect();
        let size = self.inner.size_key(key)?.unwrap_or_default();
        self.requests.fetch_add(1, Ordering::Relaxed);
        let asked: u64 = ranges.iter().map(|range| range.length(size)).sum();
        self.bytes.fetch_add(asked, Ordering::Relaxed);
        self.inner
            .get_partial_many(key, Box::new(ranges.into_iter()))
    }

    fn size_key(&self, key: &StoreKey) -> Result<Option<u64>, StorageError> {
        self.inner.size_key(key)
    }

    fn supports_get_partial(&self) -> bool {
        true
    }
}

#[test]
fn a_raw_block_of_which_little_is_needed_is_read_in_ranges_by_one_request() {
    let shape = [64, 64, 64];
    let grid = format!(r#"{{"name":"regular","configuration":{{"chunk_shape":{shape:?}}}}}"#);
    let json =
        array_json(&grid, &n5_default("")).replace(&format!("{SHAPE:?}"), &format!("{shape:?}"));
    let store = MemoryStore::new();
    store
        .set(&StoreKey::new("zarr.json").unwrap(), json.into())
        .unwrap();
    let elements: Vec<u8> = (0..2 << 18).map(|i: u32| i.to_le_bytes()[1]).collect();
    let stored = block(&shape, N5DataType::UInt16, &elements, "");
    let whole = stored.len() as u64;
    store
        .set(&StoreKey::new("0/0/0").unwrap(), stored.into())
        .unwrap();
    let store = Arc::new(Counting {
        inner: store,
        requests: AtomicUsize::new(0),
        bytes: AtomicU64::new(0),
    });
    let array = Array::open(Arc::clone(&store), "/").unwrap();
    let reader = RegionReader::new(&array).unwrap();
    let all = 0..64;
    for (region, bytes) in [
        // A plane of the slowest dimension of the block, with the header.
        ([all.clone(), all.clone(), 9..10], 16 + 2 * 64 * 64),
        ([5..6, 6..7, 7..8], 16 + 2),
        // All that the ranges of this plane would leave out is not worth a request for each.
        ([9..10, all.clone(), all.clone()], whole),
        ([all.clone(), all.clone(), all.clone()], whole),
    ] {
        store.requests.store(0, Ordering::Relaxed);
        store.bytes.store(0, Ordering::Relaxed);
        let region = ArraySubset::new_with_ranges(&region);
        let found: Vec<u16> = reader.read(&region).unwrap();
        assert_eq!(store.requests.load(Ordering::Relaxed), 1, "{region}");
        assert_eq!(store.bytes.load(Ordering::Relaxed), bytes, "{region}");
        assert_eq!(
            found,
            array.retrieve_array_subset::<Vec<u16>>(&region).unwrap()
        );
    }
}

fn refusal(codecs: &str, grid: &str) -> String {
    let store = MemoryStore::new();
    let json = array_json(grid, codecs);
    store
        .set(&StoreKey::new("zarr.json").unwrap(), json.into())
        .unwrap();
    let array = Array::open(Arc::new(store), "/").unwrap();
    RegionReader::new(&array).err().unwrap().to_string()
}

#[test]
fn other_arrays_are_refused_by_name() {
    let [regular, _, rectilinear] = grids();
    let n5 = n5_default("");
    let transpose = r#"{"name":"transpose","configuration":{"order":[1,0,2]}}"#;
    let bytes = r#"{"name":"bytes","configuration":{"endian":"big"}}"#;
    let advice = "; read this array with `Array::retrieve_array_subset`";
    for (codecs, grid, expected) in [
        (
            bytes.to_owned(),
            &regular,
            "the array-to-bytes codec is `bytes`: expected `n5_default`",
        ),
        (
            format!("{transpose},{n5}"),
            &regular,
            "`transpose` stands beside the codec `n5_default`: expected no other",
        ),
        (
            format!(r#"{n5},{{"name":"crc32c"}}"#),
            &regular,
            "`crc32c` stands beside the codec `n5_default`: expected no other",
        ),
        (
            n5.clone(),
            &rectilinear,
            "the chunk grid is `rectilinear`: expected `regular` or `zarrs.regular_bounded`",
        ),
    ] {
        assert_eq!(
            refusal(&codecs, grid),
            format!("array /: {expected}{advice}")
        );
    }
}

#[test]
fn a_codec_for_other_dimensions_is_refused() {
    let codecs = serde_json::to_string(&oracle::metadata(2, "")).unwrap();
    assert_eq!(
        refusal(&codecs, &grids()[0]),
        "array /: n5_default: the `transpose` order is for 2 dimensions: expected 3, as the array has"
    );
}

#[test]
fn wrong_requests_are_refused_before_anything_is_read() {
    let array = careless(&grids()[0], "");
    let reader = RegionReader::new(&array).unwrap();
    let all = array.subset_all();
    let text = |result: Result<Vec<u8>, RegionError>| result.unwrap_err().to_string();
    assert_eq!(
        text(reader.read::<u8>(&all)),
        "array /: cannot read its data type uint16 as u8: Incompatible element type for data type"
    );
    let region = ArraySubset::new_with_ranges(&[0..1, 0..1]);
    assert_eq!(
        reader.read::<u16>(&region).unwrap_err().to_string(),
        "array /: the region has 2 dimensions: expected 3"
    );
    let region = ArraySubset::new_with_ranges(&[0..1, 0..6, 0..1]);
    assert_eq!(
        reader.read::<u16>(&region).unwrap_err().to_string(),
        "array /: the region from [0, 0, 0] of shape [1, 6, 1] reaches beyond the array of shape \
         [7, 5, 4]"
    );
    let mut out = vec![5_u16; 139];
    assert_eq!(
        reader.read_into(&all, &mut out).unwrap_err().to_string(),
        "array /: the output has 139 elements: expected 140, as the region has"
    );
    assert!(out.iter().all(|&element| element == 5));
}

#[test]
fn a_region_larger_than_memory_is_an_error() {
    let shape = [1_u64 << 31, 1 << 31, 4];
    let grid = r#"{"name":"regular","configuration":{"chunk_shape":[64,64,4]}}"#;
    let json =
        array_json(grid, &n5_default("")).replace(&format!("{SHAPE:?}"), &format!("{shape:?}"));
    let store = MemoryStore::new();
    store
        .set(&StoreKey::new("zarr.json").unwrap(), json.into())
        .unwrap();
    let array = Array::open(Arc::new(store), "/").unwrap();
    let reader = RegionReader::new(&array).unwrap();
    for ranges in [
        [0..1 << 31, 0..1 << 31, 0..4],
        [0..1 << 31, 0..1 << 30, 0..1],
    ] {
        let region = ArraySubset::new_with_ranges(&ranges);
        let error = reader.read::<u16>(&region).unwrap_err();
        assert!(matches!(error, RegionError::Memory { .. }), "{error}");
    }
    assert_eq!(FillValue::from(FILL), *array.fill_value());
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

#[cfg(feature = "async")]
mod asynchronous {
    use zarrs::storage::AsyncWritableStorageTraits;
    use zarrs::storage::store::AsyncMemoryStore;

    use super::*;

    async fn careless(grid: &str, compressor: &str) -> Array<AsyncMemoryStore> {
        let store = AsyncMemoryStore::new();
        for (key, value) in entries(grid, compressor) {
            store.set(&key, value).await.unwrap();
        }
        Array::async_open(Arc::new(store), "/").await.unwrap()
    }

    #[tokio::test]
    async fn a_careless_array_reads_the_same_in_both_orders() {
        for grid in n5_grids() {
            for compressor in oracle::COMPRESSORS {
                let array = careless(&grid, compressor).await;
                for order in [DimensionOrder::AsStored, DimensionOrder::Reversed] {
                    let reader = RegionReader::new(&array).unwrap();
                    let reader = reader.with_dimension_order(order).with_concurrency(4);
                    for (region, mut expected) in regions() {
                        if order == DimensionOrder::Reversed {
                            expected = transposed(&expected, region.shape());
                        }
                        let found: Vec<u16> = reader.async_read(&region).await.unwrap();
                        assert_eq!(found, expected, "{grid} {compressor} {region}");
                    }
                }
            }
        }
    }

    #[tokio::test]
    async fn reads_can_be_spawned() {
        let array = careless(&grids()[0], "").await;
        let read = tokio::spawn(async move {
            let reader = RegionReader::new(&array).unwrap();
            reader.async_read::<u16>(&array.subset_all()).await.unwrap()
        });
        assert_eq!(read.await.unwrap(), regions().swap_remove(0).1);
    }

    #[tokio::test]
    async fn corrupt_and_missing_blocks_are_told() {
        let array = careless(&grids()[0], "").await;
        let key = StoreKey::new("1/0/0").unwrap();
        array.storage().set(&key, vec![0; 3].into()).await.unwrap();
        let reader = RegionReader::new(&array).unwrap();
        let error = reader.async_read::<u16>(&array.subset_all()).await;
        let error = error.unwrap_err().to_string();
        let start = "array /: block [1, 0, 0] at key 1/0/0: N5 block: ";
        assert!(error.starts_with(start), "{error}");

        let reader = reader
            .with_errors(BlockErrors::Collect)
            .with_missing(MissingBlocks::Error);
        let mut out = vec![0_u16; 140];
        let summary = reader.async_read_into(&array.subset_all(), &mut out).await;
        let summary = summary.unwrap();
        let positions: Vec<_> = summary
            .failures
            .iter()
            .map(|failure| &failure.position)
            .collect();
        assert_eq!(positions, [&vec![0, 0, 1], &vec![1, 0, 0]]);
        assert_eq!(summary.blocks_read, 16);
    }
}
