//! Conversion in place to Zarr: what it writes, what it leaves alone, and what it reports.

use std::sync::Arc;

use serde_json::json;
use zarrs_interop::n5::{
    InPlaceError, InPlaceOptions, Outcome, SetDocuments, SkipReason, add_n5_metadata,
    add_zarr_metadata,
};
use zarrs_storage::{Bytes, ReadableStorageTraits, WritableStorageTraits, store::MemoryStore};

use crate::documents::{
    NESTED_CONVERTED, contents, json_at, lines, memory, name, nested_memory, to_zarr,
};
use crate::hierarchies::{DATASET, UNSUPPORTED, fill, key, nested};
use crate::recording::RecordingStore;

#[test]
fn a_hierarchy_gets_a_zarr_json_per_node_and_keeps_everything_else() {
    let store = nested_memory();
    let before = contents(&store);
    let report = to_zarr(&store);
    assert_eq!(lines(&report), NESTED_CONVERTED);
    assert_eq!(
        (
            report.converted(),
            report.unchanged(),
            report.skipped(),
            report.failed()
        ),
        (7, 0, 0, 0)
    );
    let mut after = contents(&store);
    let added: Vec<_> = after
        .extract_if(.., |key, _| name(key) == "zarr.json")
        .collect();
    assert_eq!(added.len(), 7);
    assert_eq!(after, before);
    assert_eq!(
        json_at(&store, "a/b/zarr.json"),
        json!({"zarr_format": 3, "node_type": "group"})
    );
    let array = json_at(&store, "top/zarr.json");
    assert_eq!(array["shape"], json!([3, 2]));
    assert_eq!(array["chunk_grid"]["name"], "regular");
    assert_eq!(array["attributes"], json!({"unit": "nm"}));
}

#[test]
fn a_second_run_changes_nothing_and_writes_nothing() {
    let store = RecordingStore::default();
    fill(&store.inner, &nested());
    let store = SetDocuments(Arc::new(store));
    let run = || add_zarr_metadata(&store, &InPlaceOptions::new(), |_| {}).unwrap();
    assert_eq!(run().converted(), 7);
    let before = contents(&store.0.inner);
    store.0.take_requests();
    let second = run();
    assert_eq!((second.unchanged(), second.nodes().len()), (7, 7));
    assert_eq!(contents(&store.0.inner), before);
    let requests = store.0.take_requests();
    assert!(
        !requests.iter().any(|request| request.starts_with("set")),
        "{requests:?}"
    );
}

#[test]
fn a_node_costs_one_listing_and_a_read_per_document_and_blocks_none() {
    let store = RecordingStore::default();
    fill(&store.inner, &nested());
    let store = SetDocuments(Arc::new(store));
    add_zarr_metadata(
        &store,
        &InPlaceOptions::new().with_node_path("/a/b"),
        |_| {},
    )
    .unwrap();
    let mut requests = store.0.take_requests();
    requests.sort();
    assert_eq!(
        requests,
        [
            "get a/b/0/ds/attributes.json",
            "get a/b/ds/attributes.json",
            "list_dir a/b/",
            "list_dir a/b/0/",
            "list_dir a/b/0/ds/",
            "list_dir a/b/ds/",
            "set a/b/0/ds/zarr.json",
            "set a/b/0/zarr.json",
            "set a/b/ds/zarr.json",
            "set a/b/zarr.json",
        ]
    );
}

#[test]
fn a_dry_run_reports_the_same_and_writes_nothing() {
    let store = nested_memory();
    let before = contents(&store);
    let report =
        add_zarr_metadata(&store, &InPlaceOptions::new().with_dry_run(true), |_| {}).unwrap();
    assert_eq!(lines(&report), NESTED_CONVERTED);
    assert_eq!(contents(&store), before);
}

#[test]
fn a_single_node_is_converted_alone() {
    let store = nested_memory();
    let options = InPlaceOptions::new()
        .with_node_path("/a")
        .with_recursive(false);
    assert_eq!(
        lines(&add_zarr_metadata(&store, &options, |_| {}).unwrap()),
        ["/a: converted"]
    );
    let options = InPlaceOptions::new().with_node_path("/a/b/ds");
    assert_eq!(
        lines(&add_zarr_metadata(&store, &options, |_| {}).unwrap()),
        ["/a/b/ds: converted"]
    );
}

#[test]
fn a_node_that_is_not_there_is_an_error_that_names_it() {
    for (path, store) in [("/a/misspelt", nested_memory()), ("/", memory(&[]))] {
        let options = InPlaceOptions::new().with_node_path(path);
        for result in [
            add_zarr_metadata(&store, &options, |_| {}),
            add_n5_metadata(&store, &options, |_| {}),
        ] {
            let error = result.unwrap_err();
            assert!(matches!(error, InPlaceError::NoSuchNode { .. }), "{error}");
            assert!(error.to_string().contains(path), "{error}");
        }
    }
}

#[test]
fn a_path_that_is_no_node_path_is_refused() {
    for path in ["a", "/a/", "", "/a//b"] {
        let options = InPlaceOptions::new().with_node_path(path);
        let error = add_zarr_metadata(&nested_memory(), &options, |_| {}).unwrap_err();
        assert!(
            matches!(error, InPlaceError::InvalidNodePath(_)),
            "{path}: {error}"
        );
    }
}

#[test]
fn one_broken_dataset_does_not_stop_the_rest() {
    let store = memory(&[
        ("a/attributes.json", UNSUPPORTED),
        ("a/0/0", "block"),
        ("b/attributes.json", "{\"dimensions\": [3, 2],"),
        ("b/0/0", "block"),
        (
            "c/attributes.json",
            r#"{"dimensions":[3,2],"blockSize":[3,2]}"#,
        ),
        ("d/attributes.json", DATASET),
    ]);
    let report = to_zarr(&store);
    let lines = lines(&report);
    assert_eq!(lines.len(), 6, "{lines:?}");
    assert!(
        lines[1].starts_with("/a: skipped: ") && lines[1].contains("jpeg"),
        "{}",
        lines[1]
    );
    assert!(
        lines[2].starts_with("/b: failed: ") && lines[2].contains("EOF"),
        "{}",
        lines[2]
    );
    assert_eq!(
        lines[3],
        "/b: skipped: 1 folder below it named by a number, which may hold blocks of a dataset"
    );
    assert!(
        lines[4].starts_with("/c: failed: ") && lines[4].contains("dataType"),
        "{}",
        lines[4]
    );
    assert_eq!(lines[5], "/d: converted");
    assert_eq!(
        (report.converted(), report.skipped(), report.failed()),
        (2, 2, 2)
    );
}

#[test]
fn a_zarr_json_that_says_something_else_is_replaced_only_when_told() {
    let other = r#"{"zarr_format":3,"node_type":"group","attributes":{"k":1}}"#;
    for existing in [other, "{"] {
        let store = memory(&[
            ("attributes.json", "{\"n5\":\"4.0.0\"}"),
            ("zarr.json", existing),
            ("a/x", "x"),
        ]);
        let report = to_zarr(&store);
        assert!(
            matches!(
                report.nodes()[0].outcome,
                Outcome::Skipped(SkipReason::SaysSomethingElse(_))
            ),
            "{report:?}"
        );
        assert_eq!(lines(&report)[1], "/a: converted");
        assert_eq!(store.get(&key("zarr.json")).unwrap().unwrap(), existing);

        let options = InPlaceOptions::new().with_overwrite(true);
        let report = add_zarr_metadata(&store, &options, |_| {}).unwrap();
        assert_eq!(lines(&report), ["/: converted", "/a: unchanged"]);
        assert_eq!(
            json_at(&store, "zarr.json")["attributes"],
            json!({"n5": "4.0.0"})
        );
        assert_eq!(lines(&to_zarr(&store)), ["/: unchanged", "/a: unchanged"]);
    }
}

#[test]
fn a_zarr_json_that_says_the_same_in_other_words_is_unchanged() {
    let store = memory(&[("ds/attributes.json", DATASET)]);
    to_zarr(&store);
    let mut zarr = json_at(&store, "ds/zarr.json");
    zarr["attributes"]["_zarrs"] = json!({"description": "made by zarrs"});
    let text = serde_json::to_string_pretty(&zarr).unwrap();
    store
        .set(&key("ds/zarr.json"), text.clone().into())
        .unwrap();
    assert_eq!(lines(&to_zarr(&store)), ["/: unchanged", "/ds: unchanged"]);
    assert_eq!(store.get(&key("ds/zarr.json")).unwrap().unwrap(), text);
}

#[test]
fn nodes_that_are_only_zarr_are_left_alone() {
    let store = memory(&[
        (
            "array/zarr.json",
            r#"{"zarr_format":3,"node_type":"array"}"#,
        ),
        ("array/c/0/0", "chunk"),
        (
            "group/zarr.json",
            r#"{"zarr_format":3,"node_type":"group","attributes":{"k":1}}"#,
        ),
        ("group/ds/attributes.json", DATASET),
        ("v2/.zgroup", "{}"),
        ("v2/a/.zarray", "{}"),
        ("v2/a/0/0", "chunk"),
        (".git/objects/0", "x"),
    ]);
    let report = to_zarr(&store);
    let only = |key| format!("skipped: only {key} is there, so there is nothing to convert");
    let expected = [
        "/: converted".to_owned(),
        "/.git: skipped: a hidden directory".to_owned(),
        format!("/array: {}", only("array/zarr.json")),
        format!("/group: {}", only("group/zarr.json")),
        "/group/ds: converted".to_owned(),
        "/v2: skipped: a node of Zarr V2: converting those is not supported".to_owned(),
        "/v2/a: skipped: a node of Zarr V2: converting those is not supported".to_owned(),
    ];
    assert_eq!(lines(&report), expected);
    assert!(store.get(&key("v2/zarr.json")).unwrap().is_none());
}

#[test]
fn progress_counts_up_to_what_is_known() {
    let mut told = Vec::new();
    let store = nested_memory();
    add_zarr_metadata(&store, &InPlaceOptions::new(), |progress| {
        told.push((
            progress.node.node_path.clone(),
            progress.done,
            progress.known,
        ));
    })
    .unwrap();
    let expected = [
        ("/", 1, 3),
        ("/a", 2, 4),
        ("/top", 3, 4),
        ("/a/b", 4, 6),
        ("/a/b/0", 5, 7),
        ("/a/b/ds", 6, 7),
        ("/a/b/0/ds", 7, 7),
    ];
    assert_eq!(
        told,
        expected.map(|(path, done, known)| (path.to_owned(), done, known))
    );
}

#[test]
fn many_nodes_are_each_visited_once_and_reported_in_order() {
    let store = MemoryStore::new();
    for index in 0..100 {
        let at = format!("g{}/ds{index}-x/attributes.json", index % 7);
        store.set(&key(&at), Bytes::from(DATASET)).unwrap();
        let at = format!("g{}/ds{index}/attributes.json", index % 7);
        store.set(&key(&at), Bytes::from(DATASET)).unwrap();
    }
    let report = to_zarr(&store);
    let mut expected = vec![vec![String::new(), String::new()]];
    for group in 0..7 {
        expected.push(vec![String::new(), format!("g{group}")]);
    }
    for index in 0..100 {
        for name in [format!("ds{index}"), format!("ds{index}-x")] {
            expected.push(vec![String::new(), format!("g{}", index % 7), name]);
        }
    }
    expected.sort();
    let expected: Vec<_> = expected.iter().map(|parts| parts.join("/")).collect();
    let paths: Vec<_> = report.nodes().iter().map(|node| &node.node_path).collect();
    assert_eq!(paths, expected.iter().collect::<Vec<_>>());
    assert_eq!(report.converted(), 208);
}
