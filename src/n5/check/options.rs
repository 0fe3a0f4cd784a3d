//! How a check is done, how far it has come, and why it cannot start.

use thiserror::Error;
use zarrs::node::{NodePath, NodePathError};
use zarrs_codec::CodecError;
use zarrs_storage::{StorePrefix, StorePrefixError};

use crate::n5::builder::ArrayBuilderError;
use crate::n5::metadata_error::MetadataError;
use crate::n5::node::NodeKeys;
use crate::n5::walk::ReadError;

/// How a dataset is checked. The default reads every block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckOptions {
    pub(super) concurrency: Option<usize>,
    pub(super) reads_blocks: bool,
    pub(super) max_listed: usize,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self {
            concurrency: None,
            reads_blocks: true,
            max_listed: 100_000,
        }
    }
}

impl CheckOptions {
    /// Every block is read; of what is wrong at most 100,000 of a kind are kept.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how many blocks are read at the same time, at least 1. A synchronous check has 512
    /// threads at most; the requests of an asynchronous one are limited by this number alone.
    #[must_use]
    pub fn with_concurrency(mut self, blocks: usize) -> Self {
        self.concurrency = Some(blocks.max(1));
        self
    }

    /// Sets whether blocks are read. Without it they are only listed and counted, and none is found
    /// corrupt. Links that lead nowhere are found all the same.
    #[must_use]
    pub fn with_reading(mut self, reads_blocks: bool) -> Self {
        self.reads_blocks = reads_blocks;
        self
    }

    /// Sets how many corrupt blocks, vanished ones, stray keys and folders that cannot be listed a
    /// report keeps of each. All are counted.
    #[must_use]
    pub fn with_max_listed(mut self, max_listed: usize) -> Self {
        self.max_listed = max_listed;
        self
    }
}

/// How far a check has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckProgress {
    /// The number of blocks that are done.
    pub blocks_done: u64,
    /// The number of blocks in the grid of the dataset, [`u128::MAX`] if it is more. Of a sparse
    /// dataset most are not there.
    pub expected: u128,
}

/// Why a dataset cannot be checked.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The node path is not one, such as a path without a `/` at its beginning or with one at its
    /// end.
    #[error("cannot check the dataset: {0}; a node path looks like `/` or `/volumes/raw`")]
    InvalidNodePath(#[from] NodePathError),
    /// The node path is not a valid store prefix.
    #[error("cannot check the dataset: {0}")]
    InvalidStorePrefix(#[from] StorePrefixError),
    /// No key can name the documents of the node.
    #[error("cannot check the dataset {node_path}: no key of the store can name it")]
    InvalidName {
        /// The path of the node.
        node_path: String,
    },
    /// The store cannot read its `attributes.json`.
    #[error("cannot check the dataset: {0}")]
    Read(#[source] ReadError),
    /// There is no `attributes.json`.
    #[error(
        "cannot check the dataset {node_path}: there is no attributes.json; check the path of the \
         store and the node"
    )]
    NoSuchDataset {
        /// The path of the node.
        node_path: String,
    },
    /// Its `attributes.json` cannot be read.
    #[error(transparent)]
    Document(#[from] MetadataError),
    /// The node is a group.
    #[error("cannot check {node_path}: it is a group; check the datasets below it")]
    Group {
        /// The path of the node.
        node_path: String,
    },
    /// There is no codec for its blocks, such as one whose feature is off.
    #[error("cannot check the dataset {node_path}: {source}")]
    Codec {
        /// The path of the node.
        node_path: String,
        /// What is missing.
        source: Box<ArrayBuilderError>,
    },
    /// The codec cannot read such blocks.
    #[error("cannot check the dataset {node_path}: {source}")]
    Blocks {
        /// The path of the node.
        node_path: String,
        /// What does not fit.
        source: Box<CodecError>,
    },
}

/// The documents of the node at `node_path`.
pub(super) fn node(node_path: &str) -> Result<NodeKeys, CheckError> {
    let prefix: StorePrefix = (&NodePath::new(node_path)?).try_into()?;
    NodeKeys::of_prefix(&prefix).ok_or_else(|| CheckError::InvalidName {
        node_path: node_path.to_owned(),
    })
}
