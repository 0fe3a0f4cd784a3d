use std::ops::Range;

use proptest::prelude::*;

use super::DimensionOrder;
use super::layout::{BlockGrid, Layout};
use super::slabs::Slabs;

fn grid(array_shape: &[u64], block_shape: &[u64], is_bounded: bool) -> BlockGrid {
    BlockGrid {
        array_shape: array_shape.to_vec(),
        block_shape: block_shape.to_vec(),
        is_bounded,
    }
}

#[test]
fn a_slab_holds_the_blocks_of_one_row() {
    let grid = grid(&[9, 7], &[4, 3], false);
    let layout = Layout::new(&grid, &[3, 1], &[6, 5], DimensionOrder::AsStored).unwrap();
    assert_eq!(layout.strides(), [5, 1]);
    assert_eq!((layout.slabs(), layout.blocks_per_slab()), (3, 2));
    let lens: Vec<usize> = (0..3).map(|slab| layout.slab_len(slab)).collect();
    assert_eq!(lens, [5, 20, 5]);

    let block = layout.block(1, 1);
    assert_eq!(block.position, [1, 1]);
    assert_eq!(block.offset, 2);
    assert_eq!(block.wanted.start, [0, 0]);
    assert_eq!(block.wanted.shape, [4, 3]);
    let block = layout.block(0, 0);
    assert_eq!(block.wanted.start, [3, 1]);
    assert_eq!(block.wanted.shape, [1, 2]);
}

#[test]
fn reversed_slabs_follow_each_other_along_the_last_dimension() {
    let grid = grid(&[9, 7], &[4, 3], false);
    let layout = Layout::new(&grid, &[3, 1], &[6, 5], DimensionOrder::Reversed).unwrap();
    assert_eq!(layout.strides(), [1, 6]);
    assert_eq!((layout.slabs(), layout.blocks_per_slab()), (2, 3));
    assert_eq!([layout.slab_len(0), layout.slab_len(1)], [12, 18]);
    let block = layout.block(1, 2);
    assert_eq!((block.position, block.offset), (vec![2, 1], 5));
}

#[test]
fn a_plane_is_cut_along_its_first_long_dimension() {
    let grid = grid(&[9, 9, 9], &[4, 3, 3], false);
    let layout = Layout::new(&grid, &[5, 0, 0], &[1, 9, 9], DimensionOrder::AsStored).unwrap();
    assert_eq!((layout.slabs(), layout.blocks_per_slab()), (3, 3));
}

#[test]
fn chunks_end_with_the_array_on_a_bounded_grid_only() {
    for (is_bounded, expected) in [(true, [1, 2]), (false, [4, 3])] {
        let grid = grid(&[9, 5], &[4, 3], is_bounded);
        let layout = Layout::new(&grid, &[8, 3], &[1, 2], DimensionOrder::AsStored).unwrap();
        assert_eq!(layout.block(0, 0).wanted.chunk_shape, expected);
    }
}

#[test]
fn an_empty_region_has_no_slabs() {
    let grid = grid(&[9, 5], &[4, 3], false);
    for (start, shape) in [([4, 0], [0, 5]), ([9, 5], [0, 0])] {
        let layout = Layout::new(&grid, &start, &shape, DimensionOrder::AsStored).unwrap();
        assert_eq!((layout.len(), layout.slabs()), (0, 0));
    }
}

#[test]
fn a_region_of_too_many_elements_to_count_is_refused() {
    let grid = grid(&[u64::MAX, u64::MAX], &[4, 3], false);
    for order in [DimensionOrder::AsStored, DimensionOrder::Reversed] {
        assert!(Layout::new(&grid, &[0, 0], &[1 << 40, 1 << 40], order).is_none());
    }
}

#[test]
fn a_region_at_the_end_of_the_largest_array_is_one_block() {
    let grid = grid(&[u64::MAX], &[4], true);
    let layout = Layout::new(&grid, &[u64::MAX - 2], &[2], DimensionOrder::AsStored).unwrap();
    let block = layout.block(0, 0);
    assert_eq!(block.position, [(u64::MAX - 2) / 4]);
    assert_eq!(block.wanted.start, [1]);
    assert_eq!(block.wanted.shape, [2]);
    assert_eq!(block.wanted.chunk_shape, [3]);
}

/// The ranges of a region of `array`.
fn axes() -> impl Strategy<Value = Vec<(u64, u64, Range<u64>)>> {
    let axis = (1_u64..9, 1_u64..6).prop_flat_map(|(array, block)| {
        (Just(array), Just(block), 0..=array, 0..=array)
            .prop_map(|(array, block, a, b)| (array, block, a.min(b)..a.max(b)))
    });
    prop::collection::vec(axis, 1..4)
}

proptest! {
    /// Every element of the output belongs to exactly one block, at the place that its coordinates
    /// say, whatever number of threads asks. What is taken at once follows each other.
    #[test]
    fn blocks_cover_the_output_once(
        axes in axes(),
        is_bounded in any::<bool>(),
        reversed in any::<bool>(),
        threads in 1..4_usize,
        at_once in 1..5_usize,
    ) {
        let grid = grid(
            &axes.iter().map(|axis| axis.0).collect::<Vec<_>>(),
            &axes.iter().map(|axis| axis.1).collect::<Vec<_>>(),
            is_bounded,
        );
        let start: Vec<u64> = axes.iter().map(|axis| axis.2.start).collect();
        let shape: Vec<u64> = axes.iter().map(|axis| axis.2.end - axis.2.start).collect();
        let order = if reversed { DimensionOrder::Reversed } else { DimensionOrder::AsStored };
        let layout = Layout::new(&grid, &start, &shape, order).unwrap();
        prop_assert_eq!(layout.len() as u64, shape.iter().product::<u64>());

        // Each element of the output becomes the number of times it was written.
        let mut out = vec![0; layout.len()];
        let slabs = Slabs::new(&layout, 1, &mut out).with_rows_of(at_once);
        let mut cursors: Vec<_> = (0..threads).map(|_| slabs.start()).collect();
        let mut taken = 0;
        let row_dimension = layout.row().dimension;
        while let Some((slab, blocks)) = cursors.iter_mut().find_map(|cursor| slabs.next(cursor)) {
            prop_assert!(!blocks.is_empty() && blocks.len() <= at_once);
            taken += blocks.len();
            let mut next = None;
            for index in blocks {
                let block = layout.block(slab, index);
                let mut lens = block.wanted.shape.clone();
                let in_row = (lens.get(row_dimension)).zip(layout.strides().get(row_dimension));
                // Together they are one box.
                prop_assert_eq!(next.unwrap_or(block.offset), block.offset);
                next = in_row.map(|(len, stride)| block.offset + len * stride);
                for (axis, (&position, &start_in_block)) in
                    std::iter::zip(&block.position, &block.wanted.start).enumerate()
                {
                    let first = position * axes[axis].1 + start_in_block as u64;
                    prop_assert!(axes[axis].2.contains(&first));
                    prop_assert!(first + lens[axis] as u64 <= axes[axis].2.end);
                    prop_assert!(start_in_block + lens[axis] <= block.wanted.chunk_shape[axis]);
                }
                lens.reverse();
                let strides: Vec<usize> = layout.strides().iter().rev().copied().collect();
                for number in 0..lens.iter().product::<usize>() {
                    let mut rest = number;
                    let mut at = block.offset;
                    for (len, stride) in std::iter::zip(&lens, &strides) {
                        at += rest % len * stride;
                        rest /= len;
                    }
                    slabs.write(slab, at, |out| out[0] += 1_u8);
                }
            }
        }
        prop_assert_eq!(taken, slabs.blocks());
        drop(slabs);
        prop_assert!(out.iter().all(|&count| count == 1), "{:?}", out);
    }
}
