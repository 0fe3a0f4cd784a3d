//! The blocks of a dataset of the source: how many there are, and which are told by listing.

use zarrs::array::Array;
use zarrs_storage::ReadableStorageTraits;

use super::listed::ListedBlocks;
use crate::n5::store::N5DefaultStore;

/// The blocks of a dataset.
pub(super) struct SourceBlocks {
    /// The shape of the dataset, in its own order.
    shape: Vec<u64>,
    /// The length of blocks along each dimension.
    block: Vec<u64>,
    /// Tells which regions have no block, where that is known.
    pub(super) listed: Option<ListedBlocks>,
}

impl SourceBlocks {
    pub(super) fn of<S>(dataset: &Array<N5DefaultStore<S>>) -> Self
    where
        S: ReadableStorageTraits + 'static,
    {
        let shape = dataset.shape().to_vec();
        let block = dataset.chunk_shape(&vec![0; shape.len()]);
        let block = block.map(|block| block.iter().map(|len| len.get()).collect());
        // A dataset without elements has no block, and no shard either.
        let block: Vec<_> = block.unwrap_or_else(|_| vec![1; shape.len()]);
        Self {
            listed: ListedBlocks::of(dataset, &block),
            shape,
            block,
        }
    }

    /// Whether every block that a region meets lies in it.
    pub(super) fn are_whole_in(&self, start: &[u64], shape: &[u64]) -> bool {
        let region = start
            .iter()
            .zip(shape)
            .zip(self.block.iter().zip(&self.shape));
        region
            .into_iter()
            .all(|((&start, &len), (&block, &array))| {
                let end = start.saturating_add(len);
                start.is_multiple_of(block) && (end.is_multiple_of(block) || end >= array)
            })
    }

    /// Whether the dataset has no block, as far as it is known. `missing`: how many a run did not
    /// find in the shards that it looked at.
    pub(super) fn are_none(&self, missing: Option<u64>) -> bool {
        let blocks = self.shape.iter().zip(&self.block);
        let count = blocks.fold(1_u64, |count, (len, block)| {
            count.saturating_mul(len.div_ceil((*block).max(1)))
        });
        match &self.listed {
            _ if count == 0 => false,
            Some(listed) => !listed.is_any(&self.shape),
            None => missing == Some(count),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_whole_in_regions_that_begin_and_end_with_them() {
        let blocks = SourceBlocks {
            shape: vec![10, 9],
            block: vec![4, 3],
            listed: None,
        };
        for (start, shape, expected) in [
            ([0, 0], [4, 3], true),
            ([4, 3], [4, 6], true),
            ([8, 6], [2, 3], true),
            ([8, 6], [1, 3], false),
            ([2, 0], [2, 3], false),
            ([0, 0], [4, 4], false),
        ] {
            assert_eq!(
                blocks.are_whole_in(&start, &shape),
                expected,
                "{start:?} {shape:?}"
            );
        }
        assert!(blocks.are_none(Some(9)));
        assert!(!blocks.are_none(Some(8)));
        assert!(!blocks.are_none(None));
    }
}
