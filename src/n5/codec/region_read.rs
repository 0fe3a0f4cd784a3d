//! What to ask the store for, to get at a region of a block: the rules, free of any reading.
//!
//! A compressed block, and every block in a store that cannot read ranges, is asked for whole, once. Of a raw block
//! only the needed ranges are, in one request with the header if the block has the shape of its chunk:
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

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use zarrs_codec::{ArrayBytesRaw, CodecError, CodecOptions};
use zarrs_storage::byte_range::ByteRange;

use super::N5DefaultCodec;
use super::block::{Block, header_shape, parse_header};
use super::chunk::{Chunk, Region};
use super::read_plan::ReadPlan;

/// What a partial decoder knows of its chunk, and remembers of the block.
pub(super) struct Knowledge {
    pub(super) codec: Arc<N5DefaultCodec>,
    pub(super) chunk: Chunk,
    /// The shape in the header of a raw block, once that has been read.
    block_shape: OnceLock<Vec<usize>>,
    /// The whole block, decompressed, if it had to be read whole; `None` in it: there is no block.
    whole: OnceLock<Option<Block<'static>>>,
}

/// Where the elements of a region are.
pub(super) enum Found<'a> {
    /// There is no block: all elements have the fill value.
    Missing,
    /// The raw block does not reach as far as the region: the same.
    Outside,
    /// In a part of the block that was fetched for it. The region is in elements of that part.
    Part(Block<'static>, Region),
    /// In the whole block.
    Whole(&'a Block<'static>),
}

/// What to ask the store for.
pub(super) enum Request {
    /// These bytes, in one request.
    Ranges(Vec<ByteRange>),
    /// The whole value.
    Whole,
}

impl Knowledge {
    pub(super) const fn new(codec: Arc<N5DefaultCodec>, chunk: Chunk) -> Self {
        Self {
            codec,
            chunk,
            block_shape: OnceLock::new(),
            whole: OnceLock::new(),
        }
    }

    /// What can be told without asking the store.
    pub(super) fn known(&self, region: &Region) -> Option<Found<'_>> {
        if region.num_elements() == 0 {
            return Some(Found::Outside);
        }
        match self.whole.get()? {
            Some(block) => Some(Found::Whole(block)),
            None => Some(Found::Missing),
        }
    }

    pub(super) fn size_held(&self) -> usize {
        match self.whole.get() {
            Some(Some(block)) => block.size_held(),
            _ => 0,
        }
    }
}

impl Found<'_> {
    /// Writes the elements of `region`, which this was found for, to `out` in C order.
    pub(super) fn read(
        &self,
        region: &Region,
        chunk: &Chunk,
        out: &mut [u8],
    ) -> Result<(), CodecError> {
        match self {
            Self::Missing | Self::Outside => {
                let fill_value = chunk.fill_value.as_ne_bytes();
                for element in out.chunks_exact_mut(chunk.element_size) {
                    element.copy_from_slice(fill_value);
                }
            }
            Self::Part(block, region) => block.read(region, chunk, out)?,
            Self::Whole(block) => block.read(region, chunk, out)?,
        }
        Ok(())
    }
}

/// One read: [`request`](Self::request), hand the bytes to [`answer`](Self::answer), until that has found them.
pub(super) struct RegionRead<'k, 'r> {
    knowledge: &'k Knowledge,
    region: &'r Region,
    state: State,
}

enum State {
    Guess(ReadPlan),
    Header,
    Exact(ReadPlan),
    Whole,
}

/// The answer of a store; `None` if there is no such key.
type Answer<'b> = Result<Option<Vec<ArrayBytesRaw<'b>>>, CodecError>;

impl<'k, 'r> RegionRead<'k, 'r> {
    /// `reads_ranges`: whether the store can read a range without reading everything.
    pub(super) fn new(knowledge: &'k Knowledge, region: &'r Region, reads_ranges: bool) -> Self {
        let mut read = Self {
            knowledge,
            region,
            state: State::Whole,
        };
        if knowledge.codec.payload.is_raw() && reads_ranges {
            let known = knowledge.block_shape.get();
            let plan = read.plan(known.unwrap_or(&knowledge.chunk.shape));
            read.state = match (plan, known) {
                (Some(plan), Some(_)) => State::Exact(plan),
                (Some(plan), None) => State::Guess(plan),
                // The region lies behind a short block.
                (None, _) => State::Header,
            };
        }
        read
    }

    fn plan(&self, block_shape: &[usize]) -> Option<ReadPlan> {
        ReadPlan::new(block_shape, self.knowledge.chunk.element_size, self.region)
    }

    pub(super) fn request(&self) -> Request {
        let header = self.knowledge.chunk.header_range();
        match &self.state {
            State::Guess(plan) => {
                Request::Ranges([header].into_iter().chain(self.ranges(plan)).collect())
            }
            State::Header => Request::Ranges(vec![header]),
            State::Exact(plan) => Request::Ranges(self.ranges(plan).collect()),
            State::Whole => Request::Whole,
        }
    }

    fn ranges<'b>(&self, plan: &'b ReadPlan) -> impl Iterator<Item = ByteRange> + use<'b> {
        let header = self.knowledge.chunk.header_size();
        plan.ranges.iter().map(move |range| {
            ByteRange::FromStart(header + range.start, Some(range.end - range.start))
        })
    }

    /// `None`: there is more to ask for.
    pub(super) fn answer(
        &mut self,
        answer: Answer<'_>,
        options: &CodecOptions,
    ) -> Result<Option<Found<'k>>, CodecError> {
        if matches!(self.state, State::Whole) {
            return self.answer_whole(answer?, options).map(Some);
        }
        let parts = match answer {
            Ok(Some(parts)) => parts,
            Ok(None) => return Ok(Some(Found::Missing)),
            Err(_) if matches!(self.state, State::Guess(_)) => {
                self.state = State::Header;
                return Ok(None);
            }
            Err(_) => {
                self.state = State::Whole;
                return Ok(None);
            }
        };
        Ok(self.answer_ranges(parts))
    }

    fn answer_ranges(&mut self, mut parts: Vec<ArrayBytesRaw<'_>>) -> Option<Found<'k>> {
        match std::mem::replace(&mut self.state, State::Whole) {
            State::Exact(plan) => self.assemble(plan, parts),
            State::Guess(plan) if !parts.is_empty() => {
                let header = parts.remove(0);
                let block_shape = self.learn_shape(&header)?;
                if *block_shape == self.knowledge.chunk.shape {
                    return self.assemble(plan, parts);
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

    /// `None` if the header is not that of a raw block of at most the chunk's size: then all bytes decide, and no
    /// memory is set aside on the word of a header alone.
    fn learn_shape(&self, header: &[u8]) -> Option<&'k Vec<usize>> {
        let chunk = &self.knowledge.chunk;
        let (header, _) = parse_header(header, chunk).ok()?;
        let size = header.payload_size(chunk.element_size).ok()?;
        (size <= chunk.byte_size).then(|| {
            self.knowledge
                .block_shape
                .get_or_init(|| header_shape(&header))
        })
    }

    fn continue_with(&mut self, block_shape: &[usize]) -> Option<Found<'k>> {
        match self.plan(block_shape) {
            Some(plan) => {
                self.state = State::Exact(plan);
                None
            }
            None => Some(Found::Outside),
        }
    }

    /// `None` if the store gave other lengths than asked for.
    fn assemble(&self, plan: ReadPlan, parts: Vec<ArrayBytesRaw<'_>>) -> Option<Found<'k>> {
        let lengths = plan.ranges.iter().map(|range| range.end - range.start);
        if !lengths.eq(parts.iter().map(|part| part.len() as u64)) {
            return None;
        }
        let elements = match <[ArrayBytesRaw<'_>; 1]>::try_from(parts) {
            Ok([part]) => part.into_owned(),
            Err(parts) => parts.concat(),
        };
        let region = Region {
            start: std::iter::zip(&self.region.start, &plan.fetched.start)
                .map(|(wanted, fetched)| wanted - fetched)
                .collect(),
            shape: self.region.shape.clone(),
        };
        let block = Block::from_elements(plan.fetched.shape, Cow::Owned(elements));
        Some(Found::Part(block, region))
    }

    fn answer_whole(
        &self,
        parts: Option<Vec<ArrayBytesRaw<'_>>>,
        options: &CodecOptions,
    ) -> Result<Found<'k>, CodecError> {
        let Knowledge { codec, chunk, .. } = self.knowledge;
        let encoded = parts.and_then(|mut parts| parts.pop());
        let block = encoded
            .map(|encoded| Block::decompress(codec, chunk, encoded, options).map(Block::into_owned))
            .transpose()?;
        Ok(match self.knowledge.whole.get_or_init(|| block) {
            Some(block) => Found::Whole(block),
            None => Found::Missing,
        })
    }
}
