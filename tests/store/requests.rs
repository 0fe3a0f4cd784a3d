//! What `N5DefaultStore` and `ImplicitGroupStore` ask of the wrapped store, and what they write to
//! it.

use serde_json::{Value, json};
use zarrs_interop::n5::{ImplicitGroupStore, N5DefaultStore, Unconvertible};
use zarrs_storage::byte_range::ByteRange;
use zarrs_storage::{
    Bytes, ListableStorageTraits, ReadableStorageTraits, StoreKey, StorePrefix,
    WritableStorageTraits,
};

use crate::hierarchies::{DATASET, GROUP, UNSUPPORTED, fill, key};
use crate::recording::RecordingStore;

pub(super) fn recording(entries: &[(&str, &str)]) -> RecordingStore {
    let store = RecordingStore::default();
    let entries = entries
        .iter()
        .map(|(at, value)| (key(at), Bytes::from(value.to_string())));
    fill(&store.inner, &entries.collect::<Vec<_>>());
    store
}

pub(super) fn n5(entries: &[(&str, &str)]) -> N5DefaultStore<RecordingStore> {
    N5DefaultStore::new(recording(entries))
}

pub(super) fn json(store: &impl ReadableStorageTraits, at: &str) -> Value {
    serde_json::from_slice(&store.get(&key(at)).unwrap().unwrap()).unwrap()
}

pub(super) fn set_json(
    store: &impl WritableStorageTraits,
    at: &str,
    value: &Value,
) -> Result<(), String> {
    let value = serde_json::to_vec(value).unwrap();
    store
        .set(&key(at), value.into())
        .map_err(|error| error.to_string())
}

#[test]
fn other_keys_go_through_with_the_same_request_and_no_more() {
    let store = n5(&[("a/0/0", "block")]);
    let block = key("a/0/0");
    store.get(&block).unwrap();
    store
        .get_partial(&block, ByteRange::FromStart(1, Some(2)))
        .unwrap();
    store
        .get_partial_many(&block, Box::new([ByteRange::Suffix(1)].into_iter()))
        .unwrap();
    store.size_key(&block).unwrap();
    store.set(&block, Bytes::from_static(b"new")).unwrap();
    store
        .set_partial(&block, 1, Bytes::from_static(b"x"))
        .unwrap();
    store
        .set_partial_many(
            &block,
            Box::new([(0, Bytes::from_static(b"y"))].into_iter()),
        )
        .unwrap();
    assert_eq!(store.get(&block).unwrap().unwrap(), "yxw");
    store.erase(&block).unwrap();
    store.erase_many(&[block, key("my-zarr.json")]).unwrap();
    store
        .erase_prefix(&StorePrefix::new("a/").unwrap())
        .unwrap();
    assert_eq!(
        store.inner().take_requests(),
        [
            "get a/0/0",
            "get_partial a/0/0",
            "get_partial_many a/0/0",
            "size_key a/0/0",
            "set a/0/0",
            "set_partial a/0/0",
            "set_partial_many a/0/0",
            "get a/0/0",
            "erase a/0/0",
            "erase_many a/0/0 my-zarr.json",
            "erase_prefix a/",
        ]
    );
    assert!(!store.supports_get_partial());
    assert!(!store.supports_set_partial());
}

#[test]
fn a_document_costs_one_request_and_listing_reads_none() {
    let store = n5(&[("a/attributes.json", GROUP)]);
    store.get(&key("a/zarr.json")).unwrap();
    store.list().unwrap();
    store.list_dir(&StorePrefix::new("a/").unwrap()).unwrap();
    assert_eq!(
        store.inner().take_requests(),
        ["get a/attributes.json", "list ", "list_dir a/"]
    );
}

#[test]
fn attributes_json_stays_readable_and_listed() {
    let store = n5(&[("attributes.json", GROUP)]);
    assert_eq!(store.get(&key("attributes.json")).unwrap().unwrap(), GROUP);
    assert_eq!(
        store.list().unwrap(),
        [key("attributes.json"), key("zarr.json")]
    );
}

#[test]
fn a_zarr_json_without_attributes_json_is_served_and_else_the_attributes_speak() {
    let zarr = r#"{"zarr_format":3,"node_type":"group","attributes":{"from":"zarr"}}"#;
    let store = n5(&[
        ("a/zarr.json", zarr),
        ("b/zarr.json", zarr),
        ("b/attributes.json", GROUP),
    ]);
    assert_eq!(
        json(&store, "a/zarr.json")["attributes"],
        json!({"from": "zarr"})
    );
    assert_eq!(
        json(&store, "b/zarr.json")["attributes"],
        json!({"pixelResolution": [4.0, 4.0]})
    );
}

#[test]
fn an_unconvertible_dataset_is_an_error_that_names_it_or_hidden() {
    let entries = [
        ("a/bad/attributes.json", UNSUPPORTED),
        ("a/bad/0/0", "block"),
    ];
    let store = n5(&entries);
    let error = store.get(&key("a/bad/zarr.json")).unwrap_err().to_string();
    assert!(
        error.contains("/a/bad") && error.contains("jpeg"),
        "{error}"
    );
    assert!(store.size_key(&key("a/bad/zarr.json")).is_err());
    assert!(store.list().unwrap().contains(&key("a/bad/zarr.json")));

    let hiding = store.with_unconvertible(Unconvertible::Hidden);
    let implicit = ImplicitGroupStore::new(hiding);
    for store in [&implicit as &dyn ReadableStorageTraits, implicit.inner()] {
        assert_eq!(store.get(&key("a/bad/zarr.json")).unwrap(), None);
        assert_eq!(store.get(&key("a/bad/0/zarr.json")).unwrap(), None);
    }
    let listed = implicit.list().unwrap();
    let documents: Vec<_> = listed
        .iter()
        .filter(|key| key.as_str().ends_with("zarr.json"))
        .collect();
    assert_eq!(documents, [&key("a/zarr.json"), &key("zarr.json")]);
}

/// Some stores answer a range with a request for the size before the one for the bytes.
#[test]
fn a_range_that_is_the_whole_value_is_a_get() {
    let whole = ByteRange::FromStart(0, None);
    let entries = [("a/attributes.json", GROUP), ("a/0/0", "block")];
    let store = ImplicitGroupStore::new(n5(&entries));
    let requests = || store.inner().inner().take_requests();
    let block = key("a/0/0");
    assert_eq!(store.get_partial(&block, whole).unwrap().unwrap(), "block");
    assert_eq!(requests(), ["get a/0/0"]);
    let values = store.get_partial_many(&block, Box::new([whole].into_iter()));
    let values: Result<Vec<_>, _> = values.unwrap().unwrap().collect();
    assert_eq!(values.unwrap(), ["block"]);
    assert_eq!(requests(), ["get a/0/0"]);
    let missing = store.get_partial_many(&key("a/0/1"), Box::new([whole].into_iter()));
    assert!(missing.unwrap().is_none());
    assert_eq!(requests(), ["get a/0/1"]);
    let two = store.get_partial_many(&block, Box::new([whole, whole].into_iter()));
    assert_eq!(two.unwrap().unwrap().count(), 2);
    assert_eq!(requests(), ["get_partial_many a/0/0"]);
}

#[test]
fn an_empty_block_is_handed_on_or_missing() {
    let entries = [("ds/0/0", ""), ("ds/0/1", "block"), ("empty.txt", "")];
    let range = ByteRange::FromStart(0, None);
    let [empty, block, text] = ["ds/0/0", "ds/0/1", "empty.txt"].map(key);
    let store = n5(&entries);
    assert_eq!(store.get(&empty).unwrap(), Some(Bytes::new()));
    assert_eq!(store.size_key(&empty).unwrap(), Some(0));

    let store = store.with_empty_blocks_missing(true);
    assert_eq!(store.get(&empty).unwrap(), None);
    assert_eq!(store.get_partial(&empty, range).unwrap(), None);
    assert!(
        store
            .get_partial_many(&empty, Box::new([range].into_iter()))
            .unwrap()
            .is_none()
    );
    assert_eq!(store.size_key(&empty).unwrap(), None);
    assert_eq!(store.get(&text).unwrap(), Some(Bytes::new()));
    assert_eq!(store.size_key(&text).unwrap(), Some(0));
    assert_eq!(store.get(&block).unwrap().unwrap(), "block");
    assert_eq!(store.get_partial(&block, range).unwrap().unwrap(), "block");
    assert_eq!(store.size_key(&block).unwrap(), Some(5));
}

#[test]
fn setting_zarr_json_writes_attributes_json_only_when_something_changes() {
    let store = n5(&[("a/attributes.json", DATASET)]);
    let mut zarr = json(&store, "a/zarr.json");
    set_json(&store, "a/zarr.json", &zarr).unwrap();
    let requests = store.inner().take_requests();
    assert!(
        !requests.iter().any(|request| request.starts_with("set")),
        "{requests:?}"
    );

    zarr["attributes"]["unit"] = json!("µm");
    set_json(&store, "a/zarr.json", &zarr).unwrap();
    let mut expected: Value = serde_json::from_str(DATASET).unwrap();
    expected["unit"] = json!("µm");
    assert_eq!(json(&store, "a/attributes.json"), expected);
    assert_eq!(json(&store, "attributes.json"), json!({"n5": "2.0.0"}));
    assert_eq!(
        store.inner().inner.list().unwrap(),
        [key("a/attributes.json"), key("attributes.json")]
    );
}

#[test]
fn what_n5_cannot_say_is_refused_and_the_old_document_stays() {
    let store = n5(&[("a/attributes.json", DATASET)]);
    let mut zarr = json(&store, "a/zarr.json");
    zarr["fill_value"] = json!(1);
    let error = set_json(&store, "a/zarr.json", &zarr).unwrap_err();
    assert!(
        error.contains("a/zarr.json") && error.contains("fill_value"),
        "{error}"
    );
    assert_eq!(
        store.get(&key("a/attributes.json")).unwrap().unwrap(),
        DATASET
    );
}

#[test]
fn a_new_root_group_gets_its_n5_version() {
    let store = n5(&[]);
    set_json(
        &store,
        "zarr.json",
        &json!({"zarr_format": 3, "node_type": "group"}),
    )
    .unwrap();
    assert_eq!(json(&store, "attributes.json"), json!({"n5": "2.0.0"}));
    assert_eq!(
        store.inner().inner.list().unwrap(),
        [key("attributes.json")]
    );
}

#[test]
fn a_zarr_json_beside_the_attributes_is_kept_in_step() {
    let store = n5(&[("a/attributes.json", DATASET), ("a/zarr.json", "{}")]);
    let mut zarr = json(&store, "a/zarr.json");
    zarr["attributes"]["unit"] = json!("µm");
    store.inner().take_requests();
    set_json(&store, "a/zarr.json", &zarr).unwrap();
    let beside = json(&store.inner().inner, "a/zarr.json");
    assert_eq!(beside["attributes"]["unit"], "µm");
    assert_eq!(beside["chunk_grid"]["name"], "regular");
    let requests = store.inner().take_requests();
    let writes: Vec<_> = requests
        .iter()
        .filter(|request| request.starts_with("set"))
        .collect();
    // In this order a crash between the two is healed by the same `set` again.
    let expected = [
        "set attributes.json",
        "set a/zarr.json",
        "set a/attributes.json",
    ];
    assert_eq!(writes, expected);
}

#[test]
fn a_partial_set_of_zarr_json_changes_the_document_shown() {
    let store = n5(&[("a/attributes.json", GROUP)]);
    let document = store.get(&key("a/zarr.json")).unwrap().unwrap();
    let text = std::str::from_utf8(&document).unwrap();
    let at = text.find("pixel").unwrap() as u64;
    store
        .set_partial(&key("a/zarr.json"), at, Bytes::from_static(b"voxel"))
        .unwrap();
    assert_eq!(
        json(&store, "a/attributes.json"),
        json!({"voxelResolution": [4.0, 4.0]})
    );
    assert!(
        store
            .set_partial(&key("a/zarr.json"), u64::MAX, Bytes::from_static(b"x"))
            .is_err()
    );
    assert_eq!(
        json(&store, "a/attributes.json"),
        json!({"voxelResolution": [4.0, 4.0]})
    );
}

#[test]
fn erasing_zarr_json_erases_both_documents() {
    let entries = [
        ("a/attributes.json", GROUP),
        ("a/zarr.json", "{}"),
        ("a/0", "block"),
    ];
    let erase: [fn(&N5DefaultStore<RecordingStore>, &StoreKey); 2] = [
        |store, key| store.erase(key).unwrap(),
        |store, key| store.erase_many(std::slice::from_ref(key)).unwrap(),
    ];
    for erase in erase {
        let store = n5(&entries);
        erase(&store, &key("a/zarr.json"));
        assert_eq!(store.get(&key("a/zarr.json")).unwrap(), None);
        assert_eq!(store.inner().inner.list().unwrap(), [key("a/0")]);
    }
}

#[test]
fn erasing_a_prefix_erases_its_documents() {
    let store = n5(&[
        ("a/attributes.json", GROUP),
        ("a/b/attributes.json", GROUP),
        ("ab/0", "x"),
    ]);
    store
        .erase_prefix(&StorePrefix::new("a/").unwrap())
        .unwrap();
    assert_eq!(store.list().unwrap(), [key("ab/0")]);
}

#[test]
fn the_wrapped_store_can_be_had_back() {
    let store = ImplicitGroupStore::new(n5(&[("a", "b")]));
    assert_eq!(store.inner().inner().inner.list().unwrap(), [key("a")]);
    let recording = store.into_inner().into_inner();
    assert_eq!(recording.inner.list().unwrap(), [key("a")]);
}
