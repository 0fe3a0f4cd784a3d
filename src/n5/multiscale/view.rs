//! What a pyramid is recognised from.

use serde_json::{Map, Value};

use super::unit::VoxelSize;

/// A dataset below a group: its path and its whole `attributes.json`.
#[derive(Clone, Copy, Debug)]
pub struct DatasetView<'a> {
    /// The path below the group, without a slash at either end, as in `s0`.
    pub path: &'a str,
    /// All members of the document, `dimensions` included.
    pub attributes: &'a Map<String, Value>,
}

/// A group, what is above it, and its datasets.
#[derive(Clone, Copy, Debug)]
pub struct GroupView<'a> {
    /// The path from the root of the container, as in `/setup0/timepoint0`. The names of the last
    /// two folders tell BigDataViewer's layout.
    pub path: &'a str,
    /// The attributes of the group, empty if it has none.
    pub attributes: &'a Map<String, Value>,
    /// The attributes of the groups above, the parent first and the root of the container last.
    pub ancestors: &'a [&'a Map<String, Value>],
    /// The datasets in the group, in any order.
    pub children: &'a [DatasetView<'a>],
}

/// What the caller knows and the attributes do not say.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MultiscaleOptions {
    /// The names of all dimensions, dimension 0 first. They win over the names in the attributes.
    pub axes: Option<Vec<String>>,
    /// The size of a voxel at full resolution, as from the XML beside a BigDataViewer container. It
    /// wins over the resolution of a BigDataViewer group; other dialects do not ask for it.
    pub voxel_size: Option<VoxelSize>,
}

impl MultiscaleOptions {
    /// No options: nothing is known but the attributes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the names of all dimensions, dimension 0 first. They differ, and none is empty.
    #[must_use]
    pub fn with_axes<I: IntoIterator<Item: Into<String>>>(mut self, axes: I) -> Self {
        self.axes = Some(axes.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the size of a voxel at full resolution.
    #[must_use]
    pub fn with_voxel_size(mut self, voxel_size: VoxelSize) -> Self {
        self.voxel_size = Some(voxel_size);
        self
    }
}
