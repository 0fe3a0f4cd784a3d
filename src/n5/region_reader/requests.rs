//! Reading a region by one task that has many requests in flight.

use bytemuck::Pod;
use futures::StreamExt;
use zarrs::array::{ArraySubsetTraits, Element};
use zarrs_storage::AsyncReadableStorageTraits;

use super::layout::Layout;
use super::slabs::Slabs;
use super::summary::Tally;
use super::{RegionError, RegionReader, RegionSummary};

/// Requests in flight by default: enough to hide the latency of an object store behind the transfer
/// of blocks of some 100 kB, and few enough for the limits on connections. It follows what browsers
/// and object store clients do; no benchmark row measures it, as none has a server.
const REQUESTS: usize = 32;

impl<TStorage: ?Sized + AsyncReadableStorageTraits + 'static> RegionReader<'_, TStorage> {
    /// Reads a region to new memory: the asynchronous twin of [`read`](Self::read).
    ///
    /// Blocks are fetched at the same time, and decompressed one by one by the task that awaits.
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
        let mut buffer = self.take_buffer();

        let mut cursor = slabs.start();
        let numbers = std::iter::from_fn(|| slabs.next(&mut cursor));
        let requests = numbers.map(|(slab, index)| {
            let block = layout.block(slab, index);
            let store = &store;
            async move {
                let key = self.key(&block);
                let fetched = self.blocks.async_fetch(&**store, &key, &block.wanted).await;
                (slab, block, fetched)
            }
        });
        let mut answers =
            futures::stream::iter(requests).buffer_unordered(self.concurrency.unwrap_or(REQUESTS));
        while let Some((slab, block, fetched)) = answers.next().await {
            let outcome = self.place(fetched, (slab, &block), (layout, &slabs), &mut buffer);
            if !tally.count(outcome) {
                break;
            }
        }
        self.keep_buffer(buffer);
        tally.finish()
    }
}
