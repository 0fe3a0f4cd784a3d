//! A process that is killed while it writes blocks into a folder: what is there afterwards.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use zarrs::array::{Array, ArraySubset, CodecOptions};
use zarrs::filesystem::FilesystemStore;
use zarrs_interop::n5::{
    CheckOptions, CheckReport, Compression, N5DefaultStore, array_builder, check,
};
use zarrs_storage::ReadableWritableStorageTraits;
use zarrs_storage::storage_adapter::atomic_write::AtomicWriteStorageAdapter;

use crate::killed_child::{LARGEST_LIMIT, in_child, run_and_kill, run_until_a_file_is_cut};

/// Elements, and bytes, of a block: more than a file of the child may have.
const LEN: usize = 4 * LARGEST_LIMIT;
const OLD: u8 = 7;
const NEW: u8 = 9;

fn files(folder: &Path) -> Arc<FilesystemStore> {
    Arc::new(FilesystemStore::new(folder).unwrap())
}

/// The store that `AtomicWriteStorageAdapter` makes of a folder, and the plain one.
fn atomic(folder: &Path) -> Arc<N5DefaultStore<AtomicWriteStorageAdapter<FilesystemStore>>> {
    Arc::new(N5DefaultStore::new(AtomicWriteStorageAdapter::new(files(
        folder,
    ))))
}

fn plain(folder: &Path) -> Arc<N5DefaultStore<Arc<FilesystemStore>>> {
    Arc::new(N5DefaultStore::new(files(folder)))
}

/// Two raw blocks of `OLD` in `/raw`.
fn folder_with_blocks() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let len = LEN as u64;
    let array = array_builder([2 * len], [len], "uint8", &Compression::Raw)
        .unwrap()
        .build(plain(folder.path()), "/raw")
        .unwrap();
    array.store_metadata().unwrap();
    array
        .store_array_subset(&array.subset_all(), vec![OLD; 2 * LEN])
        .unwrap();
    folder
}

fn open<S: ReadableWritableStorageTraits + 'static>(store: Arc<S>) -> Array<S> {
    Array::open(store, "/raw").unwrap()
}

fn read<S: ReadableWritableStorageTraits + 'static>(
    store: Arc<S>,
    block: u64,
) -> Result<Vec<u8>, String> {
    let elements = open(store).retrieve_chunk(&[block]);
    elements.map_err(|error| error.to_string())
}

fn checked(folder: &Path) -> CheckReport {
    check(&files(folder), "/raw", &CheckOptions::new(), |_| {}).unwrap()
}

#[test]
fn a_killed_write_leaves_a_cut_block_that_is_refused_and_can_be_written_again() {
    if let Some(folder) = in_child() {
        open(plain(&folder))
            .store_chunk(&[1], vec![NEW; LEN])
            .unwrap();
        return;
    }
    let folder = folder_with_blocks();
    let test = "killed::a_killed_write_leaves_a_cut_block_that_is_refused_and_can_be_written_again";
    run_until_a_file_is_cut(test, folder.path());
    let size = std::fs::metadata(folder.path().join("raw/1"))
        .unwrap()
        .len();
    assert!(size > 0 && size <= LARGEST_LIMIT as u64, "{size} bytes");

    let error = read(plain(folder.path()), 1).unwrap_err();
    assert!(
        error.contains("raw/1") && error.contains("bytes"),
        "{error}"
    );
    assert_eq!(read(plain(folder.path()), 0).unwrap(), vec![OLD; LEN]);
    let report = checked(folder.path());
    assert_eq!((report.present, report.corrupt_count), (2, 1));

    let array = open(plain(folder.path()));
    array.store_chunk(&[1], vec![NEW; LEN]).unwrap();
    assert_eq!(read(plain(folder.path()), 1).unwrap(), vec![NEW; LEN]);
    assert!(checked(folder.path()).is_sound());
}

#[test]
fn a_killed_write_through_the_atomic_adapter_leaves_the_old_block() {
    if let Some(folder) = in_child() {
        open(atomic(&folder))
            .store_chunk(&[1], vec![NEW; LEN])
            .unwrap();
        return;
    }
    let folder = folder_with_blocks();
    let test = "killed::a_killed_write_through_the_atomic_adapter_leaves_the_old_block";
    run_until_a_file_is_cut(test, folder.path());
    assert_eq!(read(atomic(folder.path()), 0).unwrap(), vec![OLD; LEN]);
    assert_eq!(read(atomic(folder.path()), 1).unwrap(), vec![OLD; LEN]);

    // What was written aside stays, and must be removed before the next write of that block.
    let aside = folder.path().join("raw/1.tmp");
    let array = open(atomic(folder.path()));
    let error = array.store_chunk(&[1], vec![NEW; LEN]).unwrap_err();
    assert!(
        error.to_string().contains("raw/1.tmp already exists"),
        "{error}"
    );
    std::fs::remove_file(aside).unwrap();
    array.store_chunk(&[1], vec![NEW; LEN]).unwrap();
    assert_eq!(read(atomic(folder.path()), 1).unwrap(), vec![NEW; LEN]);
    assert!(checked(folder.path()).is_sound());
}

/// The one case that no reader can tell afterwards.
#[test]
fn a_killed_write_into_a_raw_block_leaves_old_and_new_elements() {
    if let Some(folder) = in_child() {
        let options = CodecOptions::default().with_experimental_partial_encoding(true);
        let len = LEN as u64;
        let written = ArraySubset::new_with_start_shape(vec![len + 10], vec![len - 20]).unwrap();
        open(plain(&folder))
            .store_array_subset_opt(&written, vec![NEW; LEN - 20], &options)
            .unwrap();
        return;
    }
    let folder = folder_with_blocks();
    let test = "killed::a_killed_write_into_a_raw_block_leaves_old_and_new_elements";
    run_until_a_file_is_cut(test, folder.path());
    let mut elements = read(plain(folder.path()), 1).unwrap();
    elements.sort_unstable();
    let (old, new) = elements.split_at(elements.partition_point(|&element| element == OLD));
    assert!(old.len() > 20 && !new.is_empty(), "{} old", old.len());
    assert!(new.iter().all(|&element| element == NEW));
    assert_eq!(read(plain(folder.path()), 0).unwrap(), vec![OLD; LEN]);
}

#[test]
fn killed_at_any_moment_a_block_is_whole_or_refused() {
    if let Some(folder) = in_child() {
        let array = open(plain(&folder));
        for value in (1..=250_u8).cycle() {
            array.store_chunk(&[1], vec![value; LEN]).unwrap();
            std::fs::write(folder.join("begun"), "").unwrap();
        }
    }
    let test = "killed::killed_at_any_moment_a_block_is_whole_or_refused";
    for round in 0..12 {
        let folder = folder_with_blocks();
        let begun = folder.path().join("begun");
        run_and_kill(test, folder.path(), &begun, Duration::from_millis(round));
        match read(plain(folder.path()), 1) {
            Ok(elements) => assert_eq!(elements, vec![elements[0]; LEN], "round {round}"),
            Err(error) => assert!(error.contains("N5 block"), "round {round}: {error}"),
        }
        assert_eq!(read(plain(folder.path()), 0).unwrap(), vec![OLD; LEN]);
    }
}
