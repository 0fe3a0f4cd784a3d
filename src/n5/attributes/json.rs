//! Small helpers for reading JSON documents that other programs wrote.

use serde_json::{Map, Value};
use thiserror::Error;

/// The most characters of an unexpected value that an error text quotes.
const MAX_QUOTED: usize = 80;

/// The most levels of objects and lists in an `attributes.json`. `serde_json` reads 127, and a `zarr.json` has its
/// attributes one level deeper.
const MAX_DEPTH: usize = 126;

/// A metadata document is not a JSON object.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// The bytes are not JSON. The text of the source names line and column.
    #[error("not valid JSON (plain JSON is expected, without comments or NaN): {0}")]
    NotJson(#[source] serde_json::Error),
    /// The bytes are JSON, but not an object.
    #[error("a JSON object is expected, found {found}")]
    NotAnObject {
        /// The JSON value that was found, shortened.
        found: String,
    },
    /// The document has too many levels of objects and lists for a `zarr.json` that holds it.
    #[error(
        "objects and lists are nested in more than {MAX_DEPTH} levels, the most that a zarr.json has room for"
    )]
    TooDeep,
}

/// Parses a JSON object. The order of its members is kept; a UTF-8 byte order mark is skipped.
pub(crate) fn parse_object(bytes: &[u8]) -> Result<Map<String, Value>, DocumentError> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match serde_json::from_slice(bytes).map_err(DocumentError::NotJson)? {
        Value::Object(document) => Ok(document),
        other => Err(DocumentError::NotAnObject {
            found: quote(&other),
        }),
    }
}

/// Refuses a document that would be too deep as the attributes of a `zarr.json`.
pub(crate) fn check_depth(document: &Map<String, Value>) -> Result<(), DocumentError> {
    let below = MAX_DEPTH - 1;
    if document.values().any(|value| is_deeper(value, below)) {
        Err(DocumentError::TooDeep)
    } else {
        Ok(())
    }
}

/// Whether objects and lists are nested in more than `levels`.
fn is_deeper(value: &Value, levels: usize) -> bool {
    let Some(below) = levels.checked_sub(1) else {
        return value.is_array() || value.is_object();
    };
    match value {
        Value::Array(items) => items.iter().any(|item| is_deeper(item, below)),
        Value::Object(members) => members.values().any(|member| is_deeper(member, below)),
        _ => false,
    }
}

/// The bytes of a document as this crate writes it: indented by two spaces, members in their order.
pub(crate) fn to_bytes(document: Map<String, Value>) -> Vec<u8> {
    format!("{:#}", Value::Object(document)).into_bytes()
}

/// A JSON value for an error text, shortened to a readable length.
pub(crate) fn quote(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// A whole number from 0 to 2^64 - 1, also when it is written as `3.0` or `3e0`.
pub(crate) fn whole_number(value: &Value) -> Option<u64> {
    const TWO_POW_64: f64 = 18_446_744_073_709_551_616.0;
    if let Some(number) = value.as_u64() {
        return Some(number);
    }
    let number = value.as_f64()?;
    let is_whole = number.trunc().to_bits() == number.to_bits();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the number is whole and in the range of u64"
    )]
    (is_whole && (0.0..TWO_POW_64).contains(&number)).then_some(number as u64)
}

/// A list of whole numbers.
pub(crate) fn whole_numbers(value: &Value) -> Option<Vec<u64>> {
    value.as_array()?.iter().map(whole_number).collect()
}

/// A list of exactly `len` strings.
pub(crate) fn strings(value: &Value, len: usize) -> Option<Vec<&str>> {
    let items = value.as_array().filter(|items| items.len() == len)?;
    items.iter().map(Value::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn whole_numbers_may_be_written_as_floats() {
        assert_eq!(whole_number(&json!(3)), Some(3));
        assert_eq!(whole_number(&json!(3.0)), Some(3));
        assert_eq!(whole_number(&json!(0.0)), Some(0));
        assert_eq!(whole_number(&json!(u64::MAX)), Some(u64::MAX));
        assert_eq!(whole_number(&json!(1e3)), Some(1000));
    }

    #[test]
    fn other_values_are_not_whole_numbers() {
        for value in [
            json!(3.5),
            json!(-1),
            json!(-1.0),
            json!(1e300),
            json!(18_446_744_073_709_551_616.0),
            json!("3"),
            json!(null),
            json!([3]),
        ] {
            assert_eq!(whole_number(&value), None, "{value}");
        }
    }

    #[test]
    fn long_values_are_shortened_between_characters() {
        let quoted = quote(&json!("ü".repeat(500)));
        assert_eq!(quoted.chars().count(), MAX_QUOTED + 1);
        assert!(quoted.ends_with("ü…"), "{quoted}");
        assert_eq!(quote(&json!([1, "x"])), r#"[1,"x"]"#);
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        let document = parse_object(b"\xEF\xBB\xBF{\"a\":1}").unwrap();
        assert_eq!(document.get("a"), Some(&json!(1)));
    }
}
