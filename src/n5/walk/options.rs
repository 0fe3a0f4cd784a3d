//! Where a walk goes, and why it cannot start.

use thiserror::Error;
use zarrs::node::{NodePath, NodePathError};
use zarrs_storage::{StorePrefix, StorePrefixError};

/// Where a walk starts and how deep it goes. The default is the whole hierarchy, at most 64 levels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkOptions {
    pub(super) node_path: String,
    pub(super) recursive: bool,
    pub(super) max_depth: usize,
    pub(super) max_nodes: usize,
}

impl Default for WalkOptions {
    fn default() -> Self {
        Self {
            node_path: "/".to_owned(),
            recursive: true,
            max_depth: 64,
            max_nodes: usize::MAX,
        }
    }
}

impl WalkOptions {
    /// The whole hierarchy, at most 64 levels.
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

    /// Sets whether the nodes below the first are visited too.
    #[must_use]
    pub fn with_recursive(mut self, recursive: bool) -> Self {
        self.recursive = recursive;
        self
    }

    /// Sets how many levels below the first node are visited. What is deeper is left out, which the
    /// report says. This ends circles on stores where they cannot be told from folders.
    #[must_use]
    pub fn with_max_depth(mut self, max_depth: usize) -> Self {
        self.max_depth = max_depth;
        self
    }

    /// Sets how many nodes are visited at most. By default all are. What was found and not visited
    /// is left out, which the report says.
    #[must_use]
    pub fn with_max_nodes(mut self, max_nodes: usize) -> Self {
        self.max_nodes = max_nodes;
        self
    }

    /// The prefix of the first node.
    pub(super) fn start(&self) -> Result<StorePrefix, WalkError> {
        Ok((&NodePath::new(&self.node_path)?).try_into()?)
    }
}

/// Why a walk could not start. What goes wrong with a single node is in the report instead.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WalkError {
    /// The node path is not one, such as a path without a `/` at its beginning or with one at its
    /// end.
    #[error("cannot walk the hierarchy: {0}; a node path looks like `/` or `/volumes/raw`")]
    InvalidNodePath(#[from] NodePathError),
    /// The node path is not a valid store prefix.
    #[error("cannot walk the hierarchy: {0}")]
    InvalidStorePrefix(#[from] StorePrefixError),
    /// There is nothing at the node path.
    #[error(
        "cannot walk the hierarchy: there is nothing at {node_path}; check the path of the store \
         and the node"
    )]
    NoSuchNode {
        /// The path of the node.
        node_path: String,
    },
}
