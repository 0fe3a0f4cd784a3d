//! Two processes with other settings at a new output at the same time.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use zarrs::filesystem::FilesystemStore;
use zarrs_interop::n5::N5DataType;
use zarrs_interop::n5::rewrite::{Part, Rewrite, RewriteError, RewriteOptions};

use crate::support::{Folder, axes, mixed, positions};

/// The folder of the test, the length of chunks, and when to begin, for a process of it.
const OF_CHILD: [&str; 3] = [
    "ZARRS_INTEROP_CLAIM_FOLDER",
    "ZARRS_INTEROP_CLAIM_CHUNK",
    "ZARRS_INTEROP_CLAIM_START",
];

/// How often both begin.
const TRIES: usize = 6;

const EDGE: u64 = 32;

/// What a process ends with that was refused because of the chunks of the other.
const REFUSED: i32 = 77;

fn options(chunk: u64) -> RewriteOptions {
    RewriteOptions::new()
        .with_chunk(vec![chunk; 3])
        .with_shard(vec![8; 3])
        .with_threads(1)
}

/// Not a test of its own: one of two processes.
#[test]
fn child_that_claims() {
    let [Some(folder), Some(chunk), Some(start)] = OF_CHILD.map(|name| std::env::var(name).ok())
    else {
        return;
    };
    let folder = PathBuf::from(folder);
    let options = options(chunk.parse().unwrap());
    // The second one has another part too, which does not write metadata.
    let part = Part::new(u64::from(chunk == "2"), 2).unwrap();
    let store = FilesystemStore::new(folder.join("in.n5")).unwrap();
    let rewrite = Rewrite::open(store, "raw", &options.with_part(part)).unwrap();
    let start = UNIX_EPOCH + Duration::from_millis(start.parse().unwrap());
    if let Ok(wait) = start.duration_since(SystemTime::now()) {
        std::thread::sleep(wait);
    }
    match rewrite.run(&folder.join("out.zarr"), |_| ()) {
        Ok(_) => {}
        Err(RewriteError::OtherSettings { name, .. }) if name == "chunk" => {
            std::process::exit(REFUSED)
        }
        Err(error) => panic!("{error}"),
    }
}

fn child(folder: &Folder, chunk: u64, start: SystemTime) -> Child {
    let start = start.duration_since(UNIX_EPOCH).unwrap().as_millis();
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "claim::child_that_claims"])
        .env(OF_CHILD[0], folder.source().parent().unwrap())
        .env(OF_CHILD[1], chunk.to_string())
        .env(OF_CHILD[2], start.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn of_two_processes_with_other_settings_one_is_refused() {
    let folder = Folder::new();
    let names = axes(&["x", "y", "z"]);
    let shapes = (&[EDGE; 3][..], &[16; 3][..]);
    folder.dataset("raw", shapes, N5DataType::UInt8, &names, |at| {
        mixed(at) as u8
    });
    let expected: Vec<u8> = positions(&[EDGE; 3])
        .map(|at| mixed(&[at[2], at[1], at[0]]) as u8)
        .collect();
    for _ in 0..TRIES {
        let start = SystemTime::now() + Duration::from_millis(300);
        let children = [4, 2].map(|chunk| (chunk, child(&folder, chunk, start)));
        let ends = children.map(|(chunk, mut child)| (chunk, child.wait().unwrap().code()));
        let of = |code| ends.iter().filter(move |(_, end)| *end == Some(code));
        assert_eq!((of(0).count(), of(REFUSED).count()), (1, 1), "{ends:?}");
        // The one goes on, and finds no shard of the other.
        let (chunk, _) = of(0).next().unwrap();
        let report = folder.run("raw", &options(*chunk));
        assert_eq!((report.whole, report.written), (32, 32));
        assert!(folder.elements::<u8>("s0") == expected);
        std::fs::remove_dir_all(folder.out()).unwrap();
    }
}
