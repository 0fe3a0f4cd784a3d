use std::num::NonZeroU64;

use zarrs_chunk_grid::{Indexer, IndexerError};
use zarrs_codec::CodecError;
use zarrs_data_type::{DataType, FillValue};
use zarrs_plugin::{ExtensionName, ZarrVersion};
use zarrs_storage::byte_range::ByteRange;

use super::{N5DefaultCodec, N5DefaultCodecError};
use crate::n5::N5DataType;
use crate::n5::block::{MAX_BLOCK_BYTES, default_header_size};

/// The chunk that zarrs asks for, with all that can be wrong about it checked.
#[derive(Clone, Debug)]
pub(super) struct Chunk {
    /// In elements, dimension 0 first.
    pub(super) shape: Vec<usize>,
    pub(super) element_size: usize,
    /// One element in native byte order.
    pub(super) fill_value: FillValue,
    /// Of all elements.
    pub(super) byte_size: usize,
}

impl Chunk {
    pub(super) fn new(
        codec: &N5DefaultCodec,
        shape: &[NonZeroU64],
        data_type: &DataType,
        fill_value: &FillValue,
    ) -> Result<Self, N5DefaultCodecError> {
        let n5_data_type =
            N5DataType::from_zarr(data_type).ok_or_else(|| N5DefaultCodecError::DataType {
                found: data_type
                    .name(ZarrVersion::V3)
                    .map_or_else(|| format!("{data_type:?}"), Into::into),
            })?;
        let element_size = n5_data_type.size();
        if shape.len() != codec.dimensionality {
            return Err(N5DefaultCodecError::TransposeDimensionality {
                expected: shape.len(),
                found: codec.dimensionality,
            });
        }
        if element_size > 1 && !codec.has_endian {
            return Err(N5DefaultCodecError::EndianMissing {
                data_type: n5_data_type.name(),
            });
        }
        if fill_value.size() != element_size {
            return Err(N5DefaultCodecError::FillValueSize {
                expected: element_size,
                found: fill_value.size(),
            });
        }
        let (shape, byte_size) = checked_shape(shape, element_size).ok_or_else(|| {
            N5DefaultCodecError::ChunkTooLarge {
                shape: shape.iter().map(|size| size.get()).collect(),
                element_size,
            }
        })?;
        Ok(Self {
            shape,
            element_size,
            fill_value: fill_value.clone(),
            byte_size,
        })
    }

    pub(super) fn check_size(&self, found: usize) -> Result<(), N5DefaultCodecError> {
        if found == self.byte_size {
            return Ok(());
        }
        Err(N5DefaultCodecError::ChunkSize {
            expected: self.byte_size,
            found,
        })
    }

    /// The region that `indexer` means; `None` if it is not a box.
    pub(super) fn region(&self, indexer: &dyn Indexer) -> Result<Option<Region>, CodecError> {
        let rank = self.shape.len();
        if indexer.dimensionality() != rank {
            let error =
                IndexerError::new_incompatible_dimensionality(indexer.dimensionality(), rank);
            return Err(error.into());
        }
        let Some(subset) = indexer.as_array_subset() else {
            return Ok(None);
        };
        let chunk_shape = self.shape_u64();
        if !subset.inbounds_shape(&chunk_shape) {
            return Err(IndexerError::new_oob(subset.end_exc(), chunk_shape).into());
        }
        // Within the chunk, whose shape fits.
        let to_usize = |values: &[u64]| {
            values
                .iter()
                .map(|&value| usize::try_from(value).unwrap_or(usize::MAX))
                .collect()
        };
        Ok(Some(Region {
            start: to_usize(&subset.start()),
            shape: to_usize(&subset.shape()),
        }))
    }

    pub(super) fn shape_u64(&self) -> Vec<u64> {
        self.shape.iter().map(|&size| size as u64).collect()
    }

    pub(super) fn header_range(&self) -> ByteRange {
        ByteRange::FromStart(0, Some(self.header_size()))
    }

    pub(super) fn header_size(&self) -> u64 {
        default_header_size(self.shape.len()) as u64
    }

    /// The region that is the whole chunk.
    pub(super) fn whole(&self) -> Region {
        Region {
            start: vec![0; self.shape.len()],
            shape: self.shape.clone(),
        }
    }
}

/// The shape as `usize` and the size in bytes; `None` over N5's limit.
fn checked_shape(shape: &[NonZeroU64], element_size: usize) -> Option<(Vec<usize>, usize)> {
    let byte_size = shape
        .iter()
        .try_fold(element_size as u64, |size, dimension| {
            size.checked_mul(dimension.get())
        })
        .filter(|&size| size <= MAX_BLOCK_BYTES)?;
    let shape = shape
        .iter()
        .map(|size| usize::try_from(size.get()).ok())
        .collect::<Option<_>>()?;
    Some((shape, usize::try_from(byte_size).ok()?))
}

/// A box of elements within a chunk, dimension 0 first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) start: Vec<usize>,
    pub(super) shape: Vec<usize>,
}

impl Region {
    pub(super) fn num_elements(&self) -> usize {
        self.shape.iter().product()
    }
}
