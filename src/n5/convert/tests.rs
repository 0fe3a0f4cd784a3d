use serde_json::json;

use super::*;

const PATH: &str = "/volumes/raw";

/// An N5 dataset of two dimensions.
fn n5() -> Value {
    json!({
        "dimensions": [5, 3],
        "blockSize": [3, 2],
        "dataType": "uint16",
        "compression": {"type": "gzip", "useZlib": false, "level": 6},
        "resolution": [4.0, 40.5]
    })
}

/// The Zarr array of [`n5`].
fn zarr() -> Value {
    json!({
        "zarr_format": 3,
        "node_type": "array",
        "shape": [5, 3],
        "data_type": "uint16",
        "chunk_grid": {"name": "zarrs.regular_bounded", "configuration": {"chunk_shape": [3, 2]}},
        "chunk_key_encoding": {"name": "v2", "configuration": {"separator": "/"}},
        "fill_value": 0,
        "codecs": [{"name": "n5_default", "configuration": {"codecs": [
            {"name": "transpose", "configuration": {"order": [1, 0]}},
            {"name": "bytes", "configuration": {"endian": "big"}},
            {"name": "gzip", "configuration": {"level": 6}}
        ]}}],
        "attributes": {"resolution": [4.0, 40.5]}
    })
}

fn zarr_group(attributes: Value) -> Value {
    json!({"zarr_format": 3, "node_type": "group", "attributes": attributes})
}

fn with(mut document: Value, pointer: &str, value: Value) -> Value {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    document.pointer_mut(parent).unwrap()[name] = value;
    document
}

/// The Zarr array with one codec inside `n5_default` replaced.
fn inner(index: usize, codec: &Value) -> Value {
    let mut array = zarr();
    array["codecs"][0]["configuration"]["codecs"][index] = codec.clone();
    array
}

fn without(mut document: Value, member: &str) -> Value {
    document
        .as_object_mut()
        .unwrap()
        .shift_remove(member)
        .unwrap();
    document
}

fn to_zarr(document: &Value) -> Value {
    let bytes =
        attributes_to_zarr(document.to_string().as_bytes(), PATH, ChunkGrid::default()).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

fn store(zarr: &Value, existing: Option<&str>, path: &str) -> Result<Option<String>, ConvertError> {
    let existing = existing.map(str::as_bytes);
    let bytes = zarr_to_attributes(zarr.to_string().as_bytes(), existing, path)?;
    Ok(bytes.map(|bytes| String::from_utf8(bytes).unwrap()))
}

/// The new document, in one line and with its order.
fn stored(zarr: &Value, existing: Option<&str>, path: &str) -> Option<String> {
    store(zarr, existing, path)
        .unwrap()
        .map(|text| serde_json::from_str::<Value>(&text).unwrap().to_string())
}

fn stored_new(zarr: &Value) -> Value {
    serde_json::from_str(&stored(zarr, None, PATH).unwrap()).unwrap()
}

/// The error of storing a document, whose text must hold the node path and all of `parts`.
fn refused(zarr: &Value, existing: Option<&str>, parts: &[&str]) -> ConvertError {
    let error = store(zarr, existing, PATH).unwrap_err();
    let text = error.to_string();
    for part in [&[PATH], parts].concat() {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
    error
}

fn malformed(zarr: &Value, parts: &[&str]) {
    let error = refused(zarr, None, parts);
    assert!(!error.is_unsupported(), "{error}");
}

fn unsupported(zarr: &Value, parts: &[&str]) {
    let error = refused(zarr, None, parts);
    assert!(error.is_unsupported(), "{error}");
}

mod attributes_to_zarr {
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
        let array = super::attributes_to_zarr(&bytes, PATH, ChunkGrid::Regular).unwrap();
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
        let bytes = super::attributes_to_zarr(text.as_bytes(), "/", ChunkGrid::default()).unwrap();
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
        let convert = || super::attributes_to_zarr(&bytes, PATH, ChunkGrid::default()).unwrap();
        assert_eq!(convert(), convert());
    }

    #[test]
    fn an_unsupported_dataset_is_an_error() {
        let document = with(n5(), "/compression/type", json!("jpeg")).to_string();
        let error =
            super::attributes_to_zarr(document.as_bytes(), PATH, ChunkGrid::default()).unwrap_err();
        assert!(error.is_unsupported());
        assert!(error.to_string().contains("`jpeg`"), "{error}");
        assert!(error.to_string().contains(PATH), "{error}");
    }

    #[test]
    fn a_malformed_dataset_is_an_error() {
        let document = without(n5(), "blockSize").to_string();
        let error =
            super::attributes_to_zarr(document.as_bytes(), PATH, ChunkGrid::default()).unwrap_err();
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
}

mod zarr_to_attributes {
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
        let text = store(&zarr_group(json!({"a": 1})), None, PATH).unwrap();
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
        malformed(&chunks(json!([3])), &["1 entries", "expected 2"]);
        malformed(&chunks(json!([3, 0])), &["0 in dimension 1"]);
        unsupported(
            &chunks(json!([3, 1_u64 << 32])),
            &["4294967296 in dimension 1"],
        );
        unsupported(
            &chunks(json!([65536, 65536])),
            &["[65536, 65536]", "2147483648"],
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
                zarr_group(json!({"a": 1})),
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
        let group = zarr_group(json!({"dimensions": [1], "dataType": "uint8"}));
        unsupported(&group, &["`dimensions`", "`dataType`"]);
        let group = json!({"dataType": "uint8", "blockSize": [1]});
        assert_eq!(stored_new(&zarr_group(group.clone())), group);
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
        let error = super::zarr_to_attributes(b"{\n\"a\": NaN}", None, PATH).unwrap_err();
        assert!(error.to_string().contains("line 2 column 6"), "{error}");
    }
}

mod dimension_names {
    use super::*;

    fn named(names: Value) -> Value {
        with(zarr(), "/dimension_names", names)
    }

    #[test]
    fn they_become_axes() {
        assert_eq!(
            stored_new(&named(json!(["x", "y"]))),
            with(n5(), "/axes", json!(["x", "y"]))
        );
    }

    #[test]
    fn equal_axes_stay_where_they_are() {
        let array = named(json!(["x", "y"]));
        let array = with(array, "/attributes", json!({"axes": ["x", "y"], "z": 1}));
        let text = stored(&array, None, PATH).unwrap();
        assert!(text.ends_with(r#""axes":["x","y"],"z":1}"#), "{text}");
    }

    #[test]
    fn no_names_leave_the_attribute_alone() {
        for names in [json!(null), json!([null, null])] {
            let array = with(named(names), "/attributes/axes", json!({"free": "form"}));
            assert_eq!(stored_new(&array)["axes"], json!({"free": "form"}));
        }
    }

    #[test]
    fn some_names_are_refused() {
        unsupported(
            &named(json!(["x", null])),
            &["`dimension_names`", "[\"x\",null]"],
        );
    }

    #[test]
    fn a_wrong_list_is_refused() {
        for names in [json!(["x"]), json!("xy"), json!(["x", 1])] {
            malformed(
                &named(names.clone()),
                &["`dimension_names`", &names.to_string()],
            );
        }
    }

    #[test]
    fn different_axes_are_refused() {
        let array = with(
            named(json!(["x", "y"])),
            "/attributes/axes",
            json!(["y", "x"]),
        );
        unsupported(&array, &["[\"x\",\"y\"]", "[\"y\",\"x\"]"]);
    }

    #[test]
    fn of_different_axes_the_changed_one_wins() {
        let existing = with(n5(), "/axes", json!(["x", "y"])).to_string();
        let axes = |names: Value, attribute: Value| {
            let array = with(named(names), "/attributes/axes", attribute);
            stored(&array, Some(&existing), PATH)
                .map(|text| serde_json::from_str::<Value>(&text).unwrap()["axes"].clone())
        };
        assert_eq!(
            axes(json!(["x", "y"]), json!(["a", "b"])),
            Some(json!(["a", "b"]))
        );
        assert_eq!(
            axes(json!(["a", "b"]), json!(["x", "y"])),
            Some(json!(["a", "b"]))
        );
        assert_eq!(axes(json!(["x", "y"]), json!(["x", "y"])), None);
        let array = with(
            named(json!(["a", "b"])),
            "/attributes/axes",
            json!(["c", "d"]),
        );
        refused(&array, Some(&existing), &["[\"a\",\"b\"]", "[\"c\",\"d\"]"]);
    }
}

mod existing {
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
        let group = zarr_group(json!({"b": 1, "a": 2}));
        assert_eq!(stored(&group, Some(r#"{"a":2,"b":1}"#), PATH), None);
    }

    #[test]
    fn an_attribute_that_is_gone_is_gone() {
        let group = zarr_group(json!({"a": 2}));
        assert_eq!(
            stored(&group, Some(r#"{"a":2,"b":1}"#), PATH).unwrap(),
            r#"{"a":2}"#
        );
    }

    #[test]
    fn a_new_attribute_comes_last() {
        let group = zarr_group(json!({"new": 0, "b": 1, "a": 2}));
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
        let group = zarr_group(json!({"a": 1}));
        let new = stored(&group, Some(&n5().to_string()), PATH).unwrap();
        assert_eq!(new, r#"{"a":1}"#);
    }

    #[test]
    fn a_broken_document_is_not_overwritten() {
        let error = refused(
            &zarr(),
            Some("{\"a\": NaN}"),
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
}

mod version {
    use super::*;

    fn root(attributes: Value, existing: Option<&str>) -> Option<String> {
        stored(&zarr_group(attributes), existing, "/")
    }

    #[test]
    fn a_new_root_gets_one_in_front() {
        assert_eq!(
            root(json!({"a": 1}), None).unwrap(),
            r#"{"n5":"4.0.0","a":1}"#
        );
        let dataset = stored(&zarr(), None, "/").unwrap();
        assert!(
            dataset.starts_with(r#"{"n5":"4.0.0","dimensions""#),
            "{dataset}"
        );
    }

    #[test]
    fn a_root_without_one_gets_one() {
        let text = root(json!({"a": 1}), Some(r#"{"a":1}"#)).unwrap();
        assert_eq!(text, r#"{"a":1,"n5":"4.0.0"}"#);
        assert_eq!(
            root(json!({"n5": null}), None).unwrap(),
            r#"{"n5":"4.0.0"}"#
        );
    }

    #[test]
    fn an_older_one_is_left_alone() {
        assert_eq!(root(json!({"n5": "1.2"}), Some(r#"{"n5":"1.2"}"#)), None);
        assert_eq!(root(json!({"n5": "1.2"}), None).unwrap(), r#"{"n5":"1.2"}"#);
    }

    #[test]
    fn it_survives_new_attributes() {
        let text = root(json!({"a": 1}), Some(r#"{"n5":"2.5.0","b":1}"#)).unwrap();
        assert_eq!(text, r#"{"n5":"2.5.0","a":1}"#);
    }

    #[test]
    fn a_node_below_the_root_gets_none() {
        assert_eq!(stored(&zarr_group(json!({})), None, "/a").unwrap(), "{}");
    }

    #[test]
    fn a_newer_one_is_refused() {
        refused(
            &zarr_group(json!({"n5": "5.0.0"})),
            None,
            &["`n5`", "5.0.0"],
        );
    }
}
