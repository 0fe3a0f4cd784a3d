//! COSEM, OpenOrganelle: `transform` on every dataset, and `multiscales` on the group.

mod transform;

use serde_json::{Map, Value};

use super::error::MultiscaleError;
use super::listed::Listed;
use super::members;
use super::pyramid::{AxisKind, Dialect, NoteKind, Pyramid};
use super::reading::{Candidate, Reading};
use super::view::{GroupView, MultiscaleOptions};
use transform::{TRANSFORM, Transform};

/// Whether a `transform` is on a dataset, or on an entry of `multiscales`.
pub(super) fn is_here(group: &GroupView<'_>, listed: Option<&Listed>) -> bool {
    let has =
        |attributes: &Map<String, Value>| attributes.get(TRANSFORM).is_some_and(Value::is_object);
    group.children.iter().any(|child| has(child.attributes))
        || listed.is_some_and(|listed| listed.entries.iter().any(|(_, entry)| has(entry)))
}

/// Recognises a pyramid of COSEM.
pub(super) fn recognise(
    group: &GroupView<'_>,
    options: &MultiscaleOptions,
    listed: Option<&Listed>,
) -> Result<Option<Pyramid>, MultiscaleError> {
    let paths = listed.map(Listed::paths);
    let Some(mut reading) = Reading::begin(group, options, paths.as_deref())? else {
        return Ok(None);
    };
    let mut transforms = Vec::new();
    for candidate in reading.candidates.clone() {
        match transform_of(&mut reading, &candidate, listed)? {
            Some(transform) => transforms.push((candidate.path, transform)),
            None => reading.note(
                NoteKind::LeftOut,
                candidate.path,
                "it has no `transform`, and other levels have one",
            ),
        }
    }
    note_lone_translation(&mut reading, &transforms);
    let Some((_, first)) = transforms.first() else {
        return Ok(None);
    };
    let mut axes = reading.axes(first.axes.as_deref(), None)?;
    let (names, units) = (first.axes.clone(), first.units.clone());
    reading.set_units(&mut axes, &units);
    let mut levels = Vec::new();
    for (path, transform) in transforms {
        for doubt in &transform.doubts {
            reading.note(NoteKind::Contradiction, path, doubt.clone());
        }
        if transform.axes != names || transform.units != units {
            reading.note(
                NoteKind::Contradiction,
                path,
                "its axes or units are not those of the first level, which count",
            );
        }
        let translation = transform.translate.unwrap_or_else(|| reading.origin());
        levels.push(reading.level(path, transform.scale, translation)?);
    }
    if let Some(listed) = listed {
        listed.note_others(&mut reading);
    }
    note_channels(&mut reading, &axes, &levels);
    let mut pyramid = reading.finish(Dialect::Cosem, axes, levels);
    pyramid.name = listed
        .and_then(|listed| listed.name.clone())
        .or(pyramid.name);
    Ok(Some(pyramid))
}

/// The transform of the dataset, or else of its entry in `multiscales`.
fn transform_of(
    reading: &mut Reading<'_>,
    candidate: &Candidate<'_>,
    listed: Option<&Listed>,
) -> Result<Option<Transform>, MultiscaleError> {
    let (path, count) = (reading.path_of(candidate.path), reading.dimensionality);
    let read = |value: Option<&Value>| {
        value
            .map(|value| Transform::read(value, &path, count))
            .transpose()
    };
    let own = read(members::member(candidate.attributes, TRANSFORM))?;
    let entry = read(listed.and_then(|listed| listed.member(candidate.path, TRANSFORM)))?;
    if let (Some(own), Some(entry)) = (&own, &entry) {
        let translate = |transform: &Transform| {
            transform
                .translate
                .clone()
                .unwrap_or_else(|| vec![0.; count])
        };
        if !members::agree(&own.scale, &entry.scale)
            || !members::agree(&translate(own), &translate(entry))
        {
            let text = "its `transform` is not that in `multiscales` of the group: the one of the dataset counts";
            reading.note(NoteKind::Contradiction, candidate.path, text);
        }
    }
    Ok(own.or(entry))
}

/// Reports an origin that only the finest level has.
fn note_lone_translation(reading: &mut Reading<'_>, transforms: &[(&str, Transform)]) {
    let is_moved = |transform: &Transform| {
        transform
            .translate
            .iter()
            .flatten()
            .any(|place| *place != 0.)
    };
    if let [(path, first), others @ ..] = transforms
        && !others.is_empty()
        && is_moved(first)
        && !others.iter().any(|(_, transform)| is_moved(transform))
    {
        let text =
            "only this level is moved from the origin, the coarser ones are not: taken as stated";
        reading.note(NoteKind::Contradiction, path, text);
    }
}

/// Reports a channel axis that is scaled or moved, as no distance lies between channels.
fn note_channels(
    reading: &mut Reading<'_>,
    axes: &[super::pyramid::Axis],
    levels: &[super::pyramid::Level],
) {
    for level in levels {
        let mut entries = axes.iter().zip(&level.scale).zip(&level.translation);
        if entries.any(|((axis, scale), moved)| {
            axis.kind == AxisKind::Channel && (scale.total_cmp(&1.).is_ne() || *moved != 0.)
        }) {
            reading.note(
                NoteKind::Contradiction,
                &level.path,
                "the channels are scaled or moved",
            );
        }
    }
}
