use serde_json::json;

use super::*;
use crate::n5::attributes::N5Metadata;
use crate::n5::multiscale::{Axis, Dialect};

/// A source with levels of these dimensions, in N5's order.
fn source(axes: &[&str], levels: &[&[u64]]) -> Source {
    let placed = levels.iter().enumerate().map(|(index, _)| Level {
        path: format!("s{index}"),
        scale: vec![1.; axes.len()],
        translation: vec![0.; axes.len()],
    });
    let datasets = levels.iter().enumerate().map(|(index, dimensions)| {
        let document = json!({
            "dimensions": dimensions,
            "blockSize": vec![64; axes.len()],
            "dataType": "uint16",
            "compression": {"type": "raw"},
        });
        let document = N5Metadata::parse(document.to_string().as_bytes(), "/").unwrap();
        let N5Metadata::Dataset(attributes) = document else {
            panic!("it is a dataset");
        };
        SourceLevel {
            node_path: format!("/image/s{index}"),
            attributes,
        }
    });
    Source {
        node_path: "/image".to_owned(),
        pyramid: Pyramid {
            dialect: Dialect::N5Viewer,
            name: None,
            axes: axes.iter().map(|name| Axis::named(name)).collect(),
            levels: placed.collect(),
            is_label: false,
            notes: Vec::new(),
        },
        levels: datasets.collect(),
    }
}

#[test]
fn five_dimensions_come_in_the_order_of_ome_zarr() {
    let source = source(&["x", "y", "c", "z", "t"], &[&[100, 90, 2, 30, 5]]);
    let plan = RewritePlan::new(source, &RewriteOptions::new()).unwrap();
    assert_eq!(plan.order(), [4, 2, 3, 1, 0]);
    assert_eq!(plan.levels()[0].shape(), [5, 2, 30, 90, 100]);
}

#[test]
fn dimensions_without_names_are_reversed() {
    let source = source(&["a", "b", "x"], &[&[3, 4, 5]]);
    let plan = RewritePlan::new(source, &RewriteOptions::new()).unwrap();
    assert_eq!(plan.levels()[0].shape(), [5, 4, 3]);
}

#[test]
fn the_stored_order_is_kept_if_asked_for() {
    let source = source(&["x", "y", "z"], &[&[3, 4, 5]]);
    let options = RewriteOptions::new().with_order(OutputOrder::Stored);
    let plan = RewritePlan::new(source, &options).unwrap();
    assert_eq!(plan.levels()[0].shape(), [3, 4, 5]);
}

#[test]
fn levels_of_the_source_are_one_phase() {
    let source = source(&["x", "y", "z"], &[&[200, 200, 200], &[100, 100, 100]]);
    let plan = RewritePlan::new(source.clone(), &RewriteOptions::new()).unwrap();
    assert_eq!((plan.levels().len(), plan.phases()), (2, 1));
    let finest = RewriteOptions::new().with_levels(Levels::Finest);
    let plan = RewritePlan::new(source, &finest).unwrap();
    assert_eq!(plan.levels().len(), 1);
}

#[test]
fn every_level_that_is_made_is_a_phase() {
    let source = source(&["x", "y", "z"], &[&[200, 200, 200], &[100, 100, 100]]);
    let options = RewriteOptions::new()
        .with_chunk(vec![64, 64, 64])
        .with_levels(Levels::Made(Downsample::Mean));
    let plan = RewritePlan::new(source, &options).unwrap();
    let levels: Vec<_> = plan
        .levels()
        .iter()
        .map(|level| (level.path(), level.phase(), level.shape()[0]))
        .collect();
    assert_eq!(levels, [("s0", 0, 200), ("s1", 1, 100), ("s2", 2, 50)]);
    assert_eq!(plan.pyramid().levels[2].translation, [1.5, 1.5, 1.5]);
    let options = options.with_phase(3);
    assert!(
        RewritePlan::new(
            super::tests::source(&["x", "y", "z"], &[&[200, 200, 200]]),
            &options
        )
        .is_err_and(|error| matches!(error, RewriteError::Phase { phase: 3, last: 2 }))
    );
}

#[test]
fn a_mean_of_labels_is_noted() {
    let mut source = source(&["x", "y", "z"], &[&[200, 200, 200]]);
    source.pyramid.is_label = true;
    let notes = |how| {
        let options = RewriteOptions::new().with_levels(Levels::Made(how));
        let plan = RewritePlan::new(source.clone(), &options).unwrap();
        plan.pyramid().notes.len()
    };
    assert_eq!((notes(Downsample::Mean), notes(Downsample::Mode)), (1, 0));
}

#[test]
fn levels_are_not_made_of_dimensions_that_are_not_known() {
    let source = source(&["x", "y", "q"], &[&[200, 200, 200]]);
    let options = RewriteOptions::new().with_levels(Levels::Made(Downsample::Mode));
    let error = RewritePlan::new(source, &options).unwrap_err();
    assert!(
        matches!(error, RewriteError::UnknownSpace { found: 1, .. }),
        "{error}"
    );
}

#[test]
fn a_short_shape_is_that_of_the_dimensions_of_space() {
    let source = source(&["x", "y", "c", "z", "t"], &[&[100, 90, 2, 30, 5]]);
    let options = RewriteOptions::new()
        .with_chunk(vec![8, 32, 32])
        .with_shard(vec![16, 64, 64]);
    let plan = RewritePlan::new(source, &options).unwrap();
    assert_eq!(plan.levels()[0].chunk(), [1, 1, 8, 32, 32]);
    assert_eq!(plan.levels()[0].shard(), [1, 1, 16, 64, 64]);
    let cube = RewriteOptions::new().with_chunk(vec![8]);
    let of_cube = RewritePlan::new(self::source(&["x", "y", "c"], &[&[9, 9, 9]]), &cube).unwrap();
    assert_eq!(of_cube.levels()[0].chunk(), [1, 8, 8]);
    let error = RewritePlan::new(
        self::source(&["x", "y", "z"], &[&[9, 9, 9]]),
        &RewriteOptions::new().with_chunk(vec![1, 2]),
    );
    assert_eq!(
        error.unwrap_err().to_string(),
        "the shape of chunks has 2 lengths: expected 3, one for each dimension, or one for each \
         dimension of space, or a single one for all of these"
    );
}

#[test]
fn memory_is_a_shard_per_thread_and_little_else() {
    let source = source(&["x", "y", "z"], &[&[1024, 1024, 1024]]);
    let options = RewriteOptions::new()
        .with_chunk(vec![64; 3])
        .with_shard(vec![256; 3]);
    let plan = RewritePlan::new(source, &options).unwrap();
    let shard = 2 * 256_u64.pow(3);
    assert!(plan.memory(2) >= 2 * shard + BASE_MEMORY);
    assert!(plan.memory(2) <= 2 * 2 * shard + (64 << 20));
}

#[test]
fn coarser_levels_are_named_on() {
    assert_eq!(coarser_name("s0", 1), "s1");
    assert_eq!(coarser_name("s3", 2), "s5");
    assert_eq!(coarser_name("data/s0", 2), "data/s2");
    assert_eq!(coarser_name("full", 1), "full_1");
}
