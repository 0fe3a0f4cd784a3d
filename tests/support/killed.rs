//! A child process that dies in the middle of its work, as by a crash. The machine goes on, so
//! what the system was given to write is there.
#![allow(
    dead_code,
    reason = "shared by several test programs, and none needs all of it"
)]

use std::io::{Read, Seek};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const SIGKILL: i32 = 9;
const SIGXFSZ: i32 = 25;

const FOLDER: &str = "ZARRS_INTEROP_TEST_KILLED_FOLDER";

/// No file of the child is larger: 64 of what `ulimit` counts in, which is 512 or 1024 bytes.
pub(crate) const LARGEST_LIMIT: usize = 64 << 10;

/// The folder that this process is to work in, if it is the child.
pub(crate) fn in_child() -> Option<PathBuf> {
    std::env::var_os(FOLDER).map(PathBuf::from)
}

fn arguments(test: &str) -> [String; 3] {
    ["--exact".into(), test.into(), "--test-threads=1".into()]
}

/// Runs `test` as a child that the system ends, by SIGXFSZ, in the write that would make a file
/// larger than the limit: always in the middle of it.
pub(crate) fn run_until_a_file_is_cut(test: &str, folder: &Path) {
    let output = Command::new("sh")
        .args(["-c", "ulimit -c 0 && ulimit -f 64 && exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(arguments(test))
        .env(FOLDER, folder)
        .output()
        .unwrap();
    assert_eq!(
        output.status.signal(),
        Some(SIGXFSZ),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Runs `test` as a child that never ends by itself, and kills it `after` it has made the file
/// `begun`.
pub(crate) fn run_and_kill(test: &str, folder: &Path, begun: &Path, after: Duration) {
    let mut errors = tempfile::tempfile().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(arguments(test))
        .env(FOLDER, folder)
        .stdout(errors.try_clone().unwrap())
        .stderr(errors.try_clone().unwrap())
        .spawn()
        .unwrap();
    let started = Instant::now();
    let is_late = || started.elapsed() > Duration::from_mins(1);
    while !begun.exists() && !is_late() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(after);
    // It may have ended by itself.
    let _ = child.kill();
    let status = child.wait().unwrap();
    let mut said = String::new();
    errors.rewind().unwrap();
    errors.read_to_string(&mut said).unwrap();
    assert!(begun.exists(), "the child did not begin: {said}");
    assert_eq!(status.signal(), Some(SIGKILL), "{status}: {said}");
}
