//! What is directly in the folder of a node.

use std::path::PathBuf;

use zarrs_storage::{StoreKeysPrefixes, StorePrefix};

use super::left_out::LeftOut;
use crate::n5::node::{ATTRIBUTES_JSON, ZARR_JSON, is_block_component, last_component};

/// The name of the document of an array of Zarr V2.
pub(crate) const ZARRAY: &str = ".zarray";
/// The name of the document of a group of Zarr V2.
pub(crate) const ZGROUP: &str = ".zgroup";

const DOCUMENTS: [&str; 4] = [ATTRIBUTES_JSON, ZARR_JSON, ZARRAY, ZGROUP];

/// What is directly in the folder of a node, as far as it matters to a walk.
#[derive(Clone, Debug, Default)]
pub(crate) struct Folder {
    /// Whether there is anything at all.
    pub(crate) is_empty: bool,
    /// The files that are metadata documents, those of Zarr V2 included.
    documents: Vec<&'static str>,
    /// Whether there is a file or a folder whose name is a number.
    pub(crate) has_block: bool,
    /// The first of the files whose name is a number.
    pub(crate) block_file: Option<String>,
    /// The folders.
    pub(crate) children: Vec<Child>,
    /// What no key can name.
    pub(crate) unnameable: Vec<LeftOut>,
    /// Where the folder really is, once links are followed, if the store is a file system.
    pub(crate) real: Option<PathBuf>,
}

/// A folder in the folder of a node.
#[derive(Clone, Debug)]
pub(crate) struct Child {
    pub(crate) prefix: StorePrefix,
    /// Where it really is, once links are followed, if the store is a file system.
    pub(crate) real: Option<PathBuf>,
    /// Whether it is a link.
    pub(crate) is_link: bool,
}

impl Child {
    pub(crate) fn name(&self) -> &str {
        last_component(self.prefix.as_str())
    }
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self {
            is_empty: true,
            ..Self::default()
        }
    }

    /// The folder that a store lists in this way.
    pub(crate) fn of_listing(listing: &StoreKeysPrefixes) -> Self {
        let mut folder = Self::new();
        for key in listing.keys() {
            folder.add_file(last_component(key.as_str()));
        }
        for prefix in listing.prefixes() {
            folder.add_folder(prefix.clone(), None, false);
        }
        folder
    }

    /// Adds a file, and tells whether its name is that of a document or of a block.
    pub(crate) fn add_file(&mut self, name: &str) -> bool {
        self.is_empty = false;
        if is_block_component(name) {
            self.has_block = true;
            if self.block_file.as_deref().is_none_or(|first| name < first) {
                self.block_file = Some(name.to_owned());
            }
        }
        let document = DOCUMENTS.iter().find(|document| **document == name);
        self.documents.extend(document);
        document.is_some() || is_block_component(name)
    }

    pub(crate) fn add_folder(&mut self, prefix: StorePrefix, real: Option<PathBuf>, is_link: bool) {
        self.is_empty = false;
        let child = Child {
            prefix,
            real,
            is_link,
        };
        self.has_block |= is_block_component(child.name());
        self.children.push(child);
    }

    /// Whether there is a file with the name of this document.
    pub(crate) fn has_document(&self, name: &str) -> bool {
        self.documents.contains(&name)
    }

    /// Whether there is a folder of this name.
    pub(crate) fn has_folder(&self, name: &str) -> bool {
        self.children.iter().any(|child| child.name() == name)
    }
}
