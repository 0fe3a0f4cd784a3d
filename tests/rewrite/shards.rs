//! Which files there are.

use zarrs_interop::n5::N5DataType;
use zarrs_interop::n5::rewrite::{RewriteError, RewriteOptions};

use crate::support::{Folder, axes, mixed, positions};

fn cube(folder: &Folder, edge: u64, element: impl Fn(&[u64]) -> u8) {
    let names = axes(&["x", "y", "z"]);
    folder.dataset(
        "raw",
        (&[edge; 3], &[4; 3]),
        N5DataType::UInt8,
        &names,
        element,
    );
}

#[test]
fn shards_of_fill_value_have_no_file_and_are_known_afterwards() {
    let folder = Folder::new();
    // Only x < 8 and y < 8 has elements.
    cube(&folder, 16, |at| {
        if at[0] < 8 && at[1] < 8 {
            1 + at[2] as u8
        } else {
            0
        }
    });
    let options = RewriteOptions::new()
        .with_chunk(vec![4; 3])
        .with_shard(vec![8; 3]);
    let report = folder.run("raw", &options);
    assert_eq!((report.written, report.whole, report.empty), (2, 0, 6));
    let shards: Vec<_> = folder.shards("s0").into_keys().collect();
    assert_eq!(shards, ["0/0/0", "1/0/0"]);
    let report = folder.run("raw", &options);
    assert_eq!((report.written, report.whole, report.empty), (0, 8, 0));
    let found: Vec<u8> = folder.elements("s0");
    let expected: Vec<u8> = positions(&[16; 3])
        .map(|at| {
            if at[2] < 8 && at[1] < 8 {
                1 + at[0] as u8
            } else {
                0
            }
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn chunks_of_fill_value_take_no_place_in_a_shard() {
    let folder = Folder::new();
    cube(&folder, 16, |at| u8::from(at == [15, 15, 15]));
    let options = RewriteOptions::new()
        .with_chunk(vec![4; 3])
        .with_shard(vec![16; 3]);
    folder.run("raw", &options);
    let shards = folder.shards("s0");
    // 64 chunks of 16 bytes and a checksum are the index; one small chunk is before it.
    let size = shards["0/0/0"].len();
    assert!((64 * 16 + 4..64 * 16 + 4 + 64).contains(&size), "{size}");
    assert_eq!(
        folder
            .elements::<u8>("s0")
            .iter()
            .map(|e| u32::from(*e))
            .sum::<u32>(),
        1
    );
}

#[test]
fn blocks_that_are_missing_are_fill_value() {
    let folder = Folder::new();
    cube(&folder, 8, |_| 5);
    std::fs::remove_file(folder.source().join("raw/1/0/1")).unwrap();
    folder.run("raw", &RewriteOptions::new().with_chunk(vec![4; 3]));
    let expected: Vec<u8> = positions(&[8; 3])
        .map(|at| {
            if at[2] >= 4 && at[1] < 4 && at[0] >= 4 {
                0
            } else {
                5
            }
        })
        .collect();
    assert_eq!(folder.elements::<u8>("s0"), expected);
}

#[test]
fn shards_with_all_some_and_no_blocks_one_after_the_other() {
    let folder = Folder::new();
    let edge = 20;
    cube(&folder, edge, |at| 1 + mixed(at) as u8 % 200);
    // Of every fourth shard all blocks are there, of every fourth none, of the others some.
    let is_there = |x: u64, y: u64, z: u64| {
        let shard = x / 2 + y / 2 * 3 + z / 2 * 9;
        let place = x + 3 * y + 7 * z;
        shard.is_multiple_of(4) || shard % 4 != 1 && place.is_multiple_of(3)
    };
    let blocks = edge / 4;
    for position in positions(&[blocks; 3]) {
        let (x, y, z) = (position[0], position[1], position[2]);
        if !is_there(x, y, z) {
            std::fs::remove_file(folder.source().join(format!("raw/{x}/{y}/{z}"))).unwrap();
        }
    }
    // One thread has one buffer for all, which is smaller in shards at the edge.
    let options = RewriteOptions::new()
        .with_chunk(vec![4; 3])
        .with_shard(vec![8; 3])
        .with_threads(1);
    let report = folder.run("raw", &options);
    assert!(report.empty >= 6, "{report}");
    let expected: Vec<u8> = positions(&[edge; 3])
        .map(|at| {
            if is_there(at[2] / 4, at[1] / 4, at[0] / 4) {
                1 + mixed(&[at[2], at[1], at[0]]) as u8 % 200
            } else {
                0
            }
        })
        .collect();
    assert!(folder.elements::<u8>("s0") == expected);
}

#[test]
fn a_shard_may_be_larger_than_the_array() {
    let folder = Folder::new();
    cube(&folder, 5, |at| mixed(at) as u8);
    let options = RewriteOptions::new()
        .with_chunk(vec![4, 8, 4])
        .with_shard(vec![64; 3]);
    let report = folder.run("raw", &options);
    assert_eq!(report.written, 1);
    let expected: Vec<u8> = positions(&[5; 3])
        .map(|at| mixed(&[at[2], at[1], at[0]]) as u8)
        .collect();
    assert_eq!(folder.elements::<u8>("s0"), expected);
}

#[test]
fn a_chunk_that_does_not_divide_the_shard_is_refused_by_name() {
    let folder = Folder::new();
    cube(&folder, 5, |_| 1);
    let options = RewriteOptions::new()
        .with_chunk(vec![4, 3, 4])
        .with_shard(vec![8; 3]);
    let error = folder.try_run("raw", &options).unwrap_err();
    assert!(
        matches!(
            error,
            RewriteError::ChunkDoesNotDivide {
                dimension: 1,
                shard: 8,
                chunk: 3
            }
        ),
        "{error}"
    );
    assert!(!folder.out().exists());
}

#[test]
fn the_codecs_are_those_of_the_standard() {
    let folder = Folder::new();
    cube(&folder, 5, |_| 1);
    folder.run(
        "raw",
        &RewriteOptions::new()
            .with_chunk(vec![4; 3])
            .with_shard(vec![8; 3]),
    );
    let document = folder.document("s0/zarr.json");
    assert_eq!(document["chunk_grid"]["name"], "regular");
    let sharding = &document["codecs"][0];
    assert_eq!(sharding["name"], "sharding_indexed");
    let names = |codecs: &serde_json::Value| -> Vec<String> {
        let codecs = codecs.as_array().unwrap();
        codecs
            .iter()
            .map(|codec| codec["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        names(&sharding["configuration"]["codecs"]),
        ["bytes", "zstd"]
    );
    assert_eq!(
        names(&sharding["configuration"]["index_codecs"]),
        ["bytes", "crc32c"]
    );
    assert!(document.get("storage_transformers").is_none());
}

#[test]
fn progress_ends_with_all_shards() {
    let folder = Folder::new();
    cube(&folder, 16, |at| mixed(at) as u8);
    let options = RewriteOptions::new()
        .with_chunk(vec![4; 3])
        .with_shard(vec![8; 3]);
    let rewrite = folder.open("raw", &options).unwrap();
    let seen = std::sync::Mutex::new(Vec::new());
    rewrite
        .run(&folder.out(), |progress| {
            seen.lock().unwrap().push(progress);
        })
        .unwrap();
    let seen = seen.into_inner().unwrap();
    let done: Vec<_> = seen.iter().map(|progress| progress.shards_done).collect();
    assert_eq!(done, (1..=8).collect::<Vec<_>>());
    assert_eq!(
        (seen[7].shards, seen[7].size, seen[7].size_done),
        (8, 4096, 4096)
    );
}
