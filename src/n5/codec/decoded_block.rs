use std::borrow::Cow;

use zarrs_storage::Bytes;

use super::chunk::Chunk;
use super::error::N5DefaultCodecError;
use super::region::Region;
use crate::n5::reorder::{self, BlockBox};

/// A decompressed box of elements in N5's layout: big-endian, dimension 0 fastest.
///
/// It is a whole block or the part of one that was fetched.
#[derive(Debug)]
pub(super) struct DecodedBlock<'a> {
    /// In elements, dimension 0 first.
    pub(super) shape: Vec<usize>,
    memory: Memory<'a>,
    /// Where in `memory` the elements begin; before them is the header of a raw block.
    offset: usize,
}

/// The memory of a block.
#[derive(Debug)]
enum Memory<'a> {
    Borrowed(&'a [u8]),
    Owned(Vec<u8>),
    /// What the store handed out, or parts of it put together: no buffer for the next block.
    Stored(Bytes),
}

impl Memory<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Borrowed(bytes) => bytes,
            Self::Owned(bytes) => bytes,
            Self::Stored(bytes) => bytes,
        }
    }
}

impl<'a> From<Cow<'a, [u8]>> for Memory<'a> {
    fn from(bytes: Cow<'a, [u8]>) -> Self {
        match bytes {
            Cow::Borrowed(bytes) => Self::Borrowed(bytes),
            Cow::Owned(bytes) => Self::Owned(bytes),
        }
    }
}

impl<'a> DecodedBlock<'a> {
    /// A box of elements without a header.
    pub(super) fn from_elements(shape: Vec<usize>, elements: Cow<'a, [u8]>) -> Self {
        Self::behind_header(shape, elements, 0)
    }

    /// A raw block with its header of `offset` bytes.
    pub(super) fn behind_header(shape: Vec<usize>, block: Cow<'a, [u8]>, offset: usize) -> Self {
        Self {
            shape,
            memory: block.into(),
            offset,
        }
    }

    /// A box of elements without a header, made of what the store handed out.
    pub(super) const fn from_stored(shape: Vec<usize>, elements: Bytes) -> Self {
        Self {
            shape,
            memory: Memory::Stored(elements),
            offset: 0,
        }
    }

    pub(super) fn into_owned(self) -> DecodedBlock<'static> {
        let memory = match self.memory {
            Memory::Borrowed(bytes) => Memory::Owned(bytes.to_vec()),
            Memory::Owned(bytes) => Memory::Owned(bytes),
            Memory::Stored(bytes) => Memory::Stored(bytes),
        };
        DecodedBlock {
            shape: self.shape,
            memory,
            offset: self.offset,
        }
    }

    /// The same block, which was decompressed from `stored`, without borrowing from it.
    pub(super) fn keeping(self, stored: &Bytes) -> DecodedBlock<'static> {
        match self.memory {
            Memory::Borrowed(_) => DecodedBlock {
                shape: self.shape,
                memory: Memory::Stored(stored.clone()),
                offset: self.offset,
            },
            _ => self.into_owned(),
        }
    }

    /// The memory of the elements, to be used for the next block; `None` if it belongs to others.
    pub(super) fn into_buffer(self) -> Option<Vec<u8>> {
        match self.memory {
            Memory::Owned(bytes) => Some(bytes),
            Memory::Borrowed(_) | Memory::Stored(_) => None,
        }
    }

    /// Whether [`into_buffer`](Self::into_buffer) gives memory.
    pub(super) const fn has_buffer(&self) -> bool {
        matches!(self.memory, Memory::Owned(_))
    }

    /// The size in bytes of what it keeps in memory.
    pub(super) fn size_held(&self) -> usize {
        self.memory.bytes().len()
    }

    /// Writes `region` to `out` in C order of the chunk's dimensions, the fill value where the
    /// block does not reach.
    ///
    /// This is step 4 of the specification.
    pub(super) fn read(
        &self,
        region: &Region,
        chunk: &Chunk,
        out: &mut [u8],
    ) -> Result<(), N5DefaultCodecError> {
        reorder::decode_region(
            self.elements(),
            &self.shape,
            &region.start,
            &region.shape,
            chunk.fill_value.as_ne_bytes(),
            chunk.order,
            out,
        )?;
        Ok(())
    }

    /// The box `region`, to be written to its place in a larger array.
    pub(super) fn box_of<'b>(&'b self, region: &'b Region) -> BlockBox<'b> {
        BlockBox {
            payload: self.elements(),
            block_shape: &self.shape,
            start: &region.start,
            shape: &region.shape,
        }
    }

    fn elements(&self) -> &[u8] {
        self.memory.bytes().get(self.offset..).unwrap_or_default()
    }
}
