//! A concurrency beyond all reason starts no thousands of threads.

use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

use zarrs::storage::byte_range::ByteRangeIterator;
use zarrs::storage::store::MemoryStore;
use zarrs::storage::{
    ListableStorageTraits, MaybeBytesIterator, ReadableStorageTraits, StorageError, StoreKey,
    StoreKeys, StoreKeysPrefixes, StorePrefix, WritableStorageTraits,
};
use zarrs_interop::n5::{CheckOptions, RegionReader, check, open_array};

/// What the documentation of `with_concurrency` says.
const MOST: usize = 512;

const BLOCKS: usize = 700;

/// A store that answers only when more threads than allowed are waiting, or in the end.
struct Gate {
    inner: MemoryStore,
    until: Instant,
    waiting: Mutex<(usize, usize)>,
    changed: Condvar,
}

impl Gate {
    fn new() -> Self {
        let inner = MemoryStore::new();
        let attributes = format!(
            r#"{{"dimensions":[{BLOCKS}],"blockSize":[1],"dataType":"uint8","compression":{{"type":"raw"}}}}"#
        );
        let set = |key: &str, value: Vec<u8>| {
            let key = StoreKey::new(key).unwrap();
            inner.set(&key, value.into()).unwrap();
        };
        set("raw/attributes.json", attributes.into());
        for block in 0..BLOCKS {
            set(&format!("raw/{block}"), vec![0, 0, 0, 1, 0, 0, 0, 1, 7]);
        }
        Self {
            inner,
            until: Instant::now() + Duration::from_secs(2),
            waiting: Mutex::new((0, 0)),
            changed: Condvar::new(),
        }
    }

    /// The most threads that waited at the same time.
    fn most(&self) -> usize {
        self.waiting.lock().unwrap().1
    }

    fn wait(&self) {
        let mut waiting = self.waiting.lock().unwrap();
        waiting.0 += 1;
        waiting.1 = waiting.1.max(waiting.0);
        let left = self.until.saturating_duration_since(Instant::now());
        let too_few = |waiting: &mut (usize, usize)| waiting.1 <= MOST;
        let waited = self.changed.wait_timeout_while(waiting, left, too_few);
        waited.unwrap().0.0 -= 1;
        self.changed.notify_all();
    }
}

impl ReadableStorageTraits for Gate {
    fn get_partial_many<'a>(
        &'a self,
        key: &StoreKey,
        ranges: ByteRangeIterator<'a>,
    ) -> Result<MaybeBytesIterator<'a>, StorageError> {
        if !key.as_str().ends_with("json") {
            self.wait();
        }
        self.inner.get_partial_many(key, ranges)
    }

    fn size_key(&self, key: &StoreKey) -> Result<Option<u64>, StorageError> {
        self.inner.size_key(key)
    }

    fn supports_get_partial(&self) -> bool {
        true
    }
}

impl ListableStorageTraits for Gate {
    fn list(&self) -> Result<StoreKeys, StorageError> {
        self.inner.list()
    }

    fn list_prefix(&self, prefix: &StorePrefix) -> Result<StoreKeys, StorageError> {
        self.inner.list_prefix(prefix)
    }

    fn list_dir(&self, prefix: &StorePrefix) -> Result<StoreKeysPrefixes, StorageError> {
        self.inner.list_dir(prefix)
    }

    fn size_prefix(&self, prefix: &StorePrefix) -> Result<u64, StorageError> {
        self.inner.size_prefix(prefix)
    }
}

#[test]
fn a_region_is_read_by_512_threads_at_most() {
    let array = open_array(Gate::new(), "/raw").unwrap();
    let reader = RegionReader::new(&array).unwrap();
    let reader = reader.with_concurrency(usize::MAX);
    assert_eq!(reader.read::<u8>(&array.subset_all()).unwrap(), [7; BLOCKS]);
    let most = array.storage().inner().most();
    assert!((2..=MOST).contains(&most), "{most}");
}

#[test]
fn a_check_has_512_threads_at_most() {
    let store = Gate::new();
    let options = CheckOptions::new().with_concurrency(BLOCKS);
    let report = check(&store, "/raw", &options, |_| {}).unwrap();
    assert_eq!(report.present, BLOCKS as u64);
    assert!(report.is_sound(), "{report}");
    assert!((2..=MOST).contains(&store.most()), "{}", store.most());
}
