//! N5 containers that other implementations wrote, read through plain zarrs calls: every element of
//! every dataset.
//!
//! `tests/data/README.md` says where they come from.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use zarrs::array::Array;
use zarrs::filesystem::FilesystemStore;
use zarrs::group::Group;
use zarrs::storage::ReadableStorage;
use zarrs_interop::n5::convert::ChunkGrid;

use super::cases::{self, Case, CaseElement, data, error_text, formula_a, load};
use super::compare::{GRIDS, Outcome, check_cases, compare, n5_store, refusal};

/// Checks every case of a folder.
fn check_all(folder: &str, expected_cases: usize, check: impl Fn(&Case) -> Outcome) {
    let cases = load(folder);
    let found = cases.len();
    assert_eq!(found, expected_cases, "datasets in {folder}/manifest.json");
    check_cases(folder, &cases, check);
}

fn check_n5(folder: &str, expected_cases: usize) {
    check_all(folder, expected_cases, |case| {
        for grid in GRIDS {
            let store = n5_store(&data(folder).join(&case.container), grid)?;
            match refusal(case) {
                None => compare(case, store)?,
                Some(word) => check_refused(case, store, word)?,
            }
        }
        Ok(())
    });
}

/// The dataset must be refused, when it is opened or when it is read, with a text that says why.
fn check_refused(case: &Case, storage: ReadableStorage, word: &str) -> Outcome {
    let read = || -> Outcome<Vec<u8>> {
        let array = Array::open(storage, &case.node_path())?;
        let bytes: zarrs::array::ArrayBytes = array.retrieve_array_subset(&array.subset_all())?;
        Ok(bytes.into_fixed()?.into_owned())
    };
    match read() {
        Ok(_) => Err(format!("was read, expected a refusal that names `{word}`").into()),
        Err(error) => {
            let text = error_text(error.as_ref());
            let named = text.to_lowercase().contains(word);
            named
                .then_some(())
                .ok_or_else(|| format!("the refusal does not name `{word}`: {text}").into())
        }
    }
}

#[test]
fn n5_written_by_java() {
    check_n5("java", 18);
}

#[test]
fn n5_written_by_tensorstore() {
    check_n5("tensorstore", 105);
}

#[test]
fn n5_written_by_z5py() {
    check_n5("z5py", 92);
}

#[test]
fn n5_written_by_zarr_python_2() {
    check_n5("zarr_python_2", 107);
}

/// The zarr.json of the tool n5tozarr, straight from the file system, without any store of ours.
#[test]
fn zarr_json_written_by_n5tozarr() {
    check_all("zarr_n5", 10, |case| {
        let store = FilesystemStore::new(data("zarr_n5").join(&case.container))?;
        compare(case, Arc::new(store))
    });
}

/// What attributes.json says beside the dataset members.
fn own_attributes(document: &Path) -> Outcome<serde_json::Map<String, serde_json::Value>> {
    const DATASET_MEMBERS: [&str; 5] = [
        "dimensions",
        "blockSize",
        "dataType",
        "compression",
        "compressionType",
    ];
    let mut attributes: serde_json::Map<_, _> = serde_json::from_slice(&fs::read(document)?)?;
    attributes.retain(|name, _| !DATASET_MEMBERS.contains(&name.as_str()));
    Ok(attributes)
}

#[test]
fn attributes_are_those_of_the_documents() {
    for folder in ["java", "tensorstore", "z5py", "zarr_python_2"] {
        check_all(folder, load(folder).len(), |case| {
            if refusal(case).is_some() {
                return Ok(());
            }
            let container = data(folder).join(&case.container);
            let array = Array::open(n5_store(&container, ChunkGrid::Regular)?, &case.node_path())?;
            let expected = own_attributes(&container.join(&case.dataset).join("attributes.json"))?;
            if *array.attributes() != expected {
                return Err(format!("{:?}, expected {expected:?}", array.attributes()).into());
            }
            Ok(())
        });
    }
}

/// `a` has attributes (but for tensorstore, which has no groups); `a/b` and `a/b/c` have a document
/// only where zarr-python 2 wrote them.
#[test]
fn groups_open_with_and_without_a_document() -> Outcome {
    for folder in ["java", "tensorstore", "z5py", "zarr_python_2"] {
        let container = data(folder).join("groups");
        for path in ["", "a", "a/b", "a/b/c"] {
            let store = n5_store(&container, ChunkGrid::default())?;
            let group = Group::open(store, &format!("/{path}"))?;
            let document = container.join(path).join("attributes.json");
            let expected = if document.exists() {
                own_attributes(&document)?
            } else {
                serde_json::Map::new()
            };
            assert_eq!(*group.attributes(), expected, "{folder}/groups/{path}");
        }
    }
    Ok(())
}

/// The formulas themselves, against values that `scripts/n5_cases.py` computes with Python's big
/// integers.
#[test]
fn the_formulas_give_known_values() {
    fn value<T: CaseElement>(data_type: &str) -> T {
        formula_a(data_type).value(&[3, 4, 2, 1, 5], &[4, 5, 3, 2, 6])
    }
    assert_eq!(value::<u8>("uint8"), 112);
    assert_eq!(value::<i8>("int8"), -13);
    assert_eq!(value::<u16>("uint16"), 14911);
    assert_eq!(value::<i16>("int16"), -17849);
    assert_eq!(value::<u32>("uint32"), 387_937_747);
    assert_eq!(value::<i32>("int32"), -1_759_545_898);
    assert_eq!(value::<u64>("uint64"), 248_936_958_229_423_126);
    assert_eq!(value::<i64>("int64"), -8_974_435_078_625_352_652);
    assert_eq!(value::<f32>("float32").to_bits(), 23439.25_f32.to_bits());
    assert_eq!(value::<f64>("float64").to_bits(), 23439.25_f64.to_bits());

    let points = [[0, 0], [6, 4], [3, 1], [5, 2]];
    let b = points.map(|x| cases::Formula::B.value::<u8>(&x, &[7, 5]));
    let c = points.map(|x| cases::Formula::C.value::<u8>(&x, &[7, 5]));
    assert_eq!(b, [175, 247, 9, 172]);
    assert_eq!(c, [175, 247, 7, 172]);
}
