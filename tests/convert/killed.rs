//! A process that is killed while it converts a folder: every document is whole, every block as it
//! was, and the next run finishes.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use zarrs::filesystem::FilesystemStore;
use zarrs_interop::n5::{InPlaceOptions, add_zarr_metadata};
use zarrs_storage::{Bytes, StoreKey, WritableStorageTraits};

use crate::documents::{contents, is_document, name, nested_memory};
use crate::hierarchies::{fill, key};
use crate::killed_child::{LARGEST_LIMIT, in_child, run_and_kill, run_until_a_file_is_cut};

/// Whether `key` is one under which a document is written aside.
fn is_aside(key: &StoreKey) -> bool {
    key.as_str().rsplit('.').next() == Some("tmp")
}

/// A document that is larger than a file of the child may be.
fn large() -> Bytes {
    format!(r#"{{"note":"{}"}}"#, "x".repeat(4 * LARGEST_LIMIT)).into()
}

fn files(folder: &Path) -> Arc<FilesystemStore> {
    Arc::new(FilesystemStore::new(folder).unwrap().sorted())
}

/// The hierarchy of the other tests, with a large group `/b`, and an older `zarr.json` there.
fn before() -> zarrs_storage::store::MemoryStore {
    let store = nested_memory();
    store.set(&key("b/attributes.json"), large()).unwrap();
    let old = r#"{"zarr_format":3,"node_type":"group","attributes":{"old":1}}"#;
    store.set(&key("b/zarr.json"), old.into()).unwrap();
    store
}

fn folder_before() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fill(&files(folder.path()), &Vec::from_iter(contents(&before())));
    folder
}

fn convert(folder: &Path) -> usize {
    let options = InPlaceOptions::new().with_overwrite(true);
    let report = add_zarr_metadata(&files(folder), &options, |_| {}).unwrap();
    report.failed()
}

/// Every document is whole, every block as before, and the next run finishes. Returns how many
/// files were left aside.
fn assert_sound_and_finish(folder: &Path) -> usize {
    let before = contents(&before());
    for (key, value) in contents(&files(folder)) {
        if is_document(&key) {
            let parsed = serde_json::from_slice::<serde_json::Value>(&value);
            assert!(parsed.is_ok(), "{key}: {} bytes", value.len());
        }
        if name(&key) != "zarr.json" && !is_aside(&key) {
            assert_eq!(Some(&value), before.get(&key), "{key}");
        }
    }
    assert_eq!(convert(folder), 0);
    let uninterrupted = folder_before();
    assert_eq!(convert(uninterrupted.path()), 0);
    let mut found = contents(&files(folder));
    let aside = found.extract_if(.., |key, _| is_aside(key));
    let aside = aside.count();
    assert_eq!(found, contents(&files(uninterrupted.path())));
    aside
}

/// Runs the command of `docs/convert_again.md`.
fn take_away_what_is_aside(folder: &Path) {
    let text = include_str!("../../docs/convert_again.md");
    let mut commands = text.lines().filter(|line| line.contains(".tmp' "));
    let command = commands.next().unwrap();
    let command = command.replace("PATH", folder.to_str().unwrap());
    let status = std::process::Command::new("sh")
        .args(["-c", &command])
        .status();
    assert!(status.unwrap().success());
}

#[test]
fn killed_in_the_middle_of_a_document_the_old_one_stays_and_the_next_run_finishes() {
    if let Some(folder) = in_child() {
        convert(&folder);
        return;
    }
    let folder = folder_before();
    let test =
        "killed::killed_in_the_middle_of_a_document_the_old_one_stays_and_the_next_run_finishes";
    run_until_a_file_is_cut(test, folder.path());
    let old = std::fs::read_to_string(folder.path().join("b/zarr.json")).unwrap();
    assert!(old.contains("old"), "{old}");
    let aside = assert_sound_and_finish(folder.path());
    assert_eq!(aside, 1);
    // And nothing else goes with it.
    let mut kept = contents(&files(folder.path()));
    kept.retain(|key, _| !is_aside(key));
    take_away_what_is_aside(folder.path());
    assert_eq!(contents(&files(folder.path())), kept);
}

#[test]
fn killed_at_any_moment_every_document_is_whole_and_the_next_run_finishes() {
    if let Some(folder) = in_child() {
        loop {
            convert(&folder);
            std::fs::write(folder.with_extension("begun"), "").unwrap();
            for (key, _) in contents(&files(&folder)) {
                if name(&key) == "zarr.json" && key.as_str() != "b/zarr.json" {
                    std::fs::remove_file(folder.join(key.as_str())).unwrap();
                }
            }
        }
    }
    let test = "killed::killed_at_any_moment_every_document_is_whole_and_the_next_run_finishes";
    for round in 0..12 {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("n5");
        std::fs::create_dir(&folder).unwrap();
        fill(&files(&folder), &Vec::from_iter(contents(&before())));
        let begun = folder.with_extension("begun");
        run_and_kill(test, &folder, &begun, Duration::from_millis(round));
        // As many documents are written at the same time.
        assert!(assert_sound_and_finish(&folder) <= 16, "round {round}");
    }
}
