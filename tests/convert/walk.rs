//! The walk and the conversion that runs on it, on containers as people have them.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use zarrs_interop::n5::{
    ForeignNode, InPlaceOptions, LeftOutReason, Outcome, SetDocuments, SkipReason, Unreadable,
    WalkError, WalkOptions, WalkReport, WalkedKind, add_n5_metadata, add_zarr_metadata, walk,
};
use zarrs_storage::byte_range::ByteRangeIterator;
use zarrs_storage::{
    Bytes, ListableStorageTraits, MaybeBytes, MaybeBytesIterator, OffsetBytesIterator,
    ReadableStorageTraits, StorageError, StoreKey, StoreKeys, StoreKeysPrefixes, StorePrefix,
    WritableStorageTraits, store::MemoryStore,
};

use crate::documents::{json_at, lines, memory, to_zarr};
use crate::hierarchies::{DATASET, GROUP, key};

mod bounds;

mod paintera;

fn all<S: ReadableStorageTraits + ListableStorageTraits + 'static>(store: &S) -> WalkReport {
    walk(store, &WalkOptions::new()).unwrap()
}

fn nodes(report: &WalkReport) -> Vec<String> {
    report.nodes().iter().map(ToString::to_string).collect()
}

fn left_out(report: &WalkReport) -> Vec<String> {
    report.left_out().iter().map(ToString::to_string).collect()
}

/// What BigStitcher writes: the members of a dataset on `setup0` too, where there are no blocks.
#[cfg(feature = "gzip")]
fn big_stitcher() -> MemoryStore {
    let setup = r#"{"compression":{"type":"gzip","useZlib":false,"level":1},
        "downsamplingFactors":[[1,1,1],[2,2,1]],"blockSize":[4,4,2],"dataType":"uint16","dimensions":[6,5,3]}"#;
    let level = r#"{"compression":{"type":"raw"},"blockSize":[4,4,2],"dataType":"uint16","dimensions":[6,5,3]}"#;
    memory(&[
        ("attributes.json", r#"{"n5":"2.0.0"}"#),
        ("setup0/attributes.json", setup),
        (
            "setup0/timepoint0/attributes.json",
            r#"{"multiScale":true}"#,
        ),
        ("setup0/timepoint0/s0/attributes.json", level),
        ("setup0/timepoint0/s0/0/0/0", "block"),
        ("setup0/timepoint0/s1/attributes.json", level),
        ("setup0/timepoint0/s1/0/0/0", "block"),
    ])
}

#[cfg(feature = "gzip")]
#[test]
fn datasets_below_a_dataset_are_found_and_converted() {
    let store = big_stitcher();
    let report = all(&store);
    assert_eq!(
        nodes(&report),
        [
            "/: group",
            "/setup0: dataset [6, 5, 3] uint16, without blocks, with datasets below",
            "/setup0/timepoint0: group",
            "/setup0/timepoint0/s0: dataset [6, 5, 3] uint16",
            "/setup0/timepoint0/s1: dataset [6, 5, 3] uint16",
        ]
    );
    assert_eq!(left_out(&report), [""; 0]);
    let containers: Vec<_> = report
        .datasets()
        .filter(|(_, dataset)| dataset.is_only_a_container())
        .map(|(path, _)| path)
        .collect();
    assert_eq!(containers, ["/setup0"]);
    assert_eq!(to_zarr(&store).converted(), 5);
    let s1 = json_at(&store, "setup0/timepoint0/s1/zarr.json");
    assert_eq!(s1["shape"], json!([6, 5, 3]));
}

#[test]
fn a_bad_document_costs_only_its_node() {
    let stray = r#"{"dimensions":[3,2],"dataType":"uint8"}"#;
    for (bad, reason) in [
        (r#"{"a":"#, "EOF"),
        ("[1,2]", "object"),
        (r#""text""#, "object"),
        (stray, "blockSize"),
        (r#"{"n5":"9.0.0"}"#, "9.0.0"),
    ] {
        let store = memory(&[
            ("c0/attributes.json", bad),
            ("c0/s0/attributes.json", DATASET),
            ("c0/s0/0/0", "block"),
            ("d/attributes.json", DATASET),
        ]);
        let report = all(&store);
        let lines = nodes(&report);
        assert_eq!(lines.len(), 4, "{lines:?}");
        assert!(lines[1].starts_with("/c0: unreadable: "), "{}", lines[1]);
        assert!(lines[1].contains(reason), "{}", lines[1]);
        assert!(matches!(
            report.nodes()[1].kind,
            WalkedKind::Unreadable(Unreadable::Document(_))
        ));
        assert_eq!(lines[2], "/c0/s0: dataset [3, 2] uint8");
        let report = to_zarr(&store);
        assert_eq!(report.converted(), 3, "{report:?}");
        assert!(store.get(&key("c0/s0/zarr.json")).unwrap().is_some());
        assert!(store.get(&key("c0/zarr.json")).unwrap().is_none());
    }
}

#[test]
fn an_attributes_json_of_0_bytes_is_one_without_attributes() {
    let store = memory(&[
        ("c0/attributes.json", ""),
        ("c0/s0/attributes.json", DATASET),
    ]);
    assert_eq!(nodes(&all(&store))[1], "/c0: group");
    assert_eq!(to_zarr(&store).converted(), 3);
    let expected = json!({"zarr_format": 3, "node_type": "group"});
    assert_eq!(json_at(&store, "c0/zarr.json"), expected);
}

#[test]
fn what_may_be_blocks_below_a_bad_document_is_reported_and_not_visited() {
    let store = memory(&[("b/attributes.json", "{"), ("b/0/0", "x"), ("b/7/0", "x")]);
    let report = all(&store);
    assert_eq!(report.nodes().len(), 2);
    assert!(matches!(
        &report.left_out()[0].reason,
        LeftOutReason::Numbered { count } if count == "2 folders"
    ));
    assert_eq!(report.left_out()[0].node_path, "/b");
    let converted = to_zarr(&store);
    assert_eq!(lines(&converted).len(), 3);
    assert!(
        store
            .list_prefix(&StorePrefix::new("b/0/").unwrap())
            .unwrap()
            .len()
            == 1
    );
}

#[test]
fn foreign_nodes_are_named_and_what_is_beside_them_is_found() {
    let v2 = r#"{"zarr_format":2,"shape":[1],"chunks":[1],"dtype":"|u1","compressor":null,
        "fill_value":0,"order":"C","filters":null,"dimension_separator":null}"#;
    let group = r#"{"zarr_format":3,"node_type":"group","attributes":{"k":1}}"#;
    let array = r#"{"zarr_format":3,"node_type":"array"}"#;
    let store = memory(&[
        ("g/zarr.json", group),
        ("g/a/zarr.json", array),
        ("g/a/c/0/0", "chunk"),
        ("g/a/more/attributes.json", DATASET),
        ("v2/.zgroup", "{}"),
        ("v2/a/.zarray", v2),
        ("v2/a/0", "chunk"),
        ("x/attributes.json", DATASET),
    ]);
    let report = all(&store);
    assert_eq!(
        nodes(&report),
        [
            "/: group",
            "/g: a group of Zarr V3",
            "/g/a: an array of Zarr V3",
            "/g/a/more: dataset [3, 2] uint8",
            "/v2: a group of Zarr V2",
            "/v2/a: an array of Zarr V2",
            "/x: dataset [3, 2] uint8",
        ]
    );
    let WalkedKind::Foreign(foreign) = report.nodes()[5].kind else {
        panic!("{:?}", report.nodes()[5]);
    };
    assert_eq!(foreign, ForeignNode::ZarrV2Array);
    to_zarr(&store);
    assert!(store.get(&key("v2/a/zarr.json")).unwrap().is_none());
    assert!(store.get(&key("g/a/c/zarr.json")).unwrap().is_none());
}

#[test]
fn folders_with_the_names_of_documents_are_folders() {
    let store = memory(&[
        ("attributes.json/x/attributes.json", DATASET),
        ("zarr.json/attributes.json", DATASET),
        ("zarr.json/0/0", "block"),
        ("raw/attributes.json", DATASET),
    ]);
    assert_eq!(
        nodes(&all(&store)),
        [
            "/: group",
            "/attributes.json: group",
            "/attributes.json/x: dataset [3, 2] uint8",
            "/raw: dataset [3, 2] uint8",
            "/zarr.json: dataset [3, 2] uint8",
        ]
    );
    let report = to_zarr(&store);
    assert_eq!((report.converted(), report.skipped()), (4, 1), "{report:?}");
    assert!(matches!(
        report.nodes()[0].outcome,
        Outcome::Skipped(SkipReason::FolderInTheWay(_))
    ));
    assert!(store.get(&key("zarr.json/zarr.json")).unwrap().is_some());
}

#[test]
fn system_folders_and_reserved_names_are_left_out_and_never_written_to() {
    let hidden = [".git", ".zmetadata.d"];
    let system = [
        "@eaDir",
        "$RECYCLE.BIN",
        "System Volume Information",
        "lost+found",
        "__MACOSX",
    ];
    let store = memory(&[("raw/attributes.json", DATASET)]);
    let names = hidden.iter().chain(&system).chain(&["__pycache__"]);
    for name in names.clone() {
        for below in ["attributes.json/SYNO", "x/attributes.json"] {
            let at = key(&format!("{name}/{below}"));
            store.set(&at, Bytes::from_static(b"{}")).unwrap();
        }
    }
    let before = store.list().unwrap().len();
    let report = all(&store);
    assert_eq!(report.nodes().len(), 2);
    let count = |is_of: fn(&LeftOutReason) -> bool| {
        let reasons = report.left_out().iter().map(|left_out| &left_out.reason);
        reasons.filter(|reason| is_of(reason)).count()
    };
    assert_eq!(
        count(|reason| matches!(reason, LeftOutReason::HiddenDirectory)),
        2
    );
    assert_eq!(
        count(|reason| matches!(reason, LeftOutReason::SystemFolder)),
        5
    );
    assert_eq!(
        count(|reason| matches!(reason, LeftOutReason::ReservedName)),
        1
    );
    let report = to_zarr(&store);
    assert_eq!((report.converted(), report.skipped()), (2, 8), "{report:?}");
    assert_eq!(store.list().unwrap().len(), before + 2);
    for name in names {
        let written = key(&format!("{name}/zarr.json"));
        assert!(store.get(&written).unwrap().is_none(), "{name}");
    }
}

#[test]
fn a_start_that_is_not_there_is_an_error_and_another_start_is_walked_alone() {
    let store = memory(&[
        ("a/b/attributes.json", DATASET),
        ("c/attributes.json", GROUP),
    ]);
    for (path, is_missing) in [("/x", true), ("/", false), ("a", false)] {
        let store = if path == "/" { &memory(&[]) } else { &store };
        let error = walk(store, &WalkOptions::new().with_node_path(path)).unwrap_err();
        match error {
            WalkError::NoSuchNode { node_path } => assert_eq!(node_path, path),
            WalkError::InvalidNodePath(_) => assert!(!is_missing && path == "a"),
            error => panic!("{error}"),
        }
    }
    let report = walk(&store, &WalkOptions::new().with_node_path("/a")).unwrap();
    assert_eq!(nodes(&report), ["/a: group", "/a/b: dataset [3, 2] uint8"]);
    let options = WalkOptions::new().with_recursive(false);
    assert_eq!(nodes(&walk(&store, &options).unwrap()), ["/: group"]);
}

#[test]
fn the_bounded_grid_is_not_what_other_readers_were_promised() {
    let store = memory(&[("ds/attributes.json", DATASET)]);
    to_zarr(&store);
    let mut zarr = json_at(&store, "ds/zarr.json");
    zarr["attributes"]["_zarrs"] = json!({"description": "kept"});
    let expected = zarr.clone();
    zarr["chunk_grid"]["name"] = json!("zarrs.regular_bounded");
    store
        .set(&key("ds/zarr.json"), zarr.to_string().into())
        .unwrap();
    assert_eq!(lines(&to_zarr(&store)), ["/: unchanged", "/ds: converted"]);
    assert_eq!(json_at(&store, "ds/zarr.json"), expected);
    assert_eq!(lines(&to_zarr(&store)), ["/: unchanged", "/ds: unchanged"]);
}

#[test]
fn converting_to_n5_gives_the_root_a_version() {
    let group = r#"{"zarr_format":3,"node_type":"group","attributes":{"k":1}}"#;
    for (root, expected) in [
        (None, json!({"n5": "2.0.0"})),
        (
            Some(("attributes.json", r#"{"a":1}"#)),
            json!({"a": 1, "n5": "2.0.0"}),
        ),
        (
            Some(("attributes.json", r#"{"n5":"1.0.0"}"#)),
            json!({"n5": "1.0.0"}),
        ),
        (Some(("zarr.json", group)), json!({"n5": "2.0.0", "k": 1})),
    ] {
        for start in ["/", "/a"] {
            let mut entries = vec![("a/zarr.json", group)];
            entries.extend(root);
            let store = memory(&entries);
            let options = InPlaceOptions::new().with_node_path(start);
            add_n5_metadata(&store, &options, |_| {}).unwrap();
            assert_eq!(
                json_at(&store, "attributes.json"),
                expected,
                "{start} {root:?}"
            );
            assert_eq!(json_at(&store, "a/attributes.json"), json!({"k": 1}));
        }
    }
    let store = memory(&[("a/zarr.json", group)]);
    let options = InPlaceOptions::new()
        .with_node_path("/a")
        .with_dry_run(true);
    add_n5_metadata(&store, &options, |_| {}).unwrap();
    assert_eq!(store.list().unwrap(), [key("a/zarr.json")]);
}

#[test]
fn a_node_with_a_backslash_is_not_made_n5() {
    let group = r#"{"zarr_format":3,"node_type":"group","attributes":{"k":1}}"#;
    let store = memory(&[("a\\b/zarr.json", group)]);
    let report = add_n5_metadata(&store, &InPlaceOptions::new(), |_| {}).unwrap();
    assert!(
        lines(&report)[1].contains("backslash"),
        "{:?}",
        lines(&report)
    );
    let store = zarrs_interop::n5::N5DefaultStore::new(MemoryStore::new());
    let error = store
        .set(&key("a\\b/zarr.json"), Bytes::from(group))
        .unwrap_err();
    assert!(error.to_string().contains("backslash"), "{error}");
    assert_eq!(store.list().unwrap(), []);
}
