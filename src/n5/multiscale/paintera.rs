//! Paintera: `data/sK` below a group with `painteraData`, or a group with `multiScale`.

use serde_json::Value;

use super::error::MultiscaleError;
use super::members::{self, Place};
use super::pyramid::{Dialect, NoteKind, Pyramid};
use super::reading::Reading;
use super::view::{GroupView, MultiscaleOptions};

const PAINTERA_DATA: &str = "painteraData";
const LABEL_MULTISET: &str = "isLabelMultiset";

/// Whether `painteraData` is on the group or above it.
pub(super) fn is_below_data(group: &GroupView<'_>) -> bool {
    std::iter::once(&group.attributes)
        .chain(group.ancestors)
        .any(|attributes| members::member(attributes, PAINTERA_DATA).is_some())
}

/// Whether the group says that it is a pyramid, as Paintera does outside of `painteraData` too.
pub(super) fn says_multiscale(group: &GroupView<'_>) -> bool {
    group.attributes.get("multiScale").and_then(Value::as_bool) == Some(true)
}

/// Refuses what has no voxels: label multisets, and the indices beside the data.
pub(super) fn refuse_others(group: &GroupView<'_>) -> Result<(), MultiscaleError> {
    let path = || {
        if group.path.is_empty() {
            "/".to_owned()
        } else {
            group.path.to_owned()
        }
    };
    let is_multiset = |attributes: &serde_json::Map<String, Value>| {
        attributes.get(LABEL_MULTISET).and_then(Value::as_bool) == Some(true)
    };
    let levels = group.children.iter().map(|child| child.attributes);
    if is_multiset(group.attributes) || levels.clone().any(is_multiset) {
        return Err(MultiscaleError::LabelMultiset { path: path() });
    }
    let folders = || {
        group
            .path
            .split('/')
            .chain(group.children.iter().map(|child| child.path))
    };
    let mut index =
        folders().filter(|folder| matches!(*folder, "unique-labels" | "label-to-block-mapping"));
    if is_below_data(group) && index.next().is_some() {
        return Err(MultiscaleError::PainteraIndex { path: path() });
    }
    Ok(())
}

/// Recognises a pyramid of Paintera.
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
    let lists = reading.factor_lists()?;
    let kind = reading
        .inherited(PAINTERA_DATA)
        .and_then(|data| data.get("type"))
        .and_then(Value::as_str);
    let (is_label, is_channel) = (kind == Some("label"), kind == Some("channel"));
    let channel = if is_channel {
        channel_dimension(&mut reading)
    } else {
        None
    };

    let of_group = |name| {
        members::member(group.attributes, name).or_else(|| members::member(first.attributes, name))
    };
    let resolution = of_group("resolution").or_else(|| reading.inherited("resolution"));
    let place = |member| Place {
        path: group.path,
        member,
    };
    let resolution = match resolution {
        Some(value) => Some(members::resolution(value, place("resolution"))?),
        None => None,
    };
    if resolution.is_none() {
        reading.note_uncalibrated();
    }
    let entries = resolution
        .as_ref()
        .map(|resolution| resolution.values.len());
    let mut unit = resolution
        .as_ref()
        .and_then(|resolution| resolution.unit.clone());
    let resolution = resolution
        .map(|resolution| resolution.values)
        .unwrap_or_default();
    let resolution = spread(&mut reading, resolution, 1., channel, "resolution");
    let offset = match of_group("offset").or_else(|| reading.inherited("offset")) {
        Some(value) => members::numbers(value, place("offset"))?,
        None => Vec::new(),
    };
    let offset = spread(&mut reading, offset, 0., channel, "offset");

    let mut levels = Vec::new();
    for candidate in reading.candidates.clone() {
        unit = unit.or_else(|| members::text(candidate.attributes, "unit"));
        let own = members::member(candidate.attributes, "downsamplingFactors");
        let path = reading.path_of(candidate.path);
        let factors = match own {
            Some(value) => {
                let factors = members::positive(
                    value,
                    Place {
                        path: &path,
                        member: "downsamplingFactors",
                    },
                )?;
                spread(&mut reading, factors, 1., channel, "downsamplingFactors")
            }
            None => match reading.listed_factors(lists.as_deref(), &candidate) {
                Some(factors) => factors,
                None => spread_name(&mut reading, &candidate, channel),
            },
        };
        levels.push(reading.averaged(&candidate, &resolution, &factors, &offset)?);
    }
    reading.note_sizes(&levels);
    let names = channel.map(|channel| names_with(channel, reading.dimensionality));
    let mut axes = reading.axes(names.as_deref(), entries)?;
    unit = unit.or_else(|| {
        reading
            .inherited("unit")
            .and_then(Value::as_str)
            .map(str::to_owned)
    });
    reading.set_unit(&mut axes, unit.as_deref());
    let mut pyramid = reading.finish(Dialect::Paintera, axes, levels);
    pyramid.is_label = is_label;
    Ok(Some(pyramid))
}

/// The dimension of the channels in data of the type `channel`: as stated, or the last of four.
fn channel_dimension(reading: &mut Reading<'_>) -> Option<usize> {
    if reading.dimensionality != 4 {
        return None;
    }
    let first = reading.candidates.first()?;
    let stated = members::member(first.attributes, "channelDimension")
        .or_else(|| reading.inherited("channelDimension"));
    match stated
        .and_then(Value::as_u64)
        .and_then(|dimension| usize::try_from(dimension).ok())
    {
        Some(dimension) if dimension < 4 => Some(dimension),
        _ => {
            let text =
                "the last of the four dimensions is taken for the channels, as Paintera has it";
            reading.note(NoteKind::Guessed, "", text);
            Some(3)
        }
    }
}

/// Three entries for the dimensions of space, with `fill` for the channels.
fn spread(
    reading: &mut Reading<'_>,
    mut values: Vec<f64>,
    fill: f64,
    channel: Option<usize>,
    name: &str,
) -> Vec<f64> {
    if let Some(channel) = channel
        && values.len() == 3
    {
        values.insert(channel.min(3), fill);
    }
    reading.fit(values, fill, "", name)
}

fn spread_name(
    reading: &mut Reading<'_>,
    candidate: &super::reading::Candidate<'_>,
    channel: Option<usize>,
) -> Vec<f64> {
    let mut factors = reading.factors_from_name(candidate);
    if let Some(factor) = channel.and_then(|channel| factors.get_mut(channel)) {
        *factor = 1.;
    }
    factors
}

fn names_with(channel: usize, dimensionality: usize) -> Vec<String> {
    let mut spatial = ["x", "y", "z"].into_iter();
    (0..dimensionality)
        .map(|dimension| {
            if dimension == channel {
                "c"
            } else {
                spatial.next().unwrap_or("c")
            }
            .to_owned()
        })
        .collect()
}
