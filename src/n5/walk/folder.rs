//! What is directly in the folder of a node.

use std::path::{Path, PathBuf};

use zarrs_storage::{StoreKeysPrefixes, StorePrefix};

use super::left_out::{LeftOut, LeftOutReason};
use crate::n5::node::{ATTRIBUTES_JSON, ZARR_JSON, is_block_component, last_component, node_path};

/// What is directly in the folder of a node, as far as it matters to a walk.
#[derive(Clone, Debug, Default)]
pub(crate) struct Folder {
    /// Whether there is anything at all.
    pub(crate) is_empty: bool,
    /// Whether there is a file of the name.
    pub(crate) has_attributes: bool,
    pub(crate) has_zarr: bool,
    pub(crate) has_zarray: bool,
    pub(crate) has_zgroup: bool,
    /// Whether there is a file or a folder whose name is a number.
    pub(crate) has_block: bool,
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

    pub(crate) fn add_file(&mut self, name: &str) {
        self.is_empty = false;
        match name {
            ATTRIBUTES_JSON => self.has_attributes = true,
            ZARR_JSON => self.has_zarr = true,
            ".zarray" => self.has_zarray = true,
            ".zgroup" => self.has_zgroup = true,
            _ => self.has_block |= is_block_component(name),
        }
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

    /// Notes a folder in the folder `parent` that no key can name.
    pub(crate) fn add_unnameable(&mut self, parent: &StorePrefix, name: &Path, is_unicode: bool) {
        self.is_empty = false;
        let above = node_path(parent);
        self.unnameable.push(LeftOut {
            node_path: format!("{}/{}", above.trim_end_matches('/'), name.display()),
            reason: if is_unicode {
                LeftOutReason::InvalidName
            } else {
                LeftOutReason::NotUnicode
            },
        });
    }

    /// Whether there is a folder of this name.
    pub(crate) fn has_folder(&self, name: &str) -> bool {
        self.children.iter().any(|child| child.name() == name)
    }
}
