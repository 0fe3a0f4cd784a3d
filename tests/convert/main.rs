//! The walk over a hierarchy, and conversion in place, both ways.
#![cfg(feature = "n5")]

#[path = "../support/documents.rs"]
mod documents;
#[path = "../support/hierarchies.rs"]
mod hierarchies;
#[path = "../support/recording.rs"]
mod recording;

mod crash;
#[cfg(feature = "ome")]
mod ome;
#[cfg(feature = "template")]
mod reversed;
mod to_n5;
mod to_zarr;
mod walk;
#[cfg(all(feature = "filesystem", unix))]
mod walk_folders;
