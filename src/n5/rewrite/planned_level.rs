//! A level of the output: what it is made of, its shards and its memory. Pure.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::grid::{Region, ShardGrid};
use super::options::Downsample;
use crate::n5::data_type::N5DataType;

/// Blocks in memory while one is read: compressed, decompressed, and as it is in the output.
const BLOCKS_PER_READ: u64 = 4;

/// Where the elements of a level come from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LevelOrigin {
    /// From a dataset of the source.
    Dataset {
        /// The path of the dataset from the root of the container.
        node_path: String,
    },
    /// From the level before it in the output.
    Made {
        /// How.
        how: Downsample,
        /// How many elements of the finer level are one of this, along each dimension.
        factors: Vec<u64>,
    },
}

/// A level of the output.
///
/// Shapes are in elements and in the order of the output.
#[derive(Clone, Debug)]
pub struct PlannedLevel {
    pub(super) path: String,
    pub(super) origin: LevelOrigin,
    pub(super) phase: usize,
    pub(super) data_type: N5DataType,
    pub(super) grid: ShardGrid,
    /// The size of a block of the source in bytes, 0 for levels that are made.
    pub(super) block_size: u64,
    /// What else the record of the output says of the dataset, so that another one is not taken
    /// for it: `blockSize` and `compression`. Nothing for levels that are made.
    pub(super) recorded: Map<String, Value>,
}

impl PlannedLevel {
    /// The path below the group of the output.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Where its elements come from.
    #[must_use]
    pub fn origin(&self) -> &LevelOrigin {
        &self.origin
    }

    /// The phase in which it is written.
    #[must_use]
    pub fn phase(&self) -> usize {
        self.phase
    }

    /// The data type.
    #[must_use]
    pub fn data_type(&self) -> N5DataType {
        self.data_type
    }

    /// The shape of the array.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        self.grid.array()
    }

    /// The shape of shards.
    #[must_use]
    pub fn shard(&self) -> &[u64] {
        self.grid.shard()
    }

    /// The shape of chunks.
    #[must_use]
    pub fn chunk(&self) -> &[u64] {
        self.grid.chunk()
    }

    /// The number of shards.
    #[must_use]
    pub fn shards(&self) -> u64 {
        self.grid.shards()
    }

    /// The size of all elements in bytes, uncompressed.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.grid.len().saturating_mul(self.element_size())
    }

    pub(super) fn element_size(&self) -> u64 {
        self.data_type.size() as u64
    }

    /// The most memory that a thread needs for a shard.
    pub(super) fn memory(&self) -> u64 {
        let chunk = self.grid.chunk_len();
        let len = match &self.origin {
            // The elements of the shard, and a chunk before and after compression.
            LevelOrigin::Dataset { .. } => {
                let chunks = chunk.saturating_mul(3);
                self.grid.largest_region().saturating_add(chunks)
            }
            // The elements of the finer level that a chunk is made of, twice while zarrs reads
            // them.
            LevelOrigin::Made { factors, .. } => {
                let window: u64 = factors.iter().product();
                chunk.saturating_mul(window.saturating_mul(2).saturating_add(3))
            }
        };
        len.saturating_mul(self.element_size())
            .saturating_add(self.block_size.saturating_mul(BLOCKS_PER_READ))
    }
}

/// The shards of the level of a phase that are made of the shards `finer` of the level before.
pub(super) fn made_of(
    levels: &[PlannedLevel],
    phase: usize,
    finer: impl IntoIterator<Item = u64>,
) -> BTreeSet<u64> {
    let mut made = BTreeSet::new();
    let at = levels.iter().position(|level| level.phase == phase);
    let before = at
        .and_then(|at| at.checked_sub(1))
        .and_then(|at| levels.get(at));
    let level = at.and_then(|at| levels.get(at));
    let (Some(level), Some(before)) = (level, before) else {
        return made;
    };
    let LevelOrigin::Made { factors, .. } = &level.origin else {
        return made;
    };
    for number in finer {
        let finer = before.grid.region(&before.grid.position(number));
        let ends = finer.start.iter().zip(&finer.shape).zip(factors);
        let (start, shape) = ends
            .map(|((&start, &len), &factor)| {
                // No factor is 0.
                let first = start.checked_div(factor).unwrap_or(start);
                let end = start.saturating_add(len).div_ceil(factor.max(1));
                (first, end.saturating_sub(first))
            })
            .unzip();
        made.extend(level.grid.numbers(&Region { start, shape }));
    }
    made
}
