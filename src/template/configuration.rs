//! The `configuration` object of the `template` chunk key encoding.

use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;
use zarrs_metadata::ConfigurationSerialize;

/// The `configuration` object of the `template` chunk key encoding. The template in it has not been
/// parsed.
///
/// The specification calls the template `format` in its examples and `template` in its table. Both
/// are read, and `format` is written. Members other than these and `separator` are refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Members")]
pub struct TemplateChunkKeyEncodingConfiguration {
    /// The template, such as `images/{-1}/{*:04}.jpeg`.
    pub format: String,
    /// The text between the indices that `{*}` stands for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub separator: Option<String>,
}

impl ConfigurationSerialize for TemplateChunkKeyEncodingConfiguration {}

/// The members as a document has them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    #[serde(default, deserialize_with = "string")]
    format: Option<String>,
    #[serde(default, deserialize_with = "string")]
    template: Option<String>,
    /// `null` is no separator: `template_cke` writes it for every template without one.
    separator: Option<String>,
}

/// Reads a member that must be a string where it is present: `null` is refused.
fn string<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    String::deserialize(deserializer).map(Some)
}

/// Why the members are not a configuration. `serde` keeps the text only.
#[derive(Debug, Error)]
enum MembersError {
    #[error("the members `format` ({format:?}) and `template` ({template:?}) differ: keep one")]
    Different { format: String, template: String },
    #[error("missing member `format` (or `template`), the template string")]
    Missing,
}

impl TryFrom<Members> for TemplateChunkKeyEncodingConfiguration {
    type Error = MembersError;

    fn try_from(members: Members) -> Result<Self, MembersError> {
        let format = match (members.format, members.template) {
            (Some(format), Some(template)) if format != template => {
                return Err(MembersError::Different { format, template });
            }
            (Some(format), _) | (None, Some(format)) => format,
            (None, None) => return Err(MembersError::Missing),
        };
        Ok(Self {
            format,
            separator: members.separator,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<TemplateChunkKeyEncodingConfiguration, String> {
        serde_json::from_str(json).map_err(|error| error.to_string())
    }

    #[test]
    fn both_names_of_the_template_are_read_and_format_is_written() {
        for json in [
            r#"{"format":"{*}","separator":"/"}"#,
            r#"{"template":"{*}","separator":"/"}"#,
            r#"{"format":"{*}","template":"{*}","separator":"/"}"#,
        ] {
            let written = serde_json::to_string(&read(json).unwrap()).unwrap();
            assert_eq!(written, r#"{"format":"{*}","separator":"/"}"#);
        }
    }

    #[test]
    fn an_absent_separator_stays_absent() {
        let written = serde_json::to_string(&read(r#"{"format":"{0}"}"#).unwrap()).unwrap();
        assert_eq!(written, r#"{"format":"{0}"}"#);
    }

    /// As `template_cke` writes it.
    #[test]
    fn a_separator_of_null_is_absent() {
        let configuration = read(r#"{"format":"{0}/{1}","separator":null}"#).unwrap();
        assert_eq!(configuration.separator, None);
        let written = serde_json::to_string(&configuration).unwrap();
        assert_eq!(written, r#"{"format":"{0}/{1}"}"#);
    }

    #[test]
    fn two_different_templates_are_refused() {
        let error = read(r#"{"format":"{0}","template":"{1}"}"#).unwrap_err();
        assert!(error.contains("differ"), "{error}");
    }

    #[test]
    fn no_template_is_refused() {
        let error = read(r#"{"separator":"/"}"#).unwrap_err();
        assert!(error.contains("missing member `format`"), "{error}");
    }

    #[test]
    fn unknown_members_are_refused() {
        let error = read(r#"{"format":"{0}","width":3}"#).unwrap_err();
        assert!(error.contains("unknown field `width`"), "{error}");
    }

    #[test]
    fn members_that_are_not_strings_are_refused() {
        for json in [
            r#"{"format":"{0}","separator":3}"#,
            r#"{"format":3}"#,
            r#"{"format":null,"template":"{0}"}"#,
            r#"{"template":null}"#,
        ] {
            let error = read(json).unwrap_err();
            assert!(error.contains("expected a string"), "{error}");
        }
    }
}
