//! Arrays with templated keys, written and read through zarrs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde_json::{Value, json};
use zarrs::array::{Array, ArrayBuilder, data_type};
use zarrs::filesystem::FilesystemStore;
use zarrs::group::GroupBuilder;
use zarrs::node::Node;
use zarrs::storage::store::MemoryStore;
use zarrs::storage::{
    ListableStorageTraits, ReadableStorageTraits, ReadableWritableListableStorageTraits, StoreKey,
    WritableStorageTraits,
};
use zarrs_interop::template::TemplateChunkKeyEncoding;

const SHAPE: [u64; 3] = [2, 5, 7];
const CHUNK: [u64; 3] = [1, 3, 4];

/// The elements of the array, all different.
fn elements() -> Vec<u16> {
    (0..SHAPE.iter().product())
        .map(|index| u16::try_from(index).unwrap() + 1000)
        .collect()
}

/// The expected element at (z, y, x).
fn element(z: u64, y: u64, x: u64) -> u16 {
    u16::try_from((z * SHAPE[1] + y) * SHAPE[2] + x).unwrap() + 1000
}

fn builder(format: &str, separator: Option<&str>) -> ArrayBuilder {
    let mut builder = ArrayBuilder::new(SHAPE.to_vec(), CHUNK.to_vec(), data_type::uint16(), 0u16);
    builder.chunk_key_encoding(TemplateChunkKeyEncoding::new(format, separator).unwrap());
    builder
}

/// The eight chunk keys of a template in the order of the grid.
fn keys(prefix: &str, key: impl Fn(u64, u64, u64) -> String) -> Vec<StoreKey> {
    let mut keys = vec![StoreKey::new(format!("{prefix}zarr.json")).unwrap()];
    for (z, y, x) in (0..8).map(|n| (n / 4, n / 2 % 2, n % 2)) {
        keys.push(StoreKey::new(prefix.to_owned() + &key(z, y, x)).unwrap());
    }
    keys.sort();
    keys
}

fn metadata_key(path: &str) -> StoreKey {
    StoreKey::new(format!("{path}/zarr.json").trim_start_matches('/')).unwrap()
}

/// Writes an array, opens it again and reads it whole, by chunk and by region.
fn write_and_read<S>(store: &Arc<S>, path: &str, format: &str, separator: Option<&str>)
where
    S: ReadableWritableListableStorageTraits + 'static,
{
    let array = builder(format, separator)
        .build(store.clone(), path)
        .unwrap();
    array.store_metadata().unwrap();
    array
        .store_array_subset(&[0..SHAPE[0], 0..SHAPE[1], 0..SHAPE[2]], elements())
        .unwrap();

    let opened = Array::open(store.clone(), path).unwrap();
    assert_eq!(
        opened.chunk_key_encoding().metadata(),
        array.chunk_key_encoding().metadata()
    );
    let document = store.get(&metadata_key(path)).unwrap();
    opened.store_metadata().unwrap();
    assert_eq!(store.get(&metadata_key(path)).unwrap(), document);

    let whole: Vec<u16> = opened.retrieve_array_subset(&opened.subset_all()).unwrap();
    assert_eq!(whole, elements());
    let region: Vec<u16> = opened.retrieve_array_subset(&[1..2, 2..4, 3..6]).unwrap();
    let expected = [(2, 3), (2, 4), (2, 5), (3, 3), (3, 4), (3, 5)].map(|(y, x)| element(1, y, x));
    assert_eq!(region, expected);
    let chunk: Vec<u16> = opened.retrieve_chunk(&[0, 0, 1]).unwrap();
    assert_eq!(
        chunk[..3],
        [element(0, 0, 4), element(0, 0, 5), element(0, 0, 6)]
    );
}

#[test]
fn a_memory_store_has_the_keys_of_the_template() {
    let store = Arc::new(MemoryStore::new());
    write_and_read(&store, "/", "{0}/{1}_{2}_0.jpg", None);
    assert_eq!(
        store.list().unwrap(),
        keys("", |z, y, x| format!("{z}/{y}_{x}_0.jpg"))
    );
}

#[test]
fn a_folder_has_the_files_of_the_template() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(FilesystemStore::new(folder.path()).unwrap());
    write_and_read(&store, "/", "images/{-1}/{*:04}.raw", Some("_"));
    for (z, y, x) in (0..8).map(|n| (n / 4, n / 2 % 2, n % 2)) {
        let file = folder.path().join(format!("images/{x}/000{z}_000{y}.raw"));
        assert_eq!(
            std::fs::metadata(&file).unwrap().len(),
            3 * 4 * 2,
            "{}",
            file.display()
        );
    }
}

#[test]
fn an_array_inside_a_hierarchy_is_found_and_read() {
    let store = Arc::new(MemoryStore::new());
    for path in ["/", "/volumes"] {
        GroupBuilder::new()
            .build(store.clone(), path)
            .unwrap()
            .store_metadata()
            .unwrap();
    }
    write_and_read(&store, "/volumes/raw", "{2}.{*}", Some("/"));
    let expected = keys("volumes/raw/", |z, y, x| format!("{x}.{z}/{y}"));
    assert_eq!(
        store
            .list_prefix(&"volumes/raw/".try_into().unwrap())
            .unwrap(),
        expected
    );

    let node = Node::open(&store, "/").unwrap();
    let volumes = &node.children()[0];
    assert_eq!(volumes.path().as_str(), "/volumes");
    assert_eq!(volumes.children()[0].path().as_str(), "/volumes/raw");
    assert_eq!(volumes.children().len(), 1);
}

#[test]
fn a_chunk_that_is_erased_reads_as_the_fill_value() {
    let store = Arc::new(MemoryStore::new());
    write_and_read(&store, "/", "{*}", Some("-"));
    let array = Array::open(store.clone(), "/").unwrap();
    array.erase_chunk(&[1, 0, 1]).unwrap();
    assert_eq!(store.get(&"1-0-1".try_into().unwrap()).unwrap(), None);
    assert_eq!(
        array.retrieve_chunk::<Vec<u16>>(&[1, 0, 1]).unwrap(),
        [0; 12]
    );
}

/// An array document whose template is `format`, in a store of its own.
fn store_with(chunk_key_encoding: &Value) -> Arc<MemoryStore> {
    let store = Arc::new(MemoryStore::new());
    let document = json!({
        "zarr_format": 3, "node_type": "array", "shape": [4, 4, 4], "data_type": "uint8",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [1, 2, 2]}},
        "chunk_key_encoding": chunk_key_encoding,
        "fill_value": 0, "codecs": [{"name": "bytes"}]
    });
    store
        .set(
            &"a/zarr.json".try_into().unwrap(),
            document.to_string().into(),
        )
        .unwrap();
    store
}

fn template(format: &str) -> Value {
    json!({"name": "template", "configuration": {"format": format, "separator": "/"}})
}

/// The text of the panic that ends `read`.
fn panic_text<T>(read: impl FnOnce() -> T) -> String {
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(_) => panic!("the read succeeded"),
        Err(payload) => *payload.downcast::<String>().unwrap(),
    }
}

#[test]
fn a_template_that_does_not_fit_never_reads_as_fill_values() {
    let array = Array::open(store_with(&template("{0}/{1}")), "/a").unwrap();
    let expected = "the template `{0}/{1}` names 2 dimension(s), but the array has 3";
    let texts = [
        panic_text(|| array.retrieve_chunk::<Vec<u8>>(&[0, 0, 0])),
        panic_text(|| array.retrieve_chunk_if_exists::<Vec<u8>>(&[0, 0, 0])),
        panic_text(|| array.retrieve_array_subset::<Vec<u8>>(&array.subset_all())),
        panic_text(|| array.store_chunk(&[0, 0, 0], vec![0u8; 4])),
    ];
    for text in texts {
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn what_is_wrong_at_every_dimensionality_stops_array_open() {
    let error = Array::open(store_with(&template("{0}/{1}/{007}")), "/a").unwrap_err();
    assert!(error.to_string().contains("leading zero"), "{error}");
}

#[cfg(feature = "zarrs")]
mod checked {
    use zarrs::array::ArrayCreateError;
    use zarrs_interop::template::{TemplateArrayError, TemplateError, build_array, open_array};

    use super::*;

    #[test]
    fn opening_finds_a_template_that_does_not_fit() {
        let error = open_array(store_with(&template("{0}/{1}")), "/a").unwrap_err();
        let TemplateArrayError::ChunkKeyEncoding { path, source } = error else {
            panic!("{error}")
        };
        assert_eq!(path, "/a");
        assert!(matches!(
            source,
            TemplateError::WrongDimensionality {
                expected: 2,
                dimensionality: 3,
                ..
            }
        ));
    }

    /// `main` prints the error alone, and not what is behind it.
    #[test]
    fn the_text_of_an_error_says_the_cause() {
        let store = store_with(&template("{0}/{1}"));
        let texts = ["/a", "/b"].map(|path| open_array(store.clone(), path).unwrap_err());
        let [misfit, missing] = texts.map(|error| error.to_string());
        assert_eq!(
            misfit,
            "the chunk key encoding of the array at /a does not fit it: the template `{0}/{1}` \
             names 2 dimension(s), but the array has 3: add or remove expressions, or use `{*}` \
             for the rest"
        );
        let cause = ArrayCreateError::MissingMetadata;
        assert_eq!(
            missing,
            format!("the array at /b cannot be opened or built: {cause}")
        );
    }

    #[test]
    fn opening_takes_a_template_that_fits_and_other_encodings() {
        for encoding in [template("{0}/{1}/{2}"), template("{*}"), json!("default")] {
            let array = open_array(store_with(&encoding), "/a").unwrap();
            assert_eq!(array.retrieve_chunk::<Vec<u8>>(&[0, 0, 0]).unwrap(), [0; 4]);
        }
    }

    #[test]
    fn opening_keeps_the_error_of_zarrs() {
        let error = open_array(store_with(&json!("default")), "/b").unwrap_err();
        assert!(matches!(
            error,
            TemplateArrayError::Array {
                source: ArrayCreateError::MissingMetadata,
                ..
            }
        ));
    }

    #[test]
    fn building_finds_a_template_that_does_not_fit_and_writes_nothing() {
        let store = Arc::new(MemoryStore::new());
        let error =
            build_array(&builder("{0}/{3}/{*}", Some("/")), store.clone(), "/").unwrap_err();
        assert!(matches!(
            error,
            TemplateArrayError::ChunkKeyEncoding {
                source: TemplateError::IndexOutOfRange {
                    dimensionality: 3,
                    ..
                },
                ..
            }
        ));
        assert!(store.list().unwrap().is_empty());
        assert!(build_array(&builder("{0}/{*}", Some("/")), store, "/").is_ok());
    }
}

#[cfg(all(feature = "zarrs", feature = "async"))]
mod asynchronous {
    use zarrs::storage::store::AsyncMemoryStore;
    use zarrs::storage::{AsyncListableStorageTraits, AsyncWritableStorageTraits};
    use zarrs_interop::template::{TemplateArrayError, async_open_array};

    use super::*;

    #[tokio::test]
    async fn an_asynchronous_store_has_the_keys_of_the_template() {
        let store = Arc::new(AsyncMemoryStore::new());
        let array = builder("{0}/{1}_{2}_0.jpg", None)
            .build(store.clone(), "/v/raw")
            .unwrap();
        array.async_store_metadata().await.unwrap();
        let whole = [0..SHAPE[0], 0..SHAPE[1], 0..SHAPE[2]];
        array
            .async_store_array_subset(&whole, elements())
            .await
            .unwrap();
        let expected = keys("v/raw/", |z, y, x| format!("{z}/{y}_{x}_0.jpg"));
        assert_eq!(store.list().await.unwrap(), expected);

        let opened = async_open_array(store, "/v/raw").await.unwrap();
        assert_eq!(
            opened.chunk_key_encoding().metadata(),
            array.chunk_key_encoding().metadata()
        );
        let read: Vec<u16> = opened.async_retrieve_array_subset(&whole).await.unwrap();
        assert_eq!(read, elements());
        let region: Vec<u16> = opened
            .async_retrieve_array_subset(&[0..2, 4..5, 3..5])
            .await
            .unwrap();
        let expected = [(0, 3), (0, 4), (1, 3), (1, 4)].map(|(z, x)| element(z, 4, x));
        assert_eq!(region, expected);
    }

    #[tokio::test]
    async fn asynchronous_opening_finds_a_template_that_does_not_fit() {
        let store = Arc::new(AsyncMemoryStore::new());
        let document = json!({
            "zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "uint8",
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [1]}},
            "chunk_key_encoding": template("{0}/{*}"), "fill_value": 0,
            "codecs": [{"name": "bytes"}]
        });
        let key = "zarr.json".try_into().unwrap();
        store.set(&key, document.to_string().into()).await.unwrap();
        let error = async_open_array(store, "/").await.unwrap_err();
        assert!(
            matches!(error, TemplateArrayError::ChunkKeyEncoding { .. }),
            "{error}"
        );
    }
}
