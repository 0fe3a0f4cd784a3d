use super::*;
use crate::n5::multiscale::pyramid::Dialect;

fn pyramid(names: &[&str]) -> Pyramid {
    let count = names.len();
    Pyramid {
        dialect: Dialect::N5Viewer,
        name: Some("cells".to_owned()),
        axes: names.iter().map(|name| Axis::named(name)).collect(),
        levels: vec![Level {
            path: "s0".to_owned(),
            scale: (2..).take(count).map(f64::from).collect(),
            translation: (0..)
                .take(count)
                .map(|place| 0.1 * f64::from(place))
                .collect(),
        }],
        is_label: false,
        notes: Vec::new(),
    }
}

#[test]
fn space_is_described_in_both_orders() {
    let mut image = pyramid(&["x", "y", "z"]);
    image.axes[0].unit = Some("nanometer".to_owned());
    let reversed = ome_attributes(&image, OmeOrder::Reversed).unwrap();
    let expected = json!({"version": "0.5", "multiscales": [{
        "name": "cells",
        "axes": [
            {"name": "z", "type": "space"}, {"name": "y", "type": "space"},
            {"name": "x", "type": "space", "unit": "nanometer"},
        ],
        "datasets": [{"path": "s0", "coordinateTransformations": [
            {"type": "scale", "scale": [4.0, 3.0, 2.0]},
            {"type": "translation", "translation": [0.2, 0.1, 0.0]},
        ]}],
    }]});
    assert_eq!(reversed["ome"], expected);
    let stored = ome_attributes(&image, OmeOrder::Stored).unwrap();
    assert_eq!(stored["ome"]["multiscales"][0]["axes"][0]["name"], "x");
    let scale =
        &stored["ome"]["multiscales"][0]["datasets"][0]["coordinateTransformations"][0]["scale"];
    assert_eq!(*scale, json!([2.0, 3.0, 4.0]));
}

#[test]
fn numbers_keep_their_64_bits() {
    let mut image = pyramid(&["x", "y"]);
    image.levels[0].translation = vec![123_456_789.012_345, 0.1];
    let ome = ome_attributes(&image, OmeOrder::Stored).unwrap();
    let moved =
        &ome["ome"]["multiscales"][0]["datasets"][0]["coordinateTransformations"][1]["translation"];
    assert_eq!(*moved, json!([123_456_789.012_345, 0.1]));
}

#[test]
fn channels_are_neither_scaled_nor_moved() {
    let ome = ome_attributes(&pyramid(&["x", "y", "z", "c", "t"]), OmeOrder::Reversed).unwrap();
    let steps = &ome["ome"]["multiscales"][0]["datasets"][0]["coordinateTransformations"];
    assert_eq!(steps[0]["scale"], json!([6.0, 1.0, 4.0, 3.0, 2.0]));
    assert_eq!(steps[1]["translation"][1], json!(0.0));
}

#[test]
fn an_order_that_cannot_be_given_says_which_could() {
    let fiji = pyramid(&["x", "y", "c", "z", "t"]);
    for order in [OmeOrder::Reversed, OmeOrder::Stored] {
        let error = ome_attributes(&fiji, order).unwrap_err();
        assert!(matches!(error, OmeError::Order { .. }), "{error}");
        assert!(
            error
                .to_string()
                .ends_with("rewrite the data in the order t, c, z, y, x"),
            "{error}"
        );
    }
    let order = fiji.ome_order().unwrap();
    let permuted = fiji.permuted(&order).unwrap();
    assert!(ome_attributes(&permuted, OmeOrder::Stored).is_ok());
}

#[test]
fn axes_must_be_named_apart_and_be_from_two_to_five() {
    let mut unnamed = pyramid(&["x", "y", "z", "c"]);
    unnamed.axes[3] = Axis::unknown();
    let error = ome_attributes(&unnamed, OmeOrder::Reversed).unwrap_err();
    assert_eq!(
        error,
        OmeError::Unnamed {
            dimension: 3,
            dimensionality: 4
        }
    );
    let error = ome_attributes(&pyramid(&["x", "y", "y"]), OmeOrder::Reversed).unwrap_err();
    assert_eq!(
        error,
        OmeError::SameName {
            name: "y".to_owned()
        }
    );
    let error = ome_attributes(&pyramid(&["x"]), OmeOrder::Reversed).unwrap_err();
    assert_eq!(error, OmeError::Dimensionality { found: 1 });
    let error = ome_attributes(&pyramid(&["x", "c", "t"]), OmeOrder::Reversed).unwrap_err();
    assert!(matches!(error, OmeError::Space { found: 1, .. }), "{error}");
}
