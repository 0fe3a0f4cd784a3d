//! Conversion in place back to N5: what it writes and what it leaves alone.

use serde_json::{Value, json};
use zarrs_interop::n5::{InPlaceOptions, add_n5_metadata};
use zarrs_storage::{ReadableStorageTraits, WritableStorageTraits};

use crate::documents::{contents, json_at, lines, memory, nested_memory, to_zarr};
use crate::hierarchies::{DATASET, GROUP, key};

#[test]
fn there_and_back_gives_the_same_attributes() {
    let store = nested_memory();
    let before = contents(&store);
    to_zarr(&store);
    for node in ["", "a/", "a/b/ds/", "a/b/0/ds/", "top/"] {
        store
            .erase(&key(&format!("{node}attributes.json")))
            .unwrap();
    }
    let report = add_n5_metadata(&store, &InPlaceOptions::new(), |_| {}).unwrap();
    assert_eq!((report.converted(), report.skipped()), (5, 2), "{report:?}");
    assert_eq!(
        lines(&report)[2],
        "/a/b: skipped: a group without attributes needs no document in N5"
    );
    for (key, value) in before {
        let value = serde_json::from_slice::<Value>(&value);
        let now = serde_json::from_slice::<Value>(&store.get(&key).unwrap().unwrap());
        assert_eq!(now.ok(), value.ok(), "{key}");
    }
    let again = add_n5_metadata(&store, &InPlaceOptions::new(), |_| {}).unwrap();
    assert_eq!(
        (again.unchanged(), again.skipped(), again.converted()),
        (5, 2, 0)
    );
}

#[test]
fn an_attributes_json_that_says_something_else_is_replaced_only_when_told() {
    let zarr = r#"{"zarr_format":3,"node_type":"group","attributes":{"k":1}}"#;
    for existing in [GROUP, "{"] {
        let store = memory(&[("a/zarr.json", zarr), ("a/attributes.json", existing)]);
        let options = InPlaceOptions::new().with_node_path("/a");
        let report = add_n5_metadata(&store, &options, |_| {}).unwrap();
        assert_eq!(report.converted() + report.unchanged(), 0, "{report:?}");
        assert_eq!(
            store.get(&key("a/attributes.json")).unwrap().unwrap(),
            existing
        );
        let report = add_n5_metadata(&store, &options.with_overwrite(true), |_| {}).unwrap();
        assert_eq!(lines(&report), ["/a: converted"]);
        assert_eq!(json_at(&store, "a/attributes.json"), json!({"k": 1}));
    }
}

#[test]
fn what_n5_cannot_say_is_skipped_and_what_is_only_n5_is_left_alone() {
    let array = r#"{"zarr_format":3,"node_type":"array","shape":[1],"data_type":"uint8","fill_value":7,
        "chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1]}},
        "chunk_key_encoding":{"name":"v2","configuration":{"separator":"/"}},
        "codecs":[{"name":"n5_default","configuration":{"codecs":[
            {"name":"transpose","configuration":{"order":[0]}},{"name":"bytes"}]}}]}"#;
    let store = memory(&[
        ("z/zarr.json", array),
        ("z/c/0", "chunk"),
        ("n/attributes.json", DATASET),
        ("n/0/0", "x"),
    ]);
    let report = add_n5_metadata(&store, &InPlaceOptions::new(), |_| {}).unwrap();
    let lines = lines(&report);
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(
        lines[1].starts_with("/n: skipped: only n/attributes.json"),
        "{}",
        lines[1]
    );
    assert!(
        lines[2].starts_with("/z: skipped: ") && lines[2].contains("fill_value"),
        "{}",
        lines[2]
    );
}
