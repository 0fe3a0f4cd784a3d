//! The error of a block names its key, for a user who just reads an array; never another one.

use std::sync::Arc;

use zarrs::array::{Array, ArraySubset};
use zarrs::filesystem::FilesystemStore;
use zarrs::storage::store::MemoryStore;
use zarrs::storage::{ReadableStorageTraits, StoreKey, WritableStorageTraits};
use zarrs_interop::n5::{ImplicitGroupStore, N5DataType, N5DefaultStore};

use crate::oracle::{self, block};

fn key(text: &str) -> StoreKey {
    StoreKey::new(text).unwrap()
}

/// A dataset of 3 x 3 blocks of 4 x 4 elements, raw or gzip.
fn fill(store: &impl WritableStorageTraits, compressor: &str) {
    let compression = if compressor.is_empty() { "raw" } else { "gzip" };
    let document = format!(
        r#"{{"dimensions":[12,12],"blockSize":[4,4],"dataType":"uint16",
            "compression":{{"type":"{compression}"}}}}"#
    );
    store
        .set(&key("em/raw/attributes.json"), document.into())
        .unwrap();
    for x in 0..3 {
        for y in 0..3 {
            let elements = oracle::elements(&[4, 4], N5DataType::UInt16, 3 * x + y);
            let block = block(&[4, 4], N5DataType::UInt16, &elements, compressor);
            let at = key(&format!("em/raw/{x}/{y}"));
            store.set(&at, block.into()).unwrap();
        }
    }
}

/// Blocks as interrupted or careless writers leave them: empty, cut, of garbage.
fn damages(good: &[u8]) -> [Vec<u8>; 3] {
    let garbage = [&good[..12], &[0xa5; 30][..]].concat();
    [Vec::new(), good[..good.len() - 1].to_vec(), garbage]
}

fn compressors() -> Vec<&'static str> {
    let all = oracle::COMPRESSORS.iter().copied();
    all.filter(|compressor| compressor.is_empty() || compressor.contains("gzip"))
        .collect()
}

/// The whole array, and parts of blocks.
fn reads() -> [ArraySubset; 3] {
    [
        ArraySubset::new_with_ranges(&[0..12, 0..12]),
        ArraySubset::new_with_ranges(&[5..6, 8..12]),
        ArraySubset::new_with_ranges(&[3..7, 7..9]),
    ]
}

/// The error of a read. A part of a raw block may be there although the rest is not.
fn error<S: ReadableStorageTraits + 'static>(
    array: &Array<S>,
    read: &ArraySubset,
    compressor: &str,
) -> Option<String> {
    if let Err(error) = array.retrieve_array_subset::<Vec<u16>>(read) {
        Some(error.to_string())
    } else {
        assert!(compressor.is_empty() && *read != reads()[0]);
        None
    }
}

#[test]
fn a_folder_gives_the_key() {
    for compressor in compressors() {
        let folder = tempfile::tempdir().unwrap();
        let files = Arc::new(FilesystemStore::new(folder.path()).unwrap());
        fill(&*files, compressor);
        let good = files.get(&key("em/raw/1/2")).unwrap().unwrap();
        for damaged in damages(&good) {
            files.set(&key("em/raw/1/2"), damaged.into()).unwrap();
            let store = Arc::new(ImplicitGroupStore::new(N5DefaultStore::new(files.clone())));
            let array = Array::open(store, "/em/raw").unwrap();
            for read in reads() {
                let Some(error) = error(&array, &read, compressor) else {
                    continue;
                };
                let is_named = error.contains("key `em/raw/1/2`: N5 block");
                assert!(is_named, "{compressor} {read}: {error}");
            }
        }
    }
}

#[test]
fn other_blocks_read_as_before() {
    let folder = tempfile::tempdir().unwrap();
    let files = FilesystemStore::new(folder.path()).unwrap();
    fill(&files, "");
    let store = Arc::new(N5DefaultStore::new(files));
    let array = Array::open(store, "/em/raw").unwrap();
    for read in reads() {
        let _: Vec<u16> = array.retrieve_array_subset(&read).unwrap();
    }
}

/// It keeps its bytes, so that zarrs copies them.
#[test]
fn a_store_in_memory_gives_the_key_or_none() {
    for compressor in compressors() {
        let memory = Arc::new(MemoryStore::new());
        fill(&*memory, compressor);
        let good = memory.get(&key("em/raw/1/2")).unwrap().unwrap();
        for damaged in damages(&good).into_iter().skip(1) {
            memory.set(&key("em/raw/1/2"), damaged.into()).unwrap();
            let store = Arc::new(N5DefaultStore::new(memory.clone()));
            let array = Array::open(store, "/em/raw").unwrap();
            for read in reads() {
                let error = error(&array, &read, compressor);
                let is_right = error.is_none_or(|error| {
                    error.contains("key `em/raw/1/2`: N5 block") || !error.contains("key `")
                });
                assert!(is_right, "{compressor} {read}");
            }
        }
    }
}

/// Every block is damaged, and many threads read at the same time: each error is of a block that
/// was asked for.
#[test]
fn threads_name_blocks_that_they_read() {
    let folder = tempfile::tempdir().unwrap();
    let files = Arc::new(FilesystemStore::new(folder.path()).unwrap());
    fill(&*files, "");
    for x in 0..3 {
        for y in 0..3 {
            let at = key(&format!("em/raw/{x}/{y}"));
            files.set(&at, vec![0, 0, 0].into()).unwrap();
        }
    }
    let store = Arc::new(N5DefaultStore::new(files));
    let array = Array::open(store, "/em/raw").unwrap();
    let array = &array;
    std::thread::scope(|scope| {
        for thread in 0..9_u64 {
            scope.spawn(move || {
                let position = [thread / 3, thread % 3];
                let own = format!("key `em/raw/{}/{}`", position[0], position[1]);
                for _ in 0..200 {
                    let result = array.retrieve_chunk::<Vec<u16>>(&position);
                    let error = result.unwrap_err().to_string();
                    assert!(error.contains(&own), "{own}: {error}");
                }
            });
        }
    });
}

#[cfg(feature = "async")]
#[tokio::test]
async fn an_asynchronous_store_gives_the_key_or_none() {
    use zarrs_object_store::{AsyncObjectStore, object_store::local::LocalFileSystem};

    let folder = tempfile::tempdir().unwrap();
    fill(&FilesystemStore::new(folder.path()).unwrap(), "");
    std::fs::write(folder.path().join("em/raw/1/2"), [0, 0, 0]).unwrap();
    let files = LocalFileSystem::new_with_prefix(folder.path()).unwrap();
    let store = Arc::new(N5DefaultStore::new(AsyncObjectStore::new(files)));
    let array = Array::async_open(store, "/em/raw").await.unwrap();
    for read in reads() {
        let result = array.async_retrieve_array_subset::<Vec<u16>>(&read).await;
        let error = result.unwrap_err().to_string();
        let is_named = error.contains("key `em/raw/1/2`: N5 block");
        assert!(is_named || !error.contains("key `"), "{error}");
    }
}
