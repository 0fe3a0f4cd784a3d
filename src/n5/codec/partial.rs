//! Access to parts of a block: which bytes hold a region, what to ask the store for, and the
//! decoder and encoder that zarrs calls.

mod block_cache;
mod block_fetch;
mod block_write;
mod byte_ranges;
mod decoder;
mod encoder;
mod region_read;

pub(crate) use block_fetch::{BlockFetch, Decoded, Fetched, WantedBlock};
pub(super) use decoder::PartialDecoder;
pub(super) use encoder::PartialEncoder;
