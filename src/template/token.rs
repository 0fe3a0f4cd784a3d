//! The sequence of texts and numbers that makes up a key.

use super::part::Part;
use super::template::Template;

/// A piece of the keys of an array of known dimensionality.
#[derive(Clone, Copy, Debug)]
pub(super) enum Token<'a> {
    /// Text that is the same in every key.
    Literal(&'a str),
    /// The chunk index along a dimension, padded with zeros up to `width` digits (at least 1).
    Number { dimension: usize, width: usize },
}

impl Template {
    /// Calls `visitor` with the pieces of a key from left to right.
    ///
    /// The dimensionality has been validated, so that every `dimension` is below it.
    #[inline]
    pub(super) fn visit<'a>(&'a self, dimensionality: usize, mut visitor: impl FnMut(Token<'a>)) {
        for part in &self.parts {
            match part {
                Part::Literal(text) => visitor(Token::Literal(text)),
                Part::Index { index, width } => {
                    visitor(Token::Number {
                        dimension: index.dimension(dimensionality),
                        width: *width,
                    });
                }
                Part::CatchAll { width } => {
                    let mut separator = "";
                    let is_unnamed =
                        |&dimension: &usize| !self.named.contains(dimension, dimensionality);
                    for dimension in (0..dimensionality).filter(is_unnamed) {
                        visitor(Token::Literal(separator));
                        visitor(Token::Number {
                            dimension,
                            width: *width,
                        });
                        separator = self.catch_all_separator();
                    }
                }
            }
        }
    }
}
