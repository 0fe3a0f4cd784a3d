//! The version of N5 that the `attributes.json` of the root states. Pure: no store is asked here.
//!
//! Several readers (z5py, pyn5, rust-n5, zarr-python's `open_group`) take a folder for a container
//! of N5 only if its root says so.

use zarrs_storage::Bytes;

use super::convert::{self, ChunkGrid};
use super::node::EMPTY_GROUP;

/// The path of the root.
const ROOT: &str = "/";

/// The `attributes.json` to write at the root, given the documents that are there, so that it
/// states a version; `None` if it does, or if there is a document that is not this crate's to
/// change.
///
/// Whatever the root says is kept. A `zarr.json` counts only where there is no `attributes.json`.
pub(crate) fn with_version(attributes: Option<&[u8]>, zarr: Option<&[u8]>) -> Option<Bytes> {
    let zarr = match (attributes, zarr) {
        (Some(attributes), _) => convert::attributes_to_zarr(attributes, ROOT, ChunkGrid::Regular),
        (None, zarr) => Ok(zarr.unwrap_or(EMPTY_GROUP).to_vec()),
    };
    let versioned = zarr.and_then(|zarr| convert::zarr_to_attributes(&zarr, attributes, ROOT));
    versioned.map_or_else(
        |error| {
            log::warn!("the root states no version of N5, and is left as it is: {error}");
            None
        },
        |versioned| versioned.map(Bytes::from),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn written(attributes: Option<&str>, zarr: Option<&str>) -> Option<Value> {
        let document = with_version(attributes.map(str::as_bytes), zarr.map(str::as_bytes))?;
        serde_json::from_slice(&document).ok()
    }

    #[test]
    fn a_root_without_documents_gets_a_version_that_every_reader_takes() {
        assert_eq!(written(None, None), Some(json!({"n5": "2.0.0"})));
    }

    #[test]
    fn a_version_that_is_there_is_left_alone() {
        for version in [r#"{"n5":"4.0.0"}"#, r#"{"n5":"1.0.0","a":1}"#] {
            assert_eq!(written(Some(version), None), None, "{version}");
        }
    }

    #[test]
    fn attributes_without_a_version_are_kept_and_get_one() {
        let found = written(Some(r#"{"a":[1.0]}"#), None);
        assert_eq!(found, Some(json!({"n5": "2.0.0", "a": [1.0]})));
    }

    #[test]
    fn a_zarr_group_at_the_root_keeps_its_attributes() {
        let zarr = r#"{"zarr_format":3,"node_type":"group","attributes":{"k":1}}"#;
        assert_eq!(
            written(None, Some(zarr)),
            Some(json!({"n5": "2.0.0", "k": 1}))
        );
    }

    #[test]
    fn a_root_that_is_not_understood_is_left_alone() {
        assert_eq!(written(Some("[1]"), None), None);
        assert_eq!(written(None, Some("{")), None);
    }
}
