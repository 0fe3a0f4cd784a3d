//! `resolution` and `offset` on the datasets, as ground truth crops have.

use super::error::MultiscaleError;
use super::members::{self, Place, agree};
use super::pyramid::{Dialect, Level, NoteKind, Pyramid};
use super::reading::{Candidate, Reading};
use super::view::{GroupView, MultiscaleOptions};

/// Whether a dataset has a `resolution`, and not the `pixelResolution` of others.
pub(super) fn is_here(group: &GroupView<'_>) -> bool {
    group.children.iter().any(|child| {
        ["resolution", "offset_unit"]
            .iter()
            .any(|name| members::member(child.attributes, name).is_some())
            && members::member(child.attributes, "pixelResolution").is_none()
    })
}

/// Recognises levels with a resolution and an offset of their own.
pub(super) fn recognise(
    group: &GroupView<'_>,
    options: &MultiscaleOptions,
    listed: Option<&[String]>,
) -> Result<Option<Pyramid>, MultiscaleError> {
    let Some(mut reading) = Reading::begin(group, options, listed)? else {
        return Ok(None);
    };
    let Some(first) = reading.candidates.first().cloned() else {
        return Ok(None);
    };
    let base = reading.own_resolution(&first, "resolution")?;
    if base.is_none() {
        reading.note_uncalibrated();
    }
    let entries = base.as_ref().map(|base| base.values.len());
    let mut unit = base.as_ref().and_then(|base| base.unit.clone());
    for name in ["unit", "offset_unit", "units"] {
        unit = unit.or_else(|| members::text(first.attributes, name));
    }
    let base = base.map(|base| base.values).unwrap_or_default();
    let base = reading.fit(base, 1., first.path, "resolution");
    let first_offset = own_offset(&mut reading, &first)?;
    let lists = reading.factor_lists()?;
    let mut levels = Vec::new();
    for candidate in reading.candidates.clone() {
        let own = reading.own_positive(&candidate, "resolution")?;
        let offset = own_offset(&mut reading, &candidate)?;
        let factors = match reading.own_positive(&candidate, "downsamplingFactors")? {
            Some(factors) => Some(factors),
            None => reading.listed_factors(lists.as_deref(), &candidate),
        };
        let is_finest = candidate.path == first.path;
        let is_of_its_own = |own: &Vec<f64>| is_finest || !agree(own, &base);
        let (scale, factors) = match (own.filter(is_of_its_own), factors) {
            (Some(own), _) => {
                let factors = own
                    .iter()
                    .zip(&base)
                    .map(|(own, base)| own / base)
                    .collect();
                (own, factors)
            }
            (None, Some(factors)) => (members::product(&base, &factors), factors),
            (None, None) => {
                let factors = reading.factors_from_name(&candidate);
                (members::product(&base, &factors), factors)
            }
        };
        let level = if let Some(offset) = offset {
            reading.level(candidate.path, scale, offset)?
        } else {
            if first_offset.is_some() {
                let text = format!(
                    "it has no `offset`: that of {} counts, moved by half of what its voxels are larger",
                    first.path
                );
                reading.note(NoteKind::Guessed, candidate.path, text);
            }
            let offset = first_offset.clone().unwrap_or_else(|| reading.origin());
            let level = reading.averaged(&candidate, &base, &factors, &offset)?;
            Level { scale, ..level }
        };
        levels.push(level);
    }
    reading.note_sizes(&levels);
    let mut axes = reading.axes(None, entries)?;
    reading.set_unit(&mut axes, unit.as_deref());
    Ok(Some(reading.finish(Dialect::Plain, axes, levels)))
}

/// The `offset` of a level, one entry per dimension; missing ones are 0.
fn own_offset(
    reading: &mut Reading<'_>,
    candidate: &Candidate<'_>,
) -> Result<Option<Vec<f64>>, MultiscaleError> {
    let Some(value) = members::member(candidate.attributes, "offset") else {
        return Ok(None);
    };
    let path = reading.path_of(candidate.path);
    let values = members::numbers(
        value,
        Place {
            path: &path,
            member: "offset",
        },
    )?;
    Ok(Some(reading.fit(values, 0., candidate.path, "offset")))
}
