//! What a node is, given its documents and what its folder holds. Pure: no store is asked here.

use super::folder::{ZARRAY, ZGROUP};
use super::frontier::Below;
use super::look::Look;
use super::nodes::{ForeignNode, Unreadable, WalkedDataset, WalkedKind};
use crate::n5::attributes::{GroupAttributes, N5Metadata};
use crate::n5::convert;
use crate::n5::node::{EMPTY_GROUP, NodeKind, is_same_json};

/// What the node at `node_path` is, and which of its folders are to be visited.
pub(super) fn judge(node_path: &str, look: &Look) -> (WalkedKind, Below) {
    match (&look.attributes, &look.zarr) {
        (Err(error), _) | (Ok(None), Err(error)) => {
            let reason = Unreadable::Read(error.clone());
            (WalkedKind::Unreadable(reason), Below::Unknown)
        }
        (Ok(Some(attributes)), _) => by_attributes(node_path, attributes, look),
        (Ok(None), Ok(Some(zarr))) => by_zarr(zarr),
        (Ok(None), Ok(None)) => by_folder(look),
    }
}

fn by_attributes(node_path: &str, attributes: &[u8], look: &Look) -> (WalkedKind, Below) {
    match N5Metadata::parse(attributes, node_path) {
        Ok(N5Metadata::Group(group)) => (WalkedKind::Group(group), Below::All),
        Ok(N5Metadata::Dataset(attributes)) => {
            let dataset = WalkedDataset {
                attributes,
                has_blocks: look.folder.as_ref().ok().map(|folder| folder.has_block),
                has_datasets_below: false,
                is_paintera_index: look.is_paintera_index,
            };
            (WalkedKind::Dataset(dataset), Below::NotNumbered)
        }
        Err(error) => {
            let below = match convert::is_dataset(attributes, node_path) {
                Ok(true) => Below::NotNumbered,
                Ok(false) => Below::All,
                Err(_) => Below::Unknown,
            };
            (WalkedKind::Unreadable(Unreadable::Document(error)), below)
        }
    }
}

fn by_zarr(zarr: &[u8]) -> (WalkedKind, Below) {
    match NodeKind::of(zarr) {
        NodeKind::Array => (
            WalkedKind::Foreign(ForeignNode::ZarrV3Array),
            Below::NotNumberedNorC,
        ),
        // In-place conversion gives such a document to a group of N5 that has none.
        NodeKind::Group if is_same_json(zarr, EMPTY_GROUP) => {
            (WalkedKind::Group(GroupAttributes::default()), Below::All)
        }
        NodeKind::Group => (WalkedKind::Foreign(ForeignNode::ZarrV3Group), Below::All),
    }
}

fn by_folder(look: &Look) -> (WalkedKind, Below) {
    match &look.folder {
        Err(error) => {
            let reason = Unreadable::List(error.clone());
            (WalkedKind::Unreadable(reason), Below::Unknown)
        }
        Ok(folder) if folder.has_document(ZARRAY) => (
            WalkedKind::Foreign(ForeignNode::ZarrV2Array),
            Below::NotNumbered,
        ),
        Ok(folder) if folder.has_document(ZGROUP) => {
            (WalkedKind::Foreign(ForeignNode::ZarrV2Group), Below::All)
        }
        Ok(_) => (WalkedKind::Group(GroupAttributes::default()), Below::All),
    }
}
