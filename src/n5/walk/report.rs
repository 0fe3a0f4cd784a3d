//! What a walk found and what it left out.

use super::frontier::{Frontier, Visit};
use super::judge::judge;
use super::left_out::{LeftOut, LeftOutReason};
use super::look::Look;
use super::nodes::{Unreadable, WalkedDataset, WalkedKind, WalkedNode};
use super::options::WalkError;

/// The nodes that a walk visited, and what it left out.
#[derive(Debug, Default)]
pub struct WalkReport {
    nodes: Vec<WalkedNode>,
    left_out: Vec<LeftOut>,
}

impl WalkReport {
    /// The nodes, parents before their children and siblings by name.
    #[must_use]
    pub fn nodes(&self) -> &[WalkedNode] {
        &self.nodes
    }

    /// What was not visited and why, in the same order.
    #[must_use]
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// The datasets with their paths, those that are only containers included.
    pub fn datasets(&self) -> impl Iterator<Item = (&str, &WalkedDataset)> {
        self.nodes.iter().filter_map(|node| match &node.kind {
            WalkedKind::Dataset(dataset) => Some((node.node_path.as_str(), dataset)),
            _ => None,
        })
    }

    /// The nodes, the first one of the walk first, and what was left out.
    pub(crate) fn into_parts(self) -> (Vec<WalkedNode>, Vec<LeftOut>) {
        (self.nodes, self.left_out)
    }

    /// Notes what `look` says of a node, and what is to be visited below it.
    pub(super) fn add(
        &mut self,
        visit: &Visit,
        look: Look,
        frontier: &mut Frontier,
    ) -> Result<(), WalkError> {
        let node_path = visit.node.path();
        if visit.is_first() && look.is_nothing() {
            return Err(WalkError::NoSuchNode { node_path });
        }
        let (kind, below) = judge(&node_path, &look);
        match look.folder {
            Ok(folder) => self.left_out.extend(frontier.finish(visit, folder, below)),
            // The node itself says so if there is no document to say what it is.
            Err(error) if !matches!(kind, WalkedKind::Unreadable(Unreadable::List(_))) => {
                self.left_out.push(LeftOut {
                    node_path: node_path.clone(),
                    reason: LeftOutReason::NotListed(error),
                });
            }
            Err(_) => (),
        }
        self.nodes.push(WalkedNode { node_path, kind });
        Ok(())
    }

    /// Notes what the walk did not come to, brings the nodes in order, and marks the datasets that
    /// have others below them.
    pub(super) fn finished(mut self, frontier: Frontier) -> Self {
        fn parts(path: &str) -> impl Iterator<Item = &str> {
            path.split('/')
        }
        self.left_out.extend(frontier.not_visited());
        self.nodes
            .sort_by(|a, b| parts(&a.node_path).cmp(parts(&b.node_path)));
        self.left_out
            .sort_by(|a, b| parts(&a.node_path).cmp(parts(&b.node_path)));
        self.mark_containers();
        self
    }

    /// Marks the datasets that have others below them. The nodes are in order, so that what is
    /// below a node directly follows it.
    fn mark_containers(&mut self) {
        let mut datasets_above: Vec<usize> = Vec::new();
        for index in 0..self.nodes.len() {
            let (before, rest) = self.nodes.split_at_mut(index);
            let Some(node) = rest.first() else { return };
            datasets_above.retain(|at| {
                let above = before.get(*at);
                above.is_some_and(|above| is_below(&node.node_path, &above.node_path))
            });
            if !matches!(node.kind, WalkedKind::Dataset(_)) {
                continue;
            }
            for at in &datasets_above {
                let kind = before.get_mut(*at).map(|above| &mut above.kind);
                if let Some(WalkedKind::Dataset(above)) = kind {
                    above.has_datasets_below = true;
                }
            }
            datasets_above.push(index);
        }
    }
}

/// Whether the node at `path` is below the one at `above`.
fn is_below(path: &str, above: &str) -> bool {
    let rest = path.strip_prefix(above.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.starts_with('/'))
}
