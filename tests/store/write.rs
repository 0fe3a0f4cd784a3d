//! Metadata through zarrs's own calls, over a folder: open, change, store, erase. What was not
//! changed stays.
//!
//! With the feature `async` every test runs a second time over `object_store` on the same kind of
//! folder.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value, json};
use zarrs::array::Array;
use zarrs::filesystem::FilesystemStore;
use zarrs::group::Group;
use zarrs_interop::n5::N5DefaultStore;

type Outcome = Result<(), Box<dyn Error>>;
/// Opens a node of a folder, changes its attributes and stores it.
type Change = fn(&mut Map<String, Value>);
type Way = fn(&Path, &str, Change) -> Outcome;

const ARRAY: &[Way] = &[
    change_array,
    #[cfg(feature = "async")]
    asynchronous::change_array,
];
const GROUP: &[Way] = &[
    change_group,
    #[cfg(feature = "async")]
    asynchronous::change_group,
];

fn store(folder: &Path) -> Result<Arc<N5DefaultStore<FilesystemStore>>, Box<dyn Error>> {
    Ok(Arc::new(N5DefaultStore::new(FilesystemStore::new(folder)?)))
}

fn change_array(folder: &Path, node: &str, change: Change) -> Outcome {
    let mut array = Array::open(store(folder)?, node)?;
    change(array.attributes_mut());
    Ok(array.store_metadata()?)
}

fn change_group(folder: &Path, node: &str, change: Change) -> Outcome {
    let mut group = Group::open(store(folder)?, node)?;
    change(group.attributes_mut());
    Ok(group.store_metadata()?)
}

#[cfg(feature = "async")]
mod asynchronous {
    use zarrs_object_store::{AsyncObjectStore, object_store::local::LocalFileSystem};

    use super::{Arc, Array, Change, Error, Group, N5DefaultStore, Outcome, Path};

    type Store = N5DefaultStore<AsyncObjectStore<LocalFileSystem>>;

    pub(super) fn store(folder: &Path) -> Result<Arc<Store>, Box<dyn Error>> {
        let files = LocalFileSystem::new_with_prefix(folder)?;
        Ok(Arc::new(N5DefaultStore::new(AsyncObjectStore::new(files))))
    }

    pub(super) fn block_on<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.expect("a runtime").block_on(future)
    }

    pub(super) fn change_array(folder: &Path, node: &str, change: Change) -> Outcome {
        block_on(async {
            let mut array = Array::async_open(store(folder)?, node).await?;
            change(array.attributes_mut());
            Ok(array.async_store_metadata().await?)
        })
    }

    pub(super) fn change_group(folder: &Path, node: &str, change: Change) -> Outcome {
        block_on(async {
            let mut group = Group::async_open(store(folder)?, node).await?;
            change(group.attributes_mut());
            Ok(group.async_store_metadata().await?)
        })
    }
}

/// Writes a node's document into `folder`.
fn write(folder: &Path, node: &str, document: &str) -> PathBuf {
    let directory = folder.join(node.trim_start_matches('/'));
    fs::create_dir_all(&directory).unwrap();
    let file = directory.join("attributes.json");
    fs::write(&file, document).unwrap();
    file
}

/// The document of `node` after a change of its attributes, in every way alike; or why it was
/// refused, in which case the document must be as it was.
fn changed(ways: &[Way], node: &str, document: &str, change: Change) -> Result<String, String> {
    let result_of = |way: &Way| {
        let folder = tempfile::tempdir().unwrap();
        let file = write(folder.path(), node, document);
        let result = way(folder.path(), node, change).map_err(|error| error.to_string());
        let text = fs::read_to_string(&file).unwrap();
        let files = fs::read_dir(file.parent().unwrap()).unwrap().count();
        assert_eq!(files, 1, "only attributes.json is there");
        if result.is_err() {
            assert_eq!(text, document);
        }
        result.map(|()| text)
    };
    let results: Vec<_> = ways.iter().map(result_of).collect();
    assert!(
        results.iter().all(|result| *result == results[0]),
        "{results:?}"
    );
    results[0].clone()
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The document that `changed` gives must be `document` with `member` set to `value`, in the old
/// order.
fn assert_only_changed(ways: &[Way], document: &str, change: Change, member: &str, value: Value) {
    let mut expected = parse(document);
    expected[member] = value;
    for node in ["/", "/a/b"] {
        let text = changed(ways, node, document, change).unwrap();
        assert_eq!(parse(&text).to_string(), expected.to_string(), "{node}");
    }
}

/// What other programs write: an old version, members that this crate does not know, in an order of
/// their own.
const DATASET: &str = r#"{"axes":["x","y"],"n5":"2.5.1","later":{"nested":[null,{"a":0.1,"b":1e300}]},
    "blockSize":[3,2],"dimensions":[5.0,4],"resolution":[4.0,40.0],"dataType":"uint16",
    "compression":{"id":7,"type":"raw","more":{"x":[1]}},"downsamplingFactors":[1,1],"offset":[-1,18446744073709551615]}"#;

fn set_resolution(attributes: &mut Map<String, Value>) {
    attributes.insert("resolution".to_owned(), json!([8.0, 40.5]));
}

#[test]
fn one_changed_attribute_of_an_array_is_all_that_changes() {
    assert_only_changed(
        ARRAY,
        DATASET,
        set_resolution,
        "resolution",
        json!([8.0, 40.5]),
    );
}

#[cfg(feature = "gzip")]
#[test]
fn compression_in_other_words_survives() {
    for compression in [
        r#""compression":{"type":"gzip","level":-1}"#,
        r#""compression":{"level":6.0,"useZlib":true,"type":"gzip"}"#,
        r#""compressionType":"gzip""#,
        r#""compression":{"type":"gzip","level":3},"compressionType":"raw""#,
    ] {
        let document = format!(
            r#"{{"n5":"1.0.0","dimensions":[5],{compression},"blockSize":[3],"dataType":"uint8","resolution":[1]}}"#
        );
        assert_only_changed(
            ARRAY,
            &document,
            set_resolution,
            "resolution",
            json!([8.0, 40.5]),
        );
    }
}

#[test]
fn one_changed_attribute_of_a_group_is_all_that_changes() {
    // BigDataViewer keeps `dataType` in groups.
    let document = r#"{"downsamplingFactors":[[1,1,1],[2,2,1]],"dataType":"uint16","n5":"2.5.1","resolution":[1,1]}"#;
    assert_only_changed(
        GROUP,
        document,
        set_resolution,
        "resolution",
        json!([8.0, 40.5]),
    );
}

#[test]
fn an_attribute_that_is_taken_away_is_gone() {
    let text = changed(ARRAY, "/a", DATASET, |attributes| {
        attributes.remove("later");
    });
    let mut expected = parse(DATASET);
    expected.as_object_mut().unwrap().shift_remove("later");
    assert_eq!(parse(&text.unwrap()).to_string(), expected.to_string());
}

#[test]
fn storing_what_is_there_leaves_the_very_bytes() {
    assert_eq!(changed(ARRAY, "/a", DATASET, |_| {}).unwrap(), DATASET);
    let group = "\u{feff}{ \"k\" : 1.50 }\n";
    assert_eq!(changed(GROUP, "/a", group, |_| {}).unwrap(), group);
}

#[test]
fn an_attribute_of_the_name_of_a_dataset_member_is_refused() {
    let error = changed(ARRAY, "/a", DATASET, |attributes| {
        attributes.insert("blockSize".to_owned(), json!([1, 1]));
    })
    .unwrap_err();
    assert!(
        error.contains("`blockSize`") && error.contains("/a"),
        "{error}"
    );
}

#[test]
fn attributes_that_would_make_a_group_a_dataset_are_refused() {
    let error = changed(GROUP, "/a", r#"{"dataType":"uint16"}"#, |attributes| {
        attributes.insert("dimensions".to_owned(), json!([1]));
    })
    .unwrap_err();
    assert!(
        error.contains("`dataType`") && error.contains("/a"),
        "{error}"
    );
}

#[test]
fn a_version_of_n5_that_is_not_known_is_refused() {
    let error = changed(GROUP, "/", r#"{"n5":"4.0.0"}"#, |attributes| {
        attributes.insert("n5".to_owned(), json!("5.0.0"));
    })
    .unwrap_err();
    assert!(error.contains("5.0.0"), "{error}");
}

type Rename = fn(&Path) -> Outcome;

/// (`Array::set_dimension_names` of zarrs 0.23.14 does not reach what `store_metadata` stores.)
const NAME_DIMENSIONS: &[Rename] = &[
    |folder| {
        let array = Array::open(store(folder)?, "/a")?;
        let mut builder = array.builder();
        builder.dimension_names(Some(["row", "column"]));
        Ok(builder.build(array.storage(), "/a")?.store_metadata()?)
    },
    #[cfg(feature = "async")]
    |folder| {
        asynchronous::block_on(async {
            let array = Array::async_open(asynchronous::store(folder)?, "/a").await?;
            let mut builder = array.builder();
            builder.dimension_names(Some(["row", "column"]));
            let renamed = builder.build(array.storage(), "/a")?;
            Ok(renamed.async_store_metadata().await?)
        })
    },
];

#[test]
fn dimension_names_become_the_axes() {
    let without = DATASET.replace(r#""axes":["x","y"],"#, "");
    assert!(parse(&without).get("axes").is_none());
    for document in [DATASET, &without] {
        for name_dimensions in NAME_DIMENSIONS {
            let folder = tempfile::tempdir().unwrap();
            let file = write(folder.path(), "/a", document);
            name_dimensions(folder.path()).unwrap();
            let mut expected = parse(document);
            expected["axes"] = json!(["row", "column"]);
            let found = parse(&fs::read_to_string(file).unwrap());
            assert_eq!(found.to_string(), expected.to_string());
        }
    }
}

#[test]
fn axes_among_the_attributes_are_the_axes_too() {
    let change: Change = |attributes| {
        attributes.insert("axes".to_owned(), json!(["row", "column"]));
    };
    assert_only_changed(ARRAY, DATASET, change, "axes", json!(["row", "column"]));
}

const ERASE: &[fn(&Path) -> Outcome] = &[
    |folder| {
        let store = store(folder)?;
        Array::open(store.clone(), "/a/array")?.erase_metadata()?;
        Ok(Group::open(store, "/a")?.erase_metadata()?)
    },
    #[cfg(feature = "async")]
    |folder| {
        asynchronous::block_on(async {
            let store = asynchronous::store(folder)?;
            let array = Array::async_open(store.clone(), "/a/array").await?;
            array.async_erase_metadata().await?;
            let group = Group::async_open(store, "/a").await?;
            Ok(group.async_erase_metadata().await?)
        })
    },
];

#[test]
fn erased_metadata_is_gone_and_the_blocks_are_not() {
    for erase in ERASE {
        let folder = tempfile::tempdir().unwrap();
        let group = write(folder.path(), "/a", "{\"k\":1}");
        let array = write(folder.path(), "/a/array", DATASET);
        let beside = array.with_file_name("zarr.json");
        fs::write(&beside, "{}").unwrap();
        let block = folder.path().join("a/array/0/0");
        fs::create_dir_all(block.parent().unwrap()).unwrap();
        fs::write(&block, "block").unwrap();
        erase(folder.path()).unwrap();
        for file in [group, array, beside] {
            assert!(!file.exists(), "{file:?}");
        }
        assert_eq!(fs::read_to_string(block).unwrap(), "block");
    }
}
