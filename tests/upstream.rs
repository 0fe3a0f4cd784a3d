//! The programs of docs/UPSTREAM.md: faults of zarrs 0.23.14 and of its stores, without anything of
//! this crate.
//!
//! Each asserts that the fault is there. One that fails tells of a zarrs that has mended it: take
//! the entry out of docs/UPSTREAM.md, and what this crate does about it, if anything.
#![cfg(all(feature = "filesystem", not(target_arch = "wasm32")))]

use std::panic::catch_unwind;
use std::sync::Arc;

use zarrs::array::{Array, ArrayBuilder, ArraySubset, data_type};
use zarrs::filesystem::FilesystemStore;
use zarrs::node::Node;
use zarrs::storage::store::MemoryStore;
use zarrs::storage::{ListableStorageTraits, StoreKey, WritableStorageTraits};

fn key(key: &str) -> StoreKey {
    StoreKey::new(key).unwrap()
}

/// An array of one shard with two inner chunks of 4 bytes, and the `value` of the shard.
fn sharded(value: Vec<u8>) -> Array<MemoryStore> {
    let store = MemoryStore::new();
    let json = r#"{"zarr_format":3,"node_type":"array","shape":[8],"data_type":"uint8","fill_value":0,
        "chunk_grid":{"name":"regular","configuration":{"chunk_shape":[8]}},
        "chunk_key_encoding":{"name":"default"},
        "codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[4],
            "codecs":[{"name":"bytes"}],
            "index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}}]}"#;
    store.set(&key("zarr.json"), json.into()).unwrap();
    store.set(&key("c/0"), value.into()).unwrap();
    Array::open(Arc::new(store), "/").unwrap()
}

/// The offsets and sizes of two inner chunks.
fn index(entries: [u64; 4]) -> Vec<u8> {
    entries.into_iter().flat_map(u64::to_le_bytes).collect()
}

#[test]
#[cfg(debug_assertions)]
fn a_corrupt_shard_index_panics() {
    let mut value = vec![1, 2, 3, 4, 5, 6, 7, 8];
    value.extend(index([u64::MAX - 2, 4, 4, 4]));
    let array = sharded(value);
    let read = || array.retrieve_chunk::<Vec<u8>>(&[0]).is_err();
    assert!(catch_unwind(std::panic::AssertUnwindSafe(read)).is_err());
}

#[test]
fn a_partial_read_goes_on_into_the_next_inner_chunk() {
    // The first inner chunk has 2 of its 4 bytes.
    let mut value = vec![1, 2, 5, 6, 7, 8];
    value.extend(index([0, 2, 2, 4]));
    let array = sharded(value);
    let part = ArraySubset::new_with_start_shape(vec![1], vec![3]).unwrap();
    let found: Vec<u8> = array.retrieve_array_subset(&part).unwrap();
    assert_eq!(found, [2, 5, 6], "5 and 6 are of the second inner chunk");
    assert!(array.retrieve_chunk::<Vec<u8>>(&[0]).is_err());
}

#[test]
fn dimension_names_that_are_set_are_not_stored() {
    let store = Arc::new(MemoryStore::new());
    let mut array = ArrayBuilder::new(vec![2], vec![2], data_type::uint8(), 0_u8)
        .build(store.clone(), "/")
        .unwrap();
    array.set_dimension_names(Some(vec![Some("x".to_owned())]));
    array.store_metadata().unwrap();
    let stored = Array::open(store, "/").unwrap();
    assert_eq!(
        array.dimension_names().as_deref(),
        Some(&[Some("x".to_owned())][..])
    );
    assert_eq!(stored.dimension_names(), &None);
}

#[test]
fn the_cache_behind_a_transpose_has_the_shape_before_it() {
    let store = MemoryStore::new();
    let json = r#"{"zarr_format":3,"node_type":"array","shape":[2,3],"data_type":"string","fill_value":"",
        "chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2,3]}},
        "chunk_key_encoding":{"name":"default"},
        "codecs":[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"vlen-utf8"}]}"#;
    store.set(&key("zarr.json"), json.into()).unwrap();
    let array = Array::open(Arc::new(store), "/").unwrap();
    let texts: Vec<String> = (0..6).map(|number| number.to_string()).collect();
    array.store_chunk(&[0, 0], &texts).unwrap();
    assert_eq!(array.retrieve_chunk::<Vec<String>>(&[0, 0]).unwrap(), texts);
    let column = ArraySubset::new_with_ranges(&[0..2, 2..3]);
    let found = array.retrieve_array_subset::<Vec<String>>(&column);
    assert!(found.is_err_and(|error| !error.to_string().is_empty()));
}

/// Memory is limited, so that it is refused on every system, and no test takes 16 GiB of it.
#[test]
#[cfg(target_os = "linux")]
fn a_file_larger_than_memory_aborts_the_process() {
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;

    use zarrs::storage::ReadableStorageTraits;

    const IN_CHILD: &str = "ZARRS_INTEROP_TEST_LARGE_FILE";
    if let Some(folder) = std::env::var_os(IN_CHILD) {
        let store = FilesystemStore::new(folder).unwrap();
        assert!(store.get(&key("0")).is_err());
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = std::fs::File::create(folder.path().join("0")).unwrap();
    file.set_len(16 << 30).unwrap(); // sparse: it takes no room
    let child = Command::new("sh")
        .args([
            "-c",
            "ulimit -c 0 && ulimit -v 4000000 && exec \"$0\" \"$@\"",
        ])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "a_file_larger_than_memory_aborts_the_process"])
        .env(IN_CHILD, folder.path())
        .output()
        .unwrap();
    assert_eq!(child.status.signal(), Some(6), "{child:?}");
    let said = String::from_utf8_lossy(&child.stderr);
    let expected = "memory allocation of 17179869184 bytes failed";
    assert!(said.contains(expected), "{said}");
}

#[test]
#[cfg(unix)]
fn listing_a_name_that_is_not_utf_8_panics() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(OsStr::from_bytes(b"\xff")), "").unwrap();
    let store = FilesystemStore::new(folder.path()).unwrap();
    assert!(catch_unwind(|| store.list_dir(&"".try_into().unwrap()).is_err()).is_err());
}

#[test]
#[cfg(unix)]
fn a_link_to_a_folder_above_is_followed_until_the_system_refuses() {
    let folder = tempfile::tempdir().unwrap();
    let group = r#"{"zarr_format":3,"node_type":"group"}"#;
    std::fs::write(folder.path().join("zarr.json"), group).unwrap();
    std::os::unix::fs::symlink(".", folder.path().join("again")).unwrap();
    let store = Arc::new(FilesystemStore::new(folder.path()).unwrap());
    let root = Node::open(&store, "/").unwrap();
    let mut depth = 0;
    let mut node = &root;
    while let Some(child) = node.children().first() {
        depth += 1;
        node = child;
    }
    assert!(depth > 10, "{depth}");
}

#[cfg(feature = "gzip")]
mod partial_reads {
    use std::sync::Mutex;

    use zarrs::storage::byte_range::{ByteRange, ByteRangeIterator};
    use zarrs::storage::{
        Bytes, MaybeBytes, MaybeBytesIterator, ReadableStorageTraits, StorageError,
    };

    use super::*;

    /// A store that notes what it is asked for.
    struct Noting(MemoryStore, Mutex<Vec<ByteRange>>);

    impl ReadableStorageTraits for Noting {
        fn get(&self, key: &StoreKey) -> Result<MaybeBytes, StorageError> {
            self.0.get(key)
        }

        fn get_partial_many<'a>(
            &'a self,
            key: &StoreKey,
            ranges: ByteRangeIterator<'a>,
        ) -> Result<MaybeBytesIterator<'a>, StorageError> {
            let ranges: Vec<_> = ranges.collect();
            self.1.lock().unwrap().extend(&ranges);
            self.0.get_partial_many(key, Box::new(ranges.into_iter()))
        }

        fn size_key(&self, key: &StoreKey) -> Result<Option<u64>, StorageError> {
            self.0.size_key(key)
        }

        fn supports_get_partial(&self) -> bool {
            true
        }
    }

    #[test]
    fn a_partial_read_of_a_compressed_chunk_asks_for_a_range_without_an_end() {
        let memory = MemoryStore::new();
        let json = r#"{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"uint8","fill_value":0,
            "chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4]}},
            "chunk_key_encoding":{"name":"default"},
            "codecs":[{"name":"bytes"},{"name":"gzip","configuration":{"level":1}}]}"#;
        memory
            .set(&key("zarr.json"), Bytes::from_static(json.as_bytes()))
            .unwrap();
        let memory = Arc::new(memory);
        let writer = Array::open(memory.clone(), "/").unwrap();
        writer.store_chunk(&[0], &[1_u8, 2, 3, 4]).unwrap();
        let chunk = memory.get(&key("c/0")).unwrap().unwrap();
        let copy = MemoryStore::new();
        copy.set(&key("zarr.json"), Bytes::from_static(json.as_bytes()))
            .unwrap();
        copy.set(&key("c/0"), chunk).unwrap();
        let store = Arc::new(Noting(copy, Mutex::default()));
        let array = Array::open(store.clone(), "/").unwrap();
        let part = ArraySubset::new_with_start_shape(vec![1], vec![2]).unwrap();
        assert_eq!(
            array.retrieve_array_subset::<Vec<u8>>(&part).unwrap(),
            [2, 3]
        );
        let asked = store.1.lock().unwrap().clone();
        assert_eq!(asked, [ByteRange::FromStart(0, None)]);
    }
}
