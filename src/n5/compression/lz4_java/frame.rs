//! The frames of an `LZ4Block` stream.

use std::fmt::Display;

use lz4_flex::block::{DecompressError, compress_into, get_maximum_output_size};
use thiserror::Error;
use twox_hash::XxHash32;

use crate::n5::error_text::counted;

const MAGIC: [u8; 8] = *b"LZ4Block";
pub(super) const HEADER_SIZE: usize = 21;
const STORED: u8 = 0x10;
const LZ4: u8 = 0x20;
/// The level counts powers of two from here.
const LEVEL_BASE: u32 = 10;
const SEED: u32 = 0x9747_b28c;
/// lz4-java keeps 28 bits of the checksum.
const CHECKSUM_MASK: u32 = 0x0fff_ffff;
/// One byte of the LZ4 block format adds at most 255 to the length of a match.
const MAX_RATIO: usize = 255;

/// What is wrong with an `LZ4Block` stream. Offsets are those of the frame in the stream, in bytes.
#[derive(Debug, Error)]
pub(super) enum Lz4JavaError {
    /// The stream ends inside a frame header.
    #[error("the frame at byte {offset} has {}: expected a header of {HEADER_SIZE}", bytes(*found))]
    Header { offset: usize, found: usize },
    /// A frame does not begin with `LZ4Block`.
    #[error("the frame at byte {offset} does not begin with LZ4Block")]
    Magic { offset: usize },
    /// The method in the token is unknown.
    #[error("the frame at byte {offset} has method {found:#04x}: expected 0x10 or 0x20")]
    Method { offset: usize, found: u8 },
    /// The frame's data is longer than its level admits.
    #[error(
        "the frame at byte {offset} decompresses to {}: expected {limit} at most",
        bytes(*found)
    )]
    OriginalSize {
        offset: usize,
        found: u32,
        limit: usize,
    },
    /// The two sizes of a frame contradict each other.
    #[error(
        "the frame at byte {offset} says {} for {original}",
        counted(*compressed, "byte stands", "bytes stand")
    )]
    Sizes {
        offset: usize,
        compressed: u32,
        original: u32,
    },
    /// The stream ends inside a frame's data.
    #[error("the frame at byte {offset} has {} of data: expected {expected}", bytes(*found))]
    Data {
        offset: usize,
        expected: u32,
        found: usize,
    },
    /// Something follows the last frame.
    #[error(
        "{} the last frame, which ends at byte {offset}",
        counted(*surplus, "byte follows", "bytes follow")
    )]
    Surplus { offset: usize, surplus: usize },
    /// The data is not in the LZ4 block format.
    #[error("the data of the frame at byte {offset} is corrupt: {source}")]
    Corrupt {
        offset: usize,
        source: DecompressError,
    },
    /// The data decompresses to another size than the frame states.
    #[error(
        "the frame at byte {offset} decompresses to {}: its header says {expected}",
        bytes(*found)
    )]
    Length {
        offset: usize,
        expected: usize,
        found: usize,
    },
    /// The checksum of the decompressed data is another one.
    #[error("the frame at byte {offset} has checksum {found:#010x}: expected {expected:#010x}")]
    Checksum {
        offset: usize,
        expected: u32,
        found: u32,
    },
}

fn bytes<N: Copy + Display + PartialEq + From<u8>>(count: N) -> String {
    counted(count, "byte", "bytes")
}

/// A frame with its data, its header checked.
struct Frame<'a> {
    offset: usize,
    stored: bool,
    data: &'a [u8],
    original: usize,
    checksum: u32,
}

/// Walks through a stream up to its end, or to its empty frame.
struct Frames<'a> {
    offset: usize,
    rest: &'a [u8],
}

impl<'a> Frames<'a> {
    const fn new(stream: &'a [u8]) -> Self {
        Self {
            offset: 0,
            rest: stream,
        }
    }

    fn next_frame(&mut self) -> Result<Option<Frame<'a>>, Lz4JavaError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let offset = self.offset;
        let (header, rest) = self.rest.split_first_chunk::<HEADER_SIZE>().ok_or({
            Lz4JavaError::Header {
                offset,
                found: self.rest.len(),
            }
        })?;
        let Some(fields) = header.strip_prefix(&MAGIC) else {
            return Err(Lz4JavaError::Magic { offset });
        };
        let [token, sizes @ ..] = fields else {
            return Err(Lz4JavaError::Magic { offset });
        };
        let [compressed, original, checksum] = little_endian(sizes);
        let method = token & 0xf0;
        if method != STORED && method != LZ4 {
            return Err(Lz4JavaError::Method {
                offset,
                found: method,
            });
        }
        let stored = method == STORED;
        if (compressed == 0) != (original == 0) || (stored && compressed != original) {
            return Err(Lz4JavaError::Sizes {
                offset,
                compressed,
                original,
            });
        }
        let (data, rest) = usize::try_from(compressed)
            .ok()
            .and_then(|size| rest.split_at_checked(size))
            .ok_or(Lz4JavaError::Data {
                offset,
                expected: compressed,
                found: rest.len(),
            })?;
        let level = u32::from(token & 0x0f);
        let limit = (1_usize << (LEVEL_BASE + level)).min(data.len().saturating_mul(MAX_RATIO));
        let original = usize::try_from(original)
            .ok()
            .filter(|original| *original <= limit)
            .ok_or(Lz4JavaError::OriginalSize {
                offset,
                found: original,
                limit,
            })?;
        self.offset = offset + HEADER_SIZE + data.len();
        self.rest = rest;
        let frame = Frame {
            offset,
            stored,
            data,
            original,
            checksum,
        };
        if original > 0 {
            return Ok(Some(frame));
        }
        frame.check(0)?;
        if rest.is_empty() {
            Ok(None)
        } else {
            Err(Lz4JavaError::Surplus {
                offset: self.offset,
                surplus: rest.len(),
            })
        }
    }
}

impl Frame<'_> {
    fn decompress(&self, out: &mut [u8]) -> Result<(), Lz4JavaError> {
        let found = if self.stored {
            out.copy_from_slice(self.data);
            out.len()
        } else {
            lz4_flex::block::decompress_into(self.data, out).map_err(|source| {
                Lz4JavaError::Corrupt {
                    offset: self.offset,
                    source,
                }
            })?
        };
        if found != self.original {
            return Err(Lz4JavaError::Length {
                offset: self.offset,
                expected: self.original,
                found,
            });
        }
        self.check(checksum(out))
    }

    /// The empty frame has the checksum 0, which is not that of no data.
    const fn check(&self, found: u32) -> Result<(), Lz4JavaError> {
        if self.checksum == found {
            Ok(())
        } else {
            Err(Lz4JavaError::Checksum {
                offset: self.offset,
                expected: self.checksum,
                found,
            })
        }
    }
}

fn checksum(data: &[u8]) -> u32 {
    XxHash32::oneshot(SEED, data) & CHECKSUM_MASK
}

fn little_endian(fields: &[u8]) -> [u32; 3] {
    let mut numbers = [0; 3];
    let (fields, _) = fields.as_chunks();
    for (number, field) in numbers.iter_mut().zip(fields) {
        *number = u32::from_le_bytes(*field);
    }
    numbers
}

/// The decompressed size in bytes that the frames of `stream` state, after a check of every header.
pub(super) fn stated_size(stream: &[u8]) -> Result<u64, Lz4JavaError> {
    let mut frames = Frames::new(stream);
    let mut size = 0_u64;
    while let Some(frame) = frames.next_frame()? {
        size = size.saturating_add(frame.original as u64);
    }
    Ok(size)
}

/// Decompresses `stream` into `out`, whose length is [`stated_size`].
pub(super) fn decompress(stream: &[u8], out: &mut [u8]) -> Result<(), Lz4JavaError> {
    let mut frames = Frames::new(stream);
    let mut room = out;
    while let Some(frame) = frames.next_frame()? {
        let found = room.len();
        let (target, rest) =
            room.split_at_mut_checked(frame.original)
                .ok_or(Lz4JavaError::Length {
                    offset: frame.offset,
                    expected: frame.original,
                    found,
                })?;
        frame.decompress(target)?;
        room = rest;
    }
    Ok(())
}

/// Appends `decoded` to `out` as a stream of frames of `block_size` bytes.
pub(super) fn compress_append(decoded: &[u8], block_size: u32, out: &mut Vec<u8>) {
    let level = level_of(block_size);
    let block_size = usize::try_from(block_size).unwrap_or(usize::MAX).max(1);
    for block in decoded.chunks(block_size) {
        let header = out.len();
        out.resize(
            header + HEADER_SIZE + get_maximum_output_size(block.len()),
            0,
        );
        let target = out.get_mut(header + HEADER_SIZE..).unwrap_or_default();
        // The target has the size that LZ4 may need, so the only error cannot occur; storing would
        // be right even then.
        let smaller = compress_into(block, target)
            .ok()
            .filter(|size| *size < block.len());
        let (method, size) = if let Some(size) = smaller {
            out.truncate(header + HEADER_SIZE + size);
            (LZ4, size)
        } else {
            out.truncate(header + HEADER_SIZE);
            out.extend_from_slice(block);
            (STORED, block.len())
        };
        write_header(
            out.get_mut(header..).unwrap_or_default(),
            method | level,
            [size, block.len()],
            checksum(block),
        );
    }
    let end = out.len();
    out.resize(end + HEADER_SIZE, 0);
    let header = out.get_mut(end..).unwrap_or_default();
    write_header(header, STORED | level, [0, 0], 0);
}

/// lz4-java's level of a block size: a reader refuses frames longer than `1 << (10 + level)`.
fn level_of(block_size: u32) -> u8 {
    let bits = u32::BITS - block_size.saturating_sub(1).leading_zeros();
    u8::try_from(bits.saturating_sub(LEVEL_BASE).min(15)).unwrap_or(15)
}

/// Fills in the header at the start of `frame`.
fn write_header(frame: &mut [u8], token: u8, sizes: [usize; 2], checksum: u32) {
    let [compressed, original] = sizes.map(|size| u32::try_from(size).unwrap_or(u32::MAX));
    let numbers = [compressed, original, checksum].into_iter();
    let header = MAGIC
        .into_iter()
        .chain([token])
        .chain(numbers.flat_map(u32::to_le_bytes));
    frame
        .iter_mut()
        .zip(header)
        .for_each(|(to, from)| *to = from);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_is_that_of_lz4_java() {
        let levels = [64, 1024, 1025, 2048, 65_536, 65_537, 1 << 25].map(level_of);
        assert_eq!(levels, [0, 0, 1, 1, 6, 7, 15]);
    }
}
