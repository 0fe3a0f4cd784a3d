//! The member `n5`, the version of the format.

use crate::n5::error_text::shortened;
use crate::n5::json::decoded;
use crate::n5::metadata_error::MetadataErrorKind;

/// The member with the version of the format.
pub(crate) const VERSION: &str = "n5";

/// The version that a new root gets, as JSON text. Blocks in default mode are the same since 1.0,
/// and every reader takes this one; 4.0.0 would shut out n5 2.x of Java, rust-n5 and pyn5.
pub(crate) const NEW_VERSION: &str = "\"2.0.0\"";

/// The newest major version that is read.
const MAX_MAJOR: u64 = 4;

/// Refuses documents of a newer major version, as the reference implementation does. `version` is
/// the JSON text of the member, if there is one.
///
/// A version that is absent, or that does not begin with a number, is fine.
pub(crate) fn check_version(version: Option<&str>) -> Result<(), MetadataErrorKind> {
    match version {
        Some(version) if major(version).is_some_and(|major| major > MAX_MAJOR) => {
            Err(MetadataErrorKind::UnsupportedMember {
                member: VERSION,
                found: shortened(version),
                expected: format!("major version {MAX_MAJOR} or older"),
            })
        }
        _ => Ok(()),
    }
}

/// The number that the version begins with. Gson reads a JSON number as a string, too.
fn major(version: &str) -> Option<u64> {
    leading_number(&decoded(version))
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
    use crate::n5::metadata_error::{MetadataDocument, MetadataError};
    use serde_json::{Value, json};

    fn check(version: &Value) -> Result<(), MetadataErrorKind> {
        check_version(Some(&version.to_string()))
    }

    #[test]
    fn versions_up_to_4_pass() {
        for version in ["4.0.0", "4.9", "2.0.3-SNAPSHOT", "1.2", "1", "0.0.1"] {
            assert!(check(&json!(version)).is_ok(), "{version}");
        }
        assert!(check_version(None).is_ok());
    }

    #[test]
    fn an_unparsable_version_passes() {
        for version in [json!(""), json!("v5"), json!(null), json!([5]), json!(true)] {
            assert!(check(&version).is_ok(), "{version}");
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
            let error = check(&version).unwrap_err();
            let error = MetadataError::new("/", MetadataDocument::N5, error);
            assert!(error.is_unsupported());
            let text = error.to_string();
            assert!(text.contains(&version.to_string()), "{text}");
            assert!(text.contains("`n5`"), "{text}");
        }
    }
}
