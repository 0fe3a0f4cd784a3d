//! The `zarr.json` that lies beside an `attributes.json` that changes.

use super::chunk_grid::ChunkGrid;
use super::names::OME;
use super::to_zarr::{ZarrOptions, attributes_to_document};
use super::zarr_node::ZarrNode;
use crate::n5::json::Document;
use crate::n5::metadata_error::MetadataError;

/// The `zarr.json` for an `attributes.json` that changes, beside which lies `zarr`: the order of
/// the dimensions and the attribute `ome` stay as they are in that.
///
/// # Errors
/// As [`attributes_to_zarr`](super::attributes_to_zarr).
pub(crate) fn attributes_beside(
    attributes: &[u8],
    node_path: &str,
    zarr: &[u8],
) -> Result<Vec<u8>, MetadataError> {
    let mut options = ZarrOptions {
        grid: ChunkGrid::Regular,
        ..ZarrOptions::default()
    };
    let mut ome = None;
    if let Ok(document) = Document::of_zarr(zarr)
        && let Ok(node) = ZarrNode::read(&document)
    {
        if let Some(array) = &node.array {
            options.presentation = array.presentation;
        }
        if node.has_ome_image() {
            ome = node.attributes.parsed(OME).ok().flatten();
        }
    }
    options.ome = ome.as_ref();
    attributes_to_document(attributes, node_path, &options)
}
