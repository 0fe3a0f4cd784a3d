//! Conversion in place with the dimensions backwards: what is written, that it reads as the view of
//! the store does, and what becomes of documents in the other order.

use std::sync::Arc;

use serde_json::json;
use zarrs::array::{Array, ArraySubset, data_type};
use zarrs_interop::n5::{
    Compression, DimensionOrder, InPlaceOptions, InPlaceReport, N5DefaultStore, RegionReader,
    add_n5_metadata, add_zarr_metadata, array_builder,
};
use zarrs_storage::{ReadableStorageTraits, WritableStorageTraits, store::MemoryStore};

use crate::documents::{contents, json_at, lines, memory, to_zarr};
use crate::hierarchies::{DATASET, key};

const ROOT: &str = r#"{"n5":"4.0.0"}"#;

fn reversed() -> InPlaceOptions {
    InPlaceOptions::new().with_dimension_order(DimensionOrder::Reversed)
}

fn convert(store: &MemoryStore, options: &InPlaceOptions) -> InPlaceReport {
    add_zarr_metadata(store, options, |_| {}).unwrap()
}

/// An N5 dataset `/a` whose elements are their numbers in C order.
fn dataset(shape: &[u64], block: &[u64], compression: &Compression) -> Arc<MemoryStore> {
    let memory = Arc::new(MemoryStore::new());
    let store = Arc::new(N5DefaultStore::new(memory.clone()));
    let array = array_builder(shape.to_vec(), block, data_type::uint16(), compression)
        .unwrap()
        .dimension_names(Some((0..shape.len()).map(|number| format!("d{number}"))))
        .attributes(
            json!({"resolution": [4, 5, 6]})
                .as_object()
                .unwrap()
                .clone(),
        )
        .build(store, "/a")
        .unwrap();
    array.store_metadata().unwrap();
    let count = u16::try_from(shape.iter().product::<u64>()).unwrap();
    let elements: Vec<u16> = (0..count).collect();
    array
        .store_array_subset(&array.subset_all(), &elements)
        .unwrap();
    memory
}

fn compressions() -> Vec<Compression> {
    let mut all = vec![Compression::Raw];
    if cfg!(feature = "gzip") {
        all.push(Compression::gzip());
    }
    all
}

#[test]
fn the_dimensions_are_said_backwards_by_published_extensions() {
    let store = dataset(&[5, 3, 7], &[2, 3, 4], &Compression::Raw);
    assert_eq!(
        lines(&convert(&store, &reversed())).last().unwrap(),
        "/a: converted"
    );
    let array = json_at(&store, "a/zarr.json");
    assert_eq!(array["shape"], json!([7, 3, 5]));
    assert_eq!(
        array["chunk_grid"],
        json!({"name": "regular", "configuration": {"chunk_shape": [4, 3, 2]}})
    );
    assert_eq!(
        array["chunk_key_encoding"],
        json!({"name": "template", "configuration": {"format": "{2}/{1}/{0}"}})
    );
    let reverse = json!({"name": "transpose", "configuration": {"order": [2, 1, 0]}});
    assert_eq!(array["codecs"][0], reverse);
    assert_eq!(array["codecs"][1]["name"], "n5_default");
    assert_eq!(array["codecs"][1]["configuration"]["codecs"][0], reverse);
    assert_eq!(array["codecs"].as_array().unwrap().len(), 2);
    assert_eq!(array["dimension_names"], json!(["d2", "d1", "d0"]));
    assert_eq!(array["attributes"]["resolution"], json!([4, 5, 6]));
}

#[test]
fn every_region_reads_as_in_the_view_of_the_store() {
    for compression in compressions() {
        for (shape, block) in [(&[5, 3, 7][..], &[2, 3, 4][..]), (&[6, 9], &[4, 4])] {
            let memory = dataset(shape, block, &compression);
            // A block that is missing, and those at the edges end with the array.
            let first = vec!["0"; shape.len()].join("/");
            memory.erase(&key(&format!("a/{first}"))).unwrap();
            convert(&memory, &reversed());

            let published = Array::open(memory.clone(), "/a").unwrap();
            let view = N5DefaultStore::new(memory).with_dimension_order(DimensionOrder::Reversed);
            let view = Array::open(Arc::new(view), "/a").unwrap();
            assert_eq!(published.shape(), view.shape());
            let reader = RegionReader::new(&published).unwrap();
            let lens = view.shape().to_vec();
            let mut regions = vec![view.subset_all()];
            for start in 0..lens[0] {
                for (from, to) in [(0, 1), (1, lens[1]), (lens[1] - 1, lens[1])] {
                    let mut ranges: Vec<_> = lens.iter().map(|len| 1..*len).collect();
                    ranges[0] = start..lens[0].min(start + 3);
                    ranges[1] = from..to;
                    regions.push(ArraySubset::new_with_ranges(&ranges));
                }
            }
            for region in regions {
                let expected: Vec<u16> = view.retrieve_array_subset(&region).unwrap();
                let case = format!("{compression} {shape:?} {region}");
                let found: Vec<u16> = published.retrieve_array_subset(&region).unwrap();
                assert_eq!(found, expected, "{case}");
                let found: Vec<u16> = reader.read(&region).unwrap();
                assert_eq!(found, expected, "reader, {case}");
            }
        }
    }
}

/// By coordinates: the element at (z, y, x) is the one at (x, y, z).
#[test]
fn the_element_at_reversed_coordinates_is_the_same() {
    let memory = dataset(&[5, 3, 7], &[2, 3, 4], &Compression::Raw);
    convert(&memory, &reversed());
    let array = Array::open(memory, "/a").unwrap();
    let found: Vec<u16> = array.retrieve_array_subset(&array.subset_all()).unwrap();
    let mut found = found.into_iter();
    for z in 0..7 {
        for y in 0..3 {
            for x in 0..5 {
                assert_eq!(found.next(), Some((x * 3 + y) * 7 + z), "{z} {y} {x}");
            }
        }
    }
}

#[test]
fn what_is_written_through_the_published_form_is_there_in_the_n5() {
    for compression in compressions() {
        let memory = dataset(&[5, 3, 7], &[2, 3, 4], &compression);
        convert(&memory, &reversed());
        let published = Array::open(memory.clone(), "/a").unwrap();
        let region = ArraySubset::new_with_ranges(&[2..6, 0..2, 1..4]);
        let elements: Vec<u16> = (500..524).collect();
        published.store_array_subset(&region, &elements).unwrap();
        let stored = Array::open(Arc::new(N5DefaultStore::new(memory)), "/a").unwrap();
        let region = ArraySubset::new_with_ranges(&[1..4, 0..2, 2..6]);
        let found: Vec<u16> = stored.retrieve_array_subset(&region).unwrap();
        let mut found = found.into_iter();
        for x in 0..3 {
            for y in 0..2 {
                for z in 0..4 {
                    assert_eq!(found.next(), Some(500 + (z * 2 + y) * 3 + x), "{x} {y} {z}");
                }
            }
        }
    }
}

#[test]
fn less_than_two_dimensions_have_one_order() {
    for dimensions in ["[]", "[5]"] {
        let attributes = format!(
            r#"{{"dimensions":{dimensions},"blockSize":{},"dataType":"uint8","compression":{{"type":"raw"}}}}"#,
            dimensions.replace('5', "2")
        );
        let documents = [
            ("attributes.json", ROOT),
            ("a/attributes.json", &attributes),
        ];
        let (as_stored, backwards) = (memory(&documents), memory(&documents));
        let found = convert(&backwards, &reversed());
        assert_eq!(lines(&found), lines(&to_zarr(&as_stored)), "{dimensions}");
        assert_eq!(contents(&backwards), contents(&as_stored), "{dimensions}");
        // So either order finds it converted.
        assert_eq!(to_zarr(&backwards).converted(), 0, "{dimensions}");
    }
}

#[test]
fn a_second_run_in_the_same_order_changes_nothing() {
    let memory = dataset(&[5, 3, 7], &[2, 3, 4], &Compression::Raw);
    convert(&memory, &reversed());
    let before = contents(&memory);
    let second = convert(&memory, &reversed());
    assert_eq!((second.unchanged(), second.converted()), (2, 0));
    assert_eq!(contents(&memory), before);
}

#[test]
fn a_document_in_the_other_order_is_replaced_only_when_told() {
    let orders = [DimensionOrder::AsStored, DimensionOrder::Reversed];
    for (first, then) in [(orders[0], orders[1]), (orders[1], orders[0])] {
        let memory = memory(&[("attributes.json", ROOT), ("a/attributes.json", DATASET)]);
        let options = |order| InPlaceOptions::new().with_dimension_order(order);
        convert(&memory, &options(first));
        let before = contents(&memory);
        assert_eq!(
            lines(&convert(&memory, &options(then)))[1],
            "/a: skipped: a/zarr.json is there and has the dimensions in the other order: allow \
             overwriting to replace it"
        );
        assert_eq!(contents(&memory), before);
        let report = convert(&memory, &options(then).with_overwrite(true));
        assert_eq!(lines(&report)[1], "/a: converted");
        assert_eq!(convert(&memory, &options(then)).unchanged(), 2);
    }
}

#[test]
fn a_document_backwards_in_other_words_says_the_same() {
    let memory = memory(&[("attributes.json", ROOT), ("a/attributes.json", DATASET)]);
    convert(&memory, &reversed());
    let zarr = memory.get(&key("a/zarr.json")).unwrap().unwrap();
    let zarr = String::from_utf8(zarr.into()).unwrap();
    let bounded = zarr.replace("\"regular\"", "\"zarrs.regular_bounded\"");
    assert_ne!(bounded, zarr);
    memory.set(&key("a/zarr.json"), bounded.into()).unwrap();
    // Only the grid becomes what other readers know.
    assert_eq!(lines(&convert(&memory, &reversed()))[1], "/a: converted");
    let array = json_at(&memory, "a/zarr.json");
    assert_eq!(array["chunk_grid"]["name"], "regular");
    assert_eq!(
        array["chunk_grid"]["configuration"]["chunk_shape"],
        json!([2, 3])
    );
}

#[test]
fn other_keys_or_codecs_are_no_order_of_n5() {
    let memory = memory(&[("attributes.json", ROOT), ("a/attributes.json", DATASET)]);
    convert(&memory, &reversed());
    let zarr = memory.get(&key("a/zarr.json")).unwrap().unwrap();
    let zarr = String::from_utf8(zarr.into()).unwrap();
    for (from, to, expected) in [
        (
            "{1}/{0}",
            "{0}/{1}",
            "`template` with the format \"{1}/{0}\"",
        ),
        (
            "\"template\"",
            "\"v2\"",
            "`template` with the format \"{1}/{0}\"",
        ),
    ] {
        let changed = zarr.replace(from, to);
        assert_ne!(changed, zarr);
        memory.set(&key("a/zarr.json"), changed.into()).unwrap();
        let report = add_n5_metadata(&memory, &InPlaceOptions::new(), |_| {}).unwrap();
        let line = &lines(&report)[1];
        assert!(
            line.starts_with("/a: skipped: ") && line.contains(expected),
            "{line}"
        );
    }
}

#[test]
fn the_way_back_gives_the_same_attributes() {
    let memory = dataset(&[5, 3, 7], &[2, 3, 4], &Compression::Raw);
    convert(&memory, &reversed());
    let report = add_n5_metadata(&memory, &InPlaceOptions::new(), |_| {}).unwrap();
    assert_eq!(
        (report.unchanged(), report.converted()),
        (2, 0),
        "{report:?}"
    );
    let before = json_at(&memory, "a/attributes.json");
    memory.erase(&key("a/attributes.json")).unwrap();
    let report = add_n5_metadata(&memory, &InPlaceOptions::new(), |_| {}).unwrap();
    assert_eq!(report.converted(), 1, "{report:?}");
    assert_eq!(json_at(&memory, "a/attributes.json"), before);
}

#[test]
fn a_zarr_json_beside_the_n5_keeps_its_order_when_the_store_is_written_to() {
    let memory = dataset(&[5, 3, 7], &[2, 3, 4], &Compression::Raw);
    convert(&memory, &reversed());
    let store = Arc::new(N5DefaultStore::new(memory.clone()));
    let mut array = Array::open(store, "/a").unwrap();
    array.attributes_mut().insert("more".to_owned(), json!(1));
    array.store_metadata().unwrap();
    let zarr = json_at(&memory, "a/zarr.json");
    assert_eq!(zarr["shape"], json!([7, 3, 5]));
    assert_eq!(zarr["attributes"]["more"], json!(1));
    assert_eq!(convert(&memory, &reversed()).unchanged(), 2);
}
