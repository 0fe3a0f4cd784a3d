//! A view with reversed dimensions shows, reads and writes the same datasets as the view as stored.

use std::sync::Arc;

use zarrs::array::{Array, ArraySubset, CodecOptions, data_type};
use zarrs::storage::store::MemoryStore;
use zarrs::storage::{ReadableStorageTraits, StoreKey, WritableStorageTraits};
use zarrs_interop::n5::{Compression, DimensionOrder, N5DefaultStore, RegionReader, array_builder};

use crate::careless_array::{BLOCK, SHAPE, entries, expected, grids};
use crate::oracle::{for_each_position, index};

/// Compressions of N5 and the codecs that the blocks of the careless array are compressed with.
const COMPRESSIONS: &[(&str, &str)] = &[
    (r#"{"type":"raw"}"#, ""),
    #[cfg(feature = "gzip")]
    (
        r#"{"type":"gzip"}"#,
        r#"{"name":"gzip","configuration":{"level":5}}"#,
    ),
];

fn key(key: &str) -> StoreKey {
    StoreKey::new(key).unwrap()
}

/// The careless array as an N5 dataset. Its fill value is that of N5, 0.
fn dataset((compression, codec): (&str, &str)) -> Arc<MemoryStore> {
    let store = MemoryStore::new();
    for (key, value) in entries(&grids()[0], codec) {
        if key.as_str() != "zarr.json" {
            store.set(&key, value).unwrap();
        }
    }
    let attributes = format!(
        r#"{{"n5":"2.0.0","dimensions":{SHAPE:?},"blockSize":{BLOCK:?},"dataType":"uint16",
            "compression":{compression},"axes":["x","y","z"],"resolution":[4.0,8.0,2.5]}}"#
    );
    store
        .set(&key("attributes.json"), attributes.into())
        .unwrap();
    Arc::new(store)
}

type View = N5DefaultStore<Arc<MemoryStore>>;

fn open(store: &Arc<MemoryStore>, order: DimensionOrder) -> Array<View> {
    let view = N5DefaultStore::new(Arc::clone(store)).with_dimension_order(order);
    Array::open(Arc::new(view), "/").unwrap()
}

fn backwards<T: Clone>(entries: &[T]) -> Vec<T> {
    entries.iter().rev().cloned().collect()
}

/// The elements of an array of `shape` in C order of its dimensions backwards.
fn transposed(elements: &[u16], shape: &[u64]) -> Vec<u16> {
    let mut out = Vec::new();
    for_each_position(&backwards(shape), |position| {
        out.push(elements[index(shape, &backwards(position))]);
    });
    out
}

fn reversed(subset: &ArraySubset) -> ArraySubset {
    ArraySubset::new_with_ranges(&backwards(&subset.to_ranges()))
}

fn all_elements() -> Vec<u16> {
    let mut elements = Vec::new();
    for_each_position(&SHAPE, |position| {
        // The fill value of N5 is 0, where the careless array has another.
        let value = expected(position);
        elements.push(if value == 9 { 0 } else { value });
    });
    elements
}

#[test]
fn the_array_has_the_dimensions_backwards_and_the_attributes_as_they_are() {
    let array = open(&dataset(COMPRESSIONS[0]), DimensionOrder::Reversed);
    assert_eq!(array.shape(), backwards(&SHAPE));
    let names: Vec<_> = array.dimension_names().iter().flatten().flatten().collect();
    assert_eq!(names, ["z", "y", "x"]);
    let chunk: Vec<u64> = array
        .chunk_shape(&[0, 0, 0])
        .unwrap()
        .iter()
        .map(|len| len.get())
        .collect();
    assert_eq!(chunk, backwards(&BLOCK));
    assert_eq!(array.chunk_key(&[1, 2, 3]).as_str(), "3/2/1");
    assert_eq!(
        array.attributes().get("resolution").unwrap().to_string(),
        "[4.0,8.0,2.5]"
    );
}

#[test]
fn every_region_reads_as_the_transposed_one() {
    for &compression in COMPRESSIONS {
        let store = dataset(compression);
        let (stored, view) = (
            open(&store, DimensionOrder::AsStored),
            open(&store, DimensionOrder::Reversed),
        );
        let mut regions = vec![
            ArraySubset::new_with_shape(SHAPE.to_vec()),
            ArraySubset::new_with_ranges(&[1..6, 1..4, 1..3]),
            ArraySubset::new_with_ranges(&[0..7, 2..3, 0..4]),
            ArraySubset::new_with_ranges(&[5..5, 0..5, 0..4]),
        ];
        for_each_position(&SHAPE, |position| {
            regions.push(ArraySubset::new_with_start_shape(position.to_vec(), vec![1; 3]).unwrap());
        });
        for region in regions {
            let elements: Vec<u16> = stored.retrieve_array_subset(&region).unwrap();
            let found: Vec<u16> = view.retrieve_array_subset(&reversed(&region)).unwrap();
            assert_eq!(found, transposed(&elements, region.shape()), "{region}");

            let reader = RegionReader::new(&view).unwrap();
            assert_eq!(
                reader.read::<u16>(&reversed(&region)).unwrap(),
                found,
                "{region}"
            );
            let reader = reader.with_dimension_order(DimensionOrder::Reversed);
            assert_eq!(
                reader.read::<u16>(&reversed(&region)).unwrap(),
                elements,
                "{region}"
            );
        }
        let all: Vec<u16> = stored.retrieve_array_subset(&stored.subset_all()).unwrap();
        assert_eq!(all, all_elements());
    }
}

#[test]
fn what_is_written_through_the_view_is_read_as_stored() {
    let parts = [
        // Whole chunks, a part of each chunk, one element.
        ArraySubset::new_with_ranges(&[3..6, 0..4, 0..4]),
        ArraySubset::new_with_ranges(&[1..7, 1..5, 1..3]),
        ArraySubset::new_with_ranges(&[2..3, 3..4, 1..2]),
    ];
    for &compression in COMPRESSIONS {
        for in_place in [false, true] {
            for part in &parts {
                let store = dataset(compression);
                let view = open(&store, DimensionOrder::Reversed);
                let len = part.num_elements_usize();
                let new: Vec<u16> = (0..len).map(|i| 5000 + u16::try_from(i).unwrap()).collect();
                let options = CodecOptions::default().with_experimental_partial_encoding(in_place);
                view.store_array_subset_opt(&reversed(part), &new, &options)
                    .unwrap();

                let mut expected = all_elements();
                let written = transposed(&new, &backwards(part.shape()));
                for_each_position(part.shape(), |position| {
                    let at: Vec<u64> = std::iter::zip(part.start(), position)
                        .map(|(a, b)| a + b)
                        .collect();
                    expected[index(&SHAPE, &at)] = written[index(part.shape(), position)];
                });
                let stored = open(&store, DimensionOrder::AsStored);
                let found: Vec<u16> = stored.retrieve_array_subset(&stored.subset_all()).unwrap();
                assert_eq!(found, expected, "{part}, in place {in_place}");
            }
        }
    }
}

#[test]
fn blocks_written_in_either_order_are_the_same_bytes() {
    for &compression in COMPRESSIONS {
        let containers = [DimensionOrder::AsStored, DimensionOrder::Reversed].map(|order| {
            let store = dataset(compression);
            let array = open(&store, order);
            let elements = match order {
                DimensionOrder::AsStored => all_elements(),
                DimensionOrder::Reversed => transposed(&all_elements(), &SHAPE),
            };
            array
                .store_array_subset(&array.subset_all(), &elements)
                .unwrap();
            store
        });
        for name in ["0/0/0", "2/2/1", "1/1/0"] {
            let [stored, reversed] = &containers;
            assert_eq!(
                stored.get(&key(name)).unwrap(),
                reversed.get(&key(name)).unwrap(),
                "{name}"
            );
        }
    }
}

#[test]
fn metadata_stored_through_the_view_is_that_of_n5() {
    let store = dataset(COMPRESSIONS[0]);
    let before = store.get(&key("attributes.json")).unwrap();
    let mut array = open(&store, DimensionOrder::Reversed);
    array.store_metadata().unwrap();
    assert_eq!(store.get(&key("attributes.json")).unwrap(), before);

    array
        .attributes_mut()
        .insert("note".to_owned(), "new".into());
    array.set_shape(vec![4, 5, 9]).unwrap();
    array.store_metadata().unwrap();
    let stored = open(&store, DimensionOrder::AsStored);
    assert_eq!(stored.shape(), [9, 5, 4]);
    let names: Vec<_> = stored
        .dimension_names()
        .iter()
        .flatten()
        .flatten()
        .collect();
    assert_eq!(names, ["x", "y", "z"]);
    assert_eq!(stored.attributes().get("note").unwrap(), "new");
}

#[test]
fn an_array_built_as_stored_is_shown_reversed_when_it_is_opened_again() {
    let store = Arc::new(MemoryStore::new());
    let view =
        N5DefaultStore::new(Arc::clone(&store)).with_dimension_order(DimensionOrder::Reversed);
    let view = Arc::new(view);
    let array = array_builder([3, 2], [2, 2], data_type::uint16(), &Compression::Raw).unwrap();
    let array = array.build(Arc::clone(&view), "/a").unwrap();
    array.store_metadata().unwrap();
    array
        .store_array_subset(&array.subset_all(), &[1_u16, 2, 3, 4, 5, 6])
        .unwrap();

    let array = Array::open(view, "/a").unwrap();
    assert_eq!(array.shape(), [2, 3]);
    let found: Vec<u16> = array.retrieve_array_subset(&array.subset_all()).unwrap();
    assert_eq!(found, [1, 3, 5, 2, 4, 6]);
}

#[test]
fn reversed_arrays_with_other_keys_are_refused() {
    let store = dataset(COMPRESSIONS[0]);
    let view =
        N5DefaultStore::new(Arc::clone(&store)).with_dimension_order(DimensionOrder::Reversed);
    let zarr = view.get(&key("zarr.json")).unwrap().unwrap();
    let zarr = String::from_utf8(zarr.to_vec()).unwrap();
    let wrong = zarr.replace("zarrs_interop.n5_reversed_keys", "default");
    assert_ne!(zarr, wrong);
    let error = view
        .set(&key("zarr.json"), wrong.into())
        .unwrap_err()
        .to_string();
    assert!(error.contains("chunk_key_encoding"), "{error}");
    assert!(error.contains("zarrs_interop.n5_reversed_keys"), "{error}");
}

#[cfg(feature = "async")]
#[tokio::test]
async fn an_asynchronous_view_reads_the_same() {
    use zarrs::storage::AsyncWritableStorageTraits;
    use zarrs::storage::store::AsyncMemoryStore;

    for &compression in COMPRESSIONS {
        let store = AsyncMemoryStore::new();
        for (key, value) in entries(&grids()[0], compression.1) {
            store.set(&key, value).await.unwrap();
        }
        let attributes = dataset(compression)
            .get(&key("attributes.json"))
            .unwrap()
            .unwrap();
        store
            .set(&key("attributes.json"), attributes)
            .await
            .unwrap();
        let view = N5DefaultStore::new(store).with_dimension_order(DimensionOrder::Reversed);
        let array = Array::async_open(Arc::new(view), "/").await.unwrap();
        for region in [
            array.subset_all(),
            ArraySubset::new_with_ranges(&[1..3, 1..4, 1..6]),
        ] {
            let all = transposed(&all_elements(), &SHAPE);
            let mut expected = Vec::new();
            for_each_position(region.shape(), |position| {
                let at: Vec<u64> = std::iter::zip(region.start(), position)
                    .map(|(a, b)| a + b)
                    .collect();
                expected.push(all[index(array.shape(), &at)]);
            });
            let found: Vec<u16> = array.async_retrieve_array_subset(&region).await.unwrap();
            assert_eq!(found, expected);
            let reader = RegionReader::new(&array).unwrap();
            assert_eq!(reader.async_read::<u16>(&region).await.unwrap(), expected);
        }
        let elements = vec![7_u16; 140];
        array
            .async_store_array_subset(&array.subset_all(), &elements)
            .await
            .unwrap();
        let found: Vec<u16> = array
            .async_retrieve_array_subset(&array.subset_all())
            .await
            .unwrap();
        assert_eq!(found, elements);
    }
}
