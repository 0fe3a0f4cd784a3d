//! Groups whose documents wait. Folders without any document are groups of N5 only where N5 is, and
//! where they cannot be blocks; groups of Zarr become N5 only if some array can. Pure: no store is
//! asked here.

use std::collections::{BTreeMap, HashSet};

use zarrs_storage::{Bytes, StoreKey};

use super::options::InPlaceOptions;
use super::outcome::{Outcome, SkipReason};
use super::plan::{Direction, Step};
use crate::n5::error_text::counted;
use crate::n5::json::is_blank;
use crate::n5::node::{NodeKeys, NodeKind, is_block_component, last_component};
use crate::n5::walk::folder::{Child, Folder};
use crate::n5::walk::look::Look;
use crate::n5::walk::{LeftOutReason, is_system_name};

/// The document of a group that waits.
#[derive(Clone, Debug)]
pub(super) struct HeldGroup {
    pub(super) node: NodeKeys,
    pub(super) key: StoreKey,
    pub(super) document: Bytes,
    /// Whether it may be a dataset, or blocks of one.
    is_in_doubt: bool,
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
    /// node above it; or it may be a dataset or blocks. An array of Zarr never waits.
    pub(super) fn holds(&self, node: &NodeKeys, look: &Look) -> bool {
        if !self.is_active || self.is_array(look) {
            return false;
        }
        let prefix = node.prefix();
        let is_bare = !look.has_attributes();
        is_bare && !self.is_within(prefix.as_str()) || self.is_in_doubt(prefix.as_str(), look)
    }

    /// Whether the node may be a dataset whose `attributes.json` is gone or empty, or blocks of
    /// one: it has no attributes, and looks as these do.
    fn is_in_doubt(&self, prefix: &str, look: &Look) -> bool {
        let is_bare = match (&look.attributes, &look.zarr) {
            (Ok(Some(attributes)), _) => is_blank(attributes),
            (Ok(None), Ok(zarr)) => zarr.is_none(),
            _ => false,
        };
        let Ok(folder) = &look.folder else {
            return false;
        };
        is_bare && self.direction == Direction::ToZarr && looks_like_blocks(prefix, folder)
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
        let write = step.write.take().filter(|_| step.is_held);
        let is_held = write.is_some();
        if self.direction == Direction::ToN5 {
            if !is_held && (look.has_attributes() || is_array && is_converted) {
                self.note_root();
            }
        } else if self.is_active && look.has_attributes() {
            for above in lineage(prefix).filter(|above| *above != prefix) {
                self.due.extend(self.waiting.remove(above));
            }
            if !self.is_within(prefix) {
                self.tops.insert(prefix.to_owned());
            }
        }
        if let Some((key, document)) = write {
            let is_in_doubt = self.is_in_doubt(prefix, look);
            let node = node.clone();
            let group = HeldGroup {
                node,
                key,
                document,
                is_in_doubt,
            };
            self.waiting.insert(prefix.to_owned(), group);
        }
    }

    /// Notes that all of it lies in an N5 hierarchy, or becomes one.
    pub(super) fn note_root(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        let (waiting, due) = waiting
            .into_iter()
            .partition(|(_, group)| group.is_in_doubt);
        self.waiting = waiting;
        self.due.extend(BTreeMap::into_values(due));
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

    /// What still waits, and why it is not written. Of what may be blocks only the first on the way
    /// down is named; folders named by numbers are counted, at the node above them.
    pub(super) fn into_waiting(self) -> Vec<(String, SkipReason)> {
        let mut left = Vec::new();
        let mut numbered: BTreeMap<String, usize> = BTreeMap::new();
        for (prefix, group) in &self.waiting {
            let path = group.node.path();
            let above = lineage(prefix).rev().nth(1);
            let above_waits = above.and_then(|above| self.waiting.get(above));
            if !self.is_within(prefix) {
                left.push((path, SkipReason::NothingOfN5));
            } else if above_waits.is_some_and(|above| above.is_in_doubt) {
                // What is said of the node above holds for this one.
            } else if is_block_component(last_component(prefix)) {
                let above = path.rsplit_once('/').map_or("", |(above, _)| above);
                let above = if above.is_empty() { "/" } else { above };
                *numbered.entry(above.to_owned()).or_default() += 1;
            } else {
                left.push((path, SkipReason::MayBeBlocks));
            }
        }
        left.extend(numbered.into_iter().map(|(above, count)| {
            let count = counted(count, "folder", "folders");
            let reason = LeftOutReason::Numbered { count };
            (above, SkipReason::LeftOut(reason))
        }));
        left
    }

    fn is_within(&self, prefix: &str) -> bool {
        lineage(prefix).any(|above| self.tops.contains(above))
    }
}

/// Whether a folder without a document may be a dataset or blocks, by the names that it shows:
/// files named by numbers, or no folders but such. What has no folders at all is judged by its own
/// name.
fn looks_like_blocks(prefix: &str, folder: &Folder) -> bool {
    let is_number = |path: &str| is_block_component(last_component(path));
    let mut others = folder.children.iter().map(Child::name);
    folder.block_file.is_some()
        || (folder.has_block || is_number(prefix))
            && others.all(|name| is_number(name) || is_system_name(name))
}

/// The prefixes of the nodes above a node, the root's first, and its own.
fn lineage(prefix: &str) -> impl DoubleEndedIterator<Item = &str> {
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
