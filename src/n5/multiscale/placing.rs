//! Where a level lies.

use super::error::MultiscaleError;
use super::members;
use super::pyramid::Level;
use super::reading::{Candidate, Reading};

impl Reading<'_> {
    /// A level whose voxels are averages of `factors` finer ones, so that their centres move by
    /// half of what is added.
    pub(super) fn averaged(
        &self,
        candidate: &Candidate<'_>,
        resolution: &[f64],
        factors: &[f64],
        offset: &[f64],
    ) -> Result<Level, MultiscaleError> {
        let shift = |((resolution, factor), offset): ((&f64, &f64), &f64)| {
            offset + 0.5 * (factor - 1.) * resolution
        };
        let translation = resolution
            .iter()
            .zip(factors)
            .zip(offset)
            .map(shift)
            .collect();
        self.level(
            candidate.path,
            members::product(resolution, factors),
            translation,
        )
    }

    /// A level, checked.
    pub(super) fn level(
        &self,
        path: &str,
        scale: Vec<f64>,
        translation: Vec<f64>,
    ) -> Result<Level, MultiscaleError> {
        let check = |what, values: &[f64], is_good: fn(f64) -> bool| match values
            .iter()
            .position(|value| !is_good(*value))
        {
            None => Ok(()),
            Some(dimension) => Err(MultiscaleError::OutOfRange {
                path: self.path_of(path),
                what,
                dimension,
                found: values
                    .get(dimension)
                    .map_or_else(String::new, f64::to_string),
            }),
        };
        check("scale", &scale, |value| value.is_finite() && value > 0.)?;
        check("translation", &translation, f64::is_finite)?;
        Ok(Level {
            path: path.to_owned(),
            scale,
            translation,
        })
    }

    /// A position for every dimension, all 0.
    pub(super) fn origin(&self) -> Vec<f64> {
        vec![0.; self.dimensionality]
    }
}
