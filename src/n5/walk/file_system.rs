//! The folders of a [`FilesystemStore`], listed through [`std::fs`].

use std::any::Any;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zarrs::filesystem::FilesystemStore;
use zarrs_storage::{StoreKey, StorePrefix};

use super::folder::Folder;
use super::left_out::{LeftOut, LeftOutReason, is_system_name};
use crate::n5::node::node_path;

/// The `FilesystemStore` that `store` is, itself or in an `Arc`.
///
/// A store of zarrs has no other way to tell. Every other store, one around a `FilesystemStore`
/// included, is listed by its own methods.
pub(crate) fn of(store: &dyn Any) -> Option<&FilesystemStore> {
    let shared = || store.downcast_ref::<Arc<FilesystemStore>>();
    let store = store.downcast_ref::<FilesystemStore>();
    store.or_else(|| shared().map(Arc::as_ref))
}

/// What is in the folder of `prefix`; nothing if there is no such folder.
///
/// `real` is where the folder really is, if that is known.
pub(super) fn list(
    store: &FilesystemStore,
    prefix: &StorePrefix,
    real: Option<&PathBuf>,
) -> io::Result<Folder> {
    let path = store.prefix_to_fs_path(prefix);
    let mut folder = Folder::new();
    let entries = match std::fs::read_dir(&path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(folder),
        Err(error) => return Err(naming(&path, &error)),
    };
    let real = match real {
        Some(real) => real.clone(),
        None => std::fs::canonicalize(&path).map_err(|error| naming(&path, &error))?,
    };
    for entry in entries {
        let entry = entry.map_err(|error| naming(&path, &error))?;
        let kind = entry
            .file_type()
            .map_err(|error| naming(&entry.path(), &error))?;
        // A link that leads nowhere, or round in a circle, is a file that cannot be read.
        let linked = kind
            .is_symlink()
            .then(|| std::fs::canonicalize(entry.path()));
        let is_dead = matches!(linked, Some(Err(_)));
        let target = linked.and_then(Result::ok).filter(|target| target.is_dir());
        if !kind.is_dir() && target.is_none() {
            let name = entry.file_name();
            let is_known = folder.add_file(&name.to_string_lossy());
            // Whoever reads a dead document or block says so. Anything else may have been a node,
            // but for hidden names: editors lock files by links to nowhere.
            if is_dead && !is_known && !is_system_name(&name.to_string_lossy()) {
                add_unnameable(&mut folder, prefix, &name, LeftOutReason::DeadLink);
            }
            continue;
        }
        let name = entry.file_name();
        match name.to_str().map(|name| child_prefix(prefix, name)) {
            Some(Some(child)) => {
                let is_link = target.is_some();
                let child_real = target.unwrap_or_else(|| real.join(&name));
                folder.add_folder(child, Some(child_real), is_link);
            }
            Some(None) => add_unnameable(&mut folder, prefix, &name, LeftOutReason::InvalidName),
            None => add_unnameable(&mut folder, prefix, &name, LeftOutReason::NotUnicode),
        }
    }
    folder.real = Some(real);
    Ok(folder)
}

/// Notes a folder in the folder `parent` that no key can name.
fn add_unnameable(folder: &mut Folder, parent: &StorePrefix, name: &OsStr, reason: LeftOutReason) {
    let above = node_path(parent);
    folder.is_empty = false;
    folder.unnameable.push(LeftOut {
        node_path: format!("{}/{}", above.trim_end_matches('/'), name.display()),
        reason,
    });
}

/// The prefix of the folder `name` below `prefix`, if a key can begin with it.
fn child_prefix(prefix: &StorePrefix, name: &str) -> Option<StorePrefix> {
    let child = StorePrefix::new(format!("{prefix}{name}/")).ok()?;
    StoreKey::new(format!("{child}x")).is_ok().then_some(child)
}

/// `error` with the path that it is about.
fn naming(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
