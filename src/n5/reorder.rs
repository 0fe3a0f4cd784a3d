//! (being written) the interface that the codec codes against.
#![allow(missing_docs, clippy::all, clippy::pedantic)]

/// One N5 payload (big-endian, dimension 0 fastest) -> native-endian C order (last dimension fastest).
///
/// Writes the box `[start, start + shape)` (element coordinates, dimension 0 first) of the block into `out`, an
/// array of shape `shape` in C order. What lies outside `block_shape` is set to `fill_value` (native-endian bytes of
/// one element; its length is the element size: 1, 2, 4 or 8).
pub(crate) fn decode_region(
    payload: &[u8],
    block_shape: &[usize],
    start: &[usize],
    shape: &[usize],
    fill_value: &[u8],
    out: &mut [u8],
) -> Result<(), ReorderError> {
    let _ = (payload, block_shape, start, shape, fill_value, out);
    Err(ReorderError::Placeholder)
}

/// The inverse: a whole native-endian C-order array of `shape` to an N5 payload in `out`.
pub(crate) fn encode_block(
    elements: &[u8],
    shape: &[usize],
    element_size: usize,
    out: &mut [u8],
) -> Result<(), ReorderError> {
    let _ = (elements, shape, element_size, out);
    Err(ReorderError::Placeholder)
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReorderError {
    #[error("being written")]
    Placeholder,
}
