//! The N5 containers that we write for others to read: what they hold, and how they are written.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use serde_json::{Map, Value, json};
use zarrs::array::Array;
use zarrs::filesystem::FilesystemStore;
use zarrs::group::GroupBuilder;
use zarrs_interop::n5::{self, Compression, N5DataType, N5DefaultStore};

use super::cases::{Case, CaseElement, Formula, error_text, formula_a};
use super::compare::{Outcome, for_data_type};

type Store = N5DefaultStore<FilesystemStore>;

/// A shape that no block size divides, and the block size, for each rank.
const SHAPES: [(&[u64], &[u64]); 4] = [
    (&[5], &[3]),
    (&[5, 4], &[3, 3]),
    (&[5, 3, 3], &[3, 3, 2]),
    (&[3, 2, 3, 2], &[2, 2, 2, 2]),
];

/// The compressions of N5 as attributes.json has them, each with a name for its datasets.
fn compressions() -> Vec<(&'static str, Value)> {
    vec![
        ("raw", json!({"type": "raw"})),
        (
            "gzip",
            json!({"type": "gzip", "level": 6, "useZlib": false}),
        ),
        (
            "gzip_zlib",
            json!({"type": "gzip", "level": 6, "useZlib": true}),
        ),
        ("bzip2", json!({"type": "bzip2", "blockSize": 9})),
        ("xz", json!({"type": "xz", "preset": 6})),
        ("zstd", json!({"type": "zstd", "level": 3})),
        ("blosc", blosc("lz4", 5, 1, 0)),
        ("lz4", json!({"type": "lz4", "blockSize": 65_536})),
    ]
}

/// Compressions with other parameters than the usual ones.
fn parameters() -> Vec<(&'static str, Value)> {
    vec![
        (
            "gzip_0",
            json!({"type": "gzip", "level": 0, "useZlib": false}),
        ),
        (
            "gzip_9",
            json!({"type": "gzip", "level": 9, "useZlib": false}),
        ),
        (
            "gzip_zlib_1",
            json!({"type": "gzip", "level": 1, "useZlib": true}),
        ),
        ("bzip2_1", json!({"type": "bzip2", "blockSize": 1})),
        ("xz_0", json!({"type": "xz", "preset": 0})),
        ("xz_7", json!({"type": "xz", "preset": 7})),
        ("zstd_-5", json!({"type": "zstd", "level": -5})),
        ("zstd_19", json!({"type": "zstd", "level": 19})),
        ("blosc_blosclz", blosc("blosclz", 5, 1, 0)),
        ("blosc_lz4hc", blosc("lz4hc", 5, 1, 0)),
        ("blosc_zlib", blosc("zlib", 5, 1, 0)),
        ("blosc_zstd", blosc("zstd", 5, 2, 0)),
        ("blosc_noshuffle", blosc("lz4", 5, 0, 0)),
        ("blosc_clevel0", blosc("lz4", 0, 1, 0)),
        ("blosc_blocksize", blosc("lz4", 9, 1, 512)),
        ("lz4_64", json!({"type": "lz4", "blockSize": 64})),
    ]
}

fn blosc(cname: &str, clevel: i32, shuffle: i32, blocksize: i32) -> Value {
    json!({"type": "blosc", "cname": cname, "clevel": clevel, "shuffle": shuffle, "blocksize": blocksize})
}

/// Attributes of every JSON kind, and three whose meaning other readers know.
pub(crate) fn attributes() -> Map<String, Value> {
    let attributes = json!({
        "int": 42, "double": 0.1, "bool": true, "text": "Zürich 日本語", "list": [1.5, -2.0],
        "nested": {"deeper": [null, {"value": 3}]},
        "resolution": [4.0, 40.5], "units": ["nm", "nm"],
    });
    attributes.as_object().cloned().unwrap_or_default()
}

/// Every dataset that is written.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for edge in ["aligned", "truncated", "padded"] {
        for (shape, block_size) in SHAPES {
            let container = format!("{edge}_{}d", shape.len());
            for (name, compression) in compressions() {
                for data_type in N5DataType::ALL.map(N5DataType::name) {
                    let dataset = format!("{name}/{data_type}");
                    let case = case(&container, &dataset, data_type, shape, block_size);
                    cases.push(case.edge(edge).compressed(&compression));
                }
            }
        }
    }
    for (name, compression) in parameters() {
        let case = case("parameters", name, "uint16", &[20, 17, 4], &[16, 16, 4]);
        cases.push(case.compressed(&compression));
    }
    cases.extend(special_cases());
    cases
}

fn special_cases() -> [Case; 7] {
    let gzip = json!({"type": "gzip", "level": 6, "useZlib": false});
    let lz4 = |block_size: u32| json!({"type": "lz4", "blockSize": block_size});
    let noise = |case: Case, formula| Case {
        formula: Some(formula),
        ..case
    };
    let missing = |case: Case, missing_blocks: &[&[u64]]| Case {
        missing_blocks: missing_blocks.iter().map(|block| block.to_vec()).collect(),
        ..case
    };
    let sparse = case("sparse", "data", "int16", &[11, 7, 5], &[4, 3, 2]).compressed(&gzip);
    let empty = case("sparse", "empty", "uint16", &[5, 4], &[3, 4]);
    let stored =
        case("frames", "stored_and_not", "uint8", &[64, 12], &[64, 5]).compressed(&lz4(64));
    [
        missing(sparse, &[&[1, 1, 1], &[2, 2, 0], &[0, 0, 2]]),
        missing(empty, &[&[0, 0], &[1, 0]]),
        noise(
            case("frames", "noise", "uint8", &[40, 30], &[40, 30]).compressed(&gzip),
            Formula::B,
        ),
        noise(stored, Formula::C),
        case("frames", "several", "uint64", &[130, 70], &[130, 70]).compressed(&lz4(65_536)),
        case("groups", "a/b/c/described", "uint8", &[6, 5], &[4, 4]).compressed(&gzip),
        case("root_dataset", "", "uint8", &[7, 5], &[4, 3]).compressed(&gzip),
    ]
}

/// Raw, with truncated edges and without missing blocks.
fn case(container: &str, dataset: &str, data_type: &str, dims: &[u64], block_size: &[u64]) -> Case {
    Case {
        container: container.to_owned(),
        dataset: dataset.to_owned(),
        dims: dims.to_vec(),
        block_size: block_size.to_vec(),
        data_type: data_type.to_owned(),
        compression: json!({"type": "raw"}),
        formula: Some(formula_a(data_type)),
        edge: "truncated".to_owned(),
        notes: String::new(),
        missing_blocks: Vec::new(),
        refused: None,
    }
}

impl Case {
    fn compressed(self, compression: &Value) -> Self {
        Self {
            compression: compression.clone(),
            ..self
        }
    }

    fn edge(mut self, edge: &str) -> Self {
        edge.clone_into(&mut self.edge);
        if edge == "aligned" {
            let sizes = self.dims.iter_mut().zip(&self.block_size);
            sizes.for_each(|(dim, block)| *dim = dim.next_multiple_of(*block));
        }
        self
    }
}

/// Writes datasets into containers in `folder`, and the manifest beside them.
pub(crate) fn write_all(folder: &Path, cases: &[Case]) {
    let containers: BTreeSet<_> = cases.iter().map(|case| &case.container).collect();
    for container in containers {
        write_groups(&folder.join(container)).expect(container);
    }
    cases.par_iter().for_each(|case| {
        let written = write(case, &folder.join(&case.container));
        let text = written.err().map(|error| error_text(error.as_ref()));
        assert_eq!(text, None, "{}/{}", case.container, case.dataset);
    });
    let manifest = serde_json::to_vec(cases).expect("a manifest is JSON");
    fs::write(folder.join("manifest.json"), manifest).expect("the manifest can be written");
}

/// The groups of a container: the root, and in `groups` one with attributes and one without;
/// `a/b/c` gets no document.
fn write_groups(container: &Path) -> Outcome {
    let store = Arc::new(Store::new(FilesystemStore::new(container)?));
    if container.ends_with("root_dataset") {
        return Ok(());
    }
    GroupBuilder::new()
        .build(store.clone(), "/")?
        .store_metadata()?;
    if container.ends_with("groups") {
        let mut group = GroupBuilder::new();
        group.build(store.clone(), "/a/b")?.store_metadata()?;
        group
            .attributes(attributes())
            .build(store, "/a")?
            .store_metadata()?;
    }
    Ok(())
}

fn write(case: &Case, container: &Path) -> Outcome {
    let store = Arc::new(Store::new(FilesystemStore::new(container)?));
    let compression = case
        .compression
        .as_object()
        .ok_or("no compression object")?;
    let compression = Compression::from_json(compression)?;
    let data_type: N5DataType = case.data_type.parse()?;
    let (shape, block_size) = (case.dims.clone(), case.block_size.clone());
    let mut builder = n5::array_builder(shape, block_size.clone(), data_type, &compression)?;
    if case.edge == "padded" {
        builder.chunk_grid_metadata(block_size);
    }
    if case.container == "groups" {
        builder
            .attributes(attributes())
            .dimension_names(Some(["x", "y"]));
    }
    let array = builder.build(store, &case.node_path())?;
    array.store_metadata()?;
    for_data_type!(data_type, write_elements(case, &array))
}

/// zarrs does not store a block of nothing but the fill value, so that the missing ones stay
/// missing.
fn write_elements<T: CaseElement>(case: &Case, array: &Array<Store>) -> Outcome {
    let elements: Vec<T> = case.region(&case.everything()).ok_or("no formula")?;
    Ok(array.store_array_subset(&array.subset_all(), &elements)?)
}
