//! Reads members of attributes: lists of numbers, factors, resolutions, names.

use serde_json::{Map, Value};

use super::error::MultiscaleError;

/// A resolution, with the unit where it is written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Resolution {
    pub(super) values: Vec<f64>,
    pub(super) unit: Option<String>,
}

/// The member, unless it is absent or null.
pub(super) fn member<'a>(attributes: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    attributes.get(name).filter(|value| !value.is_null())
}

/// Where a member stands, for errors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub(super) path: &'a str,
    pub(super) member: &'a str,
}

impl Place<'_> {
    pub(super) fn refuse(self, found: &Value, expected: &'static str) -> MultiscaleError {
        let mut text = found.to_string();
        if let Some((end, _)) = text.char_indices().nth(80) {
            text.truncate(end);
            text.push('…');
        }
        MultiscaleError::Member {
            path: self.path.to_owned(),
            member: self.member.to_owned(),
            found: text,
            expected,
        }
    }
}

/// The finite numbers of a list.
fn finite(value: &Value) -> Option<Vec<f64>> {
    value
        .as_array()?
        .iter()
        .map(|entry| entry.as_f64().filter(|number| number.is_finite()))
        .collect()
}

/// A list of finite numbers.
pub(super) fn numbers(value: &Value, place: Place<'_>) -> Result<Vec<f64>, MultiscaleError> {
    finite(value).ok_or_else(|| place.refuse(value, "a list of finite numbers"))
}

/// A list of finite numbers above 0.
pub(super) fn positive(value: &Value, place: Place<'_>) -> Result<Vec<f64>, MultiscaleError> {
    finite(value)
        .filter(|numbers| numbers.iter().all(|number| *number > 0.))
        .ok_or_else(|| place.refuse(value, "a list of finite numbers above 0"))
}

/// Factors per level: a list of lists of finite numbers above 0. An empty list, and a flat one,
/// which are the factors of a single level, give none.
pub(super) fn factor_lists(
    value: &Value,
    place: Place<'_>,
) -> Result<Option<Vec<Vec<f64>>>, MultiscaleError> {
    let Some(lists) = value.as_array() else {
        return Err(place.refuse(value, "a list of lists of numbers, one list per level"));
    };
    if !lists.iter().any(Value::is_array) {
        return if lists.iter().all(Value::is_number) {
            Ok(None)
        } else {
            Err(place.refuse(value, "a list of lists of numbers, one list per level"))
        };
    }
    lists
        .iter()
        .map(|list| positive(list, place))
        .collect::<Result<Vec<_>, _>>()
        .map(Some)
}

/// A resolution as `[4, 4, 4]` or as `{"dimensions": [4, 4, 4], "unit": "nm"}`.
pub(super) fn resolution(value: &Value, place: Place<'_>) -> Result<Resolution, MultiscaleError> {
    let Some(object) = value.as_object() else {
        let values = positive(value, place)?;
        return Ok(Resolution { values, unit: None });
    };
    let Some(dimensions) = object.get("dimensions") else {
        return Err(place.refuse(value, "a list, or an object with the member `dimensions`"));
    };
    Ok(Resolution {
        values: positive(dimensions, place)?,
        unit: text(object, "unit"),
    })
}

/// A member that is a text.
pub(super) fn text(attributes: &Map<String, Value>, name: &str) -> Option<String> {
    attributes.get(name)?.as_str().map(str::to_owned)
}

/// A list of texts; null entries count as empty.
pub(super) fn texts(value: &Value) -> Option<Vec<String>> {
    value
        .as_array()?
        .iter()
        .map(|entry| match entry {
            Value::Null => Some(String::new()),
            Value::String(text) => Some(text.clone()),
            _ => None,
        })
        .collect()
}

/// Whether the lists agree, but for rounding.
pub(super) fn agree(one: &[f64], other: &[f64]) -> bool {
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|(one, other)| (one - other).abs() <= 1e-6 * one.abs().max(other.abs()))
}

/// Whether all are exactly 1.
pub(super) fn are_one(values: &[f64]) -> bool {
    values.iter().all(|value| value.total_cmp(&1.).is_eq())
}

/// Each resolution by its factor.
pub(super) fn product(one: &[f64], other: &[f64]) -> Vec<f64> {
    one.iter()
        .zip(other)
        .map(|(one, other)| one * other)
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PLACE: Place<'static> = Place {
        path: "/raw",
        member: "resolution",
    };

    #[test]
    fn numbers_must_be_finite() {
        let huge: Value = serde_json::from_str("[1, 2.5e3]").unwrap();
        assert_eq!(numbers(&huge, PLACE).unwrap(), [1., 2500.]);
        for bad in [
            json!([1, null]),
            json!([1, "NaN"]),
            json!("4 nm"),
            json!({"a": 1}),
        ] {
            let error = numbers(&bad, PLACE).unwrap_err().to_string();
            assert!(
                error.starts_with("/raw: the member `resolution` is "),
                "{error}"
            );
        }
    }

    #[test]
    fn resolutions_must_be_above_0() {
        for bad in [json!([1, 0, 1]), json!([1, -1.5]), json!([1, -0.0])] {
            assert!(
                positive(&bad, PLACE)
                    .unwrap_err()
                    .to_string()
                    .contains("above 0")
            );
        }
    }

    #[test]
    fn no_scales_and_flat_scales_are_none_per_level() {
        assert_eq!(factor_lists(&json!([]), PLACE).unwrap(), None);
        assert_eq!(factor_lists(&json!([2, 2, 1]), PLACE).unwrap(), None);
        assert_eq!(
            factor_lists(&json!([[1, 1], [2, 1]]), PLACE).unwrap(),
            Some(vec![vec![1., 1.], vec![2., 1.]])
        );
        assert!(factor_lists(&json!([[1, 1], 2]), PLACE).is_err());
        assert!(factor_lists(&json!({"s0": [1, 1]}), PLACE).is_err());
    }

    #[test]
    fn long_members_are_shortened_in_errors() {
        let long = json!("µ".repeat(500));
        let error = numbers(&long, PLACE).unwrap_err().to_string();
        assert!(error.contains('…') && error.len() < 400, "{error}");
    }

    #[test]
    fn rounding_is_no_difference() {
        assert!(agree(&[0.1 + 0.2, 4.], &[0.3, 4.]));
        assert!(!agree(&[0.3, 4.], &[0.3, 4.1]));
        assert!(!agree(&[1.], &[1., 1.]));
    }
}
