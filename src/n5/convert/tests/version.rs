//! The member `n5`.

use super::*;

fn root(attributes: &Value, existing: Option<&str>) -> Option<String> {
    stored(&zarr_group(attributes), existing, "/")
}

#[test]
fn a_new_root_gets_one_in_front() {
    assert_eq!(
        root(&json!({"a": 1}), None).unwrap(),
        r#"{"n5":"2.0.0","a":1}"#
    );
    let dataset = stored(&zarr(), None, "/").unwrap();
    assert!(
        dataset.starts_with(r#"{"n5":"2.0.0","dimensions""#),
        "{dataset}"
    );
}

#[test]
fn a_root_without_one_gets_one() {
    let text = root(&json!({"a": 1}), Some(r#"{"a":1}"#)).unwrap();
    assert_eq!(text, r#"{"a":1,"n5":"2.0.0"}"#);
    assert_eq!(
        root(&json!({"n5": null}), None).unwrap(),
        r#"{"n5":"2.0.0"}"#
    );
}

#[test]
fn an_older_one_is_left_alone() {
    assert_eq!(root(&json!({"n5": "1.2"}), Some(r#"{"n5":"1.2"}"#)), None);
    assert_eq!(
        root(&json!({"n5": "1.2"}), None).unwrap(),
        r#"{"n5":"1.2"}"#
    );
}

#[test]
fn it_survives_new_attributes() {
    let text = root(&json!({"a": 1}), Some(r#"{"n5":"2.5.0","b":1}"#)).unwrap();
    assert_eq!(text, r#"{"n5":"2.5.0","a":1}"#);
}

#[test]
fn a_node_below_the_root_gets_none() {
    assert_eq!(stored(&zarr_group(&json!({})), None, "/a").unwrap(), "{}");
}

#[test]
fn a_newer_one_is_refused() {
    refused(
        &zarr_group(&json!({"n5": "5.0.0"})),
        None,
        &["`n5`", "5.0.0"],
    );
}
