//! What the benchmarks need of the inside: no part of the interface, and free to change at any
//! time.

use std::error::Error;

use super::dimension_order::DimensionOrder;
use super::reorder::{self, BlockBox, Destination};

/// The elements of a region of a block's payload, in C order.
///
/// # Errors
/// If the lengths do not match the shapes.
pub fn decode_region(
    payload: &[u8],
    block_shape: &[usize],
    region_start: &[usize],
    region_shape: &[usize],
    fill_value: &[u8],
    out: &mut [u8],
) -> Result<(), Box<dyn Error + Send + Sync>> {
    reorder::decode_region(
        payload,
        block_shape,
        region_start,
        region_shape,
        fill_value,
        DimensionOrder::AsStored,
        out,
    )?;
    Ok(())
}

/// The elements of a region of a block's payload, to a part of a larger array: neighbours along
/// dimension `d` are `strides[d]` elements apart there.
///
/// # Errors
/// If the lengths do not match the shapes.
pub fn decode_region_strided(
    payload: &[u8],
    block_shape: &[usize],
    region_start: &[usize],
    region_shape: &[usize],
    fill_value: &[u8],
    out: &mut [u8],
    (strides, scratch): (&[usize], &mut Vec<u8>),
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let destination = Destination {
        out,
        strides,
        scratch,
    };
    let one = BlockBox {
        payload,
        block_shape,
        start: region_start,
        shape: region_shape,
    };
    reorder::decode_row(&[one], 0, fill_value, destination)?;
    Ok(())
}

/// The payload of a block from its elements in C order.
///
/// # Errors
/// If the lengths do not match the shape.
pub fn encode_block(
    elements: &[u8],
    block_shape: &[usize],
    element_size: usize,
    out: &mut [u8],
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let order = DimensionOrder::AsStored;
    reorder::encode_block(elements, block_shape, element_size, order, out)?;
    Ok(())
}
