//! Documents are read or refused, in both directions, and what was read and stored again changes
//! nothing.
//!
//! The input is one document, or two with a NUL between: a `zarr.json` and the `attributes.json`
//! that is there.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use zarrs::array::Array;
use zarrs::group::Group;
use zarrs_interop::n5::convert::{ChunkGrid, attributes_to_zarr, is_dataset, zarr_to_attributes};
use zarrs_interop::n5::{N5DefaultStore, N5Metadata};
use zarrs_storage::store::MemoryStore;
use zarrs_storage::{ReadableStorageTraits, StoreKey, WritableStorageTraits};

const PATH: &str = "/a";

/// zarrs opens the node that a document describes.
fn open(attributes: &[u8], is_dataset: bool) {
    let store = MemoryStore::new();
    let key = StoreKey::new("a/attributes.json").unwrap();
    store.set(&key, attributes.to_vec().into()).unwrap();
    let store = Arc::new(N5DefaultStore::new(store));
    if is_dataset {
        Array::open(store, PATH).unwrap();
    } else {
        Group::open(store, PATH).unwrap();
    }
}

fn n5_to_zarr_to_n5(attributes: &[u8]) {
    let parsed = N5Metadata::parse(attributes, PATH);
    for grid in [ChunkGrid::RegularBounded, ChunkGrid::Regular] {
        let zarr = attributes_to_zarr(attributes, PATH, grid);
        assert_eq!(zarr.is_ok(), parsed.is_ok());
        let Ok(zarr) = zarr else { continue };
        let is_dataset = is_dataset(attributes, PATH).unwrap();
        open(attributes, is_dataset);
        let changes = zarr_to_attributes(&zarr, Some(attributes), PATH).unwrap();
        assert_eq!(changes, None);
        let fresh = zarr_to_attributes(&zarr, None, PATH).unwrap().unwrap();
        let again = attributes_to_zarr(&fresh, PATH, grid).unwrap();
        assert!(
            zarr_to_attributes(&again, Some(&fresh), PATH)
                .unwrap()
                .is_none()
        );
    }
}

fn zarr_to_n5_to_zarr(zarr: &[u8], existing: Option<&[u8]>) {
    let Ok(Some(attributes)) = zarr_to_attributes(zarr, existing, PATH) else {
        return;
    };
    let again = zarr_to_attributes(zarr, Some(&attributes), PATH).unwrap();
    assert_eq!(again, None, "{}", String::from_utf8_lossy(&attributes));
    n5_to_zarr_to_n5(&attributes);
}

/// The same through the store: what cannot be stored leaves the old document.
fn set_and_get(zarr: &[u8], existing: &[u8]) {
    let store = N5DefaultStore::new(MemoryStore::new());
    let attributes_key = StoreKey::new("a/attributes.json").unwrap();
    let zarr_key = StoreKey::new("a/zarr.json").unwrap();
    store
        .set(&attributes_key, existing.to_vec().into())
        .unwrap();
    if store.set(&zarr_key, zarr.to_vec().into()).is_err() {
        assert_eq!(*store.get(&attributes_key).unwrap().unwrap(), *existing);
        return;
    }
    let shown = store.get(&zarr_key).unwrap().unwrap();
    assert_eq!(store.size_key(&zarr_key).unwrap(), Some(shown.len() as u64));
}

fuzz_target!(|input: &[u8]| {
    let mut documents = input.splitn(2, |&byte| byte == 0);
    let first = documents.next().unwrap_or_default();
    n5_to_zarr_to_n5(first);
    match documents.next() {
        None => zarr_to_n5_to_zarr(first, None),
        Some(existing) => {
            zarr_to_n5_to_zarr(first, Some(existing));
            set_and_get(first, existing);
        }
    }
});
