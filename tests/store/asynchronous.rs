//! The asynchronous adapters do what the synchronous ones do, in memory and over `object_store`.

use std::sync::Arc;

use zarrs::array::{Array, ArraySubset};
use zarrs::group::Group;
use zarrs::hierarchy::Hierarchy;
use zarrs::node::Node;
use zarrs_interop::n5::{
    self, BlockHeader, Compression, ImplicitGroupStore, InPlaceOptions, N5DefaultStore,
    SetDocuments, Unconvertible, add_n5_metadata, add_zarr_metadata, async_add_n5_metadata,
    async_add_zarr_metadata,
};
use zarrs_object_store::{AsyncObjectStore, object_store};
use zarrs_storage::store::{AsyncMemoryStore, MemoryStore};
use zarrs_storage::{
    AsyncListableStorageTraits, AsyncReadableStorageTraits, AsyncWritableStorageTraits, Bytes,
    ListableStorageTraits, ReadableStorageTraits, StoreKey, WritableStorageTraits, store_test,
};

use crate::hierarchies::{self, UNSUPPORTED, key, nested};

const TREE: &str =
    "/\n  a\n    b\n      0\n        ds [3, 2] uint8\n      ds [3, 2] uint8\n  top [3, 2] uint8\n";

type LocalStore = AsyncObjectStore<object_store::local::LocalFileSystem>;

fn local(folder: &tempfile::TempDir) -> LocalStore {
    AsyncObjectStore::new(
        object_store::local::LocalFileSystem::new_with_prefix(folder.path()).unwrap(),
    )
}

pub(super) async fn fill(store: &impl AsyncWritableStorageTraits, entries: &[(StoreKey, Bytes)]) {
    for (key, value) in entries {
        store.set(key, value.clone()).await.unwrap();
    }
}

#[tokio::test]
async fn the_adapters_pass_the_tests_of_zarrs_storage() {
    let store = ImplicitGroupStore::unconditional(N5DefaultStore::new(AsyncMemoryStore::new()));
    store_test::async_store_write(&store).await.unwrap();
    store_test::async_store_read(&store).await.unwrap();
    store_test::async_store_list(&store).await.unwrap();
    store_test::async_store_list_size(&store).await.unwrap();
}

#[tokio::test]
async fn the_adapters_pass_the_tests_of_zarrs_storage_over_object_store() {
    let folder = tempfile::tempdir().unwrap();
    let store = ImplicitGroupStore::unconditional(N5DefaultStore::new(local(&folder)));
    store_test::async_store_write(&store).await.unwrap();
    store_test::async_store_read(&store).await.unwrap();
    store_test::async_store_list(&store).await.unwrap();
}

async fn assert_hierarchy_opens<S>(inner: S)
where
    S: AsyncReadableStorageTraits
        + AsyncWritableStorageTraits
        + AsyncListableStorageTraits
        + 'static,
{
    fill(&inner, &nested()).await;
    let store = Arc::new(ImplicitGroupStore::async_new(N5DefaultStore::new(inner)));
    let node = Node::async_open(store.clone(), "/").await.unwrap();
    assert_eq!(node.hierarchy_tree(), TREE);
    assert_eq!(
        Hierarchy::async_open(&store, "/").await.unwrap().tree(),
        TREE
    );
    let group = Group::async_open(store.clone(), "/a/b").await.unwrap();
    let children = group.async_children(false).await.unwrap();
    let paths: Vec<_> = children
        .iter()
        .map(|node| node.path().to_string())
        .collect();
    assert_eq!(paths, ["/a/b/0", "/a/b/ds"]);
    for path in ["/b", "/a/c", "/a/b/ds/s0"] {
        assert!(
            Group::async_open(store.clone(), path).await.is_err(),
            "{path}"
        );
    }
    assert!(Group::async_open(store, "/top/0").await.is_err());
}

#[tokio::test]
async fn a_hierarchy_opens_in_memory() {
    assert_hierarchy_opens(AsyncMemoryStore::new()).await;
}

#[tokio::test]
async fn a_hierarchy_opens_over_object_store() {
    let folder = tempfile::tempdir().unwrap();
    assert_hierarchy_opens(local(&folder)).await;
}

#[tokio::test]
async fn an_array_opens_and_reads_over_object_store() {
    let folder = tempfile::tempdir().unwrap();
    let inner = local(&folder);
    fill(&inner, &nested()).await;
    let store = Arc::new(ImplicitGroupStore::async_new(N5DefaultStore::new(inner)));
    let array = Array::async_open(store, "/a/b/ds").await.unwrap();
    let values: Vec<u8> = array
        .async_retrieve_array_subset(&array.subset_all())
        .await
        .unwrap();
    assert_eq!(values, [1, 4, 2, 5, 3, 6]);
}

/// Written in parts that share blocks, on edges too, then read from the same folder by the
/// synchronous store.
#[tokio::test]
async fn an_array_is_created_and_written_over_object_store() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(N5DefaultStore::new(local(&folder)));
    let array = n5::array_builder([7, 5], [4, 3], "int16", &Compression::Raw)
        .unwrap()
        .dimension_names(Some(["x", "y"]))
        .build(store, "/a/ds")
        .unwrap();
    array.async_store_metadata().await.unwrap();
    let mut expected = vec![0_i16; 35];
    for (columns, first) in [(0..2, 100), (2..5, -200)] {
        let part = ArraySubset::new_with_ranges(&[0..7, columns.clone()]);
        let elements: Vec<i16> = (first..).take(part.num_elements_usize()).collect();
        array
            .async_store_array_subset(&part, &elements)
            .await
            .unwrap();
        for (at, element) in part.indices().into_iter().zip(elements) {
            expected[usize::try_from(at[0] * 5 + at[1]).unwrap()] = element;
        }
    }
    let found: Vec<i16> = array
        .async_retrieve_array_subset(&array.subset_all())
        .await
        .unwrap();
    assert_eq!(found, expected);

    let files = zarrs::filesystem::FilesystemStore::new(folder.path()).unwrap();
    let array = Array::open(Arc::new(N5DefaultStore::new(files)), "/a/ds").unwrap();
    let found: Vec<i16> = array.retrieve_array_subset(&array.subset_all()).unwrap();
    assert_eq!(found, expected);
    let corner = std::fs::read(folder.path().join("a/ds/1/1")).unwrap();
    let (header, _) = BlockHeader::parse(&corner).unwrap();
    assert_eq!(header.shape(), [3, 2]);
    assert!(!folder.path().join("a/ds/zarr.json").exists());
}

#[tokio::test]
async fn an_unconvertible_dataset_is_an_error_or_hidden() {
    let inner = AsyncMemoryStore::new();
    let at = key("bad/attributes.json");
    inner.set(&at, Bytes::from(UNSUPPORTED)).await.unwrap();
    let store = N5DefaultStore::new(inner);
    let error = store
        .get(&key("bad/zarr.json"))
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("/bad") && error.contains("jpeg"), "{error}");
    let store = store.with_unconvertible(Unconvertible::Hidden);
    assert_eq!(store.get(&key("bad/zarr.json")).await.unwrap(), None);
    assert_eq!(store.list().await.unwrap(), [at]);
}

#[tokio::test]
async fn in_place_conversion_over_object_store_goes_both_ways() {
    let folder = tempfile::tempdir().unwrap();
    let store = SetDocuments(local(&folder));
    fill(&store.0, &nested()).await;
    let sync = MemoryStore::new();
    hierarchies::fill(&sync, &nested());
    let options = InPlaceOptions::new();
    let text = |report| format!("{report:?}");
    let expected = text(add_zarr_metadata(&sync, &options, |_| {}).unwrap());
    let report = async_add_zarr_metadata(&store, &options, |_| {})
        .await
        .unwrap();
    assert_eq!(report.converted(), 7);
    assert_eq!(text(report), expected);
    for at in ["attributes.json", "a/b/ds/attributes.json"].map(key) {
        sync.erase(&at).unwrap();
        store.0.erase(&at).await.unwrap();
    }
    let expected = text(add_n5_metadata(&sync, &options, |_| {}).unwrap());
    let report = async_add_n5_metadata(&store, &options, |_| {})
        .await
        .unwrap();
    assert_eq!(report.converted(), 2);
    assert_eq!(text(report), expected);
    assert_eq!(store.0.list().await.unwrap(), sync.list().unwrap());
    for at in sync.list().unwrap() {
        assert_eq!(
            store.0.get(&at).await.unwrap(),
            sync.get(&at).unwrap(),
            "{at}"
        );
    }
}

#[tokio::test]
async fn a_conversion_can_run_as_a_task_of_its_own() {
    let store = Arc::new(AsyncMemoryStore::new());
    fill(&store, &nested()).await;
    let task = async move { async_add_zarr_metadata(&store, &InPlaceOptions::new(), |_| {}).await };
    assert_eq!(tokio::spawn(task).await.unwrap().unwrap().converted(), 7);
}
