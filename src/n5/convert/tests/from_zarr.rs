//! From Zarr to a new `attributes.json`.

use super::*;

#[test]
fn an_array_becomes_a_dataset() {
    assert_eq!(stored_new(&zarr()), n5());
}

#[test]
fn the_members_of_a_dataset_come_first() {
    let text = stored(&zarr(), None, PATH).unwrap();
    assert!(
        text.starts_with(
            r#"{"dimensions":[5,3],"blockSize":[3,2],"dataType":"uint16","compression":{"#
        ),
        "{text}"
    );
}

#[test]
fn the_document_is_indented() {
    let text = store(&zarr_group(&json!({"a": 1})), None, PATH).unwrap();
    assert_eq!(text.as_deref(), Some("{\n  \"a\": 1\n}"));
}

#[test]
fn a_group_without_attributes_is_an_empty_object() {
    let group = json!({"zarr_format": 3, "node_type": "group"});
    assert_eq!(stored(&group, None, PATH).as_deref(), Some("{}"));
}

#[test]
fn both_grids_and_both_names_of_the_codec_are_read() {
    let array = with(zarr(), "/chunk_grid/name", json!("regular"));
    let array = with(array, "/codecs/0/name", json!("zarrs.n5_default"));
    assert_eq!(stored_new(&array), n5());
}

#[test]
fn absent_endian_is_read_for_single_bytes() {
    for bytes in [
        json!("bytes"),
        json!({"name": "bytes"}),
        json!({"name": "bytes", "configuration": {}}),
    ] {
        let array = inner(1, &bytes);
        let array = with(array, "/data_type", json!({"name": "uint8"}));
        assert_eq!(stored_new(&array), with(n5(), "/dataType", json!("uint8")));
    }
}

#[test]
fn every_form_of_zero_is_the_fill_value() {
    for (data_type, zero) in [
        ("uint16", json!(0)),
        ("float32", json!(0)),
        ("float32", json!(0.0)),
        ("float32", json!("0x00000000")),
        ("float64", json!("0x0000000000000000")),
    ] {
        let array = with(zarr(), "/data_type", json!(data_type));
        let array = with(array, "/fill_value", zero);
        assert_eq!(
            stored_new(&array),
            with(n5(), "/dataType", json!(data_type))
        );
    }
}

#[test]
fn other_fill_values_are_refused() {
    for (data_type, fill_value) in [
        ("uint16", json!(1)),
        ("uint16", json!(0.0)),
        ("uint16", json!("0x0000")),
        ("uint16", json!(null)),
        ("uint16", json!([0])),
        ("int16", json!(-1)),
        ("float32", json!(-0.0)),
        ("float32", json!("NaN")),
        ("float32", json!("Infinity")),
        ("float32", json!("0x80000000")),
        ("float32", json!("0x0000")),
        ("float64", json!(1e-300)),
    ] {
        let array = with(zarr(), "/data_type", json!(data_type));
        let array = with(array, "/fill_value", fill_value.clone());
        unsupported(
            &array,
            &["`fill_value`", &fill_value.to_string(), "expected 0"],
        );
    }
}

#[test]
fn other_data_types_are_refused() {
    for name in ["bool", "float16", "string", "complex64", "r16"] {
        unsupported(
            &with(zarr(), "/data_type", json!(name)),
            &["`data_type`", name],
        );
    }
    let data_type = json!({"name": "uint8", "configuration": {"a": 1}});
    unsupported(&with(zarr(), "/data_type", data_type), &["`data_type`"]);
    malformed(&with(zarr(), "/data_type", json!(5)), &["`data_type` is 5"]);
}

#[test]
fn other_chunk_grids_are_refused() {
    for grid in [
        json!("regular"),
        json!({"name": "rectangular", "configuration": {"chunk_shape": [[1, 4], 2]}}),
        json!({"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [3, 2]}}),
        json!({"name": "regular", "configuration": {"chunk_shape": [3, "2"]}}),
        json!({"name": "regular", "configuration": {"chunk_shape": [3, 2], "more": 1}}),
    ] {
        let array = with(zarr(), "/chunk_grid", grid.clone());
        unsupported(&array, &["`chunk_grid`", &grid.to_string(), "chunk_shape"]);
    }
}

#[test]
fn shapes_that_n5_cannot_hold_are_refused() {
    let chunks =
        |chunk_shape: Value| with(zarr(), "/chunk_grid/configuration/chunk_shape", chunk_shape);
    malformed(&chunks(json!([3])), &["1 entry", "expected 2"]);
    malformed(&chunks(json!([3, 0])), &["0 in dimension 1"]);
    unsupported(
        &chunks(json!([3, 1_u64 << 32])),
        &["4294967296 in dimension 1"],
    );
    unsupported(
        &chunks(json!([65536, 65536])),
        &["[65536, 65536]", "2147483648"],
    );
    unsupported(
        &with(zarr(), "/shape", json!([5, 1_u64 << 63])),
        &["`shape`", "dimension 1 is 9223372036854775808", "2^63 - 1"],
    );
    let scalar = with(
        with(zarr(), "/shape", json!([])),
        "/chunk_grid/configuration/chunk_shape",
        json!([]),
    );
    let scalar = with(
        scalar,
        "/codecs/0/configuration/codecs/0/configuration/order",
        json!([]),
    );
    unsupported(&scalar, &["0 dimensions"]);
    malformed(
        &with(zarr(), "/shape", json!([5, -3])),
        &["`shape` is [5,-3]"],
    );
}

#[test]
fn other_chunk_keys_are_refused() {
    for keys in [
        json!("v2"),
        json!("default"),
        json!({"name": "default", "configuration": {"separator": "/"}}),
        json!({"name": "v2", "configuration": {"separator": "."}}),
        json!({"name": "v2", "configuration": {"separator": "/", "more": 1}}),
    ] {
        let array = with(zarr(), "/chunk_key_encoding", keys.clone());
        unsupported(&array, &["`chunk_key_encoding`", &keys.to_string(), "`v2`"]);
    }
}

#[test]
fn one_dimension_needs_no_separator() {
    let array = with(zarr(), "/shape", json!([5]));
    let array = with(array, "/chunk_grid/configuration/chunk_shape", json!([3]));
    let array = with(
        array,
        "/codecs/0/configuration/codecs/0/configuration/order",
        json!([0]),
    );
    for keys in [
        json!("v2"),
        json!({"name": "v2", "configuration": {"separator": "."}}),
    ] {
        let document = stored_new(&with(array.clone(), "/chunk_key_encoding", keys));
        assert_eq!(document["dimensions"], json!([5]));
    }
}

#[test]
fn other_codecs_are_refused() {
    let n5_default = zarr()["codecs"][0].clone();
    for codecs in [
        json!([]),
        json!([{"name": "bytes", "configuration": {"endian": "big"}}]),
        json!(["crc32c", n5_default]),
    ] {
        unsupported(
            &with(zarr(), "/codecs", codecs),
            &["`codecs`", "exactly one codec"],
        );
    }
    malformed(
        &with(zarr(), "/codecs", json!("n5_default")),
        &["`codecs` is \"n5_default\""],
    );
}

#[test]
fn other_inner_codecs_are_refused() {
    let transpose = json!({"name": "transpose", "configuration": {"order": [0, 1]}});
    malformed(&inner(0, &transpose), &["[0,1]", "[1, 0]"]);
    let little = json!({"name": "bytes", "configuration": {"endian": "little"}});
    malformed(&inner(1, &little), &["little", "\"big\"", "uint16"]);
    malformed(
        &inner(1, &json!("bytes")),
        &["\"bytes\"", "\"big\"", "uint16"],
    );
    unsupported(&inner(2, &json!("crc32c")), &["`codecs`", "crc32c"]);
    malformed(&inner(2, &json!(5)), &["configuration", "5"]);
}

#[test]
fn another_configuration_is_refused() {
    for configuration in [
        json!(null),
        json!({}),
        json!({"codecs": []}),
        json!({"codecs": "transpose"}),
        json!({"codecs": zarr()["codecs"][0]["configuration"]["codecs"], "more": 1}),
    ] {
        let array = with(zarr(), "/codecs/0/configuration", configuration);
        malformed(&array, &["`codecs`", "configuration", "`transpose`"]);
    }
    malformed(
        &with(zarr(), "/codecs", json!(["n5_default"])),
        &["configuration"],
    );
}

#[test]
fn storage_transformers_are_refused() {
    let array = with(zarr(), "/storage_transformers", json!(["cache"]));
    unsupported(&array, &["`storage_transformers`", "[\"cache\"]"]);
    let array = with(zarr(), "/storage_transformers", json!([]));
    assert_eq!(stored_new(&array), n5());
}

#[test]
fn extensions_are_refused_unless_they_may_be_ignored() {
    for extension in [
        json!({"a": 1}),
        json!("x"),
        json!({"must_understand": true}),
    ] {
        let array = with(zarr(), "/extension", extension.clone());
        unsupported(&array, &["`extension`", &extension.to_string()]);
    }
    let array = with(
        zarr(),
        "/extension",
        json!({"must_understand": false, "a": 1}),
    );
    assert_eq!(stored_new(&array), n5());
}

#[test]
fn consolidated_metadata_are_dropped() {
    for consolidated in [
        json!(null),
        json!({"kind": "inline", "must_understand": false, "metadata": {}}),
    ] {
        let group = with(
            zarr_group(&json!({"a": 1})),
            "/consolidated_metadata",
            consolidated,
        );
        assert_eq!(stored_new(&group), json!({"a": 1}));
    }
}

#[test]
fn attributes_with_the_names_of_dataset_members_are_refused() {
    for name in [
        "dimensions",
        "blockSize",
        "dataType",
        "compression",
        "compressionType",
        "codecs",
    ] {
        let array = with(zarr(), &format!("/attributes/{name}"), json!(1));
        unsupported(&array, &[&format!("`{name}`")]);
    }
}

#[test]
fn a_group_like_a_dataset_is_refused() {
    let group = zarr_group(&json!({"dimensions": [1], "dataType": "uint8"}));
    unsupported(&group, &["`dimensions`", "`dataType`"]);
    let group = json!({"dataType": "uint8", "blockSize": [1]});
    assert_eq!(stored_new(&zarr_group(&group)), group);
}

#[test]
fn other_documents_are_refused() {
    unsupported(
        &with(zarr(), "/zarr_format", json!(2)),
        &["`zarr_format` is 2", "expected 3"],
    );
    unsupported(
        &with(zarr(), "/node_type", json!("table")),
        &["`node_type` is \"table\""],
    );
    malformed(
        &with(zarr(), "/attributes", json!([])),
        &["`attributes` is []"],
    );
    malformed(&json!([]), &["a JSON object is expected"]);
    for member in [
        "zarr_format",
        "node_type",
        "shape",
        "data_type",
        "chunk_grid",
        "chunk_key_encoding",
        "fill_value",
        "codecs",
    ] {
        malformed(
            &without(zarr(), member),
            &[&format!("`{member}` is missing")],
        );
    }
    let error = zarr_to_attributes(b"{\n\"a\": NaN}", None, PATH).unwrap_err();
    assert!(error.to_string().contains("line 2 column 6"), "{error}");
}

#[test]
fn what_n5tozarr_writes_is_read() {
    // By zarr-n5 0.3.0; `_n5` is the attributes.json that it was made from.
    let array = r#"{"shape": [7, 5], "data_type": "uint8",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4, 3]}},
        "chunk_key_encoding": {"name": "v2", "configuration": {"separator": "/"}}, "fill_value": 0,
        "codecs": [{"name": "n5_default", "configuration": {"codecs": [
            {"name": "transpose", "configuration": {"order": [1, 0]}}, {"name": "bytes"},
            {"name": "gzip", "configuration": {"level": 6}}]}}],
        "attributes": {"_n5": {"n5": "4.0.0", "dimensions": [7, 5], "blockSize": [4, 3], "dataType": "uint8",
            "compression": {"type": "gzip", "useZlib": false, "level": 6}}},
        "zarr_format": 3, "node_type": "array", "storage_transformers": []}"#;
    let array: Value = serde_json::from_str(array).unwrap();
    let existing = array["attributes"]["_n5"].to_string();
    assert_eq!(stored(&array, Some(&existing), "/"), None);
    let new: Value = serde_json::from_str(&stored(&array, None, "/").unwrap()).unwrap();
    let expected = array["attributes"]["_n5"].clone();
    assert_eq!(new, with(expected, "/n5", json!("2.0.0")));
}
