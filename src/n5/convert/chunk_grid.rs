//! [`ChunkGrid`]: which chunk grid a dataset has as a Zarr array.

use serde_json::{Map, Value};
use zarrs_metadata::v3::MetadataV3;

/// The member of both grids' configuration.
pub(super) const CHUNK_SHAPE: &str = "chunk_shape";

/// Which chunk grid the `zarr.json` made from an N5 dataset has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChunkGrid {
    /// `zarrs.regular_bounded`: the chunks at the edge end with the array, as the blocks of most N5
    /// writers do.
    #[default]
    RegularBounded,
    /// `regular`: every chunk has the same shape. Other Zarr readers than `zarrs` know this one
    /// only.
    Regular,
}

impl ChunkGrid {
    /// The name in `zarr.json`.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::RegularBounded => "zarrs.regular_bounded",
            Self::Regular => "regular",
        }
    }

    /// The grid of this name.
    pub(super) fn of_name(name: &str) -> Option<Self> {
        [Self::RegularBounded, Self::Regular]
            .into_iter()
            .find(|grid| grid.name() == name)
    }

    /// The chunk grid of blocks of `block_size` elements, dimension 0 first.
    pub(crate) fn metadata(self, block_size: &[u32]) -> MetadataV3 {
        let configuration = Map::from_iter([(CHUNK_SHAPE.to_owned(), Value::from(block_size))]);
        MetadataV3::new_with_configuration(self.name(), configuration)
    }
}
