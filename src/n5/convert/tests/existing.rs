//! What the existing `attributes.json` decides.

use super::*;

/// Opens a document as Zarr, changes an attribute, and stores it.
fn changed(existing: &str, path: &str) -> String {
    let bytes = attributes_to_zarr(existing.as_bytes(), path, ChunkGrid::default()).unwrap();
    let mut node: Value = serde_json::from_slice(&bytes).unwrap();
    node["attributes"]["a"] = json!("changed");
    node["attributes"]["_zarrs"] = json!({"version": "0.23.14"});
    stored(&node, Some(existing), path).unwrap()
}

#[test]
fn everything_else_survives_a_changed_attribute() {
    for existing in [
        r#"{"n5":"2.0.0","a":1,"dataType":"uint8","other":{"x":[null]},"blockSize":[3.0,2],"compression":{"level":-1,"type":"gzip","tool":"x"},"dimensions":[5,3.0],"axes":["x","y"]}"#,
        r#"{"dimensions":[5],"a":1,"compressionType":"gzip","blockSize":[3],"dataType":"int8"}"#,
        r#"{"dimensions":[5],"a":1,"compressionType":"gzip","blockSize":[3],"dataType":"int8","compression":{"type":"raw"}}"#,
        r#"{"dimensions":[5],"a":1,"blockSize":[3],"dataType":"int8","compression":{"type":"gzip","useZlib":true}}"#,
        r#"{"dimensions":[5],"a":1,"blockSize":[3],"dataType":"int16","compression":{"type":"blosc","nthreads":1,"typesize":1,"cname":"lz4","shuffle":1,"clevel":5,"blocksize":0}}"#,
        r#"{"b":{"dimensions":[5]},"a":1,"dataType":"int16","_zarrs":"not ours"}"#,
    ] {
        let expected = existing.replace(r#""a":1"#, r#""a":"changed""#);
        assert_eq!(changed(existing, PATH), expected);
    }
}

#[test]
fn the_same_compression_in_the_words_of_another_zarr_writer_stays() {
    let existing = with(
        n5(),
        "/compression",
        json!({"type": "blosc", "typesize": 1, "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}),
    );
    let blosc = json!({"name": "blosc", "configuration": {
        "typesize": 2, "cname": "lz4", "clevel": 5, "shuffle": "shuffle", "blocksize": 0
    }});
    let array = inner(2, &blosc);
    assert_eq!(stored(&array, Some(&existing.to_string()), PATH), None);
}

#[test]
fn nothing_changes_without_a_change() {
    let existing = r#"{ "dataType":"uint8","blockSize":[3.0],"compression":{"type":"gzip"},"dimensions":[5],"b":1,"a":2}"#;
    let node: Value = to_zarr(&serde_json::from_str(existing).unwrap());
    assert_eq!(stored(&node, Some(existing), PATH), None);
    assert_eq!(
        stored(&node, Some(&format!("\u{feff}{existing}")), PATH),
        None
    );
}

#[test]
fn another_order_of_attributes_is_no_change() {
    let group = zarr_group(&json!({"b": 1, "a": 2}));
    assert_eq!(stored(&group, Some(r#"{"a":2,"b":1}"#), PATH), None);
}

#[test]
fn an_attribute_that_is_gone_is_gone() {
    let group = zarr_group(&json!({"a": 2}));
    assert_eq!(
        stored(&group, Some(r#"{"a":2,"b":1}"#), PATH).unwrap(),
        r#"{"a":2}"#
    );
}

#[test]
fn a_new_attribute_comes_last() {
    let group = zarr_group(&json!({"new": 0, "b": 1, "a": 2}));
    let text = stored(&group, Some(r#"{"a":2,"b":1}"#), PATH).unwrap();
    assert_eq!(text, r#"{"a":2,"b":1,"new":0}"#);
}

#[test]
fn another_compression_replaces_the_object() {
    for old in [
        r#""compression":{"type":"zstd","tool":"x"}"#,
        r#""compressionType":"raw""#,
        r#""compression":{"type":"raw"},"compressionType":"gzip""#,
        r#""compression":{"type":"jpeg"}"#,
        r#""compression":5"#,
    ] {
        let existing =
            format!(r#"{{"dimensions":[5,3],"blockSize":[3,2],"dataType":"uint16",{old}}}"#);
        let new: Value =
            serde_json::from_str(&stored(&zarr(), Some(&existing), PATH).unwrap()).unwrap();
        assert_eq!(new, n5(), "{old}");
    }
}

#[test]
fn an_array_over_a_group_makes_a_dataset() {
    let new = stored(&zarr(), Some(r#"{"a":1,"dataType":"uint8"}"#), PATH).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&new).unwrap(), n5());
}

#[test]
fn a_group_over_a_dataset_makes_a_group() {
    let group = zarr_group(&json!({"a": 1}));
    let new = stored(&group, Some(&n5().to_string()), PATH).unwrap();
    assert_eq!(new, r#"{"a":1}"#);
}

#[test]
fn a_broken_document_is_not_overwritten() {
    let error = refused(
        &zarr(),
        Some("{\"a\": nan}"),
        &["attributes.json", "line 1"],
    );
    assert!(!error.is_unsupported());
    refused(&zarr(), Some("[]"), &["attributes.json", "found []"]);
}

#[test]
fn a_newer_version_is_not_overwritten() {
    let error = refused(&zarr(), Some(r#"{"n5":"5.0.0"}"#), &["`n5`", "5.0.0"]);
    assert!(error.is_unsupported());
}

/// Quadratic work would take minutes here.
#[test]
fn a_hundred_thousand_members_keep_their_order() {
    let members = |from: u32| {
        (from..from + 100_000)
            .rev()
            .map(|n| (n.to_string(), Value::from(n)))
    };
    let existing: Map<_, _> = members(1).collect();
    let attributes: Map<_, _> = members(0).collect();
    let zarr = zarr_group(&attributes.into());
    let written = zarr_to_attributes(
        zarr.to_string().as_bytes(),
        Some(Value::from(existing).to_string().as_bytes()),
        "/a",
    )
    .unwrap()
    .unwrap();
    let written: Map<String, Value> = serde_json::from_slice(&written).unwrap();
    assert!(
        written.keys().eq(&(0..100_000)
            .rev()
            .map(|n| n.to_string())
            .collect::<Vec<_>>())
    );
}
