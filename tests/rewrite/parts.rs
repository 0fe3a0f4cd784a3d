//! Several processes share the work.

use zarrs_interop::n5::N5DataType;
use zarrs_interop::n5::rewrite::{
    Downsample, Levels, Part, RewriteError, RewriteOptions, RewriteReport,
};

use crate::support::{Folder, axes, mixed};

fn folder() -> Folder {
    let folder = Folder::new();
    let names = axes(&["x", "y", "z"]);
    folder.dataset(
        "raw",
        (&[20, 18, 17], &[8, 5, 6]),
        N5DataType::UInt16,
        &names,
        |at| {
            // The far corner is fill value.
            if at.iter().all(|at| *at >= 8) {
                0
            } else {
                mixed(at) as u16
            }
        },
    );
    folder
}

fn options() -> RewriteOptions {
    RewriteOptions::new()
        .with_chunk(vec![4; 3])
        .with_shard(vec![8; 3])
        .with_levels(Levels::Made(Downsample::Mean))
}

fn part(index: u64, count: u64) -> RewriteOptions {
    options().with_part(Part::new(index, count).unwrap())
}

#[test]
fn parts_write_what_one_process_writes() {
    let (one, many) = (folder(), folder());
    one.run("raw", &options());
    let phases = one.open("raw", &options()).unwrap().plan().phases();
    assert_eq!(phases, 4);
    let mut total = RewriteReport::default();
    for phase in 0..phases {
        for index in [2, 0, 1] {
            let report = many.run("raw", &part(index, 3).with_phase(phase));
            total.written += report.written;
            total.empty += report.empty;
        }
    }
    for level in ["s0", "s1", "s2", "s3"] {
        let (expected, found) = (one.shards(level), many.shards(level));
        assert!(!expected.is_empty());
        assert_eq!(found, expected, "{level}");
        assert_eq!(
            many.document(&format!("{level}/zarr.json")),
            one.document(&format!("{level}/zarr.json"))
        );
    }
    assert_eq!(many.document("zarr.json"), one.document("zarr.json"));
    let again = many.run("raw", &options());
    assert_eq!((again.written, again.empty), (0, 0));
    assert_eq!(again.whole, total.written + total.empty);
}

#[test]
fn a_level_waits_for_all_parts_of_the_one_before() {
    let folder = folder();
    folder.run("raw", &part(0, 2).with_phase(0));
    let error = folder
        .try_run("raw", &part(0, 2).with_phase(1))
        .unwrap_err();
    assert!(
        matches!(
            error,
            RewriteError::NotComplete {
                phase: 1,
                missing: 1,
                parts: 2,
                ..
            }
        ),
        "{error}"
    );
    // The same without the phase: what can be done is done.
    let error = folder.try_run("raw", &part(0, 2)).unwrap_err();
    assert!(
        matches!(error, RewriteError::NotComplete { phase: 1, .. }),
        "{error}"
    );
    folder.run("raw", &part(1, 2).with_phase(0));
    folder.run("raw", &part(0, 2).with_phase(1));
}

#[test]
fn metadata_comes_with_the_first_part_or_on_its_own() {
    let folder = folder();
    folder.run("raw", &part(1, 2).with_phase(0));
    // It only says whose the folder is.
    let claim = folder.document("zarr.json");
    assert!(claim["attributes"].get("ome").is_none(), "{claim}");
    assert!(!folder.out().join("s0/zarr.json").exists());
    let rewrite = folder.open("raw", &options()).unwrap();
    rewrite.write_metadata(&folder.out()).unwrap();
    let group = folder.document("zarr.json");
    assert!(group["attributes"].get("ome").is_some(), "{group}");
    assert!(folder.out().join("s3/zarr.json").exists());
    let report = folder.run("raw", &part(0, 2).with_phase(0));
    assert!(report.written > 0);
}

#[test]
fn a_part_that_there_is_not_is_refused() {
    for (index, count) in [(2, 2), (0, 0), (7, 3)] {
        let error = Part::new(index, count).unwrap_err();
        assert!(matches!(error, RewriteError::Part { .. }), "{error}");
    }
}

#[test]
fn runs_of_the_same_part_at_once_do_no_harm() {
    let (one, many) = (folder(), folder());
    one.run("raw", &options());
    let runs = 6;
    let start = std::sync::Barrier::new(runs);
    std::thread::scope(|scope| {
        for _ in 0..runs {
            scope.spawn(|| {
                start.wait();
                many.run("raw", &options().with_threads(2));
            });
        }
    });
    for level in ["s0", "s1", "s2", "s3"] {
        assert_eq!(many.shards(level), one.shards(level), "{level}");
    }
}
