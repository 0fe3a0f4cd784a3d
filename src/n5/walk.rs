//! [`walk`]: every node of a hierarchy, whatever is wrong with its neighbours.

#[cfg(feature = "async")]
mod asynchronous;
#[cfg(feature = "filesystem")]
pub(crate) mod file_system;
pub(crate) mod folder;
pub(crate) mod frontier;
mod judge;
mod left_out;
mod list;
pub(crate) mod look;
mod nodes;
mod options;
mod paintera_index;
mod report;
pub(crate) mod sized;
mod sync;

#[cfg(feature = "async")]
use zarrs_storage::{AsyncListableStorageTraits, AsyncReadableStorageTraits};
use zarrs_storage::{ListableStorageTraits, ReadableStorageTraits};

#[cfg(feature = "async")]
pub(crate) use self::asynchronous::async_look;
pub(crate) use self::left_out::is_system_name;
pub use self::left_out::{LeftOut, LeftOutReason};
#[cfg(feature = "async")]
pub(crate) use self::list::async_list;
pub(crate) use self::list::list;
pub use self::look::ReadError;
pub(crate) use self::nodes::is_label_multiset;
pub use self::nodes::{ForeignNode, Unreadable, WalkedDataset, WalkedKind, WalkedNode};
pub use self::options::{WalkError, WalkOptions};
pub use self::report::WalkReport;
pub(crate) use self::sync::look;

/// Visits every node of the N5 hierarchy in `store`: groups, datasets, and what cannot be read.
///
/// The walk does not end early and, but for nodes among blocks, drops nothing without saying so: a
/// document that cannot be read, a folder that may not be listed or a node of another format costs
/// only itself, and [`WalkReport::left_out`] names each folder that was not visited, with the
/// reason. Give it the store that holds the hierarchy, not an
/// [`N5DefaultStore`](super::N5DefaultStore) around it.
///
/// # What is visited
/// * All folders below a group.
/// * Below a dataset the folders whose name is not a number. The others hold its blocks, and are
///   not even listed. (`BigStitcher` writes the members of a dataset on `setupN` too, and the real
///   datasets in `setupN/timepointM/sK`; see [`WalkedDataset::is_only_a_container`].) A node
///   named by a number below a dataset, such as `/raw/0`, is not found, and nothing is said of it:
///   to look for it would cost a request for each dataset. [`check`](super::check()) names it
///   among the stray keys.
/// * Below a node whose `attributes.json` cannot be read the same folders, as it may be a dataset;
///   how many others there are is said among what was left out.
///
/// Left out are folders of systems (names that begin with a dot, `@eaDir`, `$RECYCLE.BIN`, `System
/// Volume Information`, `lost+found`, `__MACOSX`), names that begin with `__`, which Zarr reserves,
/// and whatever is deeper than [`WalkOptions::with_max_depth`] or comes after
/// [`WalkOptions::with_max_nodes`].
///
/// # Folders
/// A [`FilesystemStore`](https://docs.rs/zarrs_filesystem), itself or in an `Arc`, is listed
/// through `std::fs`, because its own listing panics on a name that is not UTF-8 and takes a folder
/// that may not be read for an empty one. Links to folders are followed, but each real folder is
/// visited once, at its own path if that is below the first node, so that circles of links end. Of
/// any other store (a `dyn` one, or one around a `FilesystemStore`) the listing is taken as it is,
/// panics and all, and a circle of folders ends at the greatest depth.
///
/// # Requests
/// Each folder that is visited is listed once, without what is below, and the documents that the
/// listing shows are read. At most 16 nodes are worked on at once. No block is read, but for the
/// first 2 bytes of one block of each dataset on whose path a folder is named `unique-labels` or
/// `label-to-block-mapping`; that block costs a listing per dimension but one. So it is found out
/// whether the dataset is an [index of Paintera](WalkedDataset::is_paintera_index).
///
/// ```
/// use zarrs_interop::n5::{WalkOptions, walk};
/// # use zarrs_storage::{WritableStorageTraits, store::MemoryStore};
///
/// # let store = MemoryStore::new();
/// # let raw = concat!(
/// #     r#"{"dimensions":[5,3],"blockSize":[3,2],"dataType":"uint16","#,
/// #     r#""compression":{"type":"raw"}}"#,
/// # );
/// # store.set(&"attributes.json".try_into()?, "{\"n5\":\"2.0.0\"}".into())?;
/// # store.set(&"volumes/raw/attributes.json".try_into()?, raw.into())?;
/// # store.set(&"volumes/raw/0/0".try_into()?, "block".into())?;
/// # store.set(&"volumes/broken/attributes.json".try_into()?, "[1,2]".into())?;
/// let report = walk(&store, &WalkOptions::new())?;
/// let lines: Vec<_> = report.nodes().iter().map(ToString::to_string).collect();
/// assert_eq!(lines[..2], ["/: group", "/volumes: group"]);
/// assert!(lines[2].starts_with("/volumes/broken: unreadable: "));
/// assert_eq!(lines[3], "/volumes/raw: dataset [5, 3] uint16");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns a [`WalkError`] if there is nothing at the node path to start at, or it is not a node
/// path.
///
/// # Panics
/// Panics if the system cannot start a thread, or if `store` panics.
pub fn walk<S>(store: &S, options: &WalkOptions) -> Result<WalkReport, WalkError>
where
    S: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    sync::walk(store, options)
}

/// The asynchronous twin of [`walk`].
///
/// # Errors
/// Returns a [`WalkError`] if there is nothing at the node path to start at, or it is not a node
/// path.
#[cfg(feature = "async")]
pub async fn async_walk<S>(store: &S, options: &WalkOptions) -> Result<WalkReport, WalkError>
where
    S: AsyncReadableStorageTraits + AsyncListableStorageTraits + 'static,
{
    asynchronous::async_walk(store, options).await
}
