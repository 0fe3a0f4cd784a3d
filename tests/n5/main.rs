//! Blocks and arrays: what is decoded, encoded, read in part and written in part, and what other
//! implementations wrote.
#![cfg(feature = "n5")]

#[path = "../support/broken_blocks.rs"]
mod broken_blocks;
#[path = "../support/careless_array.rs"]
mod careless_array;
#[path = "../support/oracle.rs"]
mod oracle;

#[cfg(feature = "async")]
mod asynchronous;
#[cfg(feature = "filesystem")]
mod block_names;
mod check;
mod compressions;
#[cfg(all(feature = "compressors", feature = "filesystem"))]
mod containers;
mod decode;
mod dimension_order;
mod encode;
mod faults;
mod hostile;
mod many_threads;
#[cfg(target_os = "linux")]
mod memory_limit;
mod pad_edge_blocks;
mod partial_write;
#[cfg(all(feature = "template", feature = "gzip", feature = "filesystem"))]
mod readme;
mod region_reader;
mod regions;
#[cfg(all(feature = "compressors", feature = "filesystem"))]
mod when_it_fails;
