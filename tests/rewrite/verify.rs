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
    let report = verified(&folder);
    // Nothing of the shard can be read: 2 x 2 x 2 chunks. All others are compared, and what is made
    // of it.
    let of = |level: &str| -> Vec<_> {
        let found = report.different.iter();
        found.filter(|found| found.level == level).collect()
    };
    assert_eq!((of("s0").len(), report.equal), (8, 52 + 11 + 2 + 1));
    let found = of("s0")[0];
    assert!(found.reason.contains("cannot be read"), "{found}");
    assert_eq!(found.shard, shard);
    assert!(found.to_string().contains("s0/c/0/1/0"), "{found}");
    assert_eq!(of("s1").len(), 1);
    assert_eq!(of("s1")[0].shard, folder.out().join("s1/c/0/0/0"));
    assert!(of("s1")[0].reason.contains("s0/c/0/1/0"), "{}", of("s1")[0]);
    // The next run does what is needed.
    let again = folder.run("raw", &options());
    assert!(again.written >= 2, "{again}");
    assert_eq!(std::fs::read(&shard).unwrap(), bytes);
    assert!(verified(&folder).is_equal());
}

#[test]
fn an_empty_shard_that_is_not_empty_in_the_source_is_written_by_the_next_run() {
    let folder = Folder::new();
    let names = axes(&["x", "y", "z"]);
    let write = |element: u16| {
        folder.dataset(
            "raw",
            (&[16; 3], &[8; 3]),
            N5DataType::UInt16,
            &names,
            |at| {
                if at[0] < 8 { 3 } else { element }
            },
        );
    };
    write(0);
    folder.run("raw", &options());
    write(5);
    assert_eq!(folder.run("raw", &options()).written, 0);
    let report = verified(&folder);
    assert_eq!(report.different_count, 4 * 8);
    assert_eq!(folder.run("raw", &options()).written, 4 + 1 + 1);
    assert!(verified(&folder).is_equal());
}
