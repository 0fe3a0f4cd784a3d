//! Over an asynchronous store every region reads, and every part is written, as over a synchronous
//! one.

use std::sync::Arc;

use zarrs::array::{Array, ArraySubset, CodecOptions};
use zarrs::storage::store::AsyncMemoryStore;
use zarrs::storage::{AsyncWritableStorageTraits, StoreKey};

use crate::careless_array::{SHAPE, array_json, entries, expected, grids, n5_default, regions};
use crate::oracle::{self, for_each_position};

async fn store(grid: &str, compressor: &str) -> Arc<AsyncMemoryStore> {
    let store = AsyncMemoryStore::new();
    for (key, value) in entries(grid, compressor) {
        store.set(&key, value).await.unwrap();
    }
    Arc::new(store)
}

#[tokio::test]
async fn every_region_on_every_grid() {
    for grid in grids() {
        for compressor in oracle::COMPRESSORS {
            let array = Array::async_open(store(&grid, compressor).await, "/")
                .await
                .unwrap();
            for (region, expected) in regions() {
                let found: Vec<u16> = array.async_retrieve_array_subset(&region).await.unwrap();
                assert_eq!(found, expected, "{grid} {compressor} {region}");
            }
        }
    }
}

#[tokio::test]
async fn a_part_is_written_in_place_and_not() {
    let grid = r#"{"name":"regular","configuration":{"chunk_shape":[4,4,4]}}"#;
    let written = ArraySubset::new_with_ranges(&[2..6, 1..5, 0..2]);
    for compressor in oracle::COMPRESSORS {
        for in_place in [false, true] {
            let store = Arc::new(AsyncMemoryStore::new());
            let json = array_json(grid, &n5_default(compressor));
            store
                .set(&StoreKey::new("zarr.json").unwrap(), json.into())
                .await
                .unwrap();
            let array = Array::async_open(store, "/").await.unwrap();
            let mut elements = Vec::new();
            for_each_position(&SHAPE, |position| elements.push(expected(position)));
            array
                .async_store_array_subset(&array.subset_all(), &elements)
                .await
                .unwrap();
            let options = CodecOptions::default().with_experimental_partial_encoding(in_place);
            array
                .async_store_array_subset_opt(&written, &[5u16; 32], &options)
                .await
                .unwrap();

            let mut changed = Vec::new();
            for_each_position(&SHAPE, |position| {
                changed.push(if written.contains(position) {
                    5
                } else {
                    expected(position)
                });
            });
            let found: Vec<u16> = array
                .async_retrieve_array_subset(&array.subset_all())
                .await
                .unwrap();
            assert_eq!(found, changed, "{compressor} in place {in_place}");
        }
    }
}
