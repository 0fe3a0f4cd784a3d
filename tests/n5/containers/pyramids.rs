//! Containers as people have them, made by `scripts/make_containers.py`: which pyramids are in
//! them, what their elements are, and which of their blocks are broken.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};
use zarrs::array::Array;
use zarrs::filesystem::FilesystemStore;
use zarrs_interop::n5::N5DefaultStore;
use zarrs_interop::n5::multiscale::{
    DatasetView, GroupView, MultiscaleError, MultiscaleOptions, Pyramid, bdv_voxel_sizes,
    recognise, recognise_dataset,
};

use super::cases::data;

/// What `manifest.json` says of a container.
#[derive(Deserialize)]
pub(super) struct Container {
    pub(super) datasets: Vec<Dataset>,
    pub(super) pyramids: Vec<Expected>,
    not_arrays: Vec<NotArray>,
    #[serde(default)]
    pub(super) damage: Damage,
}

#[derive(Deserialize)]
pub(super) struct Dataset {
    pub(super) path: String,
    dimensions: Vec<u64>,
    /// Of the elements as big-endian bytes, dimension 0 fastest.
    crc32: u32,
}

#[derive(Deserialize)]
pub(super) struct Expected {
    pub(super) group: String,
    dialect: String,
    axes: Vec<Option<String>>,
    units: Vec<Option<String>>,
    levels: Vec<ExpectedLevel>,
}

#[derive(Deserialize)]
struct ExpectedLevel {
    path: String,
    scale: Vec<f64>,
    translation: Vec<f64>,
}

#[derive(Deserialize)]
struct NotArray {
    path: String,
    reason: String,
}

#[derive(Default, Deserialize)]
pub(super) struct Damage {
    pub(super) blocks: Vec<Broken>,
}

#[derive(Deserialize)]
pub(super) struct Broken {
    pub(super) key: String,
    wrong: String,
    /// Whether a reader can know.
    pub(super) detected: bool,
}

fn folder() -> PathBuf {
    data("containers")
}

/// The containers, with the path of each.
pub(super) fn containers() -> Vec<(PathBuf, Container)> {
    let manifest = fs::read(folder().join("manifest.json")).unwrap();
    let manifest: Map<String, Value> = serde_json::from_slice(&manifest).unwrap();
    manifest
        .into_iter()
        .map(|(name, container)| {
            let path = folder().join(format!("{name}.n5"));
            (path, serde_json::from_value(container).unwrap())
        })
        .collect()
}

/// The attributes of a node; none if it has no document.
pub(super) fn attributes(node: &Path) -> Map<String, Value> {
    match fs::read(node.join("attributes.json")) {
        Ok(document) => serde_json::from_slice(&document).unwrap(),
        Err(_) => Map::new(),
    }
}

/// The attributes above a node, the parent first.
fn ancestors(container: &Path, path: &str) -> Vec<Map<String, Value>> {
    let above = Path::new(path).ancestors().skip(1);
    above
        .map(|path| attributes(&container.join(path)))
        .collect()
}

/// The datasets in a group.
fn children(group: &Path) -> Vec<(String, Map<String, Value>)> {
    let mut children = Vec::new();
    for entry in fs::read_dir(group).unwrap() {
        let entry = entry.unwrap();
        let attributes = attributes(&entry.path());
        if attributes.contains_key("dimensions") {
            children.push((entry.file_name().into_string().unwrap(), attributes));
        }
    }
    children
}

/// The voxel size of the setup in the XML beside the container, if there is one.
fn options(container: &Path, path: &str) -> MultiscaleOptions {
    let Ok(xml) = fs::read_to_string(container.with_extension("xml")) else {
        return MultiscaleOptions::new();
    };
    let digits = path.trim_start_matches("setup").split('/').next().unwrap();
    let setup: u32 = digits.parse().unwrap();
    let size = bdv_voxel_sizes(&xml)
        .into_iter()
        .find(|(id, _)| *id == setup);
    MultiscaleOptions::new().with_voxel_size(size.expect("the setup is in the XML").1)
}

pub(super) fn recognise_node(
    container: &Path,
    path: &str,
) -> Result<Option<Pyramid>, MultiscaleError> {
    let node = container.join(path);
    let attributes = attributes(&node);
    let above = ancestors(container, path);
    let above: Vec<_> = above.iter().collect();
    let (full_path, options) = (format!("/{path}"), options(container, path));
    if attributes.contains_key("dimensions") && !path.starts_with("setup") {
        return recognise_dataset(&full_path, &attributes, &above, &options);
    }
    let children = children(&node);
    let children: Vec<_> = children
        .iter()
        .map(|(path, attributes)| DatasetView { path, attributes })
        .collect();
    let group = GroupView {
        path: &full_path,
        attributes: &attributes,
        ancestors: &above,
        children: &children,
    };
    recognise(&group, &options)
}

fn near(one: &[f64], other: &[f64]) -> bool {
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|(one, other)| (one - other).abs() < 1e-9)
}

#[test]
fn every_pyramid_is_recognised() {
    let mut count = 0;
    for (container, expected) in containers() {
        for expected in expected.pyramids {
            let place = format!("{} {}", container.display(), expected.group);
            let pyramid = recognise_node(&container, &expected.group)
                .unwrap()
                .expect(&place);
            assert_eq!(pyramid.dialect.to_string(), expected.dialect, "{place}");
            let names: Vec<_> = pyramid.axes.iter().map(|axis| axis.name.clone()).collect();
            assert_eq!(names, expected.axes, "{place}");
            let units: Vec<_> = pyramid.axes.iter().map(|axis| axis.unit.clone()).collect();
            assert_eq!(units, expected.units, "{place}");
            assert_eq!(pyramid.levels.len(), expected.levels.len(), "{place}");
            for (level, expected) in pyramid.levels.iter().zip(&expected.levels) {
                assert_eq!(level.path, expected.path, "{place}");
                assert!(near(&level.scale, &expected.scale), "{place}: {level:?}");
                assert!(
                    near(&level.translation, &expected.translation),
                    "{place}: {level:?}"
                );
            }
            count += 1;
        }
    }
    assert_eq!(count, 16);
}

#[test]
fn what_has_no_voxels_is_refused() {
    let mut count = 0;
    for (container, expected) in containers() {
        for refused in expected.not_arrays {
            let error = recognise_node(&container, &refused.path)
                .unwrap_err()
                .to_string();
            assert!(error.contains(&refused.reason), "{}: {error}", refused.path);
            count += 1;
        }
    }
    assert_eq!(count, 3);
}

#[test]
fn every_element_is_right() {
    let mut count = 0;
    for (container, expected) in containers() {
        let files = FilesystemStore::new(&container).unwrap();
        let store = Arc::new(N5DefaultStore::new(files));
        // Zarr cannot open names that begin with `__`.
        let openable = |dataset: &Dataset| !dataset.path.starts_with("__");
        for dataset in expected.datasets.into_iter().filter(openable) {
            let place = format!("{} {}", container.display(), dataset.path);
            let array = Array::open(store.clone(), &format!("/{}", dataset.path)).unwrap();
            assert_eq!(array.shape(), dataset.dimensions, "{place}");
            let elements: zarrs::array::ArrayBytes =
                array.retrieve_array_subset(&array.subset_all()).unwrap();
            let elements = elements.into_fixed().unwrap();
            let mut crc = flate2::Crc::new();
            crc.update(&as_in_n5(&elements, &dataset.dimensions));
            assert_eq!(crc.sum(), dataset.crc32, "{place}");
            count += 1;
        }
    }
    assert_eq!(count, 48);
}

/// Elements in C order and native bytes as big-endian bytes with dimension 0 fastest.
fn as_in_n5(elements: &[u8], dimensions: &[u64]) -> Vec<u8> {
    let dimensions: Vec<usize> = dimensions
        .iter()
        .map(|&size| size.try_into().unwrap())
        .collect();
    let count: usize = dimensions.iter().product();
    let size = elements.len() / count;
    let mut bytes = Vec::with_capacity(elements.len());
    for mut place in 0..count {
        let mut position = 0;
        let mut stride = count;
        for length in &dimensions {
            stride /= length;
            position += place % length * stride;
            place /= length;
        }
        let element = &elements[position * size..][..size];
        if cfg!(target_endian = "little") {
            bytes.extend(element.iter().rev());
        } else {
            bytes.extend(element);
        }
    }
    bytes
}

#[test]
fn broken_blocks_cost_only_themselves() {
    let mut count = 0;
    for (container, expected) in containers() {
        let store = Arc::new(N5DefaultStore::new(
            FilesystemStore::new(&container).unwrap(),
        ));
        let mut broken = Vec::new();
        for block in expected.damage.blocks {
            let (dataset, position) = position(&block.key);
            let array = Array::open(store.clone(), &format!("/{dataset}")).unwrap();
            let read = array.retrieve_chunk::<zarrs::array::ArrayBytes>(&position);
            let place = format!("{}: {}", block.key, block.wrong);
            assert_eq!(read.is_err(), block.detected, "{place}");
            broken.push((dataset, position));
            count += 1;
        }
        for dataset in broken.iter().map(|(dataset, _)| dataset) {
            let array = Array::open(store.clone(), &format!("/{dataset}")).unwrap();
            for position in [vec![0, 0], vec![13, 1]] {
                assert!(
                    array
                        .retrieve_chunk::<zarrs::array::ArrayBytes>(&position)
                        .is_ok()
                );
            }
        }
    }
    assert_eq!(count, 32);
}

/// The dataset and the position in the grid of a key.
fn position(key: &str) -> (String, Vec<u64>) {
    let (rest, second) = key.rsplit_once('/').unwrap();
    let (dataset, first) = rest.rsplit_once('/').unwrap();
    (
        dataset.to_owned(),
        vec![first.parse().unwrap(), second.parse().unwrap()],
    )
}
