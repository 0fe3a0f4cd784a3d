use std::collections::TryReserveError;
use std::sync::Arc;

use thiserror::Error;
use zarrs_codec::CodecError;
use zarrs_storage::StoreKey;

use crate::n5::block::{BlockHeaderError, MAX_BLOCK_BYTES};
use crate::n5::compression::{CompressionError, PayloadError};
use crate::n5::error_text::{counted, shown};
use crate::n5::reorder::ReorderError;

/// Why a block cannot be decoded or a chunk cannot be encoded.
///
/// Shapes are in elements, dimension 0 first. No caller holds it: zarrs hands the text on as
/// [`CodecError::Other`].
#[derive(Debug, Error)]
pub(super) enum N5DefaultCodecError {
    /// The same, of a block whose key is known.
    #[error(
        "key `{key}`: {source}; restore the block from where it came from, or erase the key to \
         read it as the fill value"
    )]
    OfBlock {
        /// The key of the block in the store: the path of the array and the position in its grid.
        key: StoreKey,
        /// What is wrong with the block.
        source: Box<Self>,
    },
    /// The header is malformed, or the shape cannot be written as one.
    #[error("N5 block: {0}")]
    Header(#[from] BlockHeaderError),
    /// The block is in a mode that Zarr has no array for.
    #[error(
        "N5 block: the block mode is {found}: expected 0 (default); blocks in varlength (1) or \
         object (2) mode hold serialised objects, which have no place in a Zarr array"
    )]
    UnsupportedMode {
        /// The mode in the header.
        found: u16,
    },
    /// The block has another number of dimensions than the array.
    #[error(
        "N5 block: the header states {} {}: expected {expected}, as the array has; the block \
         belongs to another dataset or attributes.json was changed",
        counted(found.len(), "dimension", "dimensions"),
        shown(found)
    )]
    BlockDimensionality {
        /// The number of dimensions of the array.
        expected: usize,
        /// The shape in the header.
        found: Vec<u32>,
    },
    /// A part of the block was read, and then the store had none.
    #[error(
        "N5 block: it vanished while it was read: a part of it was there, and then there was no \
         such key; it is erased or replaced at the same time, so read again"
    )]
    Vanished,
    /// The length of a raw payload is not what the header promises.
    #[error(
        "N5 block: the payload of a raw block of shape {} with {} per element has {}: \
         expected {expected}; the file was cut short, written to twice, or is compressed",
        shown(shape),
        counted(*element_size, "byte", "bytes"),
        counted(*found, "byte", "bytes")
    )]
    PayloadSize {
        /// The shape in the header.
        shape: Vec<u32>,
        /// The size of an element in bytes.
        element_size: usize,
        /// The number of bytes that the shape needs.
        expected: usize,
        /// The number of bytes behind the header.
        found: usize,
    },
    /// The payload cannot be decompressed, or the elements cannot be compressed.
    #[error("N5 block: {0}")]
    Payload(#[from] PayloadError),
    /// N5 has no such compression, so that no N5 reader could read what would be written.
    #[error("n5_default: cannot write blocks that N5 has no `compression` for: {source}")]
    NotN5Compression {
        /// What N5 cannot express.
        source: Arc<CompressionError>,
    },
    /// N5 has no such data type.
    #[error(
        "n5_default: the data type `{found}` is not supported: N5 has u?int8, 16, 32, 64 and \
         float32, 64"
    )]
    DataType {
        /// The Zarr name of the data type.
        found: String,
    },
    /// The configuration was made for another number of dimensions.
    #[error(
        "n5_default: the `transpose` order is for {}: expected {expected}, as the array has",
        counted(*found, "dimension", "dimensions")
    )]
    TransposeDimensionality {
        /// The number of dimensions of the array.
        expected: usize,
        /// The length of the order.
        found: usize,
    },
    /// The configuration leaves open how elements of several bytes are stored.
    #[error(
        "n5_default: the `bytes` codec has no `endian`: expected \"big\" for the data type \
         {data_type}"
    )]
    EndianMissing {
        /// The name of the data type.
        data_type: &'static str,
    },
    /// The fill value is not one element.
    #[error(
        "n5_default: the fill value has {}: expected {expected}",
        counted(*found, "byte", "bytes")
    )]
    FillValueSize {
        /// The size of an element in bytes.
        expected: usize,
        /// The size of the fill value in bytes.
        found: usize,
    },
    /// The chunk cannot be an N5 block.
    #[error(
        "n5_default: a chunk of shape {} with {} per element is over N5's limit of {} bytes; \
         choose a smaller block size",
        shown(shape),
        counted(*element_size, "byte", "bytes"),
        MAX_BLOCK_BYTES
    )]
    ChunkTooLarge {
        /// The shape of the chunk.
        shape: Vec<u64>,
        /// The size of an element in bytes.
        element_size: usize,
    },
    /// The elements to encode do not fill the chunk, or a target to decode into is not of its size.
    #[error(
        "n5_default: the chunk has {}: expected {expected}",
        counted(*found, "byte", "bytes")
    )]
    ChunkSize {
        /// The number of bytes that the shape of the chunk needs.
        expected: usize,
        /// The number of bytes given.
        found: usize,
    },
    /// The changed block is shorter than the one that is there.
    #[error(
        "n5_default: the changed block takes {} where {} are stored, and a partial write cannot \
         shorten them; store the whole chunk instead",
        counted(*found, "byte", "bytes"),
        expected
    )]
    CannotShorten {
        /// The size in bytes of the block that is there.
        expected: usize,
        /// The size in bytes of the changed one.
        found: usize,
    },
    /// There is no memory for the elements of a chunk.
    #[error("n5_default: there is no memory for the elements of the chunk: {0}")]
    Memory(#[from] TryReserveError),
    /// The elements cannot be brought into the other order.
    #[error("N5 block: {0}")]
    Reorder(#[from] ReorderError),
}

impl N5DefaultCodecError {
    /// The error with the key of its block, if that is known.
    pub(super) fn of_block(self, key: Option<StoreKey>) -> Self {
        match (self, key) {
            (error @ Self::OfBlock { .. }, _) | (error, None) => error,
            (error, Some(key)) => Self::OfBlock {
                key,
                source: Box::new(error),
            },
        }
    }
}

impl N5DefaultCodecError {
    /// The error without the key of its block, for who names that himself.
    pub(super) fn without_key(self) -> Self {
        match self {
            Self::OfBlock { source, .. } => *source,
            error => error,
        }
    }
}

impl From<N5DefaultCodecError> for CodecError {
    fn from(error: N5DefaultCodecError) -> Self {
        Self::Other(error.to_string())
    }
}
