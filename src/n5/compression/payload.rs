//! What is common to all payloads: the size that is expected of them, and what can be wrong.

#![allow(
    dead_code,
    reason = "what is used depends on the compressors that are compiled in"
)]

use std::error::Error;
use std::fmt;
use std::io;
use std::sync::Arc;

use thiserror::Error;

use crate::n5::error_text::counted;
use crate::n5::memory::{can_allocate, zeroed};

/// The bytes behind a block header, and what is expected of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Payload<'a> {
    compression: &'static str,
    encoded: &'a [u8],
    expected: usize,
}

/// What is wrong with the payload of a block, or hinders its compression.
///
/// The texts name what was found and what was expected. They do not name the node or the key:
/// callers that know them add them.
#[derive(Debug, PartialEq, Eq, Error)]
pub(crate) enum PayloadError {
    /// The payload does not decompress to the size that the block header promises.
    #[error(
        "the {compression} payload decompresses to {}: the block header promises {expected}",
        bytes(found)
    )]
    Length {
        compression: &'static str,
        expected: usize,
        found: u64,
    },

    /// The payload decompresses to more than the block header promises; decompression stopped
    /// there.
    #[error(
        "the {compression} payload decompresses to more than the {} that the block header promises",
        bytes(expected)
    )]
    TooLong {
        compression: &'static str,
        expected: usize,
    },

    /// The compression format cannot pack as much as the block header promises into so few bytes.
    #[error(
        "{} of {compression} hold{} at most {}: the block header promises {expected}",
        bytes(encoded),
        if *encoded == 1 { "s" } else { "" },
        bytes(limit)
    )]
    ImpossibleRatio {
        compression: &'static str,
        encoded: usize,
        limit: usize,
        expected: usize,
    },

    /// There is no memory for what the block header promises.
    #[error(
        "there is no memory for the {} that the block header of a {compression} payload of {} \
         promises: {source}",
        bytes(expected),
        bytes(encoded)
    )]
    Memory {
        compression: &'static str,
        encoded: usize,
        expected: usize,
        source: Cause,
    },

    /// The payload may be right, but needs more than this crate grants.
    #[error("the {compression} payload of {} is refused: {source}", bytes(encoded))]
    Limit {
        compression: &'static str,
        encoded: usize,
        source: Cause,
    },

    /// The payload is not what its compression should be, or a checksum in it is wrong.
    #[error("the {compression} payload of {} is corrupt: {source}", bytes(encoded))]
    Corrupt {
        compression: &'static str,
        encoded: usize,
        source: Cause,
    },

    /// The compressor failed.
    #[error("{} cannot be compressed with {compression}: {source}", bytes(decoded))]
    Compress {
        compression: &'static str,
        decoded: usize,
        source: Cause,
    },
}

fn bytes<N: Copy + fmt::Display + PartialEq + From<u8>>(count: &N) -> String {
    counted(*count, "byte", "bytes")
}

/// The error of a compressor library, whichever it is. Two of them are equal when their texts are.
#[derive(Clone)]
pub(crate) struct Cause(Arc<dyn Error + Send + Sync>);

impl Cause {
    pub(crate) fn new(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(Arc::from(error.into()))
    }
}

impl fmt::Debug for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl Error for Cause {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

impl PartialEq for Cause {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for Cause {}

impl<'a> Payload<'a> {
    pub(crate) const fn new(compression: &'static str, encoded: &'a [u8], expected: usize) -> Self {
        Self {
            compression,
            encoded,
            expected,
        }
    }

    /// The compressed bytes.
    pub(super) const fn encoded(&self) -> &'a [u8] {
        self.encoded
    }

    /// The decompressed size in bytes.
    pub(crate) const fn expected(&self) -> usize {
        self.expected
    }

    /// Before anything is allocated: can so few bytes hold what is promised?
    pub(super) const fn check_ratio(&self, max_ratio: usize) -> Result<(), PayloadError> {
        let limit = self.encoded.len().saturating_mul(max_ratio);
        if self.expected <= limit {
            Ok(())
        } else {
            Err(PayloadError::ImpossibleRatio {
                compression: self.compression,
                encoded: self.encoded.len(),
                limit,
                expected: self.expected,
            })
        }
    }

    pub(super) const fn check_length(&self, found: u64) -> Result<(), PayloadError> {
        if found == self.expected as u64 {
            Ok(())
        } else {
            Err(PayloadError::Length {
                compression: self.compression,
                expected: self.expected,
                found,
            })
        }
    }

    /// After decompression stopped one byte behind the expected size at the latest.
    pub(super) const fn check_bounded(&self, found: usize) -> Result<(), PayloadError> {
        if found > self.expected {
            Err(self.too_long())
        } else {
            self.check_length(found as u64)
        }
    }

    pub(super) const fn too_long(&self) -> PayloadError {
        PayloadError::TooLong {
            compression: self.compression,
            expected: self.expected,
        }
    }

    pub(super) fn corrupt(&self, cause: Cause) -> PayloadError {
        PayloadError::Corrupt {
            compression: self.compression,
            encoded: self.encoded.len(),
            source: cause,
        }
    }

    pub(super) fn limit(&self, cause: Cause) -> PayloadError {
        PayloadError::Limit {
            compression: self.compression,
            encoded: self.encoded.len(),
            source: cause,
        }
    }

    /// What [`read_streams`](super::streams::read_streams) says: mostly that the payload is
    /// corrupt.
    pub(super) fn unreadable(&self, error: io::Error) -> PayloadError {
        if error.kind() == io::ErrorKind::OutOfMemory {
            self.memory(Cause::new(error))
        } else {
            self.corrupt(Cause::new(error))
        }
    }

    fn memory(&self, cause: Cause) -> PayloadError {
        PayloadError::Memory {
            compression: self.compression,
            encoded: self.encoded.len(),
            expected: self.expected,
            source: cause,
        }
    }

    /// Gives `out` the expected size. What it holds then is arbitrary: the caller overwrites all of
    /// it.
    ///
    /// A buffer that must grow is replaced by a new zeroed one, whose pages an operating system
    /// provides only when they are written. So a claim that turns out wrong costs no memory, and a
    /// reused buffer of the right size is not cleared again.
    pub(super) fn set_length(&self, out: &mut Vec<u8>) -> Result<(), PayloadError> {
        if self.expected <= out.capacity() {
            out.resize(self.expected, 0);
        } else {
            // The old one makes room first.
            *out = Vec::new();
            *out = zeroed(self.expected).map_err(|error| self.memory(Cause::new(error)))?;
        }
        Ok(())
    }

    /// Whether there is memory for an output that a library is about to allocate on its own.
    pub(super) fn check_memory(&self) -> Result<(), PayloadError> {
        can_allocate(self.expected).map_err(|error| self.memory(Cause::new(error)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_not_there_is_an_error() {
        let payload = Payload::new("test", &[0], isize::MAX as usize);
        let error = payload.set_length(&mut Vec::new()).unwrap_err().to_string();
        let start = "there is no memory for the 9223372036854775807 bytes that the block header \
                     of a test payload of 1 byte promises";
        assert!(error.starts_with(start), "{error}");
        assert!(payload.check_memory().is_err());
    }

    #[test]
    fn one_byte_is_singular() {
        let payload = Payload::new("test", &[0], 1);
        let texts = [
            payload.check_length(1 << 40),
            payload.check_length(0),
            payload.check_bounded(2),
            payload.check_ratio(0),
            Err(payload.corrupt(Cause::new("broken"))),
        ]
        .map(|result| result.unwrap_err().to_string());
        assert_eq!(
            texts,
            [
                "the test payload decompresses to 1099511627776 bytes: the block header promises 1",
                "the test payload decompresses to 0 bytes: the block header promises 1",
                "the test payload decompresses to more than the 1 byte that the block header promises",
                "1 byte of test holds at most 0 bytes: the block header promises 1",
                "the test payload of 1 byte is corrupt: broken",
            ]
        );
    }
}
