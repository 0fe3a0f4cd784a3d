//! [`ImplicitGroupStore`]: a store that shows groups without a document.

#[cfg(feature = "async")]
mod asynchronous;
mod existence;
mod rules;
mod sync;

use std::marker::PhantomData;

#[cfg(feature = "async")]
use zarrs_storage::{AsyncListableStorageTraits, AsyncReadableStorageTraits};
use zarrs_storage::{ListableStorageTraits, ReadableStorageTraits};

pub use self::existence::{Listed, Unconditional};

/// A store adapter that shows the groups of the store `S` that have no metadata document.
///
/// Every directory of an N5 hierarchy is a group, with or without `attributes.json`; zarrs wants a
/// `zarr.json`. Around an [`N5DefaultStore`](super::N5DefaultStore) this adapter gives each such
/// group an empty one, `{"zarr_format":3,"node_type":"group"}`.
///
/// # Which prefixes are groups
/// The type parameter `E` says how the adapter finds out whether a prefix exists. With [`Listed`],
/// for which the store must be listable ([`new`](Self::new), and `async_new` with the feature
/// `async`), a prefix is an implicit group when the store has something under it or names it as a
/// directory, and
/// * it has no document of its own: not `zarr.json`, not `attributes.json` (a node that the wrapped
///   store hides stays hidden), not `.zarray` nor `.zgroup` (a node of Zarr V2 stays one); and
/// * it is not a directory of blocks. Those are named by numbers (or `c`), so for such a name, and
///   only then, the nearest node above is asked whether it is an array. Thus `/dataset/0` is no
///   node, while a group may well be called `0`.
///
/// So opening a misspelt path fails, and so does the root of an empty store. A directory that is
/// empty on the file system, which is how the N5 reference implementation creates a group, is one.
///
/// A `zarr.json` that is there costs no further request. One that is missing costs a listing of its
/// directory (not of what is below), and one of the parent directory if that comes out empty.
///
/// With [`Unconditional`] ([`unconditional`](Self::unconditional)) every prefix is a group, as the
/// specification has it, except where an `attributes.json` is.
///
/// # Listing
/// `list`, `list_prefix`, `list_dir`, `size_prefix` and `size` name and count the `zarr.json` of
/// implicit groups, in agreement with `get`, and sort the keys when they add some. To tell groups
/// from block directories, `list` and `list_prefix` read the `zarr.json` of each node that has
/// children named by numbers. They cannot show empty directories, and for an unconditional store
/// listings are those of the wrapped store.
///
/// # Writing
/// Writes go through untouched: storing the metadata of an implicit group gives it a document, and
/// erasing it again makes it implicit again.
#[derive(Clone, Debug)]
pub struct ImplicitGroupStore<S, E = Listed> {
    store: S,
    existence: PhantomData<E>,
}

impl<S> ImplicitGroupStore<S, Listed> {
    /// Shows the groups without a document that exist in `store`. For asynchronous stores there is
    /// `async_new`.
    #[must_use]
    pub fn new(store: S) -> Self
    where
        S: ReadableStorageTraits + ListableStorageTraits,
    {
        Self::around(store)
    }

    /// The asynchronous twin of [`new`](Self::new).
    #[cfg(feature = "async")]
    #[must_use]
    pub fn async_new(store: S) -> Self
    where
        S: AsyncReadableStorageTraits + AsyncListableStorageTraits,
    {
        Self::around(store)
    }
}

impl<S> ImplicitGroupStore<S, Unconditional> {
    /// Takes every prefix without a document for a group, whether there is anything under it or
    /// not: the procedure of the specification, and the only one for a store that cannot list.
    ///
    /// Opening a misspelt path gives an empty group, and `/dataset/0` is a group too.
    #[must_use]
    pub fn unconditional(store: S) -> Self {
        Self::around(store)
    }
}

impl<S, E> ImplicitGroupStore<S, E> {
    fn around(store: S) -> Self {
        Self {
            store,
            existence: PhantomData,
        }
    }

    /// The wrapped store.
    #[must_use]
    pub fn inner(&self) -> &S {
        &self.store
    }

    /// Gives the wrapped store back.
    #[must_use]
    pub fn into_inner(self) -> S {
        self.store
    }
}
