//! How a document is replaced as a whole.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use zarrs_storage::store::MemoryStore;
use zarrs_storage::{
    AtomicRenameStorageTraits, Bytes, MaybeSend, MaybeSync, StorageError, StoreKey,
    WritableStorageTraits,
};

/// A store that can replace a metadata document as a whole: a crash leaves the old one or the new
/// one.
///
/// zarrs's `FilesystemStore` (feature `filesystem`; written aside and renamed) and `MemoryStore`
/// are such stores, and so is an `Arc` around one. Others say in which way they are:
/// * [`SetDocuments`] for a store whose `set` is all or nothing, as with most object stores;
/// * [`RenameDocuments`] for a store that can rename.
///
/// The asynchronous twin is `AsyncReplaceDocuments`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how it replaces a document as a whole",
    note = "wrap it in `SetDocuments` if its `set` is all or nothing, or in `RenameDocuments` if it can rename"
)]
pub trait ReplaceDocuments: MaybeSync {
    /// The store that is read and listed.
    type Store;

    /// The store that is read and listed.
    fn store(&self) -> &Self::Store;

    /// Makes `document` the value of `key`.
    ///
    /// # Errors
    /// Returns the error of the store. The old value, if there was one, is then still whole.
    fn replace_document(&self, key: &StoreKey, document: Bytes) -> Result<(), StorageError>;
}

/// The asynchronous twin of [`ReplaceDocuments`].
///
/// zarrs's `AsyncMemoryStore` is such a store, and so is an `Arc` around one. [`SetDocuments`]
/// makes one of a store whose `set` is all or nothing. That is so for object stores, local folders
/// behind the `object_store` crate included.
#[cfg(feature = "async")]
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how it replaces a document as a whole",
    note = "wrap it in `SetDocuments` if its `set` is all or nothing"
)]
#[cfg_attr(target_arch = "wasm32", async_trait::async_trait(?Send))]
#[cfg_attr(not(target_arch = "wasm32"), async_trait::async_trait)]
pub trait AsyncReplaceDocuments: MaybeSend + MaybeSync {
    /// The store that is read and listed.
    type Store;

    /// The store that is read and listed.
    fn store(&self) -> &Self::Store;

    /// Makes `document` the value of `key`.
    ///
    /// # Errors
    /// Returns the error of the store. The old value, if there was one, is then still whole.
    async fn replace_document(&self, key: &StoreKey, document: Bytes) -> Result<(), StorageError>;
}

/// A store whose `set` is all or nothing: one `set` per document.
///
/// In-place conversion looks at the documents themselves, so do not wrap an
/// [`N5DefaultStore`](crate::n5::N5DefaultStore), which shows others.
#[derive(Clone, Debug)]
pub struct SetDocuments<S>(pub S);

impl<S: WritableStorageTraits> ReplaceDocuments for SetDocuments<S> {
    type Store = S;

    fn store(&self) -> &S {
        &self.0
    }

    fn replace_document(&self, key: &StoreKey, document: Bytes) -> Result<(), StorageError> {
        self.0.set(key, document)
    }
}

/// A store that can rename: each document is written aside, under a name of its own that ends with
/// `.tmp`, and then renamed.
///
/// No two conversions use the same name, so they may run at the same time. What a crash leaves
/// aside is not removed by the next run, which cannot know whether another one still needs it.
#[derive(Clone, Debug)]
pub struct RenameDocuments<S>(pub S);

impl<S: WritableStorageTraits + AtomicRenameStorageTraits> ReplaceDocuments for RenameDocuments<S> {
    type Store = S;

    fn store(&self) -> &S {
        &self.0
    }

    fn replace_document(&self, key: &StoreKey, document: Bytes) -> Result<(), StorageError> {
        let aside = key_aside(key)?;
        let written = self.0.set(&aside, document);
        rename_or_erase(&self.0, written, &aside, key)
    }
}

/// A key beside `key` that nobody else writes to.
fn key_aside(key: &StoreKey) -> Result<StoreKey, StorageError> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    // A hasher with keys from the system's source of random numbers makes names that no other
    // process uses; the count makes them differ within this one.
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let unique = RandomState::new().hash_one((std::process::id(), count));
    Ok(StoreKey::new(format!("{key}.{unique:016x}.tmp"))?)
}

/// Renames `aside`, once it is `written`, to `key`; after a failure, removes it.
fn rename_or_erase<S: WritableStorageTraits + AtomicRenameStorageTraits>(
    store: &S,
    written: Result<(), StorageError>,
    aside: &StoreKey,
    key: &StoreKey,
) -> Result<(), StorageError> {
    let written = written.and_then(|()| store.rename(aside, key));
    if written.is_err() {
        // Best effort: what is reported is why the document could not be written.
        let _ = store.erase(aside);
    }
    written
}

#[cfg(feature = "filesystem")]
impl ReplaceDocuments for zarrs::filesystem::FilesystemStore {
    type Store = Self;

    fn store(&self) -> &Self {
        self
    }

    fn replace_document(&self, key: &StoreKey, document: Bytes) -> Result<(), StorageError> {
        let aside = key_aside(key)?;
        let path = self.key_to_fspath(&aside);
        let written = match create_new(&path) {
            Ok(file) => write_all(file, &document),
            // Whatever has that name is not ours to remove.
            Err(error) => return Err(error.into()),
        };
        rename_or_erase(self, written.map_err(Into::into), &aside, key)
    }
}

/// Creates the file `path`. A file or a link that is there already is an error: nothing is
/// followed.
#[cfg(feature = "filesystem")]
fn create_new(path: &std::path::Path) -> std::io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true).open(path)
}

/// Writes `document` and waits until it is on the disk: a rename must not come before it.
#[cfg(feature = "filesystem")]
fn write_all(mut file: std::fs::File, document: &[u8]) -> std::io::Result<()> {
    std::io::Write::write_all(&mut file, document)?;
    file.sync_all()
}

impl ReplaceDocuments for MemoryStore {
    type Store = Self;

    fn store(&self) -> &Self {
        self
    }

    fn replace_document(&self, key: &StoreKey, document: Bytes) -> Result<(), StorageError> {
        self.set(key, document)
    }
}

impl<D: ReplaceDocuments + MaybeSend + ?Sized> ReplaceDocuments for Arc<D> {
    type Store = D::Store;

    fn store(&self) -> &D::Store {
        (**self).store()
    }

    fn replace_document(&self, key: &StoreKey, document: Bytes) -> Result<(), StorageError> {
        (**self).replace_document(key, document)
    }
}

#[cfg(feature = "async")]
mod asynchronous {
    use std::sync::Arc;

    use async_trait::async_trait;
    use zarrs_storage::store::AsyncMemoryStore;
    use zarrs_storage::{AsyncWritableStorageTraits, Bytes, StorageError, StoreKey};

    use super::{AsyncReplaceDocuments, SetDocuments};

    #[cfg_attr(target_arch = "wasm32", async_trait(?Send))]
    #[cfg_attr(not(target_arch = "wasm32"), async_trait)]
    impl<S: AsyncWritableStorageTraits> AsyncReplaceDocuments for SetDocuments<S> {
        type Store = S;

        fn store(&self) -> &S {
            &self.0
        }

        async fn replace_document(
            &self,
            key: &StoreKey,
            document: Bytes,
        ) -> Result<(), StorageError> {
            self.0.set(key, document).await
        }
    }

    #[cfg_attr(target_arch = "wasm32", async_trait(?Send))]
    #[cfg_attr(not(target_arch = "wasm32"), async_trait)]
    impl AsyncReplaceDocuments for AsyncMemoryStore {
        type Store = Self;

        fn store(&self) -> &Self {
            self
        }

        async fn replace_document(
            &self,
            key: &StoreKey,
            document: Bytes,
        ) -> Result<(), StorageError> {
            self.set(key, document).await
        }
    }

    #[cfg_attr(target_arch = "wasm32", async_trait(?Send))]
    #[cfg_attr(not(target_arch = "wasm32"), async_trait)]
    impl<D: AsyncReplaceDocuments + ?Sized> AsyncReplaceDocuments for Arc<D> {
        type Store = D::Store;

        fn store(&self) -> &D::Store {
            (**self).store()
        }

        async fn replace_document(
            &self,
            key: &StoreKey,
            document: Bytes,
        ) -> Result<(), StorageError> {
            (**self).replace_document(key, document).await
        }
    }
}
