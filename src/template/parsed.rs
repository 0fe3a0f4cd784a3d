//! A template that has been read and checked.

use std::collections::BTreeSet;
use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::configuration::TemplateChunkKeyEncodingConfiguration;
use super::error::TemplateError;
use super::literal::check_separator;
use super::parser::{Expression, Index, Part, parse};

/// A chunk key template, read once so that making a key is cheap.
///
/// Everything that can be told without the number of dimensions is checked when it is made. What
/// depends on it is checked by each method that is given a rank.
///
/// [`Display`](fmt::Display) gives the template as it was written, and [`FromStr`] reads one that
/// needs no separator. With `serde` it is the object with the members `format` and `separator`
/// that a `zarr.json` has.
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
    /// Bytes of all literal text.
    pub(super) literal_length: usize,
    /// The largest width that a number is padded to.
    pub(super) widest: usize,
}

/// The dimensions that a template names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NamedDimensions {
    /// The indices counted from the first dimension.
    pub(super) from_start: BTreeSet<usize>,
    /// The indices counted from the end (1 is the last dimension).
    pub(super) from_end: BTreeSet<NonZeroUsize>,
    /// Whether `{*}` takes all others.
    pub(super) catch_all: bool,
}

impl Template {
    /// Read the template `format`. `{*}` requires a `separator`; without `{*}` it is kept, but has
    /// no effect.
    ///
    /// # Errors
    /// [`TemplateError`] for whatever is wrong with the template at every rank.
    pub fn new(format: &str, separator: Option<&str>) -> Result<Self, TemplateError> {
        let mut named = NamedDimensions::default();
        let parts = parse(format, |expression| {
            named.add(expression, separator.is_some())
        })?;
        if named.count() == 0 && !named.catch_all {
            return Err(TemplateError::NoExpression);
        }
        if let Some(separator) = separator {
            check_separator(separator)?;
        }
        let (literals, widths): (Vec<usize>, Vec<usize>) = parts
            .iter()
            .map(|part| match part {
                Part::Literal(text) => (text.len(), 0),
                Part::Index { width, .. } | Part::CatchAll { width } => (0, *width),
            })
            .unzip();
        Ok(Self {
            format: format.to_owned(),
            separator: separator.map(str::to_owned),
            parts,
            named,
            literal_length: literals.iter().sum(),
            widest: widths.into_iter().max().unwrap_or(0),
        })
    }

    /// The template as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.format
    }

    /// The text between the indices that `{*}` stands for.
    #[must_use]
    pub fn separator(&self) -> Option<&str> {
        self.separator.as_deref()
    }

    /// The separator where there is a `{*}`, which has one.
    pub(super) fn catch_all_separator(&self) -> &str {
        self.separator.as_deref().unwrap_or_default()
    }
}

impl NamedDimensions {
    /// The number of dimensions named by an index.
    pub(super) fn count(&self) -> usize {
        self.from_start.len() + self.from_end.len()
    }

    fn add(&mut self, expression: &Expression, separator: bool) -> Result<(), TemplateError> {
        let offset = expression.offset;
        match &expression.part {
            Part::Literal(_) => Ok(()),
            Part::CatchAll { .. } if self.catch_all => {
                Err(TemplateError::RepeatedCatchAll { offset })
            }
            Part::CatchAll { .. } if !separator => Err(TemplateError::MissingSeparator { offset }),
            Part::CatchAll { .. } => {
                self.catch_all = true;
                Ok(())
            }
            Part::Index { index, .. } => self.add_index(*index, offset),
        }
    }

    fn add_index(&mut self, index: Index, offset: usize) -> Result<(), TemplateError> {
        let added = match index {
            Index::FromStart(value) => self.from_start.insert(value),
            Index::FromEnd(value) => self.from_end.insert(value),
        };
        if added {
            return Ok(());
        }
        Err(TemplateError::RepeatedIndex {
            offset,
            index: index.to_string(),
        })
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.format)
    }
}

/// Reads a template without a separator, so one without `{*}`.
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
