//! Paintera, and plain datasets.

use serde_json::{Map, Value, json};

use super::super::{
    AxisKind, Dialect, MultiscaleError, MultiscaleOptions, NoteKind, recognise_dataset,
};
use super::{Group, check_levels, check_no_doubts, check_note, names, object, units};

fn paintera(kind: &str) -> Group {
    Group::new(
        "/volumes/raw/data",
        json!({"multiScale": true, "resolution": [4.0, 4.0, 40.0], "offset": [10.0, 20.0, 300.0]}),
    )
    .below(json!({"painteraData": {"type": kind}}))
    .below(json!({}))
}

#[test]
fn paintera_adds_its_offset() {
    for (kind, is_label) in [("raw", false), ("label", true)] {
        let pyramid = paintera(kind)
            .dataset("s0", &[100, 100, 10], json!({"unit": "nanometer"}))
            .dataset(
                "s1",
                &[50, 50, 10],
                json!({"downsamplingFactors": [2.0, 2.0, 1.0]}),
            )
            .recognise();
        assert_eq!(
            (pyramid.dialect, pyramid.is_label),
            (Dialect::Paintera, is_label)
        );
        assert_eq!(units(&pyramid), ["nanometer"; 3]);
        check_levels(
            &pyramid,
            &[
                ("s0", &[4., 4., 40.], &[10., 20., 300.]),
                ("s1", &[8., 8., 40.], &[12., 22., 300.]),
            ],
        );
        check_no_doubts(&pyramid);
    }
}

#[test]
fn paintera_multi_scale_is_known_without_painteradata() {
    let mut group = paintera("raw");
    group.ancestors.clear();
    let pyramid = group
        .dataset("s0", &[100, 100, 10], json!({}))
        .dataset(
            "s1",
            &[50, 50, 10],
            json!({"downsamplingFactors": [2.0, 2.0, 1.0]}),
        )
        .recognise();
    assert_eq!(pyramid.dialect, Dialect::Paintera);
    assert_eq!(pyramid.levels[1].translation, [12., 22., 300.]);
}

#[test]
fn paintera_channels_are_no_space() {
    let group = |channel: Value| paintera("channel").dataset("s0", &[100, 100, 10, 3], channel);
    let pyramid = group(json!({})).recognise();
    assert_eq!(names(&pyramid), ["x", "y", "z", "c"]);
    assert_eq!(pyramid.axes[3].kind, AxisKind::Channel);
    check_note(
        &pyramid,
        NoteKind::Guessed,
        "the last of the four dimensions",
    );
    let pyramid = group(json!({"channelDimension": 0})).recognise();
    assert_eq!(names(&pyramid), ["c", "x", "y", "z"]);
    check_levels(
        &pyramid,
        &[("s0", &[1., 4., 4., 40.], &[0., 10., 20., 300.])],
    );
}

#[test]
fn paintera_label_multisets_are_refused_by_name() {
    let on_group = {
        let mut group = paintera("label");
        group
            .attributes
            .insert("isLabelMultiset".to_owned(), json!(true));
        group.dataset("s0", &[10, 10, 10], json!({}))
    };
    let on_level = paintera("label").dataset("s0", &[10, 10, 10], json!({"isLabelMultiset": true}));
    for group in [on_group, on_level] {
        let error = group.error();
        assert!(
            matches!(error, MultiscaleError::LabelMultiset { .. }),
            "{error}"
        );
        assert!(
            error.to_string().starts_with("/volumes/raw/data: "),
            "{error}"
        );
    }
}

#[test]
fn paintera_indices_are_refused_by_name() {
    for path in [
        "/volumes/labels/unique-labels",
        "/volumes/labels/label-to-block-mapping",
    ] {
        let error = Group::new(path, json!({"multiScale": true}))
            .below(json!({"painteraData": {"type": "label"}}))
            .dataset("s0", &[i64::MAX as u64], json!({}))
            .error();
        assert!(
            matches!(error, MultiscaleError::PainteraIndex { .. }),
            "{error}"
        );
    }
}

#[test]
fn plain_datasets_have_resolution_and_offset() {
    let crop = object(
        json!({"dimensions": [400, 400, 400], "resolution": [2.0, 2.0, 2.0], "offset": [1001.0, 2001.0, 501.0],
        "offset_unit": "nm"}),
    );
    let (parent, root) = (Map::new(), object(json!({"n5": "2.0.0"})));
    let options = MultiscaleOptions::new();
    let pyramid = recognise_dataset("/crops/gt", &crop, &[&parent, &root], &options)
        .unwrap()
        .unwrap();
    assert_eq!(pyramid.dialect, Dialect::Plain);
    check_levels(&pyramid, &[("", &[2., 2., 2.], &[1001., 2001., 501.])]);
    assert_eq!(units(&pyramid), ["nanometer"; 3]);
    check_no_doubts(&pyramid);
}

#[test]
fn plain_levels_without_a_resolution_have_factors_from_their_names() {
    let pyramid = Group::new("/crops", json!({}))
        .dataset(
            "s3",
            &[9, 9],
            json!({"offset": [100, 0], "offset_unit": "nm"}),
        )
        .recognise();
    assert_eq!(pyramid.dialect, Dialect::Plain);
    check_levels(&pyramid, &[("s3", &[8., 8.], &[100., 0.])]);
    check_note(&pyramid, NoteKind::Guessed, "the factor is 8");
    check_note(&pyramid, NoteKind::Guessed, "uncalibrated");
}
