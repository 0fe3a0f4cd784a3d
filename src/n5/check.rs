//! [`check`]: every block of a dataset read, and which are missing or corrupt.

mod dataset;
mod grid;
pub(in crate::n5) mod list;
mod options;
mod outcome;
mod pad_edge_blocks;
mod report;
#[cfg(feature = "async")]
mod requests;
mod search;
mod tally;
mod threads;

#[cfg(feature = "async")]
use zarrs_storage::{AsyncListableStorageTraits, AsyncReadableStorageTraits};
use zarrs_storage::{ListableStorageTraits, ReadableStorageTraits};

pub use self::options::{CheckError, CheckOptions, CheckProgress};
#[cfg(feature = "async")]
pub use self::pad_edge_blocks::async_pad_edge_blocks;
pub use self::pad_edge_blocks::{PadError, PadReport, pad_edge_blocks};
pub use self::report::{CheckReport, Stray, StrayReason, Unlisted};
use self::threads::Check;
use crate::n5::walk::sized::{MAX_DOCUMENT_SIZE, get};

/// Reads every block of the dataset at `node_path` that is there, and reports which are missing or
/// corrupt.
///
/// The blocks are found by listing the folders of the dataset, not by asking for each position of
/// its grid: what a check costs depends on what is there, however large `dimensions` is. Each block
/// is fetched whole and decompressed, which checks its header, the size of its payload, and the
/// checksums that its compression has. Of what no reader can know (a changed byte in a raw block, a
/// block in the place of another) nothing is said. What is listed and not there, such as a link
/// that leads nowhere, is in [`CheckReport::vanished`]. A folder in the place of a block is a
/// corrupt block where it cannot be read, as in a file system, and else a stray key; a file in the
/// place of a folder of blocks is likewise a folder that cannot be listed.
///
/// Give it the store that holds the hierarchy, not an [`N5DefaultStore`](super::N5DefaultStore)
/// around it. `node_path` is a path such as `/volumes/raw`, and `/` for the root. `progress` is
/// called after each block, one at a time, by the thread that read it.
///
/// # Threads and memory
/// By default there are as many threads as zarrs uses for codecs, usually the number of cores. Each
/// holds one block, encoded and decompressed. Besides these, the names in a few folders are held:
/// for each thread one folder of every dimension. Of corrupt blocks, vanished ones, stray keys and
/// folders that cannot be listed the first [`CheckOptions::with_max_listed`] are kept, and all are
/// counted.
///
/// ```
/// use zarrs_interop::n5::{CheckOptions, check};
/// # use zarrs_storage::{WritableStorageTraits, store::MemoryStore};
///
/// # let store = MemoryStore::new();
/// # let raw = concat!(
/// #     r#"{"dimensions":[5,1],"blockSize":[2,1],"dataType":"uint8","#,
/// #     r#""compression":{"type":"raw"}}"#,
/// # );
/// # store.set(&"raw/attributes.json".try_into()?, raw.into())?;
/// # let block = b"\0\0\0\x02\0\0\0\x02\0\0\0\x01\x07\x08";
/// # store.set(&"raw/0/0".try_into()?, block[..].into())?;
/// # store.set(&"raw/1/0".try_into()?, block[..13].into())?;
/// let report = check(&store, "/raw", &CheckOptions::new(), |_| {})?;
/// assert_eq!((report.expected, report.present, report.missing()), (3, 2, 1));
/// let corrupt = &report.corrupt[0];
/// assert_eq!((corrupt.key.as_str(), &corrupt.position[..]), ("raw/1/0", &[1, 0][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Example program: [`check_n5`](https://docs.rs/crate/zarrs_interop/latest/source/examples/check_n5.rs).
///
/// # Errors
/// Returns a [`CheckError`] if there is no dataset at `node_path` or its `attributes.json` cannot
/// be read. What is wrong with its blocks is in the report instead.
///
/// # Panics
/// Panics if `store` or `progress` panics.
pub fn check<S>(
    store: &S,
    node_path: &str,
    options: &CheckOptions,
    progress: impl FnMut(CheckProgress) + Send,
) -> Result<CheckReport, CheckError>
where
    S: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    let node = options::node(node_path)?;
    let document = get(store, &node.attributes, MAX_DOCUMENT_SIZE);
    let dataset = dataset::Dataset::new(node, document)?;
    Ok(Check::new(store, &dataset, options, progress).run())
}

/// The asynchronous twin of [`check`].
///
/// By default 32 requests are in flight. Blocks are decompressed one by one by the task that
/// awaits.
///
/// # Errors
/// As [`check`].
///
/// # Panics
/// Panics if `store` or `progress` panics.
#[cfg(feature = "async")]
pub async fn async_check<S>(
    store: &S,
    node_path: &str,
    options: &CheckOptions,
    progress: impl FnMut(CheckProgress) + Send,
) -> Result<CheckReport, CheckError>
where
    S: AsyncReadableStorageTraits + AsyncListableStorageTraits + 'static,
{
    let node = options::node(node_path)?;
    let document = store.get(&node.attributes).await;
    let dataset = dataset::Dataset::new(node, document)?;
    Ok(requests::check(store, &dataset, options, progress).await)
}
