//! Buffers for a decompressed size that is known beforehand but not trusted.

#[cfg(any(feature = "bzip2", feature = "xz"))]
use std::io::{self, Read};

/// Gives `out` the length `size`. What it holds then is arbitrary: the caller overwrites all of it.
///
/// A buffer that must grow is replaced by a new zeroed one, whose pages an operating system provides
/// only when they are written. So a claim that turns out wrong costs no memory, and a reused buffer
/// of the right size is not cleared again.
#[cfg(any(feature = "gzip", feature = "lz4", feature = "zstd"))]
pub(crate) fn set_length(out: &mut Vec<u8>, size: usize) {
    if size <= out.capacity() {
        out.resize(size, 0);
    } else {
        *out = vec![0; size];
    }
}

/// Reads what `reader` decompresses into `out`, at most one byte more than `limit`.
///
/// For formats in which a few bytes can stand for very many: the buffer grows with what is really
/// decompressed, and only data of an ordinary ratio gets the whole buffer at once.
#[cfg(any(feature = "bzip2", feature = "xz"))]
pub(crate) fn read_bounded(
    reader: impl Read,
    encoded_size: usize,
    limit: usize,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    const ORDINARY_RATIO: usize = 16;
    out.clear();
    out.reserve_exact(limit.min(encoded_size.saturating_mul(ORDINARY_RATIO)));
    let one_more = u64::try_from(limit).map_or(u64::MAX, |limit| limit.saturating_add(1));
    reader.take(one_more).read_to_end(out)?;
    Ok(())
}
