//! `file://`: a folder by its URL.

use std::path::Path;
#[cfg(unix)]
use std::sync::mpsc::RecvTimeoutError;
#[cfg(unix)]
use std::time::Duration;

use zarrs::filesystem::FilesystemStore;
use zarrs_interop::n5::{self, OpenError, OpenUrlError, RegionReader, UrlOptions, WalkOptions};
#[cfg(unix)]
use zarrs_storage::{ReadableStorageTraits, StoreKey};

use crate::container::{all, assert_is_on_page, local, make, plane};

fn url(folder: &std::path::Path) -> String {
    format!("file://{}", folder.display())
}

#[tokio::test]
async fn the_elements_are_those_of_the_folder() {
    let folder = make();
    let store = n5::open_url(&url(folder.path()), &UrlOptions::new()).unwrap();
    for path in ["em/gzip", "em/raw"] {
        let array = n5::open_array(store.clone(), path).unwrap();
        let reader = RegionReader::new(&array).unwrap();
        for subset in [plane(40), all()] {
            let expected = local(folder.path(), path, &subset);
            assert_eq!(reader.read::<u8>(&subset).unwrap(), expected);
            assert_eq!(reader.async_read::<u8>(&subset).await.unwrap(), expected);
        }
    }
    assert!(store.traffic().requests > 0);
}

#[tokio::test]
async fn the_nodes_are_those_of_the_folder() {
    let folder = make();
    let store = n5::open_url(&url(folder.path()), &UrlOptions::new()).unwrap();
    let paths = |report: &n5::WalkReport| -> Vec<String> {
        report
            .nodes()
            .iter()
            .map(|node| node.node_path.clone())
            .collect()
    };
    let files = FilesystemStore::new(folder.path()).unwrap();
    let expected = paths(&n5::walk(&files, &WalkOptions::new()).unwrap());
    assert!(expected.len() >= 4, "{expected:?}");
    assert_eq!(
        paths(&n5::walk(&store, &WalkOptions::new()).unwrap()),
        expected
    );
    assert_eq!(
        paths(&n5::async_walk(&store, &WalkOptions::new()).await.unwrap()),
        expected
    );

    let error = n5::open_array(store, "em/gzp").unwrap_err();
    assert!(matches!(error, OpenError::NothingThere { .. }), "{error}");
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let folder = make();
    let missing = folder.path().join("nothing");
    let error = n5::open_url(&url(&missing), &UrlOptions::new()).unwrap_err();
    assert!(
        matches!(error, OpenUrlError::NoSuchFolder { .. }),
        "{error}"
    );
    assert!(
        error.to_string().contains(&missing.display().to_string()),
        "{error}"
    );
}

#[test]
fn a_folder_in_place_of_a_block_or_a_document_is_an_error() {
    let names = ["em/raw/0/1/0", "em/gzip/0/1/0", "em/raw/attributes.json"];
    assert_no_file(&names, "found a folder, expected a file", |path| {
        std::fs::create_dir(path).unwrap();
    });
}

#[cfg(unix)]
#[test]
fn a_link_to_nowhere_in_place_of_a_block_or_a_document_is_an_error() {
    let names = ["em/raw/0/1/0", "em/gzip/0/1/0", "em/raw/attributes.json"];
    let expected = "found a link that leads nowhere, expected a file";
    assert_no_file(&names, expected, |path| {
        std::os::unix::fs::symlink("/nowhere/at/all", path).unwrap();
    });
}

#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_a_block_or_a_document_is_an_error_and_nobody_waits_for_it() {
    let names = ["em/raw/0/1/0", "em/gzip/0/1/0", "em/raw/attributes.json"];
    in_time(move || {
        assert_no_file(&names, "found a pipe, expected a file", |path| {
            let made = std::process::Command::new("mkfifo").arg(path).status();
            assert!(made.unwrap().success());
        });
    });
}

/// That what is no file is there at all is asked in another way.
#[cfg(unix)]
#[test]
fn the_size_of_a_socket_is_an_error() {
    let folder = make();
    let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("em/raw/9")).unwrap();
    let url = url(folder.path());
    in_time(move || {
        let store = n5::open_url(&url, &UrlOptions::new()).unwrap();
        let key = StoreKey::new("em/raw/9").unwrap();
        let error = store.size_key(&key).unwrap_err().to_string();
        assert!(error.contains("found a socket, expected a file"), "{error}");
    });
}

/// Does `work`, or fails if that takes too long.
#[cfg(unix)]
fn in_time(work: impl FnOnce() + Send + 'static) {
    let (done, waits) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        work();
        let _ = done.send(());
    });
    if let Err(RecvTimeoutError::Timeout) = waits.recv_timeout(Duration::from_mins(5)) {
        panic!("it waits for what nobody writes");
    }
    thread.join().unwrap();
}

/// Reading says `expected` where the file of each name is replaced.
fn assert_no_file(names: &[&str], expected: &str, replace: impl Fn(&Path)) {
    for name in names {
        let folder = make();
        let path = folder.path().join(name);
        std::fs::remove_file(&path).unwrap();
        replace(&path);
        let store = n5::open_url(&url(folder.path()), &UrlOptions::new()).unwrap();
        let dataset = &name[..name.find("/0").or(name.find("/attr")).unwrap()];
        let error = match n5::open_array(store, dataset) {
            Ok(array) => {
                let reader = RegionReader::new(&array).unwrap();
                reader.read::<u8>(&all()).unwrap_err().to_string()
            }
            Err(error) => error.to_string(),
        };
        assert_is_on_page(&error, expected);
        assert!(error.contains(name), "{error}");
    }
}
