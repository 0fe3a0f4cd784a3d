use std::borrow::Cow;
use std::collections::TryReserveError;
use std::num::NonZeroU64;
use std::ops::Deref;

use zarrs_codec::CodecOptions;
use zarrs_data_type::{DataType, FillValue};

use super::N5DefaultCodec;
use super::chunk::Chunk;
use super::decoded_block::DecodedBlock;
use super::error::N5DefaultCodecError;
use super::scratch::{sized, with_buffer};
use crate::n5::block::{BlockHeader, BlockMode};
use crate::n5::provenance;
use crate::n5::reorder;

/// The codec and the chunk that it is used for: blocks of this chunk to elements and back.
#[derive(Clone, Debug)]
pub(super) struct ChunkCodec<C> {
    codec: C,
    pub(super) chunk: Chunk,
}

impl<C: Clone> ChunkCodec<C> {
    /// The codec for a chunk of another shape.
    pub(super) fn resized(&self, shape: Vec<usize>) -> Result<Self, N5DefaultCodecError> {
        Ok(Self {
            codec: self.codec.clone(),
            chunk: self.chunk.resized(shape)?,
        })
    }
}

impl<C: Deref<Target = N5DefaultCodec>> ChunkCodec<C> {
    /// Checks the chunk. `shape` is in elements, dimension 0 first.
    pub(super) fn new(
        codec: C,
        shape: &[NonZeroU64],
        data_type: &DataType,
        fill_value: &FillValue,
    ) -> Result<Self, N5DefaultCodecError> {
        let chunk = Chunk::new(&codec, shape, data_type, fill_value)?;
        Ok(Self { codec, chunk })
    }

    /// Whether blocks are not compressed.
    pub(super) fn is_raw(&self) -> bool {
        self.codec.payload.is_raw()
    }

    /// Reads the header of a block and checks its mode and its number of dimensions.
    ///
    /// These are steps 1 and 2 of the specification.
    pub(super) fn parse_header<'a>(
        &self,
        encoded: &'a [u8],
    ) -> Result<(BlockHeader, &'a [u8]), N5DefaultCodecError> {
        let (header, payload) = BlockHeader::parse(encoded)?;
        if header.mode() != BlockMode::Default {
            return Err(N5DefaultCodecError::UnsupportedMode {
                found: header.mode().number(),
            });
        }
        if header.shape().len() != self.chunk.shape.len() {
            return Err(N5DefaultCodecError::BlockDimensionality {
                expected: self.chunk.shape.len(),
                found: header.shape().to_vec(),
            });
        }
        Ok((header, payload))
    }

    /// Decompresses a block to elements in N5's order.
    ///
    /// These are steps 1 to 3 of the specification, up to the change of order. The elements of a
    /// compressed block take the memory of `buffer`, those of a raw one stay where they are. Errors
    /// name the key that the block came from, if it is known.
    pub(super) fn decompress<'a>(
        &self,
        encoded: Cow<'a, [u8]>,
        buffer: &mut Vec<u8>,
        options: &CodecOptions,
    ) -> Result<DecodedBlock<'a>, N5DefaultCodecError> {
        let header = match self.decompress_to(&encoded, buffer, options) {
            Ok(header) => header,
            Err(error) => return Err(error.of_block(provenance::take(&encoded))),
        };
        provenance::forget(&encoded);
        let shape = header_shape(&header);
        Ok(if self.is_raw() {
            DecodedBlock::behind_header(shape, encoded, header.size())
        } else {
            DecodedBlock::from_elements(shape, Cow::Owned(std::mem::take(buffer)))
        })
    }

    /// Checks a block; if it is compressed, its elements are in `buffer` afterwards.
    fn decompress_to(
        &self,
        encoded: &[u8],
        buffer: &mut Vec<u8>,
        options: &CodecOptions,
    ) -> Result<BlockHeader, N5DefaultCodecError> {
        let (header, payload) = self.parse_header(encoded)?;
        let expected = header.payload_size(self.chunk.element_size)?;
        match self.codec.payload.compressed() {
            Some(codec) => codec.decompress_into(payload, expected, buffer, options)?,
            None => self.check_raw_payload(&header, payload.len(), expected)?,
        }
        Ok(header)
    }

    fn check_raw_payload(
        &self,
        header: &BlockHeader,
        found: usize,
        expected: usize,
    ) -> Result<(), N5DefaultCodecError> {
        if found == expected {
            return Ok(());
        }
        Err(N5DefaultCodecError::PayloadSize {
            shape: header.shape().to_vec(),
            element_size: self.chunk.element_size,
            expected,
            found,
        })
    }

    /// Decodes a block to the elements of the chunk in C order.
    ///
    /// `output` is called when the block is decompressed, so that the memory it touches is still in
    /// the cache when it is written.
    pub(super) fn decode<T: AsMut<[u8]>>(
        &self,
        encoded: &[u8],
        options: &CodecOptions,
        output: impl FnOnce() -> Result<T, TryReserveError>,
    ) -> Result<T, N5DefaultCodecError> {
        with_buffer(|buffer| {
            let block = self.decompress(Cow::Borrowed(encoded), buffer, options)?;
            let mut out = output()?;
            block.read(&self.chunk.whole(), &self.chunk, out.as_mut())?;
            if let Some(memory) = block.into_buffer() {
                *buffer = memory;
            }
            Ok(out)
        })
    }

    /// Encodes the elements of the chunk, in C order, to a block of the same shape.
    pub(super) fn encode(
        &self,
        elements: &[u8],
        options: &CodecOptions,
    ) -> Result<Vec<u8>, N5DefaultCodecError> {
        if let Some(source) = self.codec.payload.not_n5() {
            let source = source.clone();
            return Err(N5DefaultCodecError::NotN5Compression { source });
        }
        let chunk = &self.chunk;
        chunk.check_size(elements.len())?;
        let header = BlockHeader::new(&chunk.shape_u64())?;
        let mut block = Vec::new();
        if let Some(codec) = self.codec.payload.compressed() {
            header.write_to(&mut block);
            with_buffer(|buffer| {
                let payload = sized(buffer, chunk.size)?;
                reorder::encode_block(
                    elements,
                    &chunk.shape,
                    chunk.element_size,
                    chunk.order,
                    payload,
                )?;
                codec.compress_append(payload, &mut block, options)?;
                Ok::<_, N5DefaultCodecError>(())
            })?;
        } else {
            block.try_reserve_exact(header.size() + chunk.size)?;
            header.write_to(&mut block);
            block.resize(header.size() + chunk.size, 0);
            let payload = block.get_mut(header.size()..).unwrap_or_default();
            reorder::encode_block(
                elements,
                &chunk.shape,
                chunk.element_size,
                chunk.order,
                payload,
            )?;
        }
        Ok(block)
    }
}

/// The shape in a header, whose numbers have 32 bits.
pub(super) fn header_shape(header: &BlockHeader) -> Vec<usize> {
    header.shape().iter().map(|&len| len as usize).collect()
}
