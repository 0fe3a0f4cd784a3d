//! What the literal text and the separator of a template must not contain.

use std::ops::Range;

use super::error::TemplateError;

/// The substrings that the specification forbids.
const FORBIDDEN: [&str; 5] = ["..", "\\", "\0", "//", "zarr.json"];

/// Returns the first forbidden substring of `text`, with its byte offset.
fn find_forbidden(text: &str) -> Option<(usize, &'static str)> {
    FORBIDDEN
        .into_iter()
        .filter_map(|sequence| text.find(sequence).map(|offset| (offset, sequence)))
        .min()
}

/// Checks the literal text at `range` of `template`.
pub(super) fn check_literal(template: &str, range: Range<usize>) -> Result<(), TemplateError> {
    let text = template.get(range.clone()).unwrap_or_default();
    match find_forbidden(text) {
        Some((offset, sequence)) => Err(TemplateError::ForbiddenLiteral {
            offset: range.start + offset,
            sequence,
        }),
        None => Ok(()),
    }
}

/// Checks the separator of `{*}`. It stands between two numbers, so it may begin and end with `/`,
/// and forms no forbidden sequence with the text around it.
pub(super) fn check_separator(separator: &str) -> Result<(), TemplateError> {
    match find_forbidden(separator) {
        Some((offset, sequence)) => Err(TemplateError::ForbiddenSeparator {
            offset,
            separator: separator.to_owned(),
            sequence,
        }),
        None => Ok(()),
    }
}

/// Checks that keys neither begin nor end with `/`. An expression gives digits, so the template
/// begins or ends with the same `/`.
pub(super) fn check_template_ends(template: &str) -> Result<(), TemplateError> {
    if template.starts_with('/') {
        return Err(TemplateError::LeadingSlash);
    }
    match template.strip_suffix('/') {
        Some(before) => Err(TemplateError::TrailingSlash {
            offset: before.len(),
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_forbidden_sequence_is_named() {
        assert_eq!(find_forbidden("a//b..c"), Some((1, "//")));
        assert_eq!(find_forbidden("azarr.json"), Some((1, "zarr.json")));
        assert_eq!(find_forbidden("a/b.c/zarr_json"), None);
    }

    #[test]
    fn a_separator_may_begin_and_end_with_a_slash() {
        assert!(check_separator("/").is_ok());
        assert!(check_separator("/a/").is_ok());
        assert!(check_separator("").is_ok());
    }
}
