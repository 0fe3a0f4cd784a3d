//! Which ranges of a value are fetched together. Pure.

use std::iter;
use std::ops::Range;

/// Ranges with less than this between them are always fetched as one: at the prices of S3 a request
/// costs as much as some 4 kB of traffic. In time it costs nothing, as both are asked for at once.
const MIN_GAP: u64 = 4 << 10;

/// So are those where less than this part of what is fetched otherwise is between them: a second
/// request for each block would save less than a tenth of the bytes.
const MIN_PART: u64 = 10;

/// The ranges to fetch for `wanted`, at most two: all in one, or, if there is much in between that
/// nobody wants, those before and those after the widest gap. For a box in a raw block this gap is
/// the one behind the header; with more requests each row of a box would be one of its own.
pub(super) fn to_fetch(wanted: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut sorted: Vec<_> = wanted
        .iter()
        .filter(|range| !range.is_empty())
        .cloned()
        .collect();
    sorted.sort_by_key(|range| range.start);
    let Some(first) = sorted.first().cloned() else {
        return Vec::new();
    };
    let mut end = first.end;
    // The widest gap, from where to where.
    let mut gap = end..end;
    for range in sorted {
        if range.start > end && range.start - end > gap.end - gap.start {
            gap = end..range.start;
        }
        end = end.max(range.end);
    }
    let saved = gap.end - gap.start;
    let rest = end - first.start - saved;
    // Of many rows one gap is as wide as the other, and leaving one out saves nothing.
    if saved >= MIN_GAP && saved > rest / MIN_PART {
        vec![first.start..gap.start, gap.end..end]
    } else {
        iter::once(first.start..end).collect()
    }
}

/// Where in the one of `fetched` that holds `wanted` it is; `None` if none does.
pub(super) fn within(fetched: &[Range<u64>], wanted: &Range<u64>) -> Option<(usize, Range<usize>)> {
    let index = fetched
        .iter()
        .position(|fetched| fetched.start <= wanted.start && wanted.end <= fetched.end)?;
    let start = fetched.get(index)?.start;
    let from = usize::try_from(wanted.start.checked_sub(start)?).ok()?;
    let to = usize::try_from(wanted.end.checked_sub(start)?).ok()?;
    Some((index, from..to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_ranges_are_one() {
        assert_eq!(to_fetch(&[0..16, 16..4112]), vec![0..4112]);
        assert_eq!(to_fetch(&[0..16, 4000..4100]), vec![0..4100]);
        assert_eq!(to_fetch(&[0..16, 9000..99_016]), vec![0..99_016]);
        assert_eq!(to_fetch(&[300..400, 0..16, 20..30]), vec![0..400]);
        assert_eq!(to_fetch(&[0..10, 5..7]), vec![0..10]);
    }

    #[test]
    fn a_header_far_from_the_rest_is_fetched_alone() {
        let far = MIN_GAP + 16;
        let fetched = to_fetch(&[0..16, far..far + 10, far + 20..far + 30]);
        assert_eq!(fetched, vec![0..16, far..far + 30]);
    }

    /// Whatever is wanted of a block without gaps of its own, behind a header.
    #[test]
    fn at_most_a_tenth_and_the_smallest_gap_more_is_fetched() {
        for gap in (0..40_000_u64).step_by(97) {
            for len in [1, 100, 4096, 30_000, 400_000] {
                let start = 16 + gap;
                let fetched = to_fetch(&[0..16, start..start + len]);
                let size: u64 = fetched.iter().map(|range| range.end - range.start).sum();
                assert!(size <= 16 + len + (len + 16) / 10 + MIN_GAP, "{gap} {len}");
                let is_two = gap >= MIN_GAP && gap > len / 10;
                assert_eq!(fetched.len(), 1 + usize::from(is_two), "{gap} {len}");
            }
        }
    }

    #[test]
    fn rows_with_equal_gaps_are_one() {
        let rows: Vec<_> = (0..64).map(|row| row * 40_000..row * 40_000 + 64).collect();
        assert_eq!(to_fetch(&rows), vec![0..63 * 40_000 + 64]);
    }

    #[test]
    fn nothing_is_fetched_for_nothing() {
        assert_eq!(to_fetch(&[]), vec![]);
        let nothing = 5..5;
        assert_eq!(to_fetch(std::slice::from_ref(&nothing)), vec![]);
    }

    #[test]
    fn each_range_is_found_in_what_was_fetched() {
        let fetched = [0..16, 100..200];
        assert_eq!(within(&fetched, &(4..16)), Some((0, 4..16)));
        assert_eq!(within(&fetched, &(150..200)), Some((1, 50..100)));
        assert_eq!(within(&fetched, &(10..20)), None);
    }
}
