//! Documents of an output that is gone on with: written only if something is to be said, and with
//! what others have added.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::{Value, json};
use zarrs_interop::n5::N5DataType;
use zarrs_interop::n5::rewrite::{Downsample, Levels, RewriteOptions};

use crate::support::{Folder, axes, mixed};

fn folder() -> Folder {
    let folder = Folder::new();
    let names = axes(&["x", "y", "z"]);
    let shapes = (&[16; 3][..], &[8; 3][..]);
    folder.dataset("raw", shapes, N5DataType::UInt8, &names, |at| {
        mixed(at) as u8
    });
    folder
}

fn options() -> RewriteOptions {
    RewriteOptions::new()
        .with_chunk(vec![4; 3])
        .with_shard(vec![8; 3])
}

/// What is in a folder, with when each was written last. A file that was written aside and renamed
/// or removed changes the time of its folder.
fn state(folder: &Path) -> BTreeMap<PathBuf, (SystemTime, Option<Vec<u8>>)> {
    let mut found = BTreeMap::new();
    let mut paths = vec![folder.to_owned()];
    while let Some(path) = paths.pop() {
        let written = std::fs::metadata(&path).unwrap().modified().unwrap();
        let content = if path.is_dir() {
            let entries = std::fs::read_dir(&path).unwrap();
            paths.extend(entries.map(|entry| entry.unwrap().path()));
            None
        } else {
            Some(std::fs::read(&path).unwrap())
        };
        found.insert(path, (written, content));
    }
    found
}

#[test]
fn nothing_is_written_where_nothing_is_to_do() {
    let folder = folder();
    let options = options().with_levels(Levels::Made(Downsample::Mean));
    let phases = folder.open("raw", &options).unwrap().plan().phases();
    assert!(phases > 1);
    folder.run("raw", &options.clone().with_source("/data/one.n5"));
    let before = state(&folder.out());
    for options in [
        options.clone(),
        options.clone().with_source("/data/one.n5"),
        options.with_source("/data/one.n5").with_source_moved(true),
    ] {
        assert_eq!(folder.run("raw", &options).written, 0);
        let rewrite = folder.open("raw", &options).unwrap();
        rewrite.write_metadata(&folder.out()).unwrap();
        assert!(rewrite.verify(&folder.out(), |_| ()).unwrap().is_equal());
        assert!(state(&folder.out()) == before);
    }
}

#[test]
fn what_others_have_added_to_the_metadata_is_kept() {
    let folder = folder();
    folder.run("raw", &options());
    let write = |path: &str, document: &Value| {
        std::fs::write(folder.out().join(path), document.to_string()).unwrap();
    };
    let mut group = folder.document("zarr.json");
    group["attributes"]["ome"]["omero"] = json!({"channels": [{"color": "FF0000"}]});
    group["attributes"]["ome"]["multiscales"][0]["name"] = json!("brain");
    group["attributes"]["mine"] = json!([1, 2.5]);
    let mut array = folder.document("s0/zarr.json");
    array["attributes"]["mine"] = json!("too");
    write("zarr.json", &group);
    write("s0/zarr.json", &array);
    let before = state(&folder.out());
    folder.run("raw", &options());
    assert!(state(&folder.out()) == before);

    // They are written again, with what is besides.
    let mut changed = group.clone();
    let ome = &mut changed["attributes"]["ome"];
    ome["multiscales"][0]["datasets"] = json!([]);
    write("zarr.json", &changed);
    let mut changed = array.clone();
    changed["shape"] = json!([1, 1, 1]);
    write("s0/zarr.json", &changed);
    folder.run("raw", &options());
    assert_eq!(folder.document("zarr.json"), group);
    assert_eq!(folder.document("s0/zarr.json"), array);
    // A document that is none is replaced.
    std::fs::write(folder.out().join("s0/zarr.json"), "{").unwrap();
    folder.run("raw", &options());
    array.as_object_mut().unwrap().remove("attributes");
    assert_eq!(folder.document("s0/zarr.json"), array);
}

#[test]
fn a_scale_that_somebody_has_corrected_is_kept_and_said() {
    let folder = folder();
    let report = folder.run("raw", &options());
    assert!(!report.is_corrected);
    let ours = folder.document("zarr.json");
    let mut group = ours.clone();
    let image = &mut group["attributes"]["ome"]["multiscales"][0];
    image["datasets"][0]["coordinateTransformations"][0]["scale"] = json!([40.0, 4.0, 4.5]);
    for axis in image["axes"].as_array_mut().unwrap() {
        axis["unit"] = json!("nanometer");
    }
    let path = folder.out().join("zarr.json");
    std::fs::write(&path, group.to_string()).unwrap();
    let before = state(&folder.out());
    let report = folder.run("raw", &options());
    assert!(state(&folder.out()) == before);
    assert!(report.is_corrected);
    let text = report.to_string();
    assert!(text.contains("corrected in zarr.json kept"), "{text}");

    // The source is corrected too, in another way: what somebody said here goes before.
    let calibrated = json!({"axes": ["x", "y", "z"], "resolution": [2.0, 2.0, 20.0]});
    let shapes = (&[16; 3][..], &[8; 3][..]);
    folder.dataset("raw", shapes, N5DataType::UInt8, &calibrated, |at| {
        mixed(at) as u8
    });
    assert!(folder.run("raw", &options()).is_corrected);
    let image = |document: &Value| document["attributes"]["ome"]["multiscales"][0].clone();
    assert_eq!(image(&folder.document("zarr.json")), image(&group));

    // Without what was corrected the source is asked again, and a source that changes is followed.
    let mut group = folder.document("zarr.json");
    let attributes = group["attributes"].as_object_mut().unwrap();
    attributes.remove("ome").unwrap();
    std::fs::write(&path, group.to_string()).unwrap();
    assert!(!folder.run("raw", &options()).is_corrected);
    let scale = |document: &Value| {
        image(document)["datasets"][0]["coordinateTransformations"][0]["scale"].clone()
    };
    assert_eq!(
        scale(&folder.document("zarr.json")),
        json!([20.0, 2.0, 2.0])
    );
    let names = axes(&["x", "y", "z"]);
    folder.dataset("raw", shapes, N5DataType::UInt8, &names, |at| {
        mixed(at) as u8
    });
    assert!(!folder.run("raw", &options()).is_corrected);
    assert_eq!(folder.document("zarr.json"), ours);
}

/// Whoever opened it would wait for somebody to write to it.
#[cfg(target_os = "linux")]
#[test]
fn a_pipe_in_the_place_of_a_document_is_an_error_and_nobody_waits_for_it() {
    let folder = folder();
    folder.run("raw", &options());
    for name in [
        "zarr.json",
        "s0/zarr.json",
        "s0/.rewrite/0/part-0-of-1.json",
    ] {
        let path = folder.out().join(name);
        let document = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let error = folder.try_run("raw", &options()).unwrap_err().to_string();
        let expected = format!(
            "cannot read {}: it is a pipe: expected a file",
            path.display()
        );
        assert_eq!(error, expected);
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, document).unwrap();
    }
    assert_eq!(folder.run("raw", &options()).written, 0);
}
