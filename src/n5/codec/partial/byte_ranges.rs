use std::ops::Range;

use crate::n5::codec::region::Region;

/// How many needless bytes are as bad as one more range to fetch.
///
/// A range costs a system call on a file system and is merged with near neighbours by object
/// stores.
const RANGE_COST_BYTES: u64 = 8 << 10;

/// The byte ranges of a raw payload that hold a box of its block, to be read or to be written.
///
/// Dimension 0 is fastest in the payload, so a box that is narrow in dimension 0 lies in many short
/// ranges. The ranges one after the other are the payload of the box.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ByteRanges {
    /// The box that the ranges hold, in elements of the block.
    pub(super) region: Region,
    /// Offsets in bytes from the start of the payload, ascending.
    ranges: Vec<Range<u64>>,
}

impl ByteRanges {
    /// The cheapest ranges to read that hold `region`; `None` where it lies outside the block.
    ///
    /// They may hold more, namely the low dimensions in full: that makes fewer and longer ranges.
    ///
    /// `block_shape` and `region` are in elements, dimension 0 first; the block is within N5's size
    /// limit.
    pub(super) fn to_read(
        block_shape: &[usize],
        element_size: usize,
        region: &Region,
    ) -> Option<Self> {
        let wanted = overlap(block_shape, region)?;
        let widened = cheapest_widening(block_shape, element_size, &wanted);
        let mut region = wanted;
        for (axis, &len) in block_shape.iter().enumerate().take(widened) {
            region.start[axis] = 0;
            region.shape[axis] = len;
        }
        Some(Self::exact(block_shape, element_size, region))
    }

    /// The ranges to write to change `region`, which lies within the block; `None` if to write them
    /// costs more than to write the whole block.
    ///
    /// They are counted before they are made: a box that is narrow in dimension 0 may have a
    /// billion.
    pub(super) fn to_write(
        block_shape: &[usize],
        element_size: usize,
        region: Region,
    ) -> Option<Self> {
        let size = |shape: &[usize]| -> u64 {
            let len: u64 = shape.iter().map(|&len| len as u64).product();
            len * element_size as u64
        };
        let more_ranges = num_ranges(block_shape, &region.shape).saturating_sub(1);
        let cost = size(&region.shape) + more_ranges * RANGE_COST_BYTES;
        (cost <= size(block_shape)).then(|| Self::exact(block_shape, element_size, region))
    }

    /// The ranges of a box that lies within the block, and of nothing else.
    fn exact(block_shape: &[usize], element_size: usize, region: Region) -> Self {
        let run_axis = run_axis(block_shape, &region.shape);
        let mut stride = element_size as u64;
        let mut run_size = element_size as u64;
        let mut starts = vec![0];
        for (axis, &len) in block_shape.iter().enumerate() {
            let first = region.start[axis] as u64 * stride;
            if axis <= run_axis {
                run_size *= region.shape[axis] as u64;
                starts[0] += first;
            } else {
                starts = (0..region.shape[axis] as u64)
                    .flat_map(|step| {
                        starts
                            .iter()
                            .map(move |start| start + first + step * stride)
                    })
                    .collect();
            }
            stride *= len as u64;
        }
        Self {
            region,
            ranges: starts
                .into_iter()
                .map(|start| start..start + run_size)
                .collect(),
        }
    }

    /// The size in bytes of all ranges together.
    pub(super) fn size(&self) -> u64 {
        self.sizes().sum()
    }

    /// The size in bytes of each range.
    pub(super) fn sizes(&self) -> impl Iterator<Item = u64> {
        self.ranges.iter().map(|range| range.end - range.start)
    }

    /// The ranges as offsets in bytes from the start of a block with a header of `header_size`.
    pub(super) fn in_block(&self, header_size: u64) -> impl Iterator<Item = Range<u64>> {
        self.ranges
            .iter()
            .map(move |range| header_size + range.start..header_size + range.end)
    }
}

/// The number of ranges that a box lies in.
fn num_ranges(block_shape: &[usize], shape: &[usize]) -> u64 {
    let outer = shape.iter().skip(run_axis(block_shape, shape) + 1);
    outer.map(|&len| len as u64).product()
}

/// The part of `region` that lies in the block; `None` if there is none.
fn overlap(block_shape: &[usize], region: &Region) -> Option<Region> {
    let shape = block_shape
        .iter()
        .zip(&region.start)
        .zip(&region.shape)
        .map(|((&block_len, &start), &len)| {
            let len = block_len.saturating_sub(start).min(len);
            (len > 0).then_some(len)
        })
        .collect::<Option<Vec<usize>>>()?;
    Some(Region {
        start: region.start.clone(),
        shape,
    })
}

/// The axis up to which a box lies in one range: the first one that it does not fill.
fn run_axis(block_shape: &[usize], shape: &[usize]) -> usize {
    std::iter::zip(block_shape, shape)
        .position(|(block_len, len)| block_len != len)
        .unwrap_or(shape.len().saturating_sub(1))
}

/// How many of the low dimensions to fetch in full.
fn cheapest_widening(block_shape: &[usize], element_size: usize, wanted: &Region) -> usize {
    let dimensionality = block_shape.len();
    // outer[axis] is the number of wanted positions along the axes from `axis` on.
    let mut outer = vec![1; dimensionality + 1];
    // run[axis] is the run axis if the axes below `axis` are fetched in full.
    let mut run = vec![dimensionality.saturating_sub(1); dimensionality + 1];
    for axis in (0..dimensionality).rev() {
        outer[axis] = outer[axis + 1] * wanted.shape[axis] as u64;
        let is_full = wanted.shape[axis] == block_shape[axis];
        run[axis] = if is_full { run[axis + 1] } else { axis };
    }
    let mut inner = element_size as u64;
    let mut best = (u64::MAX, 0);
    for axis in 0..dimensionality {
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
        let found =
            ByteRanges::to_read(&[64, 64, 64], 2, &region(&[0, 0, 9], &[64, 64, 1])).unwrap();
        assert_eq!(found.ranges, only(9 * 8192..10 * 8192));
    }

    #[test]
    fn a_plane_of_the_fastest_dimension_fetches_the_block_in_one_range() {
        let found =
            ByteRanges::to_read(&[64, 64, 64], 2, &region(&[9, 0, 0], &[1, 64, 64])).unwrap();
        assert_eq!(found.ranges, only(0..2 * 64 * 64 * 64));
        assert_eq!(found.region, region(&[0, 0, 0], &[64, 64, 64]));
    }

    #[test]
    fn one_element_is_one_range_of_its_size() {
        let found = ByteRanges::to_read(&[64, 64, 64], 4, &region(&[1, 2, 3], &[1, 1, 1])).unwrap();
        let start = 4 * (1 + 64 * (2 + 64 * 3));
        assert_eq!(found.ranges, only(start..start + 4));
    }

    #[test]
    fn far_rows_stay_apart() {
        let found = ByteRanges::to_read(&[1 << 16, 4], 1, &region(&[5, 1], &[10, 3])).unwrap();
        assert_eq!(found.ranges.len(), 3);
        assert_eq!(found.ranges[0], (1 << 16) + 5..(1 << 16) + 15);
    }

    #[test]
    fn outside_of_the_block_nothing_is_fetched() {
        assert_eq!(
            ByteRanges::to_read(&[4, 4], 1, &region(&[4, 0], &[1, 4])),
            None
        );
        let found = ByteRanges::to_read(&[4, 4], 1, &region(&[3, 0], &[9, 9])).unwrap();
        assert_eq!(found.region.start.last(), Some(&0));
        assert!(found.ranges.iter().all(|range| range.end <= 16));
    }

    /// Its ranges alone would take 16 GB.
    #[test]
    fn a_box_of_very_many_ranges_is_refused_before_they_are_made() {
        let column = region(&[0, 0], &[1, 1 << 30]);
        let found = ByteRanges::to_write(&[2, 1 << 30], 1, column);
        assert_eq!(found, None);
    }

    #[test]
    fn one_more_range_is_worth_as_much_as_eight_kilobytes() {
        for (length, expected) in [(4096, Some(2)), (4097, None)] {
            let two_rows = region(&[0, 0], &[length, 2]);
            let found = ByteRanges::to_write(&[8192, 2], 1, two_rows);
            assert_eq!(found.map(|found| found.ranges.len()), expected);
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
                prop_assert!(ByteRanges::to_read(&block, element_size, &wanted).is_none());
                return Ok(());
            };
            for found in [
                ByteRanges::to_read(&block, element_size, &wanted).unwrap(),
                ByteRanges::exact(&block, element_size, clipped.clone()),
            ] {
                let ranges = num_ranges(&block, &found.region.shape);
                prop_assert_eq!(ranges, found.ranges.len() as u64);
                let offsets: Vec<u64> = found.ranges.iter().cloned().flatten().collect();
                let mut expected = Vec::new();
                for index in 0..block.iter().product::<usize>() {
                    let mut rest = index;
                    let inside = block.iter().enumerate().all(|(axis, &size)| {
                        let position = rest % size;
                        rest /= size;
                        let start = found.region.start[axis];
                        (start..start + found.region.shape[axis]).contains(&position)
                    });
                    if inside {
                        let start = (index * element_size) as u64;
                        expected.extend(start..start + element_size as u64);
                    }
                }
                prop_assert_eq!(offsets, expected);
                for axis in 0..block.len() {
                    let (fetched, wanted) = (&found.region, &clipped);
                    prop_assert!(fetched.start[axis] <= wanted.start[axis]);
                    prop_assert!(
                        fetched.start[axis] + fetched.shape[axis]
                            >= wanted.start[axis] + wanted.shape[axis]
                    );
                }
            }
        }
    }
}
