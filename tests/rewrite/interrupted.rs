//! A process is killed on the way, and another one goes on.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use zarrs_interop::n5::N5DataType;
use zarrs_interop::n5::rewrite::RewriteOptions;

use crate::support::{Folder, axes, mixed, positions};

/// The folder of the test, for the process that is killed.
const OF_CHILD: &str = "ZARRS_INTEROP_REWRITE_CHILD";

const EDGE: u64 = 48;

fn options() -> RewriteOptions {
    RewriteOptions::new()
        .with_chunk(vec![4; 3])
        .with_shard(vec![8; 3])
        .with_threads(2)
}

/// Not a test of its own: the process that is killed. It waits after each shard, so that it is
/// killed before it is through.
#[test]
fn child_that_is_killed() {
    let Some(folder) = std::env::var_os(OF_CHILD) else {
        return;
    };
    let folder = std::path::PathBuf::from(folder);
    let store = zarrs::filesystem::FilesystemStore::new(folder.join("in.n5")).unwrap();
    let rewrite = zarrs_interop::n5::rewrite::Rewrite::open(store, "raw", &options()).unwrap();
    let wait = |_| std::thread::sleep(Duration::from_millis(30));
    rewrite.run(&folder.join("out.zarr"), wait).unwrap();
}

#[test]
fn a_run_that_was_killed_is_taken_up() {
    let folder = Folder::new();
    let names = axes(&["x", "y", "z"]);
    folder.dataset(
        "raw",
        (&[EDGE; 3], &[16; 3]),
        N5DataType::UInt8,
        &names,
        |at| mixed(at) as u8,
    );
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "interrupted::child_that_is_killed"])
        .env(OF_CHILD, folder.source().parent().unwrap())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while folder.shards("s0").len() < 10 {
        assert!(
            start.elapsed() < Duration::from_mins(1),
            "it writes no shards"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // What a killed process may leave, at any moment of its work.
    let leftover = folder.out().join("s0/c/5/5/.3.0123456789abcdef.partial");
    std::fs::create_dir_all(leftover.parent().unwrap()).unwrap();
    std::fs::write(&leftover, b"half a shard").unwrap();
    let documents = [
        ".zarr.json.0123456789abcdef.partial",
        ".zarr.json.00000000000000ff.partial",
        "s0/.zarr.json.0123456789abcdef.partial",
    ];
    let records = ["s0/.rewrite/0/.part-0-of-1.json.0123456789abcdef.partial"];
    for document in documents.iter().chain(&records) {
        std::fs::write(folder.out().join(document), b"{").unwrap();
    }
    // They are of somebody else.
    let others = [
        ".zarr.json.mine.partial",
        "s0/.rewrite/0/.part-1-of-2.json.0123456789abcdef.partial",
    ];
    for other in others {
        std::fs::write(folder.out().join(other), b"{").unwrap();
    }

    let is_shard = |name: &&String| !name.contains(".partial");
    let before = folder.shards("s0");
    let whole = before.keys().filter(is_shard).count() as u64;
    let partial = before.len() as u64 - whole;
    let shards = (EDGE / 8).pow(3);
    assert!(whole < shards, "it was through before it was killed");

    let report = folder.run("raw", &options());
    assert_eq!((report.whole, report.written), (whole, shards - whole));
    assert_eq!(report.leftovers, partial + documents.len() as u64);
    for document in documents.iter().chain(&records) {
        assert!(!folder.out().join(document).exists(), "{document}");
    }
    for other in others {
        assert!(folder.out().join(other).exists(), "{other}");
    }
    let after = folder.shards("s0");
    assert_eq!(after.len() as u64, shards, "{:?}", after.keys());
    for (name, shard) in before.iter().filter(|(name, _)| is_shard(name)) {
        assert_eq!(&after[name], shard, "{name}");
    }
    let expected: Vec<u8> = positions(&[EDGE; 3])
        .map(|at| mixed(&[at[2], at[1], at[0]]) as u8)
        .collect();
    assert!(folder.elements::<u8>("s0") == expected);
    assert!(
        folder
            .open("raw", &options())
            .unwrap()
            .verify(&folder.out(), |_| ())
            .unwrap()
            .is_equal()
    );
}

#[test]
fn a_shard_that_was_removed_is_written_again() {
    let folder = Folder::new();
    let names = axes(&["x", "y", "z"]);
    folder.dataset(
        "raw",
        (&[16; 3], &[16; 3]),
        N5DataType::UInt8,
        &names,
        |at| mixed(at) as u8,
    );
    folder.run("raw", &options());
    let before = folder.shards("s0");
    std::fs::remove_file(folder.out().join("s0/c/1/0/1")).unwrap();
    let report = folder.run("raw", &options());
    assert_eq!((report.whole, report.written), (7, 1));
    assert_eq!(folder.shards("s0"), before);
}
