//! Blocks of the source that cannot be read.

use zarrs_interop::n5::N5DataType;
use zarrs_interop::n5::rewrite::{Downsample, Levels, Part, RewriteOptions};

use crate::support::{Folder, axes, positions};

fn folder() -> Folder {
    let folder = Folder::new();
    let names = axes(&["x", "y", "z"]);
    folder.dataset(
        "raw",
        (&[16; 3], &[8; 3]),
        N5DataType::UInt8,
        &names,
        |_| 9_u8,
    );
    let block = folder.source().join("raw/1/0/1");
    let mut bytes = std::fs::read(&block).unwrap();
    let at = bytes.len() - 6;
    bytes[at] ^= 0x10;
    std::fs::write(&block, bytes).unwrap();
    folder
}

/// Shards across blocks, so that several need the corrupt one.
fn options() -> RewriteOptions {
    RewriteOptions::new()
        .with_chunk(vec![4; 3])
        .with_shard(vec![12; 3])
        .with_threads(1)
}

#[test]
fn a_corrupt_block_ends_the_run_by_name() {
    let folder = folder();
    let error = folder.try_run("raw", &options()).unwrap_err().to_string();
    assert!(error.contains("raw/1/0/1"), "{error}");
    assert!(error.contains("--fill-corrupt"), "{error}");
    // Nothing half is left.
    assert!(
        folder
            .shards("s0")
            .keys()
            .all(|name| !name.contains("partial"))
    );
    // When the block is repaired, the run goes on.
    let good = folder.source().join("raw/1/0/0");
    std::fs::copy(good, folder.source().join("raw/1/0/1")).unwrap();
    folder.run("raw", &options());
    assert_eq!(folder.elements::<u8>("s0"), vec![9; 16 * 16 * 16]);
}

#[test]
fn a_corrupt_block_becomes_fill_value_if_asked_for_and_is_listed_once() {
    let folder = folder();
    let options = options().with_fill_corrupt(true);
    let report = folder.run("raw", &options);
    assert_eq!(report.corrupt_count, 1);
    assert_eq!(report.corrupt[0].key.as_str(), "raw/1/0/1");
    let expected: Vec<u8> = positions(&[16; 3])
        .map(|at| {
            if at[2] >= 8 && at[1] < 8 && at[0] >= 8 {
                0
            } else {
                9
            }
        })
        .collect();
    assert_eq!(folder.elements::<u8>("s0"), expected);
}

/// All blocks are corrupt, so that shards of nothing but filled blocks have no file.
fn all_corrupt() -> Folder {
    let folder = folder();
    for name in ["0", "1"]
        .iter()
        .flat_map(|x| ["0", "1"].map(|y| format!("{x}/{y}")))
    {
        for z in 0..2 {
            let block = folder.source().join(format!("raw/{name}/{z}"));
            std::fs::rename(&block, block.with_extension("kept")).unwrap();
            std::fs::write(&block, b"nothing").unwrap();
        }
    }
    folder
}

fn restore(folder: &Folder) {
    for x in 0..2 {
        for y in 0..2 {
            for z in 0..2 {
                let block = folder.source().join(format!("raw/{x}/{y}/{z}"));
                let good = folder.source().join("raw/0/0/0.kept");
                if good.exists() && (x, y, z) != (0, 0, 0) {
                    std::fs::copy(&good, &block).unwrap();
                }
            }
        }
    }
    let block = folder.source().join("raw/0/0/0");
    std::fs::rename(block.with_extension("kept"), &block).unwrap();
}

#[test]
fn filled_blocks_are_listed_again_and_written_when_the_source_is_repaired() {
    let folder = all_corrupt();
    let options = options()
        .with_chunk(vec![4; 3])
        .with_shard(vec![8; 3])
        .with_levels(Levels::Made(Downsample::Mean));
    let fill = options.clone().with_fill_corrupt(true);
    let report = folder.run("raw", &fill);
    assert_eq!((report.corrupt_count, report.empty), (8, 8 + 1 + 1));
    assert!(folder.shards("s0").is_empty());
    // By whatever division into parts.
    let report = folder.run(
        "raw",
        &fill
            .clone()
            .with_part(Part::new(0, 2).unwrap())
            .with_phase(0),
    );
    assert_eq!(report.corrupt_count, 4);
    let error = folder.try_run("raw", &options).unwrap_err().to_string();
    assert!(error.contains("--fill-corrupt"), "{error}");

    restore(&folder);
    let report = folder.run("raw", &options);
    assert_eq!((report.corrupt_count, report.written), (0, 8 + 1 + 1));
    assert_eq!(folder.elements::<u8>("s0"), vec![9; 16 * 16 * 16]);
    assert_eq!(folder.elements::<u8>("s2"), vec![9; 4 * 4 * 4]);
    let verified = folder.open("raw", &options).unwrap();
    assert!(verified.verify(&folder.out(), |_| ()).unwrap().is_equal());
    // What is right is not written for ever.
    let report = folder.run("raw", &options);
    assert_eq!((report.whole, report.written), (10, 0));
}
