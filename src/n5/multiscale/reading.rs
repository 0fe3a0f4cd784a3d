//! What all dialects share: the candidates for levels, factors, the shift of centres, notes.

use serde_json::{Map, Value};

use super::error::MultiscaleError;
use super::members::{self, Place, Resolution};
use super::pyramid::{Axis, Dialect, Level, Note, NoteKind, Pyramid};
use super::view::{GroupView, MultiscaleOptions};

/// A dataset that may be a level.
#[derive(Clone, Debug)]
pub(super) struct Candidate<'a> {
    /// The path below the group.
    pub(super) path: &'a str,
    pub(super) attributes: &'a Map<String, Value>,
    /// K of `sK`.
    pub(super) index: Option<u32>,
    /// The length along each dimension, in elements; for comparisons only, so a float will do.
    pub(super) dimensions: Vec<f64>,
}

/// K of a name `sK`.
pub(super) fn level_index(path: &str) -> Option<u32> {
    let name = path.rsplit('/').next()?;
    let digits = name.strip_prefix('s')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

/// A group that is being understood.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    pub(super) group: &'a GroupView<'a>,
    pub(super) options: &'a MultiscaleOptions,
    /// Usable levels, the finest first; never empty.
    pub(super) candidates: Vec<Candidate<'a>>,
    /// The number of dimensions of every candidate.
    pub(super) dimensionality: usize,
    pub(super) notes: Vec<Note>,
}

impl<'a> Reading<'a> {
    /// The datasets that may be levels: those that are `listed`, in that order, or those named `sK`, by K. `None` if there
    /// are none.
    pub(super) fn begin(
        group: &'a GroupView<'a>,
        options: &'a MultiscaleOptions,
        listed: Option<&[String]>,
    ) -> Result<Option<Self>, MultiscaleError> {
        let mut reading = Self {
            group,
            options,
            candidates: Vec::new(),
            dimensionality: 0,
            notes: Vec::new(),
        };
        let chosen = reading.choose(listed);
        if chosen.is_empty() {
            return Ok(None);
        }
        for candidate in chosen {
            reading.add(candidate);
        }
        if reading.candidates.is_empty() {
            let reasons: Vec<_> = reading
                .notes
                .iter()
                .filter(|note| note.kind == NoteKind::LeftOut)
                .map(|note| format!("{} {}", note.path, note.text))
                .collect();
            return Err(MultiscaleError::NoLevels {
                path: group.path.to_owned(),
                reasons: reasons.join("; "),
            });
        }
        Ok(Some(reading))
    }

    fn choose(&mut self, listed: Option<&[String]>) -> Vec<Candidate<'a>> {
        let candidates = self.group.children.iter().map(|child| Candidate {
            path: child.path,
            attributes: child.attributes,
            index: level_index(child.path),
            dimensions: Vec::new(),
        });
        let Some(listed) = listed else {
            // A dataset on its own is a level whatever its name.
            let mut levels: Vec<_> = candidates
                .filter(|candidate| candidate.index.is_some() || candidate.path.is_empty())
                .collect();
            levels.sort_by_key(|candidate| candidate.index);
            return levels;
        };
        let candidates: Vec<_> = candidates.collect();
        let clean = |path: &str| path.trim_matches('/').trim_start_matches("./").to_owned();
        let mut levels: Vec<Candidate<'a>> = Vec::new();
        for path in listed {
            match candidates
                .iter()
                .find(|candidate| candidate.path == clean(path))
            {
                Some(candidate) => levels.push(candidate.clone()),
                None => self.note(
                    NoteKind::LeftOut,
                    path,
                    "`multiscales` names it, but there is no such dataset",
                ),
            }
        }
        for candidate in &candidates {
            let is_listed = levels.iter().any(|level| level.path == candidate.path);
            if candidate.index.is_some() && !is_listed {
                self.note(
                    NoteKind::LeftOut,
                    candidate.path,
                    "`multiscales` does not name it",
                );
            }
        }
        levels
    }

    /// Takes a candidate, or notes why not.
    fn add(&mut self, mut candidate: Candidate<'a>) {
        let left_out = NoteKind::LeftOut;
        let dimensions = members::member(candidate.attributes, "dimensions").map(|dimensions| {
            let place = Place {
                path: candidate.path,
                member: "dimensions",
            };
            members::numbers(dimensions, place)
        });
        let Some(Ok(dimensions)) = dimensions else {
            self.note(left_out, candidate.path, "it has no usable `dimensions`");
            return;
        };
        if dimensions.is_empty() || dimensions.iter().any(|size| *size < 1.) {
            self.note(
                left_out,
                candidate.path,
                "a dimension has the size 0: the level is empty",
            );
            return;
        }
        if self
            .candidates
            .iter()
            .any(|other| other.path == candidate.path)
        {
            self.note(left_out, candidate.path, "it is named twice");
            return;
        }
        let same = |other: &&Candidate<'_>| other.index.is_some() && other.index == candidate.index;
        if let Some(other) = self.candidates.iter().find(same) {
            let text = format!("it has the number of {}", other.path);
            self.note(left_out, candidate.path, text);
            return;
        }
        if let Some(first) = self.candidates.first()
            && dimensions.len() != self.dimensionality
        {
            let (found, expected) = (dimensions.len(), self.dimensionality);
            let text = format!(
                "it has {found} dimensions, and {} has {expected}",
                first.path
            );
            self.note(left_out, candidate.path, text);
            return;
        }
        self.dimensionality = dimensions.len();
        candidate.dimensions = dimensions;
        self.candidates.push(candidate);
    }

    pub(super) fn note(&mut self, kind: NoteKind, path: &str, text: impl Into<String>) {
        let path = self.path_of(path);
        let text = text.into();
        let note = Note { kind, path, text };
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// The path from the root of the container.
    pub(super) fn path_of(&self, path: &str) -> String {
        let group = self.group.path.trim_end_matches('/');
        if path.is_empty() {
            if group.is_empty() {
                "/".to_owned()
            } else {
                group.to_owned()
            }
        } else {
            format!("{group}/{path}")
        }
    }

    /// A member of the group, or else of the nearest ancestor that has it.
    pub(super) fn inherited(&self, name: &str) -> Option<&'a Value> {
        std::iter::once(&self.group.attributes)
            .chain(self.group.ancestors)
            .find_map(|attributes| members::member(attributes, name))
    }

    /// Makes a list as long as there are dimensions: missing entries are `fill`, those too many are left out.
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

    /// A member of a level that is a list of positive numbers, one per dimension; missing entries are 1.
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
        let index = usize::try_from(candidate.index?).ok()?;
        let factors = lists?.get(index)?.clone();
        Some(self.fit(factors, 1., candidate.path, "scales"))
    }

    /// Says which levels the group declares that are not there.
    pub(super) fn note_absent(&mut self, lists: Option<&[Vec<f64>]>) {
        let declared = lists.map_or(0, <[_]>::len);
        for level in 0..declared {
            let is_there = |child: &super::view::DatasetView<'_>| {
                level_index(child.path).and_then(|index| usize::try_from(index).ok()) == Some(level)
            };
            if !self.group.children.iter().any(is_there) {
                let text = "the group gives its factors, but there is no such dataset";
                self.note(NoteKind::LeftOut, &format!("s{level}"), text);
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
        }
        vec![factor; self.dimensionality]
    }

    /// A level whose voxels are averages of `factors` finer ones, so that their centres move by half of what is added.
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

    /// The recognised pyramid.
    pub(super) fn finish(self, dialect: Dialect, axes: Vec<Axis>, levels: Vec<Level>) -> Pyramid {
        let name = members::text(self.group.attributes, "name").filter(|name| !name.is_empty());
        Pyramid {
            dialect,
            name,
            axes,
            levels,
            is_label: false,
            notes: self.notes,
        }
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
