//! [`GroupAttributes`]: the `attributes.json` of a group.

use serde_json::{Map, Value};

use crate::n5::json::Document;

/// The `attributes.json` of a group.
///
/// It is held as text; the values are made when they are asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupAttributes {
    document: Document<'static>,
}

impl GroupAttributes {
    pub(super) fn new(document: Document<'static>) -> Self {
        Self { document }
    }

    /// Every member of the document, `n5` included.
    #[must_use]
    pub fn attributes(&self) -> Map<String, Value> {
        self.to_json()
    }

    /// The document.
    #[must_use]
    pub fn to_json(&self) -> Map<String, Value> {
        self.document.to_map(|_| true)
    }

    pub(crate) fn document(&self) -> &Document<'static> {
        &self.document
    }
}
