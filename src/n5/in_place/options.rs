//! What an in-place conversion visits and may do, and why it cannot start.

use thiserror::Error;
use zarrs::node::NodePathError;
use zarrs_storage::StorePrefixError;

use crate::n5::walk::{WalkError, WalkOptions};

/// What an in-place conversion visits and may do. The default is the whole hierarchy, writing,
/// without overwriting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InPlaceOptions {
    pub(super) node_path: String,
    pub(super) recursive: bool,
    pub(super) dry_run: bool,
    pub(super) overwrite: bool,
}

impl Default for InPlaceOptions {
    fn default() -> Self {
        Self {
            node_path: "/".to_owned(),
            recursive: true,
            dry_run: false,
            overwrite: false,
        }
    }
}

impl InPlaceOptions {
    /// The whole hierarchy, writing, without overwriting.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts at the node `node_path`, such as `/volumes/raw`, instead of the root `/`.
    #[must_use]
    pub fn with_node_path(mut self, node_path: impl Into<String>) -> Self {
        self.node_path = node_path.into();
        self
    }

    /// Sets whether the nodes below the first are converted too. A single node without a document
    /// is taken for a group, as it is not looked at what is below it.
    #[must_use]
    pub fn with_recursive(mut self, recursive: bool) -> Self {
        self.recursive = recursive;
        self
    }

    /// Sets whether to write nothing and only report.
    #[must_use]
    pub fn with_dry_run(mut self, dry_run: bool) -> Self {
        self.dry_run = dry_run;
        self
    }

    /// Sets whether a document that is there and says something else is replaced.
    #[must_use]
    pub fn with_overwrite(mut self, overwrite: bool) -> Self {
        self.overwrite = overwrite;
        self
    }

    /// The walk through the nodes to convert.
    pub(super) fn walk(&self) -> WalkOptions {
        WalkOptions::new()
            .with_node_path(self.node_path.clone())
            .with_recursive(self.recursive)
    }
}

/// Why an in-place conversion could not start. What goes wrong with a single node is in the report
/// instead.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum InPlaceError {
    /// The node path is not one, such as a path without a `/` at its beginning or with one at its
    /// end.
    #[error("cannot convert in place: {0}; a node path looks like `/` or `/volumes/raw`")]
    InvalidNodePath(#[from] NodePathError),
    /// The node path is not a valid store prefix.
    #[error("cannot convert in place: {0}")]
    InvalidStorePrefix(#[from] StorePrefixError),
    /// There is nothing at the node path.
    #[error(
        "cannot convert in place: there is nothing at {node_path}; check the path of the store and the node"
    )]
    NoSuchNode {
        /// The path of the node.
        node_path: String,
    },
    /// There is something at the node path, but no N5.
    #[error(
        "cannot convert in place: expected N5, and found no attributes.json at {node_path} or \
         below it; check the path of the store and the node; nothing was written"
    )]
    NothingOfN5 {
        /// The path of the node.
        node_path: String,
    },
}

impl From<WalkError> for InPlaceError {
    fn from(error: WalkError) -> Self {
        match error {
            WalkError::InvalidNodePath(source) => Self::InvalidNodePath(source),
            WalkError::InvalidStorePrefix(source) => Self::InvalidStorePrefix(source),
            WalkError::NoSuchNode { node_path } => Self::NoSuchNode { node_path },
        }
    }
}
