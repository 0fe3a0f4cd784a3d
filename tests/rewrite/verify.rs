//! Reading back.

use zarrs_interop::n5::N5DataType;
use zarrs_interop::n5::rewrite::{Downsample, Levels, RewriteOptions, VerifyReport};

use crate::support::{Folder, axes, mixed};

fn folder() -> Folder {
    let folder = Folder::new();
    let names = axes(&["x", "y", "z"]);
    folder.dataset(
        "raw",
        (&[17, 14, 9], &[8; 3]),
        N5DataType::UInt16,
        &names,
        |at| mixed(at) as u16,
    );
    folder.run("raw", &options());
    folder
}

fn options() -> RewriteOptions {
    RewriteOptions::new()
        .with_chunk(vec![4; 3])
        .with_shard(vec![8; 3])
        .with_levels(Levels::Made(Downsample::Mean))
}

fn verified(folder: &Folder) -> VerifyReport {
    folder
        .open("raw", &options())
        .unwrap()
        .verify(&folder.out(), |_| ())
        .unwrap()
}

#[test]
fn what_was_written_is_equal() {
    let folder = folder();
    let report = verified(&folder);
    assert!(report.is_equal(), "{report}");
    // 3 x 4 x 5 chunks, then 2 x 2 x 3, 1 x 1 x 2, 1 x 1 x 1.
    assert_eq!(report.equal, 60 + 12 + 2 + 1);
}

#[test]
fn one_element_that_is_wrong_is_found_by_position() {
    let folder = folder();
    let array = folder.array("s0");
    array
        .store_array_subset(&[8..9, 5..6, 16..17], &[7_u16])
        .unwrap();
    let report = verified(&folder);
    // The level that is made of it is no longer right either.
    let levels: Vec<_> = report
        .different
        .iter()
        .map(|found| found.level.as_str())
        .collect();
    assert_eq!(levels, ["s0", "s1"]);
    let found = &report.different[0];
    assert_eq!(found.chunk, [8, 4, 16]);
    assert_eq!(found.element.as_deref(), Some(&[8, 5, 16][..]));
    assert!(found.reason.contains("is 7: expected"), "{found}");
}

#[test]
fn a_shard_that_is_missing_or_cut_is_found() {
    let folder = folder();
    let shard = folder.out().join("s0/c/0/1/0");
    let bytes = std::fs::read(&shard).unwrap();
    std::fs::remove_file(&shard).unwrap();
    assert!(
        verified(&folder)
            .different
            .iter()
            .any(|found| found.chunk == [0, 8, 0])
    );
    std::fs::write(&shard, &bytes[..bytes.len() - 1]).unwrap();
    let options = options().with_phase(0);
    let report = folder
        .open("raw", &options)
        .unwrap()
        .verify(&folder.out(), |_| ())
        .unwrap();
    // Nothing of the shard can be read: 2 x 2 x 2 chunks.
    assert_eq!(report.different_count, 8);
    assert!(
        report.different[0].reason.contains("cannot be read"),
        "{}",
        report.different[0]
    );
}
