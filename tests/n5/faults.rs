//! A store that fails at any request of a partial write loses nothing, and the same write again
//! completes it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use zarrs::array::{Array, ArraySubset, CodecOptions};
use zarrs::storage::byte_range::ByteRangeIterator;
use zarrs::storage::store::MemoryStore;
use zarrs::storage::{
    Bytes, MaybeBytesIterator, OffsetBytesIterator, ReadableStorageTraits, StorageError, StoreKey,
    StorePrefix, WritableStorageTraits,
};
use zarrs_interop::n5::N5DataType;

use crate::oracle::{self, block, for_each_position, index};

/// The chunk: 64 x 64 elements of 2 bytes.
const CHUNK: [u64; 2] = [64, 64];

/// A store that can write parts of a value, and fails once, at a given request.
struct Faulty {
    inner: MemoryStore,
    left: AtomicUsize,
}

impl Faulty {
    fn request(&self) -> Result<(), StorageError> {
        match self.left.fetch_sub(1, Ordering::Relaxed) {
            0 => Err(StorageError::Other("the connection was cut".into())),
            _ => Ok(()),
        }
    }

    /// Whether a request was refused since `fail_at`.
    fn has_failed(&self) -> bool {
        self.left.load(Ordering::Relaxed) > usize::MAX / 2
    }

    fn fail_at(&self, request: usize) {
        self.left.store(request, Ordering::Relaxed);
    }
}

impl ReadableStorageTraits for Faulty {
    fn get_partial_many<'a>(
        &'a self,
        key: &StoreKey,
        byte_ranges: ByteRangeIterator<'a>,
    ) -> Result<MaybeBytesIterator<'a>, StorageError> {
        self.request()?;
        self.inner.get_partial_many(key, byte_ranges)
    }

    fn size_key(&self, key: &StoreKey) -> Result<Option<u64>, StorageError> {
        self.request()?;
        self.inner.size_key(key)
    }

    fn supports_get_partial(&self) -> bool {
        true
    }
}

impl WritableStorageTraits for Faulty {
    fn set(&self, key: &StoreKey, value: Bytes) -> Result<(), StorageError> {
        self.request()?;
        self.inner.set(key, value)
    }

    fn set_partial_many(
        &self,
        key: &StoreKey,
        offset_values: OffsetBytesIterator,
    ) -> Result<(), StorageError> {
        self.request()?;
        self.inner.set_partial_many(key, offset_values)
    }

    fn erase(&self, key: &StoreKey) -> Result<(), StorageError> {
        self.request()?;
        self.inner.erase(key)
    }

    fn erase_prefix(&self, prefix: &StorePrefix) -> Result<(), StorageError> {
        self.request()?;
        self.inner.erase_prefix(prefix)
    }

    fn supports_set_partial(&self) -> bool {
        true
    }
}

fn key(text: &str) -> StoreKey {
    StoreKey::new(text).unwrap()
}

fn value(position: &[u64]) -> u16 {
    u16::try_from(1000 + index(&[128, 128], position)).unwrap()
}

/// An array of one chunk over a raw block of another shape, or over none.
fn array(block_shape: Option<[u64; 2]>) -> (Arc<Faulty>, Array<Faulty>) {
    let inner = MemoryStore::new();
    let codecs = serde_json::to_string(&oracle::metadata(2, "")).unwrap();
    let document = format!(
        r#"{{"zarr_format":3,"node_type":"array","shape":{CHUNK:?},"data_type":"uint16",
            "fill_value":7,
            "chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":{CHUNK:?}}}}},
            "chunk_key_encoding":{{"name":"v2","configuration":{{"separator":"/"}}}},
            "codecs":[{codecs}]}}"#
    );
    inner.set(&key("zarr.json"), document.into()).unwrap();
    if let Some(shape) = block_shape {
        let mut elements = Vec::new();
        for_each_position(&shape, |at| elements.extend(value(at).to_ne_bytes()));
        let block = block(&shape, N5DataType::UInt16, &elements, "");
        inner.set(&key("0/0"), block.into()).unwrap();
    }
    let left = AtomicUsize::new(1000);
    let store = Arc::new(Faulty { inner, left });
    (store.clone(), Array::open(store, "/").unwrap())
}

fn expected(block_shape: Option<[u64; 2]>, written: Option<&ArraySubset>) -> Vec<u16> {
    let mut expected = Vec::new();
    for_each_position(&CHUNK, |at| {
        let is_in_block = block_shape.is_some_and(|shape| at[0] < shape[0] && at[1] < shape[1]);
        expected.push(match written {
            Some(written) if written.contains(at) => 5,
            _ if is_in_block => value(at),
            _ => 7,
        });
    });
    expected
}

fn read(array: &Array<Faulty>) -> Vec<u16> {
    array.retrieve_array_subset(&array.subset_all()).unwrap()
}

const BLOCK_SHAPES: [Option<[u64; 2]>; 6] = [
    None,
    Some([64, 64]),
    Some([64, 20]),
    Some([20, 30]),
    Some([80, 70]),
    Some([80, 20]),
];

/// Some are written in place where the block has the shape of the chunk, and some are too
/// scattered.
fn regions() -> [ArraySubset; 4] {
    [
        ArraySubset::new_with_ranges(&[3..9, 5..6]),
        ArraySubset::new_with_ranges(&[0..64, 30..40]),
        ArraySubset::new_with_ranges(&[0..1, 0..64]),
        ArraySubset::new_with_ranges(&[10..60, 10..60]),
    ]
}

#[test]
fn a_fault_at_any_request_loses_nothing() {
    for block_shape in BLOCK_SHAPES {
        for written in regions() {
            let new = vec![5_u16; usize::try_from(written.num_elements()).unwrap()];
            let options = CodecOptions::default().with_experimental_partial_encoding(true);
            for request in 0.. {
                let (store, array) = array(block_shape);
                store.fail_at(request);
                let result = array.store_array_subset_opt(&written, &new, &options);
                let (has_failed, is_done) = (store.has_failed(), result.is_ok());
                store.fail_at(1000);
                let found = read(&array);
                let what = format!("{block_shape:?} {written} request {request}");
                if is_done {
                    assert_eq!(found, expected(block_shape, Some(&written)), "{what}");
                } else {
                    assert_eq!(found, expected(block_shape, None), "{what}");
                }
                array
                    .store_array_subset_opt(&written, &new, &options)
                    .unwrap();
                assert_eq!(
                    read(&array),
                    expected(block_shape, Some(&written)),
                    "{what}"
                );
                if !has_failed {
                    assert!(request > 0 && is_done, "{what}");
                    break;
                }
            }
        }
    }
}

/// What a larger block has beyond its chunk may be another program's: it stays.
#[test]
fn a_block_that_reaches_beyond_its_chunk_keeps_its_shape() {
    let (store, array) = array(Some([80, 20]));
    let options = CodecOptions::default().with_experimental_partial_encoding(true);
    let written = ArraySubset::new_with_ranges(&[3..9, 30..36]);
    array
        .store_array_subset_opt(&written, &[5_u16; 36], &options)
        .unwrap();
    let stored = store.inner.get(&key("0/0")).unwrap().unwrap();
    let (header, payload) = zarrs_interop::n5::BlockHeader::parse(&stored).unwrap();
    assert_eq!(header.shape(), [80, 64]);
    let at = 2 * (70 + 80 * 10);
    assert_eq!(payload[at..at + 2], value(&[70, 10]).to_be_bytes());
}

#[test]
fn nothing_is_written_over_a_damaged_block() {
    let (store, array) = array(Some([64, 20]));
    let mut damaged = store.inner.get(&key("0/0")).unwrap().unwrap().to_vec();
    damaged.pop();
    let damaged = Bytes::from(damaged);
    store.inner.set(&key("0/0"), damaged.clone()).unwrap();
    let options = CodecOptions::default().with_experimental_partial_encoding(true);
    let error = array
        .store_array_subset_opt(&regions()[0], &[5_u16; 6], &options)
        .unwrap_err();
    assert!(error.to_string().contains("2559 bytes"), "{error}");
    assert_eq!(store.inner.get(&key("0/0")).unwrap().unwrap(), damaged);
}

#[test]
fn a_block_that_becomes_fill_is_erased_in_one_request() {
    let (store, array) = array(Some([6, 1]));
    let options = CodecOptions::default().with_experimental_partial_encoding(true);
    let written = ArraySubset::new_with_ranges(&[0..6, 0..1]);
    array
        .store_array_subset_opt(&written, &[7_u16; 6], &options)
        .unwrap();
    assert_eq!(store.inner.get(&key("0/0")).unwrap(), None);
}

/// Compressed blocks are not written in part by zarrs, but a program may ask for it.
#[cfg(feature = "gzip")]
#[test]
fn a_compressed_block_is_never_cut_short() {
    let store = Arc::new(MemoryStore::new());
    let compressor = oracle::compressor("gzip");
    let codecs = serde_json::to_string(&oracle::metadata(2, compressor)).unwrap();
    let document = format!(
        r#"{{"zarr_format":3,"node_type":"array","shape":{CHUNK:?},"data_type":"uint16",
            "fill_value":7,
            "chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":{CHUNK:?}}}}},
            "chunk_key_encoding":{{"name":"v2","configuration":{{"separator":"/"}}}},
            "codecs":[{codecs}]}}"#
    );
    store.set(&key("zarr.json"), document.into()).unwrap();
    let array = Array::open(store.clone(), "/").unwrap();
    let mut elements = Vec::new();
    for_each_position(&CHUNK, |at| elements.push(value(at)));
    array.store_chunk(&[0, 0], &elements).unwrap();
    let before = store.get(&key("0/0")).unwrap();

    let options = CodecOptions::default();
    let encoder = array.partial_encoder(&[0, 0], &options).unwrap();
    let write = |value: u16, rows: u64| {
        let written = ArraySubset::new_with_ranges(&[0..64, 0..rows]);
        let count = usize::try_from(written.num_elements()).unwrap();
        let new: Vec<u8> = value.to_ne_bytes().repeat(count);
        encoder.partial_encode(&written, &new.into(), &options)
    };
    // Equal elements compress better.
    let error = write(5, 60).unwrap_err().to_string();
    assert!(error.contains("cannot shorten"), "{error}");
    assert_eq!(store.get(&key("0/0")).unwrap(), before);
}
