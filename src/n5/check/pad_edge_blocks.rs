//! [`pad_edge_blocks`]: what was the edge of a dataset before it grew, at full size.

#[cfg(feature = "async")]
mod asynchronous;
mod sync;

use std::borrow::Cow;
use std::num::NonZeroU64;

use thiserror::Error;
use zarrs_codec::{ArrayToBytesCodecTraits, CodecError, CodecOptions};
use zarrs_data_type::{DataType, FillValue};
use zarrs_storage::byte_range::ByteRange;
#[cfg(feature = "async")]
use zarrs_storage::{AsyncListableStorageTraits, AsyncReadableStorageTraits};
use zarrs_storage::{
    Bytes, ListableStorageTraits, MaybeBytes, ReadableStorageTraits, StorageError, StoreKey,
};

use super::dataset::{self, Dataset};
use super::options::CheckError;
use crate::n5::attributes::DatasetAttributes;
use crate::n5::block::{BlockHeader, BlockHeaderError, BlockMode, default_header_size};
use crate::n5::codec::N5DefaultCodec;
#[cfg(feature = "async")]
use crate::n5::in_place::AsyncReplaceDocuments;
use crate::n5::in_place::ReplaceDocuments;
use crate::n5::node::NodeKeys;

/// Writes the blocks of the dataset at `node_path` that are shorter than their place in the grid at
/// full size, and leaves all others alone.
///
/// Such blocks come about when `dimensions` grow after truncated edge blocks were written, as Java
/// and this crate write them: what was the edge is inside then. This crate and Java read them right
/// (what a block does not have is 0), but z5py silently reads wrong values there. A block gets all
/// elements that lie within the dataset; the new ones are 0.
///
/// Of each block the header is read, and of short ones the rest, one after the other. Each is
/// replaced as a whole, in the way that [`ReplaceDocuments`] describes, so that an interruption
/// leaves the old block or the new one; what was left undone is done by a second call. Nobody else
/// may write to the dataset meanwhile. `progress` is called after each block.
///
/// # Errors
/// Returns a [`PadError`] at the first block that cannot be listed, read, decoded or written.
pub fn pad_edge_blocks<D>(
    store: &D,
    node_path: &str,
    progress: impl FnMut(PadReport) + Send,
) -> Result<PadReport, PadError>
where
    D: ReplaceDocuments + ?Sized,
    D::Store: ReadableStorageTraits + ListableStorageTraits + Sized + 'static,
{
    sync::all(store, node_path, progress)
}

/// The asynchronous twin of [`pad_edge_blocks`].
///
/// # Errors
/// As [`pad_edge_blocks`].
#[cfg(feature = "async")]
pub async fn async_pad_edge_blocks<D>(
    store: &D,
    node_path: &str,
    progress: impl FnMut(PadReport) + Send,
) -> Result<PadReport, PadError>
where
    D: AsyncReplaceDocuments + ?Sized,
    D::Store: AsyncReadableStorageTraits + AsyncListableStorageTraits + Sized + 'static,
{
    asynchronous::all(store, node_path, progress).await
}

/// How many blocks [`pad_edge_blocks`] has looked at, and how many of them it wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PadReport {
    /// The number of blocks that are there.
    pub present: u64,
    /// The number of blocks that were shorter than their place in the grid, and are full now.
    pub padded: u64,
    /// The number of blocks that hold serialised objects, which have no size to fill.
    pub serialized: u64,
}

/// Why the blocks of a dataset cannot be brought to full size. Blocks that were already written are
/// whole, and a second call goes on with the others.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PadError {
    /// There is no dataset, or its blocks cannot be read.
    #[error(transparent)]
    Dataset(#[from] CheckError),
    /// A folder of blocks cannot be listed.
    #[error("cannot list the blocks in {folder}: {source}")]
    List {
        /// The prefix of the keys in the folder.
        folder: String,
        /// The error of the store.
        source: StorageError,
    },
    /// The store cannot read a block or its header.
    #[error("cannot read the block {key}: {source}; `n5::check` finds all such blocks")]
    Read {
        /// The key of the block.
        key: StoreKey,
        /// The error of the store.
        source: StorageError,
    },
    /// The header of a block is malformed.
    #[error("the block {key}: {source}; `n5::check` finds all such blocks")]
    Header {
        /// The key of the block.
        key: StoreKey,
        /// What is wrong with the header.
        source: BlockHeaderError,
    },
    /// A block cannot be decoded, or not be encoded at full size.
    #[error("the block {key} cannot be brought to full size: {source}")]
    Block {
        /// The key of the block.
        key: StoreKey,
        /// What is wrong.
        source: Box<CodecError>,
    },
    /// The store cannot write a block. The old one is still there.
    #[error("cannot write the block {key}: {source}")]
    Write {
        /// The key of the block.
        key: StoreKey,
        /// The error of the store.
        source: StorageError,
    },
}

/// The dataset whose blocks are brought to full size. Pure: no store is asked here.
struct Target {
    dataset: Dataset,
    attributes: DatasetAttributes,
    codec: N5DefaultCodec,
    data_type: DataType,
    fill_value: FillValue,
}

impl Target {
    /// The dataset whose `attributes.json` is `document`.
    fn new(node: NodeKeys, document: Result<MaybeBytes, StorageError>) -> Result<Self, CheckError> {
        let attributes = dataset::attributes(&node, document)?;
        let data_type = attributes.data_type();
        Ok(Self {
            codec: dataset::codec(&attributes, &node.path())?,
            dataset: Dataset::of(node, &attributes)?,
            data_type: data_type.to_zarr(),
            fill_value: FillValue::new(vec![0; data_type.size()]),
            attributes,
        })
    }

    /// The bytes of a header, which say whether a block is short.
    fn header_range(&self) -> ByteRange {
        let size = default_header_size(self.attributes.dimensions().len());
        ByteRange::FromStart(0, Some(size as u64))
    }

    /// The shape that the block at `position` must have, given its `header`; `None` if it has it.
    ///
    /// That is all of the block that lies within the dataset. What lies beyond stays as it is.
    fn full_shape(&self, position: &[u64], header: &BlockHeader) -> Option<Vec<NonZeroU64>> {
        let lens = self.attributes.dimensions().iter();
        let blocks = self.attributes.block_size().iter().copied().map(u64::from);
        let places = lens.zip(blocks).zip(position);
        let within = places.map(|((&len, block), &at)| {
            let start = at.saturating_mul(block);
            len.saturating_sub(start).min(block)
        });
        let found = header.shape().iter().copied().map(u64::from);
        if header.shape().len() != position.len() {
            // The codec says what is wrong with it.
            return self
                .attributes
                .block_size()
                .iter()
                .map(|&len| NonZeroU64::new(len.into()))
                .collect();
        }
        let shapes: Vec<(u64, u64)> = found.zip(within).collect();
        if shapes.iter().all(|(found, within)| found >= within) {
            return None;
        }
        let full = shapes
            .into_iter()
            .map(|(found, within)| NonZeroU64::new(found.max(within)));
        full.collect()
    }

    /// `block` with `shape`, where what it did not have is 0.
    fn padded(&self, block: &[u8], shape: &[NonZeroU64]) -> Result<Bytes, CodecError> {
        let options = CodecOptions::default();
        let (data_type, fill_value) = (&self.data_type, &self.fill_value);
        let elements =
            self.codec
                .decode(Cow::Borrowed(block), shape, data_type, fill_value, &options)?;
        let block = self
            .codec
            .encode(elements, shape, data_type, fill_value, &options)?;
        Ok(block.into_owned().into())
    }
}

/// Notes a block in `report`. Returns the shape that it must get; `None` if it stays as it is.
/// `head` is the beginning of it.
fn shape_to_get(
    target: &Target,
    position: &[u64],
    key: &StoreKey,
    head: &[u8],
    report: &mut PadReport,
) -> Result<Option<Vec<NonZeroU64>>, PadError> {
    report.present += 1;
    // Headers of other modes have another size, so `head` need not hold a whole one.
    let mode = head.first_chunk().map(|mode| u16::from_be_bytes(*mode));
    let serialized = [BlockMode::VarLength, BlockMode::Object].map(BlockMode::number);
    if mode.is_some_and(|mode| serialized.contains(&mode)) {
        report.serialized += 1;
        return Ok(None);
    }
    let (header, _) = BlockHeader::parse(head).map_err(|source| PadError::Header {
        key: key.clone(),
        source,
    })?;
    Ok(target.full_shape(position, &header))
}
