//! The way through a hierarchy: which nodes are still to be visited. Pure: no store is asked here.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::folder::{Child, Folder};
use super::left_out::{LeftOut, LeftOutReason, by_name};
use super::options::{WalkError, WalkOptions};
use crate::n5::at_once::AT_ONCE;
use crate::n5::node::{NodeKeys, is_block_component, node_path};

/// A node that is to be visited.
#[derive(Clone, Debug)]
pub(crate) struct Visit {
    pub(crate) node: NodeKeys,
    /// Where its folder really is, once links are followed, if that is known.
    #[cfg_attr(
        not(feature = "filesystem"),
        expect(
            dead_code,
            reason = "only folders of a file system are really somewhere"
        )
    )]
    pub(crate) real: Option<PathBuf>,
    /// How many levels it is below the first node.
    depth: usize,
}

impl Visit {
    /// The root, outside any walk.
    pub(crate) fn to_root() -> Option<Self> {
        NodeKeys::root().map(Self::to)
    }

    /// A node, outside any walk or as the first of one.
    pub(crate) fn to(node: NodeKeys) -> Self {
        Self {
            node,
            real: None,
            depth: 0,
        }
    }

    /// Whether the walk starts with this node.
    pub(crate) fn is_first(&self) -> bool {
        self.depth == 0
    }
}

/// Which of the folders of a node are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Below {
    /// All: the node is a group.
    All,
    /// Those whose name is not a number: the others hold blocks of the dataset that the node is.
    NotNumbered,
    /// Those that are neither named by a number nor `c`, where an array of Zarr has its chunks.
    NotNumberedNorC,
    /// Those whose name is not a number, as it is not known what the node is. The others are
    /// reported.
    Unknown,
}

impl Below {
    fn holds_blocks(self, name: &str) -> bool {
        match self {
            Self::All => false,
            Self::NotNumbered | Self::Unknown => is_block_component(name),
            Self::NotNumberedNorC => is_block_component(name) || name == "c",
        }
    }
}

/// The nodes still to be visited.
#[derive(Debug)]
pub(crate) struct Frontier {
    /// The next one last.
    pending: Vec<Visit>,
    /// How many nodes are known, visited or not.
    known: usize,
    recursive: bool,
    max_depth: usize,
    max_nodes: usize,
    /// How many nodes were handed out to be visited.
    visited: usize,
    /// Where the folder of the first node really is, if that is known.
    start: Option<PathBuf>,
    /// The real folders that were visited or are going to be.
    real: HashSet<PathBuf>,
}

impl Frontier {
    pub(crate) fn new(options: &WalkOptions) -> Result<Self, WalkError> {
        let node = NodeKeys::of_prefix(&options.start()?);
        let first = node.map(Visit::to);
        Ok(Self {
            known: usize::from(first.is_some()),
            pending: first.into_iter().collect(),
            recursive: options.recursive,
            max_depth: options.max_depth,
            max_nodes: options.max_nodes,
            visited: 0,
            start: None,
            real: HashSet::new(),
        })
    }

    /// The next nodes to visit, none at the end. No node comes before its parent is
    /// [finished](Self::finish).
    pub(crate) fn next_nodes(&mut self) -> Vec<Visit> {
        let allowed = AT_ONCE.min(self.max_nodes.saturating_sub(self.visited));
        let rest = self.pending.len().saturating_sub(allowed);
        let mut nodes = self.pending.split_off(rest);
        self.visited = self.visited.saturating_add(nodes.len());
        nodes.reverse();
        nodes
    }

    /// What is left out because as many nodes as may be visited were.
    pub(crate) fn not_visited(self) -> impl Iterator<Item = LeftOut> {
        let max_nodes = self.max_nodes;
        self.pending.into_iter().map(move |visit| LeftOut {
            node_path: visit.node.path(),
            reason: LeftOutReason::TooMany { max_nodes },
        })
    }

    /// How many nodes are known so far, visited, left out or still to be visited.
    pub(crate) fn known(&self) -> usize {
        self.known
    }

    /// Notes that the folders `below` a node are to be visited. Returns what is left out.
    pub(crate) fn finish(&mut self, visit: &Visit, folder: Folder, below: Below) -> Vec<LeftOut> {
        if !self.recursive {
            return Vec::new();
        }
        if let (None, Some(real)) = (&self.start, folder.real) {
            self.real.insert(real.clone());
            self.start = Some(real);
        }
        let mut left_out = folder.unnameable;
        let mut next = Vec::new();
        let mut numbered = 0_usize;
        let mut children = folder.children;
        children.sort_by(|a, b| a.prefix.cmp(&b.prefix));
        for child in children {
            if by_name(child.name()).is_none() && below.holds_blocks(child.name()) {
                numbered += 1;
                continue;
            }
            match self.visit(&child, visit.depth) {
                Ok(visit) => next.push(visit),
                Err(reason) => left_out.push(LeftOut {
                    node_path: node_path(&child.prefix),
                    reason,
                }),
            }
        }
        if numbered > 0 && below == Below::Unknown {
            left_out.push(LeftOut {
                node_path: visit.node.path(),
                reason: LeftOutReason::Numbered {
                    count: crate::n5::error_text::counted(numbered, "folder", "folders"),
                },
            });
        }
        self.known += next.len() + left_out.len();
        self.pending.extend(next.into_iter().rev());
        left_out
    }

    fn visit(&mut self, child: &Child, parent_depth: usize) -> Result<Visit, LeftOutReason> {
        if let Some(reason) = by_name(child.name()) {
            return Err(reason);
        }
        let node = NodeKeys::of_prefix(&child.prefix).ok_or(LeftOutReason::InvalidName)?;
        let depth = parent_depth + 1;
        if depth > self.max_depth {
            return Err(LeftOutReason::TooDeep {
                max_depth: self.max_depth,
            });
        }
        if let Some(real) = &child.real {
            let is_reached_otherwise = child.is_link && self.is_below_start(real);
            if is_reached_otherwise || !self.real.insert(real.clone()) {
                return Err(LeftOutReason::SameFolder {
                    same_as: real.display().to_string(),
                });
            }
        }
        Ok(Visit {
            node,
            real: child.real.clone(),
            depth,
        })
    }

    /// Whether the walk comes to `real` without following a link.
    fn is_below_start(&self, real: &Path) -> bool {
        let relative = self.start.as_ref().map(|start| real.strip_prefix(start));
        let Some(Ok(relative)) = relative else {
            return false;
        };
        let mut names = relative.components().map(|name| name.as_os_str().to_str());
        names.all(|name| name.is_some_and(|name| by_name(name).is_none()))
    }
}

#[cfg(test)]
mod tests {
    use zarrs_storage::StorePrefix;

    use super::*;

    fn folder(real: Option<&str>, children: &[(&str, Option<&str>)]) -> Folder {
        let mut folder = Folder::new();
        folder.real = real.map(PathBuf::from);
        for (prefix, target) in children {
            let prefix = StorePrefix::new(*prefix).unwrap();
            folder.add_folder(prefix, target.map(PathBuf::from), target.is_some());
        }
        folder
    }

    /// What is visited and what is left out of the folders of the first node.
    fn finished(folder: Folder, below: Below) -> (Vec<String>, Vec<String>) {
        let mut frontier = Frontier::new(&WalkOptions::new()).unwrap();
        let visits = frontier.next_nodes();
        let left_out = frontier.finish(&visits[0], folder, below);
        let visited = frontier.next_nodes();
        assert_eq!(frontier.known(), 1 + visited.len() + left_out.len());
        let visited = visited.iter().map(|visit| visit.node.path()).collect();
        let left_out = left_out.iter().map(ToString::to_string).collect();
        (visited, left_out)
    }

    #[test]
    fn what_holds_blocks_is_not_visited() {
        let children = [("0/", None), ("c/", None), ("s0/", None)];
        for (below, expected) in [
            (Below::All, &["/0", "/c", "/s0"][..]),
            (Below::NotNumbered, &["/c", "/s0"]),
            (Below::NotNumberedNorC, &["/s0"]),
            (Below::Unknown, &["/c", "/s0"]),
        ] {
            let (visited, left_out) = finished(folder(None, &children), below);
            assert_eq!(visited, expected, "{below:?}");
            assert_eq!(left_out.len(), usize::from(below == Below::Unknown));
        }
    }

    #[test]
    fn a_name_that_no_key_can_have_is_left_out() {
        let (visited, left_out) = finished(folder(None, &[("a//", None)]), Below::All);
        assert_eq!(visited, [""; 0]);
        assert_eq!(left_out, ["/a: a name that cannot be part of a key"]);
    }

    #[test]
    fn a_link_to_what_is_visited_anyway_is_left_out_and_others_are_followed_once() {
        let children = [
            ("a/", Some("/data/n5/raw")),
            ("b/", Some("/data/n5")),
            ("c/", Some("/data/n5/.hidden/x")),
            ("d/", Some("/elsewhere")),
            ("e/", Some("/elsewhere")),
        ];
        let (visited, left_out) = finished(folder(Some("/data/n5"), &children), Below::All);
        assert_eq!(visited, ["/c", "/d"]);
        assert_eq!(
            left_out,
            [
                "/a: the same folder as /data/n5/raw",
                "/b: the same folder as /data/n5",
                "/e: the same folder as /elsewhere",
            ]
        );
    }
}
