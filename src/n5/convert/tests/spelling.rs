//! What `attributes.json` says in a way of its own stays as it was written.

use super::*;

/// Numbers beyond 64 bits or 17 digits, and such that JSON lacks.
const NUMBERS: &str = r#"[18446744073709551616, 0.1000000000000000055511151231257827 ,NaN,
  {"deep":[Infinity,-Infinity,1e400,-1e400]},1.50,1E5,-0]"#;

fn group(attributes: &str) -> String {
    format!(r#"{{"before":1,"numbers":{attributes},"b":"\u00e9"}}"#)
}

/// What zarrs hands to a store after it read the node, with one more attribute.
fn with_new_attribute(existing: &str) -> Value {
    let zarr = attributes_to_zarr(existing.as_bytes(), PATH, ChunkGrid::default()).unwrap();
    let zarr: Value = serde_json::from_slice(&zarr).unwrap();
    with(zarr, "/attributes/new", json!(0))
}

#[test]
fn numbers_come_back_byte_for_byte() {
    let existing = group(NUMBERS);
    let written = store(&with_new_attribute(&existing), Some(&existing), PATH).unwrap();
    let expected = format!(
        "{{\n  \"before\": 1,\n  \"numbers\": {NUMBERS},\n  \"b\": \"\\u00e9\",\n  \"new\": 0\n}}"
    );
    assert_eq!(written, Some(expected));
}

#[test]
fn numbers_beside_a_change_come_back_too() {
    let existing = group(NUMBERS);
    let mut array = with_new_attribute(&existing);
    array["attributes"]["numbers"][4] = json!("changed");
    let written = store(&array, Some(&existing), PATH).unwrap().unwrap();
    for number in [
        "18446744073709551616",
        "0.1000000000000000055511151231257827",
        "NaN",
        r#"{"deep":[Infinity,-Infinity,1e400,-1e400]}"#,
        "\"changed\"",
        "1E5",
        "-0",
    ] {
        assert!(written.contains(number), "{number} is not in: {written}");
    }
}

#[test]
fn a_dataset_with_nan_opens() {
    // As zarr-python 2 writes it.
    let document = n5().to_string().replace("40.5", "NaN");
    let zarr = attributes_to_zarr(document.as_bytes(), PATH, ChunkGrid::default()).unwrap();
    let zarr: Value = serde_json::from_slice(&zarr).unwrap();
    assert_eq!(zarr["attributes"]["resolution"], json!([4.0, "NaN"]));
    assert_eq!(stored(&zarr, Some(&document), PATH), None);
    let written = store(&with_new_attribute(&document), Some(&document), PATH).unwrap();
    assert!(written.unwrap().contains("\"resolution\": [4.0,NaN]"));
}

#[test]
fn zarr_json_shows_numbers_as_they_are_but_those_that_json_lacks() {
    let zarr = attributes_to_zarr(group(NUMBERS).as_bytes(), PATH, ChunkGrid::default()).unwrap();
    let zarr = String::from_utf8(zarr).unwrap();
    for part in [
        "[18446744073709551616, 0.1000000000000000055511151231257827 ,\"NaN\",",
        r#"{"deep":["Infinity","-Infinity","Infinity","-Infinity"]},1.50,1E5,-0]"#,
        r#""b": "\u00e9""#,
    ] {
        assert!(zarr.contains(part), "{part} is not in: {zarr}");
    }
}

#[test]
fn a_string_in_the_place_of_nan_is_a_string() {
    let written = store(&zarr_group(&json!({"a": "NaN"})), None, PATH).unwrap();
    assert_eq!(written.as_deref(), Some("{\n  \"a\": \"NaN\"\n}"));
}

#[test]
fn new_vectors_of_zarrs_are_indented_like_the_rest() {
    let zarr = format!("{:#}", zarr_group(&json!({"a": {"b": [1, 2]}})));
    let written = zarr_to_attributes(zarr.as_bytes(), Some(b"{\"a\":1}"), PATH).unwrap();
    let expected = format!("{:#}", json!({"a": {"b": [1, 2]}}));
    assert_eq!(written, Some(expected.into_bytes()));
}

#[test]
fn an_empty_document_is_one_without_attributes() {
    for empty in [&b""[..], b"\n"] {
        assert!(!is_dataset(empty, PATH).unwrap());
        let zarr = attributes_to_zarr(empty, PATH, ChunkGrid::default()).unwrap();
        let zarr: Value = serde_json::from_slice(&zarr).unwrap();
        assert_eq!(zarr, json!({"zarr_format": 3, "node_type": "group"}));
        let written = zarr_to_attributes(zarr.to_string().as_bytes(), Some(empty), PATH);
        assert_eq!(written.unwrap(), None);
    }
    assert_eq!(stored(&zarr(), Some(""), PATH), stored(&zarr(), None, PATH));
}

#[test]
fn what_is_no_error_of_syntax_does_not_say_so() {
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(127), "]".repeat(127));
    for (document, part) in [
        (deep.as_str(), "more than 127 levels"),
        (r#"{"a": 1e400}"#, "the number 1e400 at line 1 column 7"),
    ] {
        let error = zarr_to_attributes(document.as_bytes(), None, PATH).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains(part) && !text.contains("valid JSON"),
            "{text}"
        );
        assert_eq!((error.document(), error.node_path()), ("zarr.json", PATH));
    }
}
