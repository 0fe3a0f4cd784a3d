//! [`open_array`]: one dataset of a hierarchy, or an error that says what is there instead.

#[cfg(feature = "async")]
mod asynchronous;
mod document;
mod error;
mod folder;
mod found;
mod nearby;
mod path;
mod place;
mod refusal;
mod sync;

use std::sync::Arc;

use zarrs::array::Array;
#[cfg(feature = "async")]
use zarrs_storage::{AsyncListableStorageTraits, AsyncReadableStorageTraits};
use zarrs_storage::{ListableStorageTraits, ReadableStorageTraits};

pub use self::error::OpenError;
use super::store::N5DefaultStore;

/// Opens the dataset at `path` of the N5 hierarchy in `store`, for reading and writing.
///
/// `store` is the store whose root is the root of the hierarchy, or an `Arc` of it; it is wrapped
/// in an [`N5DefaultStore`]. Do not give it one: an `N5DefaultStore` with options of its own has
/// the method [`open_array`](N5DefaultStore::open_array), which also opens several datasets of one
/// store. The path may begin and end with a `/` or not. Of a store that has no listing at all
/// [`Array::open`] opens datasets, around an `N5DefaultStore`.
///
/// The shape of the array is N5's `dimensions`, in elements and in N5's order: dimension 0, the
/// fastest in a block, first. Elements come in C order.
///
/// ```
/// # #[cfg(all(feature = "filesystem", feature = "gzip"))] {
/// use zarrs::filesystem::FilesystemStore;
/// use zarrs_interop::n5;
///
/// let path = "examples/data/n5_demo/volume.n5";
/// let array = n5::open_array(FilesystemStore::new(path)?, "/volumes/raw/s0")?;
/// let plane: Vec<u8> = array.retrieve_array_subset(&[0..64, 0..64, 16..17])?;
/// assert_eq!(plane.len(), 64 * 64);
///
/// let error = n5::open_array(FilesystemStore::new(path)?, "/volumes/row/s0").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "there is nothing at /volumes/row/s0: /volumes is there, and in it is raw"
/// );
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Requests
/// A dataset that is there costs one request, the read of its `attributes.json`, and nothing is
/// listed. Only when there is no dataset are folders listed and other documents read, to say in the
/// error what is there: at most some 600 requests, for a group with very many nodes below it.
///
/// Example program: [`read_n5`](https://docs.rs/crate/zarrs_interop/latest/source/examples/read_n5.rs).
///
/// # Errors
/// [`OpenError`] if there is no dataset at `path`, or it cannot be read. Each cause has a variant
/// of its own.
///
/// # Panics
/// If there is no dataset, as [`walk`](super::walk()): if the system cannot start a thread, or if
/// `store` panics.
pub fn open_array<S>(store: S, path: &str) -> Result<Array<N5DefaultStore<S>>, OpenError>
where
    S: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    sync::open(&Arc::new(N5DefaultStore::new(store)), path)
}

/// The asynchronous twin of [`open_array`].
///
/// # Errors
/// As [`open_array`].
#[cfg(feature = "async")]
pub async fn async_open_array<S>(
    store: S,
    path: &str,
) -> Result<Array<N5DefaultStore<S>>, OpenError>
where
    S: AsyncReadableStorageTraits + AsyncListableStorageTraits + 'static,
{
    asynchronous::async_open(&Arc::new(N5DefaultStore::new(store)), path).await
}

impl<S> N5DefaultStore<S> {
    /// Opens the dataset at `path`, as [`open_array`](super::open_array) does, with the options of
    /// this store. What it would hide ([`Unconvertible::Hidden`](super::Unconvertible::Hidden)) is
    /// an error here.
    ///
    /// ```
    /// # #[cfg(all(feature = "filesystem", feature = "gzip"))] {
    /// use std::sync::Arc;
    /// use zarrs::filesystem::FilesystemStore;
    /// use zarrs_interop::n5::{DimensionOrder, N5DefaultStore};
    ///
    /// let store = FilesystemStore::new("examples/data/n5_demo/volume.n5")?;
    /// let store = N5DefaultStore::new(store).with_dimension_order(DimensionOrder::Reversed);
    /// let store = Arc::new(store);
    /// let full = store.open_array("/volumes/raw/s0")?;
    /// let half = store.open_array("/volumes/raw/s1")?;
    /// assert_eq!(full.shape()[0].div_ceil(2), half.shape()[0]);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`open_array`](super::open_array).
    ///
    /// # Panics
    /// As [`open_array`](super::open_array).
    pub fn open_array(self: &Arc<Self>, path: &str) -> Result<Array<Self>, OpenError>
    where
        S: ReadableStorageTraits + ListableStorageTraits + 'static,
    {
        sync::open(self, path)
    }

    /// The asynchronous twin of [`open_array`](Self::open_array).
    ///
    /// # Errors
    /// As [`open_array`](super::open_array).
    #[cfg(feature = "async")]
    pub async fn async_open_array(self: &Arc<Self>, path: &str) -> Result<Array<Self>, OpenError>
    where
        S: AsyncReadableStorageTraits + AsyncListableStorageTraits + 'static,
    {
        asynchronous::async_open(self, path).await
    }
}
