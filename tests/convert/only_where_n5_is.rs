//! Conversion in place to Zarr writes only where there is N5.

use serde_json::json;
use zarrs_interop::n5::{InPlaceError, InPlaceOptions, add_zarr_metadata};
use zarrs_storage::ReadableStorageTraits;

use crate::documents::{contents, json_at, lines, memory};
use crate::hierarchies::{DATASET, key};

#[test]
fn a_folder_without_n5_is_refused_and_nothing_is_written() {
    let zarr = r#"{"zarr_format":3,"node_type":"array"}"#;
    for other in ["Music/song.ogg", "v2/.zarray", "volume/zarr.json"] {
        let store = memory(&[
            ("Documents/letters/a.txt", "x"),
            (other, zarr),
            (".config/attributes.json", "{}"),
        ]);
        let before = contents(&store);
        let first = other.split('/').next().unwrap();
        for start in ["/", "/Documents", &format!("/{first}")] {
            let options = InPlaceOptions::new().with_node_path(start);
            for options in [options.clone().with_dry_run(true), options] {
                let error = add_zarr_metadata(&store, &options, |_| {}).unwrap_err();
                assert!(matches!(error, InPlaceError::NothingOfN5 { .. }), "{error}");
                let text = error.to_string();
                let expected = format!("no attributes.json at {start} or below");
                assert!(text.contains(&expected), "{text}");
            }
            assert_eq!(contents(&store), before, "{start}");
        }
    }
}

#[test]
fn folders_beside_a_container_get_no_document_and_those_above_it_do() {
    let store = memory(&[
        ("Documents/letters/a.txt", "x"),
        ("Music/b.ogg", "x"),
        ("data/empty/c.txt", "x"),
        ("data/x.n5/attributes.json", r#"{"n5":"4.0.0"}"#),
        ("data/x.n5/empty/d.txt", "x"),
        ("data/x.n5/g/raw/attributes.json", DATASET),
    ]);
    let nothing = "skipped: nothing of N5: there is no attributes.json here, above or below";
    let expected = [
        "/: converted".to_owned(),
        format!("/Documents: {nothing}"),
        format!("/Documents/letters: {nothing}"),
        format!("/Music: {nothing}"),
        "/data: converted".to_owned(),
        format!("/data/empty: {nothing}"),
        "/data/x.n5: converted".to_owned(),
        "/data/x.n5/empty: converted".to_owned(),
        "/data/x.n5/g: converted".to_owned(),
        "/data/x.n5/g/raw: converted".to_owned(),
    ];
    let before = contents(&store);
    let options = InPlaceOptions::new().with_dry_run(true);
    let report = add_zarr_metadata(&store, &options, |_| {}).unwrap();
    assert_eq!(lines(&report), expected);
    assert_eq!(contents(&store), before);

    let (mut told, mut last) = (0, (0, 0));
    let options = InPlaceOptions::new();
    let report = add_zarr_metadata(&store, &options, |progress| {
        told += 1;
        last = (progress.done, progress.known);
    });
    assert_eq!(lines(&report.unwrap()), expected);
    assert_eq!((told, last), (10, (10, 10)));
    let group = json!({"zarr_format": 3, "node_type": "group"});
    for written in ["zarr.json", "data/zarr.json", "data/x.n5/empty/zarr.json"] {
        assert_eq!(json_at(&store, written), group, "{written}");
    }
    assert_eq!(contents(&store).len(), before.len() + 6);
}

#[test]
fn an_empty_group_of_a_container_is_converted_from_there_too() {
    let store = memory(&[
        ("attributes.json", r#"{"n5":"4.0.0"}"#),
        ("a/b/c/note.txt", "x"),
    ]);
    let options = InPlaceOptions::new().with_node_path("/a/b");
    let report = add_zarr_metadata(&store, &options, |_| {}).unwrap();
    assert_eq!(lines(&report), ["/a/b: converted", "/a/b/c: converted"]);
    assert!(store.get(&key("a/b/c/zarr.json")).unwrap().is_some());
    assert!(store.get(&key("a/zarr.json")).unwrap().is_none());
}
