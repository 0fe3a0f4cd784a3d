//! Compares the sizes of levels with their scales. Sizes never decide: they are floored, cropped
//! and rounded at will.

use super::members::agree;
use super::pyramid::{Level, NoteKind};
use super::reading::Reading;

impl Reading<'_> {
    /// Reports levels whose sizes are not what their scales would make of the first level's.
    /// `levels` are those of the candidates, in the same order.
    pub(super) fn note_sizes(&mut self, levels: &[Level]) {
        let Some((first, first_level)) = self.candidates.first().cloned().zip(levels.first())
        else {
            return;
        };
        for (candidate, level) in self.candidates.clone().iter().zip(levels).skip(1) {
            let factors: Vec<f64> = level
                .scale
                .iter()
                .zip(&first_level.scale)
                .map(|(scale, finest)| scale / finest)
                .collect();
            if fits(&candidate.dimensions, &first.dimensions, &factors) {
                continue;
            }
            let reversed: Vec<f64> = factors.iter().rev().copied().collect();
            let text = if !agree(&factors, &reversed)
                && fits(&candidate.dimensions, &first.dimensions, &reversed)
            {
                format!(
                    "its size fits the factors {factors:?} backwards only, as if they were in the order z, y, x: taken as stated"
                )
            } else {
                format!(
                    "its size {:?} is not that of {} ({:?}) divided by the factors {factors:?}, which count",
                    candidate.dimensions, first.path, first.dimensions
                )
            };
            self.note(NoteKind::Contradiction, candidate.path, text);
        }
    }
}

/// Whether the sizes are the finer ones divided by the factors, give or take rounding.
fn fits(sizes: &[f64], finer: &[f64], factors: &[f64]) -> bool {
    sizes
        .iter()
        .zip(finer)
        .zip(factors)
        .all(|((size, finer), factor)| (size - finer / factor).abs() <= 1.)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_level_by_level_fits() {
        // 101 → 50 → 25 → 12, floored; 101 → 51 → 26 → 13, ceiled.
        assert!(fits(&[12.], &[101.], &[8.]));
        assert!(fits(&[13.], &[101.], &[8.]));
        assert!(!fits(&[25.], &[101.], &[8.]));
    }
}
