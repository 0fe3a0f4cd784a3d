//! Blocks of the source that cannot be read.

use zarrs_interop::n5::N5DataType;
use zarrs_interop::n5::rewrite::RewriteOptions;

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
