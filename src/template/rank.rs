//! What a template means for an array of a given rank: its number of dimensions.

use std::cmp::Ordering;
use std::num::NonZeroUsize;

use super::error::TemplateError;
use super::parsed::{NamedDimensions, Template};
use super::parser::{Index, Part};

/// A piece of the keys of an array of known rank.
#[derive(Clone, Copy, Debug)]
pub(super) enum Token<'a> {
    /// Text that is the same in every key.
    Literal(&'a str),
    /// The chunk index along a dimension, padded with zeros up to `width` digits (at least 1).
    Number { dimension: usize, width: usize },
}

/// Why the dimensions that a template names are not those of a rank. It is small, so that checking
/// the rank for each key costs next to nothing; the text is made when there is an error.
enum Misfit {
    Count,
    EmptyCatchAll,
    OutOfRange(Index),
    SameDimension { dimension: usize, from_end: usize },
}

impl Template {
    /// Check that the template can name the chunks of an array of `rank` dimensions.
    ///
    /// # Errors
    /// [`TemplateError::WrongRank`], [`TemplateError::EmptyCatchAll`],
    /// [`TemplateError::IndexOutOfRange`] or [`TemplateError::SameDimension`].
    pub fn validate_dimensionality(&self, rank: usize) -> Result<(), TemplateError> {
        self.named
            .check(rank)
            .map_err(|misfit| self.explain(&misfit, rank))
    }

    #[cold]
    fn explain(&self, misfit: &Misfit, rank: usize) -> TemplateError {
        let template = self.as_str().to_owned();
        let named = self.named.count();
        match *misfit {
            Misfit::Count => TemplateError::WrongRank {
                template,
                expected: named,
                rank,
            },
            Misfit::EmptyCatchAll => TemplateError::EmptyCatchAll {
                template,
                named,
                rank,
            },
            Misfit::OutOfRange(index) => TemplateError::IndexOutOfRange {
                template,
                index: index.to_string(),
                rank,
            },
            Misfit::SameDimension {
                dimension,
                from_end,
            } => TemplateError::SameDimension {
                template,
                dimension,
                from_end,
                rank,
            },
        }
    }

    /// Visit the pieces of a key from left to right. The rank has been validated.
    #[inline]
    pub(super) fn visit<'a>(&'a self, rank: usize, mut visitor: impl FnMut(Token<'a>)) {
        for part in &self.parts {
            match part {
                Part::Literal(text) => visitor(Token::Literal(text)),
                Part::Index { index, width } => {
                    visitor(Token::Number {
                        dimension: index.dimension(rank),
                        width: *width,
                    });
                }
                Part::CatchAll { width } => {
                    let mut separator = "";
                    for dimension in (0..rank).filter(|&d| !self.named.contains(d, rank)) {
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

impl Index {
    /// The dimension it is, for a rank that it is within.
    fn dimension(self, rank: usize) -> usize {
        match self {
            Self::FromStart(index) => index,
            Self::FromEnd(index) => rank.saturating_sub(index.get()),
        }
    }
}

impl NamedDimensions {
    fn check(&self, rank: usize) -> Result<(), Misfit> {
        match rank.cmp(&self.count()) {
            Ordering::Greater if self.catch_all => {}
            _ if self.catch_all => return Err(Misfit::EmptyCatchAll),
            Ordering::Equal => {}
            _ => return Err(Misfit::Count),
        }
        // A set is in ascending order, so the last index is the largest.
        match (self.from_start.last(), self.from_end.last()) {
            (Some(&index), _) if index >= rank => {
                return Err(Misfit::OutOfRange(Index::FromStart(index)));
            }
            (_, Some(&index)) if index.get() > rank => {
                return Err(Misfit::OutOfRange(Index::FromEnd(index)));
            }
            _ => {}
        }
        self.check_distinct(rank)
    }

    fn check_distinct(&self, rank: usize) -> Result<(), Misfit> {
        for &from_end in &self.from_end {
            let dimension = Index::FromEnd(from_end).dimension(rank);
            if self.from_start.contains(&dimension) {
                return Err(Misfit::SameDimension {
                    dimension,
                    from_end: from_end.get(),
                });
            }
        }
        Ok(())
    }

    /// Whether an index names `dimension`, which is below `rank`.
    fn contains(&self, dimension: usize, rank: usize) -> bool {
        if self.count() == 0 {
            return false;
        }
        let from_end = NonZeroUsize::new(rank.saturating_sub(dimension));
        self.from_start.contains(&dimension)
            || from_end.is_some_and(|index| self.from_end.contains(&index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(format: &str, rank: usize) -> Result<(), TemplateError> {
        Template::new(format, Some("/"))
            .unwrap()
            .validate_dimensionality(rank)
    }

    #[test]
    fn without_a_catch_all_the_rank_is_the_number_of_expressions() {
        assert!(check("{0}/{1}", 2).is_ok());
        assert!(matches!(
            check("{0}/{1}", 3),
            Err(TemplateError::WrongRank {
                expected: 2,
                rank: 3,
                ..
            })
        ));
        assert!(matches!(
            check("{0}/{1}", 0),
            Err(TemplateError::WrongRank {
                expected: 2,
                rank: 0,
                ..
            })
        ));
    }

    #[test]
    fn a_catch_all_takes_at_least_one_dimension() {
        assert!(check("{0}/{*}/{-1}", 3).is_ok());
        assert!(matches!(
            check("{0}/{*}/{-1}", 2),
            Err(TemplateError::EmptyCatchAll {
                named: 2,
                rank: 2,
                ..
            })
        ));
        assert!(matches!(
            check("{*}", 0),
            Err(TemplateError::EmptyCatchAll {
                named: 0,
                rank: 0,
                ..
            })
        ));
    }

    #[test]
    fn indices_reach_no_further_than_the_rank() {
        let index = |result| match result {
            Err(TemplateError::IndexOutOfRange { index, .. }) => index,
            other => panic!("{other:?}"),
        };
        assert_eq!(index(check("{0}/{2}", 2)), "2");
        assert_eq!(index(check("{0}/{-3}", 2)), "-3");
        assert_eq!(index(check("{*}/{5}", 4)), "5");
        assert!(check("{*}/{-4}", 4).is_ok());
    }

    #[test]
    fn two_indices_may_be_one_dimension_at_one_rank_only() {
        assert!(check("{0}/{-3}/{*}", 4).is_ok());
        assert!(matches!(
            check("{0}/{-4}/{*}", 4),
            Err(TemplateError::SameDimension {
                dimension: 0,
                from_end: 4,
                rank: 4,
                ..
            })
        ));
    }
}
