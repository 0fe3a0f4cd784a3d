//! The walk and the conversion in folders: links, names, and two conversions at once.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use zarrs::filesystem::FilesystemStore;
use zarrs_interop::n5::{
    InPlaceOptions, LeftOutReason, N5DefaultStore, RenameDocuments, ReplaceDocuments, WalkOptions,
    WalkReport, WalkedKind, add_zarr_metadata, walk,
};
use zarrs_storage::{
    AtomicRenameStorageTraits, Bytes, ReadableStorageTraits, StorageError, StoreKey, StorePrefix,
    WritableStorageTraits,
};

const DATASET: &str =
    r#"{"dimensions":[3,2],"blockSize":[3,2],"dataType":"uint8","compression":{"type":"raw"}}"#;

fn dataset(folder: &Path, at: &str) {
    fs::create_dir_all(folder.join(at)).unwrap();
    fs::write(folder.join(at).join("attributes.json"), DATASET).unwrap();
}

fn all(folder: &Path) -> WalkReport {
    // Both forms in which a folder is known to be one.
    let report = walk(&FilesystemStore::new(folder).unwrap(), &WalkOptions::new()).unwrap();
    let shared = Arc::new(FilesystemStore::new(folder).unwrap());
    let again = walk(&shared, &WalkOptions::new()).unwrap();
    assert_eq!(paths(&report), paths(&again));
    report
}

fn paths(report: &WalkReport) -> Vec<String> {
    let nodes = report.nodes().iter();
    nodes.map(|node| node.node_path.clone()).collect()
}

fn left_out(report: &WalkReport) -> Vec<String> {
    let left_out = report.left_out().iter();
    left_out
        .map(|left_out| left_out.node_path.clone())
        .collect()
}

#[test]
fn circles_of_links_end() {
    let folder = tempfile::tempdir().unwrap();
    dataset(folder.path(), "g/raw");
    symlink(".", folder.path().join("x")).unwrap();
    symlink(".", folder.path().join("y")).unwrap();
    symlink("..", folder.path().join("g/up")).unwrap();
    let report = all(folder.path());
    assert_eq!(paths(&report), ["/", "/g", "/g/raw"]);
    assert_eq!(left_out(&report), ["/g/up", "/x", "/y"]);
    assert!(
        (report.left_out().iter())
            .all(|left_out| matches!(left_out.reason, LeftOutReason::SameFolder { .. }))
    );
    let store = FilesystemStore::new(folder.path()).unwrap();
    let report = add_zarr_metadata(&store, &InPlaceOptions::new(), |_| {}).unwrap();
    assert_eq!((report.converted(), report.skipped()), (3, 3));
}

#[test]
fn links_to_folders_elsewhere_are_followed_once_and_links_to_hidden_folders_too() {
    let elsewhere = tempfile::tempdir().unwrap();
    dataset(elsewhere.path(), "raw");
    symlink(elsewhere.path(), elsewhere.path().join("raw/round")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    dataset(folder.path(), ".data/labels");
    symlink(elsewhere.path(), folder.path().join("a")).unwrap();
    symlink(elsewhere.path().join("raw"), folder.path().join("b")).unwrap();
    symlink(".data/labels", folder.path().join("labels")).unwrap();
    symlink("nowhere", folder.path().join("broken")).unwrap();
    symlink("itself", folder.path().join("itself")).unwrap();
    let report = all(folder.path());
    assert_eq!(paths(&report), ["/", "/a", "/b", "/labels"]);
    assert_eq!(
        left_out(&report),
        ["/.data", "/a/raw", "/b/round", "/broken", "/itself"]
    );
}

/// So it is with git-annex, and with disks that are not mounted.
#[test]
fn a_document_that_is_a_link_to_nowhere_makes_no_group_of_a_dataset() {
    let folder = tempfile::tempdir().unwrap();
    dataset(folder.path(), "raw");
    let document = folder.path().join("raw/attributes.json");
    fs::remove_file(&document).unwrap();
    symlink("nowhere", &document).unwrap();
    fs::create_dir(folder.path().join("raw/0")).unwrap();
    let report = all(folder.path());
    assert_eq!(report.nodes()[1].node_path, "/raw");
    assert!(matches!(report.nodes()[1].kind, WalkedKind::Unreadable(_)));
    let store = FilesystemStore::new(folder.path()).unwrap();
    let report = add_zarr_metadata(&store, &InPlaceOptions::new(), |_| {}).unwrap();
    assert_eq!((report.converted(), report.failed()), (1, 1));
    assert!(!folder.path().join("raw/zarr.json").exists());
}

#[test]
fn a_node_that_is_a_link_to_nowhere_is_left_out_by_name() {
    let folder = tempfile::tempdir().unwrap();
    dataset(folder.path(), "g/raw");
    symlink("/nowhere/at/all", folder.path().join("other")).unwrap();
    symlink("round", folder.path().join("g/round")).unwrap();
    // Those of editors are none of a hierarchy's.
    symlink("user@host.1", folder.path().join(".#notes")).unwrap();
    let report = all(folder.path());
    assert_eq!(paths(&report), ["/", "/g", "/g/raw"]);
    assert_eq!(left_out(&report), ["/g/round", "/other"]);
    let text = report.left_out()[1].to_string();
    assert!(text.contains("a link that leads nowhere"), "{text}");
    let store = FilesystemStore::new(folder.path()).unwrap();
    let report = add_zarr_metadata(&store, &InPlaceOptions::new(), |_| {}).unwrap();
    assert_eq!((report.converted(), report.skipped()), (3, 2));
}

#[test]
fn a_name_that_is_not_utf_8_is_reported_and_does_not_panic() {
    let folder = tempfile::tempdir().unwrap();
    dataset(folder.path(), "raw");
    let bad = OsStr::from_bytes(b"bad\xff");
    fs::create_dir(folder.path().join(bad)).unwrap();
    fs::write(
        folder
            .path()
            .join("raw")
            .join(OsStr::from_bytes(b"\xfe.txt")),
        "x",
    )
    .unwrap();
    let report = all(folder.path());
    assert_eq!(paths(&report), ["/", "/raw"]);
    assert_eq!(left_out(&report), ["/bad\u{fffd}"]);
    assert!(matches!(
        report.left_out()[0].reason,
        LeftOutReason::NotUnicode
    ));
    let store = FilesystemStore::new(folder.path()).unwrap();
    let report = add_zarr_metadata(&store, &InPlaceOptions::new(), |_| {}).unwrap();
    assert_eq!((report.converted(), report.skipped()), (2, 1));
    assert!(!folder.path().join(bad).join("zarr.json").exists());
}

#[test]
fn a_file_where_a_folder_is_expected_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "x").unwrap();
    let store = FilesystemStore::new(folder.path().join("file")).unwrap();
    let report = walk(&store, &WalkOptions::new()).unwrap();
    let line = report.nodes()[0].to_string();
    assert!(line.starts_with("/: unreadable: "), "{line}");
    let options = WalkOptions::new().with_node_path("/file");
    let store = FilesystemStore::new(folder.path()).unwrap();
    let line = walk(&store, &options).unwrap().nodes()[0].to_string();
    assert!(line.contains("file/attributes.json"), "{line}");
}

#[test]
fn a_dataset_named_zarr_json_does_not_stop_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    dataset(folder.path(), "zarr.json");
    dataset(folder.path(), "raw");
    fs::create_dir(folder.path().join("raw/attributes.json.d")).unwrap();
    let store = FilesystemStore::new(folder.path()).unwrap();
    let report = add_zarr_metadata(&store, &InPlaceOptions::new(), |_| {}).unwrap();
    let lines: Vec<_> = report.nodes().iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "/: skipped: zarr.json is a folder, so that no document can have this name",
            "/raw: converted",
            "/raw/attributes.json.d: converted",
            "/zarr.json: converted",
        ]
    );
}

#[test]
fn errors_of_the_adapter_name_the_key() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("x/attributes.json")).unwrap();
    fs::write(folder.path().join("file"), "x").unwrap();
    let store = N5DefaultStore::new(FilesystemStore::new(folder.path()).unwrap());
    for (key, named) in [
        ("x/zarr.json", "cannot read x/attributes.json: "),
        ("file/0/0", "cannot read file/0/0: "),
        ("x/attributes.json", "cannot read x/attributes.json: "),
    ] {
        let key = StoreKey::new(key).unwrap();
        let error = store.get(&key).unwrap_err().to_string();
        assert!(error.starts_with(named), "{error}");
    }
}

/// A reader that looks all the time while four conversions replace the documents over and over.
#[test]
fn conversions_at_once_leave_every_document_whole_at_all_times() {
    let folder = tempfile::tempdir().unwrap();
    for index in 0..8 {
        dataset(folder.path(), &format!("ds{index}"));
    }
    let zarr = folder.path().join("ds3/zarr.json");
    let convert = || {
        let store = FilesystemStore::new(folder.path()).unwrap();
        let options = InPlaceOptions::new().with_overwrite(true);
        let report = add_zarr_metadata(&store, &options, |_| {}).unwrap();
        assert_eq!(report.failed(), 0, "{report:?}");
    };
    convert();
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            for _ in 0..2000 {
                let text = fs::read(&zarr).unwrap();
                let document: Value = serde_json::from_slice(&text).unwrap();
                assert_eq!(document["node_type"], "array");
            }
        });
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..10 {
                    let other = r#"{"zarr_format":3,"node_type":"array","other":1}"#;
                    let store = FilesystemStore::new(folder.path()).unwrap();
                    let key = StoreKey::new("ds3/zarr.json").unwrap();
                    store.replace_document(&key, other.into()).unwrap();
                    convert();
                }
            });
        }
        reader.join().unwrap();
    });
    convert();
    let names: Vec<_> = fs::read_dir(folder.path().join("ds3"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn a_link_in_the_place_of_a_document_is_replaced_and_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    dataset(folder.path(), "raw");
    let victim = folder.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    symlink(&victim, folder.path().join("raw/zarr.json.tmp")).unwrap();
    symlink(&victim, folder.path().join("raw/zarr.json")).unwrap();
    let store = FilesystemStore::new(folder.path()).unwrap();
    let options = InPlaceOptions::new().with_overwrite(true);
    let report = add_zarr_metadata(&store, &options, |_| {}).unwrap();
    assert_eq!(report.converted(), 2, "{report:?}");
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
}

/// A store whose renames fail after another writer wrote the same.
struct Overtaken(FilesystemStore);

impl WritableStorageTraits for Overtaken {
    fn set(&self, key: &StoreKey, value: Bytes) -> Result<(), StorageError> {
        let text = key.as_str();
        if let Some(at) = text
            .find("zarr.json.")
            .filter(|_| text.rsplit('.').next() == Some("tmp"))
        {
            let target = StoreKey::new(&text[..at + "zarr.json".len()]).unwrap();
            self.0.set(&target, value.clone())?;
        }
        self.0.set(key, value)
    }

    fn set_partial_many(
        &self,
        key: &StoreKey,
        offset_values: zarrs_storage::OffsetBytesIterator,
    ) -> Result<(), StorageError> {
        self.0.set_partial_many(key, offset_values)
    }

    fn erase(&self, key: &StoreKey) -> Result<(), StorageError> {
        self.0.erase(key)
    }

    fn erase_prefix(&self, prefix: &StorePrefix) -> Result<(), StorageError> {
        self.0.erase_prefix(prefix)
    }

    fn supports_set_partial(&self) -> bool {
        false
    }
}

impl AtomicRenameStorageTraits for Overtaken {
    fn rename(&self, _: &StoreKey, _: &StoreKey) -> Result<(), StorageError> {
        Err(StorageError::Other("cannot rename".to_owned()))
    }
}

impl ReadableStorageTraits for Overtaken {
    fn get_partial_many<'a>(
        &'a self,
        key: &StoreKey,
        byte_ranges: zarrs_storage::byte_range::ByteRangeIterator<'a>,
    ) -> Result<zarrs_storage::MaybeBytesIterator<'a>, StorageError> {
        self.0.get_partial_many(key, byte_ranges)
    }

    fn size_key(&self, key: &StoreKey) -> Result<Option<u64>, StorageError> {
        self.0.size_key(key)
    }

    fn supports_get_partial(&self) -> bool {
        true
    }
}

impl zarrs_storage::ListableStorageTraits for Overtaken {
    fn list(&self) -> Result<zarrs_storage::StoreKeys, StorageError> {
        self.0.list()
    }

    fn list_prefix(&self, prefix: &StorePrefix) -> Result<zarrs_storage::StoreKeys, StorageError> {
        self.0.list_prefix(prefix)
    }

    fn list_dir(
        &self,
        prefix: &StorePrefix,
    ) -> Result<zarrs_storage::StoreKeysPrefixes, StorageError> {
        self.0.list_dir(prefix)
    }

    fn size_prefix(&self, prefix: &StorePrefix) -> Result<u64, StorageError> {
        self.0.size_prefix(prefix)
    }
}

#[test]
fn a_document_that_says_the_same_after_a_failed_rename_is_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    dataset(folder.path(), "raw");
    let store = RenameDocuments(Overtaken(FilesystemStore::new(folder.path()).unwrap()));
    let report = add_zarr_metadata(&store, &InPlaceOptions::new(), |_| {}).unwrap();
    assert_eq!((report.unchanged(), report.failed()), (2, 0), "{report:?}");
    let names = fs::read_dir(folder.path().join("raw")).unwrap().count();
    assert_eq!(names, 2);
}
