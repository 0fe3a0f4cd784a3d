//! Whether a template fits the dimensionality of an array.

use super::error::TemplateError;
use super::named_dimensions::Misfit;
use super::template::Template;

impl Template {
    /// Checks that the template can name the chunks of an array of `dimensionality` dimensions.
    ///
    /// # Errors
    /// [`TemplateError::WrongDimensionality`], [`TemplateError::EmptyCatchAll`],
    /// [`TemplateError::IndexOutOfRange`] or [`TemplateError::SameDimension`].
    pub fn validate_dimensionality(&self, dimensionality: usize) -> Result<(), TemplateError> {
        self.named
            .check(dimensionality)
            .map_err(|misfit| self.explain(&misfit, dimensionality))
    }

    #[cold]
    fn explain(&self, misfit: &Misfit, dimensionality: usize) -> TemplateError {
        let template = self.as_str().to_owned();
        let named = self.named.count();
        match *misfit {
            Misfit::Count => TemplateError::WrongDimensionality {
                template,
                expected: named,
                dimensionality,
            },
            Misfit::EmptyCatchAll => TemplateError::EmptyCatchAll {
                template,
                named,
                dimensionality,
            },
            Misfit::OutOfRange(index) => TemplateError::IndexOutOfRange {
                template,
                index: index.to_string(),
                dimensionality,
            },
            Misfit::SameDimension {
                dimension,
                from_end,
            } => TemplateError::SameDimension {
                template,
                dimension,
                from_end,
                dimensionality,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(format: &str, dimensionality: usize) -> Result<(), TemplateError> {
        Template::new(format, Some("/"))
            .unwrap()
            .validate_dimensionality(dimensionality)
    }

    #[test]
    fn without_a_catch_all_there_are_as_many_dimensions_as_expressions() {
        assert!(check("{0}/{1}", 2).is_ok());
        assert!(matches!(
            check("{0}/{1}", 3),
            Err(TemplateError::WrongDimensionality {
                expected: 2,
                dimensionality: 3,
                ..
            })
        ));
        assert!(matches!(
            check("{0}/{1}", 0),
            Err(TemplateError::WrongDimensionality {
                expected: 2,
                dimensionality: 0,
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
                dimensionality: 2,
                ..
            })
        ));
        assert!(matches!(
            check("{*}", 0),
            Err(TemplateError::EmptyCatchAll {
                named: 0,
                dimensionality: 0,
                ..
            })
        ));
    }

    #[test]
    fn indices_reach_no_further_than_the_last_dimension() {
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
    fn two_indices_may_be_one_dimension_at_one_dimensionality_only() {
        assert!(check("{0}/{-3}/{*}", 4).is_ok());
        assert!(matches!(
            check("{0}/{-4}/{*}", 4),
            Err(TemplateError::SameDimension {
                dimension: 0,
                from_end: 4,
                dimensionality: 4,
                ..
            })
        ));
    }
}
