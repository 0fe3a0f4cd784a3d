//! Whether the two documents of a node say the same.

use super::names::OME;
use super::to_attributes::{Beside, zarr_to_attributes_beside as convert};
use super::to_zarr::ZarrOptions;
use super::zarr_node::{CHUNK_GRID, ZarrArray, ZarrNode};
use crate::n5::json::Document;

/// How far a `zarr.json` says what the `attributes.json` of its node says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Agreement {
    /// It says the same, as is wanted or more.
    Same,
    /// It says the same, but with another chunk grid. These bytes differ from it in the grid only.
    OtherGrid(Vec<u8>),
    /// It says the same, but lacks the metadata of OME-Zarr that is wanted.
    WithoutOme,
    /// It says the same, but with the dimensions in another order than is wanted.
    OtherOrder,
    /// It says something else, or cannot be read.
    Different,
}

/// Compares an existing `zarr.json` with an `attributes.json`, whatever the spelling and the order
/// of their members. Metadata of OME-Zarr and names of dimensions that the `zarr.json` has alone
/// are no difference, unless others are wanted.
///
/// `wanted` is what the `zarr.json` is to be; other readers than `zarrs` need
/// [`ChunkGrid::Regular`](super::ChunkGrid::Regular).
pub(crate) fn agreement(
    zarr: &[u8],
    attributes: &[u8],
    node_path: &str,
    wanted: &ZarrOptions<'_>,
) -> Agreement {
    let found = convert(zarr, Some(attributes), node_path, Beside::WithNames);
    if !matches!(found, Ok(None)) {
        return Agreement::Different;
    }
    // What could be converted can be read.
    let Ok(document) = Document::of_zarr(zarr) else {
        return Agreement::Different;
    };
    let Ok(node) = ZarrNode::read(&document) else {
        return Agreement::Different;
    };
    let Some(lacks_ome) = lacks_ome(&node, wanted) else {
        return Agreement::Different;
    };
    match &node.array {
        Some(array) if !is_presented(array, wanted) => Agreement::OtherOrder,
        _ if lacks_ome => Agreement::WithoutOme,
        Some(array) if array.grid != wanted.grid => {
            let block_size = array.dataset.block_size().to_vec();
            let block_size = array.presentation.order().between(block_size);
            let metadata = wanted.grid.metadata(&block_size);
            // A grid is an object with strings as keys, so that it always has a text.
            let text = serde_json::to_string(&metadata).unwrap_or_default();
            Agreement::OtherGrid(document.with_member(CHUNK_GRID, &text).into_bytes())
        }
        _ => Agreement::Same,
    }
}

/// Whether the dimensions are in the wanted order.
fn is_presented(array: &ZarrArray, wanted: &ZarrOptions<'_>) -> bool {
    let dimensionality = array.dataset.dimensions().len();
    array.presentation == wanted.presentation.of_dimensionality(dimensionality)
}

/// Whether the metadata of OME-Zarr that is wanted is not there; `None` if there is other one.
fn lacks_ome(node: &ZarrNode<'_>, wanted: &ZarrOptions<'_>) -> Option<bool> {
    let found = node.attributes.parsed(OME).ok().flatten();
    let lacks_ome = match (found.as_ref(), wanted.ome) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(found), Some(wanted)) if found == wanted => false,
        (Some(_), Some(_)) => return None,
    };
    let names = node
        .array
        .as_ref()
        .map(|array| array.dimension_names.as_deref());
    let lacks_names = match (names, wanted.dimension_names) {
        (None, _) | (_, None) => false,
        (Some(None), Some(_)) => true,
        (Some(Some(found)), Some(wanted)) if found == wanted => false,
        (Some(Some(_)), Some(_)) => return None,
    };
    Some(lacks_ome || lacks_names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::n5::convert::chunk_grid::ChunkGrid;
    use crate::n5::convert::to_zarr::attributes_to_zarr;

    const ATTRIBUTES: &[u8] = br#"{"dimensions": [5, 3.0], "blockSize": [3, 2],
        "dataType": "uint8", "compression": {"type": "raw"}, "a": [NaN, 1.50]}"#;

    fn zarr(grid: ChunkGrid) -> Vec<u8> {
        attributes_to_zarr(ATTRIBUTES, "/a", grid).unwrap()
    }

    fn regular(grid: ChunkGrid) -> ZarrOptions<'static> {
        ZarrOptions {
            grid,
            ..ZarrOptions::default()
        }
    }

    fn compared(zarr: &[u8], grid: ChunkGrid) -> Agreement {
        agreement(zarr, ATTRIBUTES, "/a", &regular(grid))
    }

    #[test]
    fn a_document_of_the_wanted_grid_is_the_same() {
        for grid in [ChunkGrid::Regular, ChunkGrid::RegularBounded] {
            assert_eq!(compared(&zarr(grid), grid), Agreement::Same);
        }
        let group = br#"{"node_type":"group","zarr_format":3,"attributes":{"b":1,"a":2}}"#;
        assert_eq!(
            agreement(
                group,
                br#"{"a":2,"b":1}"#,
                "/a",
                &regular(ChunkGrid::Regular)
            ),
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
