//! How many blocks are in memory at the same time.

use super::*;
use zarrs::array::data_type;
use zarrs::storage::Bytes;
use zarrs_interop::n5::{Compression, array_builder};

/// What a store handed out and is not given back yet, and the most that this was.
#[derive(Debug, Default)]
struct Lent {
    now: AtomicUsize,
    most: AtomicUsize,
}

/// A value that is counted while it is lent.
struct LentValue {
    value: Bytes,
    lent: Arc<Lent>,
}

impl AsRef<[u8]> for LentValue {
    fn as_ref(&self) -> &[u8] {
        &self.value
    }
}

impl Drop for LentValue {
    fn drop(&mut self) {
        self.lent.now.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A store that counts the values that it lends.
#[derive(Debug)]
struct Lender {
    store: MemoryStore,
    lent: Arc<Lent>,
}

impl ReadableStorageTraits for Lender {
    fn get(&self, key: &StoreKey) -> Result<MaybeBytes, StorageError> {
        let lend = |value| {
            let now = self.lent.now.fetch_add(1, Ordering::SeqCst) + 1;
            self.lent.most.fetch_max(now, Ordering::SeqCst);
            let lent = Arc::clone(&self.lent);
            Bytes::from_owner(LentValue { value, lent })
        };
        Ok(self.store.get(key)?.map(lend))
    }

    fn get_partial_many<'a>(
        &'a self,
        key: &StoreKey,
        ranges: ByteRangeIterator<'a>,
    ) -> Result<MaybeBytesIterator<'a>, StorageError> {
        self.store.get_partial_many(key, ranges)
    }

    fn size_key(&self, key: &StoreKey) -> Result<Option<u64>, StorageError> {
        self.store.size_key(key)
    }

    fn supports_get_partial(&self) -> bool {
        false
    }
}

/// A row of four blocks of 1 MiB along the last dimension, where they are transposed.
fn lender(compression: &Compression) -> (Array<Lender>, Vec<u16>) {
    let store = Arc::new(MemoryStore::new());
    let shape = vec![64, 64, 500];
    let array = array_builder(shape, [64, 64, 128], data_type::uint16(), compression);
    let array = array.unwrap().build(Arc::clone(&store), "/").unwrap();
    array.store_metadata().unwrap();
    let elements: Vec<u16> = (0..64 * 64 * 500_u32)
        .map(|i| (i.wrapping_mul(0x9e37_79b9) >> 16) as u16)
        .collect();
    array
        .store_array_subset(&array.subset_all(), &elements)
        .unwrap();
    drop(array);
    let lender = Lender {
        store: Arc::into_inner(store).unwrap(),
        lent: Arc::default(),
    };
    (Array::open(Arc::new(lender), "/").unwrap(), elements)
}

/// The most blocks at the same time.
fn most_lent(memory: Option<usize>, order: DimensionOrder) -> usize {
    let (array, elements) = lender(&Compression::Raw);
    let reader = reader(&array, 1, memory).with_dimension_order(order);
    let found: Vec<u16> = reader.read(&array.subset_all()).unwrap();
    let expected = match order {
        DimensionOrder::AsStored => elements,
        DimensionOrder::Reversed => transposed(&elements, array.shape()),
    };
    assert!(found == expected, "{memory:?}, {order:?}");
    let lent = &array.storage().lent;
    assert_eq!(lent.now.load(Ordering::SeqCst), 0);
    lent.most.load(Ordering::SeqCst)
}

#[test]
fn raw_blocks_of_a_row_are_held_as_memory_allows() {
    let order = DimensionOrder::AsStored;
    assert_eq!(most_lent(Some(0), order), 1);
    assert_eq!(most_lent(None, order), 1);
    // What is said to be enough.
    let memory = |blocks: usize| Some(blocks * (2052 << 10) + (288 << 10));
    assert_eq!(most_lent(memory(2), order), 2);
    assert_eq!(most_lent(memory(3), order), 2);
    assert_eq!(most_lent(memory(4), order), 4);
    assert_eq!(most_lent(Some(usize::MAX), order), 4);
    // There the blocks follow each other along the slowest dimension of the output.
    assert_eq!(most_lent(memory(4), DimensionOrder::Reversed), 1);
}

#[cfg(feature = "gzip")]
#[test]
fn of_compressed_blocks_one_is_in_memory_as_it_is_stored() {
    for memory in [None, Some(0), Some(1 << 30)] {
        let (array, elements) = lender(&Compression::gzip());
        let found: Vec<u16> = reader(&array, 1, memory).read(&array.subset_all()).unwrap();
        assert!(found == elements, "{memory:?}");
        assert_eq!(array.storage().lent.most.load(Ordering::SeqCst), 1);
    }
}
