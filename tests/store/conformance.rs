//! The store adapters keep the contract of zarrs's storage traits, and all their methods agree with
//! each other.

use std::collections::BTreeSet;

use proptest::prelude::*;
use zarrs_interop::n5::convert::{ChunkGrid, attributes_to_zarr};
use zarrs_interop::n5::{ImplicitGroupStore, N5DefaultStore, Unconvertible};
use zarrs_storage::byte_range::ByteRange;
use zarrs_storage::{
    Bytes, ListableStorageTraits, ReadableStorageTraits, StorageError, StoreKey, StorePrefix,
    WritableStorageTraits, store::MemoryStore, store_test,
};

use crate::hierarchies::{self, fill, key, random};

#[test]
fn n5_default_store_passes_the_tests_of_zarrs_storage() {
    let store = N5DefaultStore::new(MemoryStore::new());
    store_test::store_write(&store).unwrap();
    store_test::store_read(&store).unwrap();
    store_test::store_list(&store).unwrap();
    store_test::store_list_size(&store).unwrap();
}

#[cfg(feature = "filesystem")]
#[test]
fn both_adapters_over_a_folder_pass_the_tests_of_zarrs_storage() {
    let folder = tempfile::tempdir().unwrap();
    let files = zarrs::filesystem::FilesystemStore::new(folder.path().join("n5")).unwrap();
    let store = ImplicitGroupStore::unconditional(N5DefaultStore::new(files.sorted()));
    store_test::store_write(&store).unwrap();
    store_test::store_read(&store).unwrap();
    store_test::store_list(&store).unwrap();
    store_test::store_list_size(&store).unwrap();
}

#[test]
fn implicit_group_store_passes_the_tests_that_are_not_about_listing() {
    let store = ImplicitGroupStore::new(MemoryStore::new());
    store_test::store_write(&store).unwrap();
    store_test::store_read(&store).unwrap();
}

/// Every directory above `keys`, the root included.
fn directories(keys: &[StoreKey]) -> BTreeSet<StorePrefix> {
    let mut directories = BTreeSet::from([StorePrefix::root()]);
    for key in keys {
        let mut prefix = key.parent();
        while let Some(parent) = prefix.parent() {
            directories.insert(std::mem::replace(&mut prefix, parent));
        }
    }
    directories
}

/// Every key there can be: those of the wrapped store, and `zarr.json` in every directory and in
/// one that is not there.
fn candidates(inner: &MemoryStore) -> BTreeSet<StoreKey> {
    let mut candidates: BTreeSet<_> = inner.list().unwrap().into_iter().collect();
    let keys: Vec<_> = candidates.iter().cloned().collect();
    for directory in directories(&keys) {
        for name in ["zarr.json", "nowhere/zarr.json", "0/zarr.json"] {
            candidates.insert(key(&format!("{}{name}", directory.as_str())));
        }
    }
    candidates
}

fn sorted(keys: &[StoreKey]) -> Vec<StoreKey> {
    let mut keys = keys.to_vec();
    keys.sort();
    keys
}

/// Checks that every method of `store`, which wraps `inner` somehow, tells the same story as its
/// `get`.
fn assert_consistent<S>(store: &S, inner: &MemoryStore)
where
    S: ReadableStorageTraits + ListableStorageTraits,
{
    let candidates = candidates(inner);
    let get = |key: &StoreKey| store.get(key);
    let present: Vec<_> = candidates
        .iter()
        .filter(|key| !matches!(get(key), Ok(None)))
        .cloned()
        .collect();
    assert_eq!(store.list().unwrap(), present, "list");
    for key in &candidates {
        assert_partial_reads_agree(store, key);
    }
    let mut prefixes = directories(&present);
    prefixes.insert(StorePrefix::new("nowhere/").unwrap());
    for prefix in prefixes {
        let beneath: Vec<_> = present
            .iter()
            .filter(|key| key.has_prefix(&prefix))
            .cloned()
            .collect();
        assert_eq!(
            sorted(&store.list_prefix(&prefix).unwrap()),
            beneath,
            "list_prefix {prefix}"
        );
        assert_list_dir(store, &prefix, &beneath);
        let size: Result<u64, StorageError> = beneath
            .iter()
            .map(|key| Ok(get(key)?.map_or(0, |value| value.len() as u64)))
            .sum();
        match size {
            Ok(size) => assert_eq!(
                store.size_prefix(&prefix).unwrap(),
                size,
                "size_prefix {prefix}"
            ),
            Err(_) => assert!(store.size_prefix(&prefix).is_err(), "size_prefix {prefix}"),
        }
    }
}

fn assert_list_dir(store: &impl ListableStorageTraits, prefix: &StorePrefix, beneath: &[StoreKey]) {
    let listing = store.list_dir(prefix).unwrap();
    let rest = |key: &StoreKey| key.as_str()[prefix.as_str().len()..].to_owned();
    let (below, direct): (Vec<_>, Vec<_>) = beneath.iter().partition(|key| rest(key).contains('/'));
    let direct: Vec<_> = direct.into_iter().cloned().collect();
    let below: BTreeSet<_> = below
        .iter()
        .map(|key| format!("{prefix}{}/", rest(key).split('/').next().unwrap()))
        .collect();
    assert_eq!(sorted(listing.keys()), direct, "list_dir {prefix}");
    let prefixes: BTreeSet<_> = listing
        .prefixes()
        .iter()
        .map(|prefix| prefix.as_str().to_owned())
        .collect();
    assert_eq!(prefixes, below, "list_dir {prefix}");
}

fn assert_partial_reads_agree(store: &impl ReadableStorageTraits, key: &StoreKey) {
    let Ok(whole) = store.get(key) else {
        assert!(store.size_key(key).is_err(), "size_key {key}");
        assert!(
            store
                .get_partial(key, ByteRange::FromStart(0, None))
                .is_err(),
            "get_partial {key}"
        );
        return;
    };
    assert_eq!(
        store.size_key(key).unwrap(),
        whole.as_ref().map(|value| value.len() as u64),
        "size_key {key}"
    );
    // What a store that simply holds the value does is what every store has to do.
    let oracle = MemoryStore::new();
    if let Some(whole) = &whole {
        oracle.set(key, whole.clone()).unwrap();
    }
    let size = whole.as_ref().map_or(0, |value| value.len() as u64);
    let ranges = [
        ByteRange::FromStart(0, None),
        ByteRange::FromStart(size / 2, None),
        ByteRange::FromStart(size, None),
        ByteRange::FromStart(0, Some(size)),
        ByteRange::FromStart(size / 3, Some(size / 2)),
        ByteRange::FromStart(1, Some(size)),
        ByteRange::Suffix(size / 2),
        ByteRange::Suffix(size),
    ];
    let text =
        |result: Result<Option<Bytes>, StorageError>| result.map_err(|error| error.to_string());
    for range in ranges {
        let expected = text(oracle.get_partial(key, range));
        assert_eq!(
            text(store.get_partial(key, range)),
            expected,
            "get_partial {key} {range}"
        );
    }
    assert_eq!(
        slices(store, key, ranges),
        slices(&oracle, key, ranges),
        "get_partial_many {key}"
    );
}

/// What `get_partial_many` gives for each of `ranges`, errors as text.
fn slices(
    store: &impl ReadableStorageTraits,
    key: &StoreKey,
    ranges: [ByteRange; 8],
) -> Option<Vec<Result<Bytes, String>>> {
    let values = store
        .get_partial_many(key, Box::new(ranges.into_iter()))
        .unwrap()?;
    Some(
        values
            .map(|value| value.map_err(|error| error.to_string()))
            .collect(),
    )
}

fn memory(entries: &[(StoreKey, Bytes)]) -> MemoryStore {
    let store = MemoryStore::new();
    fill(&store, entries);
    store
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn the_methods_of_n5_default_store_agree(entries in random()) {
        for unconvertible in [Unconvertible::Error, Unconvertible::Hidden] {
            let store = N5DefaultStore::new(memory(&entries)).with_unconvertible(unconvertible);
            assert_consistent(&store, store.inner());
        }
    }

    #[test]
    fn the_methods_of_implicit_group_store_agree(entries in random()) {
        for unconvertible in [Unconvertible::Error, Unconvertible::Hidden] {
            let n5 = N5DefaultStore::new(memory(&entries)).with_unconvertible(unconvertible);
            let store = ImplicitGroupStore::new(n5);
            assert_consistent(&store, store.inner().inner());
        }
    }

    #[test]
    fn a_document_is_the_converted_one_and_else_what_is_there(entries in random()) {
        let inner = memory(&entries);
        let store = N5DefaultStore::new(memory(&entries)).with_chunk_grid(ChunkGrid::Regular);
        for key in candidates(&inner) {
            let parent = key.parent();
            let is_zarr_json = key.as_str() == format!("{parent}zarr.json");
            let attributes = inner.get(&hierarchies::key(&format!("{parent}attributes.json"))).unwrap();
            let (Some(attributes), true) = (attributes, is_zarr_json) else {
                prop_assert_eq!(store.get(&key).unwrap(), inner.get(&key).unwrap());
                continue;
            };
            let path = format!("/{}", parent.as_str().trim_end_matches('/'));
            match attributes_to_zarr(&attributes, &path, ChunkGrid::Regular) {
                Ok(zarr) => prop_assert_eq!(store.get(&key).unwrap(), Some(zarr.into())),
                Err(error) => {
                    let text = store.get(&key).unwrap_err().to_string();
                    prop_assert!(text.contains(&error.to_string()), "{} / {}", text, error);
                    prop_assert!(text.contains(&path), "{} / {}", text, path);
                }
            }
        }
    }
}
