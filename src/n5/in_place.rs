//! Conversion in place: a `zarr.json` beside each `attributes.json`, or the reverse.

#[cfg(feature = "async")]
mod asynchronous;
mod documents;
mod held;
mod levels;
#[cfg(feature = "ome")]
mod ome;
mod options;
mod outcome;
mod plan;
#[cfg(feature = "ome")]
mod pyramid_report;
mod pyramids;
mod report;
mod sync;

#[cfg(feature = "async")]
use zarrs_storage::{AsyncListableStorageTraits, AsyncReadableStorageTraits};
use zarrs_storage::{ListableStorageTraits, ReadableStorageTraits};

#[cfg(feature = "async")]
pub use self::documents::AsyncReplaceDocuments;
pub use self::documents::{RenameDocuments, ReplaceDocuments, SetDocuments};
pub use self::options::{InPlaceError, InPlaceOptions};
pub use self::outcome::{FailureReason, NodeReport, Outcome, SkipReason};
#[cfg(feature = "ome")]
pub use self::pyramid_report::{PyramidRefusal, PyramidReport};
pub use self::report::{InPlaceReport, Progress};
use plan::Direction;

/// Writes a `zarr.json` beside the `attributes.json` of a node or a whole N5 hierarchy, so that
/// Zarr V3 readers with the `n5_default` codec can open it as it is. No block is touched.
///
/// Groups without `attributes.json` get a `zarr.json` too
/// (`{"zarr_format":3,"node_type":"group"}`): other Zarr readers would not find their way
/// otherwise. But they do only where N5 is, with an `attributes.json` above (from the first node
/// on) or below; those for which none was found are skipped. Neither does a folder get one that
/// looks like a dataset that has lost its `attributes.json`, or like its blocks, unless there is an
/// `attributes.json` below it; it is [reported](SkipReason::MayBeBlocks) as skipped. So looks what
/// has no `attributes.json`, or an empty one, and files named by numbers, or only folders named by
/// numbers, or a number as its own name and no folders. Arrays have the `regular` chunk grid, which
/// every reader knows. The nodes are those that [`walk`](crate::n5::walk) visits:
/// datasets below datasets too, and no folder of blocks, of a system or behind a circle of links.
/// What is left out is in the report as skipped, but for a node among blocks (`/raw/0`, where
/// `/raw` is a dataset), of which nothing is known. Indexes and label multisets of Paintera are
/// skipped too, as their blocks cannot be read as arrays. `progress` is called for each node, in
/// this thread.
///
/// A `zarr.json` that is there is left alone if it says the same, but that it gets the `regular`
/// chunk grid, and otherwise skipped unless [overwriting](InPlaceOptions::with_overwrite) is
/// allowed. So a second run changes nothing.
///
/// # Order of the dimensions, and OME-Zarr
/// [`with_dimension_order`](InPlaceOptions::with_dimension_order) lists the dimensions of arrays
/// backwards. A `zarr.json` that is there in the other order is skipped as
/// [`OtherOrder`](SkipReason::OtherOrder) unless overwriting is allowed, and
/// [`N5DefaultStore`](crate::n5::N5DefaultStore) keeps the order of one that lies beside the N5
/// when it writes. With the feature `ome`, `with_ome` describes pyramids as OME-Zarr 0.5; a later
/// run without it leaves that as it is, and one that overwrites takes it away. Of a group without
/// `attributes.json` only this attribute is replaced or taken away; what else is in its `zarr.json`
/// stays, but for consolidated metadata.
///
/// # Other readers of the N5
/// tensorstore and zarr-python 2 read the N5 as before. z5py 3.0 does not: it refuses a container
/// that holds both documents, until each `zarr.json` is taken away again.
///
/// # What happens when something fails
/// One node that cannot be converted does not stop the rest; the report says what became of each. A
/// crash leaves every document whole, old or new (see [`ReplaceDocuments`]), and the next run does
/// what is missing. Two conversions at the same time do not disturb each other. On a file system a
/// crash may also leave files such as `zarr.json.3f0a….tmp`, which nothing reads; a command below
/// removes them.
///
#[doc = include_str!("../../docs/crash_safety.md")]
///
///
/// ```
/// use zarrs_interop::n5::{InPlaceOptions, Outcome, add_zarr_metadata};
/// use zarrs_storage::{ReadableStorageTraits, WritableStorageTraits, store::MemoryStore};
///
/// let store = MemoryStore::new();
/// store.set(&"attributes.json".try_into()?, "{\"n5\":\"4.0.0\"}".into())?;
/// store.set(&"volumes/labels/attributes.json".try_into()?, "{}".into())?;
/// let report = add_zarr_metadata(&store, &InPlaceOptions::new(), |_| {})?;
/// assert_eq!(report.converted(), 3); // `/`, `/volumes` and `/volumes/labels`
/// assert!(store.get(&"volumes/zarr.json".try_into()?)?.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Again, and back
#[doc = include_str!("../../docs/convert_again.md")]
///
/// Example program: [`convert_n5`](https://docs.rs/crate/zarrs_interop/latest/source/examples/convert_n5.rs).
///
/// # Errors
/// Returns an [`InPlaceError`] if there is no node to start at, or no `attributes.json` at it or
/// below it, nor at the root.
///
/// # Panics
/// Panics if the system cannot start a thread, or if `store` or `progress` panics.
pub fn add_zarr_metadata<D>(
    store: &D,
    options: &InPlaceOptions,
    progress: impl FnMut(Progress<'_>),
) -> Result<InPlaceReport, InPlaceError>
where
    D: ReplaceDocuments,
    D::Store: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    sync::convert(store, Direction::ToZarr, options, progress)
}

/// Writes an `attributes.json` beside the `zarr.json` of a node or a whole Zarr V3 hierarchy whose
/// arrays use the `n5_default` codec, so that N5 readers can open it as it is. No block is touched.
///
/// Groups without attributes get none, since N5 needs none there; the root always does, also when
/// the conversion starts at another node: without a version of N5 there, several readers refuse all
/// of it. An array that N5 cannot express is skipped with the reason; the documents of groups are
/// written once an array is found that it can. For everything else see
/// [`add_zarr_metadata`], which this is the reverse of.
///
/// # Errors
/// Returns an [`InPlaceError`] if there is no node to start at, or if there are arrays and none of
/// them can be N5; nothing is written then.
///
/// # Panics
/// Panics if the system cannot start a thread, or if `store` or `progress` panics.
pub fn add_n5_metadata<D>(
    store: &D,
    options: &InPlaceOptions,
    progress: impl FnMut(Progress<'_>),
) -> Result<InPlaceReport, InPlaceError>
where
    D: ReplaceDocuments,
    D::Store: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    sync::convert(store, Direction::ToN5, options, progress)
}

/// The asynchronous twin of [`add_zarr_metadata`].
///
/// # Errors
/// Returns an [`InPlaceError`] if there is no node to start at, or no `attributes.json` at it or
/// below it, nor at the root.
#[cfg(feature = "async")]
pub async fn async_add_zarr_metadata<D>(
    store: &D,
    options: &InPlaceOptions,
    progress: impl FnMut(Progress<'_>),
) -> Result<InPlaceReport, InPlaceError>
where
    D: AsyncReplaceDocuments,
    D::Store: AsyncReadableStorageTraits + AsyncListableStorageTraits + 'static,
{
    asynchronous::async_convert(store, Direction::ToZarr, options, progress).await
}

/// The asynchronous twin of [`add_n5_metadata`].
///
/// # Errors
/// Returns an [`InPlaceError`] if there is no node to start at, or if there are arrays and none of
/// them can be N5; nothing is written then.
#[cfg(feature = "async")]
pub async fn async_add_n5_metadata<D>(
    store: &D,
    options: &InPlaceOptions,
    progress: impl FnMut(Progress<'_>),
) -> Result<InPlaceReport, InPlaceError>
where
    D: AsyncReplaceDocuments,
    D::Store: AsyncReadableStorageTraits + AsyncListableStorageTraits + 'static,
{
    asynchronous::async_convert(store, Direction::ToN5, options, progress).await
}
