//! There and back again is the identity.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{ChunkGrid, attributes_to_zarr, zarr_to_attributes};
use crate::n5::N5DataType;
use crate::n5::compression::tests::attributes::any_compression;
use crate::n5::compression::tests::zarr_codec::normalized;

/// Any JSON value of a few levels.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..4)
                .prop_map(|members| Value::from(Map::from_iter(members))),
        ]
    })
}

/// Attributes whose names do not mean anything to N5, and sometimes a version and axes.
fn any_attributes(ndim: usize) -> impl Strategy<Value = Map<String, Value>> {
    let others = prop::collection::vec(("[a-z]{0,3}|[é日]{1,2}", any_json()), 0..5);
    let version = prop::option::of(prop_oneof![
        Just(json!("4.0.0")),
        Just(json!("1.2")),
        Just(json!("2.0.3-SNAPSHOT")),
        Just(json!("x")),
    ]);
    let axes = prop::option::of(prop_oneof![
        prop::collection::vec("[a-z]{0,2}", ndim).prop_map(Value::from),
        any_json(),
    ]);
    (others, version, axes).prop_map(|(others, version, axes)| {
        let mut attributes = Map::new();
        attributes.extend(version.map(|version| ("n5".to_owned(), version)));
        attributes.extend(others);
        attributes.extend(axes.map(|axes| ("axes".to_owned(), axes)));
        attributes
    })
}

/// A list of numbers as other programs write them.
fn any_numbers() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        Just("NaN".to_owned()),
        Just("Infinity".to_owned()),
        Just("-Infinity".to_owned()),
        Just("-1e400".to_owned()),
        "-?(0|[1-9][0-9]{0,30})",
        "-?(0|[1-9][0-9]{0,3})\\.[0-9]{1,30}",
        "-?[0-9](\\.[0-9]{1,20})?[eE][+-]?[0-9]{1,3}",
    ];
    let number = prop_oneof![number, Just("\"NaN\"".to_owned())];
    prop::collection::vec(number, 0..6).prop_map(|numbers| format!("[{}]", numbers.join(" , ")))
}

/// Parts of documents.
const WORDS: [&str; 18] = [
    "\"a\":",
    "\"b\":",
    "\"NaN\":",
    "[",
    "]",
    "{",
    "}",
    ",",
    ",",
    "NaN",
    "-Infinity",
    "1e400",
    "1",
    "\"NaN\"",
    "\"\\\"",
    "\"",
    "\n",
    "null",
];

/// A dataset in the words and the order in which this crate writes it.
fn any_dataset() -> impl Strategy<Value = Map<String, Value>> {
    let sizes = prop::collection::vec((0..1_u64 << 63, 1..100_u32), 1..5);
    let data_type = prop::sample::select(N5DataType::ALL.as_slice());
    (sizes, data_type, any_compression())
        .prop_flat_map(|(sizes, data_type, compression)| {
            let compression = normalized(compression, data_type).to_json();
            let (dimensions, block_size): (Vec<u64>, Vec<u32>) = sizes.into_iter().unzip();
            let members = json!({
                "dimensions": dimensions, "blockSize": block_size, "dataType": data_type.name(),
                "compression": compression
            });
            (Just(members), any_attributes(dimensions.len()))
        })
        .prop_map(|(members, attributes)| {
            let mut document = members.as_object().cloned().unwrap_or_default();
            document.extend(attributes);
            document
        })
}

fn any_document() -> impl Strategy<Value = Map<String, Value>> {
    prop_oneof![any_dataset(), any_attributes(2)]
}

fn any_grid() -> impl Strategy<Value = ChunkGrid> {
    prop_oneof![Just(ChunkGrid::RegularBounded), Just(ChunkGrid::Regular)]
}

fn text(document: &Map<String, Value>) -> String {
    json!(document).to_string()
}

proptest! {
    #[test]
    fn n5_to_zarr_to_n5(document in any_document(), grid in any_grid()) {
        let text = text(&document);
        let zarr = attributes_to_zarr(text.as_bytes(), "/a", grid).unwrap();
        let back = zarr_to_attributes(&zarr, None, "/a").unwrap().unwrap();
        let back: Value = serde_json::from_slice(&back).unwrap();
        prop_assert_eq!(back.to_string(), text);
    }

    #[test]
    fn storing_what_was_read_writes_nothing(document in any_document(), grid in any_grid()) {
        let text = text(&document);
        let zarr = attributes_to_zarr(text.as_bytes(), "/a", grid).unwrap();
        prop_assert!(zarr_to_attributes(&zarr, Some(text.as_bytes()), "/a").unwrap().is_none());
    }

    #[test]
    fn zarr_to_n5_to_zarr(document in any_document(), grid in any_grid(), path in "/|/a") {
        let zarr = attributes_to_zarr(text(&document).as_bytes(), &path, grid).unwrap();
        let n5 = zarr_to_attributes(&zarr, None, &path).unwrap().unwrap();
        let again = attributes_to_zarr(&n5, &path, grid).unwrap();
        let n5_again = zarr_to_attributes(&again, Some(&n5), &path).unwrap();
        prop_assert!(n5_again.is_none());
        if path != "/" || document.contains_key("n5") {
            prop_assert_eq!(again, zarr);
        }
    }

    /// What `zarrs` reads and stores again changes nothing, whatever numbers the attributes hold.
    #[test]
    fn numbers_of_any_spelling_survive_zarrs(
        document in any_attributes(2),
        numbers in any_numbers(),
    ) {
        let mut text = text(&document);
        text.pop();
        if text.len() > 1 {
            text.push(',');
        }
        let text = format!("{text}\"numbers\":{numbers}}}");
        let zarr = attributes_to_zarr(text.as_bytes(), "/a", ChunkGrid::default()).unwrap();
        let mut read: Value = serde_json::from_slice(&zarr).unwrap();
        let stored = read.to_string();
        let written = zarr_to_attributes(stored.as_bytes(), Some(text.as_bytes()), "/a").unwrap();
        prop_assert_eq!(written, None);
        read["attributes"]["new"] = json!(1);
        let stored = read.to_string();
        let written = zarr_to_attributes(stored.as_bytes(), Some(text.as_bytes()), "/a").unwrap();
        let written = String::from_utf8(written.unwrap()).unwrap();
        prop_assert!(written.contains(&format!("\"numbers\": {numbers},\n")), "{}", written);
    }

    /// Near to JSON, so that much of it is read.
    #[test]
    fn any_words_are_read_or_refused_alike(
        words in prop::collection::vec(prop::sample::select(WORDS.as_slice()), 0..12)
    ) {
        let text = format!("{{{}}}", words.concat());
        let zarr = attributes_to_zarr(text.as_bytes(), "/", ChunkGrid::default());
        // Quoted and blank, what JSON lacks is an ordinary string.
        let mut plain = text.replace("-Infinity", "NaN").replace("NaN", "null");
        // More digits make a larger exponent, which is still a number.
        while plain.contains("e4001") {
            plain = plain.replace("e4001", "e400");
        }
        let plain = plain.replace("1e400", "1");
        let is_json = serde_json::from_str::<Map<String, Value>>(&plain);
        prop_assert_eq!(zarr.is_ok(), is_json.is_ok(), "{}: {:?}", text, zarr);
        if let Ok(zarr) = zarr {
            let read: Value = serde_json::from_slice(&zarr).unwrap();
            let stored = read.to_string();
            let written = zarr_to_attributes(stored.as_bytes(), Some(text.as_bytes()), "/a");
            prop_assert_eq!(written.unwrap(), None);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in any::<Vec<u8>>(), document in any_json()) {
        for bytes in [bytes, document.to_string().into_bytes()] {
            let zarr = attributes_to_zarr(&bytes, "/", ChunkGrid::default());
            prop_assert!(zarr.is_ok() || super::is_dataset(&bytes, "/").is_err());
            let _ = zarr_to_attributes(&bytes, Some(&bytes), "/");
        }
    }
}
