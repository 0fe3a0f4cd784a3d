//! What is there where something was expected.

#![allow(dead_code, reason = "every example uses a part of it")]

use std::path::{Path, PathBuf};

/// The most names of a folder that are shown.
const MOST_NAMES: usize = 5;

/// What the folder holds in which the file of `key` was expected, as `FOLDER has NAMES`.
pub(crate) fn instead_of(root: &Path, key: &str) -> std::io::Result<String> {
    let folder = deepest_folder(root, key);
    Ok(format!(
        "{} has {}",
        folder.display(),
        first_names(&folder)?
    ))
}

/// What is at `path`, if it is neither a file nor a folder: who opens a pipe waits, perhaps for
/// ever.
pub(crate) fn special(path: &Path) -> Option<&'static str> {
    let file_type = std::fs::metadata(path).ok()?.file_type();
    if file_type.is_file() || file_type.is_dir() {
        return None;
    }
    #[cfg(unix)]
    if std::os::unix::fs::FileTypeExt::is_fifo(&file_type) {
        return Some("a pipe");
    }
    Some("a socket, a device or the like")
}

/// An error if the file of `key` in the folder `root` is that.
pub(crate) fn no_special(root: &Path, key: &str) -> Result<(), String> {
    let path = root.join(key);
    match special(&path) {
        None => Ok(()),
        Some(what) => Err(format!("{} is {what}: expected a file", path.display())),
    }
}

/// Returns the deepest folder that exists on the way from `root` to the file `key`.
fn deepest_folder(root: &Path, key: &str) -> PathBuf {
    let file = root.join(key);
    file.ancestors()
        .skip(1)
        .take_while(|folder| folder.starts_with(root))
        .find(|folder| folder.is_dir())
        .unwrap_or(root)
        .to_owned()
}

/// Returns the first names in a folder, in alphabetical order.
pub(crate) fn first_names(folder: &Path) -> std::io::Result<String> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort_unstable();
    let more = names.len().saturating_sub(MOST_NAMES);
    names.truncate(MOST_NAMES);
    let names = names.join(", ");
    Ok(match more {
        0 if names.is_empty() => "nothing".to_owned(),
        0 => names,
        _ => format!("{names} and {more} more"),
    })
}
