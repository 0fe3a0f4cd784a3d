//! The header of a Blosc payload, checked before the payload is handed on to c-blosc.

use std::fmt::Display;

use thiserror::Error;

use crate::n5::error_text::counted;

/// Version, version of the compressor's format, flags, element size; then three sizes.
const HEADER_SIZE: usize = 16;
/// The only version of the container that c-blosc 1 reads.
const VERSION: u8 = 2;
const FLAG_STORED: u8 = 0b0010;
const FLAG_RESERVED: u8 = 0b1000;
/// The largest ratio of a compressor inside Blosc is that of Zstandard: 128 KiB in 4 bytes.
const MAX_RATIO: usize = (128 << 10) / 4;

/// A Blosc payload that c-blosc must not see.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum BloscHeaderError {
    #[error("it has {}: expected a header of {HEADER_SIZE} bytes at least", bytes(*found))]
    Short { found: usize },
    #[error("its header has version {found}: expected {VERSION}")]
    Version { found: u8 },
    #[error("its header has unknown flags: {found:#010b}")]
    Flags { found: u8 },
    #[error(
        "its header says {}: expected {HEADER_SIZE} to {found}",
        counted(*cbytes, "compressed byte", "compressed bytes")
    )]
    CompressedSize { cbytes: u32, found: usize },
    #[error("its header says element size 0")]
    TypeSize,
    #[error("its header says blocks of {}: expected 1 to {nbytes}", bytes(*blocksize))]
    BlockSize { blocksize: u32, nbytes: u32 },
    #[error(
        "its header says {}, which {} cannot hold",
        counted(*nbytes, "decompressed byte", "decompressed bytes"),
        counted(*cbytes, "compressed byte", "compressed bytes")
    )]
    Ratio { nbytes: u32, cbytes: u32 },
}

fn bytes<N: Copy + Display + PartialEq + From<u8>>(count: N) -> String {
    counted(count, "byte", "bytes")
}

/// What the header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BloscHeader {
    flags: u8,
    typesize: u8,
    /// The size of the decompressed data in bytes.
    pub(super) nbytes: u32,
    blocksize: u32,
    cbytes: u32,
}

impl BloscHeader {
    fn parse(payload: &[u8]) -> Result<Self, BloscHeaderError> {
        let short = || BloscHeaderError::Short {
            found: payload.len(),
        };
        let (bytes, _) = payload.split_first_chunk::<4>().ok_or_else(short)?;
        let [version, _, flags, typesize] = *bytes;
        if version != VERSION {
            return Err(BloscHeaderError::Version { found: version });
        }
        Ok(Self {
            flags,
            typesize,
            nbytes: little_endian(payload, 4).ok_or_else(short)?,
            blocksize: little_endian(payload, 8).ok_or_else(short)?,
            cbytes: little_endian(payload, 12).ok_or_else(short)?,
        })
    }

    /// The sizes must fit together before c-blosc reads, or allocates, by them.
    fn check(&self) -> Result<(), BloscHeaderError> {
        if self.flags & FLAG_RESERVED != 0 {
            return Err(BloscHeaderError::Flags { found: self.flags });
        }
        if self.typesize == 0 {
            return Err(BloscHeaderError::TypeSize);
        }
        // An empty buffer has no blocks.
        if self.nbytes > 0 && !(1..=self.nbytes).contains(&self.blocksize) {
            return Err(BloscHeaderError::BlockSize {
                blocksize: self.blocksize,
                nbytes: self.nbytes,
            });
        }
        let (nbytes, cbytes) = (u64::from(self.nbytes), u64::from(self.cbytes));
        let body = cbytes.saturating_sub(HEADER_SIZE as u64);
        let fits = if self.flags & FLAG_STORED != 0 {
            nbytes == body
        } else {
            // Each block has an entry of 4 bytes in the table that follows the header.
            let table = nbytes.div_ceil(u64::from(self.blocksize.max(1))) * 4;
            table <= body && nbytes <= body.saturating_mul(MAX_RATIO as u64)
        };
        if fits {
            Ok(())
        } else {
            Err(BloscHeaderError::Ratio {
                nbytes: self.nbytes,
                cbytes: self.cbytes,
            })
        }
    }
}

/// Checks the header of `payload`, and cuts off what lies behind the compressed bytes it counts
/// (some writers store their whole buffer).
pub(super) fn split(payload: &[u8]) -> Result<(BloscHeader, &[u8]), BloscHeaderError> {
    let header = BloscHeader::parse(payload)?;
    let counted = usize::try_from(header.cbytes)
        .ok()
        .filter(|cbytes| *cbytes >= HEADER_SIZE)
        .and_then(|cbytes| payload.get(..cbytes))
        .ok_or(BloscHeaderError::CompressedSize {
            cbytes: header.cbytes,
            found: payload.len(),
        })?;
    header.check()?;
    Ok((header, counted))
}

fn little_endian(bytes: &[u8], offset: usize) -> Option<u32> {
    let (bytes, _) = bytes.get(offset..)?.split_first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}
