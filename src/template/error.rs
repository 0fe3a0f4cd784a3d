//! What can be wrong with a template, with a rank, and with a key.

use thiserror::Error;
use zarrs_storage::StoreKeyError;

use super::parser::MAX_WIDTH;

/// Why a template is refused, or why it cannot name the chunks of an array of some rank.
///
/// Offsets are in bytes from the beginning of the template. `rank` is the number of dimensions of
/// the array, which is also the number of chunk indices that make a key.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum TemplateError {
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
    /// An index does not fit the machine's word.
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
    /// The width is larger than any store could take.
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
    /// The template names no dimension at all.
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
    /// The literal text has something that no key may have.
    #[error(
        "the literal text has {sequence:?} at byte {offset} of the template, which is forbidden"
    )]
    ForbiddenLiteral {
        /// The byte offset of the sequence.
        offset: usize,
        /// What was found: `..`, `\`, NUL, `//` or `zarr.json`.
        sequence: &'static str,
    },
    /// The separator has something that no key may have.
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
    /// The number of expressions is not the rank.
    #[error(
        "the template `{template}` names {expected} dimension(s), but the array has {rank}: \
         add or remove expressions, or use `{{*}}` for the rest"
    )]
    WrongRank {
        /// The template.
        template: String,
        /// The number of expressions.
        expected: usize,
        /// The rank.
        rank: usize,
    },
    /// `{*}` would stand for nothing.
    #[error(
        "`{{*}}` of the template `{template}` would stand for nothing: the array has {rank} \
         dimension(s), and the other expressions name {named}"
    )]
    EmptyCatchAll {
        /// The template.
        template: String,
        /// The number of dimensions named beside `{*}`.
        named: usize,
        /// The rank.
        rank: usize,
    },
    /// An index is beyond the rank.
    #[error(
        "the index {index} of the template `{template}` is out of range: \
         the array has {rank} dimension(s)"
    )]
    IndexOutOfRange {
        /// The template.
        template: String,
        /// The index, as written.
        index: String,
        /// The rank.
        rank: usize,
    },
    /// Two indices name one dimension.
    #[error(
        "the indices {dimension} and -{from_end} of the template `{template}` are the same \
         dimension of an array of {rank}: name each dimension once"
    )]
    SameDimension {
        /// The template.
        template: String,
        /// The index counted from the first dimension.
        dimension: usize,
        /// The index counted from the end, without its sign.
        from_end: usize,
        /// The rank.
        rank: usize,
    },
    /// The finished key is not one that zarrs takes. The rules above leave no way to get here; it
    /// is an error rather than a panic should zarrs become stricter.
    #[error("the template `{template}` makes a key that is not a store key")]
    InvalidKey {
        /// The template.
        template: String,
        /// What zarrs says.
        source: StoreKeyError,
    },
}

/// Why a key is not one that [`Template::encode`](super::Template::encode) would have written.
///
/// Offsets are in bytes from the beginning of the key.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum KeyDecodeError {
    /// The template cannot name the chunks of an array of that rank.
    #[error(transparent)]
    Rank(#[from] TemplateError),
    /// Several chunks share a key, so there is no way back.
    #[error(
        "the template `{template}` gives one key to several chunks of an array of {rank} \
         dimension(s): put a separator that does not begin with a digit between the numbers, \
         or pad them to 20 digits"
    )]
    Ambiguous {
        /// The template.
        template: String,
        /// The rank.
        rank: usize,
    },
    /// Some literal text of the template is not in the key where it belongs.
    #[error("expected {expected:?} at byte {offset} of the key {key:?}")]
    MissingLiteral {
        /// The key.
        key: String,
        /// Where the text was expected.
        offset: usize,
        /// The text.
        expected: String,
    },
    /// There is no number where the template has one.
    #[error("expected a number at byte {offset} of the key {key:?}")]
    MissingNumber {
        /// The key.
        key: String,
        /// Where the number was expected.
        offset: usize,
    },
    /// A number has fewer digits than its width, or leading zeros beyond it.
    #[error(
        "the number {digits} at byte {offset} of the key {key:?} is not padded to {width} digit(s)"
    )]
    WrongPadding {
        /// The key.
        key: String,
        /// Where the number begins.
        offset: usize,
        /// The digits found.
        digits: String,
        /// The width to which numbers are padded here.
        width: usize,
    },
    /// A number does not fit a chunk index.
    #[error(
        "the number {digits} at byte {offset} of the key {key:?} is larger than {}",
        u64::MAX
    )]
    NumberTooLarge {
        /// The key.
        key: String,
        /// Where the number begins.
        offset: usize,
        /// The digits found.
        digits: String,
    },
    /// The key goes on after the template's end.
    #[error("expected the end of the key {key:?} at byte {offset}")]
    TrailingText {
        /// The key.
        key: String,
        /// Where the key should have ended.
        offset: usize,
    },
}
