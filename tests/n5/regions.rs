//! Every region of an N5 array reads the same on every chunk grid, in every kind of store and under
//! every codec, and asks the store for no more than it needs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use zarrs::array::{Array, ArraySubset};
use zarrs::storage::byte_range::{ByteRange, ByteRangeIterator};
use zarrs::storage::store::MemoryStore;
use zarrs::storage::{
    Bytes, MaybeBytes, MaybeBytesIterator, ReadableStorageTraits, StorageError, StoreKey,
    WritableStorageTraits,
};
use zarrs_interop::n5::N5DataType;

use crate::careless_array::{
    FILL, SHAPE, array_json, entries, expected, grids, n5_default, regions,
};
use crate::oracle::{self, block, for_each_position};

fn check_regions<S: ReadableStorageTraits + 'static>(store: Arc<S>) {
    let array = Array::open(store, "/").unwrap();
    for (region, expected) in regions() {
        let found: Vec<u16> = array.retrieve_array_subset(&region).unwrap();
        assert_eq!(found, expected, "{region}");
    }
}

fn store(grid: &str, compressor: &str) -> MemoryStore {
    let store = MemoryStore::new();
    for (key, value) in entries(grid, compressor) {
        store.set(&key, value).unwrap();
    }
    store
}

#[test]
fn every_grid_and_compressor_in_memory() {
    for grid in grids() {
        for compressor in oracle::COMPRESSORS {
            check_regions(Arc::new(store(&grid, compressor)));
        }
    }
}

#[cfg(feature = "filesystem")]
#[test]
fn every_grid_in_a_folder() {
    use zarrs::filesystem::FilesystemStore;

    for grid in grids() {
        let folder = tempfile::tempdir().unwrap();
        let files = FilesystemStore::new(folder.path()).unwrap();
        for (key, value) in entries(&grid, "") {
            files.set(&key, value).unwrap();
        }
        check_regions(Arc::new(files));
    }
}

/// A store that counts what is asked of it, and can only read ranges if it is told so.
struct Counting {
    inner: MemoryStore,
    reads_ranges: bool,
    requests: AtomicUsize,
    bytes: AtomicUsize,
}

impl Counting {
    fn new(inner: MemoryStore, reads_ranges: bool) -> Self {
        Self {
            inner,
            reads_ranges,
            requests: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
        }
    }

    /// What was asked for since the last call: requests and bytes.
    fn take(&self) -> (usize, usize) {
        (
            self.requests.swap(0, Ordering::Relaxed),
            self.bytes.swap(0, Ordering::Relaxed),
        )
    }
}

impl ReadableStorageTraits for Counting {
    fn get(&self, key: &StoreKey) -> Result<MaybeBytes, StorageError> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        let value = self.inner.get(key)?;
        let length = value.as_ref().map_or(0, Bytes::len);
        self.bytes.fetch_add(length, Ordering::Relaxed);
        Ok(value)
    }

    fn get_partial_many<'a>(
        &'a self,
        key: &StoreKey,
        byte_ranges: ByteRangeIterator<'a>,
    ) -> Result<MaybeBytesIterator<'a>, StorageError> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        let size = self.inner.size_key(key)?.unwrap_or(0);
        let ranges: Vec<ByteRange> = byte_ranges.collect();
        for range in &ranges {
            self.bytes.fetch_add(
                usize::try_from(range.end(size).saturating_sub(range.start(size))).unwrap(),
                Ordering::Relaxed,
            );
        }
        self.inner
            .get_partial_many(key, Box::new(ranges.into_iter()))
    }

    fn size_key(&self, key: &StoreKey) -> Result<Option<u64>, StorageError> {
        self.inner.size_key(key)
    }

    fn supports_get_partial(&self) -> bool {
        self.reads_ranges
    }
}

#[test]
fn a_store_without_ranges() {
    for grid in grids() {
        for compressor in oracle::COMPRESSORS {
            check_regions(Arc::new(Counting::new(store(&grid, compressor), false)));
        }
    }
}

/// One raw 64 x 64 x 64 block of 2-byte elements.
fn large_block(reads_ranges: bool, compressor: &str) -> (Arc<Counting>, Array<Counting>) {
    let shape = [64, 64, 64];
    let store = MemoryStore::new();
    let json = array_json(
        r#"{"name":"regular","configuration":{"chunk_shape":[64,64,64]}}"#,
        &n5_default(compressor),
    )
    .replace(&format!("{SHAPE:?}"), "[64,64,64]");
    store
        .set(&StoreKey::new("zarr.json").unwrap(), json.into())
        .unwrap();
    let elements = oracle::elements(&shape, N5DataType::UInt16, 1);
    let block = block(&shape, N5DataType::UInt16, &elements, compressor);
    store
        .set(&StoreKey::new("0/0/0").unwrap(), block.into())
        .unwrap();
    let store = Arc::new(Counting::new(store, reads_ranges));
    let array = Array::open(store.clone(), "/").unwrap();
    store.take();
    (store, array)
}

fn read(array: &Array<Counting>, ranges: &[std::ops::Range<u64>; 3]) {
    let subset = ArraySubset::new_with_ranges(ranges);
    let _: Vec<u16> = array.retrieve_array_subset(&subset).unwrap();
}

#[test]
fn one_element_of_a_raw_block_takes_one_request() {
    let (store, array) = large_block(true, "");
    read(&array, &[5..6, 6..7, 7..8]);
    assert_eq!(store.take(), (1, 16 + 2));
}

#[test]
fn a_plane_of_a_raw_block_takes_one_request_for_its_bytes() {
    let (store, array) = large_block(true, "");
    read(&array, &[0..64, 0..64, 7..8]);
    assert_eq!(store.take(), (1, 16 + 64 * 64 * 2));
}

#[test]
fn no_region_of_a_raw_block_reads_more_than_the_block() {
    let (store, array) = large_block(true, "");
    for ranges in [
        [7..8, 0..64, 0..64],
        [0..64, 7..8, 0..64],
        [3..60, 3..60, 3..60],
        [0..64, 0..64, 0..64],
    ] {
        read(&array, &ranges);
        let (requests, bytes) = store.take();
        assert_eq!(requests, 1);
        assert!(bytes <= 16 + 64 * 64 * 64 * 2, "{bytes}");
    }
}

#[cfg(feature = "gzip")]
#[test]
fn a_decoder_reads_a_compressed_block_once() {
    let (store, array) = large_block(true, oracle::compressor("gzip"));
    let decoder = array.partial_decoder(&[0, 0, 0]).unwrap();
    for at in 0..4 {
        let subset = ArraySubset::new_with_ranges(&[at..at + 1, 0..64, 3..9]);
        decoder
            .partial_decode(&subset, &zarrs::array::CodecOptions::default())
            .unwrap();
    }
    assert_eq!(store.take().0, 1);
}

#[test]
fn a_missing_block_takes_one_request_and_reads_as_fill() {
    let (store, array) = large_block(true, "");
    store.inner.erase(&StoreKey::new("0/0/0").unwrap()).unwrap();
    let subset = ArraySubset::new_with_ranges(&[0..2, 0..1, 0..1]);
    let found: Vec<u16> = array.retrieve_array_subset(&subset).unwrap();
    assert_eq!(found, [FILL, FILL]);
    assert_eq!(store.take().0, 1);
}

/// Writes with `codecs` and reads every region back: the codec among others of zarrs.
fn check_among(codecs: &str) {
    let store = Arc::new(MemoryStore::new());
    let grid = r#"{"name":"regular","configuration":{"chunk_shape":[4,4,4]}}"#;
    store
        .set(
            &StoreKey::new("zarr.json").unwrap(),
            array_json(grid, codecs).into(),
        )
        .unwrap();
    let array = Array::open(store.clone(), "/").unwrap();
    let mut elements = Vec::new();
    for_each_position(&SHAPE, |position| elements.push(expected(position)));
    array
        .store_array_subset(&array.subset_all(), &elements)
        .unwrap();
    check_regions(store);
}

#[test]
fn after_an_array_to_array_codec() {
    let transpose = r#"{"name":"transpose","configuration":{"order":[1,2,0]}}"#;
    for compressor in oracle::COMPRESSORS {
        check_among(&format!("{transpose},{}", n5_default(compressor)));
    }
}

#[test]
fn before_a_bytes_to_bytes_codec() {
    for compressor in oracle::COMPRESSORS {
        check_among(&format!(
            r#"{},{{"name":"crc32c"}}"#,
            n5_default(compressor)
        ));
    }
}

#[test]
fn in_shards() {
    for compressor in oracle::COMPRESSORS {
        check_among(&format!(
            r#"{{"name":"sharding_indexed","configuration":{{
                "chunk_shape":[2,2,2],
                "codecs":[{}],
                "index_codecs":[{{"name":"bytes","configuration":{{"endian":"little"}}}},{{"name":"crc32c"}}],
                "index_location":"end"}}}}"#,
            n5_default(compressor)
        ));
    }
}
