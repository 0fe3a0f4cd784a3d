//! Minimum, maximum and mean of an array of any size: a few blocks at a time are in memory.

use std::error::Error;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use zarrs::array::{Array, ArraySubset};
use zarrs::storage::ReadableStorageTraits;
use zarrs_interop::n5::N5DataType;

use crate::picture::to_f64;
use crate::terminal::Progress;

pub(crate) struct Statistics {
    pub(crate) min: f64,
    pub(crate) max: f64,
    pub(crate) mean: f64,
    pub(crate) bytes: u64,
}

#[derive(Clone, Copy)]
struct Sums {
    min: f64,
    max: f64,
    sum: f64,
    count: u64,
}

impl Sums {
    const EMPTY: Self = Self {
        min: f64::INFINITY,
        max: f64::NEG_INFINITY,
        sum: 0.0,
        count: 0,
    };

    fn merge(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
            sum: self.sum + other.sum,
            count: self.count + other.count,
        }
    }
}

/// Reads every chunk of the array, on all cores.
pub(crate) fn of_array<S>(array: &Array<S>) -> Result<Statistics, Box<dyn Error + Send + Sync>>
where
    S: ReadableStorageTraits + 'static,
{
    let chunks = ArraySubset::new_with_shape(array.chunk_grid_shape().to_vec());
    let total = chunks.num_elements();
    let progress = Progress::new(total, "blocks");
    let next = AtomicU64::new(0);
    let result: Mutex<Result<Sums, Box<dyn Error + Send + Sync>>> = Mutex::new(Ok(Sums::EMPTY));

    let work = || {
        let mut sums = Sums::EMPTY;
        let outcome = loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= total {
                break Ok(sums);
            }
            match of_chunk(array, number) {
                Ok(chunk) => sums = sums.merge(chunk),
                Err(error) => break Err(error),
            }
            progress.advance();
        };
        let mut result = result.lock().unwrap();
        *result = match (std::mem::replace(&mut *result, Ok(Sums::EMPTY)), outcome) {
            (Ok(all), Ok(sums)) => Ok(all.merge(sums)),
            (Err(error), _) | (_, Err(error)) => {
                next.store(total, Ordering::Relaxed);
                Err(error)
            }
        };
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    progress.finish();

    let sums = result.into_inner().unwrap()?;
    let element_size = array.data_type().fixed_size().unwrap_or(1) as u64;
    Ok(Statistics {
        min: sums.min,
        max: sums.max,
        mean: sums.sum / sums.count as f64,
        bytes: sums.count * element_size,
    })
}

fn of_chunk<S>(array: &Array<S>, number: u64) -> Result<Sums, Box<dyn Error + Send + Sync>>
where
    S: ReadableStorageTraits + 'static,
{
    let indices = zarrs::array::unravel_index(number, array.chunk_grid_shape())
        .ok_or("the chunk grid is empty")?;
    let subset = array.chunk_subset_bounded(&indices)?;
    let data_type = N5DataType::from_zarr(array.data_type()).ok_or("not an N5 data type")?;
    let values = to_f64(array, &subset, data_type)
        .map_err(|error| format!("block {indices:?} of {}: {error}", array.path()))?;
    Ok(values.iter().fold(Sums::EMPTY, |sums, &value| {
        sums.merge(Sums {
            min: value,
            max: value,
            sum: value,
            count: 1,
        })
    }))
}
