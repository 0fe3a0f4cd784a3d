//! The example `convert_n5`: what it says, what it writes, and what it refuses.
#![cfg(all(feature = "n5", feature = "filesystem", feature = "gzip"))]

use std::path::Path;

#[allow(dead_code, reason = "the test runs the example without its `main`")]
#[path = "../../convert_n5.rs"]
mod convert_n5;

/// What the example prints, and its error.
fn run(arguments: &[&str]) -> (String, Option<String>) {
    let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
    let mut out = Vec::new();
    let result = convert_n5::run(arguments, &mut out);
    let error = result.err().map(|error| error.to_string());
    (String::from_utf8(out).unwrap(), error)
}

/// A hierarchy with one dataset, `em/s0`.
fn hierarchy(folder: &Path) -> String {
    let dataset = folder.join("em/s0");
    std::fs::create_dir_all(&dataset).unwrap();
    std::fs::write(folder.join("attributes.json"), r#"{"n5":"2.0.0"}"#).unwrap();
    let attributes = r#"{"dimensions":[4,4],"blockSize":[2,2],"dataType":"uint8",
        "compression":{"type":"raw"}}"#;
    std::fs::write(dataset.join("attributes.json"), attributes).unwrap();
    folder.to_str().unwrap().to_owned()
}

#[test]
fn it_says_what_it_would_do_and_then_does_it_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = hierarchy(folder.path());
    let document = folder.path().join("em/s0/zarr.json");
    let (text, error) = run(&[&path, "--to", "zarr", "--dry-run"]);
    assert_eq!(error, None);
    assert!(text.contains("/em/s0: would be converted\n"), "{text}");
    assert!(!document.exists());
    let (text, _) = run(&[&path, "--to", "zarr"]);
    assert!(
        text.ends_with("3 converted, 0 unchanged, 0 skipped, 0 failed\n"),
        "{text}"
    );
    assert!(document.is_file());
    let (text, _) = run(&[&path, "--to", "zarr"]);
    assert!(
        text.ends_with("0 converted, 3 unchanged, 0 skipped, 0 failed\n"),
        "{text}"
    );
}

#[test]
fn a_document_that_says_something_else_stays_and_the_option_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = hierarchy(folder.path());
    let document = folder.path().join("zarr.json");
    let other = r#"{"zarr_format":3,"node_type":"group","attributes":{"a":1}}"#;
    std::fs::write(&document, other).unwrap();
    let (text, error) = run(&[&path, "--to", "zarr"]);
    assert_eq!(error, None);
    assert!(
        text.contains("--overwrite replaces the documents"),
        "{text}"
    );
    assert_eq!(std::fs::read_to_string(&document).unwrap(), other);
    let (_, error) = run(&[&path, "--to", "zarr", "--overwrite"]);
    assert_eq!(error, None);
    assert_ne!(std::fs::read_to_string(&document).unwrap(), other);
}

#[test]
fn zarr_that_cannot_be_n5_is_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let array = folder.path().join("s0");
    std::fs::create_dir(&array).unwrap();
    let group = r#"{"zarr_format":3,"node_type":"group"}"#;
    std::fs::write(folder.path().join("zarr.json"), group).unwrap();
    let document = r#"{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"uint8",
        "chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4]}},"fill_value":0,
        "chunk_key_encoding":{"name":"default"},"codecs":[{"name":"bytes"}]}"#;
    std::fs::write(array.join("zarr.json"), document).unwrap();
    let (text, error) = run(&[folder.path().to_str().unwrap(), "--to", "n5"]);
    let error = error.unwrap();
    assert_eq!(text, "");
    assert!(
        error.contains("none of the arrays at / or below it can be N5; /s0: ")
            && error.contains("nothing was written"),
        "{error}"
    );
    assert!(!folder.path().join("attributes.json").exists());
}

#[test]
fn wrong_arguments_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = &*hierarchy(folder.path());
    let blocks = folder.path().join("em/s0/0");
    std::fs::create_dir(&blocks).unwrap();
    for (arguments, expected) in [
        (&[][..], "PATH is missing"),
        (&[path], "--to is missing"),
        (&[path, "--to"], "--to takes zarr or n5, found nothing"),
        (&[path, "--to", "hdf5"], "--to takes zarr or n5, found hdf5"),
        (&[path, path, "--to", "n5"], "one PATH is enough"),
        (&[path, "--to", "n5", "--force"], "unknown option --force"),
        (
            &[path, "--to", "zarr", "--xml", "x.xml"],
            "--xml goes with --to zarr --ome",
        ),
        (
            &[path, "--to", "zarr", "--xml"],
            "--xml needs a file or none",
        ),
        (
            &[path, "--to", "zarr", "--xml", "--dry-run"],
            "--xml needs a file or none, found the option --dry-run",
        ),
        (&["/nowhere", "--to", "n5"], "/nowhere is not a folder"),
        (
            &[blocks.to_str().unwrap(), "--to", "zarr"],
            "PATH lies inside the dataset ",
        ),
    ] {
        let (text, error) = run(arguments);
        assert!(
            text.is_empty() && error.unwrap().contains(expected),
            "{expected}"
        );
    }
    let empty = tempfile::tempdir().unwrap();
    let (_, error) = run(&[empty.path().to_str().unwrap(), "--to", "zarr"]);
    error.unwrap();
}

#[test]
fn help_says_all_that_the_usage_says() {
    let (help, _) = run(&["--help"]);
    assert!(
        help.starts_with("Converts an N5 hierarchy to Zarr V3 in place"),
        "{help}"
    );
    for option in [
        "--to zarr|n5 ",
        "--dry-run ",
        "--overwrite ",
        "--order ",
        "--ome ",
        "--xml FILE|none\n",
        "--help ",
    ] {
        assert!(help.contains(option), "{option}: {help}");
    }
}

/// A container of BigDataViewer with one setup, `bdv.n5`, without any attributes on voxels.
#[cfg(feature = "ome")]
fn bdv(folder: &Path) -> String {
    let container = folder.join("bdv.n5");
    let level = container.join("setup0/timepoint0/s0");
    std::fs::create_dir_all(&level).unwrap();
    std::fs::write(container.join("attributes.json"), r#"{"n5":"2.0.0"}"#).unwrap();
    let setup = r#"{"downsamplingFactors":[[1,1,1]]}"#;
    std::fs::write(container.join("setup0/attributes.json"), setup).unwrap();
    let attributes = r#"{"dimensions":[4,4,4],"blockSize":[2,2,2],"dataType":"uint8",
        "compression":{"type":"raw"},"downsamplingFactors":[1,1,1]}"#;
    std::fs::write(level.join("attributes.json"), attributes).unwrap();
    container.to_str().unwrap().to_owned()
}

#[cfg(feature = "ome")]
fn xml(setup: u32) -> String {
    format!(
        "<SpimData><ViewSetups><ViewSetup><id>{setup}</id><voxelSize><unit>um</unit>\
         <size>0.406 0.5 2.0</size></voxelSize></ViewSetup></ViewSetups></SpimData>"
    )
}

/// The scale and the unit of the first axis of the first level.
#[cfg(feature = "ome")]
fn calibration(container: &str) -> (serde_json::Value, serde_json::Value) {
    let document = Path::new(container).join("setup0/timepoint0/zarr.json");
    let group: serde_json::Value =
        serde_json::from_slice(&std::fs::read(document).unwrap()).unwrap();
    let image = &group["attributes"]["ome"]["multiscales"][0];
    let scale = &image["datasets"][0]["coordinateTransformations"][0]["scale"];
    (scale.clone(), image["axes"][0]["unit"].clone())
}

#[cfg(feature = "ome")]
#[test]
fn voxels_of_big_data_viewer_have_the_size_that_the_xml_says() {
    use serde_json::{Value, json};

    let folder = tempfile::tempdir().unwrap();
    let path = bdv(folder.path());
    let arguments = [
        &*path,
        "--to",
        "zarr",
        "--order",
        "zyx",
        "--ome",
        "--overwrite",
    ];
    let calibrated = (json!([2.0, 0.5, 0.406]), json!("micrometer"));
    let uncalibrated = (json!([1.0, 1.0, 1.0]), Value::Null);

    let (text, error) = run(&arguments);
    assert_eq!(error, None);
    assert!(text.contains("the true one is in the XML"), "{text}");
    assert_eq!(calibration(&path), uncalibrated);

    let beside = folder.path().join("bdv.xml");
    std::fs::write(&beside, xml(0)).unwrap();
    let (text, error) = run(&arguments);
    assert_eq!(error, None);
    assert!(!text.contains("uncalibrated"), "{text}");
    assert_eq!(calibration(&path), calibrated);

    let (_, error) = run(&[&arguments[..], &["--xml", "none"]].concat());
    assert_eq!(error, None);
    assert_eq!(calibration(&path), uncalibrated);

    let elsewhere = folder.path().join("elsewhere.xml");
    std::fs::rename(&beside, &elsewhere).unwrap();
    let elsewhere = elsewhere.to_str().unwrap();
    let (_, error) = run(&[&arguments[..], &["--xml", elsewhere]].concat());
    assert_eq!(error, None);
    assert_eq!(calibration(&path), calibrated);
}

#[cfg(feature = "ome")]
#[test]
fn an_xml_that_does_not_say_it_is_an_error_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = bdv(folder.path());
    std::fs::write(folder.path().join("bdv.xml"), xml(1)).unwrap();
    let (text, error) = run(&[&path, "--to", "zarr", "--ome"]);
    assert_eq!(text, "");
    let error = error.unwrap();
    assert!(
        error.contains("setup 0") && error.contains("--xml none"),
        "{error}"
    );
    assert!(!Path::new(&path).join("zarr.json").exists());

    let other = tempfile::tempdir().unwrap();
    let (_, error) = run(&[
        &hierarchy(other.path()),
        "--to",
        "zarr",
        "--ome",
        "--xml",
        "a.xml",
    ]);
    assert!(error.unwrap().contains("--xml is for BigDataViewer"));
}

/// `file://` goes the way of all URLs.
#[cfg(feature = "object_store")]
#[test]
fn of_a_url_it_only_says_what_it_would_do() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("file://{}", hierarchy(folder.path()));
    let (text, error) = run(&[&url, "--to", "zarr", "--dry-run"]);
    assert_eq!(error, None);
    assert!(text.contains("/em/s0: would be converted\n"), "{text}");
    assert!(text.contains(" requests, "), "{text}");
    let (text, error) = run(&[&url, "--to", "zarr"]);
    let error = error.unwrap();
    assert!(
        text.is_empty() && error.contains("add --dry-run"),
        "{error}"
    );
    assert!(error.contains("copy the hierarchy to a folder"), "{error}");
    assert!(!folder.path().join("em/s0/zarr.json").exists());
}

#[cfg(not(feature = "object_store"))]
#[test]
fn a_url_without_the_feature_names_it() {
    let (_, error) = run(&["s3://bucket/x.n5", "--to", "zarr"]);
    assert!(error.unwrap().contains("--features object_store"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_above_the_hierarchy_is_not_opened() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("attributes.json");
    let made = std::process::Command::new("mkfifo").arg(pipe).status();
    assert!(made.unwrap().success());
    let inside = folder.path().join("volume.n5");
    std::fs::create_dir(&inside).unwrap();
    let (_, error) = run(&[&hierarchy(&inside), "--to", "zarr"]);
    assert_eq!(error, None);
}
