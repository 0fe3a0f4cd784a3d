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

#[cfg(feature = "filesystem")]
mod in_folders;
mod near;

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
