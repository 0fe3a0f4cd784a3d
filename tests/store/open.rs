//! `n5::open_array`: what it opens and at what cost, and the text of each error.

use std::sync::Arc;

use zarrs::array::Array;
use zarrs_interop::n5::{self, DimensionOrder, N5DefaultStore, OpenError};
use zarrs_storage::byte_range::ByteRangeIterator;
use zarrs_storage::{
    Bytes, ListableStorageTraits, MaybeBytes, MaybeBytesIterator, ReadableStorageTraits,
    StorageError, StoreKey, StoreKeys, StoreKeysPrefixes, StorePrefix, WritableStorageTraits,
};

use crate::hierarchies::{DATASET, GROUP, UNSUPPORTED, fill, key, nested};
use crate::recording::RecordingStore;

fn store(entries: &[(&str, &str)]) -> RecordingStore {
    let store = RecordingStore::default();
    for (at, value) in entries {
        let value = Bytes::from((*value).to_string());
        store.inner.set(&key(at), value).unwrap();
    }
    store
}

/// `/volumes/raw/s0`, `/volumes/raw/s1` and `/volumes/labels` are datasets, the others groups.
fn volumes() -> RecordingStore {
    store(&[
        ("attributes.json", r#"{"n5":"2.0.0"}"#),
        ("volumes/raw/s0/attributes.json", DATASET),
        ("volumes/raw/s0/0/0", "block"),
        ("volumes/raw/s1/attributes.json", DATASET),
        ("volumes/labels/attributes.json", DATASET),
    ])
}

fn error<S>(store: S, path: &str) -> OpenError
where
    S: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    match n5::open_array(store, path) {
        Ok(_) => panic!("{path} opens"),
        Err(error) => error,
    }
}

fn text<S>(store: S, path: &str) -> String
where
    S: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    error(store, path).to_string()
}

/// A store that refuses some requests, whatever is there.
#[derive(Debug, Default)]
struct Refusing {
    inner: RecordingStore,
    /// What begins with one of these is not read.
    unreadable: Vec<&'static str>,
    /// These prefixes are not listed; all of them if there is an `*`.
    unlistable: Vec<&'static str>,
}

fn forbidden(at: &str) -> StorageError {
    StorageError::Other(format!("GET {at}: 403 Forbidden"))
}

impl ReadableStorageTraits for Refusing {
    fn get(&self, key: &StoreKey) -> Result<MaybeBytes, StorageError> {
        let mut unreadable = self.unreadable.iter();
        if unreadable.any(|unreadable| key.as_str().starts_with(unreadable)) {
            return Err(forbidden(key.as_str()));
        }
        self.inner.get(key)
    }

    fn get_partial_many<'a>(
        &'a self,
        key: &StoreKey,
        byte_ranges: ByteRangeIterator<'a>,
    ) -> Result<MaybeBytesIterator<'a>, StorageError> {
        self.inner.get_partial_many(key, byte_ranges)
    }

    fn size_key(&self, key: &StoreKey) -> Result<Option<u64>, StorageError> {
        self.inner.size_key(key)
    }

    fn supports_get_partial(&self) -> bool {
        false
    }
}

impl ListableStorageTraits for Refusing {
    fn list(&self) -> Result<StoreKeys, StorageError> {
        Err(forbidden("everything"))
    }

    fn list_prefix(&self, prefix: &StorePrefix) -> Result<StoreKeys, StorageError> {
        Err(forbidden(prefix.as_str()))
    }

    fn list_dir(&self, prefix: &StorePrefix) -> Result<StoreKeysPrefixes, StorageError> {
        let mut unlistable = self.unlistable.iter();
        if unlistable.any(|unlistable| ["*", prefix.as_str()].contains(unlistable)) {
            return Err(forbidden(&format!("?prefix={prefix}")));
        }
        self.inner.list_dir(prefix)
    }

    fn size_prefix(&self, prefix: &StorePrefix) -> Result<u64, StorageError> {
        Err(forbidden(prefix.as_str()))
    }
}

fn unlistable(inner: RecordingStore) -> Refusing {
    Refusing {
        inner,
        unlistable: vec!["*"],
        ..Refusing::default()
    }
}

#[test]
fn a_dataset_opens_for_reading_and_writing() {
    let recording = RecordingStore::default();
    fill(&recording.inner, &nested());
    let store = Arc::new(recording);
    let array = n5::open_array(store.clone(), "/a/b/ds").unwrap();
    assert_eq!(array.shape(), [3, 2]);
    let values: Vec<u8> = array.retrieve_array_subset(&array.subset_all()).unwrap();
    assert_eq!(values, [1, 4, 2, 5, 3, 6]);
    let values = [9_u8; 6];
    array
        .store_array_subset(&array.subset_all(), &values)
        .unwrap();
    let block = store.inner.get(&key("a/b/ds/0/0")).unwrap().unwrap();
    assert!(block.ends_with(&values));
}

#[test]
fn the_array_is_the_one_that_zarrs_opens_for_the_same_requests() {
    let opened = n5::open_array(volumes(), "/volumes/raw/s0").unwrap();
    let view = Arc::new(N5DefaultStore::new(volumes()));
    let expected = Array::open(view.clone(), "/volumes/raw/s0").unwrap();
    assert_eq!(opened.metadata(), expected.metadata());
    assert_eq!(opened.path(), expected.path());
    let requests = opened.storage().inner().take_requests();
    assert_eq!(requests, ["get volumes/raw/s0/attributes.json"]);
    assert_eq!(requests, view.inner().take_requests());
}

#[test]
fn slashes_around_the_path_do_not_count() {
    for path in ["volumes/labels", "/volumes/labels/", "volumes/labels/"] {
        let array = n5::open_array(volumes(), path).unwrap();
        assert_eq!(array.path().as_str(), "/volumes/labels", "{path}");
    }
    for path in ["/", ""] {
        let array = n5::open_array(store(&[("attributes.json", DATASET)]), path).unwrap();
        assert_eq!(array.path().as_str(), "/", "{path:?}");
    }
}

#[test]
fn a_store_with_options_opens_several_datasets() {
    let store = N5DefaultStore::new(volumes()).with_dimension_order(DimensionOrder::Reversed);
    let store = Arc::new(store);
    for path in ["/volumes/raw/s0", "/volumes/labels"] {
        assert_eq!(store.open_array(path).unwrap().shape(), [2, 3]);
    }
    assert_eq!(store.inner().take_requests().len(), 2);
}

#[test]
fn a_dataset_opens_where_nothing_may_be_listed() {
    let array = n5::open_array(unlistable(volumes()), "/volumes/raw/s1").unwrap();
    assert_eq!(array.shape(), [3, 2]);
    let requests = array.storage().inner().inner.take_requests();
    assert_eq!(requests, ["get volumes/raw/s1/attributes.json"]);
}

#[test]
fn nothing_names_what_is_near_the_most_similar_first() {
    let text = |path| text(volumes(), path);
    assert_eq!(
        text("/volumes/row/s0"),
        "there is nothing at /volumes/row/s0: /volumes is there, and in it are (the most similar \
         first) raw, labels"
    );
    assert_eq!(
        text("/volumes/label"),
        "there is nothing at /volumes/label: /volumes is there, and in it are labels, raw"
    );
    assert_eq!(
        text("/volumes/raw/s2"),
        "there is nothing at /volumes/raw/s2: /volumes/raw is there, and in it are s0, s1"
    );
    assert_eq!(
        text("/else/where"),
        "there is nothing at /else/where: / is there, and in it is volumes"
    );
}

#[test]
fn blanks_around_a_path_are_seen() {
    let text = |path| text(volumes(), path);
    assert_eq!(
        text(" volumes/raw"),
        r#"there is nothing at "/ volumes/raw": / is there, and in it is volumes"#
    );
    assert_eq!(
        text("/volumes/raw "),
        "there is nothing at \"/volumes/raw \": /volumes is there, and in it are (the most similar \
         first) raw, labels"
    );
}

#[test]
fn an_empty_document_is_called_empty() {
    for blank in ["", " \n\t", "\u{feff}"] {
        let store = store(&[("em/s0/attributes.json", blank), ("em/s0/0/0", "block")]);
        let error = error(store, "/em/s0");
        assert!(
            matches!(&error, OpenError::EmptyDocument { node_path, .. } if node_path == "/em/s0"),
            "{error:?}"
        );
        assert_eq!(
            error.to_string(),
            "em/s0/attributes.json is empty, of 0 bytes or only blanks, so that there is no \
             dataset at /em/s0: expected an object with `dimensions`, `blockSize`, `dataType` and \
             `compression`; restore it"
        );
    }
    // Of a group an empty document is as good as none.
    let group = store(&[
        ("attributes.json", ""),
        ("raw/attributes.json", DATASET),
        ("else/attributes.json", GROUP),
    ]);
    assert_eq!(
        text(group, "/"),
        "/ is a group, not a dataset; the dataset below it is /raw"
    );
}

#[test]
fn blocks_without_a_document_are_named() {
    for (block, named) in [("0/0/0", "0/0/0"), ("7", "7"), ("12/3/0/1/5", "12/3/0/1/5")] {
        let store = store(&[
            ("attributes.json", GROUP),
            (&format!("em/s0/{block}"), "block"),
        ]);
        assert_eq!(
            text(store, "/em/s0"),
            format!(
                "there is no dataset at /em/s0: a file is there with the name of a block, \
                 /em/s0/{named}, but no em/s0/attributes.json, which says what is in the blocks; \
                 restore it"
            )
        );
    }
    // Of a grid of more folders than are searched for datasets.
    let keys: Vec<_> = (0..400).map(|x| format!("em/s0/{x}/0/0")).collect();
    let entries: Vec<_> = keys.iter().map(|at| (at.as_str(), "block")).collect();
    let found = error(store(&entries), "/em/s0");
    assert!(
        matches!(&found, OpenError::MissingDocument { block, .. } if block == "/em/s0/0/0/0"),
        "{found:?}"
    );
    // A document that says that it is a group is not missing.
    let described = store(&[("g/attributes.json", GROUP), ("g/0/0", "block")]);
    assert!(matches!(error(described, "/g"), OpenError::Group { .. }));
}

#[test]
fn nothing_but_files_near_is_said() {
    let store = store(&[("notes/readme.txt", "x")]);
    assert_eq!(
        text(store, "/notes/raw"),
        "there is nothing at /notes/raw: /notes is there, and no folder of a node is in it"
    );
}

#[test]
fn a_path_that_differs_by_case_is_found() {
    assert_eq!(
        text(volumes(), "/Volumes/RAW/s0"),
        "there is nothing at /Volumes/RAW/s0: names differ by case, and /volumes/raw/s0 is there"
    );
    assert_eq!(
        text(volumes(), "/Volumes/RAW/s7"),
        "there is nothing at /Volumes/RAW/s7: / is there, and in it is volumes"
    );
}

#[test]
fn a_path_that_begins_too_early_or_too_late_is_found() {
    for path in ["/data/x.n5/volumes/raw/s0", "/raw/s0"] {
        assert_eq!(
            text(volumes(), path),
            format!(
                "there is nothing at {path}, but at /volumes/raw/s0: the path of a node begins at \
                 the root of the store"
            )
        );
    }
}

#[test]
fn a_path_among_blocks_names_the_dataset() {
    for path in [
        "/volumes/raw/s0/0",
        "/volumes/raw/s0/0/0",
        "/volumes/raw/s0/x",
    ] {
        assert_eq!(
            text(volumes(), path),
            format!("there is no node at {path}: /volumes/raw/s0 above it is a dataset; open that")
        );
    }
}

/// `BigStitcher` writes the members of a dataset on `setup0` too.
#[test]
fn nodes_in_a_dataset_are_near_and_its_blocks_are_not() {
    let store = store(&[
        ("setup0/attributes.json", DATASET),
        ("setup0/0/0", "block"),
        ("setup0/timepoint0/s0/attributes.json", DATASET),
    ]);
    assert_eq!(
        text(store, "/setup0/timepoint1/s0"),
        "there is nothing at /setup0/timepoint1/s0: /setup0 is there, and in it is timepoint0"
    );
}

#[test]
fn a_group_names_its_datasets() {
    assert_eq!(
        text(volumes(), "/volumes"),
        "/volumes is a group, not a dataset; datasets below it are /volumes/labels, \
         /volumes/raw/s0, /volumes/raw/s1"
    );
    let with_document = store(&[
        ("a/attributes.json", GROUP),
        ("a/b/attributes.json", DATASET),
    ]);
    assert_eq!(
        text(with_document, "/a"),
        "/a is a group, not a dataset; the dataset below it is /a/b"
    );
    let alone = store(&[("a/attributes.json", GROUP)]);
    assert_eq!(
        text(alone, "/a"),
        "/a is a group, not a dataset; there is no dataset below it"
    );
}

#[test]
fn a_group_names_no_dataset_that_is_only_a_container() {
    let store = store(&[
        ("g/setup0/attributes.json", DATASET),
        ("g/setup0/timepoint0/s0/attributes.json", DATASET),
    ]);
    let OpenError::Group { datasets, .. } = error(store, "/g") else {
        panic!("not a group");
    };
    assert_eq!(datasets, ["/g/setup0/timepoint0/s0"]);
}

#[test]
fn the_search_for_datasets_is_bounded_in_number_and_depth() {
    let entries: Vec<_> = (0..1000)
        .map(|n| format!("g/d{n:04}/attributes.json"))
        .collect();
    let entries: Vec<_> = entries.iter().map(|at| (at.as_str(), DATASET)).collect();
    let wide = Arc::new(store(&entries));
    let OpenError::Group {
        datasets, is_all, ..
    } = error(wide.clone(), "/g")
    else {
        panic!("not a group");
    };
    assert_eq!((datasets.len(), is_all), (255, false));
    // The document of `g`, its listing, and both for each of the datasets.
    assert_eq!(wide.take_requests().len(), 2 + 2 * 255);
    let text = text(wide, "/g");
    assert!(
        text.starts_with(
            "/g is a group, not a dataset; among the datasets below it, of which not all were \
             searched for, are /g/d0000, /g/d0001, "
        ) && text.ends_with(", /g/d0015 and 239 more"),
        "{text}"
    );
    let deep = store(&[("g/1/2/3/4/5/ds/attributes.json", DATASET)]);
    assert_eq!(
        self::text(deep, "/g"),
        "/g is a group, not a dataset; no dataset was found below it, but not all was searched"
    );
}

#[test]
fn a_group_that_cannot_be_listed_says_so() {
    let store = unlistable(store(&[("a/attributes.json", GROUP)]));
    assert_eq!(
        text(store, "/a"),
        "/a is a group, not a dataset; what is below it cannot be listed: GET ?prefix=a/: 403 \
         Forbidden"
    );
}

#[test]
fn an_array_of_zarr_says_how_to_open_it() {
    let array = r#"{"zarr_format":3,"node_type":"array"}"#;
    assert_eq!(
        text(store(&[("z/zarr.json", array)]), "/z"),
        "/z is an array of Zarr V3 without N5, as it has no attributes.json: open it with plain \
         zarrs, zarrs::array::Array::open(store, \"/z\")"
    );
    assert_eq!(
        text(store(&[("z/.zarray", "{}")]), "/z"),
        "/z is an array of Zarr V2 without N5, as it has no attributes.json: open it with plain \
         zarrs, zarrs::array::Array::open(store, \"/z\")"
    );
}

#[test]
fn a_group_of_zarr_says_how_to_open_it_unless_there_are_datasets() {
    let group = r#"{"zarr_format":3,"node_type":"group","attributes":{"k":1}}"#;
    assert_eq!(
        text(store(&[("z/zarr.json", group)]), "/z"),
        "/z is a group of Zarr V3 without N5, as it has no attributes.json: open it with plain \
         zarrs, zarrs::group::Group::open(store, \"/z\")"
    );
    let both = store(&[("z/zarr.json", group), ("z/a/attributes.json", DATASET)]);
    assert_eq!(
        text(both, "/z"),
        "/z is a group, not a dataset; the dataset below it is /z/a"
    );
}

#[test]
fn an_empty_store_is_not_a_wrong_path() {
    for path in ["/", "/volumes/raw"] {
        assert_eq!(
            text(store(&[]), path),
            "there is nothing in the store: check the path of the store"
        );
    }
}

#[test]
fn a_malformed_document_is_an_error_of_its_own() {
    let store = store(&[(
        "a/attributes.json",
        r#"{"dimensions":[3,2],"dataType":"uint8"}"#,
    )]);
    let error = error(store, "/a");
    assert!(matches!(error, OpenError::Document(_)), "{error:?}");
    assert!(std::error::Error::source(&error).is_some());
    let text = error.to_string();
    let begin = "the dataset cannot be opened, as its document cannot be read: attributes.json of \
                 /a describes a dataset, but its member `blockSize` is missing: expected ";
    assert!(text.starts_with(begin), "{text}");
}

#[test]
fn a_dataset_that_cannot_be_converted_is_an_error_of_its_own() {
    let error = error(store(&[("a/attributes.json", UNSUPPORTED)]), "/a");
    assert!(matches!(error, OpenError::Unsupported(_)), "{error:?}");
    let text = error.to_string();
    let begin = "the dataset cannot be opened: its document is not damaged, but what it says is \
                 not supported: attributes.json of /a: ";
    assert!(text.starts_with(begin) && text.contains("jpeg"), "{text}");
}

#[test]
fn denied_access_names_the_document_and_says_what_else_it_may_mean() {
    let store = Refusing {
        inner: volumes(),
        unreadable: vec!["volumes/raw/s0/"],
        ..Refusing::default()
    };
    let error = error(store, "/volumes/raw/s0");
    assert!(matches!(&error, OpenError::AccessDenied { key, .. }
        if key.as_str() == "volumes/raw/s0/attributes.json"));
    assert_eq!(
        error.to_string(),
        "access denied: the store refused to read volumes/raw/s0/attributes.json: GET \
         volumes/raw/s0/attributes.json: 403 Forbidden; check the permissions and the credentials, \
         and the path too, as a bucket that may not be listed answers so for what is not there"
    );
}

#[test]
fn denied_access_to_a_document_of_zarr_is_not_nothing() {
    let store = Refusing {
        inner: store(&[("a/zarr.json", "{}")]),
        unreadable: vec!["a/zarr.json"],
        ..Refusing::default()
    };
    let text = text(store, "/a");
    assert!(
        text.starts_with("access denied: the store refused to read a/zarr.json: "),
        "{text}"
    );
}

#[test]
fn a_denied_listing_names_what_was_not_listed() {
    let all = unlistable(volumes());
    assert_eq!(
        text(all, "/volumes/row"),
        "there is no dataset at /volumes/row (no volumes/row/attributes.json), and what is there \
         instead is not known, as listing /volumes/row failed: GET ?prefix=volumes/row/: 403 \
         Forbidden"
    );
    let above = Refusing {
        inner: volumes(),
        unlistable: vec!["volumes/"],
        ..Refusing::default()
    };
    let error = error(above, "/volumes/row");
    assert!(
        matches!(&error, OpenError::ListingDenied { listed, .. } if listed == "/volumes"),
        "{error:?}"
    );
}

#[test]
fn backslashes_are_refused_with_advice() {
    let store = volumes();
    assert_eq!(
        text(store, r"volumes\raw\s0"),
        r"volumes\raw\s0 has a backslash: in N5 paths a `/` is between names on every system: /volumes/raw/s0"
    );
}

#[test]
fn what_is_no_path_is_refused_without_a_request() {
    let store = Arc::new(volumes());
    assert_eq!(
        text(store.clone(), "/volumes//raw"),
        "\"/volumes//raw\" cannot be the path of a dataset: expected names with one `/` between \
         them, none of them empty, only dots or beginning with `__`, as in /volumes/raw/s0"
    );
    assert_eq!(store.take_requests(), [""; 0]);
}

#[cfg(feature = "filesystem")]
mod in_folders {
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
        let expected =
            "ds/attributes.json is 1099511627776 bytes long: expected at most 1073741824";
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
}
