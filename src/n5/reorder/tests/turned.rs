//! Boxes that are turned round without the buffers of tiles.

use super::*;
use crate::n5::reorder::turned::turn;

/// Turns a box of a block of elements of `size` bytes, with two elements of room after each slice
/// along dimension 0, and compares with the loops over coordinates.
///
/// Dimension 0 is the slowest of the destination, the last one the fastest.
fn check_turned(block_shape: &[usize], start: &[usize], shape: &[usize], size: usize) {
    let (out, turned, elements) = turned(block_shape, start, shape, size);
    assert!(turned, "{block_shape:?} from {start:?} as {shape:?}");
    let slice = shape[1..].iter().product::<usize>() * size;
    for (found, expected) in out.chunks(slice + 2 * size).zip(elements.chunks(slice)) {
        let (found, gap) = found.split_at(slice);
        assert!(found == expected, "{shape:?}, {size} bytes");
        assert!(gap.iter().all(|&byte| byte == 0xee), "{shape:?}");
    }
}

/// What became of a destination full of `0xee`, whether it was written, and the right elements.
fn turned(
    block_shape: &[usize],
    start: &[usize],
    shape: &[usize],
    size: usize,
) -> (Vec<u8>, bool, Vec<u8>) {
    let payload = bytes(block_shape.iter().product::<usize>() * size);
    let elements = oracle(&payload, block_shape, start, shape, &[7; 8][..size]);
    let mut strides = strides(shape, DimensionOrder::AsStored);
    strides[0] += 2;
    let region = Region {
        block_shape,
        start,
        shape,
        strides: &strides,
    };
    let mut out = vec![0xee; shape[0] * strides[0] * size];
    let is_turned = match size {
        1 => turn::<u8x16, 16, 1>(&payload, region, &mut out),
        2 => turn::<u16x8, 8, 2>(&payload, region, &mut out),
        4 => turn::<u32x4, 4, 4>(&payload, region, &mut out),
        _ => turn::<u64x2, 2, 8>(&payload, region, &mut out),
    };
    (out, is_turned, elements)
}

#[test]
fn lengths_that_squares_do_not_divide_are_turned() {
    for size in [1, 2, 4, 8] {
        check_turned(&[19, 3, 33], &[0; 3], &[19, 3, 33], size);
        check_turned(&[40, 3, 30], &[7, 1, 2], &[17, 2, 27], size);
        check_turned(&[16, 16], &[0; 2], &[16, 16], size);
        check_turned(&[16, 2, 1, 3, 17], &[0; 5], &[16, 2, 1, 3, 17], size);
    }
}

#[test]
fn what_does_not_fill_squares_is_left_to_others() {
    let too_short = [1, 2, 4].map(|size| (size, 16 / size - 1));
    for (size, len) in too_short {
        check_left(&[len, 3, 40], &[len, 3, 40], size);
        check_left(&[40, 3, len], &[40, 3, len], size);
    }
    for size in [1, 2, 4, 8] {
        // Padded, and without neighbours in the payload.
        check_left(&[40, 3, 40], &[40, 3, 41], size);
        check_left(&[40, 40, 40], &[1, 40, 40], size);
    }
}

/// Nothing is written.
fn check_left(block_shape: &[usize], shape: &[usize], size: usize) {
    let start = vec![0; shape.len()];
    let (out, is_turned, _) = turned(block_shape, &start, shape, size);
    assert!(!is_turned, "{block_shape:?} as {shape:?}, {size} bytes");
    assert!(out.iter().all(|&byte| byte == 0xee), "{shape:?}");
}
