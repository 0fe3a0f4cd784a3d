//! Attributes of any kind: no panic, and nothing but numbers that can be used.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::super::{
    DatasetView, GroupView, MultiscaleOptions, Pyramid, recognise, recognise_dataset,
};

/// Values that members have, and some that they should not.
fn value() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        Just(json!(0)),
        Just(json!(1)),
        Just(json!(2.5)),
        Just(json!(-4)),
        Just(json!(1e308)),
        Just(json!(5e-324)),
        Just(json!(u64::MAX)),
        Just(json!(null)),
        Just(json!("NaN")),
    ];
    let list = prop::collection::vec(prop_oneof![4 => Just(json!(2)), 1 => number.clone()], 0..5);
    let names = prop_oneof![
        Just(json!(["x", "y", "z"])),
        Just(json!(["z", "y", "x"])),
        Just(json!(["nm", "µm", "pixel"])),
        Just(json!(["c", "x", ""])),
    ];
    let leaf = prop_oneof![
        number,
        list.prop_map(Value::from),
        names,
        Just(json!(true)),
        Just(json!("nm")),
        Just(json!([[1, 1, 1], [2, 2, 2]])),
        Just(json!(["s0", "s1", "/s2/", ""])),
        Just(json!([4, 0, 0, 1, 0, 4, 0, 2, 0, 0, 4, 3])),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let members = prop::collection::vec((member(), inner.clone()), 0..5);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Value::from),
            members.prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn member() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "multiscales",
        "datasets",
        "path",
        "transform",
        "axes",
        "scale",
        "translate",
        "units",
        "order",
        "pixelResolution",
        "dimensions",
        "unit",
        "scales",
        "downsamplingFactors",
        "affineTransform",
        "resolution",
        "offset",
        "offset_unit",
        "multiScale",
        "painteraData",
        "type",
        "channelDimension",
        "isLabelMultiset",
        "spatialTransform",
        "affine",
        "transformations",
        "name",
        "translation",
    ])
    .prop_map(str::to_owned)
}

fn attributes() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec((member(), value()), 0..6)
        .prop_map(|members| members.into_iter().collect())
}

fn dataset() -> impl Strategy<Value = Map<String, Value>> {
    let dimensions = prop::sample::select(vec![
        json!([10, 10, 10]),
        json!([5, 5, 5]),
        json!([3, 90, 90]),
        json!([4, 4]),
        json!([0, 1, 2]),
        json!([9, 9, 9, 9, 9]),
        json!([i64::MAX]),
    ]);
    (attributes(), dimensions).prop_map(|(mut attributes, dimensions)| {
        attributes.insert("dimensions".to_owned(), dimensions);
        attributes
    })
}

fn check(pyramid: &Pyramid) {
    let dimensionality = pyramid.axes.len();
    assert!(dimensionality > 0 && !pyramid.levels.is_empty());
    assert!(pyramid.notes.len() < 120);
    for level in &pyramid.levels {
        assert_eq!(
            (level.scale.len(), level.translation.len()),
            (dimensionality, dimensionality)
        );
        assert!(
            level
                .scale
                .iter()
                .all(|scale| scale.is_finite() && *scale > 0.),
            "{level:?}"
        );
        assert!(
            level.translation.iter().all(|place| place.is_finite()),
            "{level:?}"
        );
    }
    #[cfg(feature = "ome")]
    if let Ok(ome) = super::super::ome_attributes(pyramid, super::super::OmeOrder::Reversed) {
        assert!(!Value::Object(ome).to_string().contains("null"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 500,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_attributes_give_numbers_or_an_error(
        (group, parent, root) in (attributes(), attributes(), attributes()),
        datasets in prop::collection::vec(dataset(), 0..4),
        path in prop::sample::select(vec!["", "/", "/a", "/setup0/timepoint0", "/l/unique-labels"]),
    ) {
        let names = ["s0", "s1", "s2", "s31"];
        let children: Vec<_> = names
            .iter()
            .zip(&datasets)
            .map(|(path, attributes)| DatasetView { path, attributes })
            .collect();
        let ancestors = [&parent, &root];
        let view = GroupView {
            path,
            attributes: &group,
            ancestors: &ancestors,
            children: &children,
        };
        let options = MultiscaleOptions::new();
        match recognise(&view, &options) {
            Ok(Some(pyramid)) => check(&pyramid),
            Ok(None) => {}
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
        for dataset in &datasets {
            if let Ok(Some(pyramid)) = recognise_dataset("/a/s1", dataset, &ancestors, &options) {
                check(&pyramid);
            }
        }
    }
}

#[test]
fn thousands_of_doubts_are_bounded() {
    let paths: Vec<_> = (0..100_000)
        .map(|index| format!("missing{index}"))
        .chain(["s0".to_owned()])
        .collect();
    let factors = vec![[2, 2]; 100_000];
    let group = json!({"multiscales": [{"datasets": paths}], "scales": factors});
    let dataset = json!({"dimensions": [4, 4]});
    let [group, dataset] = [super::object(group), super::object(dataset)];
    let children = [DatasetView {
        path: "s0",
        attributes: &dataset,
    }];
    let view = GroupView {
        path: "/a",
        attributes: &group,
        ancestors: &[],
        children: &children,
    };
    let pyramid = recognise(&view, &MultiscaleOptions::new())
        .unwrap()
        .unwrap();
    check(&pyramid);
}

#[test]
fn ome_ngff_in_n5_is_not_read_silently() {
    let step = json!({"type": "scale", "scale": [4, 4]});
    let group = json!({"multiscales": [{"datasets": [{"path": "s0", "coordinateTransformations": [step]}]}]});
    let pyramid = super::Group::new("/a", group)
        .dataset("s0", &[4, 4], json!({}))
        .recognise();
    super::check_note(
        &pyramid,
        super::NoteKind::LeftOut,
        "coordinateTransformations",
    );
}
