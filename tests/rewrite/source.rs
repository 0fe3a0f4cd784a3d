//! What is asked for, and what is there.

use serde_json::json;
use zarrs::filesystem::FilesystemStore;
use zarrs_interop::n5::N5DataType;
use zarrs_interop::n5::multiscale::{Dialect, MultiscaleError, MultiscaleOptions};
use zarrs_interop::n5::rewrite::{Rewrite, RewriteError, RewriteOptions};

use crate::support::{Folder, axes};

fn refused(folder: &Folder, path: &str) -> RewriteError {
    match folder.open(path, &RewriteOptions::new()) {
        Ok(_) => panic!("{path} is opened"),
        Err(error) => error,
    }
}

#[test]
fn label_multisets_are_refused_by_name() {
    let containers = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/containers");
    let store = || FilesystemStore::new(format!("{containers}/paintera.n5")).unwrap();
    let options = RewriteOptions::new();
    for path in [
        "volumes/multiset",
        "volumes/multiset/data",
        "volumes/multiset/data/s0",
    ] {
        let Err(error) = Rewrite::open(store(), path, &options) else {
            panic!("{path} is opened");
        };
        let is_multiset = matches!(
            error,
            RewriteError::Multiscale(MultiscaleError::LabelMultiset { .. })
        );
        assert!(is_multiset, "{path}: {error}");
    }
    let Err(error) = Rewrite::open(store(), "volumes/multiset/unique-labels", &options) else {
        panic!("it is opened");
    };
    assert!(error.to_string().contains("index of Paintera"), "{error}");
}

#[test]
fn a_group_of_several_images_says_which() {
    let folder = Folder::new();
    for path in ["a/s0", "b/s0", "c"] {
        let names = axes(&["x", "y"]);
        folder.dataset(path, (&[4, 4], &[4, 4]), N5DataType::UInt8, &names, |_| {
            1_u8
        });
    }
    match refused(&folder, "/") {
        RewriteError::NoPyramid { path, candidates } => {
            assert_eq!(path, "/");
            assert_eq!(candidates, ["/a", "/b", "/c"]);
        }
        error => panic!("{error}"),
    }
}

#[test]
fn what_is_not_there_is_refused() {
    let folder = Folder::new();
    assert!(
        refused(&folder, "/")
            .to_string()
            .contains("no dataset below it")
    );
    let error = refused(&folder, "nowhere").to_string();
    assert!(error.contains("nothing at /nowhere"), "{error}");
}

#[test]
fn of_a_group_of_unreadable_datasets_it_is_said_what_is_wrong() {
    let folder = Folder::new();
    let document = json!({
        "dimensions": [4, 4], "blockSize": [4, 4], "dataType": "object",
        "compression": {"type": "raw"},
    });
    folder.group("em/one", &document);
    let error = refused(&folder, "/").to_string();
    let expected = "attributes.json of /em/one: the member `dataType`: the data type `object`";
    assert!(error.starts_with(expected), "{error}");
    folder.group("two", &json!([]));
    match refused(&folder, "/") {
        RewriteError::NoPyramid { candidates, .. } => assert_eq!(candidates, ["/em/one", "/two"]),
        error => panic!("{error}"),
    }
}

#[test]
fn an_empty_dataset_is_refused_by_name() {
    let folder = Folder::new();
    let document = json!({
        "dimensions": [0, 4], "blockSize": [4, 4], "dataType": "uint8",
        "compression": {"type": "raw"},
    });
    folder.group("empty", &document);
    let error = refused(&folder, "empty").to_string();
    assert!(error.contains("empty"), "{error}");
    assert!(error.contains(": a dimension has the size 0"), "{error}");
}

#[test]
fn the_folders_of_a_setup_are_named() {
    let folder = Folder::new();
    let document = json!({
        "dimensions": [4, 4], "blockSize": [4, 4], "dataType": "uint8",
        "compression": {"type": "raw"},
    });
    folder.group("setup0", &document);
    for time in 0..2 {
        let path = format!("setup0/timepoint{time}/s0");
        folder.dataset(
            &path,
            (&[4, 4], &[4, 4]),
            N5DataType::UInt8,
            &json!({}),
            |_| 1_u8,
        );
    }
    match refused(&folder, "setup0") {
        RewriteError::NoPyramid { candidates, .. } => {
            assert_eq!(candidates, ["/setup0/timepoint0", "/setup0/timepoint1"]);
        }
        error => panic!("{error}"),
    }
}

#[test]
fn a_dataset_that_says_nothing_of_its_writer_is_plain() {
    let folder = Folder::new();
    let shape = [4, 4, 4];
    for (path, attributes, dialect) in [
        ("raw", json!({}), Dialect::Plain),
        ("named", axes(&["x", "y", "z"]), Dialect::Plain),
        (
            "viewer",
            json!({"pixelResolution": [1, 1, 3]}),
            Dialect::N5Viewer,
        ),
        ("pyramid/s0", json!({}), Dialect::N5Viewer),
    ] {
        let block = (&shape[..], &shape[..]);
        folder.dataset(path, block, N5DataType::UInt8, &attributes, |_| 1_u8);
        let rewrite = folder.open(path, &RewriteOptions::new()).unwrap();
        assert_eq!(rewrite.plan().pyramid().dialect, dialect, "{path}");
        assert_eq!(rewrite.plan().levels()[0].path(), "s0");
    }
}

#[test]
fn axes_can_be_named() {
    let folder = Folder::new();
    let shape = [4, 4, 2, 3, 2];
    folder.dataset(
        "raw",
        (&shape, &shape),
        N5DataType::UInt8,
        &json!({}),
        |_| 1_u8,
    );
    let unnamed = folder.open("raw", &RewriteOptions::new()).unwrap();
    assert!(unnamed.without_ome().is_some());
    assert_eq!(unnamed.plan().levels()[0].shape(), [2, 3, 2, 4, 4]);
    let multiscale = MultiscaleOptions::new().with_axes(["x", "y", "c", "z", "t"]);
    let named = folder
        .open("raw", &RewriteOptions::new().with_multiscale(multiscale))
        .unwrap();
    assert_eq!(named.without_ome(), None);
    assert_eq!(named.plan().levels()[0].shape(), [2, 2, 3, 4, 4]);
}

#[test]
fn members_of_the_source_are_not_copied_to_where_readers_take_them_for_something_else() {
    let folder = Folder::new();
    let mut attributes = axes(&["x", "y"]);
    attributes["multiscales"] = json!([]);
    folder.dataset(
        "s0",
        (&[4, 4], &[4, 4]),
        N5DataType::UInt8,
        &attributes,
        |_| 1_u8,
    );
    folder.run("s0", &RewriteOptions::new());
    assert!(
        folder.document("zarr.json")["attributes"]
            .get("multiscales")
            .is_none()
    );
    assert!(
        folder.document("s0/zarr.json")["attributes"]
            .get("multiscales")
            .is_none()
    );
}

#[cfg(feature = "object_store")]
#[test]
fn the_source_may_be_a_url() {
    use zarrs_interop::n5::{UrlOptions, open_url};

    let folder = Folder::new();
    let names = axes(&["x", "y"]);
    folder.dataset(
        "image/s0",
        (&[40, 30], &[8, 8]),
        N5DataType::UInt8,
        &names,
        |at| (at[0] + 5 * at[1]) as u8,
    );
    let url = format!("file://{}", folder.source().display());
    let store = open_url(&url, &UrlOptions::new()).unwrap();
    let options = RewriteOptions::new()
        .with_requests(32)
        .with_chunk(vec![8, 8]);
    let rewrite = Rewrite::open(store, "image", &options).unwrap();
    rewrite.run(&folder.out(), |_| ()).unwrap();
    let expected: Vec<u8> = (0..30)
        .flat_map(|y| (0..40).map(move |x| (x + 5 * y) as u8))
        .collect();
    assert_eq!(folder.elements::<u8>("s0"), expected);
}
