//! The same over asynchronous stores.
use zarrs::storage::AsyncWritableStorageTraits;
use zarrs::storage::store::AsyncMemoryStore;

use super::*;

async fn careless(grid: &str, compressor: &str) -> Array<AsyncMemoryStore> {
    let store = AsyncMemoryStore::new();
    for (key, value) in entries(grid, compressor) {
        store.set(&key, value).await.unwrap();
    }
    Array::async_open(Arc::new(store), "/").await.unwrap()
}

#[tokio::test]
async fn a_careless_array_reads_the_same_in_both_orders() {
    for grid in n5_grids() {
        for compressor in oracle::COMPRESSORS {
            let array = careless(&grid, compressor).await;
            for order in [DimensionOrder::AsStored, DimensionOrder::Reversed] {
                let reader = RegionReader::new(&array).unwrap();
                let reader = reader.with_dimension_order(order).with_concurrency(4);
                for (region, mut expected) in regions() {
                    if order == DimensionOrder::Reversed {
                        expected = transposed(&expected, region.shape());
                    }
                    let found: Vec<u16> = reader.async_read(&region).await.unwrap();
                    assert_eq!(found, expected, "{grid} {compressor} {region}");
                }
            }
        }
    }
}

#[tokio::test]
async fn reads_can_be_spawned() {
    let array = careless(&grids()[0], "").await;
    let read = tokio::spawn(async move {
        let reader = RegionReader::new(&array).unwrap();
        reader.async_read::<u16>(&array.subset_all()).await.unwrap()
    });
    assert_eq!(read.await.unwrap(), regions().swap_remove(0).1);
}

#[tokio::test]
async fn corrupt_and_missing_blocks_are_told() {
    let array = careless(&grids()[0], "").await;
    let key = StoreKey::new("1/0/0").unwrap();
    array.storage().set(&key, vec![0; 3].into()).await.unwrap();
    let reader = RegionReader::new(&array).unwrap();
    let error = reader.async_read::<u16>(&array.subset_all()).await;
    let error = error.unwrap_err().to_string();
    let start = "array /: block [1, 0, 0] at key 1/0/0: N5 block: ";
    assert!(error.starts_with(start), "{error}");

    let reader = reader
        .with_errors(BlockErrors::Collect)
        .with_missing(MissingBlocks::Error);
    let mut out = vec![0_u16; 140];
    let summary = reader.async_read_into(&array.subset_all(), &mut out).await;
    let summary = summary.unwrap();
    let positions: Vec<_> = summary
        .failures
        .iter()
        .map(|failure| &failure.position)
        .collect();
    assert_eq!(positions, [&vec![0, 0, 1], &vec![1, 0, 0]]);
    assert_eq!(summary.blocks_read, 16);
}
