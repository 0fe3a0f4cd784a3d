//! What the documents of groups and arrays say of OME-Zarr, by their paths.

use std::collections::BTreeMap;

use serde_json::Value;

/// The metadata of OME-Zarr that conversion is to write; none without the feature `ome`.
#[derive(Debug, Default)]
pub(super) struct Pyramids {
    /// The attribute `ome` of each group.
    pub(super) ome: BTreeMap<String, Value>,
    /// The names of the dimensions of each array, dimension 0 first.
    pub(super) dimension_names: BTreeMap<String, Vec<String>>,
    /// What became of each pyramid.
    #[cfg(feature = "ome")]
    pub(super) reports: Vec<super::pyramid_report::PyramidReport>,
}

impl Pyramids {
    pub(super) fn ome(&self, node_path: &str) -> Option<&Value> {
        self.ome.get(node_path)
    }

    pub(super) fn dimension_names(&self, node_path: &str) -> Option<&[String]> {
        self.dimension_names.get(node_path).map(Vec::as_slice)
    }
}
