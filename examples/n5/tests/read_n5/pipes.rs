//! Pipes where files should be: errors that name them, and nobody waits for what is never written.

use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::time::Duration;

use super::{dataset, run};

/// A container with the dataset `raw` of 4 x 2 x 2 elements, and a pipe at `key`.
fn container(key: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    dataset(folder.path(), &[4, 2, 2], &["0/0/0", "1/0/0"]);
    let pipe = folder.path().join(key);
    if pipe.exists() {
        std::fs::remove_file(&pipe).unwrap();
    }
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    (folder, pipe)
}

/// What the example prints, if it does so in time.
fn run_in_time(arguments: &[&str]) -> (String, bool) {
    let arguments: Vec<_> = arguments.iter().map(ToString::to_string).collect();
    let (answers, waits) = channel();
    std::thread::spawn(move || {
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        answers.send(run(&arguments))
    });
    let answer = waits.recv_timeout(Duration::from_mins(5));
    answer.expect("it waits for what nobody writes")
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn in_place_of_a_block_that_is_needed() {
    let (folder, pipe) = container("raw/1/0/0");
    let (found, is_read) = run_in_time(&[text(folder.path())]);
    let expected = format!("error: {} is a pipe: expected a file", pipe.display());
    assert!(!is_read && found.ends_with(&expected), "{found}");
    // Of the others it is none.
    let slice = [text(folder.path()), "raw", "--slice", "x=0"];
    let (found, is_read) = run_in_time(&slice);
    assert!(
        is_read && found.contains("1 of 1 blocks present"),
        "{found}"
    );
}

#[test]
fn in_place_of_the_document_of_a_dataset() {
    let (folder, pipe) = container("raw/attributes.json");
    for arguments in [&[text(folder.path())][..], &[text(folder.path()), "raw"]] {
        let (found, is_read) = run_in_time(arguments);
        let expected = format!("{} is a pipe: expected a file", pipe.display());
        assert!(!is_read && found.contains(&expected), "{found}");
    }
}

#[test]
fn in_place_of_the_document_of_a_group() {
    for name in ["attributes.json", "zarr.json"] {
        let (folder, pipe) = container(name);
        for path in [folder.path(), &folder.path().join("raw")] {
            let (found, is_read) = run_in_time(&[text(path), "--slice", "z=0"]);
            assert!(is_read, "{found}");
            let expected = format!("{} is a pipe: expected a file", pipe.display());
            assert_eq!(found.contains(&expected), path == folder.path(), "{found}");
        }
    }
}

#[cfg(feature = "object_store")]
#[test]
fn at_a_url() {
    for key in ["raw/1/0/0", "raw/attributes.json"] {
        let (folder, _) = container(key);
        let url = format!("file://{}", folder.path().display());
        let (found, is_read) = run_in_time(&[&url, "raw"]);
        let expected = format!("cannot read {url}/{key}: found a pipe, expected a file");
        assert!(!is_read && found.contains(&expected), "{found}");
    }
}
