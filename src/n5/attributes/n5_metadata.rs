//! [`N5Metadata`]: an `attributes.json` of either kind.

use serde_json::{Map, Value};

use super::dataset_attributes::DatasetAttributes;
use super::group_attributes::GroupAttributes;
use super::layout::describes_dataset;
use super::version::check_version;
use crate::n5::json::Document;
use crate::n5::metadata_error::{MetadataDocument, MetadataError, MetadataErrorKind};

/// A parsed `attributes.json`.
#[derive(Clone, Debug, PartialEq)]
pub enum N5Metadata {
    /// A group, with any attributes.
    Group(GroupAttributes),
    /// A dataset.
    Dataset(DatasetAttributes),
}

impl N5Metadata {
    /// Parses the bytes of an `attributes.json`. `node_path` appears in error messages only.
    ///
    /// # Errors
    /// [`MetadataError`] if the document is not a JSON object, if its N5 version is newer than 4,
    /// or if it describes a dataset with a missing, wrong or unsupported member.
    pub fn parse(document: &[u8], node_path: &str) -> Result<Self, MetadataError> {
        Self::read(document)
            .map_err(|kind| MetadataError::new(node_path, MetadataDocument::N5, kind))
    }

    fn read(document: &[u8]) -> Result<Self, MetadataErrorKind> {
        let document = Document::of_attributes(document)?;
        check_version(document.get(super::version::VERSION))?;
        let is_dataset = describes_dataset(&document);
        let document = document.into_owned();
        Ok(if is_dataset {
            Self::Dataset(DatasetAttributes::read(document)?)
        } else {
            Self::Group(GroupAttributes::new(document))
        })
    }

    /// The document, as it was parsed.
    #[must_use]
    pub fn to_json(&self) -> Map<String, Value> {
        match self {
            Self::Group(group) => group.to_json(),
            Self::Dataset(dataset) => dataset.to_json(),
        }
    }
}
