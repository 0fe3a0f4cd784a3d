//! What can be wrong with a key.

use thiserror::Error;

use super::error::TemplateError;

/// Why a key cannot be decoded, or is not one that
/// [`Template::encode`](super::template::Template::encode) would have written.
///
/// Offsets are in bytes from the beginning of the key.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum KeyDecodeError {
    /// The template does not fit the dimensionality.
    #[error(transparent)]
    Dimensionality(#[from] TemplateError),
    /// Several chunks share a key, so that it does not tell the chunk.
    #[error(
        "the template `{template}` gives one key to several chunks of an array of \
         {dimensionality} dimension(s): put a separator that does not begin with a digit between \
         the numbers, or pad them to 20 digits"
    )]
    Ambiguous {
        /// The template.
        template: String,
        /// The number of dimensions of the array.
        dimensionality: usize,
    },
    /// Literal text of the template is missing from the key.
    #[error("expected {expected:?} at byte {offset} of the key {key:?}")]
    MissingLiteral {
        /// The key.
        key: String,
        /// Where the text was expected.
        offset: usize,
        /// The text.
        expected: String,
    },
    /// The key has no number where the template has one.
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
        /// The width in digits that the template asks for.
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
    /// The key continues after the end of the template.
    #[error("expected the end of the key {key:?} at byte {offset}")]
    TrailingText {
        /// The key.
        key: String,
        /// Where the key should have ended.
        offset: usize,
    },
}
