//! What to do with a node, given its documents and what its directory holds. Pure: no store is
//! asked here.

use serde_json::Value;
use zarrs_storage::{Bytes, MaybeBytes, StoreKey, StoreKeysPrefixes, StorePrefix};

use super::report::{FailureReason, InPlaceReport, NodeReport, Outcome, Progress, SkipReason};
use super::{InPlaceError, InPlaceOptions};
use crate::n5::at_once::AT_ONCE;
use crate::n5::convert::{self, ChunkGrid, ConvertError};
use crate::n5::node::{EMPTY_GROUP, NodeKeys, NodeKind, last_component};

/// Which document is made from which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// zarr.json from attributes.json.
    ToZarr,
    /// attributes.json from zarr.json.
    ToN5,
}

/// The documents of a node as they are.
#[derive(Debug, Default)]
pub(super) struct Documents {
    pub(super) attributes: MaybeBytes,
    pub(super) zarr: MaybeBytes,
}

/// What is to be done with a node.
#[derive(Debug)]
pub(super) struct Step {
    /// The document to write, if any.
    pub(super) write: Option<(StoreKey, Bytes)>,
    /// What became of the node, once that is written.
    pub(super) outcome: Outcome,
    /// Whether the node may have child nodes.
    pub(super) is_group: bool,
}

impl Step {
    fn write(key: &StoreKey, document: Vec<u8>, is_group: bool) -> Self {
        Self {
            write: Some((key.clone(), document.into())),
            outcome: Outcome::Converted,
            is_group,
        }
    }

    fn leave(outcome: Outcome, is_group: bool) -> Self {
        Self {
            write: None,
            outcome,
            is_group,
        }
    }

    fn skip(reason: SkipReason, is_group: bool) -> Self {
        Self::leave(Outcome::Skipped(reason), is_group)
    }

    pub(super) fn fail(reason: FailureReason) -> Self {
        Self::leave(Outcome::Failed(reason), false)
    }

    fn refuse(error: ConvertError) -> Self {
        if error.is_unsupported() {
            Self::skip(SkipReason::Unsupported(error), false)
        } else {
            Self::fail(FailureReason::Malformed(error))
        }
    }
}

/// The way through the hierarchy, and what was found on it.
pub(super) struct Walk<'a> {
    direction: Direction,
    options: &'a InPlaceOptions,
    /// The nodes still to visit, the next one last.
    pending: Vec<NodeKeys>,
    known: usize,
    report: InPlaceReport,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        direction: Direction,
        options: &'a InPlaceOptions,
    ) -> Result<Self, InPlaceError> {
        let pending: Vec<_> = NodeKeys::of_prefix(&options.start()?).into_iter().collect();
        Ok(Self {
            direction,
            options,
            known: pending.len(),
            pending,
            report: InPlaceReport::default(),
        })
    }

    /// The next nodes to look at, none at the end. No node comes before its parent is
    /// [finished](Self::finish).
    pub(super) fn next_nodes(&mut self) -> Vec<NodeKeys> {
        let rest = self.pending.len().saturating_sub(AT_ONCE);
        let mut nodes = self.pending.split_off(rest);
        nodes.reverse();
        nodes
    }

    /// What can be told from the name of `node`. A hidden directory is left alone unless it is
    /// where the walk starts.
    pub(super) fn step_without_reading(&self, node: &NodeKeys) -> Option<Step> {
        let path = node.path();
        let name = path.rsplit('/').next().unwrap_or_default();
        let is_hidden = name.starts_with('.') && !self.report.nodes().is_empty();
        is_hidden.then(|| Step::skip(SkipReason::HiddenDirectory, false))
    }

    /// What can be told before looking into the directory of `node`; `None` if a look is needed,
    /// because it may be a group.
    pub(super) fn step_without_listing(
        &self,
        node: &NodeKeys,
        documents: &Documents,
    ) -> Option<Step> {
        let is_group = match self.kind(node, documents) {
            Ok(kind) => kind == NodeKind::Group,
            Err(error) => return Some(Step::refuse(error)),
        };
        if is_group {
            return None;
        }
        self.step(node, documents, false)
    }

    /// What to do with the group `node`, whose directory has this `listing`.
    pub(super) fn step_with_listing(
        &self,
        node: &NodeKeys,
        documents: &Documents,
        listing: &StoreKeysPrefixes,
    ) -> Result<Step, InPlaceError> {
        if let Some(step) = self.step(node, documents, true) {
            return Ok(step);
        }
        let has = |name| {
            listing
                .keys()
                .iter()
                .any(|key| last_component(key.as_str()) == name)
        };
        if has(".zarray") || has(".zgroup") {
            return Ok(Step::skip(SkipReason::ZarrV2, !has(".zarray")));
        }
        let is_empty = listing.keys().is_empty() && listing.prefixes().is_empty();
        if is_empty && self.report.nodes().is_empty() {
            return Err(InPlaceError::NoSuchNode {
                node_path: node.path(),
            });
        }
        Ok(match self.direction {
            Direction::ToZarr => Step::write(&node.zarr, EMPTY_GROUP.to_vec(), true),
            Direction::ToN5 => Step::skip(SkipReason::NotNeeded, true),
        })
    }

    /// Notes what became of `node` and, if it is a group, that its `children` are to be visited.
    pub(super) fn finish(
        &mut self,
        node: &NodeKeys,
        step: Step,
        children: &[StorePrefix],
        progress: &mut impl FnMut(Progress<'_>),
    ) {
        if step.is_group && self.options.recursive {
            let mut children: Vec<_> = children.iter().filter_map(NodeKeys::of_prefix).collect();
            children.sort_by(|a, b| b.cmp(a));
            self.known += children.len();
            self.pending.extend(children);
        }
        let done = self.report.nodes().len() + 1;
        let node = self.report.push(NodeReport {
            node_path: node.path(),
            outcome: step.outcome,
        });
        progress(Progress {
            node,
            done,
            known: self.known,
        });
    }

    pub(super) fn into_report(mut self) -> InPlaceReport {
        self.report.sort();
        self.report
    }

    pub(super) fn is_dry_run(&self) -> bool {
        self.options.dry_run
    }

    /// The kind of `node`, by the document that is converted and else by the other one.
    fn kind(&self, node: &NodeKeys, documents: &Documents) -> Result<NodeKind, ConvertError> {
        let by_zarr = documents.zarr.as_deref().map(NodeKind::of);
        if let (Direction::ToN5, Some(kind)) = (self.direction, by_zarr) {
            return Ok(kind);
        }
        match &documents.attributes {
            Some(attributes) if convert::is_dataset(attributes, &node.path())? => {
                Ok(NodeKind::Array)
            }
            Some(_) => Ok(NodeKind::Group),
            None => Ok(by_zarr.unwrap_or(NodeKind::Group)),
        }
    }

    /// What to do with a node that has a document; `None` for one that has none.
    fn step(&self, node: &NodeKeys, documents: &Documents, is_group: bool) -> Option<Step> {
        let Documents { attributes, zarr } = documents;
        match (self.direction, attributes, zarr) {
            (_, None, None) => None,
            (Direction::ToZarr, Some(attributes), _) => {
                Some(self.step_to_zarr(node, attributes, zarr.as_deref(), is_group))
            }
            (Direction::ToN5, _, Some(zarr)) => {
                Some(self.step_to_n5(node, zarr, attributes.as_deref(), is_group))
            }
            // An earlier run gave this group without attributes its document.
            (Direction::ToZarr, None, Some(zarr)) if is_same_json(zarr, EMPTY_GROUP) => {
                Some(Step::leave(Outcome::Unchanged, is_group))
            }
            (Direction::ToZarr, None, Some(_)) => Some(Step::skip(
                SkipReason::NothingToConvert(node.zarr.clone()),
                is_group,
            )),
            (Direction::ToN5, Some(_), None) => Some(Step::skip(
                SkipReason::NothingToConvert(node.attributes.clone()),
                is_group,
            )),
        }
    }

    fn step_to_zarr(
        &self,
        node: &NodeKeys,
        attributes: &[u8],
        existing: Option<&[u8]>,
        is_group: bool,
    ) -> Step {
        let path = node.path();
        let wanted = match convert::attributes_to_zarr(attributes, &path, ChunkGrid::Regular) {
            Ok(wanted) => wanted,
            Err(error) => return Step::refuse(error),
        };
        let Some(existing) = existing else {
            return Step::write(&node.zarr, wanted, is_group);
        };
        let says_the_same = || {
            let changes = convert::zarr_to_attributes(existing, Some(attributes), &path);
            matches!(changes, Ok(None))
        };
        if is_same_json(existing, &wanted) {
            Step::leave(Outcome::Unchanged, is_group)
        } else if self.options.overwrite {
            Step::write(&node.zarr, wanted, is_group)
        } else if says_the_same() {
            Step::leave(Outcome::Unchanged, is_group)
        } else {
            Step::skip(SkipReason::SaysSomethingElse(node.zarr.clone()), is_group)
        }
    }

    fn step_to_n5(
        &self,
        node: &NodeKeys,
        zarr: &[u8],
        existing: Option<&[u8]>,
        is_group: bool,
    ) -> Step {
        let path = node.path();
        let mut converted = convert::zarr_to_attributes(zarr, existing, &path);
        if converted.is_err() && existing.is_some() && self.options.overwrite {
            // It may be the old document that is malformed; then nothing of it can be kept.
            converted = convert::zarr_to_attributes(zarr, None, &path);
        }
        match converted {
            Err(error) => Step::refuse(error),
            Ok(None) => Step::leave(Outcome::Unchanged, is_group),
            Ok(Some(wanted)) if existing.is_none() && is_same_json(&wanted, b"{}") => {
                Step::skip(SkipReason::NotNeeded, is_group)
            }
            Ok(Some(wanted)) if existing.is_none() || self.options.overwrite => {
                Step::write(&node.attributes, wanted, is_group)
            }
            Ok(Some(_)) => Step::skip(
                SkipReason::SaysSomethingElse(node.attributes.clone()),
                is_group,
            ),
        }
    }
}

/// Whether two documents hold the same JSON value, whatever their spacing and the order of their
/// members.
fn is_same_json(one: &[u8], other: &[u8]) -> bool {
    let parse = |document| serde_json::from_slice::<Value>(document).ok();
    parse(one).is_some_and(|one| parse(other) == Some(one))
}
