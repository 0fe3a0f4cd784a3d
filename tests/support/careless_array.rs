//! An array as a careless N5 writer leaves it, and what every region of it must read as.

use zarrs::array::ArraySubset;
use zarrs::storage::{Bytes, StoreKey};
use zarrs_interop::n5::N5DataType;

use crate::oracle::{block, for_each_position, index, metadata};

pub(crate) const SHAPE: [u64; 3] = [7, 5, 4];
pub(crate) const BLOCK: [u64; 3] = [3, 2, 2];
pub(crate) const FILL: u16 = 9;

/// No element of the array has the fill value.
fn value(position: &[u64]) -> u16 {
    u16::try_from(100 + index(&SHAPE, position)).unwrap()
}

/// The zarr.json of an array of the shape and fill value of this module.
pub(crate) fn array_json(grid: &str, codecs: &str) -> String {
    format!(
        r#"{{"zarr_format":3,"node_type":"array","shape":{SHAPE:?},"data_type":"uint16","fill_value":{FILL},
            "chunk_grid":{grid},"chunk_key_encoding":{{"name":"v2","configuration":{{"separator":"/"}}}},
            "codecs":[{codecs}]}}"#
    )
}

pub(crate) fn n5_default(compressor: &str) -> String {
    serde_json::to_string(&metadata(3, compressor)).unwrap()
}

/// Every chunk grid that can describe the blocks.
pub(crate) fn grids() -> [String; 3] {
    [
        format!(r#"{{"name":"regular","configuration":{{"chunk_shape":{BLOCK:?}}}}}"#),
        format!(r#"{{"name":"zarrs.regular_bounded","configuration":{{"chunk_shape":{BLOCK:?}}}}}"#),
        r#"{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[3,3,1],[2,2,1],[2,2]]}}"#
            .to_owned(),
    ]
}

/// The keys and values of the array: at the edges some blocks are truncated and some padded with
/// bytes that must not show, one inner block is short, one is missing.
pub(crate) fn entries(grid: &str, compressor: &str) -> Vec<(StoreKey, Bytes)> {
    let json = array_json(grid, &n5_default(compressor));
    let mut entries = vec![(StoreKey::new("zarr.json").unwrap(), json.into())];
    for_each_position(&[3, 3, 2], |at| {
        if at != [0, 0, 1] {
            let key = format!("{}/{}/{}", at[0], at[1], at[2]);
            entries.push((
                StoreKey::new(key).unwrap(),
                one_block(at, compressor).into(),
            ));
        }
    });
    entries
}

fn one_block(grid_position: &[u64], compressor: &str) -> Vec<u8> {
    let start: Vec<u64> = std::iter::zip(grid_position, BLOCK)
        .map(|(at, size)| at * size)
        .collect();
    let mut shape: Vec<u64> = BLOCK.to_vec();
    if grid_position.iter().sum::<u64>() % 2 == 0 {
        for axis in 0..3 {
            shape[axis] = shape[axis].min(SHAPE[axis] - start[axis]);
        }
    }
    if grid_position == [1, 1, 0] {
        shape[0] = 1;
    }
    let mut elements = Vec::new();
    for_each_position(&shape, |position| {
        let at = sum(&start, position);
        let inside = std::iter::zip(&at, SHAPE).all(|(&at, size)| at < size);
        let value = if inside { value(&at) } else { 0x3f3f };
        elements.extend(value.to_ne_bytes());
    });
    block(&shape, N5DataType::UInt16, &elements, compressor)
}

/// What the element reads as.
pub(crate) fn expected(position: &[u64]) -> u16 {
    let missing = position[0] < 3 && position[1] < 2 && position[2] >= 2;
    let behind_the_short_block =
        (4..6).contains(&position[0]) && (2..4).contains(&position[1]) && position[2] < 2;
    if missing || behind_the_short_block {
        FILL
    } else {
        value(position)
    }
}

/// Regions of the array, every single element among them, and what they read as in C order.
pub(crate) fn regions() -> Vec<(ArraySubset, Vec<u16>)> {
    let mut regions = vec![
        ArraySubset::new_with_shape(SHAPE.to_vec()),
        ArraySubset::new_with_ranges(&[1..6, 1..4, 1..3]),
        ArraySubset::new_with_ranges(&[0..7, 2..3, 0..4]),
        ArraySubset::new_with_ranges(&[2..3, 0..5, 0..4]),
        ArraySubset::new_with_ranges(&[0..7, 0..5, 3..4]),
        ArraySubset::new_with_ranges(&[5..5, 0..5, 0..4]),
    ];
    for_each_position(&SHAPE, |position| {
        regions.push(ArraySubset::new_with_start_shape(position.to_vec(), vec![1; 3]).unwrap());
    });
    let values = |region: &ArraySubset| {
        let mut values = Vec::new();
        for_each_position(region.shape(), |position| {
            values.push(expected(&sum(region.start(), position)));
        });
        values
    };
    regions
        .into_iter()
        .map(|region| (region.clone(), values(&region)))
        .collect()
}

fn sum(a: &[u64], b: &[u64]) -> Vec<u64> {
    std::iter::zip(a, b).map(|(a, b)| a + b).collect()
}
