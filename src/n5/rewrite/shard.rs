//! One shard of the output: chunks one behind the other, and their index at the end.

use std::borrow::Cow;
use std::num::NonZeroU64;
use std::path::Path;

use zarrs::array::{
    ArrayBytes, ArrayToBytesCodecTraits, CodecChain, CodecOptions, DataType, FillValue, data_type,
};

use super::aside::Aside;
use super::content::{ShardContent, elements, one_thread};
use super::error::RewriteError;
use super::gather::strides;
use super::grid::{Region, ShardGrid};
use super::sample::Sample;
use crate::n5::region_reader::BlockFailure;

/// Position and size of a chunk that is not in the shard.
const MISSING: u64 = u64::MAX;

/// What became of a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// It is all fill value, so that it has no file.
    Empty,
    /// It has a file of this size in bytes.
    File(u64),
}

/// Writes shards of a level. Each thread has one of its own.
pub(super) struct ShardWriter<'a, T> {
    level: &'a str,
    grid: &'a ShardGrid,
    chunk_codecs: &'a CodecChain,
    index_codecs: &'a CodecChain,
    data_type: DataType,
    fill_value: FillValue,
    chunk_shape: Vec<NonZeroU64>,
    index_shape: Vec<NonZeroU64>,
    options: CodecOptions,
    chunk: ChunkBuffer<T>,
    index: Vec<u64>,
}

/// The elements of one chunk, those beyond the array being fill value.
pub(super) struct ChunkBuffer<T> {
    elements: Vec<T>,
    strides: Vec<usize>,
    /// The elements beyond the last box may not be fill value.
    is_dirty: bool,
}

impl<T: Sample> ChunkBuffer<T> {
    pub(super) fn new(grid: &ShardGrid) -> Result<Self, RewriteError> {
        let shape: Vec<usize> = grid
            .chunk()
            .iter()
            .map(|&len| usize::try_from(len).unwrap_or(usize::MAX))
            .collect();
        Ok(Self {
            elements: elements(grid.chunk_len())?,
            strides: strides(&shape),
            is_dirty: false,
        })
    }

    /// Takes the elements of a chunk; `None` if all are fill value.
    pub(super) fn fill(
        &mut self,
        content: &mut impl ShardContent<T>,
        chunk: &Region,
    ) -> Result<Option<&[T]>, RewriteError> {
        let is_whole = chunk.len() == self.elements.len() as u64;
        if !is_whole && self.is_dirty {
            self.elements.fill(T::zeroed());
        }
        content.chunk(chunk, &mut self.elements, &self.strides)?;
        self.is_dirty = true;
        let bytes: &[u8] = bytemuck::cast_slice(&self.elements);
        Ok((!is_zero(bytes)).then_some(&self.elements))
    }
}

/// Whether all bytes are 0. By blocks, so that the compiler can use wide instructions.
fn is_zero(bytes: &[u8]) -> bool {
    let mut blocks = bytes.chunks(4096);
    blocks.all(|block| block.iter().fold(0, |any, byte| any | byte) == 0)
}

impl<'a, T: Sample> ShardWriter<'a, T> {
    pub(super) fn new(
        level: &'a str,
        grid: &'a ShardGrid,
        data_type: DataType,
        (chunk_codecs, index_codecs): (&'a CodecChain, &'a CodecChain),
    ) -> Result<Self, RewriteError> {
        let non_zero = |lens: &[u64]| {
            lens.iter()
                .filter_map(|&len| NonZeroU64::new(len))
                .collect()
        };
        let mut index_shape: Vec<u64> = grid.chunks().to_vec();
        index_shape.push(2);
        Ok(Self {
            level,
            grid,
            chunk_codecs,
            index_codecs,
            data_type,
            fill_value: FillValue::new(vec![0; size_of::<T>()]),
            chunk_shape: non_zero(grid.chunk()),
            index_shape: non_zero(&index_shape),
            options: one_thread(),
            chunk: ChunkBuffer::new(grid)?,
            index: Vec::new(),
        })
    }

    /// Writes the shard of `region` to the file `path`, aside first. `note` is told of the blocks
    /// that were filled, if there are any, before the file has its name.
    pub(super) fn write(
        &mut self,
        content: &mut impl ShardContent<T>,
        region: &Region,
        path: &Path,
        note: impl FnOnce(&[BlockFailure]) -> Result<(), RewriteError>,
    ) -> Result<Written, RewriteError> {
        if !content.begin(region)? {
            return Ok(Written::Empty);
        }
        self.index.clear();
        let mut file = None;
        for chunk in self.grid.chunk_regions(region) {
            let elements = match &chunk {
                Some(chunk) => self.chunk.fill(content, chunk)?,
                None => None,
            };
            let Some(elements) = elements else {
                self.index.extend([MISSING; 2]);
                continue;
            };
            let bytes = Cow::Borrowed(bytemuck::cast_slice(elements));
            let encoded = self.chunk_codecs.encode(
                ArrayBytes::new_flen(bytes),
                &self.chunk_shape,
                &self.data_type,
                &self.fill_value,
                &self.options,
            );
            let encoded = encoded.map_err(|source| encode_error(self.level, source))?;
            let file = match &mut file {
                Some(file) => file,
                empty => empty.insert(Aside::create(path)?),
            };
            self.index.extend([file.size(), encoded.len() as u64]);
            file.write(&encoded)?;
        }
        let Some(mut file) = file else {
            return Ok(Written::Empty);
        };
        let index = self.index_codecs.encode(
            ArrayBytes::new_flen(Cow::Borrowed(bytemuck::cast_slice(&self.index))),
            &self.index_shape,
            &data_type::uint64(),
            &FillValue::from(MISSING),
            &self.options,
        );
        file.write(&index.map_err(|source| encode_error(self.level, source))?)?;
        if !content.failures().is_empty() {
            note(content.failures())?;
        }
        Ok(Written::File(file.finish()?))
    }
}

fn encode_error(level: &str, source: zarrs::array::CodecError) -> RewriteError {
    RewriteError::Encode {
        path: level.to_owned(),
        source: Box::new(source),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bit_is_not_zero() {
        let mut bytes = vec![0; 10_000];
        assert!(is_zero(&bytes));
        bytes[9_999] = 0x80;
        assert!(!is_zero(&bytes));
        assert!(is_zero(&[]));
    }
}
