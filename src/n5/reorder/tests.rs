mod refusals;
mod rows;
mod strided_output;
mod turned;

use super::*;
use proptest::prelude::*;

/// As most tests have no order to choose.
fn decode_region(
    payload: &[u8],
    block_shape: &[usize],
    start: &[usize],
    shape: &[usize],
    fill_value: &[u8],
    out: &mut [u8],
) -> Result<(), ReorderError> {
    let order = DimensionOrder::AsStored;
    super::decode_region(payload, block_shape, start, shape, fill_value, order, out)
}

/// As most tests have no order to choose.
fn encode_block(
    elements: &[u8],
    shape: &[usize],
    element_size: usize,
    out: &mut [u8],
) -> Result<(), ReorderError> {
    super::encode_block(elements, shape, element_size, DimensionOrder::AsStored, out)
}

/// Smaller under Miri (`cargo +nightly miri test --no-default-features --features n5 --lib
/// reorder`), which is about a thousand times slower.
const MOST_ELEMENTS: usize = if cfg!(miri) { 3000 } else { 64_000 };
const CASES: u32 = if cfg!(miri) { 5 } else { 150 };

/// The expected result: one element at a time, by its coordinates.
fn oracle(
    payload: &[u8],
    block_shape: &[usize],
    start: &[usize],
    shape: &[usize],
    fill_value: &[u8],
) -> Vec<u8> {
    let size = fill_value.len();
    let mut out = Vec::new();
    for position in 0..shape.iter().product() {
        let mut rest = position;
        let mut at = vec![0; shape.len()];
        for d in (0..shape.len()).rev() {
            at[d] = start[d] + rest % shape[d];
            rest /= shape[d];
        }
        if at.iter().zip(block_shape).all(|(at, len)| at < len) {
            let source = (0..shape.len())
                .rev()
                .fold(0, |source, d| source * block_shape[d] + at[d]);
            let mut element = payload[source * size..][..size].to_vec();
            if cfg!(target_endian = "little") {
                element.reverse();
            }
            out.extend(element);
        } else {
            out.extend(fill_value);
        }
    }
    out
}

/// Bytes that differ from their neighbours, the same in every run.
fn bytes(len: usize) -> Vec<u8> {
    (0..len as u64)
        .map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8)
        .collect()
}

fn check(block_shape: &[usize], start: &[usize], shape: &[usize], size: usize) {
    let payload = bytes(block_shape.iter().product::<usize>() * size);
    let fill_value = &[0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8][..size];
    let expected = oracle(&payload, block_shape, start, shape, fill_value);
    let compare = |loops: &str, out: &[u8]| {
        if let Some(i) = (0..out.len()).find(|&i| out[i] != expected[i]) {
            panic!(
                "{loops}: {block_shape:?} from {start:?} as {shape:?}, {size} bytes: byte {i} is {} not {}",
                out[i], expected[i]
            );
        }
    };
    let mut out = vec![0xee; expected.len()];
    decode_region(&payload, block_shape, start, shape, fill_value, &mut out).unwrap();
    compare("as chosen", &out);

    // Tiles and strided loops give the same result everywhere; the choice is a matter of speed
    // only.
    let region = Region {
        block_shape,
        start,
        shape,
        strides: &strides(shape, DimensionOrder::AsStored),
    };
    for (loops, tiles) in [("strided", false), ("tiled", true)] {
        out.fill(0xee);
        decode_with(&payload, region, fill_value, &mut out, tiles);
        compare(loops, &out);
    }
}

/// Decodes with tiles, if there are any neighbours on either side, or with strided loops.
fn decode_with(payload: &[u8], region: Region<'_>, fill_value: &[u8], out: &mut [u8], tiles: bool) {
    let suits = |plan: &Plan| tiles && plan.gather().count() > 0 && plan.scatter().count() > 0;
    match fill_value.len() {
        1 => decode_by::<u8x16, 16, 1>(payload, region, fill_value, out, suits),
        2 => decode_by::<u16x8, 8, 2>(payload, region, fill_value, out, suits),
        4 => decode_by::<u32x4, 4, 4>(payload, region, fill_value, out, suits),
        _ => decode_by::<u64x2, 2, 8>(payload, region, fill_value, out, suits),
    }
}

fn check_whole(shape: &[usize]) {
    for size in [1, 2, 4, 8] {
        check(shape, &vec![0; shape.len()], shape, size);
        let elements = bytes(shape.iter().product::<usize>() * size);
        let (mut payload, mut again) = (vec![0xee; elements.len()], vec![0xee; elements.len()]);
        encode_block(&elements, shape, size, &mut payload).unwrap();
        decode_region(
            &payload,
            shape,
            &vec![0; shape.len()],
            shape,
            &vec![0; size],
            &mut again,
        )
        .unwrap();
        assert!(
            again == elements,
            "{shape:?}, {size} bytes: decoding does not undo encoding"
        );
    }
}

#[test]
fn a_block_of_two_by_three_is_turned_and_swapped() {
    // Dimension 0 has 2 elements and is the fastest: the payload lists (0,0), (1,0), (0,1), (1,1),
    // (0,2), (1,2).
    let payload = [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6];
    let mut out = [0; 12];
    decode_region(&payload, &[2, 3], &[0, 0], &[2, 3], &[0, 0], &mut out).unwrap();
    let expected: Vec<u8> = [1_u16, 3, 5, 2, 4, 6]
        .iter()
        .flat_map(|x| x.to_ne_bytes())
        .collect();
    assert_eq!(out.as_slice(), expected);

    let mut encoded = [0; 12];
    encode_block(&out, &[2, 3], 2, &mut encoded).unwrap();
    assert_eq!(encoded, payload);
}

#[test]
fn a_block_cut_short_is_padded_with_the_fill_value() {
    let mut out = [0; 9];
    decode_region(&[1, 2, 3, 4], &[2, 2], &[0, 0], &[3, 3], &[9], &mut out).unwrap();
    assert_eq!(out, [1, 3, 9, 2, 4, 9, 9, 9, 9]);
}

#[test]
fn padding_among_very_many_dimensions_does_not_exhaust_the_stack() {
    let block = vec![1; 60_000];
    let mut shape = block.clone();
    shape[59_999] = 3;
    shape[7] = 2;
    let start = vec![0; 60_000];
    let mut out = [0; 6];
    decode_region(&[5], &block, &start, &shape, &[9], &mut out).unwrap();
    assert_eq!(out, [5, 9, 9, 9, 9, 9]);
}

#[test]
fn a_region_beyond_the_block_is_all_fill_value() {
    let mut out = [0; 4];
    decode_region(&[1, 2, 3, 4], &[2, 2], &[2, 0], &[2, 2], &[9], &mut out).unwrap();
    assert_eq!(out, [9; 4]);
}

#[test]
fn a_region_that_starts_at_the_end_of_memory_is_all_fill_value() {
    let mut out = [0; 2];
    decode_region(&[1, 2], &[2], &[usize::MAX], &[2], &[9], &mut out).unwrap();
    assert_eq!(out, [9; 2]);
}

#[test]
fn empty_shapes_write_nothing() {
    decode_region(&[1, 2], &[2, 1], &[0, 0], &[0, 1], &[9], &mut []).unwrap();
    decode_region(
        &[],
        &[usize::MAX, 0, 2],
        &[0, 0, 0],
        &[2, 0, 1],
        &[9],
        &mut [],
    )
    .unwrap();
    decode_region(
        &[1],
        &[1; 4],
        &[0; 4],
        &[2, usize::MAX, 3, 0],
        &[9],
        &mut [],
    )
    .unwrap();
    encode_block(&[], &[0, usize::MAX, 2], 8, &mut []).unwrap();
}

#[test]
fn an_empty_block_is_all_padding() {
    let mut out = [0; 4];
    decode_region(&[], &[0, 2], &[0, 0], &[2, 2], &[9], &mut out).unwrap();
    assert_eq!(out, [9; 4]);
}

#[test]
fn no_dimensions_are_one_element() {
    let mut out = [0; 2];
    decode_region(&[1, 2], &[], &[], &[], &[0, 0], &mut out).unwrap();
    assert_eq!(u16::from_ne_bytes(out), 0x0102);
}

#[test]
fn whole_blocks_of_every_kind_of_shape() {
    let shapes: [&[usize]; 33] = [
        &[1],
        &[5],
        &[300],
        &[64, 64],
        &[65, 63],
        &[130, 129],
        &[1, 1, 700],
        &[700, 1, 1],
        &[4, 1000],
        &[1000, 4],
        &[2, 999],
        &[13, 700],
        &[257, 96],
        &[60, 100, 9],
        &[10, 12, 10],
        &[700, 13],
        &[15, 300, 3],
        &[16, 16, 16],
        &[999, 2],
        &[1, 3],
        &[7, 5, 3],
        &[8, 8, 8],
        &[3, 5, 7, 11],
        &[3, 200, 5],
        &[2, 200, 2],
        &[17, 3, 1, 19],
        &[64, 3, 64],
        &[40, 40, 40],
        &[129, 2, 65],
        &[2; 12],
        &[3; 7],
        &[
            1, 1, 1, 9, 1, 1, 1, 1, 1, 1, 1, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
            1, 70, 1,
        ],
        &[1; 32],
    ];
    for shape in shapes {
        if shape.iter().product::<usize>() <= MOST_ELEMENTS {
            check_whole(shape);
        }
    }
}

#[test]
fn thin_regions_and_pads_that_part_the_neighbours() {
    for size in [1, 2, 4, 8] {
        check(&[70, 9, 70], &[3, 0, 0], &[1, 9, 70], size);
        check(&[70, 9, 70], &[0, 0, 69], &[70, 9, 1], size);
        check(&[70, 3, 1], &[0, 0, 0], &[70, 3, 70], size);
        check(&[1, 3, 70], &[0, 0, 0], &[70, 3, 70], size);
        check(&[5, 200, 5], &[1, 0, 1], &[3, 200, 3], size);
        check(&[3, 200, 3], &[0, 0, 0], &[5, 200, 5], size);
        check(&[5, 600, 5], &[1, 7, 1], &[3, 580, 3], size);
        check(&[20, 600], &[3, 7], &[9, 580], size);
        check(&[600, 20], &[7, 3], &[580, 9], size);
        check(&[4; 6], &[1; 6], &[3; 6], size);
        check(&[9, 20, 18], &[1, 2, 1], &[7, 18, 17], size);
        if !cfg!(miri) {
            check(&[30, 40, 30], &[1, 2, 3], &[25, 36, 27], size);
            check(&[25, 36, 27], &[0, 0, 0], &[30, 40, 30], size);
        }
    }
}

/// Lengths of dimensions whose product stays small: many of 1, now and then a long one.
fn shapes(dimensionalities: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(
        prop_oneof![3 => Just(1), 6 => 2..8_usize, 3 => 8..70_usize, 1 => 70..300_usize],
        dimensionalities,
    )
    .prop_map(|mut shape| {
        let mut room = MOST_ELEMENTS / 4;
        for len in &mut shape {
            *len = (*len).min(room);
            room /= *len;
        }
        // Without this the last dimensions would always be the short ones.
        let middle = shape.len() / 2;
        shape.rotate_left(middle);
        shape
    })
}

/// A block, and a region that lies in it, overlaps it or misses it.
fn regions() -> impl Strategy<Value = (Vec<usize>, Vec<usize>, Vec<usize>)> {
    (shapes(1..=6), shapes(1..=6)).prop_flat_map(|(block, mut shape)| {
        shape.resize(block.len(), 2);
        let start = block
            .iter()
            .map(|&len| prop_oneof![2 => Just(0), 3 => 0..len, 1 => 0..len + 3])
            .collect::<Vec<_>>();
        (Just(block), start, Just(shape))
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(CASES)
    })]

    #[test]
    fn regions_equal_what_loops_over_coordinates_give(
        (block, start, shape) in regions(),
        size in prop::sample::select(&[1, 2, 4, 8]),
    ) {
        // Growing the dimensionality may have made the shape too large.
        prop_assume!(shape.iter().product::<usize>() <= MOST_ELEMENTS);
        check(&block, &start, &shape, size);
    }

    #[test]
    fn decoding_undoes_encoding(shape in prop_oneof![4 => shapes(1..=6), 1 => shapes(7..=32)]) {
        check_whole(&shape);
    }
}
