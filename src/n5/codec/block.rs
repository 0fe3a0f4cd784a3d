use std::borrow::Cow;

use zarrs_codec::CodecOptions;

use super::chunk::{Chunk, Region};
use super::{N5DefaultCodec, N5DefaultCodecError};
use crate::n5::block::{BlockHeader, BlockMode};
use crate::n5::reorder;

/// A decompressed box of elements in N5's layout: big-endian, dimension 0 fastest.
///
/// It is a whole block or the part of one that was fetched.
#[derive(Debug)]
pub(super) struct Block<'a> {
    /// In elements, dimension 0 first.
    pub(super) shape: Vec<usize>,
    bytes: Cow<'a, [u8]>,
    /// Where in `bytes` the elements begin; before them is the header of a raw block.
    offset: usize,
}

impl<'a> Block<'a> {
    /// A box of elements without a header.
    pub(super) const fn from_elements(shape: Vec<usize>, elements: Cow<'a, [u8]>) -> Self {
        Self {
            shape,
            bytes: elements,
            offset: 0,
        }
    }

    /// Steps 1 to 3 of the specification, up to the change of order: header, its checks, decompression.
    pub(super) fn decompress(
        codec: &N5DefaultCodec,
        chunk: &Chunk,
        encoded: Cow<'a, [u8]>,
        options: &CodecOptions,
    ) -> Result<Self, N5DefaultCodecError> {
        let (header, payload) = parse_header(&encoded, chunk)?;
        let expected = header.payload_size(chunk.element_size)?;
        let shape = header_shape(&header);
        if let Some(compressed) = codec.payload.compressed() {
            let mut elements = Vec::new();
            compressed.decompress_into(payload, expected, &mut elements, options)?;
            return Ok(Self::from_elements(shape, Cow::Owned(elements)));
        }
        check_raw_payload(&header, chunk, payload.len(), expected)?;
        let offset = header.size();
        Ok(Self {
            shape,
            bytes: encoded,
            offset,
        })
    }

    /// The same, with the elements in `buffer`, which is reused from block to block, unless the block is raw.
    pub(super) fn decompress_into(
        codec: &N5DefaultCodec,
        chunk: &Chunk,
        encoded: &'a [u8],
        buffer: &'a mut Vec<u8>,
        options: &CodecOptions,
    ) -> Result<Self, N5DefaultCodecError> {
        let Some(compressed) = codec.payload.compressed() else {
            return Self::decompress(codec, chunk, Cow::Borrowed(encoded), options);
        };
        let (header, payload) = parse_header(encoded, chunk)?;
        let expected = header.payload_size(chunk.element_size)?;
        compressed.decompress_into(payload, expected, buffer, options)?;
        let shape = header_shape(&header);
        Ok(Self::from_elements(shape, Cow::Borrowed(buffer.as_slice())))
    }

    pub(super) fn into_owned(self) -> Block<'static> {
        Block {
            shape: self.shape,
            bytes: Cow::Owned(self.bytes.into_owned()),
            offset: self.offset,
        }
    }

    pub(super) fn size_held(&self) -> usize {
        self.bytes.len()
    }

    /// Step 4: writes `region` to `out` in C order, the fill value where the block does not reach.
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
            out,
        )?;
        Ok(())
    }
}

/// Steps 1 and 2 of the specification: the header, its mode and its number of dimensions.
pub(super) fn parse_header<'a>(
    encoded: &'a [u8],
    chunk: &Chunk,
) -> Result<(BlockHeader, &'a [u8]), N5DefaultCodecError> {
    let (header, payload) = BlockHeader::parse(encoded)?;
    if header.mode() != BlockMode::Default {
        return Err(N5DefaultCodecError::UnsupportedMode {
            found: header.mode().number(),
        });
    }
    if header.shape().len() != chunk.shape.len() {
        return Err(N5DefaultCodecError::BlockDimensionality {
            expected: chunk.shape.len(),
            found: header.shape().to_vec(),
        });
    }
    Ok((header, payload))
}

/// The shape in the header; its dimensions are 32-bit numbers, and `payload_size` has refused what is too large.
pub(super) fn header_shape(header: &BlockHeader) -> Vec<usize> {
    header.shape().iter().map(|&size| size as usize).collect()
}

fn check_raw_payload(
    header: &BlockHeader,
    chunk: &Chunk,
    found: usize,
    expected: usize,
) -> Result<(), N5DefaultCodecError> {
    if found == expected {
        return Ok(());
    }
    Err(N5DefaultCodecError::PayloadSize {
        shape: header.shape().to_vec(),
        element_size: chunk.element_size,
        expected,
        found,
    })
}
