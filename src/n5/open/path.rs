//! The path of a dataset, as a caller writes it. Pure.

use zarrs::node::NodePath;
use zarrs_storage::StorePrefix;

use super::error::OpenError;
use crate::n5::at_once::AT_ONCE;
use crate::n5::node::{NodeKeys, is_block_component};

/// The path of a node that is to be opened, and the nodes around it.
#[derive(Clone, Debug)]
pub(super) struct DatasetPath {
    /// As zarrs writes it: `/`, `/volumes/raw`.
    pub(super) text: String,
    pub(super) node: NodeKeys,
}

impl DatasetPath {
    /// `path`, which may lack the `/` at its beginning or have one at its end.
    pub(super) fn new(path: &str) -> Result<Self, OpenError> {
        if path.contains('\\') {
            return Err(OpenError::Backslash {
                path: path.to_owned(),
                advised: format!("/{}", path.replace('\\', "/").trim_matches('/')),
            });
        }
        let names = path.strip_prefix('/').unwrap_or(path);
        let names = names.strip_suffix('/').unwrap_or(names);
        Self::of_names(names).ok_or_else(|| OpenError::InvalidPath {
            path: path.to_owned(),
        })
    }

    /// The path of these names, with a `/` between them.
    fn of_names(names: &str) -> Option<Self> {
        let text = format!("/{names}");
        let prefix: StorePrefix = (&NodePath::new(&text).ok()?).try_into().ok()?;
        let node = NodeKeys::of_prefix(&prefix)?;
        Some(Self { text, node })
    }

    /// The path of the node `name` below this one.
    pub(super) fn child(&self, name: &str) -> Option<Self> {
        Self::of_names(format!("{}/{name}", self.text).trim_start_matches('/'))
    }

    /// The path of the node above; `None` for the root.
    pub(super) fn parent(&self) -> Option<Self> {
        let (above, name) = self.text.rsplit_once('/')?;
        let is_root = name.is_empty();
        (!is_root)
            .then(|| Self::of_names(above.trim_start_matches('/')))
            .flatten()
    }

    /// The paths of the nodes above, nearest first. The root is above itself.
    pub(super) fn above(&self) -> Vec<Self> {
        let above = std::iter::successors(self.parent(), Self::parent).collect::<Vec<_>>();
        if above.is_empty() {
            vec![self.clone()]
        } else {
            above
        }
    }

    pub(super) fn is_root(&self) -> bool {
        self.node.is_root()
    }

    /// The last name; empty for the root.
    pub(super) fn name(&self) -> &str {
        self.text.rsplit_once('/').map_or("", |(_, name)| name)
    }

    /// The names on the way from `above` to this node.
    pub(super) fn names_below(&self, above: &Self) -> Vec<&str> {
        let rest = self.text.strip_prefix(above.text.as_str()).unwrap_or("");
        rest.split('/').filter(|name| !name.is_empty()).collect()
    }

    /// This node, and the nodes above it up to the nearest one whose name is not that of blocks: if
    /// this node lies among the blocks of a dataset, that is the first of them with a document.
    pub(super) fn up_from_blocks(&self) -> Vec<Self> {
        let above = |path: &Self| {
            is_block_component(path.name())
                .then(|| path.parent())
                .flatten()
        };
        std::iter::successors(Some(self.clone()), above).collect()
    }

    /// The paths with other beginnings: first the ones without the first name, the first two names,
    /// ..., then the ones with one of `leading` before the first name. Each list is so short that
    /// all of it may be asked for at once.
    pub(super) fn with_other_beginnings(&self, leading: &[String]) -> [Vec<Self>; 2] {
        let names = self.text.trim_start_matches('/');
        let without = names.match_indices('/').filter_map(|(slash, _)| {
            let rest = names.get(slash + 1..)?;
            Self::of_names(rest)
        });
        let with = leading.iter();
        let with = with.filter_map(|name| Self::of_names(&format!("{name}/{names}")));
        [
            without.take(AT_ONCE).collect(),
            with.take(AT_ONCE).collect(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(path: &str) -> DatasetPath {
        DatasetPath::new(path).unwrap()
    }

    fn texts(paths: &[DatasetPath]) -> Vec<&str> {
        paths.iter().map(|path| path.text.as_str()).collect()
    }

    #[test]
    fn slashes_around_a_path_do_not_count() {
        for given in ["/a/b", "a/b", "a/b/", "/a/b/"] {
            assert_eq!(path(given).text, "/a/b", "{given}");
            assert_eq!(path(given).node.attributes.as_str(), "a/b/attributes.json");
        }
        for given in ["/", ""] {
            assert_eq!(path(given).text, "/", "{given}");
            assert_eq!(path(given).node.attributes.as_str(), "attributes.json");
        }
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for given in ["//a", "a//", "a//b", "/a/./b", "..", "a/../b", "/__a"] {
            let error = DatasetPath::new(given).unwrap_err();
            assert!(matches!(error, OpenError::InvalidPath { .. }), "{given}");
        }
    }

    #[test]
    fn the_nodes_above_begin_with_the_nearest() {
        assert_eq!(texts(&path("a/b/c").above()), ["/a/b", "/a", "/"]);
        assert_eq!(texts(&path("a").above()), ["/"]);
        assert_eq!(texts(&path("/").above()), ["/"]);
    }

    #[test]
    fn a_path_among_blocks_leads_up_to_where_the_dataset_is() {
        assert_eq!(
            texts(&path("a/ds/0/12").up_from_blocks()),
            ["/a/ds/0/12", "/a/ds/0", "/a/ds"]
        );
        assert_eq!(texts(&path("a/ds").up_from_blocks()), ["/a/ds"]);
        assert_eq!(texts(&path("0").up_from_blocks()), ["/0", "/"]);
        assert_eq!(texts(&path("/").up_from_blocks()), ["/"]);
    }

    #[test]
    fn names_are_added_and_taken_away() {
        assert_eq!(path("/").child("a").unwrap().text, "/a");
        assert_eq!(path("a").child("b").unwrap().text, "/a/b");
        assert_eq!(path("a/b/c").names_below(&path("/a")), ["b", "c"]);
        assert_eq!(path("a/b").names_below(&path("/")), ["a", "b"]);
        let leading = ["x".to_owned(), "__reserved".to_owned()];
        let [without, with] = path("a/b/c").with_other_beginnings(&leading);
        assert_eq!(texts(&without), ["/b/c", "/c"]);
        assert_eq!(texts(&with), ["/x/a/b/c"]);
        assert_eq!((path("a/b").name(), path("/").name()), ("b", ""));
    }
}
