/// The most bytes that the elements of one block may take, uncompressed.
///
/// N5 readers hold a block in one Java array of at most 2<sup>31</sup> - 1 elements; nothing larger
/// than this can be read by all of them.
pub const MAX_BLOCK_BYTES: u64 = 1 << 31;

/// The size in bytes of the elements of a block; `None` if that is over [`MAX_BLOCK_BYTES`].
///
/// `shape` is in elements, `element_size` in bytes.
pub(crate) fn block_bytes<N: Copy + Into<u64>>(shape: &[N], element_size: usize) -> Option<usize> {
    shape
        .iter()
        .try_fold(element_size as u64, |size, &len| {
            size.checked_mul(len.into())
        })
        .filter(|&size| size <= MAX_BLOCK_BYTES)
        .and_then(|size| usize::try_from(size).ok())
}
