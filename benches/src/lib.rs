//! What the benchmarks share: the data, the codecs that are compared, and the contest that measures
//! them.

pub mod clock;
pub mod codecs;
pub mod contest;
pub mod data;
pub mod datasets;
pub mod memcpy;
pub mod memory;
