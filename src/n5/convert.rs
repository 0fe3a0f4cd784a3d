//! (being written) the interface that the stores code against: pure, no stores in here.
#![allow(missing_docs, clippy::all, clippy::pedantic)]

/// Which chunk grid the zarr.json made from an N5 dataset has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChunkGrid {
    /// `zarrs.regular_bounded`: edge chunks end with the array.
    #[default]
    RegularBounded,
    /// `regular`: every chunk has the same shape; other Zarr readers know this one.
    Regular,
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertError {
    #[error("being written")]
    Placeholder,
}

impl ConvertError {
    /// Whether the document itself is fine but says something that the other format cannot (an unsupported
    /// compression, data type, n5 version, ...), as opposed to a malformed document.
    pub fn is_unsupported(&self) -> bool {
        false
    }
}

/// Whether an attributes.json document describes a dataset (design section 4); cheap, for walks.
pub fn is_dataset(attributes: &[u8], node_path: &str) -> Result<bool, ConvertError> {
    let _ = (attributes, node_path);
    Err(ConvertError::Placeholder)
}

/// attributes.json -> zarr.json (both as serialised bytes).
pub fn attributes_to_zarr(attributes: &[u8], node_path: &str, grid: ChunkGrid) -> Result<Vec<u8>, ConvertError> {
    let _ = (attributes, node_path, grid);
    Err(ConvertError::Placeholder)
}

/// zarr.json -> attributes.json. `existing` is the attributes.json that is there now, if any. `None` means that
/// nothing changes and nothing is to be written. The root (`node_path == "/"`) gets `"n5": "4.0.0"` when it has none.
pub fn zarr_to_attributes(zarr: &[u8], existing: Option<&[u8]>, node_path: &str) -> Result<Option<Vec<u8>>, ConvertError> {
    let _ = (zarr, existing, node_path);
    Err(ConvertError::Placeholder)
}
