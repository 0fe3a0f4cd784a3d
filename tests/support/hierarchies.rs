//! N5 hierarchies for tests: a fixed one, and random ones.
#![allow(
    dead_code,
    reason = "shared by several test programs, and none needs all of it"
)]

use proptest::prelude::*;
use zarrs_storage::{Bytes, StoreKey, WritableStorageTraits};

pub(crate) const DATASET: &str = r#"{"dimensions":[3,2],"blockSize":[3,2],"dataType":"uint8","compression":{"type":"raw"},"unit":"nm"}"#;
pub(crate) const UNSUPPORTED: &str =
    r#"{"dimensions":[3,2],"blockSize":[3,2],"dataType":"uint8","compression":{"type":"jpeg"}}"#;
pub(crate) const GROUP: &str = r#"{"pixelResolution":[4.0,4.0]}"#;
pub(crate) const BLOCK: &[u8] =
    b"\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x02\x01\x02\x03\x04\x05\x06";

pub(crate) fn key(key: &str) -> StoreKey {
    StoreKey::new(key).unwrap()
}

/// `/` and `/a` are groups, `/a/b` and `/a/b/0` are groups without a document, `/a/b/ds`,
/// `/a/b/0/ds` and `/top` are datasets.
pub(crate) fn nested() -> Vec<(StoreKey, Bytes)> {
    let documents = [
        ("attributes.json", r#"{"n5":"4.0.0"}"#),
        ("a/attributes.json", GROUP),
        ("a/b/ds/attributes.json", DATASET),
        ("a/b/0/ds/attributes.json", DATASET),
        ("top/attributes.json", DATASET),
    ];
    let blocks = ["a/b/ds/0/0", "a/b/0/ds/0/0", "top/0/0"];
    let documents = documents.map(|(at, value)| (key(at), Bytes::from(value)));
    let blocks = blocks.map(|at| (key(at), Bytes::from_static(BLOCK)));
    documents.into_iter().chain(blocks).collect()
}

/// Fills `store` with `entries`.
pub(crate) fn fill(store: &impl WritableStorageTraits, entries: &[(StoreKey, Bytes)]) {
    for (key, value) in entries {
        store.set(key, value.clone()).unwrap();
    }
}

/// Any mixture of documents, good and bad, blocks and other keys, at few places so that they meet.
pub(crate) fn random() -> impl Strategy<Value = Vec<(StoreKey, Bytes)>> {
    let component = prop::sample::select(vec!["a", "ds", "0", "1", "c"]);
    let directory = prop::collection::vec(component, 0..4);
    let entry = prop::sample::select(vec![
        ("attributes.json", GROUP),
        ("attributes.json", DATASET),
        ("attributes.json", UNSUPPORTED),
        ("attributes.json", "{\"dimensions\":"),
        ("zarr.json", r#"{"zarr_format":3,"node_type":"group"}"#),
        ("zarr.json", r#"{"zarr_format":3,"node_type":"array"}"#),
        (".zarray", "{}"),
        ("my-zarr.json", "{}"),
        ("0", "block"),
        ("7", ""),
    ]);
    let entry = (directory, entry).prop_map(|(directory, (name, value))| {
        let components: Vec<_> = directory.into_iter().chain([name]).collect();
        (key(&components.join("/")), Bytes::from(value))
    });
    prop::collection::vec(entry, 0..12).prop_map(|entries| without_files_above_files(&entries))
}

/// Takes out the keys that are also a directory of another key: no file system has those.
fn without_files_above_files(entries: &[(StoreKey, Bytes)]) -> Vec<(StoreKey, Bytes)> {
    let is_directory = |key: &StoreKey| {
        let prefix = key.to_prefix();
        entries.iter().any(|(other, _)| other.has_prefix(&prefix))
    };
    let kept = entries.iter().filter(|(key, _)| !is_directory(key));
    kept.cloned().collect()
}
