//! Conversion in place, both ways: what it writes, what it leaves alone, and what a crash leaves behind.
#![cfg(feature = "n5")]

#[path = "store_support/hierarchies.rs"]
mod hierarchies;
#[path = "store_support/recording.rs"]
mod recording;

use std::collections::BTreeMap;
use std::sync::Arc;

use hierarchies::{DATASET, GROUP, UNSUPPORTED, fill, key, nested};
use recording::RecordingStore;
use serde_json::{Value, json};
use zarrs_interop::n5::{
    InPlaceError, InPlaceOptions, InPlaceReport, Outcome, RenameDocuments, ReplaceDocuments,
    SetDocuments, SkipReason, add_n5_metadata, add_zarr_metadata,
};
use zarrs_storage::{
    Bytes, ListableStorageTraits, ReadableStorageTraits, StoreKey, WritableStorageTraits,
    store::MemoryStore,
};

fn memory(entries: &[(&str, &str)]) -> MemoryStore {
    let store = MemoryStore::new();
    for (at, value) in entries {
        store.set(&key(at), Bytes::from(value.to_string())).unwrap();
    }
    store
}

fn nested_memory() -> MemoryStore {
    let store = MemoryStore::new();
    fill(&store, &nested());
    store
}

fn contents(
    store: &(impl ReadableStorageTraits + ListableStorageTraits),
) -> BTreeMap<StoreKey, Bytes> {
    let keys = store.list().unwrap().into_iter();
    keys.map(|key| (key.clone(), store.get(&key).unwrap().unwrap()))
        .collect()
}

fn json_at(store: &impl ReadableStorageTraits, at: &str) -> Value {
    serde_json::from_slice(&store.get(&key(at)).unwrap().unwrap()).unwrap()
}

fn to_zarr(store: &MemoryStore) -> InPlaceReport {
    add_zarr_metadata(store, &InPlaceOptions::new(), |_| {}).unwrap()
}

fn lines(report: &InPlaceReport) -> Vec<String> {
    report.nodes().iter().map(ToString::to_string).collect()
}

fn name(key: &StoreKey) -> &str {
    key.as_str().rsplit('/').next().unwrap()
}

fn is_document(key: &StoreKey) -> bool {
    ["zarr.json", "attributes.json"].contains(&name(key))
}

const NESTED_CONVERTED: [&str; 7] = [
    "/: converted",
    "/a: converted",
    "/a/b: converted",
    "/a/b/0: converted",
    "/a/b/0/ds: converted",
    "/a/b/ds: converted",
    "/top: converted",
];

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
fn a_node_costs_two_reads_and_a_group_one_listing_and_blocks_none() {
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
            "get a/b/0/attributes.json",
            "get a/b/0/ds/attributes.json",
            "get a/b/0/ds/zarr.json",
            "get a/b/0/zarr.json",
            "get a/b/attributes.json",
            "get a/b/ds/attributes.json",
            "get a/b/ds/zarr.json",
            "get a/b/zarr.json",
            "list_dir a/b/",
            "list_dir a/b/0/",
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
    assert_eq!(lines.len(), 5, "{lines:?}");
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
    assert!(
        lines[3].starts_with("/c: failed: ") && lines[3].contains("dataType"),
        "{}",
        lines[3]
    );
    assert_eq!(lines[4], "/d: converted");
    assert_eq!(
        (report.converted(), report.skipped(), report.failed()),
        (2, 1, 2)
    );
}

#[test]
fn a_zarr_json_that_says_something_else_is_replaced_only_when_told() {
    let other = r#"{"zarr_format":3,"node_type":"group","attributes":{"k":1}}"#;
    for existing in [other, "{"] {
        let store = memory(&[
            ("attributes.json", "{\"n5\":\"4.0.0\"}"),
            ("zarr.json", existing),
            ("a/0", "x"),
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
    zarr["chunk_grid"]["name"] = json!("zarrs.regular_bounded");
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
fn a_store_that_cannot_be_written_is_reported_per_node() {
    let store = SetDocuments(Arc::new(RecordingStore::default()));
    fill(&store.0.inner, &nested());
    store.0.crash_after(1, false);
    let report = add_zarr_metadata(&store, &InPlaceOptions::new(), |_| {}).unwrap();
    assert_eq!(
        lines(&report),
        [
            "/: converted",
            "/a: failed: cannot write a/zarr.json: crashed",
            "/top: failed: cannot write top/zarr.json: crashed"
        ]
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

/// Crashes a conversion at every write in turn. Every document must be whole afterwards, and the next run must finish.
fn crash_everywhere<D>(
    before: &MemoryStore,
    wrap: impl Fn(Arc<RecordingStore>) -> D,
    is_torn: bool,
    to_zarr: bool,
) where
    D: ReplaceDocuments,
    D::Store: ReadableStorageTraits + ListableStorageTraits,
{
    let convert = |store: &D| {
        let options = InPlaceOptions::new().with_overwrite(true);
        if to_zarr {
            add_zarr_metadata(store, &options, |_| {}).unwrap()
        } else {
            add_n5_metadata(store, &options, |_| {}).unwrap()
        }
    };
    let fresh = || {
        let store = Arc::new(RecordingStore::default());
        fill(&store.inner, &Vec::from_iter(contents(before)));
        store
    };
    let uninterrupted = fresh();
    let count = convert(&wrap(uninterrupted.clone())).converted();
    let expected = contents(&uninterrupted.inner);
    for crash_at in 0.. {
        let store = fresh();
        let documents = wrap(store.clone());
        store.crash_after(crash_at, is_torn);
        convert(&documents);
        if !store.restart() {
            assert!(
                crash_at >= count,
                "only {crash_at} writes for {count} documents"
            );
            assert_eq!(contents(&store.inner), expected);
            return;
        }
        for (key, value) in contents(&store.inner) {
            if is_document(&key) {
                assert!(
                    serde_json::from_slice::<Value>(&value).is_ok(),
                    "{key} after {crash_at} writes: {value:?}"
                );
            }
        }
        assert_eq!(convert(&documents).failed(), 0);
        assert_eq!(
            contents(&store.inner),
            expected,
            "rerun after {crash_at} writes"
        );
    }
}

#[test]
fn a_crash_leaves_every_document_whole_and_the_next_run_finishes() {
    let n5 = nested_memory();
    n5.set(
        &key("a/zarr.json"),
        Bytes::from_static(b"{\"zarr_format\":3}"),
    )
    .unwrap();
    let zarr = nested_memory();
    to_zarr(&zarr);
    for node in ["", "a/", "a/b/ds/"] {
        zarr.erase(&key(&format!("{node}attributes.json"))).unwrap();
    }
    for (before, is_to_zarr) in [(&n5, true), (&zarr, false)] {
        crash_everywhere(before, SetDocuments, false, is_to_zarr);
        crash_everywhere(before, RenameDocuments, true, is_to_zarr);
    }
}

#[cfg(feature = "filesystem")]
#[test]
fn on_a_folder_nothing_is_left_aside_and_an_old_leftover_does_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(
        zarrs::filesystem::FilesystemStore::new(folder.path())
            .unwrap()
            .sorted(),
    );
    fill(&store, &nested());
    std::fs::write(folder.path().join("a/zarr.json.tmp"), "{\"zarr_for").unwrap();
    let report = add_zarr_metadata(&store, &InPlaceOptions::new(), |_| {}).unwrap();
    assert_eq!(lines(&report), NESTED_CONVERTED);
    let keys = store.list().unwrap();
    assert_eq!(keys.len(), nested().len() + 7);
    assert!(
        !keys.iter().any(|key| name(key) == "zarr.json.tmp"),
        "{keys:?}"
    );
    assert_eq!(
        json_at(&store, "a/zarr.json")["attributes"],
        json!({"pixelResolution": [4.0, 4.0]})
    );
}

#[cfg(feature = "filesystem")]
#[test]
fn the_converted_folder_opens_in_plain_zarrs() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(
        zarrs::filesystem::FilesystemStore::new(folder.path())
            .unwrap()
            .sorted(),
    );
    fill(&store, &nested());
    add_zarr_metadata(&store, &InPlaceOptions::new(), |_| {}).unwrap();
    let tree = zarrs::node::Node::open(&store, "/")
        .unwrap()
        .hierarchy_tree();
    assert_eq!(
        tree,
        "/\n  a\n    b\n      0\n        ds [3, 2] uint8\n      ds [3, 2] uint8\n  top [3, 2] uint8\n"
    );
}
