//! What to ask the store for, to get at a region of a block: the rules, free of any reading.
//!
//! A compressed block, and every block in a store that cannot read ranges, is asked for whole,
//! once. Of a raw block only the needed ranges are, in one request with the header if the block has
//! the shape of its chunk:
//!
//! ```text
//! Guess: header and ranges as if the block had the shape of the chunk
//!   |  the header says otherwise            the request failed: the block is shorter
//!   v                                         v
//! Exact: the ranges by the header's shape <- Header: the header alone
//!   |  anything fails                         |  anything fails
//!   v                                         v
//! Whole: all bytes, which give the answer or the error that says what is wrong
//! ```
//!
//! That there is no such key means so at first only. Once an answer has shown that there is a
//! block, all bytes decide as well, and if they are gone too it is an error: half of a block is
//! neither that nor the fill value.

use std::io;
use std::iter;
use std::ops::Range;

use zarrs_codec::{ArrayBytesRaw, CodecError, CodecOptions};
use zarrs_storage::StorageError;
use zarrs_storage::byte_range::ByteRange;

use super::block_cache::{BlockCache, Located};
use super::byte_ranges::ByteRanges;
use crate::n5::codec::chunk_codec::header_shape;
use crate::n5::codec::decoded_block::DecodedBlock;
use crate::n5::codec::error::N5DefaultCodecError;
use crate::n5::codec::region::Region;

/// What to ask the store for.
pub(super) enum Request {
    /// These bytes, in one request.
    Ranges(Vec<ByteRange>),
    /// The whole value.
    Whole,
}

/// One read: [`request`](Self::request), hand the bytes to [`answer`](Self::answer), until that has
/// located the region.
pub(super) struct RegionRead<'c, 'r> {
    cache: &'c BlockCache,
    region: &'r Region,
    state: State,
    /// An answer has shown that there is a block.
    is_there: bool,
}

enum State {
    Guess(ByteRanges),
    Header,
    Exact(ByteRanges),
    Whole,
}

/// The answer of a store; `None` if there is no such key.
type Answer<'b> = Result<Option<Vec<ArrayBytesRaw<'b>>>, CodecError>;

impl<'c, 'r> RegionRead<'c, 'r> {
    /// `reads_ranges`: whether the store can read a range without reading everything.
    pub(super) fn new(cache: &'c BlockCache, region: &'r Region, reads_ranges: bool) -> Self {
        let mut read = Self {
            cache,
            region,
            state: State::Whole,
            is_there: false,
        };
        if cache.codec.is_raw() && reads_ranges {
            let known = cache.block_shape.get();
            let ranges = read.ranges(known.unwrap_or(&cache.chunk().shape));
            read.state = match (ranges, known) {
                // One request for the whole value is cheaper than one for all ranges of it.
                (Some(ranges), None) if ranges.size() == cache.chunk().size as u64 => State::Whole,
                (Some(ranges), Some(_)) => State::Exact(ranges),
                (Some(ranges), None) => State::Guess(ranges),
                // The region lies behind a short block.
                (None, _) => State::Header,
            };
        }
        read
    }

    /// The ranges of the region in a block of this shape; `None` where it lies outside.
    fn ranges(&self, block_shape: &[usize]) -> Option<ByteRanges> {
        ByteRanges::to_read(block_shape, self.cache.chunk().element_size, self.region)
    }

    pub(super) fn request(&self) -> Request {
        let header_size = self.cache.chunk().header_size();
        let header = 0..header_size;
        let ranges: Vec<Range<u64>> = match &self.state {
            State::Guess(ranges) => iter::once(header)
                .chain(ranges.in_block(header_size))
                .collect(),
            State::Header => vec![header],
            State::Exact(ranges) => ranges.in_block(header_size).collect(),
            State::Whole => return Request::Whole,
        };
        let from_start = |range: Range<u64>| {
            let size = range.end - range.start;
            ByteRange::FromStart(range.start, Some(size))
        };
        Request::Ranges(ranges.into_iter().map(from_start).collect())
    }

    /// Takes the answer to the last request. `None`: there is more to ask for.
    pub(super) fn answer(
        &mut self,
        answer: Answer<'_>,
        options: &CodecOptions,
    ) -> Result<Option<Located<'c>>, CodecError> {
        if matches!(self.state, State::Whole) {
            return self.answer_whole(answer?, options).map(Some);
        }
        let parts = match answer {
            Ok(Some(parts)) => parts,
            Ok(None) if self.is_there => {
                self.state = State::Whole;
                return Ok(None);
            }
            Ok(None) => return Ok(Some(Located::Missing)),
            Err(error) => {
                self.is_there |= is_of_a_value(&error);
                self.state = match self.state {
                    State::Guess(_) => State::Header,
                    _ => State::Whole,
                };
                return Ok(None);
            }
        };
        self.is_there = true;
        Ok(self.answer_ranges(parts))
    }

    /// An error if the whole block is not there (`is_whole_there`) of which a part was.
    pub(super) fn check_gone(&self, is_whole_there: bool) -> Result<(), N5DefaultCodecError> {
        if self.is_there && !is_whole_there {
            return Err(N5DefaultCodecError::Vanished);
        }
        Ok(())
    }

    fn answer_ranges(&mut self, mut parts: Vec<ArrayBytesRaw<'_>>) -> Option<Located<'c>> {
        match std::mem::replace(&mut self.state, State::Whole) {
            State::Exact(ranges) => self.assemble(ranges, parts),
            State::Guess(ranges) if !parts.is_empty() => {
                let header = parts.remove(0);
                let block_shape = self.learn_shape(&header)?;
                if *block_shape == self.cache.chunk().shape {
                    return self.assemble(ranges, parts);
                }
                self.continue_with(block_shape)
            }
            State::Header if !parts.is_empty() => {
                let block_shape = self.learn_shape(&parts.remove(0))?;
                self.continue_with(block_shape)
            }
            _ => None,
        }
    }

    /// Remembers the shape in the header. `None` if it is not that of a raw block of at most the
    /// chunk's size: then all bytes decide, and no memory is set aside on the word of a header
    /// alone.
    fn learn_shape(&self, header: &[u8]) -> Option<&'c Vec<usize>> {
        let chunk = self.cache.chunk();
        let (header, _) = self.cache.codec.parse_header(header).ok()?;
        let size = header.payload_size(chunk.element_size).ok()?;
        let shape = || header_shape(&header);
        (size <= chunk.size).then(|| self.cache.block_shape.get_or_init(shape))
    }

    fn continue_with(&mut self, block_shape: &[usize]) -> Option<Located<'c>> {
        match self.ranges(block_shape) {
            Some(ranges) => {
                self.state = State::Exact(ranges);
                None
            }
            None => Some(Located::Outside),
        }
    }

    /// `None` if the store gave other sizes than asked for.
    fn assemble(&self, ranges: ByteRanges, parts: Vec<ArrayBytesRaw<'_>>) -> Option<Located<'c>> {
        if !ranges
            .sizes()
            .eq(parts.iter().map(|part| part.len() as u64))
        {
            return None;
        }
        let elements = match <[ArrayBytesRaw<'_>; 1]>::try_from(parts) {
            Ok([part]) => part.into_owned(),
            Err(parts) => parts.concat(),
        };
        let fetched = ranges.region;
        let region = Region {
            start: iter::zip(&self.region.start, &fetched.start)
                .map(|(wanted, fetched)| wanted - fetched)
                .collect(),
            shape: self.region.shape.clone(),
        };
        let block = DecodedBlock::from_stored(fetched.shape, elements.into());
        Some(Located::Part(block, region))
    }

    fn answer_whole(
        &self,
        parts: Option<Vec<ArrayBytesRaw<'_>>>,
        options: &CodecOptions,
    ) -> Result<Located<'c>, CodecError> {
        let encoded = parts.and_then(|mut parts| parts.pop());
        self.check_gone(encoded.is_some())?;
        let block = match encoded {
            Some(encoded) => Some(self.cache.decompress(encoded, options)?),
            None => None,
        };
        let whole = self.cache.whole.get_or_init(|| block);
        Ok(Located::in_whole(whole.as_ref()))
    }
}

/// Whether `error` is of a value that is there, such as one that ends before a range of it does.
fn is_of_a_value(error: &CodecError) -> bool {
    let is_early_end = |error: &io::Error| error.kind() == io::ErrorKind::UnexpectedEof;
    match error {
        CodecError::InvalidByteRangeError(_)
        | CodecError::StorageError(StorageError::InvalidByteRangeError(_)) => true,
        CodecError::IOError(error) | CodecError::StorageError(StorageError::IOError(error)) => {
            is_early_end(error)
        }
        _ => false,
    }
}
