//! Conversion in place back to N5: what it writes and what it leaves alone.

use serde_json::{Value, json};
use zarrs_interop::n5::{InPlaceError, InPlaceOptions, add_n5_metadata};
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

/// An array that N5 cannot express.
const REFUSED: &str = r#"{"zarr_format":3,"node_type":"array","shape":[1],"data_type":"uint8","fill_value":7,
        "chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1]}},
        "chunk_key_encoding":{"name":"v2","configuration":{"separator":"/"}},
        "codecs":[{"name":"n5_default","configuration":{"codecs":[
            {"name":"transpose","configuration":{"order":[0]}},{"name":"bytes"}]}}]}"#;

const ROOT: &str = r#"{"zarr_format":3,"node_type":"group","attributes":{"k":1}}"#;

#[test]
fn of_a_hierarchy_without_any_array_for_n5_nothing_is_written() {
    let store = memory(&[
        ("zarr.json", ROOT),
        ("a/zarr.json", ROOT),
        ("a/z/zarr.json", REFUSED),
    ]);
    let before = contents(&store);
    for (node_path, overwrite) in [("/", false), ("/", true), ("/a", false), ("/a/z", false)] {
        let options = InPlaceOptions::new().with_node_path(node_path);
        let error = add_n5_metadata(&store, &options.with_overwrite(overwrite), |_| {});
        let error = error.unwrap_err();
        assert!(
            matches!(error, InPlaceError::NothingForN5 { .. }),
            "{error:?}"
        );
        let text = error.to_string();
        assert!(
            text.starts_with(&format!(
                "cannot convert in place: none of the arrays at {node_path} or below it can be N5; \
                 /a/z: "
            )) && text.contains("fill_value")
                && text.ends_with("; nothing was written"),
            "{text}"
        );
        assert_eq!(contents(&store), before);
    }
}

#[test]
fn groups_become_n5_with_an_array_that_does_or_when_there_is_none() {
    let good = REFUSED.replace("\"fill_value\":7", "\"fill_value\":0");
    let store = memory(&[
        ("zarr.json", ROOT),
        ("a/zarr.json", ROOT),
        ("a/y/zarr.json", &good),
        ("a/z/zarr.json", REFUSED),
        ("b/zarr.json", ROOT),
    ]);
    let report = add_n5_metadata(&store, &InPlaceOptions::new(), |_| {}).unwrap();
    assert_eq!((report.converted(), report.skipped()), (4, 1), "{report:?}");
    assert_eq!(
        json_at(&store, "attributes.json"),
        json!({"k": 1, "n5": "2.0.0"})
    );
    assert_eq!(json_at(&store, "b/attributes.json"), json!({"k": 1}));

    let groups = memory(&[("zarr.json", ROOT), ("a/zarr.json", ROOT)]);
    let report = add_n5_metadata(&groups, &InPlaceOptions::new(), |_| {}).unwrap();
    assert_eq!(report.converted(), 2, "{report:?}");
    assert_eq!(json_at(&groups, "a/attributes.json"), json!({"k": 1}));
}

/// The root says that it is N5, so that there may be more of it than was found.
#[test]
fn a_refused_array_in_n5_is_skipped() {
    let store = memory(&[
        ("attributes.json", r#"{"n5":"2.0.0"}"#),
        ("a/zarr.json", ROOT),
        ("a/z/zarr.json", REFUSED),
    ]);
    for node_path in ["/", "/a"] {
        let options = InPlaceOptions::new().with_node_path(node_path);
        let report = add_n5_metadata(&store, &options, |_| {}).unwrap();
        assert_eq!(report.failed(), 0, "{report:?}");
        assert!(
            lines(&report)
                .iter()
                .any(|line| line.starts_with("/a/z: skipped: "))
        );
        assert_eq!(json_at(&store, "a/attributes.json"), json!({"k": 1}));
    }
}

#[test]
fn what_n5_cannot_say_is_skipped_and_what_is_only_n5_is_left_alone() {
    let store = memory(&[
        ("z/zarr.json", REFUSED),
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
