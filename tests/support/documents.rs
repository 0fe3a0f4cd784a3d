//! Stores with documents, and what a conversion in place made of them.
#![allow(
    dead_code,
    reason = "shared by several test programs, and none needs all of it"
)]

use std::collections::BTreeMap;

use serde_json::Value;
use zarrs_interop::n5::{InPlaceOptions, InPlaceReport, add_zarr_metadata};
use zarrs_storage::{
    Bytes, ListableStorageTraits, ReadableStorageTraits, StoreKey, WritableStorageTraits,
    store::MemoryStore,
};

use crate::hierarchies::{fill, key, nested};

/// What a conversion of [`nested`] to Zarr reports.
pub(crate) const NESTED_CONVERTED: [&str; 7] = [
    "/: converted",
    "/a: converted",
    "/a/b: converted",
    "/a/b/0: converted",
    "/a/b/0/ds: converted",
    "/a/b/ds: converted",
    "/top: converted",
];

pub(crate) fn memory(entries: &[(&str, &str)]) -> MemoryStore {
    let store = MemoryStore::new();
    for (at, value) in entries {
        store.set(&key(at), Bytes::from(value.to_string())).unwrap();
    }
    store
}

pub(crate) fn nested_memory() -> MemoryStore {
    let store = MemoryStore::new();
    fill(&store, &nested());
    store
}

pub(crate) fn contents(
    store: &(impl ReadableStorageTraits + ListableStorageTraits),
) -> BTreeMap<StoreKey, Bytes> {
    let keys = store.list().unwrap().into_iter();
    keys.map(|key| (key.clone(), store.get(&key).unwrap().unwrap()))
        .collect()
}

pub(crate) fn json_at(store: &impl ReadableStorageTraits, at: &str) -> Value {
    serde_json::from_slice(&store.get(&key(at)).unwrap().unwrap()).unwrap()
}

pub(crate) fn to_zarr(store: &MemoryStore) -> InPlaceReport {
    add_zarr_metadata(store, &InPlaceOptions::new(), |_| {}).unwrap()
}

pub(crate) fn lines(report: &InPlaceReport) -> Vec<String> {
    report.nodes().iter().map(ToString::to_string).collect()
}

pub(crate) fn name(key: &StoreKey) -> &str {
    key.as_str().rsplit('/').next().unwrap()
}

pub(crate) fn is_document(key: &StoreKey) -> bool {
    ["zarr.json", "attributes.json"].contains(&name(key))
}
