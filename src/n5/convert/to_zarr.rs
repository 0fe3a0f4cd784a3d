//! `attributes.json`, said as Zarr V3 metadata.

use serde_json::{Map, Value};
use zarrs_metadata::v3::{ArrayMetadataV3, FillValueMetadataV3, GroupMetadataV3, MetadataV3};

use super::ChunkGrid;
use super::codec::codec_metadata;
use crate::n5::attributes::{DatasetAttributes, GroupAttributes};
use crate::n5::compression::CompressionError;

/// Metadata with a configuration of one member.
fn with_member(name: &str, member: &str, value: Value) -> MetadataV3 {
    let configuration = Map::from_iter([(member.to_owned(), value)]);
    MetadataV3::new_with_configuration(name, configuration)
}

impl ChunkGrid {
    /// The chunk grid of blocks of `block_size` elements, dimension 0 first.
    pub(crate) fn metadata(self, block_size: &[u32]) -> MetadataV3 {
        let name = match self {
            Self::RegularBounded => "zarrs.regular_bounded",
            Self::Regular => "regular",
        };
        with_member(name, "chunk_shape", block_size.into())
    }
}

/// The keys of N5 blocks.
fn chunk_key_encoding() -> MetadataV3 {
    with_member("v2", "separator", "/".into())
}

impl DatasetAttributes {
    /// The metadata of the Zarr array that reads this dataset. Its shape is `dimensions`, in the same order.
    ///
    /// # Errors
    /// [`CompressionError`] if the compression needs a feature of this crate that is off.
    pub fn to_array_metadata(&self, grid: ChunkGrid) -> Result<ArrayMetadataV3, CompressionError> {
        let ndim = self.dimensions().len();
        let codec = codec_metadata(ndim, self.data_type(), self.compression())?;
        let metadata = ArrayMetadataV3::new(
            self.dimensions().to_vec(),
            grid.metadata(self.block_size()),
            MetadataV3::new(self.data_type().name()),
            FillValueMetadataV3::Number(0.into()),
            vec![codec],
        );
        Ok(metadata
            .with_chunk_key_encoding(chunk_key_encoding())
            .with_dimension_names(self.axes())
            .with_attributes(self.attributes()))
    }
}

impl GroupAttributes {
    /// The metadata of the Zarr group with the same attributes.
    #[must_use]
    pub fn to_group_metadata(&self) -> GroupMetadataV3 {
        GroupMetadataV3::new().with_attributes(self.attributes().clone())
    }
}
