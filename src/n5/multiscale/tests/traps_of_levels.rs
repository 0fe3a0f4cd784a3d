//! What makes readers stumble over levels, factors and sizes: one test per trap.

use serde_json::{Value, json};

use super::super::{MultiscaleError, NoteKind};
use super::{Group, check_levels, check_no_doubts, check_note, stack, transform};

#[test]
fn groups_without_levels_are_no_pyramids() {
    assert_eq!(
        stack(json!({"pixelResolution": [1, 1, 1]})).try_recognise(),
        Ok(None)
    );
    for name in ["7", "s", "sx", "t0", "data", "s-1", "s+1"] {
        let group = Group::new("/stack", json!({})).dataset(name, &[4, 4], json!({}));
        assert_eq!(group.try_recognise(), Ok(None), "{name}");
    }
}

#[test]
fn cosem_transforms_that_differ_are_reported() {
    let listed = json!([{"path": "s0", "transform": {"axes": ["z", "y", "x"], "scale": [9, 9, 9], "translate": [0, 0, 0]}}]);
    let pyramid = stack(json!({"multiscales": [{"datasets": listed}]}))
        .dataset(
            "s0",
            &[9, 9, 9],
            transform(&json!(["z", "y", "x"]), &json!("C")),
        )
        .recognise();
    assert_eq!(pyramid.levels[0].scale, [3., 2., 1.]);
    check_note(
        &pyramid,
        NoteKind::Contradiction,
        "the one of the dataset counts",
    );
}

#[test]
fn multiscales_may_name_what_is_not_there() {
    let pyramid = stack(
        json!({"multiscales": [{"datasets": ["s0", "s1", "./fine/"]}, {"datasets": ["s0"]}]}),
    )
    .dataset(
        "s0",
        &[9, 9, 9],
        transform(&json!(["z", "y", "x"]), &json!("C")),
    )
    .dataset(
        "s4",
        &[9, 9, 9],
        transform(&json!(["z", "y", "x"]), &json!("C")),
    )
    .dataset(
        "fine",
        &[9, 9, 9],
        transform(&json!(["z", "y", "x"]), &json!("C")),
    )
    .recognise();
    let paths: Vec<_> = pyramid
        .levels
        .iter()
        .map(|level| level.path.as_str())
        .collect();
    assert_eq!(paths, ["s0", "fine"]);
    check_note(
        &pyramid,
        NoteKind::LeftOut,
        "/stack/s1: left out: `multiscales` names it",
    );
    check_note(
        &pyramid,
        NoteKind::LeftOut,
        "/stack/s4: left out: `multiscales` does not name it",
    );
    check_note(&pyramid, NoteKind::LeftOut, "describes 2 images");
}

#[test]
fn an_origin_of_the_finest_level_only_is_reported() {
    let moved = |translate: Value| json!({"transform": {"axes": ["z", "y", "x"], "scale": [1, 1, 1], "translate": translate}});
    let pyramid = stack(json!({}))
        .dataset("s0", &[9, 9, 9], moved(json!([5, 5, 5])))
        .dataset("s1", &[9, 9, 9], moved(json!([0, 0, 0])))
        .recognise();
    check_note(
        &pyramid,
        NoteKind::Contradiction,
        "only this level is moved",
    );
    let pyramid = stack(json!({}))
        .dataset(
            "s0",
            &[8, 8, 8],
            json!({"resolution": [2, 2, 2], "offset": [100, 0, 0]}),
        )
        .dataset("s1", &[4, 4, 4], json!({"resolution": [4, 4, 4]}))
        .recognise();
    check_levels(
        &pyramid,
        &[
            ("s0", &[2., 2., 2.], &[100., 0., 0.]),
            ("s1", &[4., 4., 4.], &[101., 1., 1.]),
        ],
    );
    check_note(&pyramid, NoteKind::Guessed, "it has no `offset`");
}

#[test]
fn an_origin_that_the_dialect_does_not_know_is_reported() {
    let pyramid = stack(json!({"pixelResolution": [1, 1]}))
        .dataset("s0", &[9, 9], json!({"offset": [100, 0]}))
        .recognise();
    assert_eq!(pyramid.levels[0].translation, [0., 0.]);
    check_note(
        &pyramid,
        NoteKind::LeftOut,
        "its `offset` belongs to no dialect here",
    );
}

#[test]
fn factors_from_names_are_noted() {
    let pyramid = stack(json!({}))
        .dataset("s3", &[10, 10, 10], json!({}))
        .recognise();
    check_levels(&pyramid, &[("s3", &[8., 8., 8.], &[3.5, 3.5, 3.5])]);
    check_note(&pyramid, NoteKind::Guessed, "the factor is 8");
    check_note(&pyramid, NoteKind::Guessed, "uncalibrated");
}

#[test]
fn other_names_have_the_factors_of_their_place_in_multiscales() {
    let group = |scales: Value| {
        let listed = json!([{"datasets": ["fine", "7"]}]);
        stack(json!({"multiscales": listed, "pixelResolution": [4, 4], "scales": scales}))
            .dataset("7", &[4, 4], json!({}))
            .dataset("fine", &[8, 8], json!({}))
            .recognise()
    };
    let pyramid = group(json!([[1, 1], [2, 2]]));
    check_levels(
        &pyramid,
        &[("fine", &[4., 4.], &[0., 0.]), ("7", &[8., 8.], &[2., 2.])],
    );
    check_no_doubts(&pyramid);
    let pyramid = group(json!([]));
    assert_eq!(pyramid.levels[1].scale, [4., 4.]);
    check_note(
        &pyramid,
        NoteKind::Guessed,
        "/stack/7: guessed: no factors are stated",
    );
}

#[test]
fn a_growing_resolution_tells_more_than_a_name() {
    let pyramid = stack(json!({}))
        .dataset("s0", &[90, 90, 9], json!({"pixelResolution": [4, 4, 40]}))
        .dataset("s1", &[30, 30, 9], json!({"pixelResolution": [12, 12, 40]}))
        .recognise();
    check_levels(
        &pyramid,
        &[
            ("s0", &[4., 4., 40.], &[0., 0., 0.]),
            ("s1", &[12., 12., 40.], &[4., 4., 0.]),
        ],
    );
    check_note(
        &pyramid,
        NoteKind::Guessed,
        "how the pixel resolution grows",
    );
}

#[test]
fn a_resolution_that_holds_the_factors_is_not_multiplied_again() {
    let own = json!({"pixelResolution": [8, 8, 40], "downsamplingFactors": [2, 2, 1]});
    let pyramid = stack(json!({}))
        .dataset("s0", &[90, 90, 9], json!({"pixelResolution": [4, 4, 40]}))
        .dataset("s1", &[45, 45, 9], own)
        .recognise();
    assert_eq!(pyramid.levels[1].scale, [8., 8., 40.]);
    check_note(&pyramid, NoteKind::Contradiction, "not applied twice");
    // With the factors of a group, that is how it is written.
    let pyramid = stack(json!({"scales": [[1, 1, 1], [2, 2, 1]]}))
        .dataset("s0", &[90, 90, 9], json!({"pixelResolution": [4, 4, 40]}))
        .dataset("s1", &[45, 45, 9], json!({"pixelResolution": [8, 8, 40]}))
        .recognise();
    assert_eq!(pyramid.levels[1].scale, [8., 8., 40.]);
    check_no_doubts(&pyramid);
}

#[test]
fn sizes_never_tell_the_scale() {
    // Floored level by level, ceiled, in thirds, cropped.
    for (sizes, factor, is_doubtful) in [
        ([101, 12], 8, false),
        ([101, 13], 8, false),
        ([100, 11], 9, false),
        ([100, 40], 2, true),
    ] {
        let [fine, coarse] = sizes;
        let pyramid = stack(json!({"pixelResolution": [1, 1]}))
            .dataset("s0", &[fine, fine], json!({}))
            .dataset(
                "s1",
                &[coarse, coarse],
                json!({"downsamplingFactors": [factor, factor]}),
            )
            .recognise();
        assert_eq!(pyramid.levels[1].scale, [f64::from(factor); 2]);
        if is_doubtful {
            check_note(&pyramid, NoteKind::Contradiction, "which count");
        } else {
            check_no_doubts(&pyramid);
        }
    }
}

#[test]
fn factors_in_reversed_order_are_reported() {
    let pyramid = stack(json!({"pixelResolution": [1, 1, 1]}))
        .dataset("s0", &[100, 100, 10], json!({}))
        .dataset(
            "s1",
            &[50, 50, 10],
            json!({"downsamplingFactors": [1, 2, 2]}),
        )
        .recognise();
    assert_eq!(pyramid.levels[1].scale, [1., 2., 2.]);
    check_note(&pyramid, NoteKind::Contradiction, "backwards only");
}

#[test]
fn empty_absent_and_foreign_levels_are_left_out() {
    let pyramid =
        stack(json!({"scales": [[1, 1], [2, 2], [4, 4], [8, 8]], "pixelResolution": [1, 1]}))
            .dataset("s0", &[3, 3], json!({}))
            .dataset("s1", &[1, 1], json!({}))
            .dataset("s2", &[0, 0], json!({}))
            .dataset("s01", &[1, 1], json!({}))
            .recognise();
    check_levels(
        &pyramid,
        &[("s0", &[1., 1.], &[0., 0.]), ("s1", &[2., 2.], &[0.5, 0.5])],
    );
    check_note(
        &pyramid,
        NoteKind::LeftOut,
        "/stack/s2: left out: a dimension has the size 0",
    );
    check_note(
        &pyramid,
        NoteKind::LeftOut,
        "the group gives the factors of s3, but",
    );
    check_note(
        &pyramid,
        NoteKind::LeftOut,
        "/stack/s01: left out: it has the number of s1",
    );
    let pyramid = stack(json!({}))
        .dataset("s0", &[3, 3], json!({}))
        .dataset("s1", &[3, 3, 3], json!({}))
        .recognise();
    check_note(&pyramid, NoteKind::LeftOut, "it has 3 dimensions");
    let error = stack(json!({})).dataset("s0", &[0, 3], json!({})).error();
    assert!(matches!(error, MultiscaleError::NoLevels { .. }), "{error}");
    assert!(error.to_string().contains("size 0"), "{error}");
}

#[test]
fn no_scales_are_none() {
    let pyramid = stack(json!({"scales": [], "pixelResolution": [2, 2]}))
        .dataset("s0", &[8, 8], json!({}))
        .dataset("s1", &[4, 4], json!({"downsamplingFactors": [2, 2]}))
        .recognise();
    check_levels(
        &pyramid,
        &[("s0", &[2., 2.], &[0., 0.]), ("s1", &[4., 4.], &[1., 1.])],
    );
    check_no_doubts(&pyramid);
}

#[test]
fn shears_are_left_out_with_a_note() {
    let affine = json!([[1, -0.3, -0.25, 0], [0, 1.25, 0, 0], [0, 0, 0.85, 0]]);
    let pyramid = stack(json!({"affineTransform": affine, "pixelResolution": [1, 1, 1]}))
        .dataset("s0", &[9, 9, 9], json!({}))
        .recognise();
    assert_eq!(pyramid.levels[0].scale, [1., 1., 1.]);
    check_note(&pyramid, NoteKind::LeftOut, "turns, shears or mirrors");
}

#[test]
fn numbers_that_are_none_are_refused() {
    for resolution in [
        json!([1, 0, 1]),
        json!([1, -1, 1]),
        json!([1, null, 1]),
        json!("4 nm"),
        json!({"unit": "nm"}),
    ] {
        let error = stack(json!({"pixelResolution": resolution}))
            .dataset("s0", &[9, 9, 9], json!({}))
            .error();
        assert!(
            error
                .to_string()
                .starts_with("/stack: the member `pixelResolution` is "),
            "{error}"
        );
    }
    let error = stack(json!({"pixelResolution": [1e308, 1, 1]}))
        .dataset(
            "s1",
            &[9, 9, 9],
            json!({"downsamplingFactors": [100, 1, 1]}),
        )
        .error();
    assert!(
        matches!(
            error,
            MultiscaleError::OutOfRange {
                what: "scale",
                dimension: 0,
                ..
            }
        ),
        "{error}"
    );
    let error = stack(json!({}))
        .dataset("s2000", &[9, 9, 9], json!({}))
        .error();
    assert!(
        matches!(error, MultiscaleError::OutOfRange { .. }),
        "{error}"
    );
}

#[test]
fn the_finest_level_comes_first() {
    let pyramid =
        stack(json!({"multiscales": [{"datasets": ["b", "a"]}], "pixelResolution": [1, 1]}))
            .dataset("a", &[8, 8], json!({}))
            .dataset("b", &[4, 4], json!({"downsamplingFactors": [2, 2]}))
            .recognise();
    check_levels(
        &pyramid,
        &[("a", &[1., 1.], &[0., 0.]), ("b", &[2., 2.], &[0.5, 0.5])],
    );
    check_note(&pyramid, NoteKind::Contradiction, "ordered by the size");
}
