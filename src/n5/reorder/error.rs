//! What the reordering loop refuses.

/// Why elements cannot be reordered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ReorderError {
    /// The block, the start and the shape of the region have different numbers of dimensions.
    #[error(
        "a block of {block} dimensions cannot be read from a start of {start} and a shape of \
         {region} dimensions: give all three for the same dataset"
    )]
    Dimensionality {
        /// Dimensions of the block.
        block: usize,
        /// Dimensions of the start of the region.
        start: usize,
        /// Dimensions of the shape of the region.
        region: usize,
    },
    /// Boxes that do not follow each other along one dimension.
    #[error(
        "a box of {found:?} (dimension 0 first) cannot follow one of {expected:?} along dimension \
         {dimension}: they may differ there only"
    )]
    Row {
        /// The dimension along which they were to follow each other.
        dimension: usize,
        /// The shape of the first box in elements, dimension 0 first.
        expected: Vec<usize>,
        /// The shape of the other box.
        found: Vec<usize>,
    },
    /// Elements of this size are not numbers of N5.
    #[error("elements of {found} bytes cannot be reordered: N5 numbers have 1, 2, 4 or 8 bytes")]
    ElementSize {
        /// Bytes of one element.
        found: usize,
    },
    /// The size of a shape in bytes overflows.
    #[error(
        "shape {shape:?} (dimension 0 first) with elements of {element_size} bytes is larger than \
         memory can be: check the block size"
    )]
    TooLarge {
        /// The shape in elements, dimension 0 first.
        shape: Vec<usize>,
        /// Bytes of one element.
        element_size: usize,
    },
    /// The size of a buffer is not what its shape needs.
    #[error(
        "the {side} of shape {shape:?} (dimension 0 first) with elements of {element_size} bytes \
         takes {expected} bytes, but {found} were given"
    )]
    Length {
        /// Which of the two buffers.
        side: Side,
        /// Its shape in elements, dimension 0 first.
        shape: Vec<usize>,
        /// Bytes of one element.
        element_size: usize,
        /// The bytes that the shape needs.
        expected: usize,
        /// The bytes that were given.
        found: usize,
    },
}

/// One of the two buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Big-endian, dimension 0 fastest.
    Payload,
    /// Native-endian, in C order.
    Array,
}

impl std::fmt::Display for Side {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Side::Payload => "N5 payload",
            Side::Array => "array in C order",
        })
    }
}
