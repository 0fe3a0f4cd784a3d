//! n5-viewer and Fiji: factors and `pixelResolution` on the datasets, or on the groups above.

use super::canonical::diagonal;
use super::error::MultiscaleError;
use super::members::{self, Place, Resolution, agree, are_one, product};
use super::pyramid::{Dialect, Level, NoteKind, Pyramid};
use super::reading::{Candidate, Reading};
use super::view::{GroupView, MultiscaleOptions};

const RESOLUTION: &str = "pixelResolution";
const FACTORS: &str = "downsamplingFactors";
const AFFINE: &str = "affineTransform";

/// Recognises a pyramid of n5-viewer, or one without any attributes.
pub(super) fn recognise(
    group: &GroupView<'_>,
    options: &MultiscaleOptions,
    listed: Option<&[String]>,
) -> Result<Option<Pyramid>, MultiscaleError> {
    let Some(mut reading) = Reading::begin(group, options, listed)? else {
        return Ok(None);
    };
    let lists = reading.factor_lists()?;
    let inherited = reading.inherited_resolution(RESOLUTION)?;
    let mut unit = inherited
        .as_ref()
        .and_then(|resolution| resolution.unit.clone());
    let mut entries = inherited.as_ref().map(|resolution| resolution.values.len());
    let inherited = inherited.map(|resolution| reading.fit(resolution.values, 1., "", RESOLUTION));

    let mut stated = Vec::new();
    for candidate in reading.candidates.clone() {
        let own = reading.own_resolution(&candidate, RESOLUTION)?;
        if let Some(Resolution {
            values,
            unit: own_unit,
        }) = &own
        {
            entries = Some(values.len());
            note_units(
                &mut reading,
                &candidate,
                &mut unit,
                own_unit.as_deref(),
                stated.is_empty(),
            );
        }
        let resolution = own.map(|own| reading.fit(own.values, 1., candidate.path, RESOLUTION));
        let own_factors = reading.own_positive(&candidate, FACTORS)?;
        let listed = reading.listed_factors(lists.as_deref(), &candidate);
        let is_listed = own_factors.is_none() && listed.is_some();
        let factors = own_factors.or(listed);
        stated.push(Stated {
            candidate,
            resolution,
            factors,
            is_listed,
        });
    }
    let base = finest_resolution(&stated).or(inherited);
    if base.is_none() && stated.iter().all(|level| level.resolution.is_none()) {
        reading.note_uncalibrated();
    }
    let is_told = base.is_some()
        || lists.is_some()
        || stated.iter().any(Stated::is_told)
        || reading.inherited(AFFINE).is_some();
    let mut levels = Vec::new();
    for level in stated {
        let level = level.place(&mut reading, base.as_deref())?;
        levels.push(level);
    }
    reading.note_absent(lists.as_deref());
    reading.note_unused_origins();
    reading.note_sizes(&levels);
    let mut axes = reading.axes(None, entries)?;
    reading.set_unit(&mut axes, unit.as_deref());
    apply_affine(&mut reading, &mut levels)?;
    // Of a dataset on its own not even the name is a hint.
    let is_alone = matches!(group.children, [child] if child.path.is_empty());
    let dialect = if is_alone && !is_told {
        Dialect::Plain
    } else {
        Dialect::N5Viewer
    };
    Ok(Some(reading.finish(dialect, axes, levels)))
}

/// What the attributes state of a level.
struct Stated<'a> {
    candidate: Candidate<'a>,
    resolution: Option<Vec<f64>>,
    factors: Option<Vec<f64>>,
    /// The factors are those of a group.
    is_listed: bool,
}

impl Stated<'_> {
    /// Whether the dataset itself has anything that n5-viewer or Fiji would write.
    fn is_told(&self) -> bool {
        self.resolution.is_some()
            || self.factors.is_some()
            || members::member(self.candidate.attributes, AFFINE).is_some()
    }

    fn is_finest(&self) -> bool {
        match &self.factors {
            Some(factors) => are_one(factors),
            None => self.candidate.place.unwrap_or(0) == 0,
        }
    }

    /// Where the level lies. `base` is the resolution of the finest level.
    fn place(
        self,
        reading: &mut Reading<'_>,
        base: Option<&[f64]>,
    ) -> Result<Level, MultiscaleError> {
        let Self {
            candidate,
            resolution,
            factors,
            is_listed,
        } = self;
        let origin = reading.origin();
        let one = vec![1.; reading.dimensionality];
        let (resolution, factors) = match (resolution, factors, base) {
            (Some(own), Some(factors), Some(base)) => {
                let base = reconcile(reading, &candidate, own, base, &factors, is_listed);
                (base, factors)
            }
            (Some(own), Some(factors), None) => (own, factors),
            (Some(own), None, Some(base)) if !agree(&own, base) => {
                let factors: Vec<f64> =
                    own.iter().zip(base).map(|(own, base)| own / base).collect();
                let text = format!(
                    "the factors {factors:?} are taken from how the pixel resolution grows, \
                     and the centres of the voxels to move accordingly"
                );
                reading.note(NoteKind::Guessed, candidate.path, text);
                let level = reading.averaged(&candidate, base, &factors, &origin)?;
                // The quotient times the divisor may differ in the last digit.
                return Ok(Level {
                    scale: own,
                    ..level
                });
            }
            (own, factors, base) => {
                let factors = factors.unwrap_or_else(|| reading.factors_from_name(&candidate));
                (
                    own.or_else(|| base.map(<[f64]>::to_vec)).unwrap_or(one),
                    factors,
                )
            }
        };
        reading.averaged(&candidate, &resolution, &factors, &origin)
    }
}

/// The resolution at factor 1 of a level with a resolution of its own, and factors.
fn reconcile(
    reading: &mut Reading<'_>,
    candidate: &Candidate<'_>,
    own: Vec<f64>,
    base: &[f64],
    factors: &[f64],
    is_listed: bool,
) -> Vec<f64> {
    // The sampled pyramid of Fiji has factors 1 and a growing resolution.
    if are_one(factors) || agree(&own, base) {
        return own;
    }
    if agree(&own, &product(base, factors)) {
        if !is_listed {
            let text = "its pixel resolution holds its factors already: they are not applied twice";
            reading.note(NoteKind::Contradiction, candidate.path, text);
        }
        return base.to_vec();
    }
    let text = "its pixel resolution is neither that of the finest level nor that times \
                its factors: its own is multiplied by its factors, as n5-viewer does";
    reading.note(NoteKind::Contradiction, candidate.path, text);
    own
}

fn finest_resolution(levels: &[Stated<'_>]) -> Option<Vec<f64>> {
    levels
        .iter()
        .find(|level| level.is_finest())?
        .resolution
        .clone()
}

/// Takes the unit of the first level that has one, and reports others.
fn note_units(
    reading: &mut Reading<'_>,
    candidate: &Candidate<'_>,
    unit: &mut Option<String>,
    own: Option<&str>,
    is_first: bool,
) {
    match (unit.as_deref(), own) {
        (_, Some(own)) if is_first => *unit = Some(own.to_owned()),
        (None, Some(own)) => *unit = Some(own.to_owned()),
        (Some(unit), Some(own)) if unit != own => {
            let text = format!(
                "its unit is {own:?}, and that of the first level is {unit:?}, which counts"
            );
            reading.note(NoteKind::Contradiction, candidate.path, text);
        }
        _ => {}
    }
}

/// Applies `affineTransform`, which comes last, if it is a scale and a translation of each axis.
fn apply_affine(reading: &mut Reading<'_>, levels: &mut [Level]) -> Result<(), MultiscaleError> {
    for (level, candidate) in levels.iter_mut().zip(reading.candidates.clone()) {
        let value =
            members::member(candidate.attributes, AFFINE).or_else(|| reading.inherited(AFFINE));
        let Some(value) = value else { continue };
        let path = reading.path_of(candidate.path);
        match diagonal(
            value,
            Place {
                path: &path,
                member: AFFINE,
            },
        ) {
            Ok((scale, translation)) => {
                let scale = reading.fit(scale, 1., candidate.path, AFFINE);
                let translation = reading.fit(translation, 0., candidate.path, AFFINE);
                let mut moved = product(&level.translation, &scale);
                for (sum, translation) in moved.iter_mut().zip(translation) {
                    *sum += translation;
                }
                *level = reading.level(candidate.path, product(&level.scale, &scale), moved)?;
            }
            Err(MultiscaleError::NotDiagonal { .. }) => {
                let text = "its `affineTransform` turns, shears or mirrors the image, \
                            which a scale and a translation cannot say: \
                            positions are those before it";
                reading.note(NoteKind::LeftOut, candidate.path, text);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
