//! From the `attributes.json` of a node to an array. Pure: no store is asked here.

use std::sync::Arc;

use zarrs::array::{Array, ArrayCreateError, ArrayMetadata};
use zarrs_metadata::v3::ArrayMetadataV3;
use zarrs_storage::StorageError;

use super::error::OpenError;
use super::path::DatasetPath;
use crate::n5::attributes::MetadataError;
use crate::n5::json::is_blank;
use crate::n5::node::NodeKind;
use crate::n5::store::N5DefaultStore;

/// The array that the `attributes.json` at `path` describes; `None` if it is that of a group.
pub(super) fn array<S>(
    store: &Arc<N5DefaultStore<S>>,
    path: &DatasetPath,
    attributes: &[u8],
) -> Result<Option<Array<N5DefaultStore<S>>>, OpenError> {
    let zarr = store.view(attributes, &path.text).map_err(unreadable)?;
    if NodeKind::of(&zarr) == NodeKind::Group {
        return Ok(None);
    }
    let metadata = serde_json::from_slice::<ArrayMetadataV3>(&zarr).map_err(|error| {
        let key = path.node.zarr.clone();
        ArrayCreateError::StorageError(StorageError::InvalidMetadata(key, error.to_string()))
    });
    let array = metadata.and_then(|metadata| {
        let metadata = ArrayMetadata::V3(metadata);
        Array::new_with_metadata(store.clone(), &path.text, metadata)
    });
    let array = array.map_err(|source| OpenError::Array {
        node_path: path.text.clone(),
        source,
    })?;
    Ok(Some(array))
}

/// What the error `found` is for a node whose document describes no dataset: that the document is
/// empty, unless there are other nodes below it.
pub(super) fn empty(path: &DatasetPath, attributes: &[u8], found: OpenError) -> OpenError {
    match found {
        OpenError::Group { ref datasets, .. } if datasets.is_empty() && is_blank(attributes) => {
            OpenError::EmptyDocument {
                node_path: path.text.clone(),
                attributes: path.node.attributes.clone(),
            }
        }
        found => found,
    }
}

/// The error for a document that cannot be shown as Zarr.
pub(super) fn unreadable(error: MetadataError) -> OpenError {
    if error.is_unsupported() {
        OpenError::Unsupported(error)
    } else {
        OpenError::Document(error)
    }
}
