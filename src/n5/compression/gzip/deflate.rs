//! gzip and zlib: libdeflate into one buffer of the promised size, and a streaming reader for the
//! rare payload that this cannot judge.

use std::cell::RefCell;
use std::io::{self, Read};

use flate2::bufread::{GzDecoder, ZlibDecoder};
use libdeflater::{CompressionLvl, Compressor, DecompressionError, Decompressor};
use memchr::memmem;
use thiserror::Error;

use super::container::{Container, ContainerError, GZIP_MAGIC, gzip_body, zlib_body};
use crate::n5::compression::streams::EmptyStreams;

/// A match copies at most 258 bytes, and takes at least 2 bits: 258 * 8 / 2.
pub(super) const MAX_RATIO: usize = 1032;

thread_local! {
    static DECOMPRESSOR: RefCell<Decompressor> = RefCell::new(Decompressor::new());
    static COMPRESSOR: RefCell<Option<(i32, Compressor)>> = const { RefCell::new(None) };
}

/// How a buffer was filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filled {
    /// `n` bytes, the whole payload.
    Bytes(usize),
    /// The buffer is full and the payload continues.
    TooLong,
}

/// Decompresses the whole of `encoded` into `out`, whose length is the promised one.
pub(super) fn decompress(
    container: Container,
    encoded: &[u8],
    out: &mut [u8],
) -> io::Result<Filled> {
    match inflate_at_once(container, encoded, out) {
        Some(filled) => Ok(filled),
        None => inflate_stream(container, encoded, out),
    }
}

/// The ordinary case: one deflate stream, then its trailer, then nothing. `None` is for anything
/// else: more members, damage of any kind.
///
/// libdeflate does not tell where the stream ended. But a stream is followed by its trailer; and if
/// the trailer that belongs to the data stands at the end of `encoded`, and nowhere before, then
/// the stream ended just there.
fn inflate_at_once(container: Container, encoded: &[u8], out: &mut [u8]) -> Option<Filled> {
    let body = match container {
        Container::Gzip => gzip_body(encoded)?,
        Container::Zlib => zlib_body(encoded)?,
    };
    let end = body.len().checked_sub(container.trailer_size())?;
    let (stream, trailer) = body.split_at_checked(end)?;
    let inflated =
        DECOMPRESSOR.with_borrow_mut(|decompressor| decompressor.deflate_decompress(stream, out));
    match inflated {
        Err(DecompressionError::InsufficientSpace) => Some(Filled::TooLong),
        Err(DecompressionError::BadData) => None,
        Ok(length) => (length == out.len()
            && container.is_trailer_of(trailer, out)
            && memmem::find(body, trailer) == Some(end))
        .then_some(Filled::Bytes(length)),
    }
}

/// Member by member, with the reason if something is wrong.
fn inflate_stream(container: Container, encoded: &[u8], out: &mut [u8]) -> io::Result<Filled> {
    match container {
        Container::Gzip => inflate_members(encoded, out).map_err(|error| {
            if zlib_body(encoded).is_some() {
                ContainerError::ZlibAsGzip.into()
            } else {
                error
            }
        }),
        Container::Zlib => inflate_zlib(encoded, out).map_err(|error| {
            if encoded.starts_with(&GZIP_MAGIC) {
                ContainerError::GzipAsZlib.into()
            } else {
                error
            }
        }),
    }
}

fn inflate_members(encoded: &[u8], out: &mut [u8]) -> io::Result<Filled> {
    let mut filled = 0;
    let mut rest = encoded;
    let mut empty = EmptyStreams::new();
    loop {
        let mut member = GzDecoder::new(rest);
        let target = out.get_mut(filled..).unwrap_or_default();
        let Filled::Bytes(size) = fill(&mut member, target)? else {
            return Ok(Filled::TooLong);
        };
        filled += size;
        empty.count(size as u64)?;
        rest = member.into_inner();
        if rest.is_empty() {
            return Ok(Filled::Bytes(filled));
        }
        if !rest.starts_with(&GZIP_MAGIC) {
            let surplus = rest.len();
            let used = encoded.len() - surplus;
            return Err(ContainerError::GzipSurplus { used, surplus }.into());
        }
    }
}

fn inflate_zlib(encoded: &[u8], out: &mut [u8]) -> io::Result<Filled> {
    let mut decoder = ZlibDecoder::new(encoded);
    let filled = fill(&mut decoder, out)?;
    let surplus = decoder.into_inner().len();
    if filled != Filled::TooLong && surplus > 0 {
        let used = encoded.len() - surplus;
        return Err(ContainerError::ZlibSurplus { used, surplus }.into());
    }
    Ok(filled)
}

fn fill(reader: &mut impl Read, out: &mut [u8]) -> io::Result<Filled> {
    let mut filled = 0;
    loop {
        let mut one_more = [0];
        let (target, full) = match out.get_mut(filled..) {
            Some(rest) if !rest.is_empty() => (rest, false),
            _ => (&mut one_more[..], true),
        };
        match reader.read(target) {
            Ok(0) => return Ok(Filled::Bytes(filled)),
            Ok(_) if full => return Ok(Filled::TooLong),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The libdeflate level that makes about the size of each zlib level, 0 to 9: libdeflate gets there
/// earlier.
const LIBDEFLATE_LEVELS: [i32; 10] = [0, 1, 2, 3, 3, 4, 4, 6, 8, 9];

/// Appends `decoded`, compressed at a zlib level from 0 to 9, to `out`.
pub(super) fn compress_append(
    container: Container,
    decoded: &[u8],
    level: i32,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let invalid = |error: LevelError| io::Error::new(io::ErrorKind::InvalidInput, error);
    let checked = usize::try_from(level)
        .ok()
        .and_then(|level| LIBDEFLATE_LEVELS.get(level))
        .and_then(|&level| CompressionLvl::new(level).ok())
        .ok_or_else(|| invalid(LevelError { level }))?;
    COMPRESSOR.with_borrow_mut(|cached| {
        if cached.as_ref().is_none_or(|(cached, _)| *cached != level) {
            *cached = None;
        }
        let (_, compressor) = cached.get_or_insert_with(|| (level, Compressor::new(checked)));
        let start = out.len();
        let bound = match container {
            Container::Gzip => compressor.gzip_compress_bound(decoded.len()),
            Container::Zlib => compressor.zlib_compress_bound(decoded.len()),
        };
        out.resize(start.saturating_add(bound), 0);
        let target = out.get_mut(start..).unwrap_or_default();
        let size = match container {
            Container::Gzip => compressor.gzip_compress(decoded, target),
            Container::Zlib => compressor.zlib_compress(decoded, target),
        }
        .map_err(io::Error::other)?;
        out.truncate(start + size);
        Ok(())
    })
}

/// The level is not one of zlib's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the level is {level}: expected 0 to 9")]
struct LevelError {
    level: i32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn gzip(decoded: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::GzBuilder::new()
            .extra(vec![1, 2, 3])
            .filename("name")
            .comment("comment")
            .write(Vec::new(), flate2::Compression::new(6));
        encoder.write_all(decoded).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_gzip_header_with_every_optional_field_is_skipped() {
        let encoded = gzip(b"abcabcabc");
        let mut out = [0; 9];
        assert_eq!(
            inflate_at_once(Container::Gzip, &encoded, &mut out),
            Some(Filled::Bytes(9))
        );
        assert_eq!(&out, b"abcabcabc");
    }

    #[test]
    fn a_second_copy_of_the_same_member_is_not_overlooked() {
        let encoded = [gzip(b"abcabcabc"), gzip(b"abcabcabc")].concat();
        let mut out = [0; 9];
        assert_eq!(inflate_at_once(Container::Gzip, &encoded, &mut out), None);
        assert_eq!(
            decompress(Container::Gzip, &encoded, &mut out).unwrap(),
            Filled::TooLong
        );
        let mut out = [0; 18];
        assert_eq!(
            decompress(Container::Gzip, &encoded, &mut out).unwrap(),
            Filled::Bytes(18)
        );
        assert_eq!(&out, b"abcabcabcabcabcabc");
    }

    fn zlib(decoded: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        compress_append(Container::Zlib, decoded, 6, &mut out).unwrap();
        out
    }

    fn refused(container: Container, encoded: &[u8]) -> String {
        let error = decompress(container, encoded, &mut [0; 9]).unwrap_err();
        error.to_string()
    }

    #[test]
    fn bytes_behind_the_last_gzip_member_are_counted() {
        let member = gzip(b"abcabcabc");
        let size = member.len();
        let behind = |surplus: &[u8]| refused(Container::Gzip, &[&member, surplus].concat());
        assert_eq!(
            behind(&[0; 15]),
            format!(
                "the last gzip member ends after {size} bytes, 15 more follow that begin no other"
            )
        );
        assert_eq!(
            behind(&[0x1f]),
            format!(
                "the last gzip member ends after {size} bytes, 1 more follows that begins no other"
            )
        );
    }

    #[test]
    fn bytes_behind_a_zlib_stream_are_counted() {
        let stream = zlib(b"abcabcabc");
        let size = stream.len();
        assert_eq!(
            refused(Container::Zlib, &[&stream[..], &[0]].concat()),
            format!("the stream ends after {size} bytes, 1 more follows")
        );
    }

    #[test]
    fn a_zlib_stream_under_gzip_names_the_member_that_is_wrong() {
        let text = refused(Container::Gzip, &zlib(b"abcabcabc"));
        assert!(
            text.contains("like a zlib stream") && text.contains("\"useZlib\": true"),
            "{text}"
        );
    }

    #[test]
    fn gzip_under_zlib_names_the_member_that_is_wrong() {
        let text = refused(Container::Zlib, &gzip(b"abcabcabc"));
        assert!(
            text.contains("begins like gzip") && text.contains("\"useZlib\": false"),
            "{text}"
        );
    }

    #[test]
    fn an_empty_member_at_the_end_is_ordinary() {
        let encoded = [gzip(b"abcabcabc"), gzip(b"")].concat();
        let filled = decompress(Container::Gzip, &encoded, &mut [0; 9]).unwrap();
        assert_eq!(filled, Filled::Bytes(9));
    }

    #[test]
    fn thousands_of_empty_members_are_refused() {
        let text = refused(Container::Gzip, &gzip(b"").repeat(100_000));
        assert_eq!(text, "more than 64 of its streams hold nothing");
    }
}
