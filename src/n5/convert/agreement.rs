//! Whether the two documents of a node say the same.

use super::chunk_grid::ChunkGrid;
use super::to_attributes::zarr_to_attributes;
use super::zarr_node::{CHUNK_GRID, ZarrNode};
use crate::n5::json::Document;

/// How far a `zarr.json` says what the `attributes.json` of its node says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Agreement {
    /// It says the same, with the chunk grid that is wanted.
    Same,
    /// It says the same, but with another chunk grid. These bytes differ from it in the grid only.
    OtherGrid(Vec<u8>),
    /// It says something else, or cannot be read.
    Different,
}

/// Compares an existing `zarr.json` with an `attributes.json`, whatever the spelling and the order
/// of their members.
///
/// `grid` is the chunk grid that the `zarr.json` is to have; other readers than `zarrs` need
/// [`ChunkGrid::Regular`].
pub(crate) fn agreement(
    zarr: &[u8],
    attributes: &[u8],
    node_path: &str,
    grid: ChunkGrid,
) -> Agreement {
    if !matches!(
        zarr_to_attributes(zarr, Some(attributes), node_path),
        Ok(None)
    ) {
        return Agreement::Different;
    }
    // What could be converted can be read.
    let Ok(document) = Document::of_zarr(zarr) else {
        return Agreement::Different;
    };
    match ZarrNode::read(&document) {
        Ok(ZarrNode {
            array: Some(array), ..
        }) if array.grid != grid => {
            let metadata = grid.metadata(array.dataset.block_size());
            // A grid is an object with strings as keys, so that it always has a text.
            let text = serde_json::to_string(&metadata).unwrap_or_default();
            Agreement::OtherGrid(document.with_member(CHUNK_GRID, &text).into_bytes())
        }
        Ok(_) => Agreement::Same,
        Err(_) => Agreement::Different,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::n5::convert::to_zarr::attributes_to_zarr;

    const ATTRIBUTES: &[u8] = br#"{"dimensions": [5, 3.0], "blockSize": [3, 2],
        "dataType": "uint8", "compression": {"type": "raw"}, "a": [NaN, 1.50]}"#;

    fn zarr(grid: ChunkGrid) -> Vec<u8> {
        attributes_to_zarr(ATTRIBUTES, "/a", grid).unwrap()
    }

    fn compared(zarr: &[u8], grid: ChunkGrid) -> Agreement {
        agreement(zarr, ATTRIBUTES, "/a", grid)
    }

    #[test]
    fn a_document_of_the_wanted_grid_is_the_same() {
        for grid in [ChunkGrid::Regular, ChunkGrid::RegularBounded] {
            assert_eq!(compared(&zarr(grid), grid), Agreement::Same);
        }
        let group = br#"{"node_type":"group","zarr_format":3,"attributes":{"b":1,"a":2}}"#;
        assert_eq!(
            agreement(group, br#"{"a":2,"b":1}"#, "/a", ChunkGrid::Regular),
            Agreement::Same
        );
    }

    #[test]
    fn another_grid_is_not_the_same_and_is_replaced_alone() {
        let bounded = String::from_utf8(zarr(ChunkGrid::RegularBounded)).unwrap();
        let bounded = bounded.replace(
            "\"fill_value\": 0",
            "\"consolidated_metadata\": null,\"fill_value\":0",
        );
        let Agreement::OtherGrid(regular) = compared(bounded.as_bytes(), ChunkGrid::Regular) else {
            panic!("{bounded}");
        };
        assert_eq!(compared(&regular, ChunkGrid::Regular), Agreement::Same);
        let regular = String::from_utf8(regular).unwrap();
        assert!(
            regular.contains("\"consolidated_metadata\": null,\"fill_value\":0"),
            "{regular}"
        );
        assert!(regular.contains(r#""name":"regular""#), "{regular}");
    }

    #[test]
    fn other_contents_are_different() {
        let zarr = String::from_utf8(zarr(ChunkGrid::Regular)).unwrap();
        for changed in [
            zarr.replace("1.50", "1.5000001"),
            zarr.replace("\"NaN\"", "\"nan\""),
            zarr.replace("uint8", "uint16"),
            zarr.replace("\"regular\"", "\"rectangular\""),
            zarr.replace('{', "["),
        ] {
            assert_ne!(changed, zarr);
            assert_eq!(
                compared(changed.as_bytes(), ChunkGrid::Regular),
                Agreement::Different
            );
        }
    }
}
