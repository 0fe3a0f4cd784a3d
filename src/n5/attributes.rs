//! `attributes.json`, the metadata document of N5, parsed.
//!
//! A document describes a *dataset* if it has the member `dimensions` and any of `blockSize`,
//! `dataType`, `compression` and `compressionType`. Then the members of a dataset must all be there
//! and be right; anything else is an error that names the node and the member. Every other document
//! describes a *group*; so does one without any JSON in it, such as a file of 0 bytes.
//!
//! Both keep the document as it was, the order of its members and all unknown members included.
//!
//! Dimensions, block sizes and all other vectors are in the order of N5: dimension 0 first, which
//! is the fastest in a block. Dimensions and block sizes count elements.
//!
//! # Numbers that JSON values cannot hold
//!
//! zarr-python 2 writes `NaN`, `Infinity` and `-Infinity`, and Java reads them and numbers such as
//! `1e400`. In members that do not describe the blocks they are taken as they are: as values they
//! are the strings `"NaN"`, `"Infinity"` and `"-Infinity"`, and so they stand in a `zarr.json`.
//! Other numbers beyond 64 bits, or with more digits than 64-bit floating point has, are the
//! nearest such number as values. A document that is written anew keeps the spelling of all that
//! did not change, these numbers too.
//!
//! ```
//! use zarrs_interop::n5::attributes::N5Metadata;
//!
//! let document = br#"{"dimensions": [3, 2], "blockSize": [3, 2], "axes": ["x", "y"]}"#;
//! let error = N5Metadata::parse(document, "/volumes/raw").unwrap_err();
//! assert!(error.to_string().contains("/volumes/raw"));
//! assert!(error.to_string().contains("`dataType` is missing"));
//! ```

mod dataset_attributes;
mod group_attributes;
pub(crate) mod layout;
mod n5_metadata;
pub(crate) mod version;

#[cfg(test)]
mod tests;

pub use super::metadata_error::MetadataError;
pub use super::shape::ShapeError;
pub use dataset_attributes::DatasetAttributes;
pub use group_attributes::GroupAttributes;
pub use n5_metadata::N5Metadata;
