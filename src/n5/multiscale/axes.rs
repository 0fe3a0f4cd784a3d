//! The names, kinds and units of the dimensions.

use std::collections::BTreeSet;

use super::error::MultiscaleError;
use super::members;
use super::pyramid::{Axis, AxisKind, NoteKind};
use super::reading::Reading;
use super::unit::udunits;

impl Reading<'_> {
    /// The axes: as the caller names them, else by the names of the dialect, else by the attribute
    /// `axes`, else guessed.
    ///
    /// `spatial` is the number of entries of the resolution, if there is one: with fewer entries
    /// than dimensions, the first dimensions are those of space.
    pub(super) fn axes(
        &mut self,
        by_dialect: Option<&[String]>,
        spatial: Option<usize>,
    ) -> Result<Vec<Axis>, MultiscaleError> {
        if let Some(names) = &self.options.axes {
            if names.len() != self.dimensionality {
                return Err(MultiscaleError::AxesCount {
                    path: self.first_path(),
                    found: names.len(),
                    expected: self.dimensionality,
                });
            }
            let differ: BTreeSet<_> = names.iter().filter(|name| !name.is_empty()).collect();
            if differ.len() != names.len() {
                return Err(MultiscaleError::AxesNames {
                    path: self.first_path(),
                    found: names.join(","),
                });
            }
            return Ok(names.iter().map(|name| Axis::named(name)).collect());
        }
        if let Some(names) = by_dialect
            && names.len() == self.dimensionality
        {
            return Ok(names.iter().map(|name| Axis::named(name)).collect());
        }
        if let Some(axes) = self.axes_from_attribute() {
            return Ok(axes);
        }
        Ok(self.guessed_axes(spatial))
    }

    fn first_path(&self) -> String {
        let first = self
            .candidates
            .first()
            .map_or("", |candidate| candidate.path);
        self.path_of(first)
    }

    /// The attribute `axes` of the first level, the group, or what is above it.
    fn axes_from_attribute(&mut self) -> Option<Vec<Axis>> {
        let first = self.candidates.first()?;
        let value = members::member(first.attributes, "axes").or_else(|| self.inherited("axes"))?;
        let names = members::texts(value)
            .filter(|names| names.len() == self.dimensionality)
            .filter(|names| names.iter().all(|name| !name.is_empty()));
        let Some(names) = names else {
            let text = format!(
                "`axes` does not name {} dimensions: not used",
                self.dimensionality
            );
            self.note(NoteKind::LeftOut, "", text);
            return None;
        };
        Some(names.iter().map(|name| Axis::named(name)).collect())
    }

    fn guessed_axes(&mut self, spatial: Option<usize>) -> Vec<Axis> {
        let dimensionality = self.dimensionality;
        let mut axes = vec![Axis::unknown(); dimensionality];
        if self.may_begin_with_colours() {
            let text = "the dimensions have no names, and dimension 0 may be colours: \
                        none is guessed; name them by an option";
            self.note(NoteKind::Guessed, "", text);
            return axes;
        }
        // With more than three unnamed dimensions, the third may be z, or channels (Fiji).
        let known = match spatial {
            Some(entries) if (1..dimensionality).contains(&entries) => entries.min(3),
            _ if dimensionality <= 3 => dimensionality,
            _ => 2,
        };
        let names: Vec<&str> = ["x", "y", "z"].into_iter().take(known).collect();
        for (axis, name) in axes.iter_mut().zip(&names) {
            *axis = Axis::named(name);
        }
        let mut text = format!(
            "the dimensions have no names: taken for {}",
            names.join(", ")
        );
        if known < dimensionality {
            text.push_str(
                "; the others are not guessed, since programs differ (c, z, t in any order): \
                 name them by an option",
            );
        }
        self.note(NoteKind::Guessed, "", text);
        axes
    }

    /// Whether dimension 0 is as short as colours are, and all others are much longer.
    fn may_begin_with_colours(&self) -> bool {
        let Some(first) = self.candidates.first() else {
            return false;
        };
        match first.dimensions.as_slice() {
            [colours, others @ ..] if others.len() >= 2 => {
                [3., 4.]
                    .iter()
                    .any(|count| colours.total_cmp(count).is_eq())
                    && others.iter().all(|size| *size >= 4. * colours)
            }
            _ => false,
        }
    }

    /// Gives every axis of space the unit, if it is one that is known for sure.
    pub(super) fn set_unit(&mut self, axes: &mut [Axis], unit: Option<&str>) {
        let units = vec![unit.unwrap_or_default().to_owned(); axes.len()];
        let spatial: Vec<String> = axes
            .iter()
            .zip(units)
            .map(|(axis, unit)| {
                if axis.kind == AxisKind::Space {
                    unit
                } else {
                    String::new()
                }
            })
            .collect();
        self.set_units(axes, &spatial);
    }

    /// Gives each axis its unit, if it is one that is known for sure. Units belong to the axis at
    /// the same place.
    pub(super) fn set_units(&mut self, axes: &mut [Axis], units: &[String]) {
        for (axis, written) in axes.iter_mut().zip(units) {
            if written.is_empty() {
                continue;
            }
            match udunits(written) {
                Some((unit, kind)) if kind == axis.kind => axis.unit = Some(unit.to_owned()),
                _ => {
                    let text = format!(
                        "the unit {written:?} of {} is not known for sure: the axis gets none",
                        axis.name.as_deref().unwrap_or("a dimension without name")
                    );
                    self.note(NoteKind::LeftOut, "", text);
                }
            }
        }
    }

    /// Says that nothing tells how large a voxel is.
    pub(super) fn note_uncalibrated(&mut self) {
        let text = "uncalibrated: the size of a voxel is not known, so the finest level has the scale 1 and no unit";
        self.note(NoteKind::Guessed, "", text);
    }
}
