//! Groups whose documents wait. Folders without any document are groups of N5 only where N5 is, and
//! groups of Zarr become N5 only if some array can. Pure: no store is asked here.

use std::collections::{BTreeMap, HashSet};

use zarrs_storage::{Bytes, StoreKey};

use super::options::InPlaceOptions;
use super::outcome::Outcome;
use super::plan::{Direction, Step};
use crate::n5::node::{NodeKeys, NodeKind};
use crate::n5::walk::look::Look;

/// The document of a group that waits.
#[derive(Clone, Debug)]
pub(super) struct HeldGroup {
    pub(super) node: NodeKeys,
    pub(super) key: StoreKey,
    pub(super) document: Bytes,
}

/// Where N5 was found, and the groups without a document that wait for some below them.
#[derive(Debug)]
pub(super) struct Held {
    /// Which document is made from which.
    pub(super) direction: Direction,
    /// Whether any group waits: a single node never does.
    is_active: bool,
    /// The prefixes of the nodes with an `attributes.json` that have none above them.
    tops: HashSet<String>,
    /// The groups that wait, by their prefixes.
    waiting: BTreeMap<String, HeldGroup>,
    /// The groups that need not wait any more, parents before their children.
    due: Vec<HeldGroup>,
    /// The path of the first array that was not made N5.
    refused: Option<String>,
}

impl Held {
    pub(super) fn new(direction: Direction, options: &InPlaceOptions) -> Self {
        Self {
            direction,
            is_active: options.recursive,
            tops: HashSet::new(),
            waiting: BTreeMap::new(),
            due: Vec::new(),
            refused: None,
        }
    }

    /// Whether the document of a node has to wait: it has no `attributes.json`, and neither has any
    /// node above it; an array of Zarr never waits.
    pub(super) fn holds(&self, node: &NodeKeys, look: &Look) -> bool {
        let may_wait = self.is_active && !look.has_attributes() && !self.is_array(look);
        may_wait && !self.is_within(node.prefix().as_str())
    }

    /// Whether the node is an array that is to be made N5.
    fn is_array(&self, look: &Look) -> bool {
        let zarr = look.zarr.as_ref().ok().and_then(Option::as_ref);
        let is_array = zarr.is_some_and(|zarr| NodeKind::of(zarr) == NodeKind::Array);
        is_array && self.direction == Direction::ToN5
    }

    /// Notes what a node has, and its document if that [has to wait](Self::holds).
    pub(super) fn note(&mut self, node: &NodeKeys, look: &Look, step: &mut Step) {
        let prefix = node.prefix();
        let prefix = prefix.as_str();
        let is_array = self.is_array(look);
        let is_converted = matches!(step.outcome, Outcome::Converted | Outcome::Unchanged);
        if is_array && !is_converted && self.refused.is_none() {
            self.refused = Some(node.path());
        }
        if let Some((key, document)) = step.write.take().filter(|_| step.is_held) {
            let node = node.clone();
            let group = HeldGroup {
                node,
                key,
                document,
            };
            self.waiting.insert(prefix.to_owned(), group);
        } else if self.direction == Direction::ToN5 {
            if look.has_attributes() || is_array && is_converted {
                self.note_root();
            }
        } else if self.is_active && look.has_attributes() && !self.is_within(prefix) {
            for above in lineage(prefix) {
                self.due.extend(self.waiting.remove(above));
            }
            self.tops.insert(prefix.to_owned());
        }
    }

    /// Notes that all of it lies in an N5 hierarchy, or becomes one.
    pub(super) fn note_root(&mut self) {
        self.due
            .extend(std::mem::take(&mut self.waiting).into_values());
        self.tops.insert(String::new());
    }

    /// Whether nothing speaks against writing what waits: it is made N5, and no array was there, or
    /// it is not known whether one can be N5, as something `failed`.
    pub(super) fn may_write_groups(&self, failed: usize) -> bool {
        self.direction == Direction::ToN5 && (self.refused.is_none() || failed > 0)
    }

    /// The groups that need not wait any more, parents before their children.
    pub(super) fn take_due(&mut self) -> Vec<HeldGroup> {
        std::mem::take(&mut self.due)
    }

    /// Whether there was to be N5 and none was found.
    pub(super) fn has_found_nothing(&self) -> bool {
        self.is_active && self.tops.is_empty()
    }

    /// The path of the first array that was not made N5.
    pub(super) fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    /// The groups that still wait, parents before their children.
    pub(super) fn into_waiting(self) -> impl Iterator<Item = HeldGroup> {
        self.waiting.into_values()
    }

    fn is_within(&self, prefix: &str) -> bool {
        lineage(prefix).any(|above| self.tops.contains(above))
    }
}

/// The prefixes of the nodes above a node, the root's first, and its own.
fn lineage(prefix: &str) -> impl Iterator<Item = &str> {
    let ends = prefix.match_indices('/');
    std::iter::once("").chain(ends.filter_map(|(at, _)| prefix.get(..=at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lineage_of_a_prefix_begins_at_the_root() {
        assert_eq!(lineage("").collect::<Vec<_>>(), [""]);
        assert_eq!(lineage("a/bc/").collect::<Vec<_>>(), ["", "a/", "a/bc/"]);
    }
}
