use thiserror::Error;

use super::limit::MAX_BLOCK_BYTES;
use crate::n5::error_text::{counted, shown};

/// Why bytes are not the header of an N5 block, or a shape cannot be written as one.
///
/// Axes are counted from 0 in N5's order (the one of `dimensions`).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BlockHeaderError {
    /// The bytes end before the header does.
    #[error(
        "the block ends within its header: expected at least {}, found {found}; \
         the file was cut short or is not an N5 block",
        counted(*expected, "byte", "bytes")
    )]
    Truncated {
        /// The number of bytes that the part of the header read so far asks for.
        expected: usize,
        /// The number of bytes of the whole block.
        found: usize,
    },
    /// The mode is not defined by N5.
    #[error(
        "unknown N5 block mode {found}: expected 0 (default), 1 (varlength) or 2 (object); \
         the file is not an N5 block"
    )]
    UnknownMode {
        /// The mode in the header.
        found: u16,
    },
    /// The block has no dimension.
    #[error("the block has 0 dimensions: expected at least 1")]
    NoDimensions,
    /// The shape has more dimensions than the header can count.
    #[error("the block has {found} dimensions: an N5 block has at most 65535")]
    TooManyDimensions {
        /// The number of dimensions.
        found: usize,
    },
    /// A dimension is zero.
    #[error(
        "dimension {axis} of the block shape {} is 0: expected at least 1 element",
        shown(shape)
    )]
    EmptyDimension {
        /// The dimension, counted from 0.
        axis: usize,
        /// The shape in elements, dimension 0 first.
        shape: Vec<u32>,
    },
    /// A dimension does not fit into 32 bits.
    #[error(
        "dimension {axis} of the block has {found} elements: an N5 block has at most 4294967295 \
         per dimension"
    )]
    DimensionTooLarge {
        /// The dimension, counted from 0.
        axis: usize,
        /// Its size in elements.
        found: u64,
    },
    /// The elements of the block take more bytes than N5 can hold.
    #[error(
        "a block of shape {} with {} per element is over N5's limit of {} bytes",
        shown(shape),
        counted(*element_size, "byte", "bytes"),
        MAX_BLOCK_BYTES
    )]
    BlockTooLarge {
        /// The shape in elements, dimension 0 first.
        shape: Vec<u32>,
        /// The size of an element in bytes.
        element_size: usize,
    },
}
