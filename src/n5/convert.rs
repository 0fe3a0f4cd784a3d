//! `attributes.json` and `zarr.json`, each made from the other. Pure: bytes in, bytes out, no stores.
//!
#![doc = include_str!("../../docs/metadata_table.md")]
//!
//! # From N5 to Zarr
//!
//! The attributes of the Zarr node are all members of `attributes.json` but those that describe the blocks, in
//! their order and unchanged. Vectors such as `resolution` are in the order of N5, which is the order of the Zarr
//! shape, and are not reversed.
//!
//! # From Zarr to N5
//!
//! What N5 cannot say is refused, and nothing is lost but
//!
//! * the attributes that Zarr writers add on their own, `_zarrs` (by `zarrs`) and `_n5` (by the Python package
//!   `zarr-n5`); members of these names that were in `attributes.json` before stay as they were,
//! * extensions that say `"must_understand": false`, and consolidated metadata, a copy of other documents,
//! * the kind of chunk grid, which N5 does not have.
//!
//! As in Zarr, the new document takes the place of the old one: attributes that it lacks are gone, an array stored
//! over a group makes it a dataset, and a group stored over an array makes it a group. From the old document come the
//! order of the members, the wording of everything that still says the same (`[3.0, 2.0]`, a compression with
//! `"level": -1`, `useZlib` or members of other programs, a legacy `compressionType`) and, at the root, the version
//! `n5`. A root without a version gets `"n5": "2.0.0"`.
//!
//! `dimension_names` are kept as the attribute `axes`. If both are there and differ, the one that changed since the
//! existing document wins; if that does not decide it, they are refused. To remove the names, remove both.

mod codec;
mod error;
mod from_zarr;
mod merge;
mod to_zarr;

// The documents of the tests name these compressions; what is switched off is refused, which
// `n5::compression` tests.
#[cfg(all(
    test,
    feature = "blosc",
    feature = "bzip2",
    feature = "gzip",
    feature = "lz4",
    feature = "xz",
    feature = "zstd"
))]
mod properties;
#[cfg(all(test, feature = "blosc", feature = "gzip", feature = "zstd"))]
mod tests;

use serde_json::{Map, Value};

pub use codec::CodecsError;
pub use error::ConvertError;

use super::attributes::{
    AttributesError, N5Metadata, check_version, describes_dataset, parse_object, to_bytes,
};

/// Which chunk grid the `zarr.json` made from an N5 dataset has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChunkGrid {
    /// `zarrs.regular_bounded`: the chunks at the edge end with the array, as the blocks of most N5 writers do.
    #[default]
    RegularBounded,
    /// `regular`: every chunk has the same shape. Other Zarr readers than `zarrs` know this one only.
    Regular,
}

/// Whether an `attributes.json` describes a dataset, be it a good one or not. For walks through a hierarchy.
///
/// # Errors
/// [`ConvertError::Attributes`] if the document is not a JSON object.
pub fn is_dataset(attributes: &[u8], node_path: &str) -> Result<bool, ConvertError> {
    let document = parse_attributes(attributes, node_path)?;
    Ok(describes_dataset(&document))
}

/// The `zarr.json` that says what an `attributes.json` says. Equal bytes give equal bytes.
///
/// # Errors
/// [`ConvertError::Attributes`] if the document is malformed or says something that is not supported, and
/// [`ConvertError::Compression`] if its compression needs a feature of this crate that is off.
pub fn attributes_to_zarr(
    attributes: &[u8],
    node_path: &str,
    grid: ChunkGrid,
) -> Result<Vec<u8>, ConvertError> {
    let json = match N5Metadata::parse(attributes, node_path)? {
        N5Metadata::Group(group) => group.to_group_metadata().to_string_pretty(),
        N5Metadata::Dataset(dataset) => dataset
            .to_array_metadata(grid)
            .map_err(|source| ConvertError::Compression {
                node_path: node_path.to_owned(),
                source: source.into(),
            })?
            .to_string_pretty(),
    };
    Ok(json.into_bytes())
}

/// The `attributes.json` that says what a `zarr.json` says, or `None` if the existing one says it already.
///
/// `existing` is the `attributes.json` that is there now, if any. The node path of the root is `/`.
///
/// # Errors
/// [`ConvertError`] if the `zarr.json` is malformed or says something that N5 cannot, and if the existing document
/// is not a JSON object or of a newer version of N5: it is then not this crate's to overwrite.
pub fn zarr_to_attributes(
    zarr: &[u8],
    existing: Option<&[u8]>,
    node_path: &str,
) -> Result<Option<Vec<u8>>, ConvertError> {
    let node = from_zarr::read(zarr, node_path)?;
    let old = match existing {
        Some(existing) => {
            let document = parse_attributes(existing, node_path)?;
            check_version(&document, node_path)?;
            document
        }
        None => Map::new(),
    };
    let new = merge::merge(node, &old, node_path)?;
    check_version(&new, node_path)?;
    Ok((existing.is_none() || new != old).then(|| to_bytes(new)))
}

fn parse_attributes(
    document: &[u8],
    node_path: &str,
) -> Result<Map<String, Value>, AttributesError> {
    parse_object(document).map_err(|source| AttributesError::Document {
        node_path: node_path.to_owned(),
        source,
    })
}
