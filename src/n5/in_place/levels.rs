//! The arrays that the `ome` of a group's `zarr.json` speaks of. Pure: no store is asked here.

use crate::n5::convert::GroupOme;
use crate::n5::node::NodeKeys;
use crate::n5::walk::look::Look;

/// What is known of the arrays that the `ome` of a group speaks of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OmeLevels {
    /// Whether any of them is N5, so that conversion is what describes them.
    pub(super) has_n5: bool,
    /// Whether any of these has no `zarr.json`, so that it gets one in the order that is asked for.
    pub(super) has_new: bool,
}

impl OmeLevels {
    /// Notes which documents an array has.
    pub(super) fn note(&mut self, has_attributes: bool, has_zarr: bool) {
        self.has_n5 |= has_attributes;
        self.has_new |= has_attributes && !has_zarr;
    }
}

/// The arrays that the `zarr.json` of `node` speaks of, as far as it is a group with an `ome`.
pub(super) fn levels_to_look_at(node: &NodeKeys, look: &Look) -> Vec<NodeKeys> {
    let Ok(Some(zarr)) = &look.zarr else {
        return Vec::new();
    };
    let Some(group) = GroupOme::of(zarr) else {
        return Vec::new();
    };
    let nodes = group.levels().into_iter().map(|path| node.below(path));
    nodes.flatten().collect()
}
