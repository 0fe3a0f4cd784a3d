//! What Paintera writes that is no dataset of numbers.

use super::*;

#[test]
fn a_label_multiset_is_marked_and_not_converted() {
    let labels = r#"{"dimensions":[3,2],"blockSize":[3,2],"dataType":"uint8","compression":{"type":"raw"},"isLabelMultiset":true}"#;
    let store = memory(&[
        ("labels/s0/attributes.json", labels),
        ("labels/s0/0/0", "x"),
    ]);
    let report = all(&store);
    assert_eq!(
        nodes(&report)[2],
        "/labels/s0: dataset [3, 2] uint8, a label multiset: its blocks cannot be read as an array"
    );
    assert!(
        report
            .datasets()
            .all(|(_, dataset)| dataset.is_label_multiset())
    );
    assert_eq!(
        lines(&to_zarr(&store))[2],
        "/labels/s0: skipped: a label multiset: its blocks cannot be read as an array"
    );
}

/// The elements of `DATASET` in a block of mode 1, as Paintera writes its indexes.
const VARLENGTH: &str = "\0\x01\0\x02\0\0\0\x03\0\0\0\x02\0\0\0\x06list";

#[test]
fn an_index_of_paintera_is_marked_by_one_of_its_blocks_and_not_converted() {
    let store = memory(&[
        ("labels/unique-labels/s0/attributes.json", DATASET),
        ("labels/unique-labels/s0/1/3", VARLENGTH),
        ("labels/label-to-block-mapping/s0/attributes.json", DATASET),
        ("labels/label-to-block-mapping/s0/7", VARLENGTH),
    ]);
    let index = "an index of Paintera: its blocks cannot be read as an array";
    let report = all(&store);
    for (path, dataset) in report.datasets() {
        assert!(dataset.is_paintera_index, "{path}");
        assert_eq!(
            dataset.to_string(),
            format!("dataset [3, 2] uint8, {index}")
        );
    }
    assert_eq!(report.datasets().count(), 2);
    let report = to_zarr(&store);
    assert_eq!((report.converted(), report.skipped()), (4, 2), "{report:?}");
    let expected = format!("/labels/unique-labels/s0: skipped: {index}");
    assert_eq!(lines(&report)[5], expected);
}

#[test]
fn a_dataset_whose_blocks_are_no_lists_is_no_index_whatever_its_name() {
    let store = memory(&[
        ("label-to-block-mapping/attributes.json", DATASET),
        ("label-to-block-mapping/0/0", "\0\0"),
        ("unique-labels/empty/attributes.json", DATASET),
        ("unique-labels/short/attributes.json", DATASET),
        ("unique-labels/short/0/0", "x"),
        ("unique-labels/deep/attributes.json", DATASET),
        ("unique-labels/deep/0/0/0/0/0/0/0/0/0/0", VARLENGTH),
        ("others/attributes.json", DATASET),
        ("others/0/0", VARLENGTH),
    ]);
    let report = all(&store);
    assert_eq!(report.datasets().count(), 5);
    assert!(
        report
            .datasets()
            .all(|(_, dataset)| !dataset.is_paintera_index)
    );
    assert_eq!(to_zarr(&store).skipped(), 0);
}
