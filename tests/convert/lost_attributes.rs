//! Datasets whose `attributes.json` is gone or empty: their blocks are no groups.

use zarrs_interop::n5::{InPlaceOptions, LeftOutReason, Outcome, SkipReason, add_zarr_metadata};
use zarrs_storage::{Bytes, StoreKey, WritableStorageTraits, store::MemoryStore};

use crate::documents::{contents, json_at, lines, memory, name, to_zarr};
use crate::hierarchies::{DATASET, key};

const ROOT: (&str, &str) = ("attributes.json", r#"{"n5":"4.0.0"}"#);

/// The nodes that have a `zarr.json`.
fn written(store: &MemoryStore) -> Vec<String> {
    let keys = contents(store).into_keys();
    let documents = keys.filter(|key| name(key) == "zarr.json");
    documents.map(|key| node(&key)).collect()
}

fn node(document: &StoreKey) -> String {
    document.as_str().trim_end_matches("zarr.json").to_owned()
}

/// A pyramid whose second level has lost its `attributes.json`; `rest` is what is there instead.
fn with_lost_level(rest: Option<&str>) -> MemoryStore {
    let mut entries = vec![
        ROOT,
        ("em/s0/attributes.json", DATASET),
        ("em/s0/0/0", "block"),
        ("em/s1/0/0/0", "block"),
        ("em/s1/0/0/1", "block"),
        ("em/s1/0/12/0", "block"),
        ("em/s1/7/0/0", "block"),
    ];
    entries.extend(rest.map(|rest| ("em/s1/attributes.json", rest)));
    memory(&entries)
}

#[test]
fn a_dataset_that_lost_its_attributes_and_its_blocks_are_no_groups() {
    for rest in [None, Some(""), Some(" \n")] {
        let store = with_lost_level(rest);
        let report = to_zarr(&store);
        assert_eq!(
            written(&store),
            ["em/s0/", "em/", ""],
            "{rest:?}: {report:?}"
        );
        let told = lines(&report);
        assert_eq!(told.len(), 4, "{told:?}");
        assert!(told[3].starts_with("/em/s1: skipped: it has names of blocks"));
        assert!(matches!(
            report.nodes()[3].outcome,
            Outcome::Skipped(SkipReason::MayBeBlocks)
        ));
        assert_eq!(lines(&to_zarr(&store))[3], told[3]);

        let attributes = key("em/s1/attributes.json");
        store.set(&attributes, Bytes::from(DATASET)).unwrap();
        assert_eq!(to_zarr(&store).converted(), 1);
        assert_eq!(json_at(&store, "em/s1/zarr.json")["node_type"], "array");
    }
}

#[test]
fn neither_are_they_when_the_conversion_starts_there() {
    for start in ["/em/s1", "/em/s1/0", "/em/s1/0/12"] {
        let store = with_lost_level(None);
        let options = InPlaceOptions::new().with_node_path(start);
        let report = add_zarr_metadata(&store, &options, |_| {}).unwrap();
        assert_eq!((report.converted(), report.skipped()), (0, 1), "{report:?}");
        assert_eq!(written(&store), [""; 0], "{start}");
    }
}

#[test]
fn blocks_of_one_dimension_are_files_in_the_dataset_itself() {
    let store = memory(&[ROOT, ("line/0", "block"), ("line/1", "block")]);
    let report = to_zarr(&store);
    assert_eq!(written(&store), [""]);
    assert!(lines(&report)[1].contains("names of blocks"), "{report:?}");
}

#[test]
fn folders_named_by_numbers_are_counted_where_the_node_above_is_a_group() {
    let store = memory(&[
        ROOT,
        ("a/attributes.json", "{}"),
        ("a/0/0/0", "block"),
        ("a/1/0/0", "block"),
        ("a/raw/attributes.json", DATASET),
        ("b/3/0", "block"),
        ("b/raw/attributes.json", DATASET),
    ]);
    let report = to_zarr(&store);
    assert_eq!(written(&store), ["a/raw/", "a/", "b/raw/", "b/", ""]);
    let counts: Vec<_> = report
        .nodes()
        .iter()
        .filter_map(|node| match &node.outcome {
            Outcome::Skipped(SkipReason::LeftOut(LeftOutReason::Numbered { count })) => {
                Some((node.node_path.as_str(), count.as_str()))
            }
            _ => None,
        })
        .collect();
    assert_eq!(counts, [("/a", "2 folders"), ("/b", "1 folder")]);
    assert_eq!(report.skipped(), 2, "{report:?}");
}

#[test]
fn a_folder_named_by_a_number_with_n5_below_is_a_group() {
    let store = memory(&[
        ROOT,
        ("plate/attributes.json", ""),
        ("plate/0/1/raw/attributes.json", DATASET),
        ("plate/0/2/0", "block"),
        ("plate/5/raw/attributes.json", DATASET),
        ("t/0/raw/attributes.json", DATASET),
        ("t/1/attributes.json", DATASET),
        ("t/1/0/0", "block"),
    ]);
    let report = to_zarr(&store);
    let nodes = [
        "plate/0/1/raw/",
        "plate/0/1/",
        "plate/0/",
        "plate/5/raw/",
        "plate/5/",
        "plate/",
        "t/0/raw/",
        "t/0/",
        "t/1/",
        "t/",
        "",
    ];
    assert_eq!(written(&store), nodes, "{report:?}");
    assert_eq!(report.converted(), nodes.len());
    let told = lines(&report);
    let note = "/plate/0: skipped: 1 folder below it named by a number";
    assert!(told.iter().any(|line| line.starts_with(note)), "{told:?}");
    let again = to_zarr(&store);
    assert_eq!((again.converted(), again.unchanged()), (0, nodes.len()));
}
