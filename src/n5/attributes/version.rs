//! The member `n5`, the version of the format.

use serde_json::{Map, Value};

use super::json::quote;
use super::{AttributesError, VERSION};

/// The newest major version that is read.
pub(super) const MAX_MAJOR: u64 = 4;

/// Refuses documents of a newer major version, as the reference implementation does.
///
/// A version that is absent, or that does not begin with a number, is fine.
pub(crate) fn check_version(
    document: &Map<String, Value>,
    node_path: &str,
) -> Result<(), AttributesError> {
    match document.get(VERSION) {
        Some(version) if major(version).is_some_and(|major| major > MAX_MAJOR) => {
            Err(AttributesError::Version {
                node_path: node_path.to_owned(),
                found: quote(version),
            })
        }
        _ => Ok(()),
    }
}

/// The number that the version begins with. Gson reads a JSON number as a string, too.
fn major(version: &Value) -> Option<u64> {
    match version {
        Value::String(text) => leading_number(text),
        Value::Number(number) => leading_number(&number.to_string()),
        _ => None,
    }
}

/// `None` without digits; a number too long for 64 bits is the largest one.
fn leading_number(text: &str) -> Option<u64> {
    let end = text
        .find(|character: char| !character.is_ascii_digit())
        .unwrap_or(text.len());
    let digits = text.get(..end).filter(|digits| !digits.is_empty())?;
    Some(digits.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(version: Value) -> Result<(), AttributesError> {
        let mut document = Map::new();
        document.insert(VERSION.to_owned(), version);
        check_version(&document, "/")
    }

    #[test]
    fn versions_up_to_4_pass() {
        for version in ["4.0.0", "4.9", "2.0.3-SNAPSHOT", "1.2", "1", "0.0.1"] {
            assert!(check(json!(version)).is_ok(), "{version}");
        }
        assert!(check_version(&Map::new(), "/").is_ok());
    }

    #[test]
    fn an_unparsable_version_passes() {
        for version in [json!(""), json!("v5"), json!(null), json!([5]), json!(true)] {
            assert!(check(version.clone()).is_ok(), "{version}");
        }
    }

    #[test]
    fn a_newer_major_version_is_refused() {
        for version in [
            json!("5.0.0"),
            json!("10"),
            json!(5),
            json!("99999999999999999999999.0"),
        ] {
            let error = check(version.clone()).unwrap_err();
            assert!(error.is_unsupported());
            let text = error.to_string();
            assert!(text.contains(&version.to_string()), "{text}");
            assert!(text.contains("`n5`"), "{text}");
        }
    }
}
