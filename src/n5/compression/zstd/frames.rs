//! The frames of a Zstandard payload.

use std::cell::RefCell;
use std::io;

use thiserror::Error;
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe;

use crate::n5::compression::streams::EmptyStreams;

/// A block of at least 4 bytes (3 of header, 1 to repeat) stands for at most 128 KiB.
pub(super) const MAX_RATIO: usize = (128 << 10) / 4;

thread_local! {
    static DECOMPRESSOR: RefCell<Decompressor<'static>> = RefCell::default();
    static COMPRESSOR: RefCell<Compressor<'static>> = RefCell::default();
}

/// A Zstandard payload whose frames cannot be told apart.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
enum FrameError {
    #[error("the frame at byte {offset} is cut short, or is no Zstandard frame")]
    Frame { offset: usize },
    #[error("the header of the frame at byte {offset} is corrupt")]
    Header { offset: usize },
}

/// The decompressed size that the frames of `encoded` state; `None` if one of them does not.
pub(super) fn stated_size(encoded: &[u8]) -> io::Result<Option<u64>> {
    let invalid = |error| io::Error::new(io::ErrorKind::InvalidData, error);
    let mut total = Some(0_u64);
    let mut empty = EmptyStreams::new();
    let mut rest = encoded;
    while !rest.is_empty() {
        let offset = encoded.len() - rest.len();
        let size = zstd_safe::find_frame_compressed_size(rest)
            .map_err(|_| invalid(FrameError::Frame { offset }))?;
        let content = zstd_safe::get_frame_content_size(rest)
            .map_err(|_| invalid(FrameError::Header { offset }))?;
        // A frame that does not state its size counts as one that gives something: it is cheap.
        empty.count(content.unwrap_or(1))?;
        total = total
            .zip(content)
            .and_then(|(total, content)| total.checked_add(content));
        rest = rest
            .get(size.max(1)..)
            .ok_or_else(|| invalid(FrameError::Frame { offset }))?;
    }
    Ok(total)
}

/// Decompresses all frames of `encoded` into `out`, and tells how many bytes they gave.
///
/// More than `out` holds is an error.
pub(super) fn decompress(encoded: &[u8], out: &mut [u8]) -> io::Result<usize> {
    DECOMPRESSOR.with_borrow_mut(|decompressor| decompressor.decompress_to_buffer(encoded, out))
}

/// Whether the error of [`decompress`] is that `out` was too small for what came.
///
/// The bulk interface keeps the text of zstd's error but not its code.
pub(super) fn is_too_long(error: &io::Error) -> bool {
    error.to_string() == "Destination buffer is too small"
}

/// Appends `decoded`, compressed to one frame with its content size, to `out`.
pub(super) fn compress_append(decoded: &[u8], level: i32, out: &mut Vec<u8>) -> io::Result<()> {
    out.reserve(zstd_safe::compress_bound(decoded.len()));
    let start = u64::try_from(out.len()).map_err(io::Error::other)?;
    let mut end = io::Cursor::new(out);
    end.set_position(start);
    COMPRESSOR.with_borrow_mut(|compressor| {
        compressor.set_compression_level(level)?;
        compressor.compress_to_buffer(decoded, &mut end)
    })?;
    Ok(())
}
