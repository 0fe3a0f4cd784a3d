//! Shards with blocks that were filled, when a process is killed and when two are at work at once.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use zarrs::filesystem::FilesystemStore;
use zarrs_interop::n5::N5DataType;
use zarrs_interop::n5::rewrite::{Downsample, Levels, Rewrite, RewriteOptions};

use crate::support::{Folder, axes, positions};

/// The folder of the test, for the processes that it starts.
const OF_CHILD: &str = "ZARRS_INTEROP_REWRITE_FILLED";

const EDGE: u64 = 48;

/// How often each of two processes runs. Without a second try, one in some ten ended with an error.
const RUNS: usize = 25;

/// A dataset that is 9 everywhere, one of whose blocks cannot be read.
fn folder() -> Folder {
    let folder = Folder::new();
    let names = axes(&["x", "y", "z"]);
    let shapes = (&[EDGE; 3][..], &[16; 3][..]);
    folder.dataset("raw", shapes, N5DataType::UInt8, &names, |_| 9_u8);
    std::fs::write(folder.source().join("raw/1/0/0"), b"nothing").unwrap();
    folder
}

fn repair(folder: &Folder) {
    let raw = folder.source().join("raw");
    std::fs::copy(raw.join("0/0/0"), raw.join("1/0/0")).unwrap();
}

/// Shards across blocks, so that those with the corrupt one have other elements too.
fn options() -> RewriteOptions {
    RewriteOptions::new()
        .with_chunk(vec![4; 3])
        .with_shard(vec![12; 3])
        .with_threads(2)
}

fn made() -> RewriteOptions {
    options().with_levels(Levels::Made(Downsample::Mean))
}

fn filling(options: RewriteOptions) -> RewriteOptions {
    options.with_fill_corrupt(true)
}

/// In a child: the folder to work in.
fn of_child() -> Option<PathBuf> {
    std::env::var_os(OF_CHILD).map(PathBuf::from)
}

fn child(test: &str, folder: &Folder) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("filled::{test}")])
        .env(OF_CHILD, folder.source().parent().unwrap())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn run_slowly(folder: &Path, options: &RewriteOptions) {
    let store = FilesystemStore::new(folder.join("in.n5")).unwrap();
    let rewrite = Rewrite::open(store, "raw", &filling(options.clone())).unwrap();
    let wait = |_| std::thread::sleep(Duration::from_millis(20));
    rewrite.run(&folder.join("out.zarr"), wait).unwrap();
}

/// Not tests of their own: processes that are killed before they are through.
#[test]
fn child_that_fills() {
    if let Some(folder) = of_child() {
        run_slowly(&folder, &options());
    }
}

#[test]
fn child_that_fills_and_makes() {
    if let Some(folder) = of_child() {
        run_slowly(&folder, &made());
    }
}

/// Runs the child, and kills it when the level has this many shards.
fn kill(test: &str, folder: &Folder, (level, shards): (&str, usize)) {
    let mut child = child(test, folder);
    let start = Instant::now();
    while folder.shards(level).len() < shards {
        let is_late = start.elapsed() > Duration::from_mins(1);
        let ended = child.try_wait().unwrap();
        assert!(!is_late && ended.is_none(), "too few shards, {ended:?}");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

fn killed() -> Folder {
    let folder = folder();
    // The corrupt block is in shards up to number 22: without a note nothing asks for it again.
    kill("child_that_fills", &folder, ("s0", 28));
    let is_there = |name: &str| folder.out().join(format!("s0/c/{name}")).exists();
    for name in ["0/0/1", "0/1/2", "1/1/2"] {
        assert!(
            is_there(name),
            "a shard with filled elements is not written"
        );
    }
    assert!(!is_there("3/3/3"), "it was through before it was killed");
    folder
}

#[test]
fn what_a_killed_run_has_filled_is_named_by_the_next() {
    let folder = killed();
    let error = folder.try_run("raw", &options()).unwrap_err().to_string();
    assert!(error.contains("raw/1/0/0"), "{error}");
    let report = folder.run("raw", &filling(options()));
    assert_eq!(report.corrupt_count, 1);
    assert_eq!(report.corrupt[0].key.as_str(), "raw/1/0/0");
    let expected: Vec<u8> = positions(&[EDGE; 3])
        .map(|at| {
            let is_corrupt = at[0] < 16 && at[1] < 16 && (16..32).contains(&at[2]);
            if is_corrupt { 0 } else { 9 }
        })
        .collect();
    assert!(folder.elements::<u8>("s0") == expected);
    // And by the one after.
    let report = folder.run("raw", &filling(options()));
    assert_eq!(report.corrupt_count, 1);
    assert!(report.whole > 0, "{report}");
}

#[test]
fn what_a_killed_run_has_filled_is_written_again_when_the_source_is_repaired() {
    let folder = killed();
    repair(&folder);
    let report = folder.run("raw", &options());
    assert_eq!(report.corrupt_count, 0);
    assert!(report.whole > 0, "{report}");
    assert!(folder.elements::<u8>("s0") == vec![9; 48 * 48 * 48]);
    // What is right is not written for ever.
    let report = folder.run("raw", &options());
    assert_eq!((report.whole, report.written), (64, 0));
}

#[test]
fn what_was_made_of_it_before_the_run_was_killed_is_made_again() {
    let folder = folder();
    kill("child_that_fills_and_makes", &folder, ("s1", 4));
    repair(&folder);
    folder.run("raw", &made());
    for (level, len) in [("s0", 48), ("s1", 24), ("s2", 12)] {
        let elements = folder.elements::<u8>(level);
        assert!(elements == vec![9; len * len * len], "{level}");
    }
    let report = folder.run("raw", &made());
    assert_eq!(report.written, 0, "{report}");
}

/// Not a test of its own: one of two processes at the same work.
#[test]
fn child_that_runs_often() {
    let Some(folder) = of_child() else { return };
    let out = folder.join("out.zarr");
    for _ in 0..RUNS {
        let store = FilesystemStore::new(folder.join("in.n5")).unwrap();
        let rewrite = Rewrite::open(store, "raw", &filling(options())).unwrap();
        let report = rewrite.run(&out, |_| ()).unwrap();
        assert_eq!(report.corrupt_count, 1);
    }
}

#[test]
fn two_processes_that_write_filled_shards_again_do_not_disturb_each_other() {
    let folder = folder();
    folder.run("raw", &filling(options()));
    let expected = folder.shards("s0");
    let children = [0; 2].map(|_| child("child_that_runs_often", &folder));
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(folder.shards("s0"), expected);
    repair(&folder);
    folder.run("raw", &options());
    assert!(folder.elements::<u8>("s0") == vec![9; 48 * 48 * 48]);
    let report = folder.run("raw", &options());
    assert_eq!((report.whole, report.written), (64, 0));
}
