//! Stores that refuse, circles, walks that are bounded, and what a walk asks for.

use super::*;

/// A store with faults: what it cannot list or read, and folders that contain themselves.
#[derive(Default)]
struct FaultyStore {
    inner: MemoryStore,
    /// Lists an error for these prefixes, whatever is there.
    unlistable: Vec<&'static str>,
    /// Lists nothing for these prefixes and refuses to read below, as a folder of mode 000.
    closed: Vec<&'static str>,
    /// Every folder lists a folder of this name.
    circle: Option<&'static str>,
    requests: AtomicUsize,
}

fn denied() -> StorageError {
    std::io::Error::from(std::io::ErrorKind::PermissionDenied).into()
}

impl ReadableStorageTraits for FaultyStore {
    fn get(&self, key: &StoreKey) -> Result<MaybeBytes, StorageError> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        if self
            .closed
            .iter()
            .any(|closed| key.as_str().starts_with(closed))
        {
            return Err(denied());
        }
        self.inner.get(key)
    }

    fn get_partial_many<'a>(
        &'a self,
        key: &StoreKey,
        byte_ranges: ByteRangeIterator<'a>,
    ) -> Result<MaybeBytesIterator<'a>, StorageError> {
        self.inner.get_partial_many(key, byte_ranges)
    }

    fn size_key(&self, key: &StoreKey) -> Result<Option<u64>, StorageError> {
        self.inner.size_key(key)
    }

    fn supports_get_partial(&self) -> bool {
        false
    }
}

impl ListableStorageTraits for FaultyStore {
    fn list(&self) -> Result<StoreKeys, StorageError> {
        self.inner.list()
    }

    fn list_prefix(&self, prefix: &StorePrefix) -> Result<StoreKeys, StorageError> {
        self.inner.list_prefix(prefix)
    }

    fn list_dir(&self, prefix: &StorePrefix) -> Result<StoreKeysPrefixes, StorageError> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        if self.unlistable.contains(&prefix.as_str()) {
            return Err(StorageError::Unsupported("no listing here".to_owned()));
        }
        if self.closed.contains(&prefix.as_str()) {
            return Ok(StoreKeysPrefixes::new(vec![], vec![]));
        }
        let found = self.inner.list_dir(prefix)?;
        let circle = self.circle.map(|name| format!("{prefix}{name}/"));
        let circle = circle.map(|circle| StorePrefix::new(circle).unwrap());
        let prefixes = found.prefixes().iter().cloned().chain(circle).collect();
        Ok(StoreKeysPrefixes::new(found.keys().clone(), prefixes))
    }

    fn size_prefix(&self, prefix: &StorePrefix) -> Result<u64, StorageError> {
        self.inner.size_prefix(prefix)
    }
}

impl WritableStorageTraits for FaultyStore {
    fn set(&self, key: &StoreKey, value: Bytes) -> Result<(), StorageError> {
        self.inner.set(key, value)
    }

    fn set_partial_many(
        &self,
        key: &StoreKey,
        offset_values: OffsetBytesIterator,
    ) -> Result<(), StorageError> {
        self.inner.set_partial_many(key, offset_values)
    }

    fn erase(&self, key: &StoreKey) -> Result<(), StorageError> {
        self.inner.erase(key)
    }

    fn erase_prefix(&self, prefix: &StorePrefix) -> Result<(), StorageError> {
        self.inner.erase_prefix(prefix)
    }

    fn supports_set_partial(&self) -> bool {
        false
    }
}

fn faulty(entries: &[(&str, &str)]) -> FaultyStore {
    FaultyStore {
        inner: memory(entries),
        ..FaultyStore::default()
    }
}

#[test]
fn a_store_that_cannot_list_says_so_and_is_not_empty() {
    let mut store = faulty(&[("attributes.json", GROUP), ("a/attributes.json", DATASET)]);
    store.unlistable = vec!["", "b/"];
    let report = all(&store);
    assert_eq!(nodes(&report), ["/: group"]);
    assert_eq!(
        left_out(&report),
        ["/: what is below it cannot be listed: no listing here"]
    );
    let report = walk(&store, &WalkOptions::new().with_node_path("/b")).unwrap();
    assert_eq!(
        nodes(&report),
        ["/b: unreadable: cannot list its folder: no listing here"]
    );
    let store = SetDocuments(store);
    let report = add_zarr_metadata(&store, &InPlaceOptions::new(), |_| {}).unwrap();
    assert_eq!(
        lines(&report),
        ["/: failed: cannot list its children: no listing here"]
    );
}

/// As `root` may read a folder of mode 000, the store refuses instead.
#[test]
fn a_folder_that_may_not_be_read_costs_only_itself() {
    let mut store = faulty(&[
        ("closed/attributes.json", DATASET),
        ("open/attributes.json", DATASET),
    ]);
    store.closed = vec!["closed/"];
    assert_eq!(
        nodes(&all(&store)),
        [
            "/: group",
            "/closed: unreadable: cannot read closed/attributes.json: permission denied",
            "/open: dataset [3, 2] uint8",
        ]
    );
    let store = SetDocuments(store);
    let report = add_zarr_metadata(&store, &InPlaceOptions::new(), |_| {}).unwrap();
    assert_eq!((report.converted(), report.failed()), (2, 1), "{report:?}");
}

#[test]
fn a_circle_ends_at_the_greatest_depth_on_any_store() {
    let mut store = faulty(&[("raw/attributes.json", DATASET)]);
    store.circle = Some("again");
    let report = walk(&store, &WalkOptions::new().with_max_depth(3)).unwrap();
    assert_eq!(report.nodes().len(), 7, "{:?}", nodes(&report));
    assert_eq!(
        left_out(&report),
        [
            "/again/again/again/again: more than 3 levels below the first node: start there, or raise the limit",
            "/raw/again/again/again: more than 3 levels below the first node: start there, or raise the limit",
        ]
    );
    assert_eq!(all(&store).nodes().len(), 2 * 64 + 1);
}

#[test]
fn a_walk_bounded_in_nodes_names_what_it_did_not_come_to() {
    let store = faulty(&[
        ("a/b/attributes.json", DATASET),
        ("c/attributes.json", DATASET),
        ("d/e/attributes.json", DATASET),
    ]);
    let bounded = |max_nodes| walk(&store, &WalkOptions::new().with_max_nodes(max_nodes)).unwrap();
    let report = bounded(3);
    assert_eq!(
        nodes(&report),
        ["/: group", "/a: group", "/c: dataset [3, 2] uint8"]
    );
    assert_eq!(
        left_out(&report),
        [
            "/a/b: 3 nodes were visited before it: start there, or raise the limit",
            "/d: 3 nodes were visited before it: start there, or raise the limit",
        ]
    );
    assert_eq!(bounded(6).nodes().len(), 6);
    assert_eq!(left_out(&bounded(6)), [""; 0]);
}

#[test]
fn block_folders_are_not_listed_and_documents_only_read_where_listed() {
    let store = faulty(&[
        ("attributes.json", GROUP),
        ("raw/attributes.json", DATASET),
        ("raw/0/0", "x"),
        ("raw/0/1", "x"),
        ("raw/1/0", "x"),
        ("g/h/attributes.json", DATASET),
    ]);
    assert_eq!(all(&store).nodes().len(), 4);
    // A listing for each of `/`, `g`, `g/h` and `raw`, and the three documents that there are.
    assert_eq!(store.requests.load(Ordering::Relaxed), 7);
}
