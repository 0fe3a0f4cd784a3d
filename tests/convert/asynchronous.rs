//! The asynchronous conversion with the dimensions backwards and with OME-Zarr: it writes what the
//! synchronous one does, and what it wrote reads element by element.

use std::collections::BTreeMap;
use std::sync::Arc;

use zarrs::array::{Array, ArraySubset, data_type};
use zarrs_interop::n5::{
    Compression, DimensionOrder, InPlaceOptions, N5DefaultStore, RegionReader, add_zarr_metadata,
    array_builder, async_add_zarr_metadata,
};
use zarrs_storage::store::{AsyncMemoryStore, MemoryStore};
use zarrs_storage::{
    AsyncListableStorageTraits, AsyncReadableStorageTraits, AsyncWritableStorageTraits, Bytes,
    StoreKey, WritableStorageTraits,
};

use crate::documents::{contents, json_at};
use crate::hierarchies::key;

/// The levels in (x, y, z), with their blocks.
const LEVELS: [(&str, [u64; 3], [u64; 3]); 2] =
    [("v/s0", [9, 7, 5], [4, 3, 2]), ("v/s1", [5, 4, 5], [2; 3])];

/// The element at (x, y, z) of the level with this path.
fn element(path: &str, [x, y, z]: [u64; 3]) -> u16 {
    let level = if path.ends_with("s1") { 10_000 } else { 1 };
    u16::try_from(level + (x * 11 + y) * 13 + z).unwrap()
}

/// A pyramid as n5-viewer writes it.
fn pyramid() -> MemoryStore {
    let memory = Arc::new(MemoryStore::new());
    let store = Arc::new(N5DefaultStore::new(memory.clone()));
    for (path, shape, block) in LEVELS {
        let path = format!("/{path}");
        let builder = array_builder(
            shape.to_vec(),
            block,
            data_type::uint16(),
            &Compression::Raw,
        );
        let array = builder.unwrap().build(store.clone(), &path).unwrap();
        array.store_metadata().unwrap();
        let [nx, ny, nz] = shape;
        let xy = (0..nx).flat_map(|x| (0..ny).map(move |y| (x, y)));
        let elements: Vec<u16> = xy
            .flat_map(|(x, y)| (0..nz).map(move |z| [x, y, z]))
            .map(|at| element(&path, at))
            .collect();
        array
            .store_array_subset(&array.subset_all(), &elements)
            .unwrap();
    }
    // A block that is missing reads as fill value.
    memory.erase(&key("v/s0/1/0/2")).unwrap();
    let viewer = r#"{"scales":[[1,1,1],[2,2,1]],"pixelResolution":{"unit":"nm","dimensions":[4,4,40]},
        "multiscales":[{"version":"0.1"}]}"#;
    for (at, document) in [
        ("attributes.json", r#"{"n5":"4.0.0"}"#),
        ("v/attributes.json", viewer),
    ] {
        memory.set(&key(at), document.into()).unwrap();
    }
    drop(store);
    Arc::into_inner(memory).unwrap()
}

async fn copy(entries: &BTreeMap<StoreKey, Bytes>) -> Arc<AsyncMemoryStore> {
    let store = AsyncMemoryStore::new();
    for (key, value) in entries {
        store.set(key, value.clone()).await.unwrap();
    }
    Arc::new(store)
}

async fn async_contents(store: &AsyncMemoryStore) -> BTreeMap<StoreKey, Bytes> {
    let mut contents = BTreeMap::new();
    for key in store.list().await.unwrap() {
        let value = store.get(&key).await.unwrap().unwrap();
        contents.insert(key, value);
    }
    contents
}

fn options() -> impl Iterator<Item = (DimensionOrder, bool, InPlaceOptions)> {
    [DimensionOrder::AsStored, DimensionOrder::Reversed]
        .into_iter()
        .flat_map(|order| [(order, false), (order, true)])
        .map(|(order, ome)| {
            let options = InPlaceOptions::new().with_dimension_order(order);
            (order, ome, options.with_ome(ome))
        })
}

#[tokio::test]
async fn documents_and_reports_are_those_of_the_synchronous_conversion() {
    for (order, ome, options) in options() {
        let sync = pyramid();
        let twin = copy(&contents(&sync)).await;
        let case = format!("{order:?}, {ome}");
        for run in 0..2 {
            let expected = add_zarr_metadata(&sync, &options, |_| {}).unwrap();
            let found = async_add_zarr_metadata(&twin, &options, |_| {})
                .await
                .unwrap();
            assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{case}");
            let unchanged = if run == 0 { 0 } else { 4 };
            assert_eq!(found.unchanged(), unchanged, "{case}");
            assert_eq!(found.pyramids().len(), usize::from(ome), "{case}");
            assert_eq!(async_contents(&twin).await, contents(&sync), "{case}");
        }
        // That the two are equal says nothing if neither does what it is asked for.
        let group = json_at(&sync, "v/zarr.json");
        assert_eq!(group["attributes"].get("ome").is_some(), ome, "{case}");
        let shape = json_at(&sync, "v/s0/zarr.json")["shape"].to_string();
        let is_reversed = order == DimensionOrder::Reversed;
        assert_eq!(shape, if is_reversed { "[5,7,9]" } else { "[9,7,5]" });
    }
}

#[tokio::test]
async fn another_order_is_replaced_only_when_told_as_by_the_synchronous_conversion() {
    let sync = pyramid();
    let twin = copy(&contents(&sync)).await;
    let mut all: Vec<_> = options().map(|(_, _, options)| options).collect();
    let overwriting = all.clone().into_iter();
    let overwriting: Vec<_> = overwriting
        .map(|options| options.with_overwrite(true))
        .collect();
    all.extend(overwriting);
    for options in all {
        let expected = add_zarr_metadata(&sync, &options, |_| {}).unwrap();
        let found = async_add_zarr_metadata(&twin, &options, |_| {})
            .await
            .unwrap();
        assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{options:?}");
        assert_eq!(async_contents(&twin).await, contents(&sync), "{options:?}");
    }
}

#[tokio::test]
async fn every_element_is_where_the_order_says() {
    for (order, ome, options) in options() {
        let twin = copy(&contents(&pyramid())).await;
        async_add_zarr_metadata(&twin, &options, |_| {})
            .await
            .unwrap();
        for (path, [nx, ny, nz], _) in LEVELS {
            let case = format!("{order:?}, {ome}, {path}");
            let array = Array::async_open(twin.clone(), &format!("/{path}"))
                .await
                .unwrap();
            let is_reversed = order == DimensionOrder::Reversed;
            let expected = |at: [u64; 3]| {
                let is_missing =
                    path == "v/s0" && (4..8).contains(&at[0]) && at[1] < 3 && at[2] >= 4;
                if is_missing { 0 } else { element(path, at) }
            };
            let whole: Vec<u16> = array
                .async_retrieve_array_subset(&array.subset_all())
                .await
                .unwrap();
            let reader = RegionReader::new(&array).unwrap();
            let read: Vec<u16> = reader.async_read(&array.subset_all()).await.unwrap();
            assert_eq!(read, whole, "{case}");
            let mut whole = whole.into_iter();
            let shape = if is_reversed {
                [nz, ny, nx]
            } else {
                [nx, ny, nz]
            };
            assert_eq!(array.shape(), shape, "{case}");
            for a in 0..shape[0] {
                for b in 0..shape[1] {
                    for c in 0..shape[2] {
                        let at = if is_reversed { [c, b, a] } else { [a, b, c] };
                        assert_eq!(whole.next(), Some(expected(at)), "{case} {at:?}");
                    }
                }
            }
            // A part, across blocks.
            let ranges: Vec<_> = shape.iter().map(|len| 1..len - 1).collect();
            let part = ArraySubset::new_with_ranges(&ranges);
            let found: Vec<u16> = array.async_retrieve_array_subset(&part).await.unwrap();
            let at = |a, b, c| if is_reversed { [c, b, a] } else { [a, b, c] };
            let mut found = found.into_iter();
            for a in 1..shape[0] - 1 {
                for b in 1..shape[1] - 1 {
                    for c in 1..shape[2] - 1 {
                        assert_eq!(found.next(), Some(expected(at(a, b, c))), "{case}");
                    }
                }
            }
            assert_eq!(found.next(), None, "{case}");
        }
    }
}
