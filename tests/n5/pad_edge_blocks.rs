//! What was the edge of a dataset before it grew has full blocks afterwards, and the same values.

use std::sync::Arc;

use serde_json::json;
use zarrs::array::{Array, ArraySubset};
use zarrs::storage::store::MemoryStore;
use zarrs::storage::{Bytes, ReadableStorageTraits, StorageError, StoreKey, WritableStorageTraits};
use zarrs_interop::n5::{
    BlockHeader, Compression, N5DefaultStore, PadError, ReplaceDocuments, array_builder,
    pad_edge_blocks,
};

fn key(key: &str) -> StoreKey {
    StoreKey::new(key).unwrap()
}

/// 5 x 3 elements, counted from 1 in C order, in truncated blocks of 3 x 2; then 8 x 4.
fn grown(compression: &Compression) -> Arc<MemoryStore> {
    let store = Arc::new(MemoryStore::new());
    let n5 = Arc::new(N5DefaultStore::new(store.clone()));
    let array = array_builder([5, 3], [3, 2], "uint16", compression)
        .unwrap()
        .build(n5, "/raw")
        .unwrap();
    array.store_metadata().unwrap();
    let elements: Vec<u16> = (1..=15).collect();
    array
        .store_array_subset(&array.subset_all(), &elements)
        .unwrap();
    set_dimensions(&store, [8, 4]);
    store
}

fn set_dimensions(store: &MemoryStore, dimensions: [u64; 2]) {
    let document = store.get(&key("raw/attributes.json")).unwrap().unwrap();
    let mut document: serde_json::Value = serde_json::from_slice(&document).unwrap();
    document["dimensions"] = json!(dimensions);
    store
        .set(&key("raw/attributes.json"), document.to_string().into())
        .unwrap();
}

fn shape(store: &MemoryStore, at: &str) -> Vec<u32> {
    let block = store.get(&key(at)).unwrap().unwrap();
    BlockHeader::parse(&block).unwrap().0.shape().to_vec()
}

fn elements(store: &Arc<MemoryStore>) -> Vec<u16> {
    let n5 = Arc::new(N5DefaultStore::new(store.clone()));
    let array = Array::open(n5, "/raw").unwrap();
    array.retrieve_array_subset(&array.subset_all()).unwrap()
}

/// Those that are compiled in.
fn compressions() -> Vec<Compression> {
    let gzip = cfg!(feature = "gzip").then(Compression::gzip);
    let zstd = cfg!(feature = "zstd").then(Compression::zstd);
    [Some(Compression::Raw), gzip, zstd]
        .into_iter()
        .flatten()
        .collect()
}

/// What 8 x 4 elements are of which the first 5 x 3 were written.
fn expected() -> Vec<u16> {
    let mut expected = vec![0; 8 * 4];
    let mut next = 0;
    for x in 0..5 {
        for y in 0..3 {
            next += 1;
            expected[x * 4 + y] = next;
        }
    }
    expected
}

#[test]
fn short_blocks_become_full_and_others_stay() {
    for compression in compressions() {
        let store = grown(&compression);
        assert_eq!(elements(&store), expected());
        let untouched = store.get(&key("raw/0/0")).unwrap();
        let mut seen = 0;
        let report = pad_edge_blocks(&store, "/raw", |_| seen += 1).unwrap();
        assert_eq!((report.present, report.padded, seen), (4, 3, 4));
        // 8 x 4 in blocks of 3 x 2: the second block of dimension 0 is inside now, as is all of
        // dimension 1.
        for at in ["raw/0/0", "raw/0/1", "raw/1/0", "raw/1/1"] {
            assert_eq!(shape(&store, at), [3, 2], "{at}");
        }
        assert_eq!(store.get(&key("raw/0/0")).unwrap(), untouched);
        assert_eq!(elements(&store), expected(), "{compression}");
        let again = pad_edge_blocks(&store, "/raw", |_| {}).unwrap();
        assert_eq!((again.present, again.padded), (4, 0));
    }
}

#[test]
fn a_block_that_is_still_at_the_edge_ends_with_the_dataset() {
    let store = grown(&Compression::Raw);
    set_dimensions(&store, [5, 4]);
    pad_edge_blocks(&store, "/raw", |_| {}).unwrap();
    assert_eq!(shape(&store, "raw/1/1"), [2, 2]);
    // And one that reaches beyond a dataset that has shrunk keeps what it has.
    set_dimensions(&store, [4, 4]);
    let report = pad_edge_blocks(&store, "/raw", |_| {}).unwrap();
    assert_eq!(report.padded, 0);
    assert_eq!(shape(&store, "raw/1/1"), [2, 2]);
}

#[test]
fn blocks_of_serialised_objects_are_counted_and_left() {
    let store = grown(&Compression::Raw);
    let varlength = [0, 1, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 9];
    store
        .set(&key("raw/1/0"), varlength[..].to_vec().into())
        .unwrap();
    let report = pad_edge_blocks(&store, "/raw", |_| {}).unwrap();
    assert_eq!((report.serialized, report.padded), (1, 2));
    assert_eq!(store.get(&key("raw/1/0")).unwrap().unwrap(), varlength[..]);
}

#[test]
fn what_is_no_block_is_an_error_that_names_it() {
    let cases: [(&[u8], &str); 3] = [
        (&[0, 0, 0], "raw/1/0"),
        (&[0, 7, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1], "raw/1/0"),
        (&[0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 5], "raw/1/0"),
    ];
    for (block, named) in cases {
        let store = grown(&Compression::Raw);
        store.set(&key("raw/1/0"), block.to_vec().into()).unwrap();
        let error = pad_edge_blocks(&store, "/raw", |_| {}).unwrap_err();
        assert!(error.to_string().contains(named), "{error}");
        assert_eq!(store.get(&key("raw/1/0")).unwrap().unwrap(), block);
    }
}

#[test]
fn a_group_and_a_wrong_path_are_refused() {
    let store = grown(&Compression::Raw);
    for path in ["/", "/nothing", "raw"] {
        let error = pad_edge_blocks(&store, path, |_| {}).unwrap_err();
        assert!(matches!(error, PadError::Dataset(_)), "{error}");
    }
}

/// Writes a number of blocks, and no more.
struct Failing {
    store: Arc<MemoryStore>,
    writes: std::sync::atomic::AtomicUsize,
}

impl ReplaceDocuments for Failing {
    type Store = MemoryStore;

    fn store(&self) -> &MemoryStore {
        &self.store
    }

    fn replace_document(&self, key: &StoreKey, document: Bytes) -> Result<(), StorageError> {
        use std::sync::atomic::Ordering;
        let left = |left: usize| left.checked_sub(1);
        let left = self
            .writes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, left);
        left.map_err(|_| StorageError::Other("no space left".to_owned()))?;
        self.store.set(key, document)
    }
}

#[test]
fn a_failing_write_loses_nothing_and_a_second_call_goes_on() {
    for writes in 0..3 {
        let store = grown(&Compression::Raw);
        let failing = Failing {
            store: store.clone(),
            writes: writes.into(),
        };
        let error = pad_edge_blocks(&failing, "/raw", |_| {}).unwrap_err();
        assert!(matches!(error, PadError::Write { .. }), "{error}");
        assert!(error.to_string().contains("no space left"), "{error}");
        assert_eq!(elements(&store), expected());
        let report = pad_edge_blocks(&store, "/raw", |_| {}).unwrap();
        assert_eq!(report.padded, 3 - u64::try_from(writes).unwrap());
        assert_eq!(elements(&store), expected());
    }
}

#[test]
fn the_reader_of_a_part_sees_the_same_before_and_after() {
    let store = grown(&Compression::Raw);
    let part = ArraySubset::new_with_ranges(&[2..7, 1..4]);
    let read = |store: &Arc<MemoryStore>| -> Vec<u16> {
        let n5 = Arc::new(N5DefaultStore::new(store.clone()));
        let array = Array::open(n5, "/raw").unwrap();
        array.retrieve_array_subset(&part).unwrap()
    };
    let before = read(&store);
    pad_edge_blocks(&store, "/raw", |_| {}).unwrap();
    assert_eq!(read(&store), before);
}

#[cfg(feature = "async")]
#[tokio::test]
async fn the_asynchronous_twin_does_the_same() {
    use zarrs::storage::store::AsyncMemoryStore;
    use zarrs::storage::{
        AsyncReadableStorageTraits, AsyncWritableStorageTraits, ListableStorageTraits,
    };
    use zarrs_interop::n5::{SetDocuments, async_pad_edge_blocks};

    let store = grown(&Compression::Raw);
    let twin = AsyncMemoryStore::new();
    for key in store.list().unwrap() {
        let value = store.get(&key).unwrap().unwrap();
        AsyncWritableStorageTraits::set(&twin, &key, value)
            .await
            .unwrap();
    }
    let report = pad_edge_blocks(&store, "/raw", |_| {}).unwrap();
    let twin = SetDocuments(twin);
    let same = async_pad_edge_blocks(&twin, "/raw", |_| {}).await.unwrap();
    assert_eq!(report, same);
    for key in store.list().unwrap() {
        let value = AsyncReadableStorageTraits::get(&twin.0, &key).await;
        assert_eq!(value.unwrap(), store.get(&key).unwrap(), "{key}");
    }
}
