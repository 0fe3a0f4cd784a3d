//! How a document is replaced as a whole.

use zarrs_storage::{
    AtomicRenameStorageTraits, Bytes, StorageError, StoreKey, WritableStorageTraits,
};

/// A store that can replace a metadata document as a whole: a crash leaves the old one or the new one.
///
/// zarrs's `FilesystemStore` (feature `filesystem`; written aside and renamed) and `MemoryStore` are such stores, and
/// so is an `Arc` around one. Others say in which way they are:
/// * [`SetDocuments`] for a store whose `set` is all or nothing, as with most object stores;
/// * [`RenameDocuments`] for a store that can rename.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how it replaces a document as a whole",
    note = "wrap it in `SetDocuments` if its `set` is all or nothing, or in `RenameDocuments` if it can rename"
)]
pub trait ReplaceDocuments {
    /// The store that is read and listed.
    type Store: ?Sized;

    /// The store that is read and listed.
    fn store(&self) -> &Self::Store;

    /// Makes `document` the value of `key`.
    ///
    /// # Errors
    /// Returns the error of the store. The old value, if there was one, is then still whole.
    fn replace_document(&self, key: &StoreKey, document: Bytes) -> Result<(), StorageError>;
}

/// A store whose `set` is all or nothing: one `set` per document.
///
/// In-place conversion looks at the documents themselves, so do not wrap an [`N5DefaultStore`](crate::n5::N5DefaultStore),
/// which shows others.
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

/// A store that can rename: each document is written aside, under its key with `.tmp` appended, and then renamed.
///
/// A `.tmp` left by a crash is written over by the next run. (zarrs's `AtomicWriteStorageAdapter` refuses to, which is
/// why it is not used here.)
#[derive(Clone, Debug)]
pub struct RenameDocuments<S>(pub S);

impl<S: WritableStorageTraits + AtomicRenameStorageTraits> ReplaceDocuments for RenameDocuments<S> {
    type Store = S;

    fn store(&self) -> &S {
        &self.0
    }

    fn replace_document(&self, key: &StoreKey, document: Bytes) -> Result<(), StorageError> {
        write_aside_and_rename(&self.0, key, document)
    }
}

fn write_aside_and_rename<S: WritableStorageTraits + AtomicRenameStorageTraits>(
    store: &S,
    key: &StoreKey,
    document: Bytes,
) -> Result<(), StorageError> {
    let aside = StoreKey::new(format!("{key}.tmp"))?;
    let written = store
        .set(&aside, document)
        .and_then(|()| store.rename(&aside, key));
    if written.is_err() {
        // Best effort: what is reported is why the document could not be written, and the next run copes with it.
        let _ = store.erase(&aside);
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
        write_aside_and_rename(self, key, document)
    }
}

impl ReplaceDocuments for zarrs_storage::store::MemoryStore {
    type Store = Self;

    fn store(&self) -> &Self {
        self
    }

    fn replace_document(&self, key: &StoreKey, document: Bytes) -> Result<(), StorageError> {
        self.set(key, document)
    }
}

impl<D: ReplaceDocuments + ?Sized> ReplaceDocuments for std::sync::Arc<D> {
    type Store = D::Store;

    fn store(&self) -> &D::Store {
        (**self).store()
    }

    fn replace_document(&self, key: &StoreKey, document: Bytes) -> Result<(), StorageError> {
        (**self).replace_document(key, document)
    }
}
