//! [`Document`]: a JSON object as text.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::check::{Rules, check, unreadable_error};
use super::document_error::DocumentError;
use super::index::Index;
use super::merge::same;
use super::text::{Kind, decoded, part, trimmed};
use super::words::{is_space, readable};
use crate::n5::error_text::shortened;

/// The most bytes of a member that is parsed. A block may have 65535 dimensions of 20 digits.
const MAX_PARSED: usize = 4 << 20;

/// Whether there is no JSON at all in a document: nothing but white space behind a byte order mark.
pub(crate) fn is_blank(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    text.iter().all(|byte| is_space(*byte))
}

/// A JSON object as text, in which members are found by their names. Of equal names the last one
/// counts.
#[derive(Clone, Debug)]
pub(crate) struct Document<'a> {
    /// The object, without white space around it.
    text: Cow<'a, str>,
    index: Index,
}

impl<'a> Document<'a> {
    /// Reads an `attributes.json`. One without any JSON in it has no members, as in Java.
    pub(crate) fn of_attributes(bytes: &'a [u8]) -> Result<Self, DocumentError> {
        if is_blank(bytes) {
            return Ok(Document::default());
        }
        Self::of_json(check(bytes, Rules::Attributes)?)
    }

    /// Reads a `zarr.json`.
    pub(crate) fn of_zarr(bytes: &'a [u8]) -> Result<Self, DocumentError> {
        Self::of_json(check(bytes, Rules::Zarr)?)
    }

    /// An object, which may be a member of another one.
    pub(crate) fn of_json(json: &'a str) -> Result<Self, DocumentError> {
        let object = trimmed(json);
        if Kind::of(object) == Kind::Object {
            Ok(Self {
                index: Index::new(object),
                text: Cow::Borrowed(object),
            })
        } else {
            Err(DocumentError::NotAnObject {
                found: shown(object),
            })
        }
    }

    /// The document, which then keeps its text itself.
    pub(crate) fn into_owned(self) -> Document<'static> {
        Document {
            text: Cow::Owned(self.text.into_owned()),
            index: self.index,
        }
    }

    /// The JSON text of the value of a member.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let range = self.index.get(&self.text, name)?;
        Some(part(&self.text, range))
    }

    /// Whether there is a member of this name.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.index.get(&self.text, name).is_some()
    }

    /// The names and the JSON texts of all members in their order.
    pub(crate) fn members(&self) -> impl Iterator<Item = (Cow<'_, str>, &str)> {
        self.index.entries().map(|entry| {
            let name = decoded(part(&self.text, entry.name));
            (name, part(&self.text, entry.value))
        })
    }

    /// The names of all members in their order.
    pub(crate) fn names(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.members().map(|(name, _)| name)
    }

    /// The document with another value for a member that it has.
    pub(crate) fn with_member(&self, name: &str, json: &str) -> String {
        let mut text = self.text.clone().into_owned();
        if let Some(range) = self.index.get(&self.text, name) {
            text.replace_range(range, json);
        }
        text
    }

    /// The value of a member that must be read: it has no `NaN`, and a size that a document of a
    /// person may have.
    pub(crate) fn parsed(&self, name: &str) -> Result<Option<Value>, DocumentError> {
        let Some(range) = self.index.get(&self.text, name) else {
            return Ok(None);
        };
        let (start, text) = (range.start, part(&self.text, range));
        if text.len() > MAX_PARSED {
            Err(DocumentError::MemberTooLarge {
                member: name.to_owned(),
                size: text.len(),
                max: MAX_PARSED,
            })
        } else if matches!(readable(text), Cow::Owned(_)) {
            Err(unreadable_error(&self.text, start))
        } else {
            Ok(Some(value(text)))
        }
    }

    /// The values of the members with names that are `wanted`, as near as values come: `NaN` is a
    /// string.
    pub(crate) fn to_map(&self, wanted: impl Fn(&str) -> bool) -> Map<String, Value> {
        let members = self.members().filter(|(name, _)| wanted(name));
        members
            .map(|(name, text)| (name.into_owned(), value(text)))
            .collect()
    }
}

impl From<&Map<String, Value>> for Document<'static> {
    fn from(members: &Map<String, Value>) -> Self {
        let mut text = String::new();
        let mut object = super::writer::ObjectWriter::new(&mut text, 0);
        for (name, value) in members {
            object.member(name).push_str(&value.to_string());
        }
        object.finish();
        Self {
            index: Index::new(&text),
            text: Cow::Owned(text),
        }
    }
}

impl Default for Document<'static> {
    fn default() -> Self {
        Self {
            text: Cow::Borrowed("{}"),
            index: Index::new("{}"),
        }
    }
}

/// Documents are equal when their values are, whatever their white space and the order of their
/// members.
impl PartialEq for Document<'_> {
    fn eq(&self, other: &Self) -> bool {
        same(&self.text, &other.text)
    }
}

/// The value of a text whose syntax is right.
fn value(text: &str) -> Value {
    // Nothing that was checked before fails here.
    serde_json::from_str(&readable(text)).unwrap_or_default()
}

/// A JSON text for an error, in one line if it is short enough to be parsed.
fn shown(json: &str) -> String {
    if json.len() > MAX_PARSED || matches!(readable(json), Cow::Owned(_)) {
        shortened(json)
    } else {
        shortened(value(json))
    }
}
