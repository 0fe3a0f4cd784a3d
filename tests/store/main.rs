//! The store adapters: an N5 hierarchy as a Zarr V3 store, read, written, listed and erased.
#![cfg(feature = "n5")]

#[path = "../support/hierarchies.rs"]
mod hierarchies;
#[path = "../support/recording.rs"]
mod recording;

#[cfg(feature = "async")]
mod asynchronous;
mod conformance;
#[cfg(feature = "filesystem")]
mod hierarchy;
mod open;
#[cfg(feature = "async")]
mod open_asynchronous;
mod requests;
#[cfg(feature = "filesystem")]
mod write;
