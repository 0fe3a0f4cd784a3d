//! Payloads of several streams, one after the other.

#![allow(
    dead_code,
    reason = "what is used depends on the compressors that are compiled in"
)]

use std::io::{self, Read};

use thiserror::Error;

/// Counts the streams of a payload that give nothing.
///
/// To begin a stream takes time and memory, and an empty one is short; so some kilobytes of them
/// could keep a reader busy for minutes. A few are ordinary: some writers end with one (`bgzip`),
/// others put one before each that is not empty (`pzstd`).
#[derive(Debug)]
pub(super) struct EmptyStreams {
    left: usize,
}

/// More streams than any writer makes give nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("more than {} of its streams hold nothing", EmptyStreams::MAX)]
pub(super) struct EmptyStreamsError;

impl EmptyStreams {
    /// So many more than those that give something.
    const MAX: usize = 64;

    pub(super) const fn new() -> Self {
        Self { left: Self::MAX }
    }

    /// Counts a stream that gave `size` bytes.
    pub(super) fn count(&mut self, size: u64) -> Result<(), EmptyStreamsError> {
        self.left = if size > 0 {
            self.left.saturating_add(1)
        } else {
            self.left.checked_sub(1).ok_or(EmptyStreamsError)?
        };
        Ok(())
    }
}

impl From<EmptyStreamsError> for io::Error {
    fn from(error: EmptyStreamsError) -> Self {
        Self::new(io::ErrorKind::InvalidData, error)
    }
}

/// Reads the streams in `encoded`, one after the other, into `out`: at most one byte more than
/// `limit`.
///
/// `open` decompresses the stream at the front, `rest` gives what lies behind it.
///
/// For formats in which a few bytes can stand for very many: the buffer grows with what is really
/// decompressed, and only data of an ordinary ratio gets the whole buffer at once.
pub(super) fn read_streams<'a, R: Read>(
    encoded: &'a [u8],
    limit: usize,
    out: &mut Vec<u8>,
    open: impl Fn(&'a [u8]) -> io::Result<R>,
    rest: impl Fn(R) -> &'a [u8],
) -> io::Result<()> {
    const ORDINARY_RATIO: usize = 16;
    out.clear();
    out.try_reserve_exact(limit.min(encoded.len().saturating_mul(ORDINARY_RATIO)))?;
    let mut left = u64::try_from(limit).map_or(u64::MAX, |limit| limit.saturating_add(1));
    let mut empty = EmptyStreams::new();
    let mut encoded = encoded;
    loop {
        let mut stream = open(encoded)?;
        let size = stream.by_ref().take(left).read_to_end(out)? as u64;
        left = left.saturating_sub(size);
        if left == 0 {
            return Ok(());
        }
        empty.count(size)?;
        encoded = rest(stream);
        if encoded.is_empty() {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_empty_streams_are_counted_without_complaint() {
        let mut empty = EmptyStreams::new();
        for size in [0, 5, 0, 0].repeat(40) {
            empty.count(size).unwrap_or_else(|error| panic!("{error}"));
            empty.count(7).unwrap_or_else(|error| panic!("{error}"));
        }
    }

    #[test]
    fn one_empty_stream_too_many_is_refused() {
        let mut empty = EmptyStreams::new();
        assert!((0..EmptyStreams::MAX).all(|_| empty.count(0).is_ok()));
        assert_eq!(empty.count(0), Err(EmptyStreamsError));
    }
}
