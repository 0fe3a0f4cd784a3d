//! Conversion in place: a `zarr.json` beside each `attributes.json`, or the reverse.

#[cfg(feature = "async")]
mod asynchronous;
mod documents;
mod plan;
mod report;
mod sync;

use thiserror::Error;
use zarrs::node::{NodePath, NodePathError};
#[cfg(feature = "async")]
use zarrs_storage::{AsyncListableStorageTraits, AsyncReadableStorageTraits};
use zarrs_storage::{ListableStorageTraits, ReadableStorageTraits, StorePrefix, StorePrefixError};

#[cfg(feature = "async")]
pub use self::documents::AsyncReplaceDocuments;
pub use self::documents::{RenameDocuments, ReplaceDocuments, SetDocuments};
pub use self::report::{FailureReason, InPlaceReport, NodeReport, Outcome, Progress, SkipReason};
use plan::Direction;

/// What an in-place conversion visits and may do. The default is the whole hierarchy, writing,
/// without overwriting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InPlaceOptions {
    node_path: String,
    recursive: bool,
    dry_run: bool,
    overwrite: bool,
}

impl Default for InPlaceOptions {
    fn default() -> Self {
        Self {
            node_path: "/".to_owned(),
            recursive: true,
            dry_run: false,
            overwrite: false,
        }
    }
}

impl InPlaceOptions {
    /// The whole hierarchy, writing, without overwriting.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts at the node `node_path`, such as `/volumes/raw`, instead of the root `/`.
    #[must_use]
    pub fn with_node_path(mut self, node_path: impl Into<String>) -> Self {
        self.node_path = node_path.into();
        self
    }

    /// Sets whether the nodes below the first are converted too.
    #[must_use]
    pub fn with_recursive(mut self, recursive: bool) -> Self {
        self.recursive = recursive;
        self
    }

    /// Sets whether to write nothing and only report.
    #[must_use]
    pub fn with_dry_run(mut self, dry_run: bool) -> Self {
        self.dry_run = dry_run;
        self
    }

    /// Sets whether a document that is there and says something else is replaced.
    #[must_use]
    pub fn with_overwrite(mut self, overwrite: bool) -> Self {
        self.overwrite = overwrite;
        self
    }

    /// The prefix of the first node.
    fn start(&self) -> Result<StorePrefix, InPlaceError> {
        Ok((&NodePath::new(&self.node_path)?).try_into()?)
    }
}

/// Why an in-place conversion could not start. What goes wrong with a single node is in the report
/// instead.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum InPlaceError {
    /// The node path is not one, such as a path without a `/` at its beginning or with one at its
    /// end.
    #[error("cannot convert in place: {0}; a node path looks like `/` or `/volumes/raw`")]
    InvalidNodePath(#[from] NodePathError),
    /// The node path is not a valid store prefix.
    #[error("cannot convert in place: {0}")]
    InvalidStorePrefix(#[from] StorePrefixError),
    /// There is nothing at the node path.
    #[error(
        "cannot convert in place: there is nothing at {node_path}; check the path of the store and the node"
    )]
    NoSuchNode {
        /// The path of the node.
        node_path: String,
    },
}

/// Writes a `zarr.json` beside the `attributes.json` of a node or a whole N5 hierarchy, so that
/// Zarr V3 readers with the `n5_default` codec can open it as it is. No block is touched.
///
/// Groups without `attributes.json` get a `zarr.json` too
/// (`{"zarr_format":3,"node_type":"group"}`): other Zarr readers would not find their way
/// otherwise. Arrays have the `regular` chunk grid, which every reader knows. The walk reads two
/// keys per node, lists the directories of groups, and never looks below a dataset or into a
/// directory whose name begins with a dot. Up to 16 nodes are worked on at once. `progress` is
/// called for each node, in this thread.
///
/// A `zarr.json` that is there is left alone if it says the same, and otherwise skipped unless
/// [overwriting](InPlaceOptions::with_overwrite) is allowed. So a second run changes nothing.
///
/// # Other readers of the N5
/// tensorstore and zarr-python 2 read the N5 as before. z5py 3.0 does not: it refuses a container
/// that holds both documents, until each `zarr.json` is taken away again.
///
/// # What happens when something fails
/// One node that cannot be converted does not stop the rest; the report says what became of each. A
/// crash leaves every document whole, old or new (see [`ReplaceDocuments`]), and the next run does
/// what is missing. Two conversions at the same time do not disturb each other. On a file system a
/// crash may also leave files such as `zarr.json.3f0a….tmp`, which nothing reads; remove them at
/// will once no conversion runs.
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
/// # Errors
/// Returns an [`InPlaceError`] if there is no node to start at.
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
    D::Store: ReadableStorageTraits + ListableStorageTraits,
{
    sync::convert(store, Direction::ToZarr, options, progress)
}

/// Writes an `attributes.json` beside the `zarr.json` of a node or a whole Zarr V3 hierarchy whose
/// arrays use the `n5_default` codec, so that N5 readers can open it as it is. No block is touched.
///
/// Groups without attributes get none, since N5 needs none there; the root always does. An array
/// that N5 cannot express is skipped with the reason. For everything else see
/// [`add_zarr_metadata`], which this is the reverse of.
///
/// # Errors
/// Returns an [`InPlaceError`] if there is no node to start at.
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
    D::Store: ReadableStorageTraits + ListableStorageTraits,
{
    sync::convert(store, Direction::ToN5, options, progress)
}

/// The asynchronous twin of [`add_zarr_metadata`].
///
/// # Errors
/// Returns an [`InPlaceError`] if there is no node to start at.
#[cfg(feature = "async")]
pub async fn async_add_zarr_metadata<D>(
    store: &D,
    options: &InPlaceOptions,
    progress: impl FnMut(Progress<'_>),
) -> Result<InPlaceReport, InPlaceError>
where
    D: AsyncReplaceDocuments,
    D::Store: AsyncReadableStorageTraits + AsyncListableStorageTraits,
{
    asynchronous::async_convert(store, Direction::ToZarr, options, progress).await
}

/// The asynchronous twin of [`add_n5_metadata`].
///
/// # Errors
/// Returns an [`InPlaceError`] if there is no node to start at.
#[cfg(feature = "async")]
pub async fn async_add_n5_metadata<D>(
    store: &D,
    options: &InPlaceOptions,
    progress: impl FnMut(Progress<'_>),
) -> Result<InPlaceReport, InPlaceError>
where
    D: AsyncReplaceDocuments,
    D::Store: AsyncReadableStorageTraits + AsyncListableStorageTraits,
{
    asynchronous::async_convert(store, Direction::ToN5, options, progress).await
}
