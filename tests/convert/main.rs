//! The walk over a hierarchy, and conversion in place, both ways.
#![cfg(feature = "n5")]

#[path = "../support/documents.rs"]
mod documents;
#[path = "../support/hierarchies.rs"]
mod hierarchies;
#[cfg(all(feature = "filesystem", target_os = "linux"))]
#[path = "../support/killed.rs"]
mod killed_child;
#[path = "../support/recording.rs"]
mod recording;

#[cfg(all(feature = "async", feature = "ome", feature = "template"))]
mod asynchronous;
mod crash;
#[cfg(all(feature = "filesystem", target_os = "linux"))]
mod killed;
mod lost_attributes;
#[cfg(feature = "ome")]
mod ome;
mod only_where_n5_is;
#[cfg(feature = "template")]
mod reversed;
mod to_n5;
mod to_zarr;
mod walk;
#[cfg(all(feature = "filesystem", unix))]
mod walk_folders;
