//! In what the settings of two runs differ. Pure.

use std::fmt;
use std::path::Path;

use serde_json::{Map, Value};

use super::error::RewriteError;
use crate::n5::error_text::shortened;

/// The setting that is the version of the record.
pub(super) const VERSION: &str = "version";

/// The setting that is the place of the source.
pub(super) const SOURCE: &str = "source";

/// The setting whose value is a list of levels, each an object with its path.
const LEVELS: &str = "levels";

/// A setting in which two runs differ.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Difference {
    name: String,
    /// What was asked for then.
    found: String,
    /// What is asked for now.
    expected: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            found,
            expected,
        } = self;
        write!(f, "`{name}` was {found}, now it is {expected}")
    }
}

/// The place of the source in settings, if it is known.
pub(super) fn source_in(settings: &Map<String, Value>) -> Option<&str> {
    settings.get(SOURCE)?.as_str()
}

/// Checks that the output in `folder`, which was begun with the settings `found`, may be gone on
/// with by a run that has the settings `expected`. Of their sources `is_same_source` says whether
/// they are the same.
pub(super) fn check(
    folder: &Path,
    found: &Map<String, Value>,
    expected: &Map<String, Value>,
    is_same_source: impl FnOnce(&str, &str) -> bool,
) -> Result<(), RewriteError> {
    let mut differences = differences(found, expected).into_iter();
    if let (Some(found), Some(expected)) = (source_in(found), source_in(expected))
        && !is_same_source(found, expected)
    {
        return Err(RewriteError::OtherSource {
            folder: folder.to_owned(),
            found: found.to_owned(),
            expected: expected.to_owned(),
            also: differences.map(|also| also.to_string()).collect(),
        });
    }
    let Some(first) = differences.next() else {
        return Ok(());
    };
    Err(RewriteError::OtherSettings {
        folder: folder.to_owned(),
        name: first.name,
        found: first.found,
        expected: first.expected,
        also: differences.map(|also| also.to_string()).collect(),
    })
}

/// The settings in which two runs differ, as short as they can be said: of levels only the members
/// that are not the same.
fn differences(found: &Map<String, Value>, expected: &Map<String, Value>) -> Vec<Difference> {
    let mut differences = Vec::new();
    for (name, expected) in expected {
        let found = found.get(name).unwrap_or(&Value::Null);
        if found == expected || name == SOURCE {
            continue;
        }
        let levels = (found.as_array(), expected.as_array());
        match levels {
            (Some(found), Some(expected)) if name == LEVELS => {
                of_levels(found, expected, &mut differences);
            }
            _ => differences.push(difference(name.clone(), found, expected)),
        }
    }
    differences
}

fn of_levels(found: &[Value], expected: &[Value], differences: &mut Vec<Difference>) {
    let paths = |levels: &[Value]| -> Vec<Value> {
        let paths = levels.iter().filter_map(|level| level.get("path"));
        paths.cloned().collect()
    };
    let (then, now) = (paths(found), paths(expected));
    if then != now {
        let difference = difference(LEVELS.to_owned(), &then.into(), &now.into());
        differences.push(difference);
        return;
    }
    let before = differences.len();
    for (found, expected) in found.iter().zip(expected) {
        let path = expected.get("path").and_then(Value::as_str);
        for (member, expected) in expected.as_object().into_iter().flatten() {
            let found = found.get(member).unwrap_or(&Value::Null);
            if found != expected {
                let name = format!("{member} of {}", path.unwrap_or_default());
                differences.push(difference(name, found, expected));
            }
        }
    }
    if differences.len() == before {
        // Another version of this crate said more of levels.
        let difference = difference(LEVELS.to_owned(), &found.into(), &expected.into());
        differences.push(difference);
    }
}

fn difference(name: String, found: &Value, expected: &Value) -> Difference {
    Difference {
        name,
        found: shortened(found),
        expected: shortened(expected),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn settings(value: &Value) -> &Map<String, Value> {
        value.as_object().unwrap()
    }

    fn texts(found: &Value, expected: &Value) -> Vec<String> {
        let differences = differences(settings(found), settings(expected));
        let texts = differences.iter().map(ToString::to_string);
        texts.collect()
    }

    #[test]
    fn all_that_differ_are_named() {
        let found = json!({"chunk": [1, 2], "shard": [4, 4], "compression": "none"});
        let expected = json!({"chunk": [2, 2], "shard": [4, 4], "compression": ["zstd", 3]});
        assert_eq!(
            texts(&found, &expected),
            [
                "`chunk` was [1,2], now it is [2,2]",
                "`compression` was \"none\", now it is [\"zstd\",3]"
            ]
        );
    }

    #[test]
    fn of_levels_only_the_members_that_differ_are_shown() {
        let level = |path: &str, from: Value, shape: [u64; 2]| {
            let data_type = "uint8";
            json!({"path": path, "from": from, "shape": shape, "data_type": data_type})
        };
        let s0 = level("s0", json!("/raw/s0"), [8, 8]);
        let found = json!({"levels": [s0, level("s1", json!("/raw/s1"), [4, 4])]});
        let made = json!(["mean", [2, 2]]);
        let expected = json!({"levels": [s0, level("s1", made, [4, 5])]});
        assert_eq!(
            texts(&found, &expected),
            [
                "`from of s1` was \"/raw/s1\", now it is [\"mean\",[2,2]]",
                "`shape of s1` was [4,4], now it is [4,5]"
            ]
        );
        assert_eq!(
            texts(&found, &json!({ "levels": [s0] })),
            ["`levels` was [\"s0\",\"s1\"], now it is [\"s0\"]"]
        );
    }

    #[test]
    fn what_is_long_is_cut_and_what_is_not_there_is_null() {
        let long = "x".repeat(10_000);
        let [text] = &texts(&json!({}), &json!({"dataset": long}))[..] else {
            panic!("one setting");
        };
        assert!(
            text.starts_with("`dataset` was null, now it is \"xxx"),
            "{text}"
        );
        assert!(text.len() < 500, "{text}");
    }
}
