//! One node of a hierarchy: its documents, its path, its kind, and which names are those of blocks.
//! Pure: no store is asked here.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use zarrs_storage::{StoreKey, StorePrefix};

/// The name of the Zarr V3 metadata document of a node.
pub(crate) const ZARR_JSON: &str = "zarr.json";
/// The name of the N5 metadata document of a node.
pub(crate) const ATTRIBUTES_JSON: &str = "attributes.json";
/// The `zarr.json` of a group without a document.
pub(crate) const EMPTY_GROUP: &[u8] = br#"{"zarr_format":3,"node_type":"group"}"#;

/// The two metadata documents of one node, side by side under the same prefix.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeKeys {
    /// The key of the N5 document.
    pub(crate) attributes: StoreKey,
    /// The key of the Zarr document.
    pub(crate) zarr: StoreKey,
}

impl NodeKeys {
    /// The node whose `zarr.json` is `key`; `None` for every other key.
    ///
    /// Only the exact last path component counts: `a/my-zarr.json` is an ordinary key.
    pub(crate) fn of_zarr_json(key: &StoreKey) -> Option<Self> {
        Self::beneath(prefix_before(key, ZARR_JSON)?)
    }

    /// The node whose `attributes.json` is `key`; `None` for every other key.
    pub(crate) fn of_attributes_json(key: &StoreKey) -> Option<Self> {
        Self::beneath(prefix_before(key, ATTRIBUTES_JSON)?)
    }

    /// The documents of the node at `prefix`; `None` for a prefix that no store key can start with.
    pub(crate) fn of_prefix(prefix: &StorePrefix) -> Option<Self> {
        Self::beneath(prefix.as_str())
    }

    /// The documents of the node at `path`, such as `/volumes/raw`.
    #[cfg(feature = "ome")]
    pub(crate) fn of_path(path: &str) -> Option<Self> {
        match path.strip_prefix('/')? {
            "" => Self::root(),
            path => Self::beneath(&format!("{path}/")),
        }
    }

    /// The documents of the node at `path`, such as `s0`, below this one.
    pub(crate) fn below(&self, path: &str) -> Option<Self> {
        Self::beneath(&format!("{}{path}/", self.prefix().as_str()))
    }

    fn beneath(prefix: &str) -> Option<Self> {
        let key = |name| StoreKey::new(format!("{prefix}{name}")).ok();
        Some(Self {
            attributes: key(ATTRIBUTES_JSON)?,
            zarr: key(ZARR_JSON)?,
        })
    }

    /// The documents of the root.
    pub(crate) fn root() -> Option<Self> {
        Self::beneath("")
    }

    /// Whether this is the root.
    pub(crate) fn is_root(&self) -> bool {
        self.zarr.as_str() == ZARR_JSON
    }

    /// The prefix under which both documents are.
    pub(crate) fn prefix(&self) -> StorePrefix {
        self.zarr.parent()
    }

    /// The path of the node as zarrs writes it: `/`, `/volumes/raw`.
    pub(crate) fn path(&self) -> String {
        node_path(&self.prefix())
    }
}

/// The path of the node at `prefix` as zarrs writes it: `/`, `/volumes/raw`.
pub(crate) fn node_path(prefix: &StorePrefix) -> String {
    format!("/{}", prefix.as_str().trim_end_matches('/'))
}

/// What comes before the last path component of `key`, if that component is `name`.
fn prefix_before<'a>(key: &'a StoreKey, name: &str) -> Option<&'a str> {
    let prefix = key.as_str().strip_suffix(name)?;
    (prefix.is_empty() || prefix.ends_with('/')).then_some(prefix)
}

/// The last path component of a key or a prefix; empty for the root.
pub(crate) fn last_component(path: &str) -> &str {
    let path = path.strip_suffix('/').unwrap_or(path);
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Whether `name` can be a path component of an N5 block key: a block position in decimal digits.
pub(crate) fn is_block_component(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// The kind of the node that a `zarr.json` describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeKind {
    Array,
    Group,
}

#[derive(Deserialize)]
struct NodeType<'a> {
    #[serde(borrow)]
    node_type: Cow<'a, str>,
}

impl NodeKind {
    /// The kind that `zarr` states. A document that states none is a group here: opening it is an
    /// error anyway, and what is below it can be looked at.
    pub(crate) fn of(zarr: &[u8]) -> Self {
        match serde_json::from_slice::<NodeType<'_>>(zarr) {
            Ok(NodeType { node_type }) if node_type == "array" => Self::Array,
            _ => Self::Group,
        }
    }
}

/// Whether two documents hold the same JSON value, whatever their spacing and the order of their
/// members.
pub(crate) fn is_same_json(one: &[u8], other: &[u8]) -> bool {
    let parse = |document| serde_json::from_slice::<Value>(document).ok();
    parse(one).is_some_and(|one| parse(other) == Some(one))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(key: &str) -> StoreKey {
        StoreKey::new(key).unwrap()
    }

    #[test]
    fn only_an_exact_last_component_is_a_metadata_key() {
        let node = NodeKeys::of_zarr_json(&key("a/b/zarr.json")).unwrap();
        assert_eq!(node.attributes, key("a/b/attributes.json"));
        assert_eq!(node.path(), "/a/b");
        for other in [
            "a/my-zarr.json",
            "zarr.json/a",
            "a/zarr.json.tmp",
            "a/attributes.json",
            "",
        ] {
            assert_eq!(NodeKeys::of_zarr_json(&key(other)), None, "{other}");
        }
    }

    #[test]
    fn the_root_has_its_documents_at_the_top() {
        let node = NodeKeys::of_zarr_json(&key("zarr.json")).unwrap();
        assert_eq!(node.attributes, key("attributes.json"));
        assert_eq!(node.prefix(), StorePrefix::root());
        assert_eq!(node.path(), "/");
        assert_eq!(NodeKeys::of_attributes_json(&node.attributes), Some(node));
    }

    #[test]
    fn a_prefix_that_no_key_can_start_with_has_no_node() {
        let prefix = StorePrefix::new("a//").unwrap();
        assert_eq!(NodeKeys::of_prefix(&prefix), None);
    }

    #[test]
    fn block_components_are_decimal_digits() {
        assert!(is_block_component("0") && is_block_component("123"));
        for name in ["", "s0", "-1", "1.5", "\u{0663}"] {
            assert!(!is_block_component(name), "{name}");
        }
    }

    #[test]
    fn the_last_component_of_a_key_and_of_a_prefix() {
        for (path, last) in [
            ("a/0/12", "12"),
            ("7", "7"),
            ("a/b/", "b"),
            ("a/", "a"),
            ("", ""),
        ] {
            assert_eq!(last_component(path), last);
        }
    }

    #[test]
    fn the_empty_group_is_the_document_of_the_specification() {
        let group: serde_json::Value = serde_json::from_slice(EMPTY_GROUP).unwrap();
        assert_eq!(
            group,
            serde_json::json!({"zarr_format": 3, "node_type": "group"})
        );
    }

    #[test]
    fn the_node_type_is_read_and_nothing_else() {
        assert_eq!(NodeKind::of(br#"{"node_type":"array"}"#), NodeKind::Array);
        assert_eq!(
            NodeKind::of(br#"{"node_type":"\u0061rray"}"#),
            NodeKind::Array
        );
        assert_eq!(NodeKind::of(EMPTY_GROUP), NodeKind::Group);
        assert_eq!(NodeKind::of(b"["), NodeKind::Group);
    }
}
