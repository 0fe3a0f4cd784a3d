//! What zarrs itself makes of the documents, and they of what it stores.

use std::sync::Arc;

use zarrs::array::Array;
use zarrs::group::Group;
use zarrs::storage::store::MemoryStore;
use zarrs::storage::{ReadableStorageTraits, StoreKey, WritableStorageTraits};

use super::*;
use crate::n5::N5DataType;

/// A store with the `zarr.json` of `document` at the node `/a`.
fn store_of(document: &Value, grid: ChunkGrid) -> Arc<MemoryStore> {
    let zarr = attributes_to_zarr(document.to_string().as_bytes(), "/a", grid).unwrap();
    let store = Arc::new(MemoryStore::new());
    store.set(&key(), zarr.into()).unwrap();
    store
}

fn key() -> StoreKey {
    StoreKey::new("a/zarr.json").unwrap()
}

/// What the `zarr.json` in the store changes in `document`.
fn changes(store: &MemoryStore, document: &Value) -> Option<String> {
    let zarr = store.get(&key()).unwrap().unwrap();
    let zarr: Value = serde_json::from_slice(&zarr).unwrap();
    stored(&zarr, Some(&document.to_string()), "/a")
}

#[test]
fn an_array_is_opened_and_stored_without_a_change() {
    for data_type in N5DataType::ALL {
        for grid in [ChunkGrid::RegularBounded, ChunkGrid::Regular] {
            let document = with(n5(), "/dataType", json!(data_type.name()));
            let document = with(document, "/axes", json!(["x", "y"]));
            let store = store_of(&document, grid);
            let array = Array::open(store.clone(), "/a").unwrap();
            assert_eq!(array.shape(), [5, 3]);
            assert_eq!(
                array.dimension_names(),
                &Some(vec![Some("x".to_owned()), Some("y".to_owned())])
            );
            assert_eq!(array.chunk_key(&[1, 0]).as_str(), "a/1/0");
            assert!(
                array
                    .fill_value()
                    .as_ne_bytes()
                    .iter()
                    .all(|byte| *byte == 0)
            );
            array.store_metadata().unwrap();
            assert_eq!(changes(&store, &document), None, "{data_type}");
        }
    }
}

#[test]
fn a_group_is_opened_and_stored_without_a_change() {
    let document = json!({"n5": "2.0.0", "nested": {"list": [null, 1.5]}});
    let store = store_of(&document, ChunkGrid::default());
    let group = Group::open(store.clone(), "/a").unwrap();
    assert_eq!(Value::from(group.attributes().clone()), document);
    group.store_metadata().unwrap();
    assert_eq!(changes(&store, &document), None);
}

#[test]
fn a_changed_attribute_is_the_only_change() {
    let document = n5();
    let store = store_of(&document, ChunkGrid::default());
    let mut array = Array::open(store.clone(), "/a").unwrap();
    array
        .attributes_mut()
        .insert("resolution".to_owned(), json!([1, 2]));
    array.store_metadata().unwrap();
    let expected = with(document.clone(), "/resolution", json!([1, 2]));
    assert_eq!(changes(&store, &document), Some(expected.to_string()));
}

#[test]
fn a_built_array_is_stored_as_n5() {
    let store = Arc::new(MemoryStore::new());
    crate::n5::array_builder(
        [5, 3],
        [3, 2],
        N5DataType::Float32,
        &crate::n5::Compression::Raw,
    )
    .unwrap()
    .build(store.clone(), "/a")
    .unwrap()
    .store_metadata()
    .unwrap();
    let expected = json!({
        "dimensions": [5, 3], "blockSize": [3, 2], "dataType": "float32", "compression": {"type": "raw"}
    });
    let zarr: Value = serde_json::from_slice(&store.get(&key()).unwrap().unwrap()).unwrap();
    assert_eq!(stored_new(&zarr), expected);
}

#[test]
fn a_document_is_as_deep_as_zarrs_can_read_or_refused() {
    let nested = |levels: usize| {
        let text = format!(
            r#"{{"a":{}1{}}}"#,
            "[".repeat(levels - 1),
            "]".repeat(levels - 1)
        );
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let store = store_of(&nested(126), ChunkGrid::default());
    Group::open(store.clone(), "/a").unwrap();
    assert_eq!(changes(&store, &nested(126)), None);

    let too_deep = nested(127).to_string();
    let error = attributes_to_zarr(too_deep.as_bytes(), "/a", ChunkGrid::default()).unwrap_err();
    assert!(
        error.to_string().contains("more than 126 levels"),
        "{error}"
    );
}
