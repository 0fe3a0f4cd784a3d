use std::borrow::Cow;

use zarrs_data_type::FillValue;

use super::chunk::Chunk;
use super::error::N5DefaultCodecError;
use super::region::Region;
use crate::n5::reorder::{self, Destination};

/// A decompressed box of elements in N5's layout: big-endian, dimension 0 fastest.
///
/// It is a whole block or the part of one that was fetched.
#[derive(Debug)]
pub(super) struct DecodedBlock<'a> {
    /// In elements, dimension 0 first.
    pub(super) shape: Vec<usize>,
    bytes: Cow<'a, [u8]>,
    /// Where in `bytes` the elements begin; before them is the header of a raw block.
    offset: usize,
}

impl<'a> DecodedBlock<'a> {
    /// A box of elements without a header.
    pub(super) const fn from_elements(shape: Vec<usize>, elements: Cow<'a, [u8]>) -> Self {
        Self::behind_header(shape, elements, 0)
    }

    /// A raw block with its header of `offset` bytes.
    pub(super) const fn behind_header(
        shape: Vec<usize>,
        block: Cow<'a, [u8]>,
        offset: usize,
    ) -> Self {
        Self {
            shape,
            bytes: block,
            offset,
        }
    }

    /// The same elements, without taking their memory.
    pub(super) fn borrowed(&self) -> DecodedBlock<'_> {
        DecodedBlock {
            shape: self.shape.clone(),
            bytes: Cow::Borrowed(&self.bytes),
            offset: self.offset,
        }
    }

    pub(super) fn into_owned(self) -> DecodedBlock<'static> {
        DecodedBlock {
            shape: self.shape,
            bytes: Cow::Owned(self.bytes.into_owned()),
            offset: self.offset,
        }
    }

    /// The memory of the elements, to be used for the next block; `None` if it belongs to others.
    pub(super) fn into_buffer(self) -> Option<Vec<u8>> {
        match self.bytes {
            Cow::Owned(bytes) => Some(bytes),
            Cow::Borrowed(_) => None,
        }
    }

    /// The size in bytes of what it keeps in memory.
    pub(super) fn size_held(&self) -> usize {
        self.bytes.len()
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
        let elements = self.bytes.get(self.offset..).unwrap_or_default();
        reorder::decode_region(
            elements,
            &self.shape,
            &region.start,
            &region.shape,
            chunk.fill_value.as_ne_bytes(),
            chunk.order,
            out,
        )?;
        Ok(())
    }

    /// Writes `region` to a part of a larger array, as [`read`](Self::read) does in all else.
    ///
    pub(super) fn read_strided(
        &self,
        region: &Region,
        fill_value: &FillValue,
        destination: Destination<'_>,
    ) -> Result<(), N5DefaultCodecError> {
        let elements = self.bytes.get(self.offset..).unwrap_or_default();
        reorder::decode_region_strided(
            elements,
            &self.shape,
            &region.start,
            &region.shape,
            fill_value.as_ne_bytes(),
            destination,
        )?;
        Ok(())
    }
}
