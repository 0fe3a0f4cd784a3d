//! What makes readers stumble over names, orders and units of axes: one test per trap.

use serde_json::json;

use super::super::{MultiscaleError, MultiscaleOptions, NoteKind};
use super::{check_note, names, stack, transform, units};

#[test]
fn cosem_names_decide_the_order_of_axes() {
    let forwards = [1., 2., 3.];
    let backwards = [3., 2., 1.];
    for (axes, order, expected, doubt) in [
        (json!(["z", "y", "x"]), json!("C"), backwards, None),
        (json!(["z", "y", "x"]), json!(null), backwards, None),
        (
            json!(["z", "y", "x"]),
            json!("F"),
            backwards,
            Some("the names decide"),
        ),
        (json!(["x", "y", "z"]), json!("F"), forwards, None),
        (json!(["x", "y", "z"]), json!(null), forwards, None),
        (
            json!(["x", "y", "z"]),
            json!("C"),
            forwards,
            Some("the names decide"),
        ),
        (
            json!(["a", "b", "c"]),
            json!("F"),
            forwards,
            Some("do not tell"),
        ),
        (
            json!(["a", "b", "c"]),
            json!("C"),
            backwards,
            Some("do not tell"),
        ),
        (json!(null), json!(null), backwards, Some("do not tell")),
        (
            json!(["y", "x", "z"]),
            json!("C"),
            [2., 1., 3.],
            Some("no usual order"),
        ),
    ] {
        let pyramid = stack(json!({}))
            .dataset("s0", &[9, 9, 9], transform(&axes, &order))
            .recognise();
        assert_eq!(pyramid.levels[0].scale, expected, "{axes} {order}");
        assert_eq!(
            pyramid.levels[0].translation,
            expected.map(|scale| 10. * scale),
            "{axes} {order}"
        );
        match doubt {
            Some(doubt) => check_note(&pyramid, NoteKind::Contradiction, doubt),
            None => assert_eq!(pyramid.notes, [], "{axes} {order}"),
        }
    }
}

#[test]
fn cosem_units_belong_to_the_axis_at_their_place() {
    let zyx = stack(json!({})).dataset(
        "s0",
        &[9, 9, 9],
        transform(&json!(["z", "y", "x"]), &json!("C")),
    );
    assert_eq!(
        units(&zyx.recognise()),
        ["millimeter", "micrometer", "nanometer"]
    );
}

#[test]
fn units_are_left_out_rather_than_guessed() {
    for unit in [
        json!("pixel"),
        json!(""),
        json!(null),
        json!("furlong"),
        json!(4),
        json!("s"),
    ] {
        let pyramid = stack(json!({}))
            .dataset(
                "s0",
                &[9, 9, 9],
                json!({"pixelResolution": {"dimensions": [1, 1, 2], "unit": unit}}),
            )
            .recognise();
        assert_eq!(units(&pyramid), ["-"; 3], "{unit}");
    }
    for unit in ["um", "\u{b5}m", "\u{3bc}m", "micron", "micrometer"] {
        let pyramid = stack(json!({}))
            .dataset(
                "s0",
                &[9, 9, 9],
                json!({"pixelResolution": {"dimensions": [1, 1, 2], "unit": unit}}),
            )
            .recognise();
        assert_eq!(units(&pyramid), ["micrometer"; 3], "{unit}");
    }
}

#[test]
fn unnamed_dimensions_beyond_three_are_not_guessed() {
    let group = |options| {
        stack(json!({}))
            .dataset("s0", &[9, 9, 3, 9, 5], json!({}))
            .options(options)
    };
    let pyramid = group(MultiscaleOptions::new()).recognise();
    assert_eq!(names(&pyramid), ["x", "y", "?", "?", "?"]);
    check_note(&pyramid, NoteKind::Guessed, "name them by an option");
    let pyramid = group(MultiscaleOptions::new().with_axes(["x", "y", "c", "z", "t"])).recognise();
    assert_eq!(names(&pyramid), ["x", "y", "c", "z", "t"]);
    let error = group(MultiscaleOptions::new().with_axes(["x", "y", "z"])).error();
    assert_eq!(
        error,
        MultiscaleError::AxesCount {
            path: "/stack/s0".to_owned(),
            found: 3,
            expected: 5
        }
    );
    for names in [["x", "x", "c", "z", "t"], ["x", "y", "", "z", "t"]] {
        let error = group(MultiscaleOptions::new().with_axes(names)).error();
        assert_eq!(
            error,
            MultiscaleError::AxesNames {
                path: "/stack/s0".to_owned(),
                found: names.join(","),
            }
        );
    }
}

#[test]
fn fewer_entries_than_dimensions_are_those_of_space() {
    let pyramid = stack(json!({}))
        .dataset(
            "s0",
            &[90, 90, 90, 50],
            json!({"pixelResolution": [4, 4, 40]}),
        )
        .recognise();
    assert_eq!(names(&pyramid), ["x", "y", "z", "?"]);
    assert_eq!(pyramid.levels[0].scale, [4., 4., 40., 1.]);
    let pyramid = stack(json!({}))
        .dataset("s0", &[90, 90], json!({"pixelResolution": [4, 4, 40]}))
        .recognise();
    assert_eq!(names(&pyramid), ["x", "y"]);
    assert_eq!(pyramid.levels[0].scale, [4., 4.]);
    check_note(
        &pyramid,
        NoteKind::Contradiction,
        "3 entries for 2 dimensions",
    );
}

#[test]
fn colours_as_dimension_0_are_not_taken_for_x() {
    for dimensions in [&[3, 500, 400][..], &[4, 500, 400, 300]] {
        let pyramid = stack(json!({}))
            .dataset("s0", dimensions, json!({}))
            .recognise();
        assert!(
            names(&pyramid).iter().all(|name| *name == "?"),
            "{dimensions:?}"
        );
        check_note(&pyramid, NoteKind::Guessed, "dimension 0 may be colours");
    }
    let pyramid = stack(json!({}))
        .dataset("s0", &[3, 500, 400], json!({"axes": ["c", "x", "y"]}))
        .recognise();
    assert_eq!(names(&pyramid), ["c", "x", "y"]);
}

#[test]
fn axes_that_do_not_fit_are_left_out() {
    for axes in [
        json!(["x", "y"]),
        json!("xyz"),
        json!(["x", "", "z"]),
        json!([1, 2, 3]),
    ] {
        let pyramid = stack(json!({"axes": axes}))
            .dataset("s0", &[9, 9, 9], json!({}))
            .recognise();
        assert_eq!(names(&pyramid), ["x", "y", "z"], "{axes}");
        check_note(
            &pyramid,
            NoteKind::LeftOut,
            "`axes` does not name 3 dimensions",
        );
    }
}
