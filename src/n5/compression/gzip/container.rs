//! What surrounds a deflate stream: gzip members and the zlib container.

use std::io;

use thiserror::Error;

use crate::n5::error_text::counted;

/// The first bytes of a gzip member.
pub(super) const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// What surrounds the deflate stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Container {
    /// RFC 1952; several members may follow each other.
    Gzip,
    /// RFC 1950.
    Zlib,
}

impl Container {
    pub(super) const fn trailer_size(self) -> usize {
        match self {
            Self::Gzip => 8,
            Self::Zlib => 4,
        }
    }

    pub(super) fn is_trailer_of(self, trailer: &[u8], decoded: &[u8]) -> bool {
        match self {
            Self::Gzip => trailer.split_first_chunk::<4>().is_some_and(|(crc, size)| {
                // The size counts modulo 2^32.
                let expected = (decoded.len() as u64 & u64::from(u32::MAX)).to_le_bytes();
                expected.starts_with(size) && *crc == libdeflater::crc32(decoded).to_le_bytes()
            }),
            Self::Zlib => trailer == libdeflater::adler32(decoded).to_be_bytes(),
        }
    }
}

/// What follows the header of the first gzip member.
pub(super) fn gzip_body(encoded: &[u8]) -> Option<&[u8]> {
    const HEADER_CRC: u8 = 1 << 1;
    const EXTRA: u8 = 1 << 2;
    const NAME: u8 = 1 << 3;
    const COMMENT: u8 = 1 << 4;
    const RESERVED: u8 = 0b1110_0000;
    let (&[0x1f, 0x8b, 8, flags, ..], mut rest) = encoded.split_first_chunk::<10>()? else {
        return None;
    };
    if flags & RESERVED != 0 {
        return None;
    }
    if flags & EXTRA != 0 {
        let (size, after) = rest.split_first_chunk()?;
        rest = after.get(usize::from(u16::from_le_bytes(*size))..)?;
    }
    for text in [NAME, COMMENT] {
        if flags & text != 0 {
            rest = rest.get(memchr::memchr(0, rest)?.checked_add(1)?..)?;
        }
    }
    if flags & HEADER_CRC != 0 {
        rest = rest.get(2..)?;
    }
    Some(rest)
}

/// What follows the zlib header.
pub(super) fn zlib_body(encoded: &[u8]) -> Option<&[u8]> {
    const DICTIONARY: u8 = 1 << 5;
    let (&[method, flags], rest) = encoded.split_first_chunk()?;
    let valid = method & 0x0f == 8
        && method >> 4 <= 7
        && flags & DICTIONARY == 0
        && u16::from_be_bytes([method, flags]) % 31 == 0;
    valid.then_some(rest)
}

/// What is wrong with the container, beyond what `flate2` finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum ContainerError {
    #[error(
        "the stream ends after {}, {} more follow{}",
        bytes(*used),
        surplus,
        verb_ending(*surplus)
    )]
    ZlibSurplus { used: usize, surplus: usize },
    #[error(
        "the last gzip member ends after {}, {} more follow{} that begin{} no other",
        bytes(*used), surplus, verb_ending(*surplus), verb_ending(*surplus)
    )]
    GzipSurplus { used: usize, surplus: usize },
    #[error(
        "it begins like a zlib stream, not like gzip; a dataset of zlib streams has \"useZlib\": \
         true in its `compression`"
    )]
    ZlibAsGzip,
    #[error(
        "it begins like gzip, not like a zlib stream; a dataset of gzip blocks has \"useZlib\": \
         false in its `compression`, or none"
    )]
    GzipAsZlib,
}

fn bytes(count: usize) -> String {
    counted(count, "byte", "bytes")
}

/// The ending of a verb whose subject is a number of things.
const fn verb_ending(count: usize) -> &'static str {
    if count == 1 { "s" } else { "" }
}

impl From<ContainerError> for io::Error {
    fn from(error: ContainerError) -> Self {
        Self::new(io::ErrorKind::InvalidData, error)
    }
}
