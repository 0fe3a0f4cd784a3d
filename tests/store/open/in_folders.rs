//! What a folder says that is no store of the right kind.

use std::fs;

use zarrs::filesystem::FilesystemStore;

use super::*;

fn dataset(folder: &std::path::Path) {
    fs::create_dir_all(folder.join("ds/0")).unwrap();
    fs::write(folder.join("ds/attributes.json"), DATASET).unwrap();
    fs::write(folder.join("ds/0/0"), crate::hierarchies::BLOCK).unwrap();
}

#[test]
fn a_dataset_opens() {
    let folder = tempfile::tempdir().unwrap();
    dataset(folder.path());
    let array = n5::open_array(FilesystemStore::new(folder.path()).unwrap(), "/ds").unwrap();
    let values: Vec<u8> = array.retrieve_array_subset(&array.subset_all()).unwrap();
    assert_eq!(values, [1, 4, 2, 5, 3, 6]);
}

#[test]
fn a_folder_that_does_not_exist_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.n5");
    for path in ["/", "/volumes/raw"] {
        let text = text(FilesystemStore::new(&missing).unwrap(), path);
        let expected = format!(
            "there is no folder {}: check the path of the store",
            missing.display()
        );
        assert_eq!(text, expected);
    }
}

#[test]
fn an_empty_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(FilesystemStore::new(folder.path()).unwrap());
    let expected = format!(
        "there is nothing in {}: check the path of the store",
        folder.path().display()
    );
    for path in ["/", "/volumes/raw"] {
        assert_eq!(text(store.clone(), path), expected);
    }
}

#[test]
fn a_file_in_the_place_of_the_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.n5");
    fs::write(&file, "x").unwrap();
    let error = error(FilesystemStore::new(&file).unwrap(), "/ds");
    assert!(
        matches!(&error, OpenError::NoSuchFolder { folder } if *folder == file),
        "{error:?}"
    );
}

#[test]
fn a_path_to_a_block_names_the_dataset() {
    let folder = tempfile::tempdir().unwrap();
    dataset(folder.path());
    for path in ["/ds/0", "/ds/0/0", "/ds/0/0/x"] {
        let error = error(FilesystemStore::new(folder.path()).unwrap(), path);
        assert!(
            matches!(&error, OpenError::InDataset { dataset, .. } if dataset == "/ds"),
            "{path}: {error:?}"
        );
    }
}

#[test]
fn an_empty_folder_below_the_root_is_a_group() {
    let folder = tempfile::tempdir().unwrap();
    dataset(folder.path());
    fs::create_dir_all(folder.path().join("g/h")).unwrap();
    let store = Arc::new(FilesystemStore::new(folder.path()).unwrap());
    assert_eq!(
        text(store.clone(), "/g/h"),
        "/g/h is a group, not a dataset; there is no dataset below it"
    );
    assert_eq!(
        text(store, "/g/h/i"),
        "there is nothing at /g/h/i: /g/h is there, and no folder of a node is in it"
    );
}

/// Of as many bytes as no memory has, which take no room on the disk.
#[test]
fn a_document_larger_than_memory_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    dataset(folder.path());
    let document = fs::File::options()
        .write(true)
        .open(folder.path().join("ds/attributes.json"))
        .unwrap();
    document.set_len(1 << 40).unwrap();
    let store = Arc::new(FilesystemStore::new(folder.path()).unwrap());
    let expected = "ds/attributes.json is 1099511627776 bytes long: expected at most 1073741824";
    assert_eq!(
        text(store.clone(), "/ds"),
        format!("cannot read ds/attributes.json: {expected}")
    );
    let report = n5::walk(&store, &n5::WalkOptions::new()).unwrap();
    let found = format!("{report:?}");
    assert!(found.contains(expected), "{found}");
}

#[test]
fn a_document_that_cannot_be_read_is_an_error_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("ds/attributes.json")).unwrap();
    let text = text(FilesystemStore::new(folder.path()).unwrap(), "/ds");
    assert!(
        text.starts_with("cannot read ds/attributes.json: "),
        "{text}"
    );
}

/// Also where it is only near: in the folder that was meant instead of another.
#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_a_document_is_an_error_and_nobody_waits_for_it() {
    let folder = tempfile::tempdir().unwrap();
    dataset(folder.path());
    let pipe = folder.path().join("pipe/attributes.json");
    fs::create_dir(pipe.parent().unwrap()).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let (answers, waits) = std::sync::mpsc::channel();
    let root = folder.path().to_owned();
    std::thread::spawn(move || {
        for path in ["/pipe", "/pipe/0", "/x/pipe", "/x/ds"] {
            let error = error(FilesystemStore::new(&root).unwrap(), path);
            let _ = answers.send((path, error));
        }
    });
    for _ in 0..4 {
        let answer = waits.recv_timeout(std::time::Duration::from_mins(5));
        let (path, error) = answer.expect("it waits for what nobody writes");
        let expected = match path {
            "/pipe" => format!("{} is a pipe: expected a file", pipe.display()),
            "/x/ds" => "/ds".to_owned(),
            _ => "pipe".to_owned(),
        };
        assert!(error.to_string().contains(&expected), "{path}: {error}");
    }
}
