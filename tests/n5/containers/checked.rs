//! Containers as people have them, checked block by block; what is broken in them is in their
//! manifest.

use std::collections::BTreeSet;
use std::path::Path;

use zarrs::filesystem::FilesystemStore;
use zarrs_interop::n5::{
    CheckOptions, CheckReport, InPlaceOptions, Outcome, SkipReason, WalkOptions, add_zarr_metadata,
    check, walk,
};

use super::pyramids::containers;

/// The reports of all datasets that the walk finds.
fn reports(container: &Path) -> Vec<CheckReport> {
    let store = FilesystemStore::new(container).unwrap();
    let walked = walk(&store, &WalkOptions::new()).unwrap();
    let paths = walked
        .datasets()
        .filter(|(_, dataset)| !dataset.is_only_a_container())
        .map(|(path, _)| path.to_owned());
    paths
        .map(|path| check(&store, &path, &CheckOptions::new(), |_| {}).unwrap())
        .collect()
}

#[test]
fn every_block_of_the_manifest_is_found_corrupt_and_no_other() {
    for (path, container) in containers() {
        let is_broken = container
            .damage
            .blocks
            .iter()
            .filter(|block| block.detected);
        let expected: BTreeSet<_> = is_broken.map(|block| block.key.clone()).collect();
        let reports = reports(&path);
        let corrupt = reports.iter().flat_map(|report| &report.corrupt);
        let found: BTreeSet<_> = corrupt.map(|block| block.key.to_string()).collect();
        assert_eq!(found, expected, "{}", path.display());
        let counts = reports.iter().map(|report| report.corrupt_count);
        assert_eq!(counts.sum::<u64>(), expected.len() as u64);
        assert_eq!(expected.is_empty(), !path.ends_with("damaged.n5"));
    }
}

#[test]
fn a_corrupt_block_is_named_with_its_array_and_position() {
    let (path, _) = containers()
        .into_iter()
        .find(|(path, _)| path.ends_with("damaged.n5"))
        .unwrap();
    let store = FilesystemStore::new(path).unwrap();
    let report = check(&store, "/blocks/gzip", &CheckOptions::new(), |_| {}).unwrap();
    let block = report
        .corrupt
        .iter()
        .find(|block| block.key.as_str() == "blocks/gzip/9/0")
        .unwrap();
    assert_eq!(block.array, "/blocks/gzip");
    assert_eq!(block.position, [9, 0]);
    let text = block.to_string();
    let start = "array /blocks/gzip: block [9, 0] at key blocks/gzip/9/0: ";
    assert!(text.starts_with(start) && text.contains("mode"), "{text}");
    // 14 x 2 blocks, one of which was taken away.
    assert_eq!(
        (report.expected, report.present, report.missing()),
        (28, 27, 1)
    );
    assert_eq!(report.stray_count, 0);
}

#[test]
fn nothing_is_missing_from_the_datasets_whose_elements_are_known() {
    for (path, container) in containers() {
        let reports = reports(&path);
        for dataset in &container.datasets {
            let node_path = format!("/{}", dataset.path);
            let Some(report) = reports.iter().find(|report| report.node_path == node_path) else {
                assert_eq!(node_path, "/__private", "the walk leaves out nothing else");
                continue;
            };
            assert_eq!(report.missing(), 0, "{report}");
            assert!(report.is_sound() && report.stray.is_empty(), "{report}");
        }
    }
}

#[test]
fn what_is_no_array_in_paintera_is_marked_and_not_converted() {
    let (path, _) = containers()
        .into_iter()
        .find(|(path, _)| path.ends_with("paintera.n5"))
        .unwrap();
    let store = FilesystemStore::new(path).unwrap();
    let walked = walk(&store, &WalkOptions::new()).unwrap();
    let indexes = walked
        .datasets()
        .filter(|(_, dataset)| dataset.is_paintera_index)
        .map(|(path, _)| path);
    let expected = [
        "/volumes/multiset/label-to-block-mapping/s0",
        "/volumes/multiset/label-to-block-mapping/s1",
        "/volumes/multiset/unique-labels/s0",
        "/volumes/multiset/unique-labels/s1",
    ];
    assert_eq!(indexes.collect::<Vec<_>>(), expected);
    let options = InPlaceOptions::new().with_dry_run(true);
    let report = add_zarr_metadata(&store, &options, |_| {}).unwrap();
    let skipped = report.nodes().iter().filter_map(|node| match node.outcome {
        Outcome::Skipped(SkipReason::PainteraIndex) => Some(node.node_path.as_str()),
        _ => None,
    });
    assert_eq!(skipped.collect::<Vec<_>>(), expected);
    // The other two are the levels of the label multiset.
    assert_eq!((report.skipped(), report.failed()), (6, 0), "{report:?}");
}

#[test]
fn serialised_blocks_of_paintera_are_counted_and_not_corrupt() {
    let (path, _) = containers()
        .into_iter()
        .find(|(path, _)| path.ends_with("paintera.n5"))
        .unwrap();
    for report in reports(&path) {
        assert!(report.is_sound(), "{report}");
        let is_multiset = report.node_path.starts_with("/volumes/multiset/");
        let serialized = if is_multiset { report.present } else { 0 };
        assert_eq!(report.serialized, serialized, "{report}");
        if report.node_path.contains("label-to-block-mapping") {
            // 9223372036854775807 elements in blocks of 100.
            assert_eq!(report.expected, 92_233_720_368_547_759);
        }
    }
}
