//! A plane of an array: which one, and its elements.

use std::error::Error;

use zarrs::array::{Array, ArraySubset};
use zarrs::storage::{ReadableStorageTraits, StoreKey};
use zarrs_interop::n5::{N5DataType, RegionReader};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The most elements that are read along a dimension.
const MOST_ELEMENTS: u64 = 4096;

/// The most blocks that are asked for along a dimension.
const MOST_BLOCKS: u64 = 128;

pub(crate) enum Slice {
    Middle,
    At { axis: String, index: u64 },
}

impl Slice {
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let wrong = || format!("--slice {text}: expected AXIS=INDEX, for example z=16 or 2=16");
        let (axis, index) = text.split_once('=').ok_or_else(wrong)?;
        Ok(Self::At {
            axis: axis.to_owned(),
            index: index.parse().map_err(|_| wrong())?,
        })
    }

    /// A plane of the first two other dimensions, in the middle of all the rest. If there is
    /// nothing, `block` is the position of a block for the plane to go through, as far as the axis
    /// lets it.
    pub(crate) fn subset<S>(&self, array: &Array<S>, block: Option<&[u64]>) -> Result<ArraySubset>
    where
        S: ?Sized,
    {
        let shape = array.shape();
        let chosen = match self {
            Self::Middle => None,
            Self::At { axis, index } => Some((axis_number(array, axis)?, *index)),
        };
        let axis = chosen.map_or(shape.len() - 1, |(axis, _)| axis);
        if let Some((_, index)) = chosen.filter(|(axis, index)| index >= &shape[*axis]) {
            let size = shape[axis];
            return Err(format!("index {index} of axis {axis}: expected less than {size}").into());
        }
        let origin = match block {
            Some(block) => Some(array.chunk_origin(block)?),
            None => None,
        };
        let at = |dimension: usize| match (chosen, &origin) {
            (Some((axis, index)), _) if axis == dimension => index,
            (_, Some(origin)) => origin[dimension],
            (_, None) => shape[dimension] / 2,
        };
        let block_shape = array.chunk_shape(&vec![0; shape.len()])?;
        let is_plane = shape.len() < 3 && chosen.is_none();
        let mut shown = 0;
        let ranges: Vec<_> = (0..shape.len())
            .map(|dimension| {
                if is_plane || (dimension != axis && shown < 2) {
                    shown += 1;
                    let most = block_shape[dimension].get().saturating_mul(MOST_BLOCKS);
                    let len = shape[dimension].min(MOST_ELEMENTS).min(most);
                    let start = origin.as_ref().map_or(0, |origin| origin[dimension]);
                    let start = start.min(shape[dimension] - len);
                    start..start + len
                } else {
                    at(dimension)..at(dimension) + 1
                }
            })
            .collect();
        Ok(ArraySubset::new_with_ranges(&ranges))
    }
}

fn axis_number<S: ?Sized>(array: &Array<S>, name: &str) -> Result<usize> {
    let names = array.dimension_names().clone().unwrap_or_default();
    let by_name = names.iter().position(|axis| axis.as_deref() == Some(name));
    by_name
        .or_else(|| name.parse().ok())
        .filter(|&axis| axis < array.dimensionality())
        .ok_or_else(|| {
            let rank = array.dimensionality();
            format!("there is no axis {name}: expected a number below {rank} or one of {names:?}")
                .into()
        })
}

/// What was read of a region.
pub(crate) struct Found {
    /// The elements, in C order.
    pub(crate) values: Vec<f64>,
    pub(crate) blocks: u64,
    pub(crate) blocks_present: u64,
    /// The key of the first block.
    pub(crate) first_key: StoreKey,
}

/// Reads a region.
pub(crate) fn read<S>(array: &Array<S>, subset: &ArraySubset) -> Result<Found>
where
    S: ReadableStorageTraits + 'static,
{
    let reader = RegionReader::new(array)?;
    let len = subset.num_elements_usize();
    macro_rules! read {
        ($type:ty) => {{
            let mut elements = vec![<$type>::default(); len];
            let summary = reader.read_into(subset, &mut elements)?;
            let values = elements.into_iter().map(|value| value as f64).collect();
            (summary, values)
        }};
    }
    let (summary, values) = match N5DataType::from_zarr(array.data_type()) {
        None => return Err("not an N5 data type".into()),
        Some(N5DataType::UInt8) => read!(u8),
        Some(N5DataType::UInt16) => read!(u16),
        Some(N5DataType::UInt32) => read!(u32),
        Some(N5DataType::UInt64) => read!(u64),
        Some(N5DataType::Int8) => read!(i8),
        Some(N5DataType::Int16) => read!(i16),
        Some(N5DataType::Int32) => read!(i32),
        Some(N5DataType::Int64) => read!(i64),
        Some(N5DataType::Float32) => read!(f32),
        Some(N5DataType::Float64) => read!(f64),
    };
    let chunks = array.chunks_in_array_subset(subset)?;
    let chunks = chunks.ok_or("the chunk grid has no chunks there")?;
    Ok(Found {
        values,
        blocks: summary.blocks_read + summary.blocks_missing,
        blocks_present: summary.blocks_read,
        first_key: array.chunk_key(chunks.start()),
    })
}
