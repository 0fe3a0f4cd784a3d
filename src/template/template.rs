//! A template, parsed and checked.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::configuration::TemplateChunkKeyEncodingConfiguration;
use super::error::TemplateError;
use super::literal::check_separator;
use super::named_dimensions::NamedDimensions;
use super::parser::parse;
use super::part::Part;

/// A chunk key template, parsed once so that making a key is cheap.
///
/// [`Template::new`] checks everything that does not depend on the dimensionality of the array.
/// What depends on it is checked by each method that takes a dimensionality.
///
/// [`Display`](fmt::Display) gives the template as it was written, and [`FromStr`] reads one that
/// needs no separator. `serde` reads and writes the `configuration` object of a `zarr.json`, with
/// the members `format` and `separator`.
///
/// ```
/// use zarrs_interop::template::Template;
///
/// let template = Template::new("images/{-1}/{*:04}.jpeg", Some("_"))?;
/// let key = template.encode(&[11, 22, 33])?;
/// assert_eq!(key.as_str(), "images/33/0011_0022.jpeg");
/// assert_eq!(template.decode(key.as_str(), 3)?, [11, 22, 33]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    try_from = "TemplateChunkKeyEncodingConfiguration",
    into = "TemplateChunkKeyEncodingConfiguration"
)]
pub struct Template {
    /// The template as it was written.
    format: String,
    /// Kept for writing it back even where no `{*}` needs it.
    separator: Option<String>,
    pub(super) parts: Vec<Part>,
    pub(super) named: NamedDimensions,
    /// The size of all literal text in bytes.
    pub(super) literal_size: usize,
    /// The largest width of a number, in digits.
    pub(super) widest: usize,
}

impl Template {
    /// Parses the template `format`. `{*}` requires a `separator`. Without `{*}` the separator is
    /// kept, but has no effect.
    ///
    /// # Errors
    /// [`TemplateError`] for everything that is wrong at every dimensionality.
    pub fn new(format: &str, separator: Option<&str>) -> Result<Self, TemplateError> {
        let mut named = NamedDimensions::default();
        let parts = parse(format, |expression| {
            named.add(expression, separator.is_some())
        })?;
        if named.is_empty() {
            return Err(TemplateError::NoExpression);
        }
        if let Some(separator) = separator {
            check_separator(separator)?;
        }
        let literal_size = parts.iter().map(Part::literal_size).sum();
        let widest = parts.iter().map(Part::width).max().unwrap_or(0);
        Ok(Self {
            format: format.to_owned(),
            separator: separator.map(str::to_owned),
            parts,
            named,
            literal_size,
            widest,
        })
    }

    /// Returns the template as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.format
    }

    /// Returns the text between the indices that `{*}` stands for.
    #[must_use]
    pub fn separator(&self) -> Option<&str> {
        self.separator.as_deref()
    }

    /// Returns the separator of a `{*}`, which cannot be without one.
    pub(super) fn catch_all_separator(&self) -> &str {
        self.separator.as_deref().unwrap_or_default()
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.format)
    }
}

/// Parses a template that has no separator, and so no `{*}`.
impl FromStr for Template {
    type Err = TemplateError;

    fn from_str(format: &str) -> Result<Self, TemplateError> {
        Self::new(format, None)
    }
}

impl TryFrom<TemplateChunkKeyEncodingConfiguration> for Template {
    type Error = TemplateError;

    fn try_from(
        configuration: TemplateChunkKeyEncodingConfiguration,
    ) -> Result<Self, TemplateError> {
        Self::new(&configuration.format, configuration.separator.as_deref())
    }
}

impl From<Template> for TemplateChunkKeyEncodingConfiguration {
    fn from(template: Template) -> Self {
        Self {
            format: template.format,
            separator: template.separator,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_and_from_str_keep_the_text() {
        let text = "{2}/é{{{-1:04}}}";
        assert_eq!(text.parse::<Template>().unwrap().to_string(), text);
    }

    /// Keeping them in a sorted list would take minutes.
    #[test]
    fn two_hundred_thousand_indices_in_falling_order_are_read() {
        let indices: Vec<u64> = (0..200_000).rev().collect();
        let expressions: Vec<_> = indices.iter().map(|n| format!("{{{n}}}")).collect();
        let template: Template = expressions.join("/").parse().unwrap();
        let key = template.encode(&indices).unwrap();
        assert!(key.as_str().starts_with("0/1/2/"));
        assert_eq!(template.decode(key.as_str(), 200_000).unwrap(), indices);
    }

    #[test]
    fn from_str_has_no_separator_for_a_catch_all() {
        let error = "a{*}".parse::<Template>().unwrap_err();
        assert!(matches!(
            error,
            TemplateError::MissingSeparator { offset: 1 }
        ));
    }

    #[test]
    fn serde_writes_the_members_of_a_zarr_json() {
        let template = Template::new("{*}", Some("/")).unwrap();
        let json = serde_json::to_string(&template).unwrap();
        assert_eq!(json, r#"{"format":"{*}","separator":"/"}"#);
        assert_eq!(serde_json::from_str::<Template>(&json).unwrap(), template);
    }

    #[test]
    fn serde_gives_our_text_for_a_bad_template() {
        let error = serde_json::from_str::<Template>(r#"{"format":"{0}}"}"#).unwrap_err();
        assert!(
            error.to_string().contains("closing brace at byte 3"),
            "{error}"
        );
    }

    #[test]
    fn an_unused_separator_is_kept() {
        let template = Template::new("{0}", Some("/")).unwrap();
        assert_eq!(template.separator(), Some("/"));
        assert_eq!(
            serde_json::to_string(&template).unwrap(),
            r#"{"format":"{0}","separator":"/"}"#
        );
    }

    #[test]
    fn an_unused_separator_is_checked_all_the_same() {
        let error = Template::new("{0}", Some("..")).unwrap_err();
        assert!(matches!(
            error,
            TemplateError::ForbiddenSeparator { offset: 0, .. }
        ));
    }
}
