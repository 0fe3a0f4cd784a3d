//! `.xz` data, through liblzma.

use std::io::{self, Write};

use liblzma::bufread::XzDecoder;
use liblzma::stream::{Check, Error, Filters, LzmaOptions, Stream};
use liblzma::write::XzEncoder;

use thiserror::Error;

use crate::n5::compression::streams::read_streams;

/// Preset 9 has a dictionary of 64 MiB and needs little more than that to decompress.
const MEMORY_LIMIT: u64 = 80 << 20;
/// The check that numcodecs, Java and `xz` choose.
pub(super) const DEFAULT_CHECK: Check = Check::Crc64;
/// The smallest dictionary that LZMA2 knows.
const MIN_DICTIONARY: u32 = 4096;

/// The stream needs a dictionary that no preset has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "its dictionary is larger than the 64 MiB of preset 9, the largest that is read (the memory \
     limit is {MEMORY_LIMIT} bytes)"
)]
struct DictionaryError;

/// Decompresses the whole of `encoded`, at most one byte more than `limit`.
pub(super) fn decompress(encoded: &[u8], limit: usize, out: &mut Vec<u8>) -> io::Result<()> {
    let open = |encoded| {
        let stream = Stream::new_stream_decoder(MEMORY_LIMIT, 0)?;
        Ok(XzDecoder::new_stream(encoded, stream))
    };
    let rest = |decoder: XzDecoder<_>| without_padding(decoder.into_inner());
    read_streams(encoded, limit, out, open, rest).map_err(|error| match inner(&error) {
        Some(Error::MemLimit) => io::Error::other(DictionaryError),
        _ => error,
    })
}

/// Whether the error of [`decompress`] is that the stream needs more memory than is granted.
pub(super) fn is_beyond_limit(error: &io::Error) -> bool {
    inner::<DictionaryError>(error).is_some()
}

fn inner<E: std::error::Error + 'static>(error: &io::Error) -> Option<&E> {
    error.get_ref()?.downcast_ref()
}

/// Behind a stream may be zeros, four or a multiple of it.
fn without_padding(mut rest: &[u8]) -> &[u8] {
    while let Some(after) = rest.strip_prefix(&[0; 4]) {
        rest = after;
    }
    rest
}

/// Appends `decoded`, compressed, to `out`.
pub(super) fn compress_append(
    decoded: &[u8],
    preset: u32,
    check: Check,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let mut options = LzmaOptions::new_preset(preset)?;
    // The encoder needs about ten times its dictionary; of one larger than the data it has no use.
    if let Some(size) = dictionary_for(preset, decoded.len()) {
        options.dict_size(size);
    }
    let stream = Stream::new_stream_encoder(Filters::new().lzma2(&options), check)?;
    let mut encoder = XzEncoder::new_stream(out, stream);
    encoder.write_all(decoded)?;
    encoder.finish()?;
    Ok(())
}

/// A dictionary that just holds the data, if that is smaller than the dictionary of the preset.
fn dictionary_for(preset: u32, size: usize) -> Option<u32> {
    let of_preset = match preset {
        0 => 1 << 18,
        1 => 1 << 20,
        2 => 1 << 21,
        3 | 4 => 1 << 22,
        5 | 6 => 1 << 23,
        7 => 1 << 24,
        8 => 1 << 25,
        _ => 1 << 26,
    };
    let holds = u32::try_from(size).ok()?.max(MIN_DICTIONARY);
    (holds < of_preset).then_some(holds)
}
