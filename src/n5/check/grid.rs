//! The grid of the blocks of a dataset, of any size.

use std::fmt::Write;

use crate::n5::node::is_block_component;

use super::report::StrayReason;

/// How many blocks there are along each dimension, dimension 0 first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Grid(Vec<u64>);

impl Grid {
    /// The grid of a dataset of these `dimensions` and `block_size`, in elements, dimension 0
    /// first.
    pub(super) fn new(dimensions: &[u64], block_size: &[u32]) -> Self {
        let sizes = std::iter::zip(dimensions, block_size);
        // A block has at least one element, which is checked when attributes.json is read.
        Self(
            sizes
                .map(|(&len, &block)| len.div_ceil(u64::from(block.max(1))))
                .collect(),
        )
    }

    pub(super) fn dimensionality(&self) -> usize {
        self.0.len()
    }

    /// The number of blocks, or `u128::MAX` if it is more.
    pub(super) fn blocks(&self) -> u128 {
        if self.0.contains(&0) {
            return 0;
        }
        let blocks = self.0.iter().map(|&blocks| u128::from(blocks));
        blocks.fold(1, u128::saturating_mul)
    }

    /// The position that `name` stands for as the component of a key for `dimension`.
    pub(super) fn component(&self, dimension: usize, name: &str) -> Result<u64, StrayReason> {
        if !is_block_component(name) {
            return Err(StrayReason::NotANumber);
        }
        if name.len() > 1 && name.starts_with('0') {
            return Err(StrayReason::LeadingZeros);
        }
        // A number beyond 64 bits is outside of every grid.
        let blocks = self.0.get(dimension).copied().unwrap_or_default();
        let position = name.parse().ok().filter(|position| *position < blocks);
        position.ok_or(StrayReason::OutsideOfGrid)
    }
}

/// The components of a key for `position`, which begins with dimension 0 and may end early.
pub(super) fn components(position: &[u64]) -> String {
    let mut text = String::new();
    for (dimension, number) in position.iter().enumerate() {
        let separator = if dimension == 0 { "" } else { "/" };
        // Writing to a string never fails.
        let _ = write!(text, "{separator}{number}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_ends_with_the_dataset() {
        let grid = Grid::new(&[5, 4, 1], &[2, 2, 7]);
        assert_eq!(grid, Grid(vec![3, 2, 1]));
        assert_eq!(grid.blocks(), 6);
    }

    #[test]
    fn a_dataset_without_elements_has_no_blocks() {
        assert_eq!(Grid::new(&[u64::MAX, u64::MAX, 0], &[1, 1, 1]).blocks(), 0);
    }

    #[test]
    fn huge_grids_are_counted_and_larger_ones_saturate() {
        let grid = Grid::new(&[1 << 40; 3], &[64; 3]);
        assert_eq!(grid.blocks(), 1 << 102);
        assert_eq!(Grid::new(&[u64::MAX; 3], &[1; 3]).blocks(), u128::MAX);
    }

    #[test]
    fn a_component_is_a_number_of_the_grid_as_n5_writes_it() {
        let grid = Grid::new(&[5, 11], &[1, 1]);
        assert_eq!(grid.component(0, "4"), Ok(4));
        assert_eq!(grid.component(1, "10"), Ok(10));
        for (name, reason) in [
            ("5", StrayReason::OutsideOfGrid),
            ("18446744073709551616", StrayReason::OutsideOfGrid),
            ("04", StrayReason::LeadingZeros),
            ("00", StrayReason::LeadingZeros),
            ("-1", StrayReason::NotANumber),
            ("s0", StrayReason::NotANumber),
        ] {
            assert_eq!(grid.component(0, name), Err(reason), "{name}");
        }
    }

    #[test]
    fn components_are_joined_dimension_0_first() {
        assert_eq!(components(&[3, 20, 1]), "3/20/1");
        assert_eq!(components(&[]), "");
    }
}
