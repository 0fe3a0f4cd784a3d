//! From N5 to Zarr.

use super::*;

#[test]
fn a_dataset_becomes_an_array() {
    assert_eq!(to_zarr(&n5()), zarr());
}

#[test]
fn raw_has_no_third_codec() {
    let array = to_zarr(&with(n5(), "/compression", json!({"type": "raw"})));
    let codecs = array.pointer("/codecs/0/configuration/codecs").unwrap();
    assert_eq!(codecs.as_array().unwrap().len(), 2);
}

#[test]
fn the_order_reverses_all_axes() {
    let document = with(n5(), "/dimensions", json!([1, 2, 3, 4]));
    let array = to_zarr(&with(document, "/blockSize", json!([1, 1, 1, 1])));
    let order = array.pointer("/codecs/0/configuration/codecs/0/configuration/order");
    assert_eq!(order, Some(&json!([3, 2, 1, 0])));
}

#[test]
fn the_regular_grid_is_an_option() {
    let bytes = n5().to_string().into_bytes();
    let array = attributes_to_zarr(&bytes, PATH, ChunkGrid::Regular).unwrap();
    let array: Value = serde_json::from_slice(&array).unwrap();
    assert_eq!(array, with(zarr(), "/chunk_grid/name", json!("regular")));
}

#[test]
fn single_bytes_are_big_endian_too() {
    let array = to_zarr(&with(n5(), "/dataType", json!("int8")));
    assert_eq!(array, with(zarr(), "/data_type", json!("int8")));
}

#[test]
fn axes_are_dimension_names() {
    let array = to_zarr(&with(n5(), "/axes", json!(["x", "y"])));
    assert_eq!(array["dimension_names"], json!(["x", "y"]));
    assert_eq!(array["attributes"]["axes"], json!(["x", "y"]));
}

#[test]
fn attributes_are_unchanged_and_in_order() {
    let text = r#"{"z":9007199254740993,"n5":"2.0.0","a":[1.0,1],"u":"日本 <tag> \u0000","m":1.5e300,"e":{}}"#;
    let bytes = attributes_to_zarr(text.as_bytes(), "/", ChunkGrid::default()).unwrap();
    let group: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(
        group.to_string(),
        format!(
            r#"{{"zarr_format":3,"node_type":"group","attributes":{}}}"#,
            text.replace("1.5e300", "1.5e+300")
        )
    );
}

#[test]
fn an_empty_group_has_no_attributes() {
    assert_eq!(
        to_zarr(&json!({})),
        json!({"zarr_format": 3, "node_type": "group"})
    );
}

#[test]
fn equal_bytes_give_equal_bytes() {
    let bytes = n5().to_string().into_bytes();
    let convert = || attributes_to_zarr(&bytes, PATH, ChunkGrid::default()).unwrap();
    assert_eq!(convert(), convert());
}

#[test]
fn an_unsupported_dataset_is_an_error() {
    let document = with(n5(), "/compression/type", json!("jpeg")).to_string();
    let error = attributes_to_zarr(document.as_bytes(), PATH, ChunkGrid::default()).unwrap_err();
    assert!(error.is_unsupported());
    assert!(error.to_string().contains("`jpeg`"), "{error}");
    assert!(error.to_string().contains(PATH), "{error}");
}

#[test]
fn a_malformed_dataset_is_an_error() {
    let document = without(n5(), "blockSize").to_string();
    let error = attributes_to_zarr(document.as_bytes(), PATH, ChunkGrid::default()).unwrap_err();
    assert!(!error.is_unsupported());
    assert!(error.to_string().contains("`blockSize`"), "{error}");
}

#[test]
fn a_walk_stops_at_bad_datasets_too() {
    let is_dataset = |document: Value| is_dataset(document.to_string().as_bytes(), PATH);
    assert!(is_dataset(n5()).unwrap());
    assert!(is_dataset(json!({"dimensions": 3, "dataType": null})).unwrap());
    assert!(!is_dataset(json!({"dataType": "uint8"})).unwrap());
    assert!(!is_dataset(json!({"dimensions": [1]})).unwrap());
    let error = is_dataset(json!([1])).unwrap_err();
    assert!(!error.is_unsupported());
    assert!(error.to_string().contains(PATH), "{error}");
}
