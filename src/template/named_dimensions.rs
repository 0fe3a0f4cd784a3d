//! Which dimensions a template names, and whether they fit the dimensionality of an array.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use super::error::TemplateError;
use super::parser::Expression;
use super::part::{Index, Part};

/// The dimensions that a template names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NamedDimensions {
    /// The indices counted from the first dimension.
    from_start: BTreeSet<usize>,
    /// The indices counted from the end (1 is the last dimension).
    from_end: BTreeSet<NonZeroUsize>,
    /// Whether `{*}` takes all others.
    catch_all: bool,
}

/// Why the dimensions that a template names do not fit a dimensionality.
///
/// Unlike [`TemplateError`] it holds no text, so that the check that precedes each key is cheap.
pub(super) enum Misfit {
    Count,
    EmptyCatchAll,
    OutOfRange(Index),
    SameDimension { dimension: usize, from_end: usize },
}

impl NamedDimensions {
    /// Returns the number of dimensions named by an index.
    pub(super) fn count(&self) -> usize {
        self.from_start.len() + self.from_end.len()
    }

    /// Returns whether nothing is named, not even by `{*}`.
    pub(super) fn is_empty(&self) -> bool {
        self.count() == 0 && !self.catch_all
    }

    /// Adds what `expression` names. `has_separator` is what a `{*}` needs.
    pub(super) fn add(
        &mut self,
        expression: &Expression,
        has_separator: bool,
    ) -> Result<(), TemplateError> {
        let offset = expression.offset;
        match &expression.part {
            Part::Literal(_) => Ok(()),
            Part::CatchAll { .. } if self.catch_all => {
                Err(TemplateError::RepeatedCatchAll { offset })
            }
            Part::CatchAll { .. } if !has_separator => {
                Err(TemplateError::MissingSeparator { offset })
            }
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

    /// Checks that every dimension of an array of `dimensionality` dimensions is named once.
    pub(super) fn check(&self, dimensionality: usize) -> Result<(), Misfit> {
        match dimensionality.cmp(&self.count()) {
            Ordering::Greater if self.catch_all => {}
            _ if self.catch_all => return Err(Misfit::EmptyCatchAll),
            Ordering::Equal => {}
            _ => return Err(Misfit::Count),
        }
        // The sets are in ascending order, so the last index is the largest.
        match (self.from_start.last(), self.from_end.last()) {
            (Some(&index), _) if index >= dimensionality => {
                return Err(Misfit::OutOfRange(Index::FromStart(index)));
            }
            (_, Some(&index)) if index.get() > dimensionality => {
                return Err(Misfit::OutOfRange(Index::FromEnd(index)));
            }
            _ => {}
        }
        self.check_distinct(dimensionality)
    }

    fn check_distinct(&self, dimensionality: usize) -> Result<(), Misfit> {
        for &from_end in &self.from_end {
            let dimension = Index::FromEnd(from_end).dimension(dimensionality);
            if self.from_start.contains(&dimension) {
                return Err(Misfit::SameDimension {
                    dimension,
                    from_end: from_end.get(),
                });
            }
        }
        Ok(())
    }

    /// Returns whether an index names `dimension`, which is below `dimensionality`.
    pub(super) fn contains(&self, dimension: usize, dimensionality: usize) -> bool {
        if self.count() == 0 {
            return false;
        }
        let from_end = NonZeroUsize::new(dimensionality.saturating_sub(dimension));
        self.from_start.contains(&dimension)
            || from_end.is_some_and(|index| self.from_end.contains(&index))
    }
}
