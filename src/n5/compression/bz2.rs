//! bzip2.

use std::io::{self, Write};

use bzip2::bufread::MultiBzDecoder;
use bzip2::write::BzEncoder;

use super::exact::read_bounded;

/// Decompresses the whole of `encoded`, at most one byte more than `limit`.
pub(super) fn decompress(encoded: &[u8], limit: usize, out: &mut Vec<u8>) -> io::Result<()> {
    read_bounded(MultiBzDecoder::new(encoded), encoded.len(), limit, out)
}

/// Appends `decoded`, compressed, to `out`. `level` is the block size in units of 100 kB.
pub(super) fn compress_append(decoded: &[u8], level: u32, out: &mut Vec<u8>) -> io::Result<()> {
    let mut encoder = BzEncoder::new(out, bzip2::Compression::new(level));
    encoder.write_all(decoded)?;
    encoder.finish()?;
    Ok(())
}
