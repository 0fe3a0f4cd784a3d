//! Read and write N5 through [`zarrs`].
//!
//! An N5 hierarchy is a folder of folders. A folder with a dataset's `attributes.json` is an array,
//! every other one a group, and the blocks of a dataset are files below it, named by their position
//! in the grid of blocks:
//!
//! ```text
//! volume.n5/attributes.json          {"n5": "2.0.0"}
//! volume.n5/raw/attributes.json      {"dimensions": [5, 3], "blockSize": [3, 2], ...}
//! volume.n5/raw/1/0                  the block with elements 3..5 of dimension 0
//!                                    and 0..2 of dimension 1:
//!
//!     0000 | 0002 | 00000002 00000002 | gzip(x00 x10 x01 x11)
//!     mode   ndim   shape of the block  elements, big-endian, dimension 0 fastest
//! ```
//!
//! Each block states its own shape, so that blocks at the edge may end with the array (Java) or be
//! padded to the full block size (zarr-python 2, tensorstore). Both are read, also within one
//! array.
//!
//! # Which type do I need?
//!
//! | To | use |
//! |---|---|
//! | open one dataset, with errors that say what is there | [`open_array`] |
#![cfg_attr(
    feature = "object_store",
    doc = "| read from a bucket or a web server | [`open_url`] |"
)]
#![cfg_attr(
    not(feature = "object_store"),
    doc = "| read from a bucket or a web server | `open_url`, with the feature `object_store` |"
)]
//! | open N5 as Zarr V3, write metadata back | [`N5DefaultStore`], around any zarrs store |
//! | open groups that have no `attributes.json` | [`ImplicitGroupStore`], around that |
//! | find all nodes, whatever is wrong with some | [`walk`] |
//! | read large regions fast, in either order of the dimensions | [`RegionReader`] |
//! | have arrays in (z, y, x) order for plain zarrs calls | [`N5DefaultStore::with_dimension_order`] |
//! | know whether all blocks of a dataset can be read | [`check`](check()) |
//! | fill up short blocks inside a dataset that has grown | [`pad_edge_blocks`] |
//! | create a dataset | [`array_builder`] with a [`Compression`] |
//! | let programs without the adapters open the data | [`add_zarr_metadata`], then `use zarrs_interop as _;` in those |
//! | turn a Zarr hierarchy of N5 blocks into N5 | [`add_n5_metadata`] |
//! | read or write `attributes.json` without a store | [`N5Metadata`], [`convert`] |
//! | look at one block | [`BlockHeader`] |
//! | understand a pyramid of arrays | [`multiscale`] |
#![cfg_attr(
    feature = "rewrite",
    doc = "| rewrite as sharded Zarr V3 with OME-Zarr metadata | [`rewrite`] |"
)]
#![cfg_attr(
    not(feature = "rewrite"),
    doc = "| rewrite as sharded Zarr V3 with OME-Zarr metadata | `rewrite`, with the feature `rewrite` |"
)]
//! | know what the codec does and refuses | [`codec`] |
//!
//! Shapes and positions always list dimension 0 first, which is the fastest in a block. The Zarr
//! shape is N5's `dimensions`, not reversed; zarrs hands out elements in C order, the last
//! dimension fastest.
//!
//! # To read
#![cfg_attr(
    all(feature = "gzip", feature = "filesystem"),
    doc = include_str!("../docs/example_read.md")
)]
//!
//! # To write
#![cfg_attr(feature = "gzip", doc = include_str!("../docs/example_write.md"))]
//!
//! # Other readers of what is written
#![doc = include_str!("../docs/other_readers.md")]
//!
//! # Every type and function
#![cfg_attr(
    all(feature = "object_store", feature = "rewrite", feature = "lz4", feature = "xz"),
    doc = include_str!("../docs/n5_types.md")
)]
//!
//! # Examples
//! Programs in the repository:
#![doc = include_str!("../docs/examples.md")]

mod adapter;
mod at_once;
pub mod attributes;
#[cfg(feature = "benchable_apis")]
#[doc(hidden)]
pub mod benchable_apis;
pub mod block;
mod builder;
mod check;
pub mod codec;
pub mod compression;
pub mod convert;
mod data_type;
mod dimension_order;
mod error_text;
mod implicit_group;
mod in_place;
mod json;
#[cfg(feature = "lz4")]
pub mod lz4_java;
mod members;
mod memory;
mod metadata_error;
pub mod multiscale;
mod node;
mod open;
#[cfg(feature = "object_store")]
mod open_url;
mod provenance;
pub mod region_reader;
mod reorder;
mod reversed_keys;
#[cfg(feature = "rewrite")]
pub mod rewrite;
mod root_version;
mod shape;
#[cfg(any(feature = "filesystem", feature = "object_store"))]
mod special_file;
mod store;
mod walk;
mod whole_value;
#[cfg(feature = "xz")]
pub mod xz;

#[doc(inline)]
pub use attributes::{DatasetAttributes, GroupAttributes, N5Metadata};
#[doc(inline)]
pub use block::{BlockHeader, BlockHeaderError, BlockMode};
pub use builder::{ArrayBuilderError, array_builder};
pub use check::{
    CheckError, CheckOptions, CheckProgress, CheckReport, PadError, PadReport, Stray, StrayReason,
    Unlisted, check, pad_edge_blocks,
};
#[cfg(feature = "async")]
pub use check::{async_check, async_pad_edge_blocks};
#[doc(inline)]
pub use codec::{N5DefaultCodec, N5DefaultCodecConfiguration, N5DefaultConfigurationError};
#[doc(inline)]
pub use compression::Compression;
pub use data_type::{DataTypeError, N5DataType};
pub use implicit_group::{ImplicitGroupStore, Listed, Unconditional};
#[cfg(feature = "async")]
pub use in_place::{AsyncReplaceDocuments, async_add_n5_metadata, async_add_zarr_metadata};
pub use in_place::{
    FailureReason, InPlaceError, InPlaceOptions, InPlaceReport, NodeReport, Outcome, Progress,
    RenameDocuments, ReplaceDocuments, SetDocuments, SkipReason, add_n5_metadata,
    add_zarr_metadata,
};
#[cfg(feature = "ome")]
pub use in_place::{PyramidRefusal, PyramidReport};
pub use metadata_error::MetadataError;
#[cfg(feature = "async")]
pub use open::async_open_array;
pub use open::{OpenError, open_array};
#[cfg(feature = "object_store")]
pub use open_url::{Access, OpenUrlError, UrlError, UrlOptions, UrlStore, UrlTraffic, open_url};
#[doc(inline)]
pub use region_reader::{BlockErrors, DimensionOrder, MissingBlocks, RegionError, RegionReader};
pub use shape::ShapeError;
pub use store::{N5DefaultStore, Unconvertible};
#[cfg(feature = "async")]
pub use walk::async_walk;
pub use walk::{
    ForeignNode, LeftOut, LeftOutReason, ReadError, Unreadable, WalkError, WalkOptions, WalkReport,
    WalkedDataset, WalkedKind, WalkedNode, walk,
};

/// Registers the codecs in zarrs's run-time registry; the caller sees to it that this happens once.
pub(crate) fn register_runtime() {
    codec::register_runtime();
    reversed_keys::register_runtime();
    compression::register_runtime();
}
