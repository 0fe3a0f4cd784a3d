//! Levels that are made, and what the metadata says of them.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use zarrs_interop::n5::N5DataType;
use zarrs_interop::n5::rewrite::{Downsample, Levels, RewriteOptions};

use crate::support::{Folder, axes, positions};

fn options(how: Downsample) -> RewriteOptions {
    RewriteOptions::new()
        .with_chunk(vec![4; 3])
        .with_shard(vec![8; 3])
        .with_levels(Levels::Made(how))
}

/// A level made of a finer one by nested loops, both z, y, x.
fn made(
    finer: &[u64],
    shape: [u64; 3],
    factors: [u64; 3],
    element: impl Fn(&[u64]) -> u64,
) -> (Vec<u64>, [u64; 3]) {
    let coarse: [u64; 3] = std::array::from_fn(|d| shape[d].div_ceil(factors[d]));
    let elements = positions(&coarse).map(|at| {
        let mut window = Vec::new();
        let range = |d: usize| at[d] * factors[d]..((at[d] + 1) * factors[d]).min(shape[d]);
        for z in range(0) {
            for y in range(1) {
                for x in range(2) {
                    window.push(finer[((z * shape[1] + y) * shape[2] + x) as usize]);
                }
            }
        }
        element(&window)
    });
    (elements.collect(), coarse)
}

fn half_to_even(window: &[u64]) -> u64 {
    let sum: u128 = window.iter().map(|element| u128::from(*element)).sum();
    let len = window.len() as u128;
    let (floor, rest) = (sum / len, sum % len);
    let is_up = 2 * rest > len || 2 * rest == len && floor % 2 == 1;
    (floor + u128::from(is_up)) as u64
}

fn most_frequent(window: &[u64]) -> u64 {
    let mut counts = BTreeMap::new();
    for element in window {
        *counts.entry(*element).or_insert(0) += 1;
    }
    let most = *counts.values().max().unwrap();
    *counts.iter().find(|(_, count)| **count == most).unwrap().0
}

fn check(how: Downsample, by_loops: fn(&[u64]) -> u64, element: fn(&[u64]) -> u64) {
    let folder = Folder::new();
    let mut attributes = axes(&["x", "y", "z"]);
    attributes["pixelResolution"] = json!({"dimensions": [4., 4., 10.], "unit": "nm"});
    let shape = ([21, 18, 7], [8, 8, 4]);
    folder.dataset(
        "s0",
        (&shape.0, &shape.1),
        N5DataType::UInt64,
        &attributes,
        element,
    );
    folder.run("s0", &options(how));
    let finest: Vec<u64> = positions(&[7, 18, 21])
        .map(|at| element(&[at[2], at[1], at[0]]))
        .collect();
    assert_eq!(folder.elements::<u64>("s0"), finest);
    // z is halved once its voxels are shorter than twice the others.
    let (first, shape) = made(&finest, [7, 18, 21], [1, 2, 2], by_loops);
    assert_eq!(shape, [7, 9, 11]);
    assert_eq!(folder.elements::<u64>("s1"), first);
    let (second, shape) = made(&first, shape, [2, 2, 2], by_loops);
    assert_eq!(shape, [4, 5, 6]);
    assert_eq!(folder.elements::<u64>("s2"), second);
    let (third, shape) = made(&second, shape, [2, 2, 2], by_loops);
    assert_eq!(shape, [2, 3, 3]);
    assert_eq!(folder.elements::<u64>("s3"), third);
    assert!(!folder.out().join("s4").exists());
}

#[test]
fn images_are_made_by_mean() {
    // Beyond what 64-bit floating point holds.
    check(Downsample::Mean, half_to_even, |at| {
        u64::MAX - (at[0] * 3 + at[1] * 7 + at[2] * 11) % 17
    });
}

#[test]
fn labels_are_made_by_mode() {
    check(Downsample::Mode, most_frequent, |at| {
        (at[0] / 3 + 10 * (at[1] / 5) + 100 * (at[2] / 2)) * (1 << 40)
    });
}

fn transforms(folder: &Folder) -> Vec<(String, Value, Value)> {
    let document = folder.document("zarr.json");
    let datasets = document["attributes"]["ome"]["multiscales"][0]["datasets"].clone();
    datasets
        .as_array()
        .unwrap()
        .iter()
        .map(|dataset| {
            let steps = &dataset["coordinateTransformations"];
            let path = dataset["path"].as_str().unwrap().to_owned();
            (
                path,
                steps[0]["scale"].clone(),
                steps[1]["translation"].clone(),
            )
        })
        .collect()
}

#[test]
fn the_metadata_says_where_levels_lie() {
    let folder = Folder::new();
    let mut attributes = axes(&["x", "y", "z"]);
    attributes["pixelResolution"] = json!({"dimensions": [4., 4., 10.], "unit": "nm"});
    folder.dataset(
        "s0",
        (&[16, 16, 8], &[8; 3]),
        N5DataType::UInt8,
        &attributes,
        |_| 1_u8,
    );
    folder.run("s0", &options(Downsample::Mean));
    let expected = [
        ("s0", json!([10., 4., 4.]), json!([0., 0., 0.])),
        ("s1", json!([10., 8., 8.]), json!([0., 2., 2.])),
        ("s2", json!([20., 16., 16.]), json!([5., 6., 6.])),
    ];
    let expected = expected.map(|(path, scale, translation)| (path.to_owned(), scale, translation));
    assert_eq!(transforms(&folder), expected);
    let image = &folder.document("zarr.json")["attributes"]["ome"]["multiscales"][0];
    assert_eq!(
        image["axes"][0],
        json!({"name": "z", "type": "space", "unit": "nanometer"})
    );
}

#[test]
fn the_levels_of_the_source_are_rewritten_as_they_are() {
    let folder = Folder::new();
    folder.group(
        "image",
        &json!({"axes": ["x", "y", "z"], "units": ["nm", "nm", "nm"]}),
    );
    for (level, edge, factor) in [("s0", 12, 1.), ("s1", 6, 2.), ("s2", 3, 4.)] {
        let attributes = json!({
            "transform": {
                "axes": ["z", "y", "x"],
                "scale": [factor * 3., factor * 4., factor * 4.],
                "translate": [7., 0., 1.],
                "units": ["nm", "nm", "nm"],
            },
        });
        let path = format!("image/{level}");
        let shape = ([edge; 3], [4; 3]);
        folder.dataset(
            &path,
            (&shape.0, &shape.1),
            N5DataType::UInt8,
            &attributes,
            |at| (at[0] + 12 * at[1] + edge * at[2]) as u8,
        );
    }
    // The container has one pyramid, so that its root will do.
    let options = RewriteOptions::new()
        .with_chunk(vec![4; 3])
        .with_shard(vec![8; 3]);
    let report = folder.run("/", &options);
    assert_eq!(report.written, 8 + 1 + 1);
    for (level, edge) in [("s0", 12), ("s1", 6), ("s2", 3)] {
        let expected: Vec<u8> = positions(&[edge; 3])
            .map(|at| (at[2] + 12 * at[1] + edge * at[0]) as u8)
            .collect();
        assert_eq!(folder.elements::<u8>(level), expected, "{level}");
    }
    let found = transforms(&folder);
    assert_eq!(
        found[2],
        ("s2".to_owned(), json!([12., 16., 16.]), json!([7., 0., 1.]))
    );
    std::fs::remove_dir_all(folder.out()).unwrap();
    folder.run("/", &options.with_levels(Levels::Finest));
    assert!(!folder.out().join("s1").exists());
}

#[test]
fn time_and_channels_are_kept_when_levels_are_made() {
    let folder = Folder::new();
    let names = axes(&["x", "y", "c", "z", "t"]);
    folder.dataset(
        "s0",
        (&[8, 8, 3, 8, 2], &[8, 8, 1, 8, 1]),
        N5DataType::UInt8,
        &names,
        |at| (10 * at[2] + 100 * at[4]) as u8,
    );
    let options = RewriteOptions::new()
        .with_chunk(vec![4, 4, 4])
        .with_shard(vec![8, 8, 8])
        .with_levels(Levels::Made(Downsample::Mean));
    folder.run("s0", &options);
    assert_eq!(folder.array("s1").shape(), [2, 3, 4, 4, 4]);
    let expected: Vec<u8> = positions(&[2, 3, 4, 4, 4])
        .map(|at| (10 * at[1] + 100 * at[0]) as u8)
        .collect();
    assert_eq!(folder.elements::<u8>("s1"), expected);
}
