//! What an in-place conversion visits and may do, and why it cannot start.

#[cfg(feature = "ome")]
use std::collections::BTreeMap;

use thiserror::Error;
use zarrs::node::NodePathError;
use zarrs_storage::StorePrefixError;

use super::outcome::SkipReason;
use crate::n5::dimension_order::DimensionOrder;
#[cfg(feature = "ome")]
use crate::n5::multiscale::VoxelSize;
use crate::n5::walk::{WalkError, WalkOptions};

/// What an in-place conversion visits and may do. The default is the whole hierarchy, writing,
/// without overwriting.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "ome",
    expect(clippy::struct_excessive_bools, reason = "each is an option by itself")
)]
pub struct InPlaceOptions {
    pub(super) node_path: String,
    pub(super) recursive: bool,
    pub(super) dry_run: bool,
    pub(super) overwrite: bool,
    pub(super) dimension_order: DimensionOrder,
    #[cfg(feature = "ome")]
    pub(super) ome: bool,
    /// By the number of the setup.
    #[cfg(feature = "ome")]
    pub(super) voxel_sizes: BTreeMap<u32, VoxelSize>,
}

impl Default for InPlaceOptions {
    fn default() -> Self {
        Self {
            node_path: "/".to_owned(),
            recursive: true,
            dry_run: false,
            overwrite: false,
            dimension_order: DimensionOrder::AsStored,
            #[cfg(feature = "ome")]
            ome: false,
            #[cfg(feature = "ome")]
            voxel_sizes: BTreeMap::new(),
        }
    }
}

impl InPlaceOptions {
    /// The whole hierarchy, writing, without overwriting.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts at the node `node_path`, such as `/volumes/raw`, instead of the root `/`.
    #[must_use]
    pub fn with_node_path(mut self, node_path: impl Into<String>) -> Self {
        self.node_path = node_path.into();
        self
    }

    /// Sets whether the nodes below the first are converted too. A single node without a document
    /// is taken for a group, as it is not looked at what is below it.
    #[must_use]
    pub fn with_recursive(mut self, recursive: bool) -> Self {
        self.recursive = recursive;
        self
    }

    /// Sets whether to write nothing and only report.
    #[must_use]
    pub fn with_dry_run(mut self, dry_run: bool) -> Self {
        self.dry_run = dry_run;
        self
    }

    /// Sets whether a document that is there and says something else is replaced.
    #[must_use]
    pub fn with_overwrite(mut self, overwrite: bool) -> Self {
        self.overwrite = overwrite;
        self
    }

    /// Sets the order of the dimensions in the `zarr.json` of arrays, as stored by default.
    ///
    /// With [`DimensionOrder::Reversed`] shape, chunk shape and `dimension_names` are those of N5
    /// backwards, (z, y, x) for (x, y, z), and published extensions say so: chunk keys by
    /// `template` (`{2}/{1}/{0}`), and the codecs `transpose` and `n5_default`. Attributes stay as
    /// they are, vectors such as `resolution` too. Arrays of less than two dimensions have but one
    /// order. The way back to N5 knows both orders by themselves, whatever is set here.
    ///
    /// A `zarr.json` that is there in the other order is skipped as
    /// [`OtherOrder`](crate::n5::SkipReason::OtherOrder) unless
    /// [overwriting](Self::with_overwrite) is allowed.
    #[must_use]
    pub fn with_dimension_order(mut self, order: DimensionOrder) -> Self {
        self.dimension_order = order;
        self
    }

    /// Sets whether groups that are recognised as a [pyramid](crate::n5::multiscale) get the
    /// metadata of OME-Zarr 0.5, and their arrays `dimension_names`, in the
    /// [order](Self::with_dimension_order) that the arrays have.
    ///
    /// The attribute `ome` takes the place of `multiscales` in the `zarr.json` of the group;
    /// `attributes.json` keeps the latter. What became of each pyramid is in
    /// [`InPlaceReport::pyramids`](crate::n5::InPlaceReport::pyramids): those whose axes have no
    /// names, or no order that OME-Zarr allows, get none. A `zarr.json` that says the same but for
    /// this is replaced; one with another `ome` or other names only with
    /// [overwriting](Self::with_overwrite). On the way back to N5, neither goes to an
    /// `attributes.json` that is there and has none, but names do as `axes`.
    ///
    /// A group above the [first node](Self::with_node_path) is not written to: to change the order
    /// of arrays, begin at their group.
    ///
    /// All documents of the hierarchy are read once more, beforehand, from the root on. The way to
    /// N5 does not ask for this.
    #[cfg(feature = "ome")]
    #[must_use]
    pub fn with_ome(mut self, ome: bool) -> Self {
        self.ome = ome;
        self
    }

    /// Sets the sizes of the voxels of BigDataViewer's setups, by the number `N` of `setupN`, for
    /// [`with_ome`](Self::with_ome). They count instead of what the attributes say.
    ///
    /// BigDataViewer writes them to the XML beside the container alone, of which
    /// [`bdv_voxel_sizes`](crate::n5::multiscale::bdv_voxel_sizes) gets them. A setup that is not
    /// among them has what the attributes say, and its [report](crate::n5::PyramidReport) a note if
    /// that is nothing.
    #[cfg(feature = "ome")]
    #[must_use]
    pub fn with_bdv_voxel_sizes(
        mut self,
        sizes: impl IntoIterator<Item = (u32, VoxelSize)>,
    ) -> Self {
        self.voxel_sizes = sizes.into_iter().collect();
        self
    }

    /// The walk through the nodes to convert.
    pub(super) fn walk(&self) -> WalkOptions {
        WalkOptions::new()
            .with_node_path(self.node_path.clone())
            .with_recursive(self.recursive)
    }
}

/// Why an in-place conversion could not start. What goes wrong with a single node is in the report
/// instead.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum InPlaceError {
    /// The node path is not one, such as a path without a `/` at its beginning or with one at its
    /// end.
    #[error("cannot convert in place: {0}; a node path looks like `/` or `/volumes/raw`")]
    InvalidNodePath(#[from] NodePathError),
    /// The node path is not a valid store prefix.
    #[error("cannot convert in place: {0}")]
    InvalidStorePrefix(#[from] StorePrefixError),
    /// There is nothing at the node path.
    #[error(
        "cannot convert in place: there is nothing at {node_path}; check the path of the store and the node"
    )]
    NoSuchNode {
        /// The path of the node.
        node_path: String,
    },
    /// There is something at the node path, but no N5.
    #[error(
        "cannot convert in place: expected N5, and found no attributes.json at {node_path} or \
         below it; check the path of the store and the node; nothing was written"
    )]
    NothingOfN5 {
        /// The path of the node.
        node_path: String,
    },
    /// There are arrays of Zarr, and none can be N5; nor is there any N5 yet.
    #[error(
        "cannot convert in place: none of the arrays at {node_path} or below it can be N5; \
         {array_path}: {source}; nothing was written"
    )]
    NothingForN5 {
        /// The path of the node.
        node_path: String,
        /// The path of the first array.
        array_path: String,
        /// Why it cannot be N5.
        source: SkipReason,
    },
}

impl From<WalkError> for InPlaceError {
    fn from(error: WalkError) -> Self {
        match error {
            WalkError::InvalidNodePath(source) => Self::InvalidNodePath(source),
            WalkError::InvalidStorePrefix(source) => Self::InvalidStorePrefix(source),
            WalkError::NoSuchNode { node_path } => Self::NoSuchNode { node_path },
        }
    }
}
