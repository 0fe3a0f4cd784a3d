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

/// Checks that keys neither begin with `/` nor end with `/` or `/.`. An expression gives digits, so
/// these characters are at the ends of the template as well.
pub(super) fn check_template_ends(template: &str) -> Result<(), TemplateError> {
    if template.starts_with('/') {
        return Err(TemplateError::LeadingSlash);
    }
    if let Some(before) = template.strip_suffix('/') {
        let offset = before.len();
        return Err(TemplateError::TrailingSlash { offset });
    }
    if let Some(before) = template.strip_suffix("/.") {
        let offset = before.len();
        return Err(TemplateError::TrailingDot { offset });
    }
    Ok(())
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

    #[test]
    fn a_dot_at_the_end_is_refused_as_a_component_only() {
        assert!(matches!(
            check_template_ends("é{0}/."),
            Err(TemplateError::TrailingDot { offset: 5 })
        ));
        assert!(check_template_ends("{0}.").is_ok());
        assert!(check_template_ends("{0}/a.").is_ok());
        assert!(check_template_ends("{0}/.a").is_ok());
    }
}
