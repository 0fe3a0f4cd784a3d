//! Where the elements of a shard come from: a dataset of N5, or the finer level of the output.

use std::path::Path;

use bytemuck::allocation::try_zeroed_vec;
use zarrs::array::{
    Array, ArrayBytes, ArrayError, ArrayShardedReadableExt, ArrayShardedReadableExtCache,
    ArraySubset, CodecOptions,
};
use zarrs::filesystem::FilesystemStore;
use zarrs_storage::ReadableStorageTraits;

use super::error::RewriteError;
use super::folder::shard_path;
use super::gather::{Place, copy, strides};
use super::grid::{Region, ShardGrid};
use super::options::Downsample;
use super::sample::Sample;
use super::source_blocks::SourceBlocks;
use super::window::{Finer, downsample};
use crate::n5::region_reader::{BlockFailure, RegionReader};

/// Gives the elements of shards, one shard after the other. Each thread has one of its own.
pub(super) trait ShardContent<T> {
    /// Takes the shard of this region. Returns `false` if all of it is known to be fill value.
    fn begin(&mut self, shard: &Region) -> Result<bool, RewriteError>;

    /// Writes the elements of `chunk`, a part of the shard, to `target`, in which neighbours are
    /// these strides apart.
    fn chunk(
        &mut self,
        chunk: &Region,
        target: &mut [T],
        strides: &[usize],
    ) -> Result<(), RewriteError>;

    /// Takes how many blocks of the source the shard does not have, which are fill value: of those
    /// that begin in it, so that none counts twice. `None` if that is not known.
    fn take_missing(&mut self) -> Option<u64> {
        Some(0)
    }

    /// The blocks of the shard that could not be read and are fill value.
    fn failures(&self) -> &[BlockFailure] {
        &[]
    }

    /// Takes these.
    fn take_failures(&mut self) -> Vec<BlockFailure> {
        Vec::new()
    }
}

/// The lengths of a region, which were checked to fit in memory when they were planned.
fn lens(shape: &[u64]) -> Vec<usize> {
    shape
        .iter()
        .map(|&len| usize::try_from(len).unwrap_or(usize::MAX))
        .collect()
}

/// Memory for so many elements; zeroed.
pub(super) fn elements<T: Sample>(len: u64) -> Result<Vec<T>, RewriteError> {
    let out_of_memory = || RewriteError::Memory {
        size: len.saturating_mul(size_of::<T>() as u64),
    };
    let len = usize::try_from(len).map_err(|_| out_of_memory())?;
    try_zeroed_vec(len).map_err(|()| out_of_memory())
}

/// A dataset of N5.
pub(super) struct Stored<'a, S: ?Sized, T> {
    reader: &'a RegionReader<'a, S>,
    blocks: &'a SourceBlocks,
    /// `order[i]` is the dimension of the dataset that is dimension `i` of the output.
    order: &'a [usize],
    /// The dimensions of the buffer, the slowest first.
    slowest_first: Vec<usize>,
    buffer: Vec<T>,
    /// How many elements at the beginning of the buffer may not be 0.
    dirty: usize,
    region: Region,
    /// Strides of the buffer along the dimensions of the output.
    strides: Vec<usize>,
    missing: Option<u64>,
    failures: Vec<BlockFailure>,
}

impl<'a, S: ?Sized, T> Stored<'a, S, T> {
    /// `is_reversed` says whether the reader gives the dimensions backwards.
    pub(super) fn new(
        (reader, blocks): (&'a RegionReader<'a, S>, &'a SourceBlocks),
        is_reversed: bool,
        order: &'a [usize],
    ) -> Self {
        let mut slowest_first: Vec<usize> = (0..order.len()).collect();
        if is_reversed {
            slowest_first.reverse();
        }
        Self {
            reader,
            blocks,
            order,
            slowest_first,
            buffer: Vec::new(),
            dirty: 0,
            region: Region {
                start: Vec::new(),
                shape: Vec::new(),
            },
            strides: Vec::new(),
            missing: Some(0),
            failures: Vec::new(),
        }
    }

    /// A list of the output's dimensions, by the dataset's own.
    fn stored(&self, entries: &[u64]) -> Vec<u64> {
        let mut stored = vec![0; entries.len()];
        for (&entry, &dimension) in entries.iter().zip(self.order) {
            if let Some(place) = stored.get_mut(dimension) {
                *place = entry;
            }
        }
        stored
    }
}

/// Whether a reader should give the dimensions backwards, so that rows of the output are rows of
/// the buffer where that can be.
pub(super) fn is_reversed(order: &[usize]) -> bool {
    order.len() > 1 && order.last() != Some(&(order.len() - 1))
}

impl<S, T> ShardContent<T> for Stored<'_, S, T>
where
    S: ?Sized + ReadableStorageTraits + 'static,
    T: Sample,
{
    fn begin(&mut self, shard: &Region) -> Result<bool, RewriteError> {
        let (start, shape) = (self.stored(&shard.start), self.stored(&shard.shape));
        if let Some(listed) = &self.blocks.listed {
            let found = listed.look(&start, &shape)?;
            self.missing = found.missing;
            if !found.is_any {
                return Ok(false);
            }
        }
        let len = usize::try_from(shard.len()).unwrap_or(usize::MAX);
        if self.buffer.len() < len {
            // The old one is given back first, so that there are never two.
            self.buffer = Vec::new();
            self.buffer = elements(shard.len())?;
            self.dirty = 0;
        }
        let Some(buffer) = self.buffer.get_mut(..len) else {
            return Ok(false);
        };
        let ranges: Vec<_> = start
            .iter()
            .zip(&shape)
            .map(|(&start, &len)| start..start.saturating_add(len))
            .collect();
        let subset = ArraySubset::new_with_ranges(&ranges);
        // Shards without blocks, of which a sparse volume has many, do not touch the buffer.
        let summary = if self.dirty == 0 {
            self.reader.read_over_zeros(&subset, buffer)
        } else {
            self.reader.read_into(&subset, buffer)
        };
        // What an error leaves is not known.
        let before = std::mem::replace(&mut self.dirty, usize::MAX);
        let summary = summary?;
        if self.blocks.listed.is_none() {
            let are_whole = self.blocks.are_whole_in(&start, &shape);
            self.missing = are_whole.then_some(summary.blocks_missing);
        }
        self.dirty = if summary.blocks_read > 0 {
            before.max(len)
        } else if before <= len {
            0
        } else {
            before
        };
        let stored_shape = lens(&shape);
        let buffer_shape: Vec<usize> = self
            .slowest_first
            .iter()
            .filter_map(|&dimension| stored_shape.get(dimension).copied())
            .collect();
        let of_buffer = strides(&buffer_shape);
        self.strides = self
            .order
            .iter()
            .filter_map(|dimension| {
                let place = self
                    .slowest_first
                    .iter()
                    .position(|slow| slow == dimension)?;
                of_buffer.get(place).copied()
            })
            .collect();
        self.region = shard.clone();
        self.failures = summary.failures;
        Ok(summary.blocks_read > 0)
    }

    fn chunk(
        &mut self,
        chunk: &Region,
        target: &mut [T],
        target_strides: &[usize],
    ) -> Result<(), RewriteError> {
        let inside: Vec<u64> = chunk
            .start
            .iter()
            .zip(&self.region.start)
            .map(|(at, start)| at.saturating_sub(*start))
            .collect();
        let offset = lens(&inside)
            .iter()
            .zip(&self.strides)
            .map(|(at, stride)| at * stride)
            .sum();
        let from = Place {
            offset,
            strides: &self.strides,
        };
        let to = Place {
            offset: 0,
            strides: target_strides,
        };
        copy(&lens(&chunk.shape), (&self.buffer, from), (target, to));
        Ok(())
    }

    fn take_missing(&mut self) -> Option<u64> {
        self.missing.replace(0)
    }

    fn failures(&self) -> &[BlockFailure] {
        &self.failures
    }

    fn take_failures(&mut self) -> Vec<BlockFailure> {
        std::mem::take(&mut self.failures)
    }
}

/// The finer level of the output.
pub(super) struct Made<'a> {
    finer: &'a Array<FilesystemStore>,
    finer_grid: &'a ShardGrid,
    /// The folder of the finer level.
    finer_folder: &'a Path,
    /// The indices of shards that were read for this shard.
    cache: ArrayShardedReadableExtCache,
    factors: &'a [u64],
    how: Downsample,
    options: CodecOptions,
}

impl<'a> Made<'a> {
    pub(super) fn new(
        (finer, finer_grid, finer_folder): (&'a Array<FilesystemStore>, &'a ShardGrid, &'a Path),
        factors: &'a [u64],
        how: Downsample,
    ) -> Self {
        Self {
            finer,
            finer_grid,
            finer_folder,
            cache: ArrayShardedReadableExtCache::new(finer),
            factors,
            how,
            options: one_thread(),
        }
    }
}

impl Made<'_> {
    /// What was written cannot be read: names the first shard below `subset` that cannot.
    fn output_error(&self, subset: &ArraySubset, source: ArrayError) -> RewriteError {
        let below = Region {
            start: subset.start().to_vec(),
            shape: subset.shape().to_vec(),
        };
        let mut numbers = self.finer_grid.numbers(&below);
        let is_damaged = |number: &u64| {
            let shard = self.finer_grid.region(&self.finer_grid.position(*number));
            let starts = shard.start.iter().zip(&shard.shape);
            let ranges: Vec<_> = starts
                .zip(subset.to_ranges())
                .map(|((&start, &len), range)| {
                    let end = start.saturating_add(len).min(range.end);
                    start.max(range.start).min(end)..end
                })
                .collect();
            let part = ArraySubset::new_with_ranges(&ranges);
            let read = self
                .finer
                .retrieve_array_subset_opt::<ArrayBytes>(&part, &self.options);
            read.is_err()
        };
        if let Some(damaged) = numbers.iter().copied().find(is_damaged) {
            numbers = vec![damaged];
        }
        // An array that cannot be read is not empty.
        let number = numbers.first().copied().unwrap_or(0);
        RewriteError::Output {
            path: self.finer.path().as_str().to_owned(),
            shard: shard_path(self.finer_folder, &self.finer_grid.position(number)),
            source: Box::new(source),
        }
    }
}

/// Codecs do not start threads of their own: there is one for each shard.
pub(super) fn one_thread() -> CodecOptions {
    CodecOptions::default().with_concurrent_target(1)
}

impl<T: Sample> ShardContent<T> for Made<'_> {
    fn begin(&mut self, _shard: &Region) -> Result<bool, RewriteError> {
        self.cache.clear();
        Ok(true)
    }

    fn chunk(
        &mut self,
        chunk: &Region,
        target: &mut [T],
        target_strides: &[usize],
    ) -> Result<(), RewriteError> {
        let ranges: Vec<_> = chunk
            .start
            .iter()
            .zip(&chunk.shape)
            .zip(self.factors)
            .zip(self.finer.shape())
            .map(|(((&start, &len), &factor), &finer_len)| {
                let end = start.saturating_add(len).saturating_mul(factor);
                start.saturating_mul(factor)..end.min(finer_len)
            })
            .collect();
        let subset = ArraySubset::new_with_ranges(&ranges);
        let elements: Vec<T> = self
            .finer
            .retrieve_array_subset_sharded_opt(&self.cache, &subset, &self.options)
            .map_err(|source| self.output_error(&subset, source))?;
        let finer = Finer {
            elements: &elements,
            shape: &lens(subset.shape()),
        };
        let target = (target, target_strides);
        downsample(
            finer,
            &lens(self.factors),
            self.how,
            &lens(&chunk.shape),
            target,
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_as_they_are_written() {
        assert!(is_reversed(&[2, 1, 0]));
        assert!(!is_reversed(&[0, 1, 2]));
        assert!(is_reversed(&[4, 2, 3, 1, 0]));
        assert!(!is_reversed(&[1, 0, 2]));
        assert!(!is_reversed(&[0]));
    }
}
