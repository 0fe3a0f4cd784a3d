//! The store adapters: an N5 hierarchy as a Zarr V3 store, read, written, listed and erased.
#![cfg(feature = "n5")]

#[path = "../support/hierarchies.rs"]
mod hierarchies;
#[cfg(all(feature = "filesystem", target_os = "linux"))]
#[path = "../support/killed.rs"]
mod killed_child;
#[path = "../support/recording.rs"]
mod recording;

#[cfg(feature = "async")]
mod asynchronous;
mod conformance;
#[cfg(feature = "filesystem")]
mod hierarchy;
mod implicit_groups;
#[cfg(all(feature = "filesystem", target_os = "linux"))]
mod killed;
mod open;
#[cfg(feature = "async")]
mod open_asynchronous;
mod requests;
#[cfg(feature = "async")]
mod twins;
#[cfg(feature = "filesystem")]
mod write;
