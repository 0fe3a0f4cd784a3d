//! What only folders of the file system can hold among blocks.

use serde_json::json;
use zarrs::storage::{
    ListableStorageTraits, ReadableStorageTraits, StoreKey, WritableStorageTraits,
};
use zarrs_interop::n5::{CheckOptions, check};

use super::{block, checked, key, store};

/// Such as those of git-annex, or to a disk that is not mounted.
#[test]
fn links_to_nowhere_have_vanished_whether_blocks_are_read_or_not() {
    use std::os::unix::fs::symlink;

    let folder = tempfile::tempdir().unwrap();
    let files = zarrs::filesystem::FilesystemStore::new(folder.path()).unwrap();
    let memory = store(&[8, 3], &["raw/0/0", "raw/0/1"]);
    for at in memory.list().unwrap() {
        files.set(&at, memory.get(&at).unwrap().unwrap()).unwrap();
    }
    let raw = folder.path().join("raw");
    let nowhere = folder.path().join("nowhere");
    symlink(&nowhere, raw.join("0/2")).unwrap();
    symlink(&nowhere, raw.join("1")).unwrap();
    symlink(raw.join("0"), raw.join("3")).unwrap();
    for reads_blocks in [true, false] {
        let options = CheckOptions::new().with_reading(reads_blocks);
        let report = check(&files, "/raw", &options, |_| {}).unwrap();
        // Those in `raw/3`, the link to `raw/0`, too.
        assert_eq!((report.present, report.missing()), (4, 8));
        let vanished: Vec<_> = report.vanished.iter().map(StoreKey::as_str).collect();
        assert_eq!(vanished, ["raw/0/2", "raw/1", "raw/3/2"]);
        assert_eq!((report.vanished_count, report.stray_count), (3, 0));
        assert!(!report.is_sound());
    }
}

/// It cannot be read, nor could a block be written there.
#[test]
fn a_folder_in_the_place_of_a_block_is_a_corrupt_block() {
    let folder = tempfile::tempdir().unwrap();
    let files = zarrs::filesystem::FilesystemStore::new(folder.path()).unwrap();
    let memory = store(&[8, 3], &["raw/0/0", "raw/0/1"]);
    for at in memory.list().unwrap() {
        files.set(&at, memory.get(&at).unwrap().unwrap()).unwrap();
    }
    std::fs::create_dir(folder.path().join("raw/0/2")).unwrap();
    std::fs::create_dir_all(folder.path().join("raw/1/0/0")).unwrap();
    std::fs::create_dir(folder.path().join("raw/0/7")).unwrap();
    let report = checked(&files);
    assert_eq!((report.present, report.corrupt_count), (4, 2));
    let corrupt = report.corrupt.iter();
    let positions: Vec<_> = corrupt.map(|block| &block.position[..]).collect();
    assert_eq!(positions, [[0, 2], [1, 0]]);
    let text = report.corrupt[0].to_string();
    let expected = "at key raw/0/2: there is a folder in its place";
    assert!(text.contains(expected), "{text}");
    let stray: Vec<_> = report.stray.iter().map(ToString::to_string).collect();
    assert_eq!(stray, ["raw/0/7/: outside of the grid of blocks"]);
    assert!(!report.is_sound());
    let options = CheckOptions::new().with_reading(false);
    let listed = check(&files, "/raw", &options, |_| {}).unwrap();
    assert_eq!((listed.present, listed.stray_count), (2, 3));
}

/// None of the blocks below it can be read, nor written.
#[test]
fn a_file_in_the_place_of_a_folder_of_blocks_is_a_folder_that_cannot_be_listed() {
    let folder = tempfile::tempdir().unwrap();
    let files = zarrs::filesystem::FilesystemStore::new(folder.path()).unwrap();
    let memory = store(&[8, 3], &["raw/0/0", "raw/0/1"]);
    for at in memory.list().unwrap() {
        files.set(&at, memory.get(&at).unwrap().unwrap()).unwrap();
    }
    std::fs::write(folder.path().join("raw/1"), "").unwrap();
    std::fs::write(folder.path().join("raw/7"), "").unwrap();
    let report = checked(&files);
    assert_eq!((report.present, report.corrupt_count), (2, 0));
    assert_eq!((report.unlisted_count, report.known_missing()), (1, None));
    let text = report.unlisted[0].to_string();
    let expected = "the folder raw/1/ cannot be listed: there is a file in its place: ";
    assert!(text.starts_with(expected), "{text}");
    let stray: Vec<_> = report.stray.iter().map(ToString::to_string).collect();
    assert_eq!(stray, ["raw/7: outside of the grid of blocks"]);
    assert!(!report.is_sound());
    let options = CheckOptions::new().with_reading(false);
    let listed = check(&files, "/raw", &options, |_| {}).unwrap();
    assert_eq!((listed.unlisted_count, listed.stray_count), (0, 2));
}

/// Whoever opened it would wait for somebody to write to it.
#[cfg(target_os = "linux")]
#[test]
fn a_pipe_has_vanished_and_nobody_waits_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let files = zarrs::filesystem::FilesystemStore::new(folder.path()).unwrap();
    let memory = store(&[8, 3], &["raw/0/0", "raw/0/1"]);
    for at in memory.list().unwrap() {
        files.set(&at, memory.get(&at).unwrap().unwrap()).unwrap();
    }
    let pipe = folder.path().join("raw/0/2");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    std::os::unix::fs::symlink(&pipe, folder.path().join("raw/0/0x")).unwrap();
    std::fs::create_dir(folder.path().join("raw/1")).unwrap();
    std::os::unix::fs::symlink(&pipe, folder.path().join("raw/1/0")).unwrap();
    let report = checked(&files);
    let vanished: Vec<_> = report.vanished.iter().map(StoreKey::as_str).collect();
    assert_eq!((report.present, vanished), (2, vec!["raw/0/2", "raw/1/0"]));
}

/// Of as many bytes as no memory has, which take no room on the disk.
#[test]
fn a_block_larger_than_memory_is_corrupt() {
    let folder = tempfile::tempdir().unwrap();
    let files = zarrs::filesystem::FilesystemStore::new(folder.path()).unwrap();
    let memory = store(&[4, 1], &["raw/0/0", "raw/1/0"]);
    for at in memory.list().unwrap() {
        files.set(&at, memory.get(&at).unwrap().unwrap()).unwrap();
    }
    let block = std::fs::File::options()
        .write(true)
        .open(folder.path().join("raw/1/0"))
        .unwrap();
    block.set_len(1 << 40).unwrap();
    let report = checked(&files);
    assert_eq!((report.present, report.corrupt_count), (2, 1));
    let text = report.corrupt[0].to_string();
    assert!(
        text.contains("raw/1/0 is 1099511627776 bytes long: expected at most 2"),
        "{text}"
    );
}

/// The same of a document.
#[test]
fn a_document_larger_than_memory_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let files = zarrs::filesystem::FilesystemStore::new(folder.path()).unwrap();
    std::fs::create_dir(folder.path().join("raw")).unwrap();
    let document = std::fs::File::create(folder.path().join("raw/attributes.json")).unwrap();
    document.set_len(1 << 40).unwrap();
    let error = check(&files, "/raw", &CheckOptions::new(), |_| {}).unwrap_err();
    let source = std::error::Error::source(&error).map(ToString::to_string);
    let text = format!("{error} {}", source.unwrap_or_default());
    assert!(text.contains("is 1099511627776 bytes long"), "{text}");
}

#[test]
fn a_name_that_is_not_utf_8_is_stray() {
    use std::os::unix::ffi::OsStrExt;

    let folder = tempfile::tempdir().unwrap();
    let files = zarrs::filesystem::FilesystemStore::new(folder.path()).unwrap();
    let attributes = json!({
        "dimensions": [2, 1], "blockSize": [2, 1], "dataType": "uint8",
        "compression": {"type": "raw"}
    });
    files
        .set(&key("raw/attributes.json"), attributes.to_string().into())
        .unwrap();
    files.set(&key("raw/0/0"), block(2).into()).unwrap();
    let name = std::ffi::OsStr::from_bytes(b"1\xff");
    std::fs::write(folder.path().join("raw/0").join(name), "").unwrap();
    let report = checked(&files);
    assert_eq!((report.present, report.corrupt_count), (1, 0));
    assert_eq!(report.stray[0].key, "raw/0/1\u{fffd}");
}
