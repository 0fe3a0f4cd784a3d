//! Files and folders of the output, looked at and removed, with errors that say what was tried.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use super::error::RewriteError;
use crate::n5::special_file::special_file;

/// An error of the system, with what was tried.
pub(super) fn file_error<'p>(
    action: &'static str,
    path: &'p Path,
) -> impl FnOnce(io::Error) -> RewriteError + use<'p> {
    move |source| RewriteError::File {
        action,
        path: path.to_owned(),
        source,
    }
}

/// Removes a file, such as a shard that has become all fill value, if it is there.
pub(super) fn remove_file(path: &Path) -> Result<(), RewriteError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(file_error("remove", path)(error)),
        _ => Ok(()),
    }
}

/// A document, if it is there. A pipe is not opened, as whoever does so may wait for ever.
pub(super) fn read_document(path: &Path) -> Result<Option<Vec<u8>>, RewriteError> {
    if let Some(what) = special_file(path) {
        let error = io::Error::other(format!("it is {what}: expected a file"));
        return Err(file_error("read", path)(error));
    }
    match fs::read(path) {
        Ok(document) => Ok(Some(document)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(file_error("read", path)(error)),
    }
}

/// Whether two paths lead to the same folder.
pub(super) fn is_same_folder(one: &str, other: &str) -> bool {
    match (fs::canonicalize(one), fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// The names in a folder, none if it is not there. Names that are not UTF-8 are shown as far as
/// they are.
pub(super) fn names(folder: &Path) -> Result<Vec<String>, RewriteError> {
    let listed = match fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(file_error("list", folder)(error)),
    };
    let mut names = Vec::new();
    for entry in listed {
        let entry = entry.map_err(file_error("list", folder))?;
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    names.sort_unstable();
    Ok(names)
}
