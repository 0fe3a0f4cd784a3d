//! Rewriting as OME-Zarr: the elements, the metadata, and what is left of a run that ended early.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "elements are whatever bits their positions give"
)]

#[path = "../../examples/n5_to_zarr.rs"]
#[allow(dead_code, reason = "the tests run the example without its `main`")]
mod n5_to_zarr;

mod absent;
mod arguments;
mod claim;
mod corrupt;
mod documents;
mod elements;
mod example;
mod filled;
mod interrupted;
mod levels;
mod parts;
mod settings;
mod shards;
mod source;
mod support;
mod verify;
