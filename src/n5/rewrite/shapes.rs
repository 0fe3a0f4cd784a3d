//! Which shapes chunks and shards have where the caller does not say. Pure.

/// Smaller chunks cost a request each, larger ones are slow to show. Viewers of images do best with
/// 64^3 to 128^3 bytes.
const CHUNK_SIZES: (u64, u64) = (256 << 10, 2 << 20);

/// The most bytes of a shard: large enough that a volume is some thousand files, small enough that
/// two cores need no more than some 200 MiB.
const SHARD_SIZE: u64 = 64 << 20;

/// How many numbers are tried as divisors of a length: shards are not longer by more.
const MOST_DIVISORS: usize = 1 << 20;

/// The shape of chunks for an array with blocks of the shape `block`.
///
/// `grows` says which dimensions may be longer or shorter than the block: those of space.
pub(super) fn chunk(block: &[u64], array: &[u64], grows: &[bool], element_size: u64) -> Vec<u64> {
    let mut chunk: Vec<u64> = block
        .iter()
        .zip(array)
        .map(|(&block, &array)| block.min(array).max(1))
        .collect();
    let size = |chunk: &[u64]| {
        chunk
            .iter()
            .fold(element_size, |size, &len| size.saturating_mul(len))
    };
    while size(&chunk) > CHUNK_SIZES.1 {
        let longest = chunk
            .iter_mut()
            .zip(grows)
            .filter(|(len, grows)| **grows && **len > 1)
            .max_by_key(|(len, _)| **len);
        let Some((len, _)) = longest else { break };
        *len = len.div_ceil(2);
    }
    while size(&chunk) < CHUNK_SIZES.0 {
        if !double_shortest(&mut chunk, array, grows) {
            break;
        }
    }
    chunk
}

/// Doubles the shortest length that may grow and is shorter than the array, the last of equals.
/// Returns whether there was one.
fn double_shortest(shape: &mut [u64], array: &[u64], grows: &[bool]) -> bool {
    let shortest = shape
        .iter_mut()
        .zip(array)
        .zip(grows)
        .rev()
        .filter(|((len, array), grows)| **grows && **len < **array)
        .min_by_key(|((len, _), _)| **len);
    let Some(((len, _), _)) = shortest else {
        return false;
    };
    *len = len.saturating_mul(2);
    true
}

/// The shape of shards for chunks of the shape `chunk`.
pub(super) fn shard(chunk: &[u64], array: &[u64], grows: &[bool], element_size: u64) -> Vec<u64> {
    let mut shard = chunk.to_vec();
    loop {
        let size = shard
            .iter()
            .fold(element_size, |size, &len| size.saturating_mul(len));
        if size.saturating_mul(2) > SHARD_SIZE {
            return shard;
        }
        if !double_shortest(&mut shard, array, grows) {
            return shard;
        }
    }
}

/// The largest shape of at most `chunk` that divides `shard`.
pub(super) fn dividing(chunk: &[u64], shard: &[u64]) -> Vec<u64> {
    let largest_divisor = |(&chunk, &shard): (&u64, &u64)| {
        // What is divided by the fewest is the largest; far fewer steps than chunks are long.
        let fewest = shard.checked_div(chunk).unwrap_or(0).max(1);
        (fewest..=shard)
            .take(MOST_DIVISORS)
            .find(|&parts| shard % parts == 0 && shard / parts <= chunk.max(1))
            .map_or(1, |parts| shard / parts)
    };
    chunk.iter().zip(shard).map(largest_divisor).collect()
}

/// A shape for all dimensions from one for all, for those of space, or of one length for all of
/// these; 1 along the others. `None` if it is neither.
pub(super) fn for_all_dimensions(shape: &[u64], is_space: &[bool]) -> Option<Vec<u64>> {
    if shape.len() == is_space.len() {
        return Some(shape.to_vec());
    }
    let space = is_space.iter().filter(|is_space| **is_space).count();
    let mut lens = match shape {
        &[len] => vec![len; space],
        _ if shape.len() == space => shape.to_vec(),
        _ => return None,
    }
    .into_iter();
    let mut of_space = || lens.next().unwrap_or(1);
    let whole = is_space.iter();
    Some(
        whole
            .map(|is_space| if *is_space { of_space() } else { 1 })
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPACE: [bool; 3] = [true; 3];

    #[test]
    fn usual_blocks_are_kept() {
        let array = [1024, 1024, 1024];
        assert_eq!(chunk(&[64, 64, 64], &array, &SPACE, 1), [64, 64, 64]);
        assert_eq!(chunk(&[128, 128, 128], &array, &SPACE, 1), [128, 128, 128]);
        assert_eq!(shard(&[64, 64, 64], &array, &SPACE, 1), [256, 512, 512]);
    }

    #[test]
    fn small_blocks_grow_and_large_ones_shrink() {
        let array = [1024, 1024, 1024];
        assert_eq!(chunk(&[8, 8, 8], &array, &SPACE, 1), [64, 64, 64]);
        assert_eq!(chunk(&[256, 256, 256], &array, &SPACE, 8), [64, 64, 64]);
    }

    #[test]
    fn only_dimensions_of_space_change() {
        let grows = [false, false, true, true, true];
        let array = [10, 3, 500, 2000, 2000];
        let chunk = chunk(&[1, 1, 1, 64, 64], &array, &grows, 2);
        assert_eq!(chunk[..2], [1, 1]);
        let shard = shard(&chunk, &array, &grows, 2);
        assert_eq!(shard[..2], [1, 1]);
        assert!(
            shard
                .iter()
                .zip(&chunk)
                .all(|(shard, chunk)| shard % chunk == 0)
        );
    }

    #[test]
    fn small_arrays_have_one_shard() {
        assert_eq!(chunk(&[64, 64, 64], &[11, 13, 18], &SPACE, 1), [11, 13, 18]);
        assert_eq!(shard(&[11, 13, 18], &[11, 13, 18], &SPACE, 1), [11, 13, 18]);
    }

    #[test]
    fn blocks_that_must_not_change_do_not() {
        assert_eq!(chunk(&[1 << 30], &[1 << 31], &[false], 8), [1 << 30]);
    }

    #[test]
    fn chunks_for_a_given_shard_divide_it() {
        assert_eq!(dividing(&[64, 64, 64], &[256, 96, 32]), [64, 48, 32]);
        assert_eq!(dividing(&[64, 5], &[97, 0]), [1, 1]);
    }

    #[test]
    fn a_short_shape_is_that_of_space() {
        let is_space = [false, true, false, true];
        let whole = |shape: &[u64]| for_all_dimensions(shape, &is_space);
        assert_eq!(whole(&[2, 3, 4, 5]).unwrap(), [2, 3, 4, 5]);
        assert_eq!(whole(&[4, 5]).unwrap(), [1, 4, 1, 5]);
        assert_eq!(whole(&[6]).unwrap(), [1, 6, 1, 6]);
        assert_eq!(whole(&[4, 5, 6]), None);
        assert_eq!(whole(&[]), None);
        assert_eq!(for_all_dimensions(&[6], &SPACE).unwrap(), [6; 3]);
    }
}
