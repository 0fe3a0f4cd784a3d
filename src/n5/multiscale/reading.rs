//! A group that is being understood: the datasets that may be levels, and notes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::error::MultiscaleError;
use super::members::{self, Place};
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
    /// The place in the lists of factors of the group: K, or for other names the place among those
    /// that `multiscales` lists.
    pub(super) place: Option<usize>,
    /// The length along each dimension, in elements; for comparisons only, so a float will do.
    pub(super) dimensions: Vec<f64>,
}

/// A document with thousands of doubtful entries needs no note on each.
const MAX_NOTES: usize = 100;

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
    /// The datasets that may be levels: those that are `listed`, in that order, or those named
    /// `sK`, by K. `None` if there are none.
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
                .map(|note| format!("{}: {}", note.path, note.text))
                .collect();
            return Err(MultiscaleError::NoLevels {
                path: group.path.to_owned(),
                reasons: reasons.join("; "),
            });
        }
        Ok(Some(reading))
    }

    fn choose(&mut self, listed: Option<&[String]>) -> Vec<Candidate<'a>> {
        let candidates = self.group.children.iter().map(|child| {
            let index = level_index(child.path);
            Candidate {
                path: child.path,
                attributes: child.attributes,
                index,
                place: index.and_then(|index| usize::try_from(index).ok()),
                dimensions: Vec::new(),
            }
        });
        let Some(listed) = listed else {
            // A dataset on its own is a level whatever its name.
            let mut levels: Vec<_> = candidates
                .filter(|candidate| candidate.index.is_some() || candidate.path.is_empty())
                .collect();
            levels.sort_by_key(|candidate| candidate.index);
            return levels;
        };
        let candidates: BTreeMap<_, _> = candidates
            .map(|candidate| (candidate.path, candidate))
            .collect();
        let mut levels: Vec<Candidate<'a>> = Vec::new();
        for (place, path) in listed.iter().enumerate() {
            if let Some(candidate) = candidates.get(path.as_str()) {
                let place = candidate.place.or(Some(place));
                levels.push(Candidate {
                    place,
                    ..candidate.clone()
                });
            } else {
                let text = "`multiscales` names it, but there is no such dataset";
                self.note(NoteKind::LeftOut, path, text);
            }
        }
        let listed: BTreeSet<_> = levels.iter().map(|level| level.path).collect();
        for candidate in candidates.values() {
            if candidate.index.is_some() && !listed.contains(candidate.path) {
                let text = "`multiscales` does not name it";
                self.note(NoteKind::LeftOut, candidate.path, text);
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
        if self.notes.len() < MAX_NOTES && !self.notes.contains(&note) {
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
