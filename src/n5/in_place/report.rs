//! What in-place conversion says it did, node by node.

#[cfg(feature = "ome")]
use std::collections::HashMap;

use super::held::Held;
use super::options::{InPlaceError, InPlaceOptions};
use super::outcome::{NodeReport, Outcome, SkipReason};
use super::plan::Step;
#[cfg(feature = "ome")]
use super::pyramid_report::{PyramidRefusal, PyramidReport};
use super::pyramids::Pyramids;
use crate::n5::node::NodeKeys;
use crate::n5::walk::frontier::{Frontier, Visit};
use crate::n5::walk::look::Look;

/// What became of each node that was visited, parents before their children and siblings by name.
#[derive(Debug, Default)]
pub struct InPlaceReport {
    nodes: Vec<NodeReport>,
    #[cfg(feature = "ome")]
    pyramids: Vec<PyramidReport>,
}

impl InPlaceReport {
    /// The nodes, parents before their children and siblings by name.
    #[must_use]
    pub fn nodes(&self) -> &[NodeReport] {
        &self.nodes
    }

    /// What became of each pyramid of the hierarchy, sorted by path; none unless
    /// [`with_ome`](InPlaceOptions::with_ome) was asked for. In a dry run, what would.
    #[cfg(feature = "ome")]
    #[must_use]
    pub fn pyramids(&self) -> &[PyramidReport] {
        &self.pyramids
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

    /// Notes what became of a node, unless it has to wait, and what is to be visited below it.
    pub(super) fn add(
        &mut self,
        visit: &Visit,
        look: Look,
        step: Step,
        frontier: &mut Frontier,
        progress: &mut impl FnMut(Progress<'_>),
    ) -> Result<(), InPlaceError> {
        let node_path = visit.node.path();
        if visit.is_first() && look.is_nothing() {
            return Err(InPlaceError::NoSuchNode { node_path });
        }
        let left_out = match look.folder {
            Ok(folder) => frontier.finish(visit, folder, step.below),
            Err(_) => Vec::new(),
        };
        let left_out = left_out.into_iter().map(|left_out| NodeReport {
            node_path: left_out.node_path,
            outcome: Outcome::Skipped(SkipReason::LeftOut(left_out.reason)),
        });
        let node = NodeReport {
            node_path,
            outcome: step.outcome,
        };
        let node = (!step.is_held).then_some(node);
        for node in node.into_iter().chain(left_out) {
            self.tell(node, frontier, progress);
        }
        Ok(())
    }

    /// Notes what became of a group that had to wait.
    pub(super) fn add_held(
        &mut self,
        node: &NodeKeys,
        outcome: Outcome,
        frontier: &Frontier,
        progress: &mut impl FnMut(Progress<'_>),
    ) {
        let node_path = node.path();
        self.tell(NodeReport { node_path, outcome }, frontier, progress);
    }

    /// Notes of the groups that still wait why they are not written. It is an error if there
    /// is none at all, or nothing can be N5, unless that is not known, as something failed.
    pub(super) fn add_waiting(
        &mut self,
        held: Held,
        options: &InPlaceOptions,
        frontier: &Frontier,
        progress: &mut impl FnMut(Progress<'_>),
    ) -> Result<(), InPlaceError> {
        if held.has_found_nothing() && self.failed() == 0 {
            if let Some((array_path, source)) = self.take_refused(&held) {
                return Err(InPlaceError::NothingForN5 {
                    node_path: options.node_path.clone(),
                    array_path,
                    source,
                });
            }
            return Err(InPlaceError::NothingOfN5 {
                node_path: options.node_path.clone(),
            });
        }
        for (node_path, reason) in held.into_waiting() {
            let outcome = Outcome::Skipped(reason);
            self.tell(NodeReport { node_path, outcome }, frontier, progress);
        }
        Ok(())
    }

    /// The first array that cannot be N5, and why.
    fn take_refused(&mut self, held: &Held) -> Option<(String, SkipReason)> {
        let path = held.refused()?;
        let at = self.nodes.iter().position(|node| node.node_path == path)?;
        let node = self.nodes.swap_remove(at);
        match node.outcome {
            Outcome::Skipped(reason) => Some((node.node_path, reason)),
            _ => None,
        }
    }

    fn tell(
        &mut self,
        node: NodeReport,
        frontier: &Frontier,
        progress: &mut impl FnMut(Progress<'_>),
    ) {
        progress(Progress {
            node: &node,
            done: self.nodes.len() + 1,
            known: frontier.known(),
        });
        self.nodes.push(node);
    }

    /// Whether the root is still to state a version of N5: something was written elsewhere.
    pub(super) fn is_root_due(&self, options: &InPlaceOptions) -> bool {
        options.node_path != "/" && !options.dry_run && self.converted() > 0
    }

    /// Notes what became of the root, which was not to be converted itself, unless all went well.
    pub(super) fn add_root(&mut self, outcome: Option<Outcome>) {
        if let Some(outcome @ Outcome::Failed(_)) = outcome {
            self.nodes.push(NodeReport {
                node_path: "/".to_owned(),
                outcome,
            });
        }
    }

    /// Notes what became of the pyramids.
    #[cfg(feature = "ome")]
    pub(super) fn with_pyramids(mut self, pyramids: Pyramids) -> Self {
        self.pyramids = pyramids.reports;
        let nodes = self.nodes.iter();
        let nodes: HashMap<_, _> = nodes.map(|node| (&*node.node_path, node)).collect();
        for pyramid in &mut self.pyramids {
            if pyramid.refusal.is_none() {
                let group = nodes.get(&*pyramid.group_path).copied();
                pyramid.refusal = PyramidRefusal::of_group(group);
            }
        }
        self
    }

    /// There are none.
    #[cfg(not(feature = "ome"))]
    pub(super) fn with_pyramids(self, _: Pyramids) -> Self {
        self
    }

    /// Puts parents before their children and siblings in the order of their names.
    pub(super) fn sorted(mut self) -> Self {
        self.nodes
            .sort_by(|a, b| a.node_path.split('/').cmp(b.node_path.split('/')));
        self
    }
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
