//! Reading a region by one task that has many requests in flight.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use bytemuck::Pod;
use futures::{FutureExt, StreamExt};
use zarrs::array::{ArraySubsetTraits, Element};
use zarrs_codec::CodecError;
use zarrs_storage::AsyncReadableStorageTraits;

use super::held::HeldBlocks;
use super::layout::{Layout, PlacedBlock};
use super::slabs::Slabs;
use super::summary::{BlockOutcome, Tally};
use super::{RegionError, RegionReader, RegionSummary};
use crate::n5::codec::Fetched;

/// Requests in flight by default: enough to hide the latency of an object store behind the transfer
/// of blocks of some 100 kB, and few enough for the limits on connections. It follows what browsers
/// and object store clients do; `benches/remote` measures it.
const REQUESTS: usize = 32;

/// How many answers for each thread are placed before it is looked whether more have come. With
/// one, threads wait for each other; with many, the server waits for requests. Rows "512^3" of
/// `benches/remote` show it.
const ANSWERS_PER_THREAD: usize = 2;

/// What came of the request for a block.
struct Answer {
    slab: usize,
    block: PlacedBlock,
    fetched: Result<Fetched, CodecError>,
}

impl<TStorage: ?Sized + AsyncReadableStorageTraits + 'static> RegionReader<'_, TStorage> {
    /// Reads a region to new memory: the asynchronous twin of [`read`](Self::read).
    ///
    /// Blocks are fetched at the same time. They are decompressed by the task that awaits, with as
    /// many threads as a synchronous read has where several were answered: the requests of stores
    /// that send them from other threads, as `UrlStore` and those on tokio's runtime with threads,
    /// go on meanwhile.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub async fn async_read<T: Element + Pod + Send>(
        &self,
        subset: &dyn ArraySubsetTraits,
    ) -> Result<Vec<T>, RegionError> {
        let layout = self.layout_of::<T>(subset)?;
        let mut out = self.new_output(&layout, subset)?;
        let summary = self
            .async_read_layout(&layout, self.output_bytes(&layout, &mut out)?)
            .await?;
        summary.log();
        Ok(out)
    }

    /// Reads a region to `out`: the asynchronous twin of [`read_into`](Self::read_into).
    ///
    /// # Errors
    /// As [`read_into`](Self::read_into).
    pub async fn async_read_into<T: Element + Pod + Send>(
        &self,
        subset: &dyn ArraySubsetTraits,
        out: &mut [T],
    ) -> Result<RegionSummary, RegionError> {
        let layout = self.layout_of::<T>(subset)?;
        self.async_read_layout(&layout, self.output_bytes(&layout, out)?)
            .await
    }

    /// Reads a region to a new [`ndarray::ArrayD`]: the asynchronous twin of
    /// [`read_ndarray`](Self::read_ndarray).
    ///
    /// # Errors
    /// As [`read_ndarray`](Self::read_ndarray).
    #[cfg(feature = "ndarray")]
    pub async fn async_read_ndarray<T: Element + Pod + Send>(
        &self,
        subset: &dyn ArraySubsetTraits,
    ) -> Result<ndarray::ArrayD<T>, RegionError> {
        let elements = self.async_read(subset).await?;
        let shape = self.output_shape(subset);
        zarrs::array::elements_to_ndarray(&shape, elements)
            .map_err(|_| self.out_of_memory(&subset.shape()))
    }

    async fn async_read_layout(
        &self,
        layout: &Layout<'_>,
        out: &mut [u8],
    ) -> Result<RegionSummary, RegionError> {
        let slabs = Slabs::new(layout, self.element_size(), out);
        let progress = self.progress.as_deref();
        let mut tally = Tally::new(slabs.blocks() as u64, self.errors, progress);
        let store = self.array.storage();
        let threads = Self::codec_threads();

        let mut cursor = slabs.start();
        let numbers = std::iter::from_fn(|| slabs.next(&mut cursor));
        // Answers come in any order, so that rows are not held: each time it is one block.
        let requests = numbers.map(|(slab, blocks)| {
            let block = layout.block(slab, blocks.start);
            let store = &store;
            async move {
                let key = self.key(&block);
                let fetched = self.blocks.async_fetch(&**store, &key, &block.wanted).await;
                Answer {
                    slab,
                    block,
                    fetched,
                }
            }
        });
        let in_flight = self.concurrency.unwrap_or(REQUESTS);
        let mut answers = futures::stream::iter(requests).buffer_unordered(in_flight);
        let mut waiting = VecDeque::new();
        'read: loop {
            if waiting.is_empty() {
                match answers.next().await {
                    Some(answer) => waiting.push_back(answer),
                    None => break,
                }
            }
            // Takes what else has come, so that the next requests are sent before what takes long.
            while waiting.len() < in_flight
                && let Some(Some(answer)) = answers.next().now_or_never()
            {
                waiting.push_back(answer);
            }
            let some = waiting.len().min(threads * ANSWERS_PER_THREAD);
            let answers = waiting.drain(..some).collect();
            for outcome in self.place_all(answers, (layout, &slabs), threads) {
                if !tally.count(outcome) {
                    break 'read;
                }
            }
        }
        tally.finish()
    }

    /// Decompresses the blocks that were fetched and writes them to their slabs, one by one, with
    /// up to `threads` threads.
    fn place_all(
        &self,
        answers: Vec<Answer>,
        (layout, slabs): (&Layout<'_>, &Slabs<'_>),
        threads: usize,
    ) -> Vec<BlockOutcome> {
        let threads = threads.min(answers.len());
        let answers = Mutex::new(answers.into_iter());
        let next = || {
            answers
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .next()
        };
        let work = || {
            let mut held = HeldBlocks::new(self, self.memory_of_thread(threads), 1);
            let place = |answer: Answer| {
                held.add(answer.fetched, answer.block, slabs.is_zero());
                held.write(answer.slab, (layout, slabs))
            };
            std::iter::from_fn(next).flat_map(place).collect::<Vec<_>>()
        };
        std::thread::scope(|scope| {
            let helpers = (1..threads).map_while(|_| {
                let thread = std::thread::Builder::new().name("n5 region".to_owned());
                // Where no more threads are to be had, the others place all.
                thread.spawn_scoped(scope, work).ok()
            });
            let helpers: Vec<_> = helpers.collect();
            let mut outcomes = work();
            for helper in helpers {
                let placed = helper.join();
                outcomes.extend(placed.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            outcomes
        })
    }
}
