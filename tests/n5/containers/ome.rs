//! OME-Zarr 0.5 metadata of the pyramids in `tests/data/containers`.
//!
//! With `ZARRS_INTEROP_OME` naming a folder, the groups and arrays stay there, and `.ci/interop`
//! has a Python model of OME-Zarr check them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use zarrs::array::{ArrayBuilder, data_type};
use zarrs::filesystem::FilesystemStore;
use zarrs::group::GroupBuilder;
use zarrs_interop::n5::multiscale::{OmeError, OmeOrder, ome_attributes};
use zarrs_interop::n5::{DimensionOrder, InPlaceOptions, add_zarr_metadata};

use super::pyramids::{attributes, containers, recognise_node};

#[test]
fn every_pyramid_with_names_is_described() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = std::env::var_os("ZARRS_INTEROP_OME")
        .map_or_else(|| temporary.path().to_owned(), PathBuf::from);
    let (mut described, mut unnamed) = (0, 0);
    for (container, expected) in containers() {
        let name = container.file_stem().unwrap();
        for expected in expected.pyramids {
            let pyramid = recognise_node(&container, &expected.group)
                .unwrap()
                .unwrap();
            if pyramid.levels.iter().any(|level| level.path.is_empty()) {
                // A dataset on its own has no group that could describe it.
                continue;
            }
            let attributes_of_group = match ome_attributes(&pyramid, OmeOrder::Reversed) {
                Ok(attributes) => attributes,
                Err(OmeError::Unnamed {
                    dimension: 2,
                    dimensionality: 5,
                }) => {
                    unnamed += 1;
                    continue;
                }
                Err(error) => panic!("{}: {error}", expected.group),
            };
            let path = folder.join(name).join(&expected.group);
            std::fs::create_dir_all(&path).unwrap();
            let store = Arc::new(FilesystemStore::new(&path).unwrap());
            let mut group = GroupBuilder::new();
            group.attributes(attributes_of_group);
            group
                .build(store.clone(), "/")
                .unwrap()
                .store_metadata()
                .unwrap();
            let reversed = pyramid.reversed();
            for level in &reversed.levels {
                let dataset = attributes(&container.join(&expected.group).join(&level.path));
                let mut shape: Vec<u64> =
                    serde_json::from_value(Value::clone(&dataset["dimensions"])).unwrap();
                shape.reverse();
                let chunk = vec![64; shape.len()];
                let names = reversed.axes.iter().map(|axis| axis.name.clone());
                ArrayBuilder::new(shape, chunk, data_type::uint8(), 0u8)
                    .dimension_names(Some(names))
                    .build(store.clone(), &format!("/{}", level.path))
                    .unwrap()
                    .store_metadata()
                    .unwrap();
            }
            described += 1;
        }
    }
    assert_eq!((described, unnamed), (14, 1));
}

/// With `ZARRS_INTEROP_OME_CONVERTED` naming a folder, the containers stay there, one folder for
/// each order, for `.ci/interop` to read.
#[test]
fn containers_are_converted_in_place() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = std::env::var_os("ZARRS_INTEROP_OME_CONVERTED")
        .map_or_else(|| temporary.path().to_owned(), PathBuf::from);
    for (name, order) in [
        ("stored", DimensionOrder::AsStored),
        ("zyx", DimensionOrder::Reversed),
    ] {
        let mut described = 0;
        for (container, expected) in containers() {
            let copy = folder.join(name).join(container.file_name().unwrap());
            copy_folder(&container, &copy);
            let options = InPlaceOptions::new()
                .with_dimension_order(order)
                .with_ome(true);
            let store = FilesystemStore::new(&copy).unwrap();
            let report = add_zarr_metadata(&store, &options, |_| {}).unwrap();
            for expected in expected.pyramids {
                let path = format!("/{}", expected.group);
                let mut pyramids = report.pyramids().iter();
                match pyramids.find(|pyramid| pyramid.group_path == path) {
                    Some(pyramid) if pyramid.refusal.is_none() => described += 1,
                    Some(pyramid) => assert_eq!(path, "/hyper", "{pyramid}"),
                    // A dataset on its own has no group that could describe it.
                    None => assert_eq!(path, "/crops/gt"),
                }
            }
        }
        assert_eq!(described, 14, "{name}");
    }
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
