//! What attributes state of a level: resolutions and factors, its own and those of the groups
//! above.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::error::MultiscaleError;
use super::members::{self, Place, Resolution};
use super::pyramid::NoteKind;
use super::reading::{Candidate, Reading, level_index};

impl<'a> Reading<'a> {
    /// A member of the group, or else of the nearest ancestor that has it.
    pub(super) fn inherited(&self, name: &str) -> Option<&'a Value> {
        std::iter::once(&self.group.attributes)
            .chain(self.group.ancestors)
            .find_map(|attributes| members::member(attributes, name))
    }

    /// Makes a list as long as there are dimensions: missing entries are `fill`, those too many are
    /// left out.
    pub(super) fn fit(
        &mut self,
        mut values: Vec<f64>,
        fill: f64,
        path: &str,
        name: &str,
    ) -> Vec<f64> {
        if values.len() > self.dimensionality {
            let text = format!(
                "`{name}` has {} entries for {} dimensions: the first ones count",
                values.len(),
                self.dimensionality
            );
            self.note(NoteKind::Contradiction, path, text);
        }
        values.resize(self.dimensionality, fill);
        values
    }

    /// A member of a level that is a list of positive numbers, one per dimension; missing entries
    /// are 1.
    pub(super) fn own_positive(
        &mut self,
        candidate: &Candidate<'_>,
        name: &str,
    ) -> Result<Option<Vec<f64>>, MultiscaleError> {
        let Some(value) = members::member(candidate.attributes, name) else {
            return Ok(None);
        };
        let path = self.path_of(candidate.path);
        let values = members::positive(
            value,
            Place {
                path: &path,
                member: name,
            },
        )?;
        Ok(Some(self.fit(values, 1., candidate.path, name)))
    }

    /// A resolution of a level, as a list or with its unit.
    pub(super) fn own_resolution(
        &self,
        candidate: &Candidate<'_>,
        name: &str,
    ) -> Result<Option<Resolution>, MultiscaleError> {
        let path = self.path_of(candidate.path);
        members::member(candidate.attributes, name)
            .map(|value| {
                members::resolution(
                    value,
                    Place {
                        path: &path,
                        member: name,
                    },
                )
            })
            .transpose()
    }

    /// A resolution of the group or of what is above it.
    pub(super) fn inherited_resolution(
        &self,
        name: &str,
    ) -> Result<Option<Resolution>, MultiscaleError> {
        let place = Place {
            path: self.group.path,
            member: name,
        };
        self.inherited(name)
            .map(|value| members::resolution(value, place))
            .transpose()
    }

    /// `scales` or `downsamplingFactors` as lists of lists, of the group or of what is above it.
    pub(super) fn factor_lists(&self) -> Result<Option<Vec<Vec<f64>>>, MultiscaleError> {
        for attributes in std::iter::once(&self.group.attributes).chain(self.group.ancestors) {
            if let Some(lists) = group_factor_lists(self.group.path, attributes)? {
                return Ok(Some(lists));
            }
        }
        Ok(None)
    }

    /// The entry of `lists` for a level.
    pub(super) fn listed_factors(
        &mut self,
        lists: Option<&[Vec<f64>]>,
        candidate: &Candidate<'_>,
    ) -> Option<Vec<f64>> {
        let factors = lists?.get(candidate.place?)?.clone();
        Some(self.fit(factors, 1., candidate.path, "scales"))
    }

    /// Says which levels the group declares that are not there.
    pub(super) fn note_absent(&mut self, lists: Option<&[Vec<f64>]>) {
        let indices = self
            .group
            .children
            .iter()
            .map(|child| level_index(child.path));
        let there: BTreeSet<_> = indices
            .flatten()
            .filter_map(|index| usize::try_from(index).ok())
            .chain(self.candidates.iter().filter_map(|level| level.place))
            .collect();
        let declared = lists.map_or(0, <[_]>::len);
        let absent = (0..declared).filter(|level| !there.contains(level));
        let count = absent.clone().count();
        if count > 0 {
            let mut names: Vec<_> = absent.take(8).map(|level| format!("s{level}")).collect();
            if count > names.len() {
                names.push("…".to_owned());
            }
            let names = names.join(", ");
            let text =
                format!("the group gives the factors of {names}, but there are no such datasets");
            self.note(NoteKind::LeftOut, "", text);
        }
    }

    /// Reports positions that the dialect does not know, and that are not used.
    pub(super) fn note_unused_origins(&mut self) {
        for candidate in self.candidates.clone() {
            for name in ["offset", "translate", "origin"] {
                if members::member(candidate.attributes, name).is_some() {
                    let text = format!("its `{name}` belongs to no dialect here: not used");
                    self.note(NoteKind::LeftOut, candidate.path, text);
                }
            }
        }
    }

    /// 2^K from the name `sK`, with a note; 1 without such a name.
    pub(super) fn factors_from_name(&mut self, candidate: &Candidate<'_>) -> Vec<f64> {
        let index = candidate.index.unwrap_or(0);
        let factor = i32::try_from(index).map_or(f64::INFINITY, |index| 2f64.powi(index));
        if index > 0 {
            let text = format!("the factor is {factor} in every dimension, from the name alone");
            self.note(NoteKind::Guessed, candidate.path, text);
        } else if candidate.index.is_none() && candidate.place.is_some_and(|place| place > 0) {
            let text = "no factors are stated, and the name tells none: taken for 1";
            self.note(NoteKind::Guessed, candidate.path, text);
        }
        vec![factor; self.dimensionality]
    }
}

/// `scales` or `downsamplingFactors` of one group, as lists of lists.
pub(super) fn group_factor_lists(
    path: &str,
    attributes: &Map<String, Value>,
) -> Result<Option<Vec<Vec<f64>>>, MultiscaleError> {
    for member in ["scales", "downsamplingFactors"] {
        if let Some(value) = members::member(attributes, member)
            && let Some(lists) = members::factor_lists(value, Place { path, member })?
        {
            return Ok(Some(lists));
        }
    }
    Ok(None)
}
