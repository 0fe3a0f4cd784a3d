//! Reads the dataset of a case through plain zarrs calls and compares every element.

#![allow(
    dead_code,
    unused_imports,
    reason = "every test binary that includes this module uses a part of it"
)]

use std::error::Error;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use zarrs::array::{Array, ArraySubset};
use zarrs::filesystem::FilesystemStore;
use zarrs::storage::{ReadableStorage, ReadableStorageTraits};
use zarrs_interop::n5::convert::ChunkGrid;
use zarrs_interop::n5::{ImplicitGroupStore, N5DataType, N5DefaultStore};

use super::cases::{Case, CaseElement, coordinates, error_text};

type OpenArray = Array<dyn ReadableStorageTraits>;
pub(crate) type Outcome<T = ()> = Result<T, Box<dyn Error>>;

pub(crate) const GRIDS: [ChunkGrid; 2] = [ChunkGrid::RegularBounded, ChunkGrid::Regular];

pub(crate) fn n5_store(container: &Path, grid: ChunkGrid) -> Outcome<ReadableStorage> {
    let store = N5DefaultStore::new(FilesystemStore::new(container)?).with_chunk_grid(grid);
    Ok(Arc::new(ImplicitGroupStore::new(store)))
}

/// `function(arguments)` for the element type of a data type of N5.
macro_rules! for_data_type {
    ($data_type:expr, $function:ident($($argument:expr),*)) => {
        match $data_type {
            N5DataType::UInt8 => $function::<u8>($($argument),*),
            N5DataType::UInt16 => $function::<u16>($($argument),*),
            N5DataType::UInt32 => $function::<u32>($($argument),*),
            N5DataType::UInt64 => $function::<u64>($($argument),*),
            N5DataType::Int8 => $function::<i8>($($argument),*),
            N5DataType::Int16 => $function::<i16>($($argument),*),
            N5DataType::Int32 => $function::<i32>($($argument),*),
            N5DataType::Int64 => $function::<i64>($($argument),*),
            N5DataType::Float32 => $function::<f32>($($argument),*),
            N5DataType::Float64 => $function::<f64>($($argument),*),
        }
    };
}
pub(crate) use for_data_type;

/// The whole array, and the parts of it where a mistake at an edge would show.
fn regions(case: &Case) -> Vec<Vec<Range<u64>>> {
    let whole = case.everything();
    let inner = case
        .dims
        .iter()
        .map(|&dim| dim / 3..dim - dim / 4)
        .collect();
    let corner = case.dims.iter().map(|&dim| dim - 1..dim).collect();
    let first_block = case.block_size.iter().zip(&case.dims);
    let across_blocks = first_block.map(|(&b, &dim)| b.min(dim) - 1..(b + 1).min(dim));
    let mut regions = vec![whole.clone(), inner, corner, across_blocks.collect()];
    for (axis, &dim) in case.dims.iter().enumerate() {
        let mut last_plane = whole.clone();
        last_plane[axis] = dim - 1..dim;
        regions.push(last_plane);
    }
    regions
}

fn compare_region<T: CaseElement>(
    case: &Case,
    array: &OpenArray,
    region: &[Range<u64>],
) -> Outcome {
    let found: Vec<T> = array.retrieve_array_subset(&ArraySubset::new_with_ranges(region))?;
    let expected: Vec<T> = case.region(region).ok_or("the manifest has no formula")?;
    if found.len() != expected.len() {
        return Err(format!(
            "{region:?}: {} elements, expected {}",
            found.len(),
            expected.len()
        )
        .into());
    }
    for ((found, expected), x) in found.iter().zip(&expected).zip(coordinates(region)) {
        if found != expected {
            return Err(format!("{region:?}: {found:?} at {x:?}, expected {expected:?}").into());
        }
    }
    Ok(())
}

fn compare_as<T: CaseElement>(case: &Case, array: &OpenArray) -> Outcome {
    regions(case)
        .iter()
        .try_for_each(|region| compare_region::<T>(case, array, region))
}

pub(crate) fn compare(case: &Case, storage: ReadableStorage) -> Outcome {
    let array = Array::open(storage, &case.node_path())?;
    if array.shape() != case.dims {
        return Err(format!("shape {:?}, expected {:?}", array.shape(), case.dims).into());
    }
    let data_type = case.data_type.parse()?;
    for_data_type!(data_type, compare_as(case, &array))
}

/// The word that must be in the error for a dataset that cannot be read.
pub(crate) fn refusal(case: &Case) -> Option<&str> {
    let unknown_data_type = case.data_type.parse::<N5DataType>().is_err();
    let data_type = unknown_data_type.then_some(case.data_type.as_str());
    case.refused.as_deref().or(data_type)
}

/// Checks every case, and names all that went wrong.
pub(crate) fn check_cases(folder: &str, cases: &[Case], check: impl Fn(&Case) -> Outcome) {
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let error = check(case).err()?;
            let text = error_text(error.as_ref());
            Some(format!("{}/{}: {text}", case.container, case.dataset))
        })
        .collect();
    assert!(failures.is_empty(), "{folder}:\n{}", failures.join("\n"));
}
