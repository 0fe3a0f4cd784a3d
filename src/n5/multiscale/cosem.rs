//! COSEM, OpenOrganelle: `transform` on every dataset, and `multiscales` on the group.

use serde_json::{Map, Value};

use super::error::MultiscaleError;
use super::members::{self, Place};
use super::pyramid::{AxisKind, Dialect, NoteKind, Pyramid};
use super::reading::{Candidate, Reading};
use super::view::{GroupView, MultiscaleOptions};

const TRANSFORM: &str = "transform";

/// The paths that the first entry of `multiscales` lists, with the members of their entries.
pub(super) struct Listed {
    pub(super) name: Option<String>,
    pub(super) entries: Vec<(String, Map<String, Value>)>,
    /// How many entries `multiscales` has.
    images: usize,
}

/// `multiscales: [{name, datasets: [{path, …}]}]`, also with plain strings for datasets, or without the outer list (the
/// canonical documents of n5-universe). `None` if it lists nothing.
pub(super) fn listed(attributes: &Map<String, Value>) -> Option<Listed> {
    let value = members::member(attributes, "multiscales")?;
    let (image, images) = match value {
        Value::Array(images) => (images.first()?.as_object()?, images.len()),
        Value::Object(image) => (image, 1),
        _ => return None,
    };
    let entries: Vec<_> = image
        .get("datasets")?
        .as_array()?
        .iter()
        .filter_map(|dataset| match dataset {
            Value::String(path) => Some((path.clone(), Map::new())),
            Value::Object(entry) => Some((members::text(entry, "path")?, entry.clone())),
            _ => None,
        })
        .collect();
    let name = members::text(image, "name").filter(|name| !name.is_empty());
    (!entries.is_empty()).then_some(Listed {
        name,
        entries,
        images,
    })
}

impl Listed {
    pub(super) fn paths(&self) -> Vec<String> {
        self.entries.iter().map(|(path, _)| path.clone()).collect()
    }

    /// The member of the entry that names the level.
    pub(super) fn member(&self, path: &str, name: &str) -> Option<&Value> {
        let is_entry = |(listed, _): &&(String, Map<String, Value>)| {
            listed.trim_matches('/').trim_start_matches("./") == path
        };
        members::member(&self.entries.iter().find(is_entry)?.1, name)
    }

    pub(super) fn note_others(&self, reading: &mut Reading<'_>) {
        if self.images > 1 {
            let text = format!(
                "`multiscales` describes {} images: only the first is used",
                self.images
            );
            reading.note(NoteKind::LeftOut, "", text);
        }
    }
}

/// Whether a `transform` is on a dataset, or on an entry of `multiscales`.
pub(super) fn is_here(group: &GroupView<'_>, listed: Option<&Listed>) -> bool {
    let has =
        |attributes: &Map<String, Value>| attributes.get(TRANSFORM).is_some_and(Value::is_object);
    group.children.iter().any(|child| has(child.attributes))
        || listed.is_some_and(|listed| listed.entries.iter().any(|(_, entry)| has(entry)))
}

/// A `transform`, all lists in the order of N5.
#[derive(Debug, PartialEq)]
struct Transform {
    axes: Option<Vec<String>>,
    scale: Vec<f64>,
    translate: Option<Vec<f64>>,
    units: Vec<String>,
    /// What does not fit together.
    doubts: Vec<String>,
}

impl Transform {
    fn read(value: &Value, path: &str, dimensionality: usize) -> Result<Self, MultiscaleError> {
        let place = Place {
            path,
            member: TRANSFORM,
        };
        let Some(object) = value.as_object() else {
            return Err(place.refuse(
                value,
                "an object with the members `axes`, `scale`, `translate`, `units`",
            ));
        };
        let Some(scale) = members::member(object, "scale") else {
            return Err(place.refuse(value, "an object with the member `scale`"));
        };
        let mut scale = members::positive(scale, place)?;
        let mut translate = members::member(object, "translate")
            .map(|translate| members::numbers(translate, place))
            .transpose()?;
        let mut axes = members::member(object, "axes").and_then(members::texts);
        let mut units = members::member(object, "units")
            .and_then(members::texts)
            .unwrap_or_default();
        let fits = |len: usize| len == dimensionality;
        if !fits(scale.len()) || !translate.as_ref().is_none_or(|list| fits(list.len())) {
            return Err(place.refuse(value, "one entry of `scale` and `translate` per dimension"));
        }
        axes = axes.filter(|axes| fits(axes.len()));
        let mut doubts = Vec::new();
        if !units.is_empty() && !fits(units.len()) {
            doubts.push(format!(
                "`units` has {} entries for {dimensionality} dimensions: not used",
                units.len()
            ));
            units.clear();
        }
        let order = members::text(object, "order").or_else(|| members::text(object, "ordering"));
        let arrangement = Arrangement::of(axes.as_deref(), order.as_deref(), &mut doubts);
        arrangement.apply(&mut scale);
        arrangement.apply(&mut units);
        if let Some(translate) = &mut translate {
            arrangement.apply(translate);
        }
        if let Some(axes) = &mut axes {
            arrangement.apply(axes);
        }
        Ok(Self {
            axes,
            scale,
            translate,
            units,
            doubts,
        })
    }
}

/// How the lists of a `transform` come into the order of N5.
enum Arrangement {
    AsIs,
    Backwards,
    /// The place of x, y and z.
    ByName([usize; 3]),
}

impl Arrangement {
    /// The names decide; where they do not tell, `order` does.
    fn of(axes: Option<&[String]>, order: Option<&str>, doubts: &mut Vec<String>) -> Self {
        let place = |name: &str| {
            axes.unwrap_or_default()
                .iter()
                .position(|axis| axis.eq_ignore_ascii_case(name))
        };
        let places = ["x", "y", "z"].map(place);
        let known: Vec<usize> = places.iter().flatten().copied().collect();
        let pairs = || known.iter().zip(known.iter().skip(1));
        let is_fortran = order.is_some_and(|order| order.eq_ignore_ascii_case("F"));
        if known.len() >= 2 && pairs().all(|(one, next)| one < next) {
            if order.is_some_and(|order| order.eq_ignore_ascii_case("C")) {
                doubts.push(
                    "`order` is \"C\", but the axes begin with x: the names decide".to_owned(),
                );
            }
            return Self::AsIs;
        }
        if known.len() >= 2 && pairs().all(|(one, next)| one > next) {
            if is_fortran {
                doubts
                    .push("`order` is \"F\", but the axes end with x: the names decide".to_owned());
            }
            return Self::Backwards;
        }
        if let ([Some(x), Some(y), Some(z)], Some(3)) = (places, axes.map(<[_]>::len)) {
            doubts.push("the axes are in no usual order: each is taken by its name".to_owned());
            return Self::ByName([x, y, z]);
        }
        let way = if is_fortran {
            "forwards, as `order` \"F\" says"
        } else {
            "backwards, as in C order"
        };
        doubts.push(format!(
            "the names of the axes do not tell their order: taken {way}"
        ));
        if is_fortran {
            Self::AsIs
        } else {
            Self::Backwards
        }
    }

    fn apply<T: Clone>(&self, values: &mut Vec<T>) {
        match self {
            Self::AsIs => {}
            Self::Backwards => values.reverse(),
            Self::ByName(places) => {
                *values = places
                    .iter()
                    .filter_map(|&place| values.get(place).cloned())
                    .collect();
            }
        }
    }
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
            axis.kind == AxisKind::Channel && (*scale != 1. || *moved != 0.)
        }) {
            reading.note(
                NoteKind::Contradiction,
                &level.path,
                "the channels are scaled or moved",
            );
        }
    }
}
