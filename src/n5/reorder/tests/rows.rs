//! Boxes of several blocks that follow each other along a dimension.

use super::*;
use crate::n5::reorder::abreast;
use crate::n5::reorder::row::Row;
use crate::n5::reorder::staged::decode_parts;

/// Decodes in parts of `part` bytes, whether that is faster or not.
pub(super) fn decode_row_in_parts(
    row: &Row<'_>,
    fill_value: &[u8],
    out: &mut [u8],
    part: usize,
) -> bool {
    let scratch = &mut vec![0xdd; 5];
    match fill_value.len() {
        1 => decode_parts::<u8x16, 16, 1>(row, fill_value, out, scratch, part),
        2 => decode_parts::<u16x8, 8, 2>(row, fill_value, out, scratch, part),
        4 => decode_parts::<u32x4, 4, 4>(row, fill_value, out, scratch, part),
        _ => decode_parts::<u64x2, 2, 8>(row, fill_value, out, scratch, part),
    }
}

/// Decodes side by side if that is possible.
fn decode_abreast(row: &Row<'_>, size: usize, out: &mut [u8]) -> bool {
    match size {
        1 => abreast::reorder::<1>(row, out),
        2 => abreast::reorder::<2>(row, out),
        4 => abreast::reorder::<4>(row, out),
        _ => abreast::reorder::<8>(row, out),
    }
}

/// A box with the elements of its block.
#[derive(Clone, Debug)]
struct Given {
    payload: Vec<u8>,
    block_shape: Vec<usize>,
    start: Vec<usize>,
    shape: Vec<usize>,
}

impl Given {
    /// The elements of the block number `number` of a row differ from those of the others.
    fn new(block_shape: &[usize], start: &[usize], shape: &[usize], size: usize) -> Self {
        Self {
            payload: bytes(block_shape.iter().product::<usize>() * size),
            block_shape: block_shape.to_vec(),
            start: start.to_vec(),
            shape: shape.to_vec(),
        }
    }

    /// Makes its elements other than those of a block with another number.
    fn numbered(mut self, number: u8) -> Self {
        for byte in &mut self.payload {
            *byte = byte.wrapping_add(number.wrapping_mul(59));
        }
        self
    }

    fn as_box(&self) -> BlockBox<'_> {
        BlockBox {
            payload: &self.payload,
            block_shape: &self.block_shape,
            start: &self.start,
            shape: &self.shape,
        }
    }
}

/// What an array with `strides`, of which `margin` elements before and after belong to others,
/// holds afterwards, by loops over coordinates.
fn expected(
    given: &[Given],
    dimension: usize,
    strides: &[usize],
    fill_value: &[u8],
    margin: usize,
) -> Vec<u8> {
    let size = fill_value.len();
    let mut out = Vec::new();
    let mut before = 0;
    for one in given {
        let elements = oracle(
            &one.payload,
            &one.block_shape,
            &one.start,
            &one.shape,
            fill_value,
        );
        for (number, element) in elements.chunks(size).enumerate() {
            let (mut rest, mut to) = (number, margin + before * strides[dimension]);
            for (len, stride) in std::iter::zip(&one.shape, strides).rev() {
                to += rest % len * stride;
                rest /= len;
            }
            let end = (to + 1 + margin) * size;
            out.resize(out.len().max(end), 0xee);
            out[to * size..][..size].copy_from_slice(element);
        }
        before += one.shape[dimension];
    }
    out
}

/// Compares with the loops over coordinates, in both orders and in every way.
///
/// `gap` elements of others follow each line of the destination. Returns how often the boxes could
/// be written side by side.
fn check_row(given: &[Given], dimension: usize, size: usize, gap: usize) -> usize {
    const MARGIN: usize = 3;
    let fill_value = &[0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8][..size];
    let mut shape = given[0].shape.clone();
    shape[dimension] = given.iter().map(|one| one.shape[dimension]).sum();
    let mut abreast = 0;
    for order in [DimensionOrder::AsStored, DimensionOrder::Reversed] {
        let mut room = shape.clone();
        match order {
            DimensionOrder::AsStored => *room.last_mut().unwrap() += gap,
            DimensionOrder::Reversed => room[0] += gap,
        }
        let strides = strides(&room, order);
        let expected = expected(given, dimension, &strides, fill_value, MARGIN);
        let boxes: Vec<BlockBox<'_>> = given.iter().map(Given::as_box).collect();
        let row = Row::new(&boxes, dimension, &strides, size);
        let row = row.unwrap().unwrap();
        let case = format!("{given:?} along {dimension}, {order:?}, {size} bytes");
        let mut out = vec![0xee; expected.len()];
        let place = MARGIN * size..expected.len() - MARGIN * size;

        let destination = Destination {
            out: &mut out[place.clone()],
            strides: &strides,
            scratch: &mut Vec::new(),
        };
        decode_row(&boxes, dimension, fill_value, destination).unwrap();
        assert!(out == expected, "{case}");
        for part in [8, 200, 3000] {
            out.fill(0xee);
            assert!(decode_row_in_parts(
                &row,
                fill_value,
                &mut out[place.clone()],
                part
            ));
            assert!(out == expected, "{case}, parts of {part}");
        }
        out.fill(0xee);
        if decode_abreast(&row, size, &mut out[place]) {
            assert!(out == expected, "{case}, side by side");
            abreast += 1;
        } else {
            assert!(out.iter().all(|&byte| byte == 0xee), "{case}");
        }
    }
    abreast
}

/// The blocks of a row of an array that ends within the last one.
fn row_of_blocks(block: [usize; 3], along: usize, ends: usize, size: usize) -> Vec<Given> {
    let one = |number: u8| {
        let mut shape = block;
        if number == 2 {
            shape[along] = ends;
        }
        Given::new(&shape, &[0; 3], &shape, size).numbered(number)
    };
    (0..3).map(one).collect()
}

#[test]
fn rows_of_whole_blocks_are_written_in_both_orders() {
    for size in [1, 2, 4, 8] {
        for gap in [0, 5] {
            // Dimension 0 is the fastest in a payload and in reversed order, the last one in C
            // order.
            let row = row_of_blocks([17, 9, 20], 0, 6, size);
            assert_eq!(check_row(&row, 0, size, gap), 1);
            let row = row_of_blocks([17, 9, 20], 2, 1, size);
            assert_eq!(check_row(&row, 2, size, gap), 0);
            let row = row_of_blocks([17, 9, 20], 1, 4, size);
            assert_eq!(check_row(&row, 1, size, gap), 0);
        }
    }
}

#[test]
fn a_block_that_is_not_there_is_fill_value_between_its_neighbours() {
    for size in [1, 2, 4, 8] {
        for along in 0..3 {
            let mut row = row_of_blocks([16, 16, 16], along, 16, size);
            row[1] = Given::new(&[0; 3], &[0; 3], &[16, 16, 16], size);
            assert_eq!(check_row(&row, along, size, 0), 0);
        }
    }
}

#[test]
fn planes_and_lines_of_blocks_follow_each_other() {
    for along in 0..3 {
        for thin in 0..3 {
            let one = |number: u8| {
                let mut shape = [20, 12, 16];
                shape[thin] = 1;
                Given::new(&[20, 12, 16], &[0; 3], &shape, 2).numbered(number)
            };
            check_row(&(0..4).map(one).collect::<Vec<_>>(), along, 2, 1);
        }
    }
}

#[test]
fn one_element_without_dimensions_is_a_row() {
    let mut out = [0; 2];
    let one = Given::new(&[], &[], &[], 2);
    let destination = Destination {
        out: &mut out,
        strides: &[],
        scratch: &mut Vec::new(),
    };
    decode_row(&[one.as_box()], 0, &[0, 0], destination).unwrap();
    assert_eq!(out, oracle(&one.payload, &[], &[], &[], &[0, 0])[..]);
}

#[test]
fn without_boxes_nothing_is_written() {
    let mut out = [7; 2];
    let destination = Destination {
        out: &mut out,
        strides: &[1],
        scratch: &mut Vec::new(),
    };
    decode_row(&[], 0, &[0], destination).unwrap();
    assert_eq!(out, [7; 2]);
}

#[test]
fn of_boxes_without_elements_nothing_is_written() {
    let one = Given::new(&[8, 3, 4], &[0; 3], &[8, 0, 4], 1);
    let destination = Destination {
        out: &mut [],
        strides: &[10, 4, 1],
        scratch: &mut Vec::new(),
    };
    decode_row(&[one.as_box(); 2], 2, &[0], destination).unwrap();
}

#[test]
fn boxes_that_do_not_follow_each_other_are_refused() {
    let first = Given::new(&[2, 3], &[0, 0], &[2, 3], 1);
    let other = Given::new(&[4, 2], &[0, 0], &[4, 2], 1);
    for (dimension, other) in [(0, &other), (1, &other), (2, &first)] {
        let mut out = [7; 64];
        let destination = Destination {
            out: &mut out,
            strides: &[1, 8],
            scratch: &mut Vec::new(),
        };
        let boxes = [first.as_box(), other.as_box()];
        let error = decode_row(&boxes, dimension, &[0], destination);
        let expected = ReorderError::Row {
            dimension,
            expected: vec![2, 3],
            found: other.shape.clone(),
        };
        assert_eq!(error, Err(expected));
        assert_eq!(out, [7; 64]);
    }
}

#[test]
fn a_row_longer_than_memory_is_refused() {
    let empty = Given::new(&[0], &[0], &[usize::MAX], 1);
    let boxes = [empty.as_box(), empty.as_box()];
    let destination = Destination {
        out: &mut [],
        strides: &[1],
        scratch: &mut Vec::new(),
    };
    let error = decode_row(&boxes, 0, &[0], destination).unwrap_err();
    assert!(matches!(error, ReorderError::TooLarge { .. }), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(CASES)
    })]

    /// Of each further box the block, the start and the length along the row are its own.
    #[test]
    fn rows_equal_what_loops_over_coordinates_give(
        (block, start, shape) in regions(),
        others in prop::collection::vec((0..4_usize, 0..3_usize, 0..20_usize), 0..4),
        dimension in any::<prop::sample::Index>(),
        size in prop::sample::select(&[1, 2, 4, 8]),
        gap in 0..3_usize,
    ) {
        let dimension = dimension.index(shape.len());
        let mut given = vec![Given::new(&block, &start, &shape, size)];
        for (number, (longer, later, len)) in (1..).zip(others) {
            let block: Vec<usize> = block.iter().map(|block| block + longer).collect();
            let start: Vec<usize> = start.iter().map(|start| start + later).collect();
            let mut shape = shape.clone();
            shape[dimension] = len;
            given.push(Given::new(&block, &start, &shape, size).numbered(number));
        }
        let elements = given.iter().map(|one| one.shape.iter().product::<usize>());
        prop_assume!(elements.sum::<usize>() <= MOST_ELEMENTS);
        prop_assume!(given.iter().all(|one| one.payload.len() <= 8 * MOST_ELEMENTS));
        check_row(&given, dimension, size, gap);
    }
}
