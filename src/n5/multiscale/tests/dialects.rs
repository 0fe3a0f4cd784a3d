//! COSEM, n5-viewer, Neuroglancer, BigDataViewer, n5-universe: attributes as they write them.

use serde_json::{Value, json};

use super::super::{
    Dialect, MultiscaleError, MultiscaleOptions, NoteKind, VoxelSize, recognise_dataset,
};
use super::{Group, check_levels, check_no_doubts, check_note, names, units};

/// A transform of COSEM, in C order.
fn transform(scale: [f64; 3], translate: [f64; 3]) -> Value {
    json!({"axes": ["z", "y", "x"], "order": "C", "scale": scale, "translate": translate, "units": ["nm", "nm", "nm"]})
}

fn cosem(datasets: &Value) -> Group {
    let [s0, s1] = [
        transform([3.24, 4.0, 4.0], [0.0, 0.0, 10.0]),
        transform([6.48, 8.0, 8.0], [1.62, 2.0, 12.0]),
    ];
    Group::new(
        "/em/fibsem-uint8",
        json!({
            "axes": ["x", "y", "z"], "units": ["nm", "nm", "nm"], "scales": [[1, 1, 1], [2, 2, 2]],
            "pixelResolution": {"dimensions": [4.0, 4.0, 3.24], "unit": "nm"},
            "multiscales": [{"name": "fibsem", "datasets": datasets}],
        }),
    )
    .below(json!({}))
    .below(json!({"n5": "2.1.3"}))
    .dataset(
        "s0",
        &[100, 90, 80],
        json!({"transform": s0, "pixelResolution": {"dimensions": [4.0, 4.0, 3.24], "unit": "nm"}}),
    )
    .dataset(
        "s1",
        &[50, 45, 40],
        json!({"transform": s1, "pixelResolution": {"dimensions": [8.0, 8.0, 6.48], "unit": "nm"}}),
    )
}

#[test]
fn cosem_states_scale_and_translation_in_c_order() {
    let strings = json!(["s0", "s1"]);
    let objects = json!([
        {"path": "s0", "transform": transform([3.24, 4.0, 4.0], [0.0, 0.0, 10.0])},
        {"path": "s1", "transform": transform([6.48, 8.0, 8.0], [1.62, 2.0, 12.0])},
    ]);
    for datasets in [strings, objects] {
        let pyramid = cosem(&datasets).recognise();
        assert_eq!(pyramid.dialect, Dialect::Cosem);
        assert_eq!(pyramid.name.as_deref(), Some("fibsem"));
        assert_eq!(names(&pyramid), ["x", "y", "z"]);
        assert_eq!(units(&pyramid), ["nanometer"; 3]);
        check_levels(
            &pyramid,
            &[
                ("s0", &[4.0, 4.0, 3.24], &[10.0, 0.0, 0.0]),
                ("s1", &[8.0, 8.0, 6.48], &[12.0, 2.0, 1.62]),
            ],
        );
        assert_eq!(pyramid.notes, []);
    }
}

#[test]
fn cosem_without_multiscales_has_the_transforms_of_its_datasets() {
    let mut group = cosem(&json!([]));
    group.attributes.clear();
    let pyramid = group.recognise();
    assert_eq!(pyramid.dialect, Dialect::Cosem);
    assert_eq!(pyramid.levels[1].translation, [12.0, 2.0, 1.62]);
}

#[test]
fn cosem_entries_alone_are_enough() {
    let datasets =
        json!([{"path": "fine", "transform": transform([3.0, 2.0, 1.0], [0.0, 0.0, 0.0])}]);
    let group = Group::new("/em", json!({"multiscales": [{"datasets": datasets}]})).dataset(
        "fine",
        &[10, 10, 10],
        json!({}),
    );
    check_levels(
        &group.recognise(),
        &[("fine", &[1.0, 2.0, 3.0], &[0.0, 0.0, 0.0])],
    );
}

#[test]
fn n5_viewer_moves_the_centres_of_averages() {
    let pixels = json!({"dimensions": [0.097, 0.097, 0.18], "unit": "um"});
    let pyramid = Group::new("/c0", json!({}))
        .below(json!({"n5": "2.0.0"}))
        .dataset("s0", &[100, 80, 60], json!({"pixelResolution": pixels}))
        .dataset(
            "s2",
            &[25, 20, 30],
            json!({"pixelResolution": pixels, "downsamplingFactors": [4, 4, 2]}),
        )
        .dataset(
            "s1",
            &[50, 40, 60],
            json!({"pixelResolution": pixels, "downsamplingFactors": [2, 2, 1]}),
        )
        .recognise();
    assert_eq!(pyramid.dialect, Dialect::N5Viewer);
    assert_eq!(units(&pyramid), ["micrometer"; 3]);
    check_levels(
        &pyramid,
        &[
            ("s0", &[0.097, 0.097, 0.18], &[0.0, 0.0, 0.0]),
            ("s1", &[0.194, 0.194, 0.18], &[0.0485, 0.0485, 0.0]),
            ("s2", &[0.388, 0.388, 0.36], &[0.1455, 0.1455, 0.09]),
        ],
    );
    check_no_doubts(&pyramid);
}

#[test]
fn n5_viewer_old_form_has_everything_above() {
    // The root has defaults for all channels; the list has no unit.
    for (root, channel) in [
        (
            json!({"scales": [[1, 1, 1], [2, 2, 1]], "pixelResolution": [0.1, 0.1, 0.5]}),
            json!({}),
        ),
        (
            json!({"pixelResolution": [9, 9, 9]}),
            json!({"downsamplingFactors": [[1, 1, 1], [2, 2, 1]], "pixelResolution": [0.1, 0.1, 0.5]}),
        ),
    ] {
        let pyramid = Group::new("/c1", channel)
            .below(root)
            .dataset("s0", &[10, 10, 10], json!({}))
            .dataset("s1", &[5, 5, 10], json!({}))
            .recognise();
        assert_eq!(pyramid.dialect, Dialect::N5Viewer);
        check_levels(
            &pyramid,
            &[
                ("s0", &[0.1, 0.1, 0.5], &[0.0, 0.0, 0.0]),
                ("s1", &[0.2, 0.2, 0.5], &[0.05, 0.05, 0.0]),
            ],
        );
        assert_eq!(units(&pyramid), ["-"; 3]);
        check_no_doubts(&pyramid);
    }
}

#[test]
fn n5_viewer_sampled_pyramids_do_not_move() {
    let level = |size: f64| json!({"downsamplingFactors": [1, 1, 1], "pixelResolution": {"dimensions": [size, size, 2.0], "unit": "µm"}});
    let pyramid = Group::new("/stack", json!({}))
        .dataset("s0", &[100, 100, 5], level(0.5))
        .dataset("s1", &[50, 50, 5], level(1.0))
        .recognise();
    check_levels(
        &pyramid,
        &[
            ("s0", &[0.5, 0.5, 2.0], &[0.0, 0.0, 0.0]),
            ("s1", &[1.0, 1.0, 2.0], &[0.0, 0.0, 0.0]),
        ],
    );
    check_no_doubts(&pyramid);
}

#[test]
fn n5_viewer_applies_the_affine_last() {
    let affine = json!([[2, 0, 0, 10], [0, 2, 0, 20], [0, 0, 1, -5]]);
    let pyramid = Group::new(
        "/c0",
        json!({"affineTransform": affine, "pixelResolution": [1, 1, 3]}),
    )
    .dataset("s0", &[10, 10, 10], json!({}))
    .dataset("s1", &[5, 5, 5], json!({"downsamplingFactors": [2, 2, 2]}))
    .recognise();
    check_levels(
        &pyramid,
        &[
            ("s0", &[2., 2., 3.], &[10., 20., -5.]),
            ("s1", &[4., 4., 6.], &[11., 21., -3.5]),
        ],
    );
}

#[test]
fn neuroglancer_takes_the_factors_of_the_group() {
    let group = |own: Value| {
        Group::new(
            "/volume",
            json!({"axes": ["x", "y", "z"], "units": ["nm", "nm", "um"], "resolution": [8, 8, 30],
                   "downsamplingFactors": [[1, 1, 1], [3, 3, 1]]}),
        )
        .dataset("s0", &[90, 90, 9], json!({"pixelResolution": [8, 8, 30]}))
        .dataset("s1", &[30, 30, 9], own)
        .recognise()
    };
    let expected: [(&str, &[f64], &[f64]); 2] = [
        ("s0", &[8., 8., 30.], &[0., 0., 0.]),
        ("s1", &[24., 24., 30.], &[8., 8., 0.]),
    ];
    for own in [
        json!({}),
        json!({"pixelResolution": [24, 24, 30]}),
        json!({"pixelResolution": [8, 8, 30]}),
    ] {
        let pyramid = group(own);
        assert_eq!(pyramid.dialect, Dialect::Neuroglancer);
        assert_eq!(units(&pyramid), ["nanometer", "nanometer", "micrometer"]);
        check_levels(&pyramid, &expected);
        assert_eq!(pyramid.notes, []);
    }
    // What the dataset says differently is overridden, and reported.
    let pyramid = group(json!({"downsamplingFactors": [2, 2, 2], "pixelResolution": [16, 16, 60]}));
    check_levels(&pyramid, &expected);
    check_note(&pyramid, NoteKind::Contradiction, "its factors are");
    check_note(
        &pyramid,
        NoteKind::Contradiction,
        "its pixel resolution is not",
    );
}

/// As in issue 10: BigStitcher leaves the members of a dataset on the setup.
fn big_stitcher() -> Group {
    Group::new("/setup0/timepoint0", json!({"multiScale": true, "resolution": [1.0, 1.0, 1.0], "saved_completely": true}))
        .below(json!({"compression": {"type": "gzip", "useZlib": false, "level": 1},
            "downsamplingFactors": [[1, 1, 1], [2, 2, 1]], "blockSize": [4, 4, 2], "dataType": "uint16",
            "dimensions": [6, 5, 3]}))
        .below(json!({"n5": "4.0.0"}))
        .dataset("s0", &[6, 5, 3], json!({}))
        .dataset("s1", &[3, 2, 3], json!({"downsamplingFactors": [2, 2, 1]}))
}

#[test]
fn big_stitcher_is_uncalibrated_without_its_xml() {
    let pyramid = big_stitcher().recognise();
    assert_eq!(pyramid.dialect, Dialect::BigDataViewer);
    check_levels(
        &pyramid,
        &[
            ("s0", &[1., 1., 1.], &[0., 0., 0.]),
            ("s1", &[2., 2., 1.], &[0.5, 0.5, 0.]),
        ],
    );
    assert_eq!(units(&pyramid), ["-"; 3]);
    check_note(&pyramid, NoteKind::Guessed, "uncalibrated");
}

#[test]
fn big_stitcher_has_its_voxel_size_from_the_xml() {
    let voxel = VoxelSize {
        size: vec![0.4, 0.4, 2.0],
        unit: Some("μm".to_owned()),
    };
    let pyramid = big_stitcher()
        .options(MultiscaleOptions::new().with_voxel_size(voxel))
        .recognise();
    check_levels(
        &pyramid,
        &[
            ("s0", &[0.4, 0.4, 2.0], &[0., 0., 0.]),
            ("s1", &[0.8, 0.8, 2.0], &[0.2, 0.2, 0.]),
        ],
    );
    assert_eq!(units(&pyramid), ["micrometer"; 3]);
    check_no_doubts(&pyramid);
}

#[test]
fn big_data_viewer_has_leading_zeros_and_factors_on_the_setup() {
    let pyramid = Group::new(
        "/setup00/timepoint00012",
        json!({"multiScale": true, "resolution": [0.5, 0.5, 2.0]}),
    )
    .below(json!({"downsamplingFactors": [[1, 1, 1], [4, 4, 1]], "dataType": "uint8"}))
    .dataset("s0", &[400, 400, 25], json!({}))
    .dataset("s1", &[100, 100, 25], json!({}))
    .recognise();
    assert_eq!(pyramid.dialect, Dialect::BigDataViewer);
    check_levels(
        &pyramid,
        &[
            ("s0", &[0.5, 0.5, 2.0], &[0., 0., 0.]),
            ("s1", &[2.0, 2.0, 2.0], &[0.75, 0.75, 0.]),
        ],
    );
    check_note(&pyramid, NoteKind::LeftOut, "has no unit");
}

#[test]
fn a_level_on_its_own_lies_where_it_lies_in_its_pyramid() {
    let group = cosem(&json!(["s0", "s1"]));
    let expected = group.recognise().levels.remove(1);
    let ancestors: Vec<_> = std::iter::once(&group.attributes)
        .chain(&group.ancestors)
        .collect();
    let level = &group.children[1].1;
    let pyramid = recognise_dataset("/em/fibsem-uint8/s1", level, &ancestors, &group.options)
        .unwrap()
        .unwrap();
    check_levels(&pyramid, &[("", &expected.scale, &expected.translation)]);
    assert_eq!(pyramid.notes, []);
}

#[test]
fn canonical_documents_have_a_spatial_transform() {
    let spatial = |transform: Value| json!({"transform": transform, "unit": "nm"});
    let affine =
        spatial(json!({"type": "affine", "affine": [4, 0, 0, 1, 0, 4, 0, 2, 0, 0, 40, 3]}));
    let scale = spatial(json!({"type": "scale", "scale": [8, 8, 40]}));
    let on_datasets = Group::new("/a", json!({}))
        .dataset("s0", &[10, 10, 10], json!({"spatialTransform": affine}))
        .dataset("s1", &[5, 5, 10], json!({"spatialTransform": scale}));
    let on_group = Group::new(
        "/a",
        json!({"multiscales": {"datasets": [{"path": "s0", "spatialTransform": affine}, {"path": "s1", "spatialTransform": scale}]}}),
    )
    .dataset("s0", &[10, 10, 10], json!({}))
    .dataset("s1", &[5, 5, 10], json!({}));
    for group in [on_datasets, on_group] {
        let pyramid = group.recognise();
        assert_eq!(pyramid.dialect, Dialect::Canonical);
        check_levels(
            &pyramid,
            &[
                ("s0", &[4., 4., 40.], &[1., 2., 3.]),
                ("s1", &[8., 8., 40.], &[0., 0., 0.]),
            ],
        );
        assert_eq!(units(&pyramid), ["nanometer"; 3]);
    }
    let sheared =
        spatial(json!({"type": "affine", "affine": [4, 1, 0, 1, 0, 4, 0, 2, 0, 0, 40, 3]}));
    let error = Group::new("/a", json!({}))
        .dataset("s0", &[10, 10, 10], json!({"spatialTransform": sheared}))
        .error();
    assert!(
        matches!(error, MultiscaleError::NotDiagonal { .. }),
        "{error}"
    );
}
