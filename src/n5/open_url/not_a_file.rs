//! What is in the file system where a file should be.

use std::io;
use std::path::{Path, PathBuf};

use object_store::Error;

use super::causes::causes;
use crate::n5::special_file::special_file;

/// What is at `path` that the library must not open, as it would wait there for ever.
pub(super) async fn not_to_be_opened(path: PathBuf) -> Option<&'static str> {
    let looked = tokio::task::spawn_blocking(move || special_file(&path));
    looked.await.ok().flatten()
}

/// What is there instead of a file that the library did not find, or `None` if nothing is.
pub(super) fn not_a_file(error: &Error) -> Option<&'static str> {
    let Error::NotFound { path, .. } = error else {
        return None;
    };
    // Of a folder the library makes an error of its own, and not one of the system.
    let is_own = |error: &io::Error| error.raw_os_error().is_none();
    if causes(error).any(|cause| cause.downcast_ref().is_some_and(is_own)) {
        return Some("a folder");
    }
    is_below_a_dead_link(Path::new(path)).then_some("a link that leads nowhere")
}

/// Whether a path that is not there, or a folder above it, is a link whose end is not there.
fn is_below_a_dead_link(path: &Path) -> bool {
    let mut missing = path.ancestors().take_while(|path| !path.exists());
    missing.any(Path::is_symlink)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn dead_links_are_told_from_what_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("0")).unwrap();
        std::os::unix::fs::symlink("/nowhere/at/all", folder.path().join("1")).unwrap();
        std::os::unix::fs::symlink(folder.path().join("0"), folder.path().join("2")).unwrap();
        for (path, expected) in [
            ("0/0", false),
            ("0/0/0", false),
            ("1", true),
            ("1/0/0", true),
            ("2/0", false),
            ("3/0", false),
        ] {
            assert_eq!(
                is_below_a_dead_link(&folder.path().join(path)),
                expected,
                "{path}"
            );
        }
    }
}
