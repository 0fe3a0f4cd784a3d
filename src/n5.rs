//! Read and write N5 through [`zarrs`].

pub mod attributes;
mod block;
mod builder;
mod codec;
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
