//! `n5::async_open_array` opens what its twin opens, at the same cost, and says the same otherwise.

use std::sync::Arc;

use zarrs_interop::n5::{self, DimensionOrder, N5DefaultStore};
use zarrs_object_store::{AsyncObjectStore, object_store::local::LocalFileSystem};
use zarrs_storage::store::{AsyncMemoryStore, MemoryStore};
use zarrs_storage::{
    AsyncListableStorageTraits, AsyncReadableStorageTraits, AsyncWritableStorageTraits, Bytes,
    WritableStorageTraits,
};

use crate::hierarchies::{UNSUPPORTED, key, nested};

const PATHS: [&str; 19] = [
    "/a/b/ds",
    "a/b/0/ds/",
    "/",
    "/a",
    "/a/b/dt",
    "/A/b/DS",
    "/x/a/b/ds",
    "/b/ds",
    "/top/0",
    "/top/0/0",
    "/top/x/y",
    "/zarr",
    "/bad",
    "/blank",
    "/undescribed",
    "/undescribed/1",
    " a/b",
    "/a//b",
    r"a\b",
];

fn entries() -> Vec<(zarrs_storage::StoreKey, Bytes)> {
    let array = r#"{"zarr_format":3,"node_type":"array"}"#;
    let others = [
        (key("zarr/zarr.json"), Bytes::from(array)),
        (key("bad/attributes.json"), Bytes::from(UNSUPPORTED)),
        (key("blank/attributes.json"), Bytes::from(" ")),
        (key("undescribed/1/2/0"), Bytes::from("block")),
    ];
    nested().into_iter().chain(others).collect()
}

/// What comes of opening each of [`PATHS`]: the shape or the error.
async fn opened<S>(store: S) -> Vec<String>
where
    S: AsyncReadableStorageTraits + AsyncListableStorageTraits + 'static,
{
    let store = Arc::new(store);
    let mut opened = Vec::new();
    for path in PATHS {
        let array = n5::async_open_array(store.clone(), path).await;
        opened.push(match array {
            Ok(array) => format!("{:?}", array.shape()),
            Err(error) => error.to_string(),
        });
    }
    opened
}

fn expected() -> Vec<String> {
    let store = Arc::new(MemoryStore::new());
    for (key, value) in entries() {
        store.set(&key, value).unwrap();
    }
    let open = |path: &str| match n5::open_array(store.clone(), path) {
        Ok(array) => format!("{:?}", array.shape()),
        Err(error) => error.to_string(),
    };
    PATHS.map(open).to_vec()
}

async fn fill(store: &impl AsyncWritableStorageTraits) {
    for (key, value) in entries() {
        store.set(&key, value).await.unwrap();
    }
}

#[tokio::test]
async fn the_twins_say_the_same_in_memory() {
    let store = AsyncMemoryStore::new();
    fill(&store).await;
    // Spawned, as only a future that may change threads can be.
    assert_eq!(tokio::spawn(opened(store)).await.unwrap(), expected());
}

#[tokio::test]
async fn the_twins_say_the_same_over_object_store() {
    let folder = tempfile::tempdir().unwrap();
    let files = LocalFileSystem::new_with_prefix(folder.path()).unwrap();
    let store = AsyncObjectStore::new(files);
    fill(&store).await;
    assert_eq!(opened(store).await, expected());
}

#[tokio::test]
async fn a_store_with_options_opens_several_datasets() {
    let store = AsyncMemoryStore::new();
    fill(&store).await;
    let store = N5DefaultStore::new(store).with_dimension_order(DimensionOrder::Reversed);
    let store = Arc::new(store);
    for path in ["/a/b/ds", "/top"] {
        let array = store.async_open_array(path).await.unwrap();
        assert_eq!(array.shape(), [2, 3]);
        let subset = array.subset_all();
        let values: Vec<u8> = array.async_retrieve_array_subset(&subset).await.unwrap();
        assert_eq!(values, [1, 2, 3, 4, 5, 6]);
    }
}
