//! fibsem-tools, render, and what Neuroglancer reads: `axes`, `units`, `resolution` and factors on
//! the group.

use super::error::MultiscaleError;
use super::members::{self, agree, product};
use super::pyramid::{Dialect, NoteKind, Pyramid};
use super::reading::Reading;
use super::stated::group_factor_lists;
use super::view::{GroupView, MultiscaleOptions};

const PIXEL_RESOLUTION: &str = "pixelResolution";

/// Whether the group itself has factors per level, and says more of the axes than n5-viewer does.
pub(super) fn is_here(group: &GroupView<'_>) -> bool {
    let says_more = ["axes", "units", "resolution"]
        .iter()
        .any(|name| members::member(group.attributes, name).is_some());
    // A list that cannot be read is reported when it is read again.
    says_more && !matches!(group_factor_lists(group.path, group.attributes), Ok(None))
}

/// Recognises a pyramid as Neuroglancer does: the factors of the group count.
pub(super) fn recognise(
    group: &GroupView<'_>,
    options: &MultiscaleOptions,
    listed: Option<&[String]>,
) -> Result<Option<Pyramid>, MultiscaleError> {
    let Some(mut reading) = Reading::begin(group, options, listed)? else {
        return Ok(None);
    };
    let lists = reading.factor_lists()?;
    let mut base = match reading.inherited_resolution("resolution")? {
        Some(resolution) => Some(resolution),
        None => reading.inherited_resolution(PIXEL_RESOLUTION)?,
    };
    let is_of_group = base.is_some();
    if base.is_none()
        && let Some(first) = reading.candidates.first().cloned()
        && let Some(mut own) = reading.own_resolution(&first, PIXEL_RESOLUTION)?
    {
        if let Some(factors) = reading.listed_factors(lists.as_deref(), &first) {
            own.values = own
                .values
                .iter()
                .zip(factors)
                .map(|(own, factor)| own / factor)
                .collect();
        }
        base = Some(own);
    }
    if base.is_none() {
        reading.note_uncalibrated();
    }
    let unit = base.as_ref().and_then(|base| base.unit.clone());
    let entries = base.as_ref().map(|base| base.values.len());
    let base = base.map(|base| base.values).unwrap_or_default();
    let base = reading.fit(base, 1., "", "resolution");

    let mut levels = Vec::new();
    for candidate in reading.candidates.clone() {
        let own = reading.own_positive(&candidate, "downsamplingFactors")?;
        let of_group = reading.listed_factors(lists.as_deref(), &candidate);
        if let (Some(own), Some(of_group)) = (&own, &of_group)
            && !agree(own, of_group)
        {
            let text = format!(
                "its factors are {own:?}, and those of the group are {of_group:?}, which count"
            );
            reading.note(NoteKind::Contradiction, candidate.path, text);
        }
        let factors = match of_group.or(own) {
            Some(factors) => factors,
            None => reading.factors_from_name(&candidate),
        };
        if let Some(own) = reading.own_resolution(&candidate, PIXEL_RESOLUTION)? {
            let own = reading.fit(own.values, 1., candidate.path, PIXEL_RESOLUTION);
            // Its own resolution, or that of the finest level: either way the group's is right.
            if is_of_group && !agree(&own, &product(&base, &factors)) && !agree(&own, &base) {
                let text = "its pixel resolution is not the resolution of the group times its factors, which counts";
                reading.note(NoteKind::Contradiction, candidate.path, text);
            }
        }
        let origin = reading.origin();
        levels.push(reading.averaged(&candidate, &base, &factors, &origin)?);
    }
    reading.note_absent(lists.as_deref());
    reading.note_unused_origins();
    reading.note_sizes(&levels);
    let mut axes = reading.axes(None, entries)?;
    match reading.inherited("units") {
        Some(units) => match members::texts(units)
            .or_else(|| Some(vec![units.as_str()?.to_owned(); axes.len()]))
        {
            Some(units) if units.len() == axes.len() => reading.set_units(&mut axes, &units),
            _ => reading.note(
                NoteKind::LeftOut,
                "",
                "`units` does not give one unit per dimension: not used",
            ),
        },
        None => reading.set_unit(&mut axes, unit.as_deref()),
    }
    Ok(Some(reading.finish(Dialect::Neuroglancer, axes, levels)))
}
