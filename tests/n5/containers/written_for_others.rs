//! N5 containers written and converted with plain zarrs calls, for other implementations to read.
//!
//! Here they are read back with our own reader. With `ZARRS_INTEROP_WRITTEN` and
//! `ZARRS_INTEROP_CONVERTED` naming two folders they stay there, and `.ci/interop` has the other
//! implementations read them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use zarrs::filesystem::FilesystemStore;
use zarrs::group::Group;
use zarrs_interop::n5::convert::ChunkGrid;
use zarrs_interop::n5::{
    BlockHeader, InPlaceOptions, InPlaceReport, add_n5_metadata, add_zarr_metadata,
};

use super::cases::{self, Case, data, load};
use super::compare::{Outcome, check_cases, compare, n5_store, refusal};
use super::written;

/// The folder that an environment variable names, or one that goes away with the test.
struct Folder {
    path: PathBuf,
    _temporary: Option<tempfile::TempDir>,
}

impl Folder {
    fn new(variable: &str) -> Self {
        if let Some(path) = std::env::var_os(variable) {
            let path = PathBuf::from(path);
            fs::create_dir_all(&path).unwrap();
            return Self {
                path,
                _temporary: None,
            };
        }
        let temporary = tempfile::tempdir().unwrap();
        Self {
            path: temporary.path().to_owned(),
            _temporary: Some(temporary),
        }
    }
}

#[test]
fn what_is_written_reads_back() {
    let folder = Folder::new("ZARRS_INTEROP_WRITTEN");
    let cases = written::cases();
    written::write_all(&folder.path, &cases);
    check_cases("written", &cases, |case| {
        let container = folder.path.join(&case.container);
        check_attributes(case, &container)?;
        check_blocks(case, &container)?;
        compare(case, n5_store(&container, ChunkGrid::default())?)
    });
    check_groups(&folder.path.join("groups")).unwrap();
    assert_eq!(documents(&folder.path, "zarr.json"), [] as [PathBuf; 0]);
}

fn read_json(path: &Path) -> Outcome<Value> {
    Ok(serde_json::from_slice(&fs::read(path)?)?)
}

/// attributes.json has what N5 asks for, the attributes, and nothing else.
fn check_attributes(case: &Case, container: &Path) -> Outcome {
    let mut expected = json!({
        "dimensions": case.dims, "blockSize": case.block_size, "dataType": case.data_type,
        "compression": case.compression,
    });
    if case.container == "groups" {
        let members = expected.as_object_mut().ok_or("an object")?;
        members.extend(written::attributes());
        members.insert("axes".to_owned(), json!(["x", "y"]));
    }
    if case.dataset.is_empty() {
        expected["n5"] = json!("2.0.0");
    }
    let found = read_json(&container.join(&case.dataset).join("attributes.json"))?;
    if found != expected {
        return Err(format!("attributes.json is {found}, expected {expected}").into());
    }
    Ok(())
}

/// The blocks that must be there are, with the shape that the edge asks for, and no others.
fn check_blocks(case: &Case, container: &Path) -> Outcome {
    let counts = case.dims.iter().zip(&case.block_size);
    let grid: Vec<_> = counts.map(|(dim, block)| 0..dim.div_ceil(*block)).collect();
    for block in cases::coordinates(&grid) {
        let components: Vec<_> = block.iter().map(u64::to_string).collect();
        let file = container.join(&case.dataset).join(components.join("/"));
        if case.missing_blocks.contains(&block) {
            if file.exists() {
                return Err(format!("block {block:?} is there").into());
            }
            continue;
        }
        let bytes = fs::read(&file).map_err(|error| format!("block {block:?}: {error}"))?;
        let sizes = block.iter().zip(&case.block_size).zip(&case.dims);
        let expected: Vec<u64> = match case.edge.as_str() {
            "padded" => case.block_size.clone(),
            _ => sizes
                .map(|((at, size), dim)| (*size).min(dim - at * size))
                .collect(),
        };
        let found = BlockHeader::parse(&bytes)?.0;
        if found != BlockHeader::new(&expected)? {
            return Err(format!("block {block:?}: {found:?}, expected {expected:?}").into());
        }
    }
    Ok(())
}

/// `a` has attributes, `a/b` has none, and `a/b/c` has no document.
fn check_groups(container: &Path) -> Outcome {
    let expected = [
        ("/", json!({"n5": "2.0.0"})),
        ("/a", Value::Object(written::attributes())),
        ("/a/b", json!({})),
        ("/a/b/c", json!({})),
    ];
    for (path, expected) in expected {
        let group = Group::open(n5_store(container, ChunkGrid::default())?, path)?;
        assert_eq!(
            Value::Object(group.attributes().clone()),
            expected,
            "{path}"
        );
    }
    assert!(container.join("a/b/attributes.json").exists());
    assert!(!container.join("a/b/c/attributes.json").exists());
    Ok(())
}

type Contents = BTreeMap<PathBuf, Vec<u8>>;

/// Every file below `folder`.
fn contents(folder: &Path) -> Contents {
    let mut found = Contents::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(contents(&path));
        } else {
            let bytes = fs::read(&path).unwrap();
            found.insert(path, bytes);
        }
    }
    found
}

/// The documents of a name below `folder`.
fn documents(folder: &Path, name: &str) -> Vec<PathBuf> {
    let mut paths: Vec<_> = contents(folder).into_keys().collect();
    paths.retain(|path| path.ends_with(name));
    paths
}

fn copy(from: &Path, to: &Path) {
    for (path, bytes) in contents(from) {
        let target = to.join(path.strip_prefix(from).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::write(target, bytes).unwrap();
    }
}

fn convert(container: &Path) -> InPlaceReport {
    let store = FilesystemStore::new(container).unwrap();
    add_zarr_metadata(&store, &InPlaceOptions::new(), |_| {}).unwrap()
}

/// Converts every container of `folder` and reads it without any store of ours.
fn check_conversion(folder: &Path, cases: &[Case]) {
    let name = folder.display().to_string();
    for container in fs::read_dir(folder).unwrap() {
        let container = container.unwrap().path();
        if !container.is_dir() {
            continue;
        }
        let before = contents(&container);
        let report = convert(&container);
        // What is malformed is in a container of its own.
        assert!(
            report.failed() == 0 || container.ends_with("refused"),
            "{report:?}"
        );
        assert_eq!(report.unchanged(), 0, "{report:?}");
        let after = contents(&container);
        let added = added(&before, &after);
        assert_eq!(added.len(), report.converted(), "{added:?}");

        let again = convert(&container);
        assert_eq!(again.unchanged(), report.converted(), "{again:?}");
        assert_eq!(again.skipped(), report.skipped(), "{again:?}");
        assert!(contents(&container) == after, "{name} changed");
    }
    check_cases(&name, cases, |case| {
        if refusal(case).is_some() {
            return Ok(());
        }
        let store = FilesystemStore::new(folder.join(&case.container))?;
        compare(case, Arc::new(store))
    });
}

/// The files that are only in `after`, each a zarr.json; all others are as before.
fn added<'a>(before: &Contents, after: &'a Contents) -> Vec<&'a PathBuf> {
    for (path, bytes) in before {
        assert!(after.get(path) == Some(bytes), "{} changed", path.display());
    }
    let added: Vec<_> = after
        .keys()
        .filter(|path| !before.contains_key(*path))
        .collect();
    assert!(
        added.iter().all(|path| path.ends_with("zarr.json")),
        "{added:?}"
    );
    added
}

#[test]
fn what_others_wrote_is_converted_in_place() {
    let folder = Folder::new("ZARRS_INTEROP_CONVERTED");
    for name in ["java", "tensorstore", "z5py", "zarr_python_2"] {
        let copied = folder.path.join(name);
        copy(&data(name), &copied);
        check_conversion(&copied, &load(name));
    }
}

/// Every compression with `uint16`, and every data type raw: a document for the one is made as for
/// the other.
#[test]
fn what_we_wrote_is_converted_in_place_and_back() {
    let folder = Folder::new("ZARRS_INTEROP_CONVERTED");
    let ours = folder.path.join("zarrs_interop");
    fs::create_dir_all(&ours).unwrap();
    let mut cases = written::cases();
    cases.retain(|case| case.data_type == "uint16" || case.compression == json!({"type": "raw"}));
    written::write_all(&ours, &cases);
    check_conversion(&ours, &cases);
    check_way_back(&ours, &cases);
}

/// Takes every attributes.json away; what is made of each zarr.json must say the same.
fn check_way_back(folder: &Path, cases: &[Case]) {
    for document in documents(folder, "attributes.json") {
        fs::remove_file(document).unwrap();
    }
    let containers: BTreeSet<_> = cases.iter().map(|case| &case.container).collect();
    for container in containers {
        let store = FilesystemStore::new(folder.join(container)).unwrap();
        let report = add_n5_metadata(&store, &InPlaceOptions::new(), |_| {}).unwrap();
        assert_eq!((report.failed(), report.unchanged()), (0, 0), "{report:?}");
    }
    check_cases("converted back", cases, |case| {
        let container = folder.join(&case.container);
        check_attributes(case, &container)?;
        compare(case, n5_store(&container, ChunkGrid::default())?)
    });
}
