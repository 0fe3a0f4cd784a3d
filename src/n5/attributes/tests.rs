use serde_json::{Value, json};

use super::*;
use crate::n5::compression::Compression;
use crate::n5::data_type::N5DataType;

mod not_json;

const PATH: &str = "/volumes/raw";

fn good() -> Value {
    json!({
        "n5": "4.0.0",
        "dimensions": [23, 17, 5],
        "blockSize": [10, 8, 3],
        "dataType": "uint16",
        "compression": {"type": "gzip", "useZlib": false, "level": 6},
        "resolution": [4.0, 4.0, 40.5]
    })
}

/// The good document with one member changed.
fn with(member: &str, value: Value) -> Value {
    let mut document = good();
    document[member] = value;
    document
}

fn without(member: &str) -> Value {
    let mut document = good();
    document.as_object_mut().unwrap().remove(member);
    document
}

fn parse(document: &Value) -> Result<N5Metadata, MetadataError> {
    N5Metadata::parse(document.to_string().as_bytes(), PATH)
}

fn dataset(document: &Value) -> DatasetAttributes {
    match parse(document).unwrap() {
        N5Metadata::Dataset(dataset) => dataset,
        N5Metadata::Group(group) => panic!("a group: {group:?}"),
    }
}

fn group(document: &Value) -> GroupAttributes {
    match parse(document).unwrap() {
        N5Metadata::Group(group) => group,
        N5Metadata::Dataset(dataset) => panic!("a dataset: {dataset:?}"),
    }
}

/// The error of a document, whose text must hold the node path and all of `parts`.
fn refused(document: &Value, parts: &[&str]) -> MetadataError {
    let error = parse(document).unwrap_err();
    let text = error.to_string();
    for part in [&[PATH], parts].concat() {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
    error
}

fn malformed(document: &Value, parts: &[&str]) {
    let error = refused(document, parts);
    assert!(!error.is_unsupported(), "{error}");
}

fn unsupported(document: &Value, parts: &[&str]) {
    let error = refused(document, parts);
    assert!(error.is_unsupported(), "{error}");
}

#[test]
fn a_dataset_is_read() {
    let dataset = dataset(&good());
    assert_eq!(dataset.dimensions(), [23, 17, 5]);
    assert_eq!(dataset.block_size(), [10, 8, 3]);
    assert_eq!(dataset.data_type(), N5DataType::UInt16);
    assert_eq!(Value::from(dataset.to_json()), good());
    assert_eq!(
        Value::from(dataset.attributes()),
        json!({"n5": "4.0.0", "resolution": [4.0, 4.0, 40.5]})
    );
}

#[test]
fn the_order_of_members_is_kept() {
    let text = r#"{"z":1,"dataType":"int8","a":2,"compression":{"type":"raw"},"blockSize":[1],"m":3,"dimensions":[2]}"#;
    let metadata = N5Metadata::parse(text.as_bytes(), PATH).unwrap();
    assert_eq!(Value::from(metadata.to_json()).to_string(), text);
    let N5Metadata::Dataset(dataset) = metadata else {
        panic!("a group");
    };
    assert_eq!(
        Value::from(dataset.attributes()).to_string(),
        r#"{"z":1,"a":2,"m":3}"#
    );
}

#[test]
fn a_new_dataset_has_the_four_members() {
    let dataset =
        DatasetAttributes::new(vec![3, 2], &[3, 2], N5DataType::UInt8, Compression::Raw).unwrap();
    assert_eq!(
        Value::from(dataset.to_json()),
        json!({"dimensions": [3, 2], "blockSize": [3, 2], "dataType": "uint8", "compression": {"type": "raw"}})
    );
    let bytes = format!("{:#}", Value::from(dataset.to_json())).into_bytes();
    assert_eq!(
        N5Metadata::parse(&bytes, PATH).unwrap(),
        N5Metadata::Dataset(dataset)
    );
}

#[test]
fn whole_numbers_may_have_a_fraction_of_zero() {
    let dataset = dataset(&json!({
        "dimensions": [3.0, 2.0], "blockSize": [3.0, 2.0], "dataType": "uint8", "compression": {"type": "raw"}
    }));
    assert_eq!(dataset.dimensions(), [3, 2]);
    assert_eq!(dataset.block_size(), [3, 2]);
}

#[test]
fn dimensions_have_63_bits_and_may_be_zero() {
    let most = (1_u64 << 63) - 1;
    let dataset = dataset(&with("dimensions", json!([most, 0, 1])));
    assert_eq!(dataset.dimensions(), [most, 0, 1]);
    let beyond = with("dimensions", json!([most, most + 1, 1])).to_string();
    let error = N5Metadata::parse(beyond.as_bytes(), PATH).unwrap_err();
    assert!(!error.is_unsupported());
    assert_eq!(
        error.to_string(),
        format!(
            "attributes.json of {PATH}: the members `dimensions` and `blockSize`: dimension 1 is \
             9223372036854775808 elements long: N5 holds at most 9223372036854775807 (2^63 - 1)"
        )
    );
}

#[test]
fn a_legacy_compression_type_is_read() {
    let mut document = without("compression");
    document["compressionType"] = json!("gzip");
    let legacy = dataset(&document);
    let expected = Compression::from_json(json!({"type": "gzip"}).as_object().unwrap()).unwrap();
    assert_eq!(*legacy.compression(), expected);
    assert!(!legacy.attributes().contains_key("compressionType"));
}

#[test]
fn compression_wins_over_compression_type() {
    let mut document = with("compression", json!({"type": "raw"}));
    document["compressionType"] = json!(5);
    assert_eq!(*dataset(&document).compression(), Compression::Raw);
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let text = format!("\u{feff}{}", good());
    assert!(N5Metadata::parse(text.as_bytes(), PATH).is_ok());
}

#[test]
fn the_last_of_two_equal_members_wins() {
    let text = r#"{"a":1,"a":2}"#;
    let metadata = N5Metadata::parse(text.as_bytes(), PATH).unwrap();
    assert_eq!(Value::from(metadata.to_json()), json!({"a": 2}));
}

#[test]
fn axes_are_one_string_per_dimension() {
    let named = dataset(&with("axes", json!(["x", "y", "z"])));
    assert_eq!(named.axes(), Some(vec!["x", "y", "z"]));
    for other in [
        json!(["x", "y"]),
        json!(["x", "y", 3]),
        json!("xyz"),
        json!({"x": 1}),
        json!(null),
    ] {
        assert_eq!(
            dataset(&with("axes", other.clone())).axes(),
            None,
            "{other}"
        );
    }
}

#[test]
fn a_document_without_dimensions_is_a_group() {
    let document = json!({"downsamplingFactors": [[1, 1, 1]], "dataType": "uint8"});
    let group = group(&document);
    assert_eq!(Value::from(group.attributes().clone()), document);
}

#[test]
fn dimensions_alone_are_an_attribute_of_a_group() {
    group(&json!({"dimensions": [1, 2]}));
}

#[test]
fn codecs_are_an_attribute_of_a_group() {
    group(&json!({"codecs": []}));
}

#[test]
fn an_empty_object_is_a_group() {
    assert!(group(&json!({})).attributes().is_empty());
}

#[test]
fn one_more_member_beside_dimensions_makes_a_dataset() {
    for (member, value) in [
        ("blockSize", json!([1])),
        ("dataType", json!("uint8")),
        ("compression", json!({"type": "raw"})),
        ("compressionType", json!("raw")),
    ] {
        let mut document = json!({"dimensions": [1]});
        document[member] = value;
        malformed(&document, &["is missing"]);
    }
}

#[test]
fn missing_block_size() {
    malformed(&without("blockSize"), &["`blockSize` is missing"]);
}

#[test]
fn missing_data_type() {
    malformed(&without("dataType"), &["`dataType` is missing"]);
}

#[test]
fn missing_compression() {
    malformed(&without("compression"), &["`compression` is missing"]);
}

#[test]
fn dimensions_not_a_list() {
    malformed(&with("dimensions", json!(5)), &["`dimensions` is 5"]);
}

#[test]
fn dimensions_null() {
    malformed(&with("dimensions", json!(null)), &["`dimensions` is null"]);
}

#[test]
fn dimensions_not_numbers() {
    let document = with("dimensions", json!([23, "17", 5]));
    malformed(&document, &["`dimensions` is [23,\"17\",5]"]);
}

#[test]
fn dimensions_negative() {
    let document = with("dimensions", json!([23, -17, 5]));
    malformed(&document, &["`dimensions` is [23,-17,5]"]);
}

#[test]
fn dimensions_with_a_fraction() {
    let document = with("dimensions", json!([23, 17.5, 5]));
    malformed(&document, &["`dimensions` is [23,17.5,5]"]);
}

#[test]
fn dimensions_empty() {
    let mut document = with("dimensions", json!([]));
    document["blockSize"] = json!([]);
    malformed(&document, &["`dimensions`", "0 dimensions"]);
}

#[test]
fn block_size_of_another_dimensionality() {
    let document = with("blockSize", json!([10, 8]));
    malformed(&document, &["`blockSize`", "2 entries", "expected 3"]);
}

#[test]
fn block_size_zero() {
    let document = with("blockSize", json!([10, 0, 3]));
    malformed(&document, &["`blockSize` is [10,0,3]", "from 1 to"]);
}

#[test]
fn block_size_over_32_bits() {
    let document = with("blockSize", json!([1, 1, 4_294_967_296_u64]));
    malformed(&document, &["`blockSize` is [1,1,4294967296]"]);
}

#[test]
fn block_size_not_numbers() {
    let document = with("blockSize", json!("big"));
    malformed(&document, &["`blockSize` is \"big\""]);
}

#[test]
fn a_block_over_2_pow_31_bytes() {
    let document = with("blockSize", json!([1024, 1024, 1025]));
    unsupported(&document, &["[1024, 1024, 1025]", "2147483648 bytes"]);
}

#[test]
fn data_type_not_a_string() {
    malformed(&with("dataType", json!(8)), &["`dataType` is 8"]);
}

#[test]
fn data_types_without_default_mode() {
    for name in ["string", "object", "float16", "UINT8"] {
        unsupported(&with("dataType", json!(name)), &["`dataType`", name]);
    }
}

#[test]
fn compression_not_an_object() {
    let document = with("compression", json!("gzip"));
    malformed(&document, &["`compression` is \"gzip\""]);
}

#[test]
fn compression_null() {
    malformed(
        &with("compression", json!(null)),
        &["`compression` is null"],
    );
}

#[test]
fn compression_without_type() {
    let document = with("compression", json!({"level": 5}));
    malformed(&document, &["`compression` is {\"level\":5}", "`type`"]);
}

#[test]
fn compression_with_a_wrong_level() {
    let document = with("compression", json!({"type": "gzip", "level": "x"}));
    malformed(&document, &["compression", "`level`", "\"x\""]);
}

#[test]
fn compression_unknown() {
    let document = with("compression", json!({"type": "jpeg", "quality": 90}));
    unsupported(&document, &["`jpeg`"]);
}

#[test]
fn compression_type_unknown() {
    let mut document = without("compression");
    document["compressionType"] = json!("jpeg");
    unsupported(&document, &["`jpeg`"]);
}

#[test]
fn compression_type_not_a_string() {
    let mut document = without("compression");
    document["compressionType"] = json!(5);
    malformed(&document, &["`compressionType` is 5"]);
}

#[test]
fn sharded() {
    unsupported(&with("codecs", json!([])), &["`codecs`", "sharded"]);
}

#[test]
fn a_newer_version() {
    unsupported(&with("n5", json!("5.0.0")), &["`n5` is \"5.0.0\"", "4"]);
    unsupported(&json!({"n5": "5.0.0"}), &["`n5`"]);
}
