//! What [`N5DefaultStore`](super::N5DefaultStore) can be told.

use crate::n5::convert::{ChunkGrid, Presentation, ZarrOptions};
use crate::n5::dimension_order::DimensionOrder;

/// What [`N5DefaultStore`](super::N5DefaultStore) gives for a node whose `attributes.json` cannot
/// be shown as `zarr.json`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unconvertible {
    /// Reading its `zarr.json` is an error that names the node and the reason. zarrs's own walk
    /// over the hierarchy ends there.
    #[default]
    Error,
    /// Its `zarr.json` is absent and not listed, as if the node was not there, and a warning is
    /// logged. A walk goes on with the next node. Listing reads each `attributes.json` to find out.
    Hidden,
}

/// The options of a store.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Options {
    pub(super) chunk_grid: ChunkGrid,
    pub(super) dimension_order: DimensionOrder,
    pub(super) unconvertible: Unconvertible,
    pub(super) empty_blocks_missing: bool,
}

impl Options {
    /// How datasets are shown.
    pub(super) fn shown(self) -> ZarrOptions<'static> {
        ZarrOptions {
            grid: self.chunk_grid,
            presentation: Presentation::view(self.dimension_order),
            ..ZarrOptions::default()
        }
    }
}
