//! What can be wrong with a template.

use std::sync::Arc;

use thiserror::Error;
use zarrs_storage::StoreKeyError;

use super::part::MAX_WIDTH;

/// Why a template is refused, or why it does not fit the dimensionality of an array.
///
/// Offsets are in bytes from the beginning of the template. `dimensionality` is the number of
/// dimensions of the array, and so the number of chunk indices in a key.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// The `configuration` object does not have the right members.
    #[error("the configuration of the `template` chunk key encoding is invalid")]
    Configuration(#[from] Arc<serde_json::Error>),
    /// A `{` has no closing brace.
    #[error(
        "the brace opened at byte {offset} of the template is never closed: \
         close the expression with `}}`, or write `{{{{` for a literal brace"
    )]
    UnclosedBrace {
        /// The byte offset of the opening brace.
        offset: usize,
    },
    /// A `}` closes nothing.
    #[error(
        "the closing brace at byte {offset} of the template closes no expression: \
         write `}}}}` for a literal brace"
    )]
    UnmatchedBrace {
        /// The byte offset of the closing brace.
        offset: usize,
    },
    /// The text between braces is not an expression.
    #[error(
        "`{expression}` at byte {offset} of the template is not an expression: expected an index \
         such as `{{0}}` or `{{-1}}`, or `{{*}}`, with an optional width as in `{{0:04}}`"
    )]
    InvalidExpression {
        /// The byte offset of the opening brace.
        offset: usize,
        /// The expression, braces included.
        expression: String,
    },
    /// An index is written with leading zeros.
    #[error(
        "the index of `{expression}` at byte {offset} of the template has a leading zero: \
         write it without"
    )]
    IndexLeadingZero {
        /// The byte offset of the opening brace.
        offset: usize,
        /// The expression, braces included.
        expression: String,
    },
    /// The index is `-0`.
    #[error(
        "`{expression}` at byte {offset} of the template has the index -0: \
         the first dimension is `0`, the last one is `-1`"
    )]
    NegativeZero {
        /// The byte offset of the opening brace.
        offset: usize,
        /// The expression, braces included.
        expression: String,
    },
    /// An index is larger than `usize::MAX`.
    #[error(
        "the index of `{expression}` at byte {offset} of the template is beyond any number of \
         dimensions: expected at most {}",
        usize::MAX
    )]
    IndexTooLarge {
        /// The byte offset of the opening brace.
        offset: usize,
        /// The expression, braces included.
        expression: String,
    },
    /// The width is zero.
    #[error(
        "the width of `{expression}` at byte {offset} of the template is zero: \
         expected at least 1, as in `:01`, or no width at all"
    )]
    ZeroWidth {
        /// The byte offset of the opening brace.
        offset: usize,
        /// The expression, braces included.
        expression: String,
    },
    /// The width is written with a second leading zero.
    #[error(
        "the width of `{expression}` at byte {offset} of the template has a second leading zero: \
         write a single `0` and the width, as in `:05`"
    )]
    WidthLeadingZero {
        /// The byte offset of the opening brace.
        offset: usize,
        /// The expression, braces included.
        expression: String,
    },
    /// The width exceeds the longest key of common stores.
    #[error(
        "the width of `{expression}` at byte {offset} of the template is too large: \
         expected at most {MAX_WIDTH}"
    )]
    WidthTooLarge {
        /// The byte offset of the opening brace.
        offset: usize,
        /// The expression, braces included.
        expression: String,
    },
    /// The same index occurs twice.
    #[error(
        "the index {index} occurs again at byte {offset} of the template: \
         each dimension can be named once"
    )]
    RepeatedIndex {
        /// The byte offset of the second occurrence.
        offset: usize,
        /// The index, as written.
        index: String,
    },
    /// There is more than one `{*}`.
    #[error(
        "a second `{{*}}` is at byte {offset} of the template: \
         it stands for all dimensions not named elsewhere, so there can be only one"
    )]
    RepeatedCatchAll {
        /// The byte offset of the second occurrence.
        offset: usize,
    },
    /// `{*}` needs a separator.
    #[error(
        "the template has `{{*}}` at byte {offset} but there is no separator: \
         give one (it may be empty) to stand between the indices"
    )]
    MissingSeparator {
        /// The byte offset of `{*}`.
        offset: usize,
    },
    /// The template has no expression.
    #[error(
        "the template has no expression: expected at least one, such as `{{0}}` or `{{*}}`, \
         or all chunks would have one key"
    )]
    NoExpression,
    /// The template begins with `/`.
    #[error("the template begins with `/`, which no store key can: leave it out")]
    LeadingSlash,
    /// The template ends with `/`.
    #[error(
        "the template ends with `/` at byte {offset}, which no store key can: \
         put a file name after it"
    )]
    TrailingSlash {
        /// The byte offset of the slash.
        offset: usize,
    },
    /// The template ends with `/.`.
    #[error(
        "the template ends with `/.` at byte {offset}, which on a file system is the folder before \
         it: put a file name after the `/`"
    )]
    TrailingDot {
        /// The byte offset of the slash.
        offset: usize,
    },
    /// The literal text contains a forbidden sequence.
    #[error(
        "the literal text has {sequence:?} at byte {offset} of the template, which is forbidden"
    )]
    ForbiddenLiteral {
        /// The byte offset of the sequence.
        offset: usize,
        /// What was found: `..`, `\`, NUL, `//` or `zarr.json`.
        sequence: &'static str,
    },
    /// The separator contains a forbidden sequence.
    #[error(
        "the separator {separator:?} has {sequence:?} at its byte {offset}, which is forbidden"
    )]
    ForbiddenSeparator {
        /// The byte offset of the sequence in the separator.
        offset: usize,
        /// The whole separator.
        separator: String,
        /// What was found: `..`, `\`, NUL, `//` or `zarr.json`.
        sequence: &'static str,
    },
    /// The number of expressions differs from the dimensionality.
    #[error(
        "the template `{template}` names {expected} dimension(s), but the array has \
         {dimensionality}: add or remove expressions, or use `{{*}}` for the rest"
    )]
    WrongDimensionality {
        /// The template.
        template: String,
        /// The number of expressions.
        expected: usize,
        /// The number of dimensions of the array.
        dimensionality: usize,
    },
    /// `{*}` would stand for nothing.
    #[error(
        "`{{*}}` of the template `{template}` would stand for nothing: the array has \
         {dimensionality} dimension(s), and the other expressions name {named}"
    )]
    EmptyCatchAll {
        /// The template.
        template: String,
        /// The number of dimensions named beside `{*}`.
        named: usize,
        /// The number of dimensions of the array.
        dimensionality: usize,
    },
    /// An index is out of range.
    #[error(
        "the index {index} of the template `{template}` is out of range: \
         the array has {dimensionality} dimension(s)"
    )]
    IndexOutOfRange {
        /// The template.
        template: String,
        /// The index, as written.
        index: String,
        /// The number of dimensions of the array.
        dimensionality: usize,
    },
    /// Two indices name one dimension.
    #[error(
        "the indices {dimension} and -{from_end} of the template `{template}` are the same \
         dimension of an array of {dimensionality}: name each dimension once"
    )]
    SameDimension {
        /// The template.
        template: String,
        /// The index counted from the first dimension.
        dimension: usize,
        /// The index counted from the end, without its sign.
        from_end: usize,
        /// The number of dimensions of the array.
        dimensionality: usize,
    },
    /// zarrs refuses the finished key.
    ///
    /// No template that passes the rules above leads here today. It is an error rather than a
    /// panic in case zarrs becomes stricter.
    #[error("the template `{template}` makes a key that is not a store key")]
    InvalidKey {
        /// The template.
        template: String,
        /// What zarrs says.
        source: StoreKeyError,
    },
}
