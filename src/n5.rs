//! Read and write N5 through [`zarrs`].
//!
//! # Other readers of what is written
#![doc = include_str!("../docs/other_readers.md")]

pub mod attributes;
pub mod block;
mod builder;
pub mod codec;
pub mod compression;
pub mod convert;
mod data_type;
mod implicit_group;
mod in_place;
#[cfg(feature = "lz4")]
pub mod lz4_java;
mod reorder;
mod store;
#[cfg(feature = "xz")]
pub mod xz;

pub use attributes::{AttributesError, DatasetAttributes, GroupAttributes, N5Metadata};
pub use block::{BlockHeader, BlockHeaderError, BlockMode};
pub use builder::{ArrayBuilderError, array_builder};
pub use codec::{
    N5DefaultCodec, N5DefaultCodecConfiguration, N5DefaultCodecError, N5DefaultConfigurationError,
};
pub use compression::Compression;
pub use data_type::{DataTypeError, N5DataType};
pub use implicit_group::ImplicitGroupStore;
pub use in_place::{
    FailureReason, InPlaceError, InPlaceOptions, InPlaceReport, NodeReport, Outcome, Progress,
    RenameDocuments, ReplaceDocuments, SetDocuments, SkipReason, add_n5_metadata,
    add_zarr_metadata,
};
#[cfg(feature = "async")]
pub use in_place::{add_n5_metadata_async, add_zarr_metadata_async};
pub use store::{N5DefaultStore, Unconvertible};

/// Registers the codecs in zarrs's run-time registry; the caller sees to it that this happens once.
pub(crate) fn register_runtime() {
    codec::register_runtime();
    #[cfg(feature = "lz4")]
    lz4_java::register_runtime();
    #[cfg(feature = "xz")]
    xz::register_runtime();
}

/// What the benchmarks and the fuzz targets need of the inside; no part of the interface.
#[doc(hidden)]
pub mod __bench {
    pub use super::reorder::{decode_region, encode_block};
}
