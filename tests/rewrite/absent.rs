//! Blocks of the source that are not there: by N5 they are 0, and that is said; what is listed but
//! not there, such as a link to nowhere, is an error.

use std::path::Path;

use serde_json::json;
use zarrs::storage::storage_adapter::performance_metrics::PerformanceMetricsStorageAdapter;
use zarrs_interop::n5::N5DataType;
use zarrs_interop::n5::rewrite::{Part, Rewrite, RewriteError, RewriteOptions};

use crate::support::{Folder, mixed};

/// Eight blocks of 4 x 4 x 4, and shards of one each.
fn source() -> (Folder, RewriteOptions) {
    let folder = Folder::new();
    let attributes = json!({"axes": ["x", "y", "z"]});
    folder.dataset(
        "raw",
        (&[8, 8, 8], &[4, 4, 4]),
        N5DataType::UInt16,
        &attributes,
        |at| mixed(at) as u16,
    );
    let options = RewriteOptions::new()
        .with_chunk(vec![4, 4, 4])
        .with_shard(vec![4, 4, 4]);
    (folder, options)
}

#[cfg(unix)]
fn replace(path: &Path, by: impl Fn(&Path)) {
    if path.is_dir() {
        std::fs::remove_dir_all(path).unwrap();
    } else {
        std::fs::remove_file(path).unwrap();
    }
    by(path);
}

#[cfg(unix)]
fn assert_refused<T: std::fmt::Debug>(result: Result<T, RewriteError>, link: &Path) {
    let error = result.unwrap_err();
    assert!(
        matches!(&error, RewriteError::Vanished { path } if path == link),
        "{error}"
    );
    let text = error.to_string();
    assert!(text.contains("listed but not there"), "{text}");
}

#[cfg(unix)]
#[test]
fn a_link_to_nowhere_among_blocks_is_an_error_that_names_it() {
    let dead = |path: &Path| std::os::unix::fs::symlink("/nowhere/at/all", path).unwrap();
    for place in ["1", "0/1", "1/0/1"] {
        let (folder, options) = source();
        let link = folder.source().join("raw").join(place);
        let before = folder.open("raw", &options).unwrap();
        before.run(&folder.out(), |_| ()).unwrap();
        replace(&link, dead);
        // Every shard is there: only who reads the source again comes to it.
        let rewrite = folder.open("raw", &options).unwrap();
        assert_refused(rewrite.verify(&folder.out(), |_| ()), &link);
        std::fs::remove_dir_all(folder.out()).unwrap();
        assert_refused(folder.try_run("raw", &options), &link);
        assert_refused(
            folder.try_run("raw", &options.with_fill_corrupt(true)),
            &link,
        );
    }
}

#[cfg(unix)]
#[test]
fn a_link_to_blocks_is_followed() {
    let (folder, options) = source();
    let elsewhere = folder.source().join("../elsewhere");
    let folder_of_blocks = folder.source().join("raw/1");
    std::fs::rename(&folder_of_blocks, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &folder_of_blocks).unwrap();
    let report = folder.run("raw", &options);
    assert_eq!((report.written, report.missing_blocks), (8, Some(0)));
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_in_the_place_of_a_block_is_an_error_and_nobody_waits_for_it() {
    let (folder, options) = source();
    let pipe = folder.source().join("raw/0/1/0");
    replace(&pipe, |path| {
        let made = std::process::Command::new("mkfifo").arg(path).status();
        assert!(made.unwrap().success());
    });
    assert_refused(folder.try_run("raw", &options), &pipe);
}

#[test]
fn blocks_that_are_absent_are_counted_once() {
    let (folder, options) = source();
    std::fs::remove_file(folder.source().join("raw/0/1/0")).unwrap();
    std::fs::remove_dir_all(folder.source().join("raw/1/1")).unwrap();
    let report = folder.run("raw", &options);
    assert_eq!((report.written, report.empty), (5, 3));
    assert_eq!(report.missing_blocks, Some(3));
    let text = report.to_string();
    assert!(
        text.ends_with("3 blocks that the source does not have are 0"),
        "{text}"
    );
    assert!(report.without_blocks.is_empty());

    // Shards that cut blocks, in parts: a block is missing in several shards, and counts in one.
    let small = options.with_chunk(vec![3, 2, 1]).with_shard(vec![3, 2, 1]);
    let mut missing = 0;
    for index in 0..3 {
        std::fs::remove_dir_all(folder.out()).ok();
        let part = small.clone().with_part(Part::new(index, 3).unwrap());
        missing += folder.run("raw", &part).missing_blocks.unwrap();
    }
    assert_eq!(missing, 3);
}

#[test]
fn in_other_stores_they_are_counted_where_shards_begin_with_blocks() {
    let (folder, options) = source();
    std::fs::remove_file(folder.source().join("raw/0/1/0")).unwrap();
    let run = |options: &RewriteOptions| {
        std::fs::remove_dir_all(folder.out()).ok();
        let files = zarrs::filesystem::FilesystemStore::new(folder.source()).unwrap();
        // Its type hides that it is a folder.
        let store = PerformanceMetricsStorageAdapter::new(std::sync::Arc::new(files));
        let rewrite = Rewrite::open(store, "raw", options).unwrap();
        rewrite.run(&folder.out(), |_| ()).unwrap()
    };
    assert_eq!(run(&options).missing_blocks, Some(1));
    let cut = options
        .clone()
        .with_chunk(vec![3, 4, 4])
        .with_shard(vec![3, 4, 4]);
    assert_eq!(run(&cut).missing_blocks, None);

    std::fs::remove_dir_all(folder.source().join("raw/0")).unwrap();
    assert!(run(&options).without_blocks.is_empty());
    std::fs::remove_dir_all(folder.source().join("raw/1")).unwrap();
    assert_eq!(run(&options).without_blocks, ["/raw"]);
}

#[test]
fn a_level_without_any_block_is_named() {
    let (folder, options) = source();
    std::fs::remove_dir_all(folder.source().join("raw/0")).unwrap();
    std::fs::remove_dir_all(folder.source().join("raw/1")).unwrap();
    // Neither is what is outside of the grid one of its blocks.
    std::fs::create_dir_all(folder.source().join("raw/2/0/0")).unwrap();
    for _ in 0..2 {
        let report = folder.run("raw", &options);
        assert_eq!(report.without_blocks, ["/raw"]);
    }
}

/// A pyramid whose group names the levels s0 and s1.
#[cfg(unix)]
fn pyramid() -> (Folder, RewriteOptions) {
    let folder = Folder::new();
    for (level, shape) in [("em/s0", [8, 8, 8]), ("em/s1", [4, 4, 4])] {
        let attributes = json!({});
        let element = |at: &[u64]| mixed(at) as u16;
        folder.dataset(
            level,
            (&shape, &[4, 4, 4]),
            N5DataType::UInt16,
            &attributes,
            element,
        );
    }
    let group = json!({"multiscales": [{"datasets": [{"path": "s0"}, {"path": "s1"}]}]});
    folder.group("em", &group);
    (folder, RewriteOptions::new().with_chunk(vec![4, 4, 4]))
}

/// A volume without its finest level is not what was asked for.
#[cfg(unix)]
#[test]
fn a_level_that_is_a_link_to_nowhere_is_an_error_that_names_it() {
    let dead = |path: &Path| std::os::unix::fs::symlink("/nowhere/at/all", path).unwrap();
    for place in ["em/s0", "em/s0/attributes.json"] {
        let (folder, options) = pyramid();
        folder.open("em", &options).unwrap();
        let link = folder.source().join(place);
        replace(&link, dead);
        assert_refused(folder.open("em", &options).map(|_| ()), &link);
    }
}

#[cfg(unix)]
#[test]
fn a_level_with_an_empty_document_is_an_error_and_one_that_is_not_there_is_left_out() {
    let (folder, options) = pyramid();
    let document = folder.source().join("em/s0/attributes.json");
    replace(&document, |path| std::fs::write(path, "").unwrap());
    let error = folder.open("em", &options).map(|_| ()).unwrap_err();
    assert!(
        matches!(&error, RewriteError::NoDataset { path } if path == "/em/s0"),
        "{error}"
    );
    std::fs::remove_dir_all(folder.source().join("em/s0")).unwrap();
    let plan = folder.open("em", &options).unwrap();
    let text = format!("{:?}", plan.plan().pyramid().notes);
    assert!(text.contains("s0") && text.contains("LeftOut"), "{text}");
}
