//! Conversion in place on stores that fail, and in folders: no document is ever left half written.

use std::sync::Arc;

use serde_json::Value;
use zarrs_interop::n5::{
    InPlaceOptions, RenameDocuments, ReplaceDocuments, SetDocuments, add_n5_metadata,
    add_zarr_metadata,
};
use zarrs_storage::{
    Bytes, ListableStorageTraits, ReadableStorageTraits, WritableStorageTraits, store::MemoryStore,
};

use crate::documents::{contents, is_document, lines, nested_memory, to_zarr};
use crate::hierarchies::{fill, key, nested};
use crate::recording::RecordingStore;

#[test]
fn a_store_that_cannot_be_written_is_reported_per_node() {
    let store = SetDocuments(Arc::new(RecordingStore::default()));
    fill(&store.0.inner, &nested());
    store.0.crash_after(1, false);
    let report = add_zarr_metadata(&store, &InPlaceOptions::new(), |_| {}).unwrap();
    assert_eq!(
        lines(&report),
        [
            "/: converted",
            "/a: failed: cannot write a/zarr.json: crashed",
            "/a/b: failed: cannot write a/b/zarr.json: crashed",
            "/a/b/0: failed: cannot write a/b/0/zarr.json: crashed",
            "/a/b/0/ds: failed: cannot write a/b/0/ds/zarr.json: crashed",
            "/a/b/ds: failed: cannot write a/b/ds/zarr.json: crashed",
            "/top: failed: cannot write top/zarr.json: crashed"
        ]
    );
}

/// Whether `key` is one under which a document is written aside.
fn is_aside(key: &zarrs_storage::StoreKey) -> bool {
    key.as_str().rsplit('.').next() == Some("tmp")
}

/// Crashes a conversion at every write in turn. Every document must be whole afterwards, and the
/// next run must finish.
fn crash_everywhere<D>(
    before: &MemoryStore,
    wrap: impl Fn(Arc<RecordingStore>) -> D,
    is_torn: bool,
    is_to_zarr: bool,
) where
    D: ReplaceDocuments,
    D::Store: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    let convert = |store: &D| {
        let options = InPlaceOptions::new().with_overwrite(true);
        if is_to_zarr {
            add_zarr_metadata(store, &options, |_| {}).unwrap()
        } else {
            add_n5_metadata(store, &options, |_| {}).unwrap()
        }
    };
    let fresh = || {
        let store = Arc::new(RecordingStore::default());
        fill(&store.inner, &Vec::from_iter(contents(before)));
        store
    };
    let uninterrupted = fresh();
    let count = convert(&wrap(uninterrupted.clone())).converted();
    let expected = contents(&uninterrupted.inner);
    for crash_at in 0.. {
        let store = fresh();
        let documents = wrap(store.clone());
        store.crash_after(crash_at, is_torn);
        convert(&documents);
        if !store.restart() {
            assert!(
                crash_at >= count,
                "only {crash_at} writes for {count} documents"
            );
            assert_eq!(contents(&store.inner), expected);
            return;
        }
        for (key, value) in contents(&store.inner) {
            if is_document(&key) {
                assert!(
                    serde_json::from_slice::<Value>(&value).is_ok(),
                    "{key} after {crash_at} writes: {value:?}"
                );
            }
        }
        assert_eq!(convert(&documents).failed(), 0);
        let mut found = contents(&store.inner);
        // What the crash left aside has a name of its own, which no other run may touch.
        let aside = found.extract_if(.., |key, _| is_aside(key));
        assert!(aside.count() == 0 || is_torn);
        assert_eq!(found, expected, "rerun after {crash_at} writes");
    }
}

#[test]
fn a_crash_leaves_every_document_whole_and_the_next_run_finishes() {
    let n5 = nested_memory();
    n5.set(
        &key("a/zarr.json"),
        Bytes::from_static(b"{\"zarr_format\":3}"),
    )
    .unwrap();
    let zarr = nested_memory();
    to_zarr(&zarr);
    for node in ["", "a/", "a/b/ds/"] {
        zarr.erase(&key(&format!("{node}attributes.json"))).unwrap();
    }
    for (before, is_to_zarr) in [(&n5, true), (&zarr, false)] {
        crash_everywhere(before, SetDocuments, false, is_to_zarr);
        crash_everywhere(before, RenameDocuments, true, is_to_zarr);
    }
}

#[cfg(feature = "filesystem")]
mod in_a_folder {
    use super::*;
    use crate::documents::{NESTED_CONVERTED, json_at, name};
    use serde_json::json;
    use zarrs::filesystem::FilesystemStore;

    fn nested_folder() -> (tempfile::TempDir, Arc<FilesystemStore>) {
        let folder = tempfile::tempdir().unwrap();
        let store = FilesystemStore::new(folder.path()).unwrap().sorted();
        fill(&store, &nested());
        (folder, Arc::new(store))
    }

    #[test]
    fn on_a_folder_nothing_is_left_aside_and_an_old_leftover_does_no_harm() {
        let (folder, store) = nested_folder();
        std::fs::write(folder.path().join("a/zarr.json.tmp"), "{\"zarr_for").unwrap();
        let report = add_zarr_metadata(&store, &InPlaceOptions::new(), |_| {}).unwrap();
        assert_eq!(lines(&report), NESTED_CONVERTED);
        let keys = store.list().unwrap();
        assert_eq!(keys.len(), nested().len() + 7 + 1);
        let aside: Vec<_> = keys
            .iter()
            .filter(|key| name(key).contains(".tmp"))
            .collect();
        assert_eq!(aside, [&key("a/zarr.json.tmp")]);
        assert_eq!(store.get(aside[0]).unwrap().unwrap(), "{\"zarr_for");
        assert_eq!(
            json_at(&store, "a/zarr.json")["attributes"],
            json!({"pixelResolution": [4.0, 4.0]})
        );
    }

    #[test]
    fn the_converted_folder_opens_in_plain_zarrs() {
        let (_folder, store) = nested_folder();
        add_zarr_metadata(&store, &InPlaceOptions::new(), |_| {}).unwrap();
        let tree = zarrs::node::Node::open(&store, "/")
            .unwrap()
            .hierarchy_tree();
        assert_eq!(
            tree,
            "/\n  a\n    b\n      0\n        ds [3, 2] uint8\n      ds [3, 2] uint8\n  top [3, 2] uint8\n"
        );
    }
}
