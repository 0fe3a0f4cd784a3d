//! What a reader asks the store for.

use super::*;
use zarrs::array::data_type;
use zarrs_interop::n5::{Compression, array_builder};

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

/// The blocks of a row are written together, but none is read behind the one that ends the read.
#[test]
fn a_failure_in_a_row_ends_the_read_at_once() {
    for (key, missing) in [("0/1", MissingBlocks::Fill), ("0/2", MissingBlocks::Error)] {
        let store = Arc::new(MemoryStore::new());
        let array = array_builder(vec![4, 40], [4, 4], data_type::uint8(), &Compression::Raw);
        let array = array.unwrap().build(Arc::clone(&store), "/").unwrap();
        array.store_metadata().unwrap();
        let all = array.subset_all();
        array.store_array_subset(&all, &[7_u8; 160]).unwrap();
        drop(array);
        let key = StoreKey::new(key).unwrap();
        match missing {
            MissingBlocks::Fill => store.set(&key, vec![0; 3].into()).unwrap(),
            MissingBlocks::Error => store.erase(&key).unwrap(),
        }
        let store = Arc::new(Counting {
            inner: Arc::into_inner(store).unwrap(),
            requests: AtomicUsize::new(0),
            bytes: AtomicU64::new(0),
        });
        let array = Array::open(Arc::clone(&store), "/").unwrap();
        store.requests.store(0, Ordering::Relaxed);
        let reader = reader(&array, 1, Some(1 << 20)).with_missing(missing);
        let error = reader.read::<u8>(&all).unwrap_err().to_string();
        assert!(error.contains(&format!("at key {key}: ")), "{error}");
        let before = usize::from(key.as_str().as_bytes()[2] - b'0');
        assert_eq!(store.requests.load(Ordering::Relaxed), before + 1);
    }
}

/// A store of which a value is erased once a range of it was asked for.
struct Vanishing(MemoryStore);

impl ReadableStorageTraits for Vanishing {
    fn get(&self, key: &StoreKey) -> Result<MaybeBytes, StorageError> {
        self.0.get(key)
    }

    fn get_partial_many<'a>(
        &'a self,
        key: &StoreKey,
        ranges: ByteRangeIterator<'a>,
    ) -> Result<MaybeBytesIterator<'a>, StorageError> {
        let value = self.0.get_partial_many(key, ranges);
        self.0.erase(key)?;
        value
    }

    fn size_key(&self, key: &StoreKey) -> Result<Option<u64>, StorageError> {
        self.0.size_key(key)
    }

    fn supports_get_partial(&self) -> bool {
        true
    }
}

/// The block is shorter than its chunk, so that it is asked for twice.
#[test]
fn a_block_that_vanishes_while_it_is_read_is_an_error_and_not_missing() {
    let shape = [64, 64, 64];
    let grid = format!(r#"{{"name":"regular","configuration":{{"chunk_shape":{shape:?}}}}}"#);
    let json =
        array_json(&grid, &n5_default("")).replace(&format!("{SHAPE:?}"), &format!("{shape:?}"));
    let elements = vec![7; 2 << 17];
    let stored = block(&[64, 64, 32], N5DataType::UInt16, &elements, "");
    let at = StoreKey::new("0/0/0").unwrap();
    // At 7 the header says so, at 40 that the block ends before.
    for z in [7, 40] {
        let region = ArraySubset::new_with_ranges(&[5..6, 6..7, z..z + 1]);
        let open = || {
            let store = MemoryStore::new();
            let document = StoreKey::new("zarr.json").unwrap();
            store.set(&document, json.clone().into()).unwrap();
            store.set(&at, stored.clone().into()).unwrap();
            Array::open(Arc::new(Vanishing(store)), "/").unwrap()
        };
        let array = open();
        let reader = RegionReader::new(&array).unwrap();
        let error = reader.read::<u16>(&region).unwrap_err();
        assert!(error.to_string().contains("vanished while"), "{error}");
        // Now it is missing from the beginning.
        assert_eq!(reader.read::<u16>(&region).unwrap().len(), 1);

        let array = open();
        let error = array.retrieve_array_subset::<Vec<u16>>(&region);
        let error = error.unwrap_err().to_string();
        assert!(error.contains("vanished while"), "{error}");
    }
}
