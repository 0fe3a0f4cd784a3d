//! The canonical documents of n5-universe: `spatialTransform: {transform: {type, …}, unit}`.

use serde_json::{Map, Value};

use super::error::MultiscaleError;
use super::listed::Listed;
use super::members::{self, Place};
use super::pyramid::{Dialect, NoteKind, Pyramid};
use super::reading::Reading;
use super::view::{GroupView, MultiscaleOptions};

const MEMBER: &str = "spatialTransform";

/// Whether a `spatialTransform` is on a dataset, or on an entry of `multiscales`.
pub(super) fn is_here(group: &GroupView<'_>, listed: Option<&Listed>) -> bool {
    let has =
        |attributes: &Map<String, Value>| attributes.get(MEMBER).is_some_and(Value::is_object);
    group.children.iter().any(|child| has(child.attributes))
        || listed.is_some_and(|listed| listed.entries.iter().any(|(_, entry)| has(entry)))
}

/// Recognises a pyramid of n5-universe.
pub(super) fn recognise(
    group: &GroupView<'_>,
    options: &MultiscaleOptions,
    listed: Option<&Listed>,
) -> Result<Option<Pyramid>, MultiscaleError> {
    let paths = listed.map(Listed::paths);
    let Some(mut reading) = Reading::begin(group, options, paths.as_deref())? else {
        return Ok(None);
    };
    let mut levels = Vec::new();
    let mut units = Vec::new();
    for candidate in reading.candidates.clone() {
        let spatial = members::member(candidate.attributes, MEMBER)
            .or_else(|| listed.and_then(|listed| listed.member(candidate.path, MEMBER)));
        let Some(spatial) = spatial else {
            let text = "it has no `spatialTransform`, and other levels have one";
            reading.note(NoteKind::LeftOut, candidate.path, text);
            continue;
        };
        let path = reading.path_of(candidate.path);
        let place = Place {
            path: &path,
            member: MEMBER,
        };
        let transform = spatial.get("transform").unwrap_or(&Value::Null);
        let mut steps = Steps::new(reading.dimensionality);
        steps.apply(transform, place)?;
        levels.push(reading.level(candidate.path, steps.scale, steps.translation)?);
        units.push(
            spatial
                .get("unit")
                .and_then(Value::as_str)
                .map(str::to_owned),
        );
    }
    if levels.is_empty() {
        return Ok(None);
    }
    let mut axes = reading.axes(None, None)?;
    let unit = units.first().cloned().flatten();
    if units.iter().any(|other| *other != unit) {
        reading.note(
            NoteKind::Contradiction,
            "",
            "the levels have different units: that of the first counts",
        );
    }
    reading.set_unit(&mut axes, unit.as_deref());
    if let Some(listed) = listed {
        listed.note_others(&mut reading);
    }
    let mut pyramid = reading.finish(Dialect::Canonical, axes, levels);
    pyramid.name = listed
        .and_then(|listed| listed.name.clone())
        .or(pyramid.name);
    Ok(Some(pyramid))
}

/// Scale and translation of a list of transforms, one applied after the other.
struct Steps {
    scale: Vec<f64>,
    translation: Vec<f64>,
}

impl Steps {
    fn new(dimensionality: usize) -> Self {
        Self {
            scale: vec![1.; dimensionality],
            translation: vec![0.; dimensionality],
        }
    }

    /// A sequence may hold sequences; JSON itself bounds how deep.
    fn apply(&mut self, transform: &Value, place: Place<'_>) -> Result<(), MultiscaleError> {
        let list = |name: &str| transform.get(name).unwrap_or(&Value::Null);
        match transform.get("type").and_then(Value::as_str) {
            Some("identity") => Ok(()),
            Some("scale") => {
                let scale = members::positive(list("scale"), place)?;
                self.compose(&scale, &vec![0.; scale.len()], transform, place)
            }
            Some("translation") => {
                let translation = members::numbers(list("translation"), place)?;
                self.compose(&vec![1.; translation.len()], &translation, transform, place)
            }
            Some("affine") => {
                let (scale, translation) = diagonal(list("affine"), place)?;
                self.compose(&scale, &translation, transform, place)
            }
            Some("sequence") => match list("transformations").as_array() {
                Some(steps) => steps.iter().try_for_each(|step| self.apply(step, place)),
                None => Err(place.refuse(transform, "a sequence with the list `transformations`")),
            },
            _ => Err(place.refuse(
                transform,
                "a transform of type scale, translation, affine, sequence or identity",
            )),
        }
    }

    fn compose(
        &mut self,
        scale: &[f64],
        translation: &[f64],
        transform: &Value,
        place: Place<'_>,
    ) -> Result<(), MultiscaleError> {
        if scale.len() != self.scale.len() || translation.len() != self.scale.len() {
            return Err(place.refuse(
                transform,
                "a transform of as many dimensions as the dataset has",
            ));
        }
        self.translation = members::product(&self.translation, scale);
        for (sum, translation) in self.translation.iter_mut().zip(translation) {
            *sum += translation;
        }
        self.scale = members::product(&self.scale, scale);
        Ok(())
    }
}

/// The diagonal and the last column of an affine: rows of one more entry than there are rows, as a
/// list of rows or one flat list.
pub(super) fn diagonal(
    value: &Value,
    place: Place<'_>,
) -> Result<(Vec<f64>, Vec<f64>), MultiscaleError> {
    const EXPECTED: &str = "an affine as rows of numbers, each one longer than there are rows";
    let Some(list) = value.as_array() else {
        return Err(place.refuse(value, EXPECTED));
    };
    let rows: Vec<Vec<f64>> = if list.iter().any(Value::is_array) {
        list.iter()
            .map(|row| members::numbers(row, place))
            .collect::<Result<_, _>>()?
    } else {
        let flat = members::numbers(value, place)?;
        // n rows of n + 1 entries: n is the root, rounded down.
        let rows = flat.len().isqrt().max(1);
        flat.chunks(rows.saturating_add(1))
            .map(<[f64]>::to_vec)
            .collect()
    };
    let mut scale = Vec::with_capacity(rows.len());
    let mut translation = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        let (Some((moved, linear)), true) =
            (row.split_last(), row.len() == rows.len().saturating_add(1))
        else {
            return Err(place.refuse(value, EXPECTED));
        };
        let is_diagonal = |(column, entry): (usize, &f64)| {
            if column == index {
                *entry > 0.
            } else {
                *entry == 0.
            }
        };
        if !linear.iter().enumerate().all(is_diagonal) {
            let (path, member) = (place.path.to_owned(), place.member.to_owned());
            return Err(MultiscaleError::NotDiagonal { path, member });
        }
        scale.extend(linear.get(index));
        translation.push(*moved);
    }
    Ok((scale, translation))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PLACE: Place<'static> = Place {
        path: "/a",
        member: MEMBER,
    };

    #[test]
    fn a_diagonal_is_found_flat_and_in_rows() {
        let expected = (vec![4., 5.], vec![10., 20.]);
        assert_eq!(
            diagonal(&json!([4, 0, 10, 0, 5, 20]), PLACE).unwrap(),
            expected
        );
        assert_eq!(
            diagonal(&json!([[4, 0, 10], [0, 5, 20]]), PLACE).unwrap(),
            expected
        );
    }

    #[test]
    fn shears_mirrors_and_torn_matrices_are_refused() {
        for bad in [json!([4, 1, 10, 0, 5, 20]), json!([-4, 0, 10, 0, 5, 20])] {
            let error = diagonal(&bad, PLACE).unwrap_err();
            assert!(
                matches!(error, MultiscaleError::NotDiagonal { .. }),
                "{error}"
            );
        }
        for bad in [
            json!([4, 0, 10, 0, 5]),
            json!([]),
            json!([[1]]),
            json!("I"),
            json!([4]),
        ] {
            let error = diagonal(&bad, PLACE);
            let is_member = matches!(error, Err(MultiscaleError::Member { .. }));
            assert!(is_member || bad == json!([]), "{bad}: {error:?}");
        }
    }

    #[test]
    fn a_sequence_is_applied_in_order() {
        let mut steps = Steps::new(2);
        let sequence = json!({"type": "sequence", "transformations": [
            {"type": "translation", "translation": [1, 2]},
            {"type": "scale", "scale": [10, 100]},
            {"type": "identity"},
        ]});
        steps.apply(&sequence, PLACE).unwrap();
        assert_eq!(steps.scale, [10., 100.]);
        assert_eq!(steps.translation, [10., 200.]);
        assert!(
            steps
                .apply(&json!({"type": "displacement"}), PLACE)
                .is_err()
        );
        assert!(
            steps
                .apply(&json!({"type": "scale", "scale": [1, 1, 1]}), PLACE)
                .is_err()
        );
    }
}
