//! Files that are written aside and get their name when they are whole: shards and documents.

use std::collections::hash_map::RandomState;
use std::fs::{self, File};
use std::hash::BuildHasher;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::RewriteError;
use super::file::{file_error, names};

/// The end of the name of a file that is not whole yet.
pub(super) const PARTIAL: &str = ".partial";

/// How often a document is written at most that another process takes away.
const MOST_TRIES: usize = 8;

/// Chunks of some kB are written together.
const BUFFER_SIZE: usize = 256 << 10;

/// A number that nobody else uses in a name.
pub(super) fn unique() -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    // A hasher with keys from the system's source of random numbers makes names that no other
    // process uses; the count makes them differ within this one.
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    RandomState::new().hash_one((std::process::id(), count))
}

/// A file that gets its name when it is whole. It is removed if that does not happen.
pub(super) struct Aside {
    file: Option<BufWriter<File>>,
    written_to: PathBuf,
    path: PathBuf,
    size: u64,
}

impl Aside {
    /// Creates the file beside `path`, under a name that nobody else uses.
    pub(super) fn create(path: &Path) -> Result<Self, RewriteError> {
        let unique = unique();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let aside = path.with_file_name(format!(".{name}.{unique:016x}{PARTIAL}"));
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(file_error("create the folder", folder))?;
        }
        let file = File::options()
            .write(true)
            .create_new(true)
            .open(&aside)
            .map_err(file_error("create", &aside))?;
        Ok(Self {
            file: Some(BufWriter::with_capacity(BUFFER_SIZE, file)),
            written_to: aside,
            path: path.to_owned(),
            size: 0,
        })
    }

    /// The number of bytes that were written.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), RewriteError> {
        if let Some(file) = &mut self.file {
            file.write_all(bytes)
                .map_err(file_error("write", &self.written_to))?;
            self.size = self.size.saturating_add(bytes.len() as u64);
        }
        Ok(())
    }

    /// Gives the file its name, once it is on the disk: a name without content after a power
    /// failure would pass for a whole shard.
    pub(super) fn finish(mut self) -> Result<u64, RewriteError> {
        if let Some(file) = self.file.take() {
            let written = file
                .into_inner()
                .map_err(io::IntoInnerError::into_error)
                .and_then(|file| file.sync_data());
            let renamed = written.and_then(|()| fs::rename(&self.written_to, &self.path));
            if let Err(error) = renamed {
                remove(&self.written_to);
                return Err(file_error("write", &self.path)(error));
            }
        }
        Ok(self.size)
    }
}

impl Aside {
    /// Gives the file its name, unless there is one with it. Returns whether it did.
    fn finish_new(mut self) -> Result<bool, RewriteError> {
        let Some(file) = self.file.take() else {
            return Ok(false);
        };
        let written = file
            .into_inner()
            .map_err(io::IntoInnerError::into_error)
            .and_then(|file| file.sync_data());
        let is_new = written.and_then(|()| match fs::hard_link(&self.written_to, &self.path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            // There are file systems without hard links.
            Err(_) => copy_new(&self.written_to, &self.path),
        });
        remove(&self.written_to);
        is_new.map_err(file_error("create", &self.path))
    }
}

/// Copies a file, unless there is one with the name. Returns whether it did.
fn copy_new(from: &Path, to: &Path) -> io::Result<bool> {
    let bytes = fs::read(from)?;
    let mut file = match File::options().write(true).create_new(true).open(to) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(false),
        Err(error) => return Err(error),
    };
    let written = file.write_all(&bytes).and_then(|()| file.sync_data());
    if written.is_err() {
        // Half a document would be in the way of every later run.
        remove(to);
    }
    written.map(|()| true)
}

impl Drop for Aside {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            remove(&self.written_to);
        }
    }
}

/// Removes a file aside, and returns whether it did. What is left is removed by a later run.
fn remove(aside: &Path) -> bool {
    match fs::remove_file(aside) {
        Ok(()) => true,
        Err(error) => {
            if error.kind() != ErrorKind::NotFound {
                log::warn!("cannot remove {}: {error}", aside.display());
            }
            false
        }
    }
}

/// Replaces a document as a whole.
pub(super) fn write_document(path: &Path, document: &[u8]) -> Result<(), RewriteError> {
    retried(|| {
        let mut aside = Aside::create(path)?;
        aside.write(document)?;
        aside.finish()?;
        Ok(())
    })
}

/// Tries again where a file is not there that was written just now: another process took it for
/// what a killed one has left.
fn retried<T>(write: impl Fn() -> Result<T, RewriteError>) -> Result<T, RewriteError> {
    for _ in 1..MOST_TRIES {
        match write() {
            Err(RewriteError::File { source, .. }) if source.kind() == ErrorKind::NotFound => {}
            written => return written,
        }
    }
    write()
}

/// Writes a document unless there is one with its name, of whichever process. Returns whether it
/// did. It is seen as a whole or not at all, where the file system has hard links.
pub(super) fn create_document(path: &Path, document: &[u8]) -> Result<bool, RewriteError> {
    retried(|| {
        let mut aside = Aside::create(path)?;
        aside.write(document)?;
        aside.finish_new()
    })
}

/// Removes what killed runs left aside of a document that is there. Returns how many files that
/// were.
///
/// What a process at work has aside it can do without, or writes once more.
pub(super) fn remove_asides(folder: &Path, name: &str) -> Result<u64, RewriteError> {
    let asides = names(folder)?.into_iter();
    let asides = asides.filter(|aside| is_aside_of(aside, name));
    Ok(asides
        .filter(|aside| remove(&folder.join(aside)))
        .map(|_| 1)
        .sum())
}

/// Whether a name is that of a file aside of the file `name`.
pub(super) fn is_aside_of(aside: &str, name: &str) -> bool {
    let middle = aside
        .strip_prefix('.')
        .and_then(|aside| aside.strip_prefix(name))
        .and_then(|aside| aside.strip_suffix(PARTIAL));
    middle.is_some_and(|unique| {
        let digits = unique.strip_prefix('.').unwrap_or_default();
        digits.len() == 16 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_has_its_name_only_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c/1/0");
        let mut aside = Aside::create(&path).unwrap();
        aside.write(b"shard").unwrap();
        assert!(!path.is_file());
        assert_eq!(aside.finish().unwrap(), 5);
        assert!(path.is_file());
        assert_eq!(fs::read(&path).unwrap(), b"shard");
        assert_eq!(names(path.parent().unwrap()).unwrap(), ["0"]);
    }

    #[test]
    fn nothing_is_left_of_a_shard_that_failed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c/1/0");
        drop(Aside::create(&path).unwrap());
        assert_eq!(names(path.parent().unwrap()).unwrap(), [""; 0]);
    }

    #[test]
    fn a_document_is_created_once_with_and_without_hard_links() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("zarr.json");
        assert!(create_document(&path, b"first").unwrap());
        assert!(!create_document(&path, b"second").unwrap());
        let other = folder.path().join("other");
        fs::write(&other, b"third").unwrap();
        assert!(!copy_new(&other, &path).unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"first");
        let new = folder.path().join("new");
        assert!(copy_new(&other, &new).unwrap());
        assert_eq!(fs::read(&new).unwrap(), b"third");
        assert_eq!(names(folder.path()).unwrap(), ["new", "other", "zarr.json"]);
    }

    #[test]
    fn a_document_whose_file_aside_is_taken_away_is_written_once_more() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("zarr.json");
        for is_new in [true, false] {
            let tries = std::cell::Cell::new(0);
            let written = retried(|| {
                let mut aside = Aside::create(&path)?;
                aside.write(b"document")?;
                if tries.replace(tries.get() + 1) < 3 {
                    assert_eq!(remove_asides(folder.path(), "zarr.json")?, 1);
                }
                if is_new {
                    aside.finish_new()
                } else {
                    aside.finish().map(|_| true)
                }
            });
            assert!(written.unwrap());
            assert_eq!(tries.get(), 4);
            assert_eq!(fs::read(&path).unwrap(), b"document");
            assert_eq!(names(folder.path()).unwrap(), ["zarr.json"]);
        }
    }

    #[test]
    fn a_file_aside_is_known_by_its_name() {
        assert!(is_aside_of(
            ".zarr.json.0123456789abcdef.partial",
            "zarr.json"
        ));
        for other in [
            "zarr.json",
            ".zarr.json.partial",
            ".zarr.json.0123456789abcdef.partial.txt",
            ".zarr.json.mine.partial",
            ".zarr.json.bak.0123456789abcdef.partial",
        ] {
            assert!(!is_aside_of(other, "zarr.json"), "{other}");
        }
    }
}
