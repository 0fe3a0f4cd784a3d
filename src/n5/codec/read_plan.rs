use std::ops::Range;

use super::chunk::Region;

/// How many needless bytes are as bad as one more range to fetch.
///
/// A range costs a system call on a file system and is merged with near neighbours by object stores.
const RANGE_COST_BYTES: u64 = 8 << 10;

/// The byte ranges of a raw payload that hold a region of its block.
///
/// Dimension 0 is fastest in the payload, so a region that is narrow in dimension 0 lies in many short runs. The
/// plan may therefore fetch the low dimensions in full: fewer and longer runs. What is fetched is always a box of
/// elements, and its ranges one after the other are its payload.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ReadPlan {
    /// The box that the ranges hold, in elements of the block.
    pub(super) fetched: Region,
    /// Offsets in bytes from the start of the payload, ascending.
    pub(super) ranges: Vec<Range<u64>>,
}

impl ReadPlan {
    /// The cheapest plan; `None` where the region lies outside the block.
    ///
    /// `block_shape` and `region` are in elements, dimension 0 first; the block is within N5's size limit.
    pub(super) fn new(block_shape: &[usize], element_size: usize, region: &Region) -> Option<Self> {
        let wanted = overlap(block_shape, region)?;
        let widened = cheapest_widening(block_shape, element_size, &wanted);
        let mut fetched = wanted;
        for (axis, &size) in block_shape.iter().enumerate().take(widened) {
            fetched.start[axis] = 0;
            fetched.shape[axis] = size;
        }
        Some(Self::exact(block_shape, element_size, fetched))
    }

    /// The ranges of a box that lies within the block, and of nothing else.
    pub(super) fn exact(block_shape: &[usize], element_size: usize, fetched: Region) -> Self {
        let run_axis = run_axis(block_shape, &fetched.shape, 0);
        let mut stride = element_size as u64;
        let mut run_bytes = element_size as u64;
        let mut starts = vec![0];
        for (axis, &size) in block_shape.iter().enumerate() {
            let first = fetched.start[axis] as u64 * stride;
            if axis <= run_axis {
                run_bytes *= fetched.shape[axis] as u64;
                starts[0] += first;
            } else {
                starts = (0..fetched.shape[axis] as u64)
                    .flat_map(|step| {
                        starts
                            .iter()
                            .map(move |start| start + first + step * stride)
                    })
                    .collect();
            }
            stride *= size as u64;
        }
        Self {
            fetched,
            ranges: starts
                .into_iter()
                .map(|start| start..start + run_bytes)
                .collect(),
        }
    }

    /// The ranges of a box that lies within the block; `None` if to write them costs more than to write the whole block.
    ///
    /// They are counted before they are made: a box that is narrow in dimension 0 may have a thousand million.
    pub(super) fn exact_if_cheaper_than_all(
        block_shape: &[usize],
        element_size: usize,
        fetched: Region,
    ) -> Option<Self> {
        let bytes = |shape: &[usize]| -> u64 {
            let elements: u64 = shape.iter().map(|&size| size as u64).product();
            elements * element_size as u64
        };
        let more_ranges = num_ranges(block_shape, &fetched.shape).saturating_sub(1);
        let cost = bytes(&fetched.shape) + more_ranges * RANGE_COST_BYTES;
        (cost <= bytes(block_shape)).then(|| Self::exact(block_shape, element_size, fetched))
    }
}

/// The number of runs that a box lies in.
fn num_ranges(block_shape: &[usize], shape: &[usize]) -> u64 {
    let outer = shape.iter().skip(run_axis(block_shape, shape, 0) + 1);
    outer.map(|&size| size as u64).product()
}

/// The part of `region` that lies in the block; `None` if there is none.
fn overlap(block_shape: &[usize], region: &Region) -> Option<Region> {
    let shape = block_shape
        .iter()
        .zip(&region.start)
        .zip(&region.shape)
        .map(|((&size, &start), &length)| {
            let length = size.saturating_sub(start).min(length);
            (length > 0).then_some(length)
        })
        .collect::<Option<Vec<usize>>>()?;
    Some(Region {
        start: region.start.clone(),
        shape,
    })
}

/// The axis up to which a box lies in one run: the first one from `from` on that it does not fill.
fn run_axis(block_shape: &[usize], shape: &[usize], from: usize) -> usize {
    (from..shape.len())
        .find(|&axis| shape[axis] != block_shape[axis])
        .unwrap_or(shape.len().saturating_sub(1))
}

/// How many of the low dimensions to fetch in full.
fn cheapest_widening(block_shape: &[usize], element_size: usize, wanted: &Region) -> usize {
    let rank = block_shape.len();
    // outer[axis] is the number of wanted positions along the axes from `axis` on.
    let mut outer = vec![1; rank + 1];
    // run[axis] is the run axis if the axes below `axis` are fetched in full.
    let mut run = vec![rank.saturating_sub(1); rank + 1];
    for axis in (0..rank).rev() {
        outer[axis] = outer[axis + 1] * wanted.shape[axis] as u64;
        let is_full = wanted.shape[axis] == block_shape[axis];
        run[axis] = if is_full { run[axis + 1] } else { axis };
    }
    let mut inner = element_size as u64;
    let mut best = (u64::MAX, 0);
    for axis in 0..rank {
        let ranges = outer[run[axis] + 1];
        best = best.min((inner * outer[axis] + ranges * RANGE_COST_BYTES, axis));
        inner *= block_shape[axis] as u64;
    }
    best.1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn only(range: Range<u64>) -> Vec<Range<u64>> {
        std::iter::once(range).collect()
    }

    fn region(start: &[usize], shape: &[usize]) -> Region {
        Region {
            start: start.to_vec(),
            shape: shape.to_vec(),
        }
    }

    #[test]
    fn a_plane_of_the_slowest_dimension_is_one_range() {
        let plan = ReadPlan::new(&[64, 64, 64], 2, &region(&[0, 0, 9], &[64, 64, 1])).unwrap();
        assert_eq!(plan.ranges, only(9 * 8192..10 * 8192));
    }

    #[test]
    fn a_plane_of_the_fastest_dimension_fetches_the_block_in_one_range() {
        let plan = ReadPlan::new(&[64, 64, 64], 2, &region(&[9, 0, 0], &[1, 64, 64])).unwrap();
        assert_eq!(plan.ranges, only(0..2 * 64 * 64 * 64));
        assert_eq!(plan.fetched, region(&[0, 0, 0], &[64, 64, 64]));
    }

    #[test]
    fn one_element_is_one_range_of_its_size() {
        let plan = ReadPlan::new(&[64, 64, 64], 4, &region(&[1, 2, 3], &[1, 1, 1])).unwrap();
        let start = 4 * (1 + 64 * (2 + 64 * 3));
        assert_eq!(plan.ranges, only(start..start + 4));
    }

    #[test]
    fn far_rows_stay_apart() {
        let plan = ReadPlan::new(&[1 << 16, 4], 1, &region(&[5, 1], &[10, 3])).unwrap();
        assert_eq!(plan.ranges.len(), 3);
        assert_eq!(plan.ranges[0], (1 << 16) + 5..(1 << 16) + 15);
    }

    #[test]
    fn outside_of_the_block_nothing_is_fetched() {
        assert_eq!(ReadPlan::new(&[4, 4], 1, &region(&[4, 0], &[1, 4])), None);
        let plan = ReadPlan::new(&[4, 4], 1, &region(&[3, 0], &[9, 9])).unwrap();
        assert_eq!(plan.fetched.start.last(), Some(&0));
        assert!(plan.ranges.iter().all(|range| range.end <= 16));
    }

    /// Its ranges alone would take 16 GB.
    #[test]
    fn a_box_of_very_many_ranges_is_refused_before_they_are_made() {
        let column = region(&[0, 0], &[1, 1 << 30]);
        let plan = ReadPlan::exact_if_cheaper_than_all(&[2, 1 << 30], 1, column);
        assert_eq!(plan, None);
    }

    #[test]
    fn one_more_range_is_worth_as_much_as_eight_kilobytes() {
        for (length, expected) in [(4096, Some(2)), (4097, None)] {
            let two_rows = region(&[0, 0], &[length, 2]);
            let plan = ReadPlan::exact_if_cheaper_than_all(&[8192, 2], 1, two_rows);
            assert_eq!(plan.map(|plan| plan.ranges.len()), expected);
        }
    }

    proptest! {
        /// The ranges one after the other are the elements of the fetched box, dimension 0 fastest.
        #[test]
        fn ranges_are_the_payload_of_the_box(
            axes in prop::collection::vec((1usize..6, 0usize..6, 1usize..6), 1..5),
            element_size in prop::sample::select(vec![1usize, 2, 4, 8]),
        ) {
            let block: Vec<usize> = axes.iter().map(|axis| axis.0).collect();
            let wanted = region(
                &axes.iter().map(|axis| axis.1).collect::<Vec<_>>(),
                &axes.iter().map(|axis| axis.2).collect::<Vec<_>>(),
            );
            let clipped = overlap(&block, &wanted);
            let Some(clipped) = clipped else {
                prop_assert!(ReadPlan::new(&block, element_size, &wanted).is_none());
                return Ok(());
            };
            for plan in [
                ReadPlan::new(&block, element_size, &wanted).unwrap(),
                ReadPlan::exact(&block, element_size, clipped.clone()),
            ] {
                let ranges = num_ranges(&block, &plan.fetched.shape);
                prop_assert_eq!(ranges, plan.ranges.len() as u64);
                let found: Vec<u64> = plan.ranges.iter().cloned().flatten().collect();
                let mut expected = Vec::new();
                for index in 0..block.iter().product::<usize>() {
                    let mut rest = index;
                    let inside = block.iter().enumerate().all(|(axis, &size)| {
                        let position = rest % size;
                        rest /= size;
                        let start = plan.fetched.start[axis];
                        (start..start + plan.fetched.shape[axis]).contains(&position)
                    });
                    if inside {
                        let start = (index * element_size) as u64;
                        expected.extend(start..start + element_size as u64);
                    }
                }
                prop_assert_eq!(found, expected);
                for axis in 0..block.len() {
                    let (fetched, wanted) = (&plan.fetched, &clipped);
                    prop_assert!(fetched.start[axis] <= wanted.start[axis]);
                    prop_assert!(
                        fetched.start[axis] + fetched.shape[axis] >= wanted.start[axis] + wanted.shape[axis]
                    );
                }
            }
        }
    }
}
