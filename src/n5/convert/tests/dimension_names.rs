//! `dimension_names` and `axes`.

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
fn equal_names_do_not_become_axes() {
    unsupported(
        &named(json!(["x", "x"])),
        &["`dimension_names` is [\"x\",\"x\"]", "a different name"],
    );
    assert_eq!(stored_new(&named(json!(["", ""])))["axes"], json!(["", ""]));
}

#[test]
fn equal_axes_of_another_writer_are_an_attribute_only() {
    let document = with(n5(), "/axes", json!(["x", "x"]));
    let array = to_zarr(&document);
    assert_eq!(array.get("dimension_names"), None);
    assert_eq!(array["attributes"]["axes"], json!(["x", "x"]));
    assert_eq!(stored(&array, Some(&document.to_string()), PATH), None);
    let array = with(array, "/dimension_names", json!(["x", "x"]));
    assert_eq!(stored(&array, Some(&document.to_string()), PATH), None);
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
