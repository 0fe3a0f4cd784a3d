//! What a walk found where there is no dataset, as an error.

use zarrs_storage::StorageError;

use super::document;
use super::error::OpenError;
use super::path::DatasetPath;
use super::refusal::{is_file_on_the_way, reading};
use crate::n5::walk::{LeftOut, LeftOutReason, Unreadable, WalkOptions, WalkReport, WalkedKind};

/// How many levels below a group datasets are searched: as deep as in all usual layouts, such as
/// `setup0/timepoint0/s0`, and one more.
const MAX_DEPTH: usize = 4;

/// How many nodes are looked at in that search. Over a network this takes a second or two.
const MAX_NODES: usize = 256;

/// What is at a path where there is no dataset.
pub(super) enum Found {
    /// Nothing.
    Nothing,
    /// A group without any dataset below it, which this error says.
    Group(OpenError),
    /// Something else, as this error says.
    Other(OpenError),
}

/// How to search for what is at `path` and for the datasets below it.
pub(super) fn search(path: &DatasetPath) -> WalkOptions {
    WalkOptions::new()
        .with_node_path(&path.text)
        .with_max_depth(MAX_DEPTH)
        .with_max_nodes(MAX_NODES)
}

impl Found {
    /// What the walk `report` says of the node at `path`, where it began.
    pub(super) fn of(report: WalkReport, path: &DatasetPath) -> Self {
        let datasets: Vec<_> = (report.datasets())
            .filter(|(_, dataset)| !dataset.is_only_a_container())
            .map(|(node_path, _)| node_path.to_owned())
            .collect();
        let (nodes, left_out) = report.into_parts();
        let Some(first) = nodes.into_iter().next() else {
            return Self::Nothing;
        };
        match first.kind {
            WalkedKind::Group(_) => group(path, datasets, left_out),
            WalkedKind::Foreign(_) if !datasets.is_empty() => group(path, datasets, left_out),
            WalkedKind::Foreign(kind) => Self::Other(OpenError::Zarr {
                node_path: path.text.clone(),
                kind,
            }),
            // Another program has just written it.
            WalkedKind::Dataset(_) => Self::Other(OpenError::Read {
                key: path.node.attributes.clone(),
                source: StorageError::Other(
                    "it was not there at first, and then it was: open the dataset again".to_owned(),
                ),
            }),
            WalkedKind::Unreadable(Unreadable::Document(error)) => {
                Self::Other(document::unreadable(error))
            }
            WalkedKind::Unreadable(Unreadable::Read(error))
                if is_file_on_the_way(&error.source) =>
            {
                Self::Nothing
            }
            WalkedKind::Unreadable(Unreadable::Read(error)) => {
                Self::Other(reading(error.key, error.source))
            }
            WalkedKind::Unreadable(Unreadable::List(error)) if is_file_on_the_way(&error) => {
                Self::Nothing
            }
            WalkedKind::Unreadable(Unreadable::List(source)) => {
                Self::Other(not_listed(path, path, source))
            }
        }
    }
}

fn group(path: &DatasetPath, datasets: Vec<String>, left_out: Vec<LeftOut>) -> Found {
    let is_all = !left_out.iter().any(|left_out| {
        matches!(
            left_out.reason,
            LeftOutReason::TooDeep { .. }
                | LeftOutReason::TooMany { .. }
                | LeftOutReason::Numbered { .. }
                | LeftOutReason::NotListed(_)
        )
    });
    let source = left_out.into_iter().find_map(|left_out| match left_out {
        LeftOut {
            node_path,
            reason: LeftOutReason::NotListed(error),
        } if node_path == path.text => Some(error),
        _ => None,
    });
    let is_empty = datasets.is_empty();
    let error = OpenError::Group {
        node_path: path.text.clone(),
        datasets,
        is_all,
        source,
    };
    if is_empty {
        Found::Group(error)
    } else {
        Found::Other(error)
    }
}

/// The error for a group in whose folder there is nothing.
pub(super) fn empty_group(path: &DatasetPath) -> OpenError {
    OpenError::Group {
        node_path: path.text.clone(),
        datasets: Vec::new(),
        is_all: true,
        source: None,
    }
}

/// The error for what cannot be told because the folder of `listed` cannot be listed.
pub(super) fn not_listed(
    path: &DatasetPath,
    listed: &DatasetPath,
    source: StorageError,
) -> OpenError {
    OpenError::ListingDenied {
        node_path: path.text.clone(),
        attributes: path.node.attributes.clone(),
        listed: listed.text.clone(),
        source,
    }
}
