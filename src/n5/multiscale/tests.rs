//! Attributes as the programs write them, and what makes readers stumble.

mod dialects;
mod hostile;
mod listed;
mod paintera;
mod traps_of_axes;
mod traps_of_levels;

use serde_json::{Map, Value, json};

use super::{
    Axis, DatasetView, GroupView, MultiscaleError, MultiscaleOptions, NoteKind, Pyramid, recognise,
};

/// A JSON object.
fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("{other} is not an object"),
    }
}

/// A group with datasets, for one test.
#[derive(Default)]
struct Group {
    path: &'static str,
    attributes: Map<String, Value>,
    ancestors: Vec<Map<String, Value>>,
    children: Vec<(&'static str, Map<String, Value>)>,
    options: MultiscaleOptions,
}

impl Group {
    fn new(path: &'static str, attributes: Value) -> Self {
        Self {
            path,
            attributes: object(attributes),
            ..Self::default()
        }
    }

    /// The next group above.
    fn below(mut self, attributes: Value) -> Self {
        self.ancestors.push(object(attributes));
        self
    }

    fn dataset(mut self, path: &'static str, dimensions: &[u64], attributes: Value) -> Self {
        let mut attributes = object(attributes);
        attributes.insert("dimensions".to_owned(), json!(dimensions));
        self.children.push((path, attributes));
        self
    }

    fn options(mut self, options: MultiscaleOptions) -> Self {
        self.options = options;
        self
    }

    fn try_recognise(&self) -> Result<Option<Pyramid>, MultiscaleError> {
        let ancestors: Vec<_> = self.ancestors.iter().collect();
        let children: Vec<_> = self
            .children
            .iter()
            .map(|(path, attributes)| DatasetView { path, attributes })
            .collect();
        let group = GroupView {
            path: self.path,
            attributes: &self.attributes,
            ancestors: &ancestors,
            children: &children,
        };
        recognise(&group, &self.options)
    }

    fn recognise(&self) -> Pyramid {
        self.try_recognise().expect("no error").expect("a pyramid")
    }

    fn error(&self) -> MultiscaleError {
        self.try_recognise().expect_err("an error")
    }
}

/// The names of the axes, `?` for none.
fn names(pyramid: &Pyramid) -> Vec<&str> {
    let name = |axis: &'_ Axis| axis.name.is_none();
    pyramid
        .axes
        .iter()
        .map(|axis| {
            if name(axis) {
                "?"
            } else {
                axis.name.as_deref().unwrap_or_default()
            }
        })
        .collect()
}

/// The units of the axes, `-` for none.
fn units(pyramid: &Pyramid) -> Vec<&str> {
    pyramid
        .axes
        .iter()
        .map(|axis| axis.unit.as_deref().unwrap_or("-"))
        .collect()
}

/// Checks path, scale and translation of every level.
fn check_levels(pyramid: &Pyramid, expected: &[(&str, &[f64], &[f64])]) {
    let near = |one: &[f64], other: &[f64]| {
        one.len() == other.len()
            && one
                .iter()
                .zip(other)
                .all(|(one, other)| (one - other).abs() < 1e-9)
    };
    assert_eq!(pyramid.levels.len(), expected.len(), "{pyramid:?}");
    for (level, (path, scale, translation)) in pyramid.levels.iter().zip(expected) {
        assert_eq!(level.path, *path);
        assert!(
            near(&level.scale, scale),
            "{path}: scale {:?}, expected {scale:?}",
            level.scale
        );
        assert!(
            near(&level.translation, translation),
            "{path}: translation {:?}, expected {translation:?}",
            level.translation
        );
    }
}

/// Checks that there is a note of that kind with that text in it.
fn check_note(pyramid: &Pyramid, kind: NoteKind, text: &str) {
    let is_it = |note: &super::Note| note.kind == kind && note.to_string().contains(text);
    assert!(
        pyramid.notes.iter().any(is_it),
        "no note of {text:?}: {:?}",
        pyramid.notes
    );
}

/// Checks that nothing but the names of the dimensions was guessed, contradicted or left out.
fn check_no_doubts(pyramid: &Pyramid) {
    let doubts: Vec<_> = pyramid
        .notes
        .iter()
        .filter(|note| !note.text.starts_with("the dimensions have no names"))
        .collect();
    assert!(doubts.is_empty(), "{doubts:?}");
}

/// A group with nothing above it.
fn stack(attributes: Value) -> Group {
    Group::new("/stack", attributes)
}

/// A transform with these axes and this order, scaled 1, 2, 3 and moved 10, 20, 30 in the order it
/// is written.
fn transform(axes: &Value, order: &Value) -> Value {
    json!({"transform": {"axes": axes, "order": order, "scale": [1, 2, 3], "translate": [10, 20, 30], "units": ["nm", "um", "mm"]}})
}
