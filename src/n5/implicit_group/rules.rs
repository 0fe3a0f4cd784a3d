//! Which prefixes are groups although they have no document. Pure: no store is asked here.

use std::collections::{HashMap, HashSet};

use zarrs_storage::{StoreKey, StoreKeysPrefixes, StorePrefix};

use crate::n5::node::{
    ATTRIBUTES_JSON, NodeKeys, NodeKind, ZARR_JSON, is_block_component, last_component,
};

/// The documents that say themselves what their prefix is, those of Zarr V2 included.
const DOCUMENTS: [&str; 4] = [ZARR_JSON, ATTRIBUTES_JSON, ".zarray", ".zgroup"];

/// What a listing says about its prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contents {
    /// A document of its own, which decides what the prefix is.
    Document,
    /// No document, but something else.
    Something,
    /// Nothing at all: an empty directory, or no such prefix.
    Nothing,
}

impl Contents {
    pub(super) fn of(listing: &StoreKeysPrefixes) -> Self {
        if listing.keys().iter().any(is_document) {
            Self::Document
        } else if listing.keys().is_empty() && listing.prefixes().is_empty() {
            Self::Nothing
        } else {
            Self::Something
        }
    }
}

fn is_document(key: &StoreKey) -> bool {
    DOCUMENTS.contains(&last_component(key.as_str()))
}

/// The nodes above `prefix` that tell whether `prefix` is a directory of blocks, nearest first; the
/// first one that exists decides.
pub(super) fn nodes_above(prefix: &StorePrefix) -> impl Iterator<Item = NodeKeys> {
    prefixes_above(prefix.as_str()).filter_map(node_at)
}

/// Where [`nodes_above`] finds its nodes.
///
/// Blocks lie in directories named by numbers (and the chunks of a plain Zarr V3 array below `c`),
/// so a prefix with another name needs no question, and neither does anything above the first such
/// name.
fn prefixes_above(prefix: &str) -> impl Iterator<Item = &str> {
    let mut prefix = prefix;
    std::iter::from_fn(move || {
        let path = prefix.trim_end_matches('/');
        let (above, name) = path.split_at(path.rfind('/').map_or(0, |slash| slash + 1));
        if !is_block_component(name) && name != "c" {
            return None;
        }
        prefix = above;
        Some(above)
    })
}

fn node_at(prefix: &str) -> Option<NodeKeys> {
    NodeKeys::of_prefix(&StorePrefix::new(prefix).ok()?)
}

/// The prefixes of a whole listing that have no document: the groups among them are implicit.
pub(super) struct Prefixes {
    prefixes: Vec<StorePrefix>,
    ancestors_to_read: Vec<NodeKeys>,
}

impl Prefixes {
    /// The prefixes in `keys`, everything that a store has under `root`, that have no document.
    pub(super) fn without_document(keys: &[StoreKey], root: &StorePrefix) -> Self {
        let mut seen = HashSet::new();
        for key in keys {
            let mut end = key.as_str().rfind('/').map_or(0, |slash| slash + 1);
            while end >= root.as_str().len() && seen.insert(&key.as_str()[..end]) && end > 0 {
                end = key.as_str()[..end - 1]
                    .rfind('/')
                    .map_or(0, |slash| slash + 1);
            }
        }
        let documents = keys.iter().filter(|key| is_document(key));
        for document in documents {
            let name = last_component(document.as_str());
            seen.remove(&document.as_str()[..document.as_str().len() - name.len()]);
        }
        let mut prefixes: Vec<_> = seen
            .into_iter()
            .filter_map(|prefix| StorePrefix::new(prefix).ok())
            .collect();
        prefixes.sort();
        let ancestors_to_read = ancestors_to_read(&prefixes, keys, root);
        Self {
            prefixes,
            ancestors_to_read,
        }
    }

    /// The nodes whose kind decides, if they exist.
    pub(super) fn ancestors_to_read(&self) -> &[NodeKeys] {
        &self.ancestors_to_read
    }

    /// The `zarr.json` keys of the implicit groups, given the kinds of the nodes to read.
    pub(super) fn implicit_documents(self, kinds: &HashMap<NodeKeys, NodeKind>) -> Vec<StoreKey> {
        let kinds: Vec<_> = kinds
            .iter()
            .map(|(node, kind)| (node.prefix(), *kind))
            .collect();
        let mut known = kinds
            .iter()
            .map(|(prefix, kind)| (prefix.as_str(), Some(*kind)))
            .collect();
        let groups = self
            .prefixes
            .iter()
            .filter(|prefix| deciding_kind(prefix.as_str(), &mut known) != Some(NodeKind::Array));
        groups
            .filter_map(NodeKeys::of_prefix)
            .map(|node| node.zarr)
            .collect()
    }
}

/// The kind of the nearest node above `prefix`. What is found is added to what is `known`, so that
/// each ancestor is visited once.
fn deciding_kind<'a>(
    prefix: &'a str,
    known: &mut HashMap<&'a str, Option<NodeKind>>,
) -> Option<NodeKind> {
    let mut passed = Vec::new();
    let mut found = None;
    for above in prefixes_above(prefix) {
        if let Some(kind) = known.get(above) {
            found = *kind;
            break;
        }
        passed.push(above);
    }
    known.extend(passed.into_iter().map(|above| (above, found)));
    found
}

/// The nodes above `prefixes` that may exist: those outside `root` and those with a document listed
/// in `keys`.
fn ancestors_to_read(
    prefixes: &[StorePrefix],
    keys: &[StoreKey],
    root: &StorePrefix,
) -> Vec<NodeKeys> {
    let listed: HashSet<_> = keys.iter().filter(|key| is_document(key)).collect();
    let may_exist = |node: &NodeKeys| {
        listed.contains(&node.zarr)
            || listed.contains(&node.attributes)
            || !node.zarr.has_prefix(root)
    };
    let mut ancestors = Vec::new();
    let mut seen = HashSet::new();
    for prefix in prefixes {
        // What is above a prefix that was seen was seen too.
        let above = prefixes_above(prefix.as_str()).take_while(|above| seen.insert(*above));
        ancestors.extend(above.filter_map(node_at).filter(may_exist));
    }
    ancestors.sort();
    ancestors
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(keys: &[&str]) -> Vec<StoreKey> {
        keys.iter()
            .map(|key| StoreKey::new(*key).unwrap())
            .collect()
    }

    fn prefix(prefix: &str) -> StorePrefix {
        StorePrefix::new(prefix).unwrap()
    }

    fn node(at: &str) -> NodeKeys {
        NodeKeys::of_prefix(&prefix(at)).unwrap()
    }

    #[test]
    fn a_listing_with_any_document_speaks_for_itself() {
        for document in DOCUMENTS {
            let listing = StoreKeysPrefixes::new(keys(&[&format!("a/{document}")]), vec![]);
            assert_eq!(Contents::of(&listing), Contents::Document, "{document}");
        }
        let listing = StoreKeysPrefixes::new(keys(&["a/readme.txt"]), vec![]);
        assert_eq!(Contents::of(&listing), Contents::Something);
        let listing = StoreKeysPrefixes::new(vec![], vec![prefix("a/b/")]);
        assert_eq!(Contents::of(&listing), Contents::Something);
        let listing = StoreKeysPrefixes::new(vec![], vec![]);
        assert_eq!(Contents::of(&listing), Contents::Nothing);
    }

    #[test]
    fn only_names_of_block_directories_make_ancestors_matter() {
        let nodes_above = |at| nodes_above(&prefix(at)).collect::<Vec<_>>();
        assert_eq!(nodes_above("a/b/"), []);
        assert_eq!(nodes_above(""), []);
        assert_eq!(nodes_above("0/"), [node("")]);
        assert_eq!(nodes_above("x/a/0/12/"), [node("x/a/0/"), node("x/a/")]);
        assert_eq!(nodes_above("a/c/0/"), [node("a/c/"), node("a/")]);
    }

    #[test]
    fn a_listing_shows_the_groups_and_not_the_blocks() {
        let keys = keys(&[
            "ds/0/0/0",
            "ds/0/1/0",
            "ds/zarr.json",
            "g/0/s/zarr.json",
            "g/h/attributes.json",
            "g/h/zarr.json",
            "v2/.zarray",
            "v2/x/0.0",
        ]);
        let prefixes = Prefixes::without_document(&keys, &StorePrefix::root());
        assert_eq!(prefixes.ancestors_to_read(), [node("ds/")]);
        let kinds = HashMap::from([(node("ds/"), NodeKind::Array)]);
        let implicit = prefixes.implicit_documents(&kinds);
        let implicit: Vec<_> = implicit.iter().map(StoreKey::as_str).collect();
        assert_eq!(
            implicit,
            [
                "zarr.json",
                "g/zarr.json",
                "g/0/zarr.json",
                "v2/x/zarr.json"
            ]
        );
    }

    #[test]
    fn a_listing_below_a_dataset_asks_for_the_dataset() {
        let keys = keys(&["ds/0/0/0", "ds/0/1/0"]);
        let prefixes = Prefixes::without_document(&keys, &prefix("ds/0/"));
        assert_eq!(prefixes.ancestors_to_read(), [node("ds/")]);
        let kinds = HashMap::from([(node("ds/"), NodeKind::Array)]);
        assert_eq!(prefixes.implicit_documents(&kinds), []);
    }

    #[test]
    fn the_nearest_document_decides() {
        let keys = keys(&["a/0/zarr.json", "a/0/1/x", "a/zarr.json"]);
        let kinds = HashMap::from([
            (node("a/0/"), NodeKind::Group),
            (node("a/"), NodeKind::Array),
        ]);
        let implicit = Prefixes::without_document(&keys, &prefix("a/")).implicit_documents(&kinds);
        assert_eq!(implicit, [StoreKey::new("a/0/1/zarr.json").unwrap()]);
    }

    /// Gathering all that is above each prefix would take 16 GB here.
    #[test]
    fn a_path_of_two_thousand_numbers_reads_few_ancestors() {
        let deep = "0/".repeat(2000);
        let keys = keys(&["zarr.json", &format!("{deep}1")]);
        let prefixes = Prefixes::without_document(&keys, &StorePrefix::root());
        assert_eq!(prefixes.ancestors_to_read(), [node("")]);
        let kinds = HashMap::from([(node(""), NodeKind::Array)]);
        assert_eq!(prefixes.implicit_documents(&kinds), []);
    }
}
