//! BigDataViewer and BigStitcher: `setupN/timepointM/sK`.

use super::error::MultiscaleError;
use super::members::{self, Resolution, agree};
use super::pyramid::{Dialect, NoteKind, Pyramid};
use super::reading::Reading;
use super::unit::VoxelSize;
use super::view::{GroupView, MultiscaleOptions};

/// N and M of a path that ends in `setupN/timepointM`. Leading zeros occur.
pub(super) fn numbers(path: &str) -> Option<(u32, u32)> {
    let mut folders = path.trim_end_matches('/').rsplit('/');
    let number = |folder: Option<&str>, prefix: &str| -> Option<u32> {
        let digits = folder?.strip_prefix(prefix)?;
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| digits.parse().ok()).flatten()
    };
    let timepoint = number(folders.next(), "timepoint")?;
    let setup = number(folders.next(), "setup")?;
    Some((setup, timepoint))
}

/// N of a path that ends in `setupN/timepointM`.
#[cfg(feature = "ome")]
pub(crate) fn setup(path: &str) -> Option<u32> {
    numbers(path).map(|(setup, _)| setup)
}

/// Recognises a pyramid of BigDataViewer: one setup at one time point.
pub(super) fn recognise(
    group: &GroupView<'_>,
    options: &MultiscaleOptions,
) -> Result<Option<Pyramid>, MultiscaleError> {
    let Some(mut reading) = Reading::begin(group, options, None)? else {
        return Ok(None);
    };
    let lists = reading.factor_lists()?;
    let voxel = voxel_size(&mut reading)?;
    let entries = voxel.as_ref().map(|voxel| voxel.values.len());
    let unit = voxel.as_ref().and_then(|voxel| voxel.unit.clone());
    let voxel = voxel.map(|voxel| voxel.values).unwrap_or_default();
    let voxel = reading.fit(voxel, 1., "", "resolution");
    let mut levels = Vec::new();
    for candidate in reading.candidates.clone() {
        let own = reading.own_positive(&candidate, "downsamplingFactors")?;
        let of_setup = reading.listed_factors(lists.as_deref(), &candidate);
        if let (Some(own), Some(of_setup)) = (&own, &of_setup)
            && !agree(own, of_setup)
        {
            let text = format!(
                "the factors of the setup are {of_setup:?}, and its own are {own:?}, which count"
            );
            reading.note(NoteKind::Contradiction, candidate.path, text);
        }
        let factors = match own.or(of_setup) {
            Some(factors) => factors,
            None => reading.factors_from_name(&candidate),
        };
        let origin = reading.origin();
        levels.push(reading.averaged(&candidate, &voxel, &factors, &origin)?);
    }
    reading.note_absent(lists.as_deref());
    reading.note_unused_origins();
    reading.note_sizes(&levels);
    let mut axes = reading.axes(None, entries)?;
    reading.set_unit(&mut axes, unit.as_deref());
    Ok(Some(reading.finish(Dialect::BigDataViewer, axes, levels)))
}

/// The size of a voxel from the XML, or else from `resolution` of the time point.
fn voxel_size(reading: &mut Reading<'_>) -> Result<Option<Resolution>, MultiscaleError> {
    if let Some(VoxelSize { size, unit }) = &reading.options.voxel_size {
        return Ok(Some(Resolution {
            values: size.clone(),
            unit: unit.clone(),
        }));
    }
    let resolution = reading.inherited_resolution("resolution")?;
    // BigStitcher always writes 1 here.
    let is_known = |resolution: &Resolution| !members::are_one(&resolution.values);
    if !resolution.as_ref().is_some_and(is_known) {
        let text = "uncalibrated: the attributes do not say the size of a voxel, \
                    so the finest level has the scale 1 and no unit; \
                    the true one is in the XML beside the container (`voxelSize`)";
        reading.note(NoteKind::Guessed, "", text);
        return Ok(None);
    }
    if let Some(resolution) = &resolution
        && resolution.unit.is_none()
        && members::member(reading.group.attributes, "unit").is_none()
    {
        let text = "the resolution has no unit; the XML beside the container has (`voxelSize`)";
        reading.note(NoteKind::LeftOut, "", text);
    }
    Ok(resolution)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn setups_and_time_points_may_have_leading_zeros() {
        assert_eq!(numbers("/setup0/timepoint0"), Some((0, 0)));
        assert_eq!(numbers("/a/b/setup00/timepoint00012/"), Some((0, 12)));
        for other in [
            "",
            "/",
            "/setup0",
            "/timepoint0",
            "/setup/timepoint0",
            "/setup0/timepoint",
            "/setup+1/timepoint0",
        ] {
            assert_eq!(numbers(other), None, "{other}");
        }
    }
}
