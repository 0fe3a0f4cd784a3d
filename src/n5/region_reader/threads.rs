//! Reading a region by threads, each of which fetches and decompresses blocks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use bytemuck::Pod;
use zarrs::array::{ArraySubsetTraits, Element};
use zarrs_storage::ReadableStorageTraits;

use super::held::{HeldBlocks, ThreadMemory};
use super::layout::Layout;
use super::slabs::Slabs;
use super::summary::Tally;
use super::{RegionError, RegionReader, RegionSummary};
use crate::n5::at_once::MOST_THREADS;

impl<TStorage: ?Sized + ReadableStorageTraits + 'static> RegionReader<'_, TStorage> {
    /// Reads a region to new memory, in C order of the reader's dimension order.
    ///
    /// With [`BlockErrors::Collect`](super::BlockErrors::Collect) the log is told of the blocks
    /// that failed; [`read_into`](Self::read_into) returns them.
    ///
    /// # Errors
    /// If `T` is not the element type of the array, the region does not lie within it or does not
    /// fit in memory, or a block cannot be read.
    pub fn read<T: Element + Pod>(
        &self,
        subset: &dyn ArraySubsetTraits,
    ) -> Result<Vec<T>, RegionError> {
        let layout = self.layout_of::<T>(subset)?;
        let mut out = self.new_output(&layout, subset)?;
        let summary = self.read_layout(&layout, self.output_bytes(&layout, &mut out)?)?;
        summary.log();
        Ok(out)
    }

    /// Reads a region to `out`, in C order of the reader's dimension order.
    ///
    /// What `out` holds after an error is not specified.
    ///
    /// # Errors
    /// As [`read`](Self::read), and if `out` has another number of elements than the region.
    pub fn read_into<T: Element + Pod>(
        &self,
        subset: &dyn ArraySubsetTraits,
        out: &mut [T],
    ) -> Result<RegionSummary, RegionError> {
        let layout = self.layout_of::<T>(subset)?;
        self.read_layout(&layout, self.output_bytes(&layout, out)?)
    }

    /// Reads a region to `out`, which holds nothing but 0, as [`read_into`](Self::read_into) does.
    /// Missing blocks cost no more than asking for them.
    ///
    /// # Errors
    /// As [`read_into`](Self::read_into).
    #[cfg(feature = "rewrite")]
    pub(crate) fn read_over_zeros<T: Element + Pod>(
        &self,
        subset: &dyn ArraySubsetTraits,
        out: &mut [T],
    ) -> Result<RegionSummary, RegionError> {
        let layout = self.layout_of::<T>(subset)?;
        let out = self.output_bytes(&layout, out)?;
        self.read_slabs(
            &layout,
            Slabs::new(&layout, self.element_size(), out).over_zeros(),
        )
    }

    /// Reads a region to a new [`ndarray::ArrayD`].
    ///
    /// With [`DimensionOrder::Reversed`](super::DimensionOrder::Reversed) its shape is that of the
    /// region backwards. As with [`read`](Self::read) failures that do not stop go to the log.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    #[cfg(feature = "ndarray")]
    pub fn read_ndarray<T: Element + Pod>(
        &self,
        subset: &dyn ArraySubsetTraits,
    ) -> Result<ndarray::ArrayD<T>, RegionError> {
        let elements = self.read(subset)?;
        let shape = self.output_shape(subset);
        zarrs::array::elements_to_ndarray(&shape, elements)
            .map_err(|_| self.out_of_memory(&subset.shape()))
    }

    fn read_layout(
        &self,
        layout: &Layout<'_>,
        out: &mut [u8],
    ) -> Result<RegionSummary, RegionError> {
        self.read_slabs(layout, Slabs::new(layout, self.element_size(), out))
    }

    fn read_slabs(
        &self,
        layout: &Layout<'_>,
        slabs: Slabs<'_>,
    ) -> Result<RegionSummary, RegionError> {
        let blocks = slabs.blocks();
        let tally = Tally::new(blocks as u64, self.errors, self.progress.as_deref());
        // There are no threads on wasm32.
        let threads = self.concurrency.filter(|_| !cfg!(target_arch = "wasm32"));
        let threads = threads.unwrap_or_else(|| Self::codec_threads());
        let threads = threads.min(blocks).clamp(1, MOST_THREADS);
        let memory = self.memory_of_thread(threads);
        // Every thread is to have something to do.
        let at_once = memory.blocks_at_once(layout, self.element_size(), blocks / threads);
        let slabs = slabs.with_rows_of(at_once);
        let at_once = slabs.blocks_at_once();
        if at_once > 1 {
            self.announced.get_or_init(|| memory.announce(at_once));
        }
        let read = Read {
            reader: self,
            layout,
            slabs,
            memory,
            at_once,
            tally: Mutex::new(tally),
            is_stopped: AtomicBool::new(false),
        };
        read.run(threads);
        let tally = read.tally.into_inner();
        tally.unwrap_or_else(PoisonError::into_inner).finish()
    }
}

/// One read of a region, shared by its threads.
struct Read<'r, 'o, TStorage: ?Sized> {
    reader: &'r RegionReader<'r, TStorage>,
    layout: &'r Layout<'r>,
    slabs: Slabs<'o>,
    /// Of each thread.
    memory: ThreadMemory,
    /// The most blocks that a thread holds.
    at_once: usize,
    tally: Mutex<Tally<'r>>,
    /// A block failed, and that is to end the read.
    is_stopped: AtomicBool,
}

impl<TStorage: ?Sized + ReadableStorageTraits + 'static> Read<'_, '_, TStorage> {
    /// Reads all blocks with this thread and `threads - 1` others.
    fn run(&self, threads: usize) {
        #[cfg(not(target_arch = "wasm32"))]
        std::thread::scope(|scope| {
            for _ in 1..threads {
                let thread = std::thread::Builder::new().name("n5 region".to_owned());
                // Where no more threads are to be had, the others read all.
                if thread.spawn_scoped(scope, || self.work()).is_err() {
                    break;
                }
            }
            self.work();
        });
        #[cfg(target_arch = "wasm32")]
        if threads > 0 {
            self.work();
        }
    }

    /// Reads blocks until none is left or the read is to stop.
    fn work(&self) {
        let store = self.reader.array.storage();
        let mut held = HeldBlocks::new(self.reader, self.memory, self.at_once);
        let mut cursor = self.slabs.start();
        while !self.is_stopped()
            && let Some((slab, blocks)) = self.slabs.next(&mut cursor)
        {
            for index in blocks {
                let block = self.layout.block(slab, index);
                let key = self.reader.key(&block);
                let fetched = self.reader.blocks.fetch(&*store, &key, &block.wanted);
                if !held.has_room_for(&fetched, &block) {
                    self.write(&mut held, slab);
                }
                held.add(fetched, block, self.slabs.is_zero());
                if held.is_due() {
                    self.write(&mut held, slab);
                }
                if self.is_stopped() {
                    break;
                }
            }
            self.write(&mut held, slab);
        }
    }

    /// Writes the blocks that a thread holds, which are of one slab, and counts them.
    fn write(&self, held: &mut HeldBlocks<'_, TStorage>, slab: usize) {
        let outcomes = held.write(slab, (self.layout, &self.slabs));
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        for outcome in outcomes {
            if !tally.count(outcome) {
                self.is_stopped.store(true, Ordering::Relaxed);
            }
        }
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }
}
