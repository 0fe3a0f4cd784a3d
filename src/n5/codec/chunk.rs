use std::num::NonZeroU64;

use zarrs_chunk_grid::{Indexer, IndexerError};
use zarrs_codec::CodecError;
use zarrs_data_type::{DataType, FillValue};
use zarrs_plugin::{ExtensionName, ZarrVersion};

use super::N5DefaultCodec;
use super::error::N5DefaultCodecError;
use super::region::Region;
use crate::n5::block::{block_bytes, default_header_size};
use crate::n5::data_type::N5DataType;
use crate::n5::dimension_order::DimensionOrder;

/// The chunk that zarrs asks for, with all that can be wrong about it checked.
#[derive(Clone, Debug)]
pub(super) struct Chunk {
    /// In elements, dimension 0 first, in whichever order zarrs has the dimensions.
    pub(super) shape: Vec<usize>,
    /// The order that zarrs has the dimensions in.
    pub(super) order: DimensionOrder,
    pub(super) data_type: DataType,
    /// In bytes.
    pub(super) element_size: usize,
    /// One element in native byte order.
    pub(super) fill_value: FillValue,
    /// Of all elements, in bytes.
    pub(super) size: usize,
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
        let (shape, size) = checked_shape(shape, element_size).ok_or_else(|| {
            N5DefaultCodecError::ChunkTooLarge {
                shape: shape.iter().map(|len| len.get()).collect(),
                element_size,
            }
        })?;
        Ok(Self {
            shape: codec.order.between(shape),
            order: codec.order,
            data_type: data_type.clone(),
            element_size,
            fill_value: fill_value.clone(),
            size,
        })
    }

    /// A chunk of another shape, alike in all else. `shape` is in elements, dimension 0 first.
    pub(super) fn resized(&self, shape: Vec<usize>) -> Result<Self, N5DefaultCodecError> {
        let lens: Vec<u64> = shape.iter().map(|&len| len as u64).collect();
        match block_bytes(&lens, self.element_size) {
            Some(size) => Ok(Self {
                shape,
                size,
                ..self.clone()
            }),
            None => Err(N5DefaultCodecError::ChunkTooLarge {
                shape: lens,
                element_size: self.element_size,
            }),
        }
    }

    /// Checks the size in bytes of the elements to encode.
    pub(super) fn check_size(&self, found: usize) -> Result<(), N5DefaultCodecError> {
        if found == self.size {
            return Ok(());
        }
        Err(N5DefaultCodecError::ChunkSize {
            expected: self.size,
            found,
        })
    }

    /// The region that `indexer` means; `None` if it is not a box.
    pub(super) fn region(&self, indexer: &dyn Indexer) -> Result<Option<Region>, CodecError> {
        let (expected, found) = (self.shape.len(), indexer.dimensionality());
        if found != expected {
            return Err(IndexerError::new_incompatible_dimensionality(found, expected).into());
        }
        let Some(subset) = indexer.as_array_subset() else {
            return Ok(None);
        };
        let chunk_shape = self.array_shape();
        if !subset.inbounds_shape(&chunk_shape) {
            return Err(IndexerError::new_oob(subset.end_exc(), chunk_shape).into());
        }
        // Within the chunk, whose shape fits.
        let to_usize = |values: &[u64]| {
            values
                .iter()
                .map(|&value| usize::try_from(value).unwrap_or(usize::MAX))
                .collect::<Vec<_>>()
        };
        Ok(Some(Region {
            start: self.order.between(to_usize(&subset.start())),
            shape: self.order.between(to_usize(&subset.shape())),
        }))
    }

    /// The region that is the whole chunk.
    pub(super) fn whole(&self) -> Region {
        Region {
            start: vec![0; self.shape.len()],
            shape: self.shape.clone(),
        }
    }

    /// The shape as zarrs has it: its type, and its order of the dimensions.
    pub(super) fn array_shape(&self) -> Vec<u64> {
        self.order.between(self.shape_u64())
    }

    /// The shape in the type that headers are made of, dimension 0 first.
    pub(super) fn shape_u64(&self) -> Vec<u64> {
        self.shape.iter().map(|&len| len as u64).collect()
    }

    /// The size in bytes of the header of its blocks.
    pub(super) fn header_size(&self) -> u64 {
        default_header_size(self.shape.len()) as u64
    }
}

/// The shape as `usize` and the size in bytes; `None` over N5's limit.
fn checked_shape(shape: &[NonZeroU64], element_size: usize) -> Option<(Vec<usize>, usize)> {
    let size = block_bytes(shape, element_size)?;
    let shape = shape
        .iter()
        .map(|len| usize::try_from(len.get()).ok())
        .collect::<Option<_>>()?;
    Some((shape, size))
}
