//! What other programs write that is not JSON, and documents without any.

use super::*;

#[test]
fn nan_in_a_member_of_the_layout_is_an_error_with_line_and_column() {
    let document = good().to_string().replace("10,8", "\nNaN,8");
    let document = document.replace("4.0,4.0", "NaN,Infinity");
    let error = N5Metadata::parse(document.as_bytes(), PATH).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains(PATH) && text.contains("expected value at line 2 column 1"),
        "{text}"
    );
    assert!(!error.is_unsupported());
}

#[test]
fn a_number_beyond_floating_point_in_the_layout_says_so() {
    let document = good().to_string().replace("[23,", "[1e400,");
    let error = N5Metadata::parse(document.as_bytes(), PATH).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("the number 1e400 at line 1 column"), "{text}");
    assert!(!text.contains("valid JSON"), "{text}");
}

#[test]
fn numbers_that_json_lacks_are_strings_in_other_members() {
    let text = r#"{"n5": NaN, "NaN": [NaN, -Infinity, {"a": Infinity}], "b": -1e400, "c": "NaN"}"#;
    let metadata = N5Metadata::parse(text.as_bytes(), PATH).unwrap();
    assert_eq!(
        Value::from(metadata.to_json()),
        json!({
            "n5": "NaN", "NaN": ["NaN", "-Infinity", {"a": "Infinity"}], "b": "-Infinity", "c": "NaN"
        })
    );
    let document = good().to_string().replace("40.5", "NaN");
    let N5Metadata::Dataset(dataset) = N5Metadata::parse(document.as_bytes(), PATH).unwrap() else {
        panic!("a group");
    };
    assert_eq!(dataset.attributes()["resolution"], json!([4.0, 4.0, "NaN"]));
}

#[test]
fn axes_with_nan_are_no_names() {
    let document = with("axes", json!(["x", "y", "z"])).to_string();
    let document = document.replace("\"z\"", "NaN");
    let N5Metadata::Dataset(dataset) = N5Metadata::parse(document.as_bytes(), PATH).unwrap() else {
        panic!("a group");
    };
    assert_eq!(dataset.axes(), None);
}

#[test]
fn a_comment_is_an_error_with_line_and_column() {
    let error = N5Metadata::parse(b"{\n// note\n\"a\": 1}", PATH).unwrap_err();
    assert!(error.to_string().contains("line 2 column 1"), "{error}");
}

#[test]
fn a_document_without_any_json_has_no_members() {
    for document in [&b""[..], b"\xEF\xBB\xBF", b" \n"] {
        let metadata = N5Metadata::parse(document, PATH).unwrap();
        assert_eq!(metadata, N5Metadata::Group(GroupAttributes::default()));
    }
}

#[test]
fn invalid_utf8_is_an_error() {
    let error = N5Metadata::parse(b"{\"a\": \"\xff\"}", PATH).unwrap_err();
    assert!(error.to_string().contains("line 1 column"), "{error}");
}

#[test]
fn deep_nesting_is_an_error() {
    let document = "[".repeat(100_000);
    let error = N5Metadata::parse(document.as_bytes(), PATH).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("more than 126 levels") && text.contains("column 127"),
        "{text}"
    );
    assert!(!text.contains("valid JSON"), "{text}");
}

#[test]
fn a_document_that_is_no_object() {
    for document in [json!([]), json!("x"), json!(null), json!(3)] {
        malformed(&document, &["object is expected", &document.to_string()]);
    }
}
