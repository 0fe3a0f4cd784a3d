//! What stands in a file system in the place of a file, and is neither that nor a folder: whoever
//! opens a pipe waits until somebody writes to it, perhaps for ever.

use std::fs::FileType;

/// What is at `path`, if it is neither a file nor a folder. Links are followed. What cannot be
/// looked at is none: whoever opens it has the better error.
#[cfg(any(feature = "object_store", feature = "rewrite"))]
pub(crate) fn special_file(path: &std::path::Path) -> Option<&'static str> {
    kind(std::fs::metadata(path).ok()?.file_type())
}

/// What `file_type` is, if it is neither a file nor a folder.
pub(crate) fn kind(file_type: FileType) -> Option<&'static str> {
    if file_type.is_file() || file_type.is_dir() {
        return None;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;

        if file_type.is_fifo() {
            return Some("a pipe");
        }
        if file_type.is_socket() {
            return Some("a socket");
        }
        if file_type.is_block_device() || file_type.is_char_device() {
            return Some("a device");
        }
    }
    Some("something that is neither file nor folder")
}

#[cfg(all(test, unix, feature = "object_store"))]
mod tests {
    use super::*;

    #[test]
    fn pipes_sockets_and_devices_are_told_from_files_and_folders() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("folder")).unwrap();
        std::fs::write(at("file"), "").unwrap();
        let made = std::process::Command::new("mkfifo")
            .arg(at("pipe"))
            .status();
        assert!(made.unwrap().success());
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        std::os::unix::fs::symlink(at("pipe"), at("link")).unwrap();
        std::os::unix::fs::symlink("/dev/null", at("null")).unwrap();
        for (name, expected) in [
            ("folder", None),
            ("file", None),
            ("nothing", None),
            ("pipe", Some("a pipe")),
            ("link", Some("a pipe")),
            ("socket", Some("a socket")),
            ("null", Some("a device")),
        ] {
            assert_eq!(special_file(&at(name)), expected, "{name}");
        }
    }
}
