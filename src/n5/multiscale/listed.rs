//! What the attribute `multiscales` of a group lists.

use serde_json::{Map, Value};

use super::members;
use super::pyramid::NoteKind;
use super::reading::Reading;

/// The paths that the first entry of `multiscales` lists, with the members of their entries.
pub(super) struct Listed {
    pub(super) name: Option<String>,
    pub(super) entries: Vec<(String, Map<String, Value>)>,
    /// How many entries `multiscales` has.
    images: usize,
}

/// `multiscales: [{name, datasets: [{path, …}]}]`, also with plain strings for datasets, or without
/// the outer list (the canonical documents of n5-universe). `None` if it lists nothing.
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
            Value::String(path) => Some((cleaned(path), Map::new())),
            Value::Object(entry) => Some((cleaned(&members::text(entry, "path")?), entry.clone())),
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
        let is_entry = |(listed, _): &&(String, Map<String, Value>)| listed == path;
        members::member(&self.entries.iter().find(is_entry)?.1, name)
    }

    /// Whether any entry has the member.
    pub(super) fn has(&self, name: &str) -> bool {
        self.entries
            .iter()
            .any(|(_, entry)| entry.contains_key(name))
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

/// A path as `DatasetView` has it.
fn cleaned(path: &str) -> String {
    path.trim_start_matches("./").trim_matches('/').to_owned()
}
