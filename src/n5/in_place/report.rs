//! What in-place conversion says it did, node by node.

use std::fmt;

use thiserror::Error;
use zarrs_storage::{StorageError, StoreKey};

use crate::n5::convert::ConvertError;
use crate::n5::error_text::full_text;

/// What became of each node that was visited, parents before their children and siblings by name.
#[derive(Debug, Default)]
pub struct InPlaceReport {
    nodes: Vec<NodeReport>,
}

impl InPlaceReport {
    /// The nodes, parents before their children and siblings by name.
    #[must_use]
    pub fn nodes(&self) -> &[NodeReport] {
        &self.nodes
    }

    /// The number of nodes that were converted, or would be in a dry run.
    #[must_use]
    pub fn converted(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Converted))
    }

    /// The number of nodes whose document was there already.
    #[must_use]
    pub fn unchanged(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Unchanged))
    }

    /// The number of nodes that were skipped.
    #[must_use]
    pub fn skipped(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Skipped(_)))
    }

    /// The number of nodes that failed.
    #[must_use]
    pub fn failed(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Failed(_)))
    }

    fn count(&self, is_counted: impl Fn(&Outcome) -> bool) -> usize {
        let outcomes = self.nodes.iter().map(|node| &node.outcome);
        outcomes.filter(|outcome| is_counted(outcome)).count()
    }

    /// Puts parents before their children and siblings in the order of their names.
    pub(super) fn sort(&mut self) {
        self.nodes
            .sort_by(|a, b| a.node_path.split('/').cmp(b.node_path.split('/')));
    }

    pub(super) fn push(&mut self, node: NodeReport) -> &NodeReport {
        self.nodes.push(node);
        &self.nodes[self.nodes.len() - 1]
    }
}

/// What became of one node.
#[derive(Debug)]
#[non_exhaustive]
pub struct NodeReport {
    /// The path of the node: `/`, `/volumes/raw`.
    pub node_path: String,
    /// What became of it.
    pub outcome: Outcome,
}

impl fmt::Display for NodeReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.node_path, self.outcome)
    }
}

/// What became of a node.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// The document was written; in a dry run, it would be.
    Converted,
    /// The document was there and says the same.
    Unchanged,
    /// The document was not written, for a reason that is no fault of the node.
    Skipped(SkipReason),
    /// Something is wrong with the node or the store. Nothing below the node is visited.
    Failed(FailureReason),
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Converted => formatter.write_str("converted"),
            Self::Unchanged => formatter.write_str("unchanged"),
            Self::Skipped(reason) => write!(formatter, "skipped: {reason}"),
            Self::Failed(reason) => write!(formatter, "failed: {reason}"),
        }
    }
}

/// Why a node was skipped.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SkipReason {
    /// The document of the node says something that the other format cannot. Nothing below the node
    /// is visited.
    #[error("{}", full_text(.0))]
    Unsupported(#[source] ConvertError),
    /// The document to write is there and says something else.
    #[error("{0} is there and says something else: allow overwriting to replace it")]
    SaysSomethingElse(StoreKey),
    /// The node has only a document of the format to convert to.
    #[error("only {0} is there, so there is nothing to convert")]
    NothingToConvert(StoreKey),
    /// The node is a group without attributes, and a group of N5 needs no document.
    #[error("a group without attributes needs no document in N5")]
    NotNeeded,
    /// The node is one of Zarr V2.
    #[error("a node of Zarr V2: converting those is not supported")]
    ZarrV2,
    /// The name of the directory begins with a dot. Nothing below it is visited.
    #[error("a hidden directory")]
    HiddenDirectory,
}

/// What is wrong with a node or its store.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FailureReason {
    /// The document of the node is malformed.
    #[error("{}", full_text(.0))]
    Malformed(#[source] ConvertError),
    /// The documents of the node could not be read.
    #[error("cannot read its documents: {0}")]
    Read(#[source] StorageError),
    /// The children of the node could not be listed.
    #[error("cannot list its children: {0}")]
    List(#[source] StorageError),
    /// The document could not be written. The old one, if there was one, is still there.
    #[error("cannot write {key}: {source}")]
    Write {
        /// The key of the document.
        key: StoreKey,
        /// The error of the store.
        source: StorageError,
    },
}

/// How far a conversion is, told after each node.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// The node that was just done.
    pub node: &'a NodeReport,
    /// The number of nodes done.
    pub done: usize,
    /// The number of nodes known so far, done or not. It grows while groups are still being found.
    pub known: usize,
}
