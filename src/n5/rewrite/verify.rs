//! What was written, read back by zarrs and compared element by element.

use std::path::Path;

use zarrs::array::{
    Array, ArrayShardedReadableExt, ArrayShardedReadableExtCache, ArraySubset, CodecOptions,
};
use zarrs::filesystem::FilesystemStore;

use super::content::{ShardContent, elements, one_thread};
use super::error::RewriteError;
use super::folder::shard_path;
use super::gather::strides;
use super::grid::{Region, ShardGrid};
use super::planned_level::PlannedLevel;
use super::report::Difference;
use super::sample::Sample;
use super::work::{Outcome, ShardTask};

/// Compares the shards of a level. Each thread has one of its own.
pub(super) struct Verifier<'a, T> {
    level: &'a str,
    grid: &'a ShardGrid,
    folder: &'a Path,
    array: &'a Array<FilesystemStore>,
    cache: ArrayShardedReadableExtCache,
    options: CodecOptions,
    expected: Vec<T>,
}

impl<'a, T: Sample> Verifier<'a, T> {
    pub(super) fn new(
        level: &'a PlannedLevel,
        folder: &'a Path,
        array: &'a Array<FilesystemStore>,
    ) -> Result<Self, RewriteError> {
        let grid = &level.grid;
        Ok(Self {
            level: level.path(),
            grid,
            folder,
            array,
            cache: ArrayShardedReadableExtCache::new(array),
            options: one_thread(),
            expected: elements(grid.chunk_len())?,
        })
    }

    /// What is wrong with a chunk of a shard, and with which of its elements.
    fn difference(
        &self,
        chunk: &Region,
        expected: &[T],
        shape: &[usize],
    ) -> Option<(Option<Vec<u64>>, String)> {
        let different = |element: Option<Vec<u64>>, reason| Some((element, reason));
        let ranges: Vec<_> = chunk
            .start
            .iter()
            .zip(&chunk.shape)
            .map(|(&start, &len)| start..start.saturating_add(len))
            .collect();
        let subset = ArraySubset::new_with_ranges(&ranges);
        let found: Vec<T> =
            match self
                .array
                .retrieve_array_subset_sharded_opt(&self.cache, &subset, &self.options)
            {
                Ok(found) => found,
                Err(error) => return different(None, format!("it cannot be read: {error}")),
            };
        // Bytes, as NaN is not equal to itself.
        let bytes = |element: &T| bytemuck::bytes_of(element).to_vec();
        if bytemuck::cast_slice::<T, u8>(&found) == bytemuck::cast_slice::<T, u8>(expected) {
            return None;
        }
        let place = expected
            .iter()
            .zip(&found)
            .position(|(one, other)| bytes(one) != bytes(other))
            .unwrap_or(0);
        let element = strides(shape)
            .iter()
            .zip(shape)
            .zip(&chunk.start)
            .map(|((stride, len), start)| start + (place / stride % (*len).max(1)) as u64)
            .collect::<Vec<_>>();
        let shown = |elements: &[T]| {
            elements
                .get(place)
                .map_or_else(|| "nothing".to_owned(), |element| format!("{element:?}"))
        };
        let reason = format!(
            "the element at {element:?} is {}: expected {}",
            shown(&found),
            shown(expected)
        );
        different(Some(element), reason)
    }
}

impl<T: Sample> ShardTask<T> for Verifier<'_, T> {
    fn run(
        &mut self,
        content: &mut impl ShardContent<T>,
        number: u64,
        region: &Region,
    ) -> Result<Outcome, RewriteError> {
        self.cache.clear();
        let is_there = content.begin(region)?;
        let shard = shard_path(self.folder, &self.grid.position(number));
        let (mut equal, mut different) = (0, Vec::new());
        for chunk in self.grid.chunk_regions(region).flatten() {
            let shape: Vec<usize> = chunk
                .shape
                .iter()
                .map(|&len| usize::try_from(len).unwrap_or(usize::MAX))
                .collect();
            let len = shape.iter().product();
            let mut expected = std::mem::take(&mut self.expected);
            if let Some(expected) = expected.get_mut(..len) {
                let known = if is_there {
                    content.chunk(&chunk, expected, &strides(&shape))
                } else {
                    expected.fill(T::zeroed());
                    Ok(())
                };
                let difference = match known {
                    Ok(()) => self.difference(&chunk, expected, &shape),
                    // The finer level of the output is damaged. The other shards are not.
                    Err(error @ RewriteError::Output { .. }) => {
                        Some((None, format!("what it is made of is not known: {error}")))
                    }
                    Err(error) => return Err(error),
                };
                match difference {
                    None => equal += 1,
                    Some((element, reason)) => different.push(Difference {
                        level: self.level.to_owned(),
                        shard: shard.clone(),
                        chunk: chunk.start.clone(),
                        element,
                        reason,
                    }),
                }
            }
            self.expected = expected;
        }
        Ok(Outcome::Verified { equal, different })
    }
}
