//! [`array_builder`]: the shortest way to a new N5 dataset.

use std::sync::Arc;

use thiserror::Error;
use zarrs::array::chunk_key_encoding::V2ChunkKeyEncoding;
use zarrs::array::{ArrayBuilder, ArrayShape};
use zarrs_metadata::v3::MetadataV3;

use super::codec::{N5DefaultCodec, N5DefaultCodecConfiguration, N5DefaultConfigurationError};
use super::compression::{Compression, CompressionError};
use super::convert::ChunkGrid;
use super::data_type::{DataTypeError, N5DataType};
use super::shape::{ShapeError, check_shape};

/// Why there is no N5 dataset of this kind.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ArrayBuilderError {
    /// N5 cannot hold the shape or the block size.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// N5 cannot hold the data type.
    #[error(transparent)]
    DataType(#[from] DataTypeError),
    /// The compression needs a feature of this crate that is off.
    #[error(transparent)]
    Compression(#[from] CompressionError),
    /// `zarrs` cannot make the codec.
    #[error(transparent)]
    Codec(#[from] N5DefaultConfigurationError),
}

/// Makes an array builder with all that makes an array an N5 dataset: the codec `n5_default`, the
/// keys of N5 blocks, the fill value 0, and the chunk grid `zarrs.regular_bounded`, whose chunks
/// end with the array as Java's blocks do.
///
/// `shape` and `block_size` are in elements, dimension 0 first (N5's order, and that of the Zarr
/// shape). The data type is an [`N5DataType`], a [`DataType`](zarrs::array::DataType) of `zarrs`,
/// or a name.
///
/// Build the array on an [`N5DefaultStore`](crate::n5) to write `attributes.json`. On any other
/// store its metadata is a `zarr.json`.
///
/// Example program: [`write_n5`](https://docs.rs/crate/zarrs_interop/latest/source/examples/write_n5.rs).
///
/// # Errors
/// [`ArrayBuilderError`] if N5 cannot hold the shape, the block size or the data type, or if the
/// compression needs a feature of this crate that is off.
///
/// # Example
/// ```
/// # use std::sync::Arc;
/// # use zarrs::{array::data_type, storage::store::MemoryStore};
/// use zarrs_interop::n5::{self, Compression};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let store = Arc::new(MemoryStore::new());
/// let uint16 = data_type::uint16();
/// let array = n5::array_builder([100, 80, 60], [64, 64, 64], uint16, &Compression::Raw)?
///     .dimension_names(Some(["x", "y", "z"]))
///     .build(store, "/volumes/raw")?;
/// assert_eq!(array.chunk_shape(&[1, 1, 0])?, [36, 16, 60].map(|n| n.try_into().unwrap()));
/// # Ok(())
/// # }
/// ```
pub fn array_builder(
    shape: impl Into<ArrayShape>,
    block_size: impl Into<ArrayShape>,
    data_type: impl TryInto<N5DataType, Error: Into<DataTypeError>>,
    compression: &Compression,
) -> Result<ArrayBuilder, ArrayBuilderError> {
    let shape = shape.into();
    let data_type = data_type.try_into().map_err(Into::into)?;
    let block_size = check_shape(&shape, &block_size.into(), data_type)?;
    let grid = ChunkGrid::RegularBounded.metadata(&block_size);
    let codec = block_codec(shape.len(), data_type, compression)?;

    let data_type = MetadataV3::new(data_type.name());
    let mut builder = ArrayBuilder::new(shape, grid, data_type, 0_u8);
    builder.chunk_key_encoding(V2ChunkKeyEncoding::new_slash());
    builder.array_to_bytes_codec(Arc::new(codec));
    Ok(builder)
}

/// The codec of the blocks of such a dataset.
pub(crate) fn block_codec(
    dimensionality: usize,
    data_type: N5DataType,
    compression: &Compression,
) -> Result<N5DefaultCodec, ArrayBuilderError> {
    let compressor = compression.to_codec_metadata(data_type)?;
    let configuration = N5DefaultCodecConfiguration::new(dimensionality, compressor);
    Ok(N5DefaultCodec::new_with_configuration(&configuration)?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use zarrs::array::data_type;

    use super::*;
    use crate::n5::attributes::N5Metadata;

    fn refused(
        shape: &[u64],
        block_size: &[u64],
        data_type: impl TryInto<N5DataType, Error: Into<DataTypeError>>,
    ) -> ArrayBuilderError {
        array_builder(shape, block_size, data_type, &Compression::Raw).unwrap_err()
    }

    #[test]
    fn the_array_is_the_one_that_attributes_json_describes() {
        for data_type in N5DataType::ALL {
            let built = array_builder([5, 3], [3, 2], data_type, &Compression::Raw)
                .unwrap()
                .build_metadata()
                .unwrap();
            let document = json!({
                "dimensions": [5, 3], "blockSize": [3, 2], "dataType": data_type.name(),
                "compression": {"type": "raw"}
            });
            let Ok(N5Metadata::Dataset(dataset)) =
                N5Metadata::parse(document.to_string().as_bytes(), "/")
            else {
                panic!("{document} is no dataset");
            };
            let mut read = dataset.to_array_metadata(ChunkGrid::default()).unwrap();
            // Floating point writes the same zero as 0.0.
            read.fill_value = built.fill_value.clone();
            assert_eq!(built, read);
            assert_eq!(built.fill_value.as_f64(), Some(0.0));
        }
    }

    #[test]
    fn a_data_type_is_given_in_any_form() {
        let uint16 = data_type::uint16();
        let metadata = [
            array_builder([5], [3], N5DataType::UInt16, &Compression::Raw),
            array_builder([5], [3], "uint16", &Compression::Raw),
            array_builder([5], [3], &uint16, &Compression::Raw),
            array_builder([5], [3], uint16, &Compression::Raw),
        ]
        .map(|builder| builder.unwrap().build_metadata().unwrap());
        for other in &metadata {
            assert_eq!(other, &metadata[0]);
        }
        assert_eq!(metadata[0].data_type.name(), "uint16");
    }

    #[test]
    fn a_data_type_that_n5_lacks_is_refused_by_name() {
        let error = refused(&[5], &[3], data_type::bool());
        assert!(error.to_string().contains("`bool`"), "{error}");
        let error = refused(&[5], &[3], "float16");
        assert!(error.to_string().contains("`float16`"), "{error}");
    }

    #[test]
    fn a_shape_that_n5_cannot_hold_is_refused() {
        for (shape, block_size, part) in [
            (&[][..], &[][..], "0 dimensions"),
            (&[5, 3], &[3], "expected 2"),
            (&[5, 3], &[3, 0], "0 in dimension 1"),
            (&[5], &[1 << 32], "4294967296 in dimension 0"),
            (&[5, 3], &[65536, 65536], "2147483648 bytes"),
        ] {
            let error = refused(shape, block_size, "uint8");
            assert!(matches!(error, ArrayBuilderError::Shape(_)));
            assert!(error.to_string().contains(part), "{error}");
        }
    }
}
