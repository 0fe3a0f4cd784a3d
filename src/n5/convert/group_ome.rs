//! The attribute `ome` of a group that has only a `zarr.json`, and members of other writers in it.

use serde_json::Value;

use super::names::{ATTRIBUTES, MULTISCALES, OME};
use crate::n5::json::{Document, ObjectWriter, Shift};
use crate::n5::node::{EMPTY_GROUP, is_same_json};

/// What repeats the documents of other nodes, and is wrong once these change.
const CONSOLIDATED: &str = "consolidated_metadata";

/// More levels than any pyramid has.
const MAX_LEVELS: usize = 64;

/// The `zarr.json` of a group, with its attribute `ome` told from all others.
pub(crate) struct GroupOme<'a> {
    document: Document<'a>,
    attributes: Document<'static>,
    ome: Option<Value>,
}

impl<'a> GroupOme<'a> {
    /// Reads a `zarr.json`; `None` unless it is a group of Zarr V3.
    pub(crate) fn of(zarr: &'a [u8]) -> Option<Self> {
        let document = Document::of_zarr(zarr).ok()?;
        let is_group = document.parsed("zarr_format").ok()?? == 3
            && document.parsed("node_type").ok()?? == "group";
        let attributes = match document.get(ATTRIBUTES) {
            Some(attributes) => Document::of_json(attributes).ok()?.into_owned(),
            None => Document::default(),
        };
        let ome = attributes.parsed(OME).ok()?;
        is_group.then_some(Self {
            document,
            attributes,
            ome,
        })
    }

    /// The attribute `ome`, if there is one.
    pub(crate) fn ome(&self) -> Option<&Value> {
        self.ome.as_ref()
    }

    /// The paths of the arrays that `ome` speaks of, below the group.
    pub(crate) fn levels(&self) -> Vec<&str> {
        let images = self.ome.as_ref().and_then(|ome| ome.get(MULTISCALES));
        let images = images.and_then(Value::as_array).into_iter().flatten();
        let datasets = images.filter_map(|image| image.get("datasets")?.as_array());
        let paths = datasets.flatten().filter_map(|level| level.get("path"));
        paths
            .filter_map(Value::as_str)
            .filter(|path| path.split('/').all(|name| !matches!(name, "" | "." | "..")))
            .take(MAX_LEVELS)
            .collect()
    }

    /// The same document with another attribute `ome`, or without. All else stays but consolidated
    /// metadata.
    pub(crate) fn with(&self, ome: Option<&Value>) -> Vec<u8> {
        let mut attributes = String::new();
        let mut object = ObjectWriter::new(&mut attributes, 1);
        let kept = self.attributes.members().filter(|(name, _)| name != OME);
        let mut is_empty = true;
        for (name, value) in kept {
            object.member(&name).push_str(value);
            is_empty = false;
        }
        if let Some(ome) = ome {
            // Once for each of the two objects that it stands in.
            let mut within = String::new();
            Shift::In.push(&mut within, &format!("{ome:#}"));
            Shift::In.push(object.member(OME), &within);
            is_empty = false;
        }
        object.finish();
        let mut text = String::new();
        let mut document = ObjectWriter::new(&mut text, 0);
        for (name, value) in self.document.members() {
            if name != ATTRIBUTES && name != CONSOLIDATED {
                document.member(&name).push_str(value);
            }
        }
        if !is_empty {
            document.member(ATTRIBUTES).push_str(&attributes);
        }
        document.finish();
        // Byte for byte as such a group has it that was never described.
        if is_same_json(text.as_bytes(), EMPTY_GROUP) {
            return EMPTY_GROUP.to_vec();
        }
        text.into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const THEIRS: &str = r#"{"zarr_format":3,"node_type":"group",
        "consolidated_metadata":{"kind":"inline"},"extra":{"must_understand":false},
        "attributes":{"a":1.50,"ome":{"multiscales":[{"datasets":[{"path":"s0"},{"path":"x/s1"},
        {"path":"../s2"},{"path":"/s3"},{"path":""},{"path":3}]}]}}}"#;

    fn value(document: &[u8]) -> Value {
        serde_json::from_slice(document).unwrap()
    }

    #[test]
    fn levels_are_below_the_group() {
        let group = GroupOme::of(THEIRS.as_bytes()).unwrap();
        assert_eq!(group.levels(), ["s0", "x/s1"]);
        assert_eq!(
            GroupOme::of(EMPTY_GROUP).unwrap().levels(),
            Vec::<&str>::new()
        );
    }

    #[test]
    fn only_ome_and_consolidated_metadata_change() {
        let group = GroupOme::of(THEIRS.as_bytes()).unwrap();
        let ome = json!({"version": "0.5"});
        let described = group.with(Some(&ome));
        assert!(
            String::from_utf8(described.clone())
                .unwrap()
                .contains("1.50")
        );
        let expected = json!({
            "zarr_format": 3, "node_type": "group", "extra": {"must_understand": false},
            "attributes": {"a": 1.5, "ome": ome}
        });
        assert_eq!(value(&described), expected);
        let without = value(&group.with(None));
        assert_eq!(without["attributes"], json!({"a": 1.5}));
    }

    #[test]
    fn a_group_of_which_nothing_is_left_is_the_empty_one() {
        let ome = json!({"version": "0.5", "multiscales": []});
        let described = GroupOme::of(EMPTY_GROUP).unwrap().with(Some(&ome));
        let group = GroupOme::of(&described).unwrap();
        assert_eq!(group.ome(), Some(&ome));
        assert_eq!(group.with(None), EMPTY_GROUP);
    }

    #[test]
    fn what_is_no_group_of_zarr_v3_is_none() {
        for other in [
            "not json",
            "{}",
            r#"{"zarr_format":3,"node_type":"array"}"#,
            r#"{"zarr_format":2,"node_type":"group"}"#,
            r#"{"zarr_format":3,"node_type":"group","attributes":[]}"#,
        ] {
            assert!(GroupOme::of(other.as_bytes()).is_none(), "{other}");
        }
    }
}
