//! What the folder of the output may hold before.

use std::path::Path;

use zarrs_interop::n5::N5DataType;
use zarrs_interop::n5::rewrite::{
    Downsample, Levels, OutputCompression, OutputOrder, Part, RewriteError, RewriteOptions,
};

use crate::support::{Folder, axes, mixed};

fn folder() -> Folder {
    let folder = Folder::new();
    let names = axes(&["x", "y", "z"]);
    for path in ["raw", "other"] {
        folder.dataset(path, (&[16; 3], &[8; 3]), N5DataType::UInt8, &names, |at| {
            mixed(at) as u8
        });
    }
    folder
}

fn options() -> RewriteOptions {
    RewriteOptions::new()
        .with_chunk(vec![4; 3])
        .with_shard(vec![8; 3])
}

fn refused(folder: &Folder, path: &str, options: &RewriteOptions) -> String {
    match folder.try_run(path, options).unwrap_err() {
        RewriteError::OtherSettings { name, .. } => name,
        error => panic!("{error}"),
    }
}

#[test]
fn other_settings_are_refused_by_name() {
    let folder = folder();
    folder.run("raw", &options());
    let shards = folder.shards("s0");
    let other = options();
    assert_eq!(
        refused(&folder, "raw", &other.clone().with_chunk(vec![2, 4, 4])),
        "chunk"
    );
    assert_eq!(
        refused(&folder, "raw", &other.clone().with_shard(vec![16; 3])),
        "shard"
    );
    let compression = OutputCompression::Zstd { level: 4 };
    assert_eq!(
        refused(&folder, "raw", &other.clone().with_compression(compression)),
        "compression"
    );
    assert_eq!(
        refused(
            &folder,
            "raw",
            &other.clone().with_order(OutputOrder::Stored)
        ),
        "order"
    );
    let made = other.clone().with_levels(Levels::Made(Downsample::Mode));
    assert_eq!(refused(&folder, "raw", &made), "levels");
    assert_eq!(refused(&folder, "other", &other), "dataset");
    assert_eq!(folder.shards("s0"), shards);
}

#[test]
fn all_settings_that_differ_are_named_in_few_words() {
    let folder = folder();
    folder.run(
        "raw",
        &options().with_levels(Levels::Made(Downsample::Mean)),
    );
    let text = |options: &RewriteOptions| folder.try_run("raw", options).unwrap_err().to_string();
    let other = options()
        .with_shard(vec![16; 3])
        .with_levels(Levels::Made(Downsample::Mode));
    let error = text(&other);
    for part in [
        "`shard` was [8,8,8], now it is [16,16,16], ",
        "`from of s1` was [\"mean\",[2,2,2]], now it is [\"mode\",[2,2,2]]",
        "; use the same settings, or another folder",
    ] {
        assert!(error.contains(part), "{error}");
    }
    // What is the same is not shown.
    assert!(
        !error.contains("data_type") && !error.contains("chunk"),
        "{error}"
    );
    let error = text(&options());
    let part = "`levels` was [\"s0\",\"s1\",\"s2\"], now it is [\"s0\"]; use";
    assert!(error.contains(part), "{error}");
}

#[test]
fn a_part_without_metadata_is_known_by_its_record() {
    let folder = folder();
    let part = Part::new(1, 2).unwrap();
    folder.run("raw", &options().with_part(part));
    assert!(!folder.out().join("s0/zarr.json").exists());
    assert_eq!(
        refused(&folder, "raw", &options().with_chunk(vec![2, 4, 4])),
        "chunk"
    );
}

#[test]
fn threads_parts_and_requests_are_no_settings() {
    let folder = folder();
    folder.run("raw", &options());
    let part = Part::new(0, 3).unwrap();
    let report = folder.run(
        "raw",
        &options().with_threads(1).with_requests(4).with_part(part),
    );
    assert_eq!((report.whole, report.written), (3, 0));
}

#[test]
fn a_folder_of_something_else_is_refused() {
    let folder = folder();
    std::fs::create_dir(folder.out()).unwrap();
    std::fs::write(folder.out().join("notes.txt"), "mine").unwrap();
    let error = folder.try_run("raw", &options()).unwrap_err();
    assert!(error.to_string().contains("`notes.txt`"), "{error}");
    std::fs::remove_file(folder.out().join("notes.txt")).unwrap();

    let group = r#"{"zarr_format": 3, "node_type": "group"}"#;
    std::fs::write(folder.out().join("zarr.json"), group).unwrap();
    let error = folder.try_run("raw", &options()).unwrap_err();
    assert!(matches!(error, RewriteError::NotOurs { .. }), "{error}");
    assert_eq!(
        std::fs::read_to_string(folder.out().join("zarr.json")).unwrap(),
        group
    );
    std::fs::remove_file(folder.out().join("zarr.json")).unwrap();
    folder.run("raw", &options());
}

/// The error of a run whose source is said to be at `place`.
fn of_place(folder: &Folder, place: &str, is_moved: bool) -> Option<String> {
    let options = options().with_source(place).with_source_moved(is_moved);
    let run = folder.try_run("raw", &options);
    let error = run.err()?;
    assert!(matches!(error, RewriteError::OtherSource { .. }), "{error}");
    Some(error.to_string())
}

#[test]
fn a_source_at_another_place_is_refused_unless_it_is_said_to_be_moved() {
    let folder = folder();
    assert_eq!(of_place(&folder, "/data/one.n5", false), None);
    let shard = folder.out().join("s0/c/0/0/0");
    std::fs::remove_file(&shard).unwrap();
    let error = of_place(&folder, "/data/two.n5", false).unwrap();
    for part in [
        "was begun from /data/one.n5, now the source is /data/two.n5; use",
        "or delete",
        "--source-moved",
    ] {
        assert!(error.contains(part), "{error}");
    }
    assert!(!shard.exists());
    assert_eq!(of_place(&folder, "/data/two.n5", true), None);
    assert!(shard.exists());
    // From now on it is that one.
    assert_eq!(of_place(&folder, "/data/two.n5", false), None);
    of_place(&folder, "/data/one.n5", false).unwrap();
    // Who does not say where it is gets no answer to that.
    folder.run("raw", &options());
}

#[test]
fn the_same_folder_by_another_path_is_the_same_source() {
    let folder = folder();
    let place = folder.source().to_str().unwrap().to_owned();
    assert_eq!(of_place(&folder, &place, false), None);
    assert_eq!(
        of_place(&folder, &format!("{place}/../in.n5/"), false),
        None
    );
}

#[test]
fn a_source_with_other_attributes_is_refused_even_if_it_is_said_to_be_moved() {
    let folder = folder();
    assert_eq!(of_place(&folder, "/data/one.n5", false), None);
    let names = axes(&["x", "y", "z"]);
    std::fs::remove_dir_all(folder.source().join("raw")).unwrap();
    let shapes = (&[16; 3][..], &[4; 3][..]);
    folder.dataset("raw", shapes, N5DataType::UInt8, &names, |_| 1_u8);
    let error = of_place(&folder, "/data/two.n5", false).unwrap();
    let part = "/data/two.n5, `blockSize of s0` was [8,8,8], now it is [4,4,4]; use";
    assert!(error.contains(part), "{error}");
    assert!(!error.contains("--source-moved"), "{error}");
    for place in ["/data/one.n5", "/data/two.n5"] {
        let options = options().with_source(place).with_source_moved(true);
        assert_eq!(refused(&folder, "raw", &options), "blockSize of s0");
    }
}

#[test]
fn a_record_of_another_version_is_refused() {
    let folder = folder();
    folder.run("raw", &options());
    let mut document = folder.document("zarr.json");
    let settings = &mut document["attributes"]["zarrs_interop"]["rewrite"];
    settings.as_object_mut().unwrap().remove("version").unwrap();
    std::fs::write(folder.out().join("zarr.json"), document.to_string()).unwrap();
    let error = folder.try_run("raw", &options()).unwrap_err();
    assert!(error.to_string().contains("of another version"), "{error}");
}

#[test]
fn a_folder_with_levels_is_ours_only_if_its_zarr_json_says_so() {
    let folder = folder();
    folder.run("raw", &options());
    let root = folder.out().join("zarr.json");
    let ours = std::fs::read(&root).unwrap();
    let array = std::fs::read(folder.out().join("s0/zarr.json")).unwrap();
    let shards = folder.shards("s0");
    let half = &ours[..ours.len() / 2];
    for (document, found) in [
        (None, "`s0` and no `zarr.json`"),
        (Some(&b"not json"[..]), "`zarr.json` that is not JSON"),
        (Some(half), "`zarr.json` that is not JSON"),
        (
            Some(br#"{"zarr_format": 3, "node_type": "group"}"#),
            "`zarr.json` without the record",
        ),
    ] {
        match document {
            None => std::fs::remove_file(&root).unwrap(),
            Some(document) => std::fs::write(&root, document).unwrap(),
        }
        let error = folder.try_run("other", &options()).unwrap_err();
        assert!(matches!(error, RewriteError::NotOurs { .. }), "{error}");
        assert!(error.to_string().contains(found), "{error}");
        let part = Part::new(1, 2).unwrap();
        folder
            .try_run("raw", &options().with_part(part))
            .unwrap_err();
        assert_eq!(std::fs::read(&root).ok().as_deref(), document);
    }
    assert_eq!(
        std::fs::read(folder.out().join("s0/zarr.json")).unwrap(),
        array
    );
    assert_eq!(folder.shards("s0"), shards);
    std::fs::write(&root, ours).unwrap();
    assert_eq!(folder.run("raw", &options()).written, 0);
}

#[test]
fn what_a_run_left_that_was_killed_before_it_had_a_record_is_no_content() {
    let folder = folder();
    std::fs::create_dir(folder.out()).unwrap();
    let leftover = folder.out().join(".zarr.json.0123456789abcdef.partial");
    std::fs::write(leftover, "{").unwrap();
    assert_eq!(folder.run("raw", &options()).written, 8);
}

#[test]
fn an_output_that_cannot_be_a_folder_is_refused_with_what_to_do() {
    let folder = folder();
    let rewrite = folder.open("raw", &options()).unwrap();
    let text = |out: &Path| {
        let error = rewrite.run(out, |_| ()).unwrap_err().to_string();
        assert_eq!(rewrite.check_output(out).unwrap_err().to_string(), error);
        error
    };
    let error = text(Path::new(""));
    assert!(
        error.contains("is empty: expected that of a folder"),
        "{error}"
    );
    let file = folder.out();
    std::fs::write(&file, "mine").unwrap();
    let error = text(&file);
    assert!(error.contains("is a file: expected a folder"), "{error}");
    assert!(error.contains("choose another path"), "{error}");
    let error = text(&file.join("deep/out.zarr"));
    assert!(error.contains("choose another path"), "{error}");
    assert_eq!(std::fs::read_to_string(file).unwrap(), "mine");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_says_what_to_do() {
    let source = std::fs::write("/dev/full", "x").unwrap_err();
    let error = RewriteError::File {
        action: "write",
        path: "out.zarr/s0/c/0/0/0".into(),
        source,
    };
    let part = "make room, then run again with the same options";
    assert!(error.to_string().contains(part), "{error}");
}

#[test]
fn a_length_of_0_is_refused_whichever_shape_has_it() {
    let folder = folder();
    let new = RewriteOptions::new;
    for (options, named) in [
        (new().with_chunk(vec![0, 1, 1]), "chunk"),
        (
            new().with_chunk(vec![4, 4, 0]).with_shard(vec![8; 3]),
            "chunk",
        ),
        (new().with_shard(vec![0, 8, 8]), "shard"),
    ] {
        let error = folder.try_run("raw", &options).unwrap_err();
        assert!(
            matches!(error, RewriteError::ShapeZero { what, .. } if what == named),
            "{error}"
        );
    }
}
