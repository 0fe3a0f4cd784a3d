use thiserror::Error;
use zarrs::array::ElementError;
use zarrs_codec::CodecError;
use zarrs_storage::StoreKey;

use crate::n5::error_text::shown;

/// Why a region cannot be read.
///
/// `array` is the path of the array. Shapes and positions list dimension 0 first.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RegionError {
    /// The array-to-bytes codec is another one.
    #[error(
        "array {array}: the array-to-bytes codec is `{found}`: expected `n5_default`; read this \
         array with `Array::retrieve_array_subset`"
    )]
    Codec {
        /// The path of the array.
        array: String,
        /// The name of its codec.
        found: String,
    },
    /// There are more codecs than `n5_default`.
    #[error(
        "array {array}: `{found}` stands beside the codec `n5_default`: expected no other; read \
         this array with `Array::retrieve_array_subset`"
    )]
    OtherCodec {
        /// The path of the array.
        array: String,
        /// The name of the other codec.
        found: String,
    },
    /// The chunk grid is another one.
    #[error(
        "array {array}: the chunk grid is `{found}`: expected `regular` or \
         `zarrs.regular_bounded`; read this array with `Array::retrieve_array_subset`"
    )]
    ChunkGrid {
        /// The path of the array.
        array: String,
        /// The name of its chunk grid.
        found: String,
    },
    /// The array has a storage transformer.
    #[error(
        "array {array}: the storage transformer `{found}` changes what is stored: expected none; \
         read this array with `Array::retrieve_array_subset`"
    )]
    StorageTransformer {
        /// The path of the array.
        array: String,
        /// The name of the first storage transformer.
        found: String,
    },
    /// The codec does not fit the chunks, the data type or the fill value of the array.
    #[error("array {array}: {source}")]
    Chunk {
        /// The path of the array.
        array: String,
        /// What does not fit.
        source: Box<CodecError>,
    },
    /// The elements to read have another type than those of the array.
    #[error("array {array}: cannot read its data type {data_type} as {found}: {source}")]
    Element {
        /// The path of the array.
        array: String,
        /// The data type of the array.
        data_type: String,
        /// The type of the elements to read.
        found: &'static str,
        /// What zarrs says about it.
        source: ElementError,
    },
    /// The region has another number of dimensions than the array.
    #[error("array {array}: the region has {found} dimensions: expected {expected}")]
    Dimensionality {
        /// The path of the array.
        array: String,
        /// The number of dimensions of the array.
        expected: usize,
        /// The number of dimensions of the region.
        found: usize,
    },
    /// The region reaches beyond the array.
    #[error(
        "array {array}: the region from {} of shape {} reaches beyond the array of shape {}: \
         regions are in the order of the array's own dimensions",
        shown(start),
        shown(shape),
        shown(array_shape)
    )]
    OutOfBounds {
        /// The path of the array.
        array: String,
        /// The first element of the region.
        start: Vec<u64>,
        /// The shape of the region.
        shape: Vec<u64>,
        /// The shape of the array.
        array_shape: Vec<u64>,
    },
    /// The output has another number of elements than the region.
    #[error(
        "array {array}: the output has {found} elements: expected {expected}, as the region has"
    )]
    OutputLen {
        /// The path of the array.
        array: String,
        /// The number of elements of the region.
        expected: usize,
        /// The number of elements of the output.
        found: usize,
    },
    /// There is not so much memory.
    #[error(
        "array {array}: a region of shape {} with {element_size} bytes per element does not fit in \
         memory; read it in parts",
        shown(shape)
    )]
    Memory {
        /// The path of the array.
        array: String,
        /// The shape of the region.
        shape: Vec<u64>,
        /// The size of an element in bytes.
        element_size: usize,
    },
    /// A block cannot be read.
    #[error(transparent)]
    Block(#[from] Box<BlockFailure>),
}

/// A block that cannot be read, and why.
#[derive(Debug, Error)]
#[error("array {array}: block {} at key {key}: {reason}", shown(position))]
#[non_exhaustive]
pub struct BlockFailure {
    /// The path of the array.
    pub array: String,
    /// The position of the block in the grid of blocks, dimension 0 first.
    pub position: Vec<u64>,
    /// The key of the block in the store.
    pub key: StoreKey,
    /// What is wrong.
    #[source]
    pub reason: BlockFailureReason,
}

/// What is wrong with a block.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BlockFailureReason {
    /// There is no block, and [`MissingBlocks::Error`](super::MissingBlocks::Error) was asked for.
    #[error("there is no block: expected one, as missing blocks were to be errors")]
    Missing,
    /// The store cannot read the block, or it is no valid block of this array.
    #[error(transparent)]
    Unreadable(#[from] CodecError),
}
