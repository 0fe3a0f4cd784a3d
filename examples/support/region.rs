//! The elements of regions, read block by block, with what became of each block.

use std::path::Path;
use std::sync::Arc;

use zarrs::array::{Array, ArraySubset};
use zarrs::storage::{ReadableStorageTraits, StoreKey};
use zarrs_interop::n5::region_reader::{BlockFailure, BlockFailureReason};
use zarrs_interop::n5::{BlockErrors, MissingBlocks, N5DataType, RegionReader};

use super::elements::{Elements, with_values};
use super::folder;
use super::slice::Plane;
use super::terminal::{Progress, Result};

/// What was read of planes.
pub(crate) struct Found {
    /// The elements of all planes, one after the other, each in C order.
    pub(crate) elements: Elements,
    pub(crate) planes: Vec<FoundPlane>,
}

/// What became of the blocks of a plane.
pub(crate) struct FoundPlane {
    pub(crate) blocks: u64,
    pub(crate) present: u64,
    /// The key of the first block.
    pub(crate) first_key: StoreKey,
    pub(crate) missing: Vec<BlockFailure>,
    pub(crate) failed: Vec<BlockFailure>,
}

impl Found {
    pub(crate) fn is_nothing_present(&self) -> bool {
        self.planes.iter().all(|plane| plane.present == 0)
    }

    pub(crate) fn is_any_failed(&self) -> bool {
        self.planes.iter().any(|plane| !plane.failed.is_empty())
    }
}

/// Reads planes, `concurrency` blocks at a time. Blocks that are missing or cannot be read are 0.
/// Where `doubted` is the folder of the hierarchy, the blocks are looked at first: whether one is
/// no file.
pub(crate) fn read<S>(
    array: &Array<S>,
    planes: &[Plane],
    (concurrency, doubted): (Option<usize>, Option<&Path>),
) -> Result<Found>
where
    S: ?Sized + ReadableStorageTraits + 'static,
{
    let path = array.path();
    let data_type = N5DataType::from_zarr(array.data_type());
    let data_type = data_type.ok_or_else(|| format!("{path} has no data type of N5"))?;
    let chunks = planes.iter().map(|plane| {
        let chunks = array.chunks_in_array_subset(&plane.subset)?;
        chunks.ok_or_else(|| format!("the chunk grid of {path} has no chunks there").into())
    });
    let chunks = chunks.collect::<Result<Vec<_>>>()?;
    if let Some(root) = doubted {
        for chunk in chunks.iter().flat_map(ArraySubset::indices) {
            folder::no_special(root, array.chunk_key(&chunk).as_str())?;
        }
    }
    let count = chunks.iter().map(|chunks| chunks.num_elements()).sum();
    let bar = Arc::new(Progress::new(count, &format!("blocks of {path}")));

    // Missing blocks are errors here, so that they are named, and fill values all the same.
    let mut reader = RegionReader::new(array)?
        .with_missing(MissingBlocks::Error)
        .with_errors(BlockErrors::Collect);
    if let Some(concurrency) = concurrency {
        reader = reader.with_concurrency(concurrency);
    }
    let shown = bar.clone();
    let reader = reader.with_progress(move |_| shown.advance());
    let lens: Vec<_> = planes
        .iter()
        .map(|plane| plane.subset.num_elements_usize())
        .collect();
    let mut elements = Elements::zeros(data_type, lens.iter().sum());
    let mut found = Vec::new();
    let mut start = 0;
    for ((plane, chunks), len) in planes.iter().zip(&chunks).zip(lens) {
        let part = start..start + len;
        let summary = with_values!(
            &mut elements,
            values,
            integers: reader.read_into(&plane.subset, &mut values[part]),
            floats: reader.read_into(&plane.subset, &mut values[part])
        );
        start += len;
        let summary = summary?;
        let is_missing =
            |failure: &BlockFailure| matches!(failure.reason, BlockFailureReason::Missing);
        let (missing, failed): (Vec<_>, Vec<_>) =
            summary.failures.into_iter().partition(is_missing);
        found.push(FoundPlane {
            blocks: chunks.num_elements(),
            present: summary.blocks_read,
            first_key: array.chunk_key(chunks.start()),
            missing,
            failed,
        });
    }
    bar.finish();
    Ok(Found {
        elements,
        planes: found,
    })
}
