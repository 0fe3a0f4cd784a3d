//! Rewriting as OME-Zarr: the elements, the metadata, and what is left of a run that ended early.

mod corrupt;
mod elements;
mod interrupted;
mod levels;
mod parts;
mod settings;
mod shards;
mod source;
mod support;
mod verify;
