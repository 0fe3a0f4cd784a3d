//! What the example `n5_to_zarr` prints and writes.

use serde_json::{Value, json};
use zarrs_interop::n5::N5DataType;

use crate::n5_to_zarr;
use crate::support::{Folder, mixed};

/// What the example prints, and its error.
fn run(arguments: &[&str]) -> (String, Option<String>) {
    let arguments: Vec<_> = arguments.iter().map(ToString::to_string).collect();
    let mut out = Vec::new();
    let result = n5_to_zarr::run(&arguments, &mut out);
    let error = result.err().map(|error| error.to_string());
    (String::from_utf8(out).unwrap(), error)
}

/// The pyramid of n5-viewer `c0`, whose root says the size of a voxel.
fn viewer() -> Folder {
    let folder = Folder::new();
    let root =
        json!({"n5": "2.0.0", "pixelResolution": {"unit": "um", "dimensions": [0.5, 0.25, 2.0]}});
    std::fs::write(folder.source().join("attributes.json"), root.to_string()).unwrap();
    folder.group("c0", &json!({"scales": [[1, 1, 1], [2, 2, 2]]}));
    for (level, len) in [("c0/s0", 8), ("c0/s1", 4)] {
        folder.dataset(
            level,
            (&[len, len, len], &[4, 4, 4]),
            N5DataType::UInt16,
            &json!({}),
            |at| mixed(at) as u16,
        );
    }
    folder
}

fn scale(folder: &Folder) -> Value {
    let document = folder.document("zarr.json");
    let multiscale = &document["attributes"]["ome"]["multiscales"][0];
    multiscale["datasets"][0]["coordinateTransformations"][0]["scale"].clone()
}

#[test]
fn a_path_into_the_container_has_what_the_groups_above_say() {
    let folder = viewer();
    let (source, out) = (folder.source(), folder.out());
    let (source, out) = (source.to_str().unwrap(), out.to_str().unwrap());
    for (path, dataset, levels) in [
        (source.to_owned(), "c0", 2),
        (format!("{source}/c0"), "/", 2),
        (format!("{source}/c0"), "s0", 1),
        (format!("{source}/c0/s0"), "/", 1),
    ] {
        let (text, error) = run(&[&path, out, "--dataset", dataset]);
        assert_eq!(error, None, "{path} {dataset}");
        assert!(text.starts_with("/c0"), "{text}");
        assert_eq!(scale(&folder), json!([2.0, 0.25, 0.5]), "{path} {dataset}");
        assert_eq!(folder.out().join("s1").is_dir(), levels == 2);
        std::fs::remove_dir_all(out).unwrap();
    }
}

#[test]
fn the_output_is_not_in_the_container_of_a_path_that_goes_into_it() {
    let folder = viewer();
    let source = folder.source();
    let path = source.join("c0");
    let out = source.join("out.zarr");
    let (_, error) = run(&[path.to_str().unwrap(), out.to_str().unwrap()]);
    assert!(error.unwrap().contains("outside of it"));
    assert!(!out.exists());
}

#[cfg(all(unix, feature = "object_store"))]
#[test]
fn the_output_is_not_in_the_container_of_a_file_url() {
    let folder = viewer();
    // Of a container with another name than `.n5` only its document tells that it is one.
    let unnamed = folder.source().with_file_name("unnamed source");
    std::fs::create_dir(&unnamed).unwrap();
    for name in ["attributes.json", "c0"] {
        std::fs::rename(folder.source().join(name), unnamed.join(name)).unwrap();
    }
    let named = unnamed.with_file_name("named.n5");
    for container in [&unnamed, &named] {
        for inside in ["", "/c0", "/c0/s0"] {
            let url = format!("file://{}{inside}", container.display()).replace(' ', "%20");
            let out = container.join("out.zarr");
            let (_, error) = run(&[&url, out.to_str().unwrap()]);
            let error = error.unwrap();
            assert!(error.contains("outside of it"), "{url}: {error}");
            assert!(!out.exists());
        }
        let _ = std::fs::rename(&unnamed, &named);
    }
    let url = format!("file://{}/c0", named.display());
    assert_eq!(run(&[&url, folder.out().to_str().unwrap()]).1, None);
}

#[test]
fn the_report_has_what_verify_found() {
    let folder = viewer();
    let (source, out) = (folder.source(), folder.out());
    std::fs::remove_file(source.join("c0/s0/1/1/1")).unwrap();
    let arguments = [source.to_str().unwrap(), out.to_str().unwrap(), "--json"];
    let arguments: Vec<_> = arguments
        .into_iter()
        .chain(["--verify", "--chunk", "4"])
        .collect();
    let (text, error) = run(&arguments);
    assert_eq!(error, None);
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["verified_equal"], 9);
    assert_eq!(report["verified_different"], 0);
    assert_eq!(
        (&report["missing_blocks"], &report["without_blocks"]),
        (&json!(1), &json!([]))
    );

    // The next run does not look at the blocks of shards that are there.
    let again = [&arguments[..3], &arguments[4..]].concat();
    for removed in [None, Some("s0/c/0/0/0")] {
        let removed = removed.map(|shard| std::fs::remove_file(folder.out().join(shard)));
        let (text, _) = run(&again);
        let report: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(report["written"], u64::from(removed.is_some()));
        assert_eq!(report["missing_blocks"], Value::Null, "{text}");
    }

    std::fs::remove_dir_all(source.join("c0/s1/0")).unwrap();
    let (text, error) = run(&arguments);
    assert!(error.unwrap().contains("not as in the source: 1"));
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["verified_different"], 1);
    assert!(
        report["different"][0]
            .as_str()
            .unwrap()
            .starts_with("s1: chunk at")
    );
}

#[test]
fn a_level_without_blocks_is_said_loudly() {
    let folder = viewer();
    let (source, out) = (folder.source(), folder.out());
    std::fs::remove_dir_all(source.join("c0/s1/0")).unwrap();
    let (text, error) = run(&[source.to_str().unwrap(), out.to_str().unwrap()]);
    assert_eq!(error, None);
    assert!(
        text.contains("1 block that the source does not have"),
        "{text}"
    );
    assert!(text.contains("note: /c0/s1 has no block at all"), "{text}");
}

#[test]
fn levels_of_different_types_are_noted() {
    let folder = viewer();
    folder.dataset(
        "c0/s1",
        (&[4, 4, 4], &[4, 4, 4]),
        N5DataType::UInt8,
        &json!({}),
        |at| mixed(at) as u8,
    );
    let (source, out) = (folder.source(), folder.out());
    let arguments = [source.to_str().unwrap(), out.to_str().unwrap(), "--dry-run"];
    let (text, error) = run(&arguments);
    assert_eq!(error, None);
    let note = "different data types: s0 uint16, s1 uint8";
    assert!(text.contains(note), "{text}");
    let one: Vec<_> = arguments.into_iter().chain(["--levels", "0"]).collect();
    let (text, _) = run(&one);
    assert!(!text.contains(note), "{text}");
}

#[test]
fn where_nothing_can_be_listed_the_dataset_is_to_be_named() {
    let folder = Folder::new();
    let (source, out) = (folder.source(), folder.out());
    let (_, error) = run(&[source.to_str().unwrap(), out.to_str().unwrap()]);
    let error = error.unwrap();
    assert!(error.contains("--dataset"), "{error}");
}

#[test]
fn the_xml_is_beside_the_container_also_where_the_path_goes_into_it() {
    let containers = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/containers");
    let folder = Folder::new();
    let out = folder.out();
    let path = format!("{containers}/bdv.n5/setup0/timepoint0");
    let (_, error) = run(&[&path, out.to_str().unwrap(), "--dry-run"]);
    assert_eq!(error, None);
    let (text, error) = run(&[&path, out.to_str().unwrap()]);
    assert_eq!(error, None, "{text}");
    assert_eq!(scale(&folder), json!([2.0, 0.406, 0.406]), "{text}");
}

#[test]
fn a_source_that_was_moved_is_said_to_be_so() {
    let folder = viewer();
    let (source, out) = (folder.source(), folder.out());
    let moved = source.with_file_name("moved.n5");
    let (source, out) = (source.to_str().unwrap(), out.to_str().unwrap());
    let moved = moved.to_str().unwrap();
    assert_eq!(run(&[source, out, "--dataset", "c0"]).1, None);
    // The root is found, so that it is the same source.
    assert_eq!(run(&[&format!("{source}/c0"), out]).1, None);
    std::fs::rename(source, moved).unwrap();
    let error = run(&[moved, out, "--dataset", "c0"]).1.unwrap();
    for part in ["in.n5", "moved.n5", "--source-moved"] {
        assert!(error.contains(part), "{error}");
    }
    let (text, error) = run(&[moved, out, "--dataset", "c0", "--source-moved"]);
    assert_eq!(error, None);
    assert!(text.contains("whole before"), "{text}");
    assert_eq!(run(&[moved, out, "--dataset", "c0"]).1, None);
}

#[cfg(unix)]
#[test]
fn a_level_of_the_output_that_is_a_link_into_the_source_is_refused() {
    let folder = viewer();
    let (source, out) = (folder.source(), folder.out());
    let arguments = [source.to_str().unwrap(), out.to_str().unwrap()];
    assert_eq!(run(&arguments).1, None);
    std::fs::remove_dir_all(out.join("s1")).unwrap();
    std::os::unix::fs::symlink(source.join("c0/s1"), out.join("s1")).unwrap();
    let error = run(&arguments).1.unwrap();
    assert!(error.contains("out.zarr/s1/c is in the source"), "{error}");
    assert!(!source.join("c0/s1/zarr.json").exists());
    assert!(run(&["", ""]).1.unwrap().contains("empty"));
    let error = run(&[arguments[0], ""]).1.unwrap();
    assert!(error.contains("path of the output is empty"), "{error}");
}
