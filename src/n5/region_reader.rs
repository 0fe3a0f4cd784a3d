//! Reads regions of N5 arrays straight to their place in the output, in either order.
//!
//! zarrs reads a region of several chunks by decoding each chunk to a buffer and copying its rows
//! to the output. [`RegionReader`] reads the same elements of any zarrs array of N5 blocks without
//! such a buffer: each block is fetched, decompressed and written to its place in the output, alone
//! or, [as far as memory allows](RegionReader::with_memory), together with others of its row.
//!
//! ```
//! # #[cfg(all(feature = "filesystem", feature = "gzip"))] {
//! use std::sync::Arc;
//! use zarrs::array::{Array, ArraySubset, data_type};
//! use zarrs::storage::store::MemoryStore;
//! use zarrs_interop::n5::{Compression, DimensionOrder, RegionReader, array_builder};
//!
//! let store = Arc::new(MemoryStore::new());
//! let array = array_builder(vec![5, 3], &[2, 2], data_type::uint16(), &Compression::Raw)?
//!     .build(store, "/volume")?;
//! let elements: Vec<u16> = (0..15).collect();
//! array.store_array_subset(&array.subset_all(), &elements)?;
//!
//! let subset = ArraySubset::new_with_ranges(&[1..3, 0..3]);
//! let reader = RegionReader::new(&array)?;
//! assert_eq!(reader.read::<u16>(&subset)?, [3, 4, 5, 6, 7, 8]);
//!
//! let reader = reader.with_dimension_order(DimensionOrder::Reversed);
//! assert_eq!(reader.read::<u16>(&subset)?, [3, 6, 4, 7, 5, 8]);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! It is the faster way for regions of many blocks. For single elements, for a few rows, and for
//! arrays with other codecs use [`Array::retrieve_array_subset`].

mod checks;
mod error;
mod held;
mod layout;
mod output;
#[cfg(feature = "async")]
mod requests;
mod slabs;
mod summary;
mod threads;

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use zarrs::array::{Array, ArraySubsetTraits};
use zarrs_storage::StoreKey;

pub use super::dimension_order::DimensionOrder;
pub use error::{BlockFailure, BlockFailureReason, RegionError};
pub use summary::{RegionProgress, RegionSummary};

use super::codec::BlockFetch;
use checks::{block_grid, n5_codec};
use held::ThreadMemory;
use layout::{BlockGrid, Layout, PlacedBlock};

/// What the elements of blocks are that the store does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MissingBlocks {
    /// The fill value, as everywhere in N5 and Zarr.
    #[default]
    Fill,
    /// An error, for data of which no block may be missing.
    Error,
}

/// What happens when a block cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BlockErrors {
    /// The read ends with this error.
    #[default]
    Stop,
    /// The elements of the block become the fill value, the failure goes to
    /// [`RegionSummary::failures`], and the read goes on.
    Collect,
}

/// Called with the progress of a read.
type Progress = dyn Fn(RegionProgress) + Send + Sync;

/// What a buffer may keep from one read to the next. Larger ones are given back, as in the codec:
/// blocks of this size are rare, and what is kept counts once for each compressed block that is
/// held at the same time. No benchmark row depends on it.
const MAX_KEPT_SIZE: usize = 64 << 20;

/// Reads regions of an array of N5 blocks. An example is on the
/// [front page](crate::n5::region_reader).
///
/// Regions are given in the array's own order, dimension 0 first, and lie within the array. The
/// reader may be used by several threads at the same time.
pub struct RegionReader<'a, TStorage: ?Sized> {
    array: &'a Array<TStorage>,
    grid: BlockGrid,
    blocks: BlockFetch,
    /// The order of the array's own dimensions: reversed in a view with reversed dimensions. Within
    /// the reader all is in N5's.
    array_order: DimensionOrder,
    /// The order of the output, by the array's own.
    order: DimensionOrder,
    /// Blocks at the same time; `None` for the default.
    concurrency: Option<usize>,
    /// Bytes for each thread; `None` for the default.
    memory: Option<usize>,
    missing: MissingBlocks,
    errors: BlockErrors,
    progress: Option<Arc<Progress>>,
    /// The memory of decompressed blocks, for the next read.
    buffers: Mutex<Vec<Vec<u8>>>,
    /// Set once the allocator was told what is used again and again: [`ThreadMemory::announce`].
    announced: OnceLock<()>,
}

impl<'a, TStorage: ?Sized> RegionReader<'a, TStorage> {
    /// Makes a reader for an array.
    ///
    /// It may have been opened through an [`N5DefaultStore`](crate::n5::N5DefaultStore), in either
    /// order, or from the `zarr.json` of a conversion in place, in either order as well.
    ///
    /// # Errors
    /// If the array-to-bytes codec is not `n5_default` or there are other codecs, but for a
    /// `transpose` that reverses all dimensions, the chunk grid is
    /// neither `regular` nor `zarrs.regular_bounded`, the array has storage transformers, or the
    /// codec does not fit the data type or the chunk shape.
    pub fn new(array: &'a Array<TStorage>) -> Result<Self, RegionError> {
        let (codec, array_order) = n5_codec(array)?;
        let grid = block_grid(array, array_order)?;
        let chunk_error = |source| RegionError::Chunk {
            array: array.path().as_str().to_owned(),
            source: Box::new(source),
        };
        let first_chunk = grid.first_chunk().into_iter().map(TryInto::try_into);
        // No length is 0.
        let first_chunk: Vec<_> = first_chunk.filter_map(Result::ok).collect();
        let (data_type, fill_value) = (array.data_type(), array.fill_value());
        let blocks = BlockFetch::new(&codec, &first_chunk, data_type, fill_value);
        Ok(Self {
            array,
            grid,
            blocks: blocks.map_err(chunk_error)?,
            array_order,
            order: DimensionOrder::default(),
            concurrency: None,
            memory: None,
            missing: MissingBlocks::default(),
            errors: BlockErrors::default(),
            progress: None,
            buffers: Mutex::default(),
            announced: OnceLock::new(),
        })
    }

    /// Sets the order of the dimensions of the output, [`DimensionOrder::AsStored`] by default.
    ///
    /// It is in C order in either case: with [`DimensionOrder::AsStored`] of the array's own
    /// dimensions, with [`DimensionOrder::Reversed`] of these backwards, so that the shape of the
    /// output is that of the region backwards, and the elements are those of the transposed array.
    #[must_use]
    pub fn with_dimension_order(mut self, order: DimensionOrder) -> Self {
        self.order = order;
        self
    }

    /// Sets how many blocks are read at the same time, at least 1.
    ///
    /// By default a synchronous read has as many threads as zarrs uses for codecs, usually the
    /// number of cores; an asynchronous read has 32 requests in flight. A synchronous read has no
    /// more threads than the region has blocks, and 512 at most; the requests of an asynchronous
    /// one are limited by this number alone. On wasm32 synchronous reads have one thread.
    #[must_use]
    pub fn with_concurrency(mut self, blocks: usize) -> Self {
        self.concurrency = Some(blocks.max(1));
        self
    }

    /// Sets how many bytes each thread of a synchronous read may use beside the output. One block
    /// is read in any case, even where it needs more.
    ///
    /// By default these are two blocks of the array's block size, and 1 MiB divided by the number
    /// of threads. With more, a thread holds blocks that follow each other along the fastest
    /// dimension of the output, until it writes them together. Where these are whole rows of
    /// blocks, blocks of 64 x 64 x 64 that are not compressed were read 1.1 to 1.3 times as fast.
    ///
    /// For whole rows give 288 KiB and, for each block of a row, 4 KiB and twice its bytes, as
    /// allocators lose part of it. If that is beyond the cache of the processor, do not expect a
    /// gain. What compressed blocks took is kept for the next read, until the reader is dropped.
    #[must_use]
    pub fn with_memory(mut self, bytes: usize) -> Self {
        self.memory = Some(bytes);
        self.announced = OnceLock::new();
        self
    }

    /// Sets what blocks are that the store does not have, [`MissingBlocks::Fill`] by default.
    #[must_use]
    pub fn with_missing(mut self, missing: MissingBlocks) -> Self {
        self.missing = missing;
        self
    }

    /// Sets what happens when a block cannot be read, [`BlockErrors::Stop`] by default.
    #[must_use]
    pub fn with_errors(mut self, errors: BlockErrors) -> Self {
        self.errors = errors;
        self
    }

    /// Sets a function to be called after each block.
    ///
    /// It is called by the threads that read, one at a time, with a growing number of blocks.
    /// Blocks that are held, see [`with_memory`](Self::with_memory), count when they are written.
    #[must_use]
    pub fn with_progress(
        mut self,
        progress: impl Fn(RegionProgress) + Send + Sync + 'static,
    ) -> Self {
        self.progress = Some(Arc::new(progress));
        self
    }

    /// The shape of the output of a region, which is listed backwards in reversed order.
    #[cfg(feature = "ndarray")]
    fn output_shape(&self, subset: &dyn ArraySubsetTraits) -> Vec<u64> {
        let mut shape = subset.shape().into_owned();
        if self.order == DimensionOrder::Reversed {
            shape.reverse();
        }
        shape
    }

    /// Plans a region.
    fn layout(&self, subset: &dyn ArraySubsetTraits) -> Result<Layout<'_>, RegionError> {
        let array_shape = self.array.shape();
        let (start, shape) = (subset.start(), subset.shape());
        if shape.len() != array_shape.len() {
            return Err(RegionError::Dimensionality {
                array: self.path(),
                expected: array_shape.len(),
                found: shape.len(),
            });
        }
        let ends = std::iter::zip(start.iter(), shape.iter());
        let ends = ends.map(|(&start, &len)| start.checked_add(len));
        let mut ends = std::iter::zip(ends, array_shape);
        if !ends.all(|(end, &len)| end.is_some_and(|end| end <= len)) {
            return Err(RegionError::OutOfBounds {
                array: self.path(),
                start: start.into_owned(),
                shape: shape.into_owned(),
                array_shape: array_shape.to_vec(),
            });
        }
        let n5_start = self.array_order.between(start.into_owned());
        let n5_shape = self.array_order.between(shape.to_vec());
        // Reversed twice is N5's own order.
        let order = if self.order == self.array_order {
            DimensionOrder::AsStored
        } else {
            DimensionOrder::Reversed
        };
        Layout::new(&self.grid, &n5_start, &n5_shape, order)
            .filter(|layout| layout.len().checked_mul(self.element_size()).is_some())
            .ok_or_else(|| self.out_of_memory(&shape))
    }

    fn out_of_memory(&self, shape: &[u64]) -> RegionError {
        RegionError::Memory {
            array: self.path(),
            shape: shape.to_vec(),
            element_size: self.element_size(),
        }
    }

    /// Says why a block cannot be read.
    fn failure(&self, block: &PlacedBlock, reason: BlockFailureReason) -> BlockFailure {
        BlockFailure {
            array: self.path(),
            position: self.position(block),
            key: self.key(block),
            reason,
        }
    }

    /// The memory that each of `threads` may use beside the output.
    fn memory_of_thread(&self, threads: usize) -> ThreadMemory {
        let chunk = self.grid.first_chunk().into_iter();
        let elements = chunk.fold(1, |elements: u64, len| elements.saturating_mul(len));
        let block = usize::try_from(elements).unwrap_or(usize::MAX);
        let block = block.saturating_mul(self.element_size());
        ThreadMemory::new(block, threads, self.memory)
    }

    /// The position of a block in the grid of the array.
    fn position(&self, block: &PlacedBlock) -> Vec<u64> {
        self.array_order.between(block.position.clone())
    }

    fn key(&self, block: &PlacedBlock) -> StoreKey {
        self.array.chunk_key(&self.position(block))
    }

    fn element_size(&self) -> usize {
        self.blocks.element_size()
    }

    fn path(&self) -> String {
        self.array.path().as_str().to_owned()
    }

    /// As many threads as zarrs uses for codecs, usually the number of cores.
    fn codec_threads() -> usize {
        if cfg!(target_arch = "wasm32") {
            return 1;
        }
        zarrs::config::global_config()
            .codec_concurrent_target()
            .max(1)
    }

    /// Takes a buffer of an earlier read.
    fn take_buffer(&self) -> Vec<u8> {
        let mut buffers = self.buffers.lock().unwrap_or_else(PoisonError::into_inner);
        buffers.pop().unwrap_or_default()
    }

    /// Keeps a buffer for the next read.
    fn keep_buffer(&self, buffer: Vec<u8>) {
        if buffer.capacity() <= MAX_KEPT_SIZE {
            let mut buffers = self.buffers.lock().unwrap_or_else(PoisonError::into_inner);
            buffers.push(buffer);
        }
    }
}

#[cfg(test)]
mod tests;
