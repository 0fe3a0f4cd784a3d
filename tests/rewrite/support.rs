//! N5 to rewrite, and the output read by plain zarrs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::TempDir;
use zarrs::array::{Array, ArraySubset, Element, ElementOwned};
use zarrs::filesystem::FilesystemStore;
use zarrs_interop::n5::rewrite::{Rewrite, RewriteError, RewriteOptions, RewriteReport};
use zarrs_interop::n5::{N5DataType, open_array};

/// A container and a place for the output.
pub(crate) struct Folder {
    folder: TempDir,
}

impl Folder {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("in.n5")).unwrap();
        let root = folder.path().join("in.n5/attributes.json");
        std::fs::write(root, r#"{"n5": "2.0.0"}"#).unwrap();
        Self { folder }
    }

    pub(crate) fn source(&self) -> PathBuf {
        self.folder.path().join("in.n5")
    }

    pub(crate) fn out(&self) -> PathBuf {
        self.folder.path().join("out.zarr")
    }

    /// Writes attributes of a group.
    pub(crate) fn group(&self, path: &str, attributes: &Value) {
        let folder = self.source().join(path);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("attributes.json"), attributes.to_string()).unwrap();
    }

    /// Writes a dataset, gzip, with the elements that `element` gives by position, dimension 0
    /// first.
    pub(crate) fn dataset<T: Element>(
        &self,
        path: &str,
        (shape, block): (&[u64], &[u64]),
        data_type: N5DataType,
        attributes: &Value,
        element: impl Fn(&[u64]) -> T,
    ) {
        let mut document = attributes.clone();
        document["dimensions"] = json!(shape);
        document["blockSize"] = json!(block);
        document["dataType"] = json!(data_type.name());
        document["compression"] = json!({"type": "gzip", "level": 1});
        self.group(path, &document);
        let store = FilesystemStore::new(self.source()).unwrap();
        let array = open_array(store, path).unwrap();
        let elements: Vec<T> = positions(shape)
            .map(|position| element(&position))
            .collect();
        array
            .store_array_subset(&array.subset_all(), &elements)
            .unwrap();
    }

    pub(crate) fn open(
        &self,
        path: &str,
        options: &RewriteOptions,
    ) -> Result<Rewrite<FilesystemStore>, RewriteError> {
        Rewrite::open(FilesystemStore::new(self.source()).unwrap(), path, options)
    }

    pub(crate) fn run(&self, path: &str, options: &RewriteOptions) -> RewriteReport {
        self.try_run(path, options).unwrap()
    }

    pub(crate) fn try_run(
        &self,
        path: &str,
        options: &RewriteOptions,
    ) -> Result<RewriteReport, RewriteError> {
        self.open(path, options)?.run(&self.out(), |_| ())
    }

    /// An array of the output.
    pub(crate) fn array(&self, path: &str) -> Array<FilesystemStore> {
        let store = FilesystemStore::new(self.out()).unwrap();
        Array::open(Arc::new(store), &format!("/{path}")).unwrap()
    }

    /// All elements of an array of the output, in C order.
    pub(crate) fn elements<T: ElementOwned>(&self, path: &str) -> Vec<T> {
        let array = self.array(path);
        array
            .retrieve_array_subset(&ArraySubset::new_with_shape(array.shape().to_vec()))
            .unwrap()
    }

    pub(crate) fn document(&self, path: &str) -> Value {
        let document = std::fs::read(self.out().join(path)).unwrap();
        serde_json::from_slice(&document).unwrap()
    }

    /// The shards of a level by their names below `c`, and everything else that is there.
    pub(crate) fn shards(&self, level: &str) -> BTreeMap<String, Vec<u8>> {
        let folder = self.out().join(level).join("c");
        files(&folder)
            .into_iter()
            .filter_map(|file| {
                let name = file
                    .strip_prefix(&folder)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned();
                // A run that is at work may have renamed it.
                Some((name, std::fs::read(&file).ok()?))
            })
            .collect()
    }
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(folder) else {
            continue;
        };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found
}

/// All positions of a shape in C order.
pub(crate) fn positions(shape: &[u64]) -> impl Iterator<Item = Vec<u64>> + use<> {
    let shape = shape.to_vec();
    (0..shape.iter().product()).map(move |mut number: u64| {
        let mut position: Vec<u64> = shape
            .iter()
            .rev()
            .map(|len| {
                let at = number % len;
                number /= len;
                at
            })
            .collect();
        position.reverse();
        position
    })
}

/// A number that differs between neighbours along every dimension.
pub(crate) fn mixed(position: &[u64]) -> u64 {
    position
        .iter()
        .zip([3, 7, 19, 101, 41])
        .map(|(at, factor)| at * factor)
        .sum::<u64>()
        + 1
}

/// Attributes with these axes, dimension 0 first.
pub(crate) fn axes(names: &[&str]) -> Value {
    json!({ "axes": names })
}
