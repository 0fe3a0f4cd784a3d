//! The dataset of a check: its keys, its grid, and how one of its blocks is judged. Pure: no store
//! is asked here.

use std::num::NonZeroU64;

use zarrs_data_type::FillValue;
use zarrs_storage::{MaybeBytes, StorageError, StoreKey, StorePrefix};

use super::grid::{Grid, components};
use super::options::CheckError;
use super::outcome::Outcome;
use crate::n5::attributes::{DatasetAttributes, N5Metadata};
use crate::n5::block::{BlockHeader, BlockMode};
use crate::n5::builder::block_codec;
use crate::n5::codec::{BlockFetch, N5DefaultCodec};
use crate::n5::node::NodeKeys;
use crate::n5::walk::ReadError;

/// A dataset whose blocks are to be checked.
#[derive(Debug)]
pub(super) struct Dataset {
    node: NodeKeys,
    pub(super) grid: Grid,
    blocks: BlockFetch,
}

impl Dataset {
    /// The dataset whose `attributes.json` is `document`.
    pub(super) fn new(
        node: NodeKeys,
        document: Result<MaybeBytes, StorageError>,
    ) -> Result<Self, CheckError> {
        let attributes = attributes(&node, document)?;
        Self::of(node, &attributes)
    }

    /// The dataset at `node` that `attributes` describe.
    pub(super) fn of(node: NodeKeys, attributes: &DatasetAttributes) -> Result<Self, CheckError> {
        Ok(Self {
            blocks: blocks(attributes, &node.path())?,
            grid: Grid::new(attributes.dimensions(), attributes.block_size()),
            node,
        })
    }

    pub(super) fn path(&self) -> String {
        self.node.path()
    }

    /// The beginning of the keys of the blocks at the first components of a position.
    pub(super) fn folder(&self, folder: &[u64]) -> String {
        let end = if folder.is_empty() { "" } else { "/" };
        format!("{}{}{end}", self.node.prefix(), components(folder))
    }

    /// As [`folder`](Self::folder), for a store.
    pub(super) fn prefix(&self, folder: &[u64]) -> StorePrefix {
        // The prefix of a node whose documents have keys, and numbers.
        StorePrefix::new(self.folder(folder)).unwrap_or_else(|_| self.node.prefix())
    }

    /// The key of the block at `position`.
    pub(super) fn key(&self, position: &[u64]) -> StoreKey {
        let key = format!("{}{}", self.node.prefix(), components(position));
        // The prefix of a node whose documents have keys, and numbers.
        StoreKey::new(key).unwrap_or_else(|_| self.node.attributes.clone())
    }

    /// The key of the block at position 0.
    pub(super) fn first_key(&self) -> StoreKey {
        self.key(&vec![0; self.grid.dimensionality()])
    }

    /// Judges what the store has of a block, using the memory of `buffer`.
    pub(super) fn judge(
        &self,
        block: Result<MaybeBytes, StorageError>,
        buffer: &mut Vec<u8>,
    ) -> Outcome {
        let block = match block {
            Ok(Some(block)) => block,
            Ok(None) => return Outcome::Gone,
            Err(error) => {
                return Outcome::Corrupt {
                    size: 0,
                    reason: error.into(),
                };
            }
        };
        let size = block.len() as u64;
        if is_serialized(&block) {
            return Outcome::Serialized { size };
        }
        match self.blocks.check(&block, buffer) {
            Ok(()) => Outcome::Readable { size },
            Err(reason) => Outcome::Corrupt { size, reason },
        }
    }
}

/// What the `document` of the dataset at `node` says.
pub(super) fn attributes(
    node: &NodeKeys,
    document: Result<MaybeBytes, StorageError>,
) -> Result<DatasetAttributes, CheckError> {
    let node_path = node.path();
    let document = document.map_err(|source| {
        CheckError::Read(ReadError {
            key: node.attributes.clone(),
            source,
        })
    })?;
    let Some(document) = document else {
        return Err(CheckError::NoSuchDataset { node_path });
    };
    match N5Metadata::parse(&document, &node_path)? {
        N5Metadata::Group(_) => Err(CheckError::Group { node_path }),
        N5Metadata::Dataset(attributes) => Ok(attributes),
    }
}

/// Whether `block` has a valid header of a mode that holds serialised objects. The dimensionality
/// does not count: Paintera's indices of label multisets have blocks of one dimension.
fn is_serialized(block: &[u8]) -> bool {
    BlockHeader::parse(block).is_ok_and(|(header, _)| header.mode() != BlockMode::Default)
}

/// The codec of the blocks of a dataset.
pub(super) fn codec(
    attributes: &DatasetAttributes,
    node_path: &str,
) -> Result<N5DefaultCodec, CheckError> {
    let dimensionality = attributes.dimensions().len();
    let codec = block_codec(
        dimensionality,
        attributes.data_type(),
        attributes.compression(),
    );
    codec.map_err(|source| CheckError::Codec {
        node_path: node_path.to_owned(),
        source: source.into(),
    })
}

/// What reads the blocks of a dataset.
fn blocks(attributes: &DatasetAttributes, node_path: &str) -> Result<BlockFetch, CheckError> {
    let data_type = attributes.data_type();
    let codec = codec(attributes, node_path)?;
    let lens = attributes.block_size().iter();
    // No length is 0, which is checked when attributes.json is read.
    let shape: Vec<_> = lens
        .filter_map(|&len| NonZeroU64::new(len.into()))
        .collect();
    let fill_value = FillValue::new(vec![0; data_type.size()]);
    BlockFetch::new(&codec, &shape, &data_type.to_zarr(), &fill_value).map_err(|source| {
        CheckError::Blocks {
            node_path: node_path.to_owned(),
            source: source.into(),
        }
    })
}
