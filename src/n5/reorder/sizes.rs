//! What the sizes of buffers must be, and the strides of arrays without gaps.

use super::error::{ReorderError, Side};
use crate::n5::dimension_order::DimensionOrder;

/// Checks that all three lists are for the same dimensions.
pub(super) fn expect_dimensionality(
    block: &[usize],
    start: &[usize],
    region: &[usize],
) -> Result<(), ReorderError> {
    if block.len() == start.len() && block.len() == region.len() {
        return Ok(());
    }
    Err(ReorderError::Dimensionality {
        block: block.len(),
        start: start.len(),
        region: region.len(),
    })
}

/// Checks that a buffer has exactly the bytes that its shape needs.
pub(super) fn expect_size(
    side: Side,
    found: usize,
    shape: &[usize],
    element_size: usize,
) -> Result<(), ReorderError> {
    if !matches!(element_size, 1 | 2 | 4 | 8) {
        return Err(ReorderError::ElementSize {
            found: element_size,
        });
    }
    // With a dimension of length 0 the array is empty, even if the product of the others overflows.
    let expected = if shape.contains(&0) {
        Some(0)
    } else {
        shape
            .iter()
            .try_fold(element_size, |bytes, &len| bytes.checked_mul(len))
    };
    match expected {
        None => Err(too_large(shape, element_size)),
        Some(expected) if expected != found => Err(ReorderError::Length {
            side,
            shape: shape.to_vec(),
            element_size,
            expected,
            found,
        }),
        Some(_) => Ok(()),
    }
}

pub(super) fn too_large(shape: &[usize], element_size: usize) -> ReorderError {
    ReorderError::TooLarge {
        shape: shape.to_vec(),
        element_size,
    }
}

/// The bytes from the first element of a strided array to the end of its last one; `None` if these
/// are more than can be addressed.
pub(super) fn strided_size(
    shape: &[usize],
    strides: &[usize],
    element_size: usize,
) -> Option<usize> {
    if shape.contains(&0) {
        return Some(0);
    }
    let last = std::iter::zip(shape, strides).try_fold(0_usize, |last, (&len, &stride)| {
        last.checked_add((len - 1).checked_mul(stride)?)
    })?;
    last.checked_add(1)?.checked_mul(element_size)
}

/// The strides in elements of an array in C order, or in C order of its dimensions backwards.
pub(super) fn strides(shape: &[usize], order: DimensionOrder) -> Vec<usize> {
    let mut strides = vec![0; shape.len()];
    let mut elements: usize = 1;
    let mut set = |stride: &mut usize, len: usize| {
        *stride = elements;
        // An empty array may have others so long that their product overflows; nothing is read
        // then.
        elements = elements.saturating_mul(len);
    };
    let dimensions = strides.iter_mut().zip(shape);
    match order {
        DimensionOrder::AsStored => dimensions.rev().for_each(|(stride, &len)| set(stride, len)),
        DimensionOrder::Reversed => dimensions.for_each(|(stride, &len)| set(stride, len)),
    }
    strides
}
