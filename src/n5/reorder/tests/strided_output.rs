//! A box written to its place in a larger array.

use super::rows::decode_row_in_parts;
use super::*;
use crate::n5::reorder::row::Row;

/// As the function itself, with scratch of its own.
fn decode_placed(
    payload: &[u8],
    block_shape: &[usize],
    start: &[usize],
    shape: &[usize],
    fill_value: &[u8],
    out: &mut [u8],
    strides: &[usize],
) -> Result<(), ReorderError> {
    let destination = Destination {
        out,
        strides,
        scratch: &mut Vec::new(),
    };
    let one = BlockBox {
        payload,
        block_shape,
        start,
        shape,
    };
    decode_row(&[one], 0, fill_value, destination)
}

/// The larger array: its strides, where the box begins and how many elements it has in all.
struct Place {
    strides: Vec<usize>,
    first: usize,
    elements: usize,
}

impl Place {
    /// Room for `shape` with `before` and `after` elements around it along each dimension. In C
    /// order the last dimension is the fastest, otherwise dimension 0 is.
    fn new(shape: &[usize], before: &[usize], after: &[usize], in_c_order: bool) -> Self {
        let mut place = Place {
            strides: vec![0; shape.len()],
            first: 0,
            elements: 1,
        };
        let mut dimensions: Vec<usize> = (0..shape.len()).collect();
        if in_c_order {
            dimensions.reverse();
        }
        for d in dimensions {
            place.strides[d] = place.elements;
            place.first += before[d] * place.elements;
            place.elements *= before[d] + shape[d] + after[d];
        }
        place
    }

    /// The larger array with the elements of the box, given in C order, in their places.
    fn expected(&self, shape: &[usize], elements: &[u8], size: usize) -> Vec<u8> {
        let mut out = vec![0xee; self.elements * size];
        for (position, element) in elements.chunks_exact(size).enumerate() {
            let mut rest = position;
            let mut to = self.first;
            for d in (0..shape.len()).rev() {
                to += rest % shape[d] * self.strides[d];
                rest /= shape[d];
            }
            out[to * size..][..size].copy_from_slice(element);
        }
        out
    }
}

/// Compares with the loops over coordinates, in both orders, as chosen and with either kind of
/// loop.
fn check_placed(
    (block_shape, start, shape): (&[usize], &[usize], &[usize]),
    (before, after): (&[usize], &[usize]),
    size: usize,
) {
    let payload = bytes(block_shape.iter().product::<usize>() * size);
    let fill_value = &[0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8][..size];
    let elements = oracle(&payload, block_shape, start, shape, fill_value);
    for in_c_order in [true, false] {
        let place = Place::new(shape, before, after, in_c_order);
        let expected = place.expected(shape, &elements, size);
        let case = format!("{block_shape:?} from {start:?} as {shape:?}, C order {in_c_order}");

        let mut out = vec![0xee; expected.len()];
        let target = &mut out[place.first * size..];
        decode_placed(
            &payload,
            block_shape,
            start,
            shape,
            fill_value,
            target,
            &place.strides,
        )
        .unwrap();
        assert!(out == expected, "{case}, {size} bytes");

        let one = BlockBox {
            payload: &payload,
            block_shape,
            start,
            shape,
        };
        let region = Region {
            block_shape,
            start,
            shape,
            strides: &place.strides,
        };
        for tiles in [false, true] {
            out.fill(0xee);
            let target = &mut out[place.first * size..];
            decode_with(&payload, region, fill_value, target, tiles);
            assert!(out == expected, "{case}, {size} bytes, tiles {tiles}");
        }
        for part in [8, 200, 3000] {
            out.fill(0xee);
            let target = &mut out[place.first * size..];
            assert!(decode_in_parts(
                one,
                &place.strides,
                fill_value,
                target,
                part
            ));
            assert!(out == expected, "{case}, {size} bytes, parts of {part}");
        }
    }
}

/// Decodes in parts of `part` bytes, whether that is faster or not.
fn decode_in_parts(
    one: BlockBox<'_>,
    strides: &[usize],
    fill_value: &[u8],
    out: &mut [u8],
    part: usize,
) -> bool {
    let boxes = [one];
    let row = Row::new(&boxes, 0, strides, fill_value.len())
        .unwrap()
        .unwrap();
    decode_row_in_parts(&row, fill_value, out, part)
}

#[test]
fn a_block_in_a_large_array_is_written_in_parts_as_at_once() {
    check_placed(
        (&[30, 40, 50], &[1, 0, 2], &[29, 41, 60]),
        (&[0, 3, 40], &[0, 70, 90]),
        8,
    );
}

#[test]
fn a_row_of_two_is_written_between_its_neighbours() {
    let mut out = [9; 8];
    // Elements (0, 0), (1, 0), (0, 1), (1, 1) of a block to columns 1 and 2 of two rows of four.
    let rows = &mut out[1..];
    decode_placed(
        &[1, 2, 3, 4],
        &[2, 2],
        &[0, 0],
        &[2, 2],
        &[0],
        rows,
        &[1, 4],
    )
    .unwrap();
    assert_eq!(out, [9, 1, 2, 9, 9, 3, 4, 9]);
}

#[test]
fn blocks_of_usual_shapes_are_written_to_their_places() {
    for size in [1, 2, 4, 8] {
        for shape in [
            [16, 16, 16],
            [15, 17, 9],
            [1, 20, 30],
            [20, 1, 30],
            [20, 30, 1],
        ] {
            check_placed((&shape, &[0; 3], &shape), (&[3, 0, 5], &[0, 2, 1]), size);
            check_placed((&shape, &[0; 3], &shape), (&[0; 3], &[0; 3]), size);
        }
    }
}

#[test]
fn reversed_dimensions_keep_the_order_of_the_payload() {
    // A block of 2 x 2 elements read as 3 x 2.
    let payload = [0, 1, 0, 2, 0, 3, 0, 4];
    let mut out = [0; 12];
    let order = DimensionOrder::Reversed;
    super::super::decode_region(
        &payload,
        &[2, 2],
        &[0, 0],
        &[3, 2],
        &[7, 7],
        order,
        &mut out,
    )
    .unwrap();
    let elements = out.as_chunks::<2>().0;
    let elements: Vec<u16> = elements.iter().map(|&x| u16::from_ne_bytes(x)).collect();
    assert_eq!(elements, [1, 2, 0x0707, 3, 4, 0x0707]);

    let native: Vec<u8> = [1_u16, 2, 3, 4]
        .iter()
        .flat_map(|x| x.to_ne_bytes())
        .collect();
    let mut encoded = [0; 8];
    super::super::encode_block(&native, &[2, 2], 2, order, &mut encoded).unwrap();
    assert_eq!(encoded, payload);
}

#[test]
fn padding_stays_within_the_box() {
    for size in [1, 2, 4, 8] {
        check_placed(
            (&[9, 10, 11], &[0; 3], &[16, 16, 16]),
            (&[1; 3], &[1; 3]),
            size,
        );
        check_placed(
            (&[40, 10, 11], &[7, 0, 9], &[16, 16, 16]),
            (&[1; 3], &[1; 3]),
            size,
        );
        check_placed((&[4, 4], &[4, 0], &[5, 6]), (&[1, 2], &[3, 4]), size);
        check_placed((&[20, 600], &[3, 7], &[30, 580]), (&[1, 2], &[3, 4]), size);
    }
}

#[test]
fn an_output_that_ends_before_the_last_element_is_refused() {
    let mut out = [7; 6];
    let error = decode_placed(
        &[1, 2, 3, 4],
        &[2, 2],
        &[0, 0],
        &[2, 2],
        &[0],
        &mut out,
        &[5, 1],
    );
    assert_eq!(
        error,
        Err(ReorderError::Length {
            side: Side::Array,
            shape: vec![2, 2],
            element_size: 1,
            expected: 7,
            found: 6
        })
    );
    assert_eq!(out, [7; 6]);
}

#[test]
fn strides_beyond_memory_are_refused() {
    let error = decode_placed(&[1, 2], &[2], &[0], &[2], &[0], &mut [0; 4], &[usize::MAX]);
    assert_eq!(
        error,
        Err(ReorderError::TooLarge {
            shape: vec![2],
            element_size: 1
        })
    );
}

#[test]
fn strides_for_other_dimensions_are_refused() {
    let error = decode_placed(&[1, 2], &[2], &[0], &[2], &[0], &mut [0; 4], &[1, 1]);
    assert_eq!(
        error,
        Err(ReorderError::Dimensionality {
            block: 1,
            start: 1,
            region: 2
        })
    );
}

#[test]
fn an_empty_box_writes_nothing() {
    let mut out = [7; 4];
    decode_placed(&[1, 2], &[2], &[0], &[0], &[9], &mut out, &[1]).unwrap();
    assert_eq!(out, [7; 4]);
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(CASES)
    })]

    #[test]
    fn boxes_are_written_to_their_places_and_nowhere_else(
        (block, start, shape) in regions(),
        margins in prop::collection::vec((0..3_usize, 0..3_usize), 6),
        size in prop::sample::select(&[1, 2, 4, 8]),
    ) {
        let (before, after): (Vec<usize>, Vec<usize>) =
            margins.into_iter().take(block.len()).unzip();
        let all = std::iter::zip(&shape, std::iter::zip(&before, &after));
        let elements: usize = all.map(|(len, (before, after))| before + len + after).product();
        prop_assume!(elements <= 2 * MOST_ELEMENTS);
        check_placed((&block, &start, &shape), (&before, &after), size);
    }
}
