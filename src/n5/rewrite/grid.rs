//! Shards and chunks of an array. Pure: everything is in elements and in the order of the output.

use super::error::RewriteError;

/// A box of elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) start: Vec<u64>,
    pub(super) shape: Vec<u64>,
}

impl Region {
    /// The number of elements, which was checked to fit when the grid was made.
    pub(super) fn len(&self) -> u64 {
        self.shape.iter().product()
    }
}

/// How an array is cut into shards and these into chunks.
///
/// The last dimension counts fastest wherever shards or chunks are numbered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ShardGrid {
    array: Vec<u64>,
    shard: Vec<u64>,
    chunk: Vec<u64>,
    /// Shards along each dimension.
    shards: Vec<u64>,
    /// Chunks of a shard along each dimension.
    chunks: Vec<u64>,
}

/// The most bytes of a shard: what one allocation can hold on every system that reads it.
const MAX_SHARD_SIZE: u64 = 1 << 40;

impl ShardGrid {
    /// Checks that chunks divide shards and that everything can be counted.
    pub(super) fn new(
        array: Vec<u64>,
        shard: Vec<u64>,
        chunk: Vec<u64>,
        element_size: usize,
    ) -> Result<Self, RewriteError> {
        for (what, shape) in [("chunk", &chunk), ("shard", &shard)] {
            if shape.len() != array.len() {
                return Err(RewriteError::ShapeDimensionality {
                    what,
                    expected: array.len(),
                    found: shape.len(),
                });
            }
            if shape.contains(&0) {
                return Err(RewriteError::ShapeZero {
                    what,
                    shape: shape.clone(),
                });
            }
        }
        let mut chunks = Vec::with_capacity(array.len());
        for (dimension, (&shard_len, &chunk_len)) in shard.iter().zip(&chunk).enumerate() {
            if shard_len % chunk_len != 0 {
                return Err(RewriteError::ChunkDoesNotDivide {
                    dimension,
                    shard: shard_len,
                    chunk: chunk_len,
                });
            }
            chunks.push(shard_len / chunk_len);
        }
        let shards: Vec<u64> = array
            .iter()
            .zip(&shard)
            .map(|(&len, &shard)| len.div_ceil(shard))
            .collect();
        let size = product(&shard).and_then(|len| len.checked_mul(element_size as u64));
        let is_counted = size.is_some_and(|size| size <= MAX_SHARD_SIZE)
            && product(&array).is_some()
            && product(&shards).is_some();
        if !is_counted {
            return Err(RewriteError::TooLarge { array, shard });
        }
        Ok(Self {
            array,
            shard,
            chunk,
            shards,
            chunks,
        })
    }

    pub(super) fn array(&self) -> &[u64] {
        &self.array
    }

    pub(super) fn shard(&self) -> &[u64] {
        &self.shard
    }

    pub(super) fn chunk(&self) -> &[u64] {
        &self.chunk
    }

    /// The number of shards.
    pub(super) fn shards(&self) -> u64 {
        self.shards.iter().product()
    }

    /// The number of chunks of a shard, along each dimension.
    pub(super) fn chunks(&self) -> &[u64] {
        &self.chunks
    }

    /// The number of elements of the array.
    pub(super) fn len(&self) -> u64 {
        self.array.iter().product()
    }

    /// The number of elements of a whole chunk.
    pub(super) fn chunk_len(&self) -> u64 {
        self.chunk.iter().product()
    }

    /// The number of elements of the largest region of a shard.
    pub(super) fn largest_region(&self) -> u64 {
        self.array
            .iter()
            .zip(&self.shard)
            .map(|(&len, &shard)| len.min(shard))
            .product()
    }

    /// The position of shard number `number` in the grid of shards.
    pub(super) fn position(&self, number: u64) -> Vec<u64> {
        unravel(number, &self.shards)
    }

    /// The number of the shard at `position`, if there is one.
    pub(super) fn number(&self, position: &[u64]) -> Option<u64> {
        if position.len() != self.shards.len() {
            return None;
        }
        let mut number = 0;
        for (&at, &shards) in position.iter().zip(&self.shards) {
            if at >= shards {
                return None;
            }
            number = number * shards + at;
        }
        Some(number)
    }

    /// The part of the array in the shard at `position`.
    pub(super) fn region(&self, position: &[u64]) -> Region {
        let start: Vec<u64> = position
            .iter()
            .zip(&self.shard)
            .map(|(&at, &len)| at.saturating_mul(len))
            .collect();
        self.cut(start, &self.shard)
    }

    /// The numbers of the shards that a part of the array, which is not empty, lies in.
    pub(super) fn numbers(&self, region: &Region) -> Vec<u64> {
        let mut numbers = vec![0_u64];
        let lens = self.shard.iter().zip(&self.shards);
        for ((&start, &len), (&shard, &shards)) in region.start.iter().zip(&region.shape).zip(lens)
        {
            // No length of a shard is 0.
            let first = start.checked_div(shard).unwrap_or(0);
            let end = start.saturating_add(len).div_ceil(shard).min(shards);
            numbers = numbers
                .iter()
                .flat_map(|before| {
                    (first..end).map(move |at| before.saturating_mul(shards).saturating_add(at))
                })
                .collect();
        }
        numbers
    }

    /// The chunks of a shard in the order of its index: the part of the array in each, `None` for
    /// those that lie beyond it.
    pub(super) fn chunk_regions(&self, shard: &Region) -> impl Iterator<Item = Option<Region>> {
        let count: u64 = self.chunks.iter().product();
        let shard_start = shard.start.clone();
        (0..count).map(move |number| {
            let start: Vec<u64> = unravel(number, &self.chunks)
                .iter()
                .zip(&self.chunk)
                .zip(&shard_start)
                .map(|((&at, &len), &start)| start.saturating_add(at.saturating_mul(len)))
                .collect();
            let region = self.cut(start, &self.chunk);
            (region.len() > 0).then_some(region)
        })
    }

    /// The part of the array in a box.
    fn cut(&self, start: Vec<u64>, shape: &[u64]) -> Region {
        let shape = start
            .iter()
            .zip(shape)
            .zip(&self.array)
            .map(|((&start, &len), &array)| len.min(array.saturating_sub(start)))
            .collect();
        Region { start, shape }
    }
}

/// The product, if it can be counted.
pub(super) fn product(shape: &[u64]) -> Option<u64> {
    shape
        .iter()
        .try_fold(1_u64, |product, &len| product.checked_mul(len))
}

/// The position with this number, the last dimension counting fastest.
fn unravel(mut number: u64, shape: &[u64]) -> Vec<u64> {
    let mut position: Vec<u64> = shape
        .iter()
        .rev()
        .map(|&len| {
            // No position is asked for where a dimension is empty.
            let at = number.checked_rem(len).unwrap_or(0);
            number = number.checked_div(len).unwrap_or(0);
            at
        })
        .collect();
    position.reverse();
    position
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(array: &[u64], shard: &[u64], chunk: &[u64]) -> ShardGrid {
        ShardGrid::new(array.to_vec(), shard.to_vec(), chunk.to_vec(), 1).unwrap()
    }

    #[test]
    fn shards_at_the_edge_end_with_the_array() {
        let grid = grid(&[10, 7], &[4, 6], &[2, 3]);
        assert_eq!(grid.shards(), 6);
        assert_eq!(grid.position(5), [2, 1]);
        assert_eq!(grid.number(&[2, 1]), Some(5));
        let region = grid.region(&[2, 1]);
        assert_eq!((region.start, region.shape), (vec![8, 6], vec![2, 1]));
    }

    #[test]
    fn chunks_beyond_the_array_have_no_region() {
        let grid = grid(&[10, 7], &[4, 6], &[2, 3]);
        let shard = grid.region(&[2, 1]);
        let chunks: Vec<_> = grid.chunk_regions(&shard).collect();
        assert_eq!(chunks.len(), 4);
        assert_eq!(chunks[0].as_ref().unwrap().start, [8, 6]);
        assert_eq!(chunks[0].as_ref().unwrap().shape, [2, 1]);
        assert_eq!(chunks[1..], [None, None, None]);
    }

    #[test]
    fn a_shard_may_be_larger_than_the_array() {
        let grid = grid(&[3], &[8], &[4]);
        assert_eq!((grid.shards(), grid.largest_region()), (1, 3));
        assert_eq!(grid.region(&[0]).shape, [3]);
    }

    #[test]
    fn an_empty_array_has_no_shards() {
        assert_eq!(grid(&[0, 5], &[4, 4], &[2, 2]).shards(), 0);
    }

    #[test]
    fn a_chunk_that_does_not_divide_the_shard_is_refused_by_name() {
        let error = ShardGrid::new(vec![10, 10], vec![8, 8], vec![8, 3], 1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the length of chunks along dimension 1 is 3, that of shards is 8: expected a multiple \
             of 3 for shards; choose other shapes"
        );
    }

    #[test]
    fn shapes_of_another_dimensionality_or_with_zeros_are_refused() {
        let refused = |shard: &[u64], chunk: &[u64]| {
            ShardGrid::new(vec![10, 10], shard.to_vec(), chunk.to_vec(), 1).unwrap_err()
        };
        assert!(matches!(
            refused(&[8], &[8, 8]),
            RewriteError::ShapeDimensionality {
                what: "shard",
                expected: 2,
                found: 1
            }
        ));
        assert!(matches!(
            refused(&[8, 8], &[0, 8]),
            RewriteError::ShapeZero { what: "chunk", .. }
        ));
    }

    #[test]
    fn what_cannot_be_counted_is_refused() {
        let huge = ShardGrid::new(vec![u64::MAX; 2], vec![1, 1], vec![1, 1], 1);
        assert!(matches!(huge, Err(RewriteError::TooLarge { .. })));
        let huge = ShardGrid::new(vec![10], vec![1 << 62], vec![1 << 62], 8);
        assert!(matches!(huge, Err(RewriteError::TooLarge { .. })));
    }

    #[test]
    fn a_box_lies_in_all_shards_that_it_touches() {
        let grid = grid(&[10, 7], &[4, 6], &[2, 3]);
        let numbers = |start: [u64; 2], shape: [u64; 2]| {
            grid.numbers(&Region {
                start: start.to_vec(),
                shape: shape.to_vec(),
            })
        };
        assert_eq!(numbers([0, 0], [4, 6]), [0]);
        assert_eq!(numbers([3, 5], [2, 2]), [0, 1, 2, 3]);
        assert_eq!(numbers([8, 6], [2, 1]), [5]);
    }

    #[test]
    fn positions_beyond_the_grid_have_no_number() {
        let grid = grid(&[10, 7], &[4, 6], &[2, 3]);
        assert_eq!(grid.number(&[3, 0]), None);
        assert_eq!(grid.number(&[0, 0, 0]), None);
    }
}
