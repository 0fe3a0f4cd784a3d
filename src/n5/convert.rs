//! `attributes.json` and `zarr.json`, each made from the other. Pure: bytes in, bytes out, no
//! stores.
//!
#![doc = include_str!("../../docs/metadata_table.md")]
//!
//! # From N5 to Zarr
//!
//! The attributes of the Zarr node are all members of `attributes.json` but those that describe the
//! blocks, in their order and unchanged. Vectors such as `resolution` are in the order of N5, which
//! is the order of the Zarr shape, and are not reversed.
//!
//! # With the dimensions backwards
//!
//! On request conversion [in place](super::add_zarr_metadata) lists the dimensions backwards, (z,
//! y, x) for (x, y, z), by published extensions only:
//!
//! | member | as stored | reversed |
//! |---|---|---|
//! | `shape`, `chunk_shape`, `dimension_names` | in N5's order | backwards |
//! | `chunk_key_encoding` | `v2`, `/` | `template`, `{2}/{1}/{0}` |
//! | `codecs` | `n5_default` | `transpose` with the order `[2, 1, 0]`, `n5_default` |
//! | `attributes` | as they are | as they are |
//!
//! With less than two dimensions there is but one order. The way back knows either by itself.
//!
//! # From Zarr to N5
//!
//! What N5 cannot say is refused, and nothing is lost but
//!
//! * the attributes that Zarr writers add on their own, `_zarrs` (by `zarrs`) and `_n5` (by the
//!   Python package `zarr-n5`); members of these names that were in `attributes.json` before stay
//!   as they were,
//! * extensions that say `"must_understand": false`, and consolidated metadata, a copy of other
//!   documents,
//! * the kind of chunk grid, which N5 does not have.
//!
//! As in Zarr, the new document takes the place of the old one: attributes that it lacks are gone,
//! an array stored over a group makes it a dataset, and a group stored over an array makes it a
//! group. From the old document come the order of the members, the wording of everything that still
//! says the same (`[3.0, 2.0]`, a compression with `"level": -1`, `useZlib` or members of other
//! programs, a legacy `compressionType`) and, at the root, the version `n5`. A root without a
//! version gets `"n5": "2.0.0"`, which every reader of N5 takes.
//!
//! Numbers keep their spelling too, within attributes that changed elsewhere as well: `1.50`,
//! `18446744073709551616`, `NaN`. A `zarr.json` says them as they are, so that readers other than
//! `zarrs` may know them exactly, but for `NaN`, `Infinity`, `-Infinity` and numbers beyond 64-bit
//! floating point (`1e400`), which are strings there: `"NaN"`, `"Infinity"`, `"-Infinity"`. On the
//! way back such a string leaves the number that was there. `zarrs` reads other numbers as the
//! nearest that 64 bits hold; one that comes back so leaves the exact one that was there.
//!
//! `dimension_names` are kept as the attribute `axes`. If both are there and differ, the one that
//! changed since the existing document wins; if that does not decide it, they are refused. To
//! remove the names, remove both. Names of which two are equal are refused too, since tensorstore
//! cannot open a dataset with such `axes`; on the way to Zarr such `axes` are an attribute only.

mod agreement;
mod beside;
mod chunk_grid;
pub(super) mod codec;
mod group_ome;
mod names;
mod presentation;
mod to_attributes;
mod to_zarr;
mod zarr_node;

// The documents of the tests name these compressions; what is switched off is refused, which
// `n5::compression` tests.
#[cfg(all(test, feature = "compressors"))]
mod properties;
#[cfg(all(test, feature = "blosc", feature = "gzip", feature = "zstd"))]
mod tests;

pub use chunk_grid::ChunkGrid;
pub use to_attributes::zarr_to_attributes;
pub use to_zarr::{attributes_to_zarr, is_dataset};

pub(crate) use agreement::{Agreement, agreement};
pub(crate) use beside::attributes_beside;
pub(crate) use group_ome::GroupOme;
pub(crate) use presentation::Presentation;
pub(crate) use to_attributes::{Beside, zarr_to_attributes_beside};
pub(crate) use to_zarr::{ZarrOptions, attributes_to_document};
