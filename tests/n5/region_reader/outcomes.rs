//! Summaries, progress, and blocks that are missing or corrupt.

use super::*;

#[test]
fn a_summary_counts_the_blocks() {
    let array = careless(&grids()[0], "");
    let reader = RegionReader::new(&array).unwrap();
    let mut out = vec![0_u16; 140];
    let summary = reader.read_into(&array.subset_all(), &mut out).unwrap();
    assert_eq!((summary.blocks_read, summary.blocks_missing), (17, 1));
    assert!(summary.failures.is_empty());
}

#[test]
fn progress_reaches_the_number_of_blocks() {
    let array = careless(&grids()[0], "");
    let seen = Arc::new(Mutex::new(Vec::new()));
    let seen_by_reader = Arc::clone(&seen);
    let reader = RegionReader::new(&array).unwrap().with_concurrency(3);
    let reader = reader.with_progress(move |progress| {
        assert_eq!(progress.blocks, 18);
        seen_by_reader.lock().unwrap().push(progress.blocks_done);
    });
    reader.read::<u16>(&array.subset_all()).unwrap();
    assert_eq!(*seen.lock().unwrap(), (1..=18).collect::<Vec<u64>>());
}

#[test]
fn a_missing_block_is_an_error_if_it_is_to_be_one() {
    for compressor in oracle::COMPRESSORS {
        let array = careless(&grids()[1], compressor);
        let reader = RegionReader::new(&array).unwrap();
        let reader = reader.with_missing(MissingBlocks::Error);
        let error = reader.read::<u16>(&array.subset_all()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "array /: block [0, 0, 1] at key 0/0/1: there is no block: expected one, as missing \
             blocks were to be errors"
        );
        let RegionError::Block(failure) = error else {
            panic!("{error} is not about a block");
        };
        assert!(matches!(failure.reason, BlockFailureReason::Missing));
        // One element of it, of which a raw block would be read in ranges.
        let region = ArraySubset::new_with_ranges(&[0..1, 0..1, 2..3]);
        assert!(reader.read::<u16>(&region).is_err());
        let region = ArraySubset::new_with_ranges(&[0..7, 0..5, 0..2]);
        reader.read::<u16>(&region).unwrap();
    }
}

/// The careless array with two corrupt blocks.
fn corrupt(compressor: &str) -> Array<MemoryStore> {
    let array = careless(&grids()[0], compressor);
    for key in ["1/0/0", "2/1/1"] {
        let (key, store) = (StoreKey::new(key).unwrap(), array.storage());
        let mut block = store.get(&key).unwrap().unwrap().to_vec();
        block.truncate(17);
        store.set(&key, block.into()).unwrap();
    }
    array
}

#[test]
fn a_corrupt_block_stops_the_read_with_its_position_and_key() {
    for compressor in oracle::COMPRESSORS {
        let array = corrupt(compressor);
        let reader = RegionReader::new(&array).unwrap().with_concurrency(1);
        let error = reader
            .read::<u16>(&array.subset_all())
            .unwrap_err()
            .to_string();
        let start = "array /: block [1, 0, 0] at key 1/0/0: N5 block: ";
        assert!(error.starts_with(start), "{error}");
    }
}

/// The store knows the key too.
#[cfg(feature = "filesystem")]
#[test]
fn a_corrupt_block_of_a_folder_has_its_key_in_the_error_once() {
    let folder = tempfile::tempdir().unwrap();
    let attributes =
        r#"{"dimensions":[4],"blockSize":[2],"dataType":"uint8","compression":{"type":"raw"}}"#;
    std::fs::create_dir(folder.path().join("a")).unwrap();
    std::fs::write(folder.path().join("a/attributes.json"), attributes).unwrap();
    std::fs::write(folder.path().join("a/1"), b"\0\0\0\x01\0\0\0\x02\x07").unwrap();
    let store = zarrs::filesystem::FilesystemStore::new(folder.path()).unwrap();
    let store = std::sync::Arc::new(zarrs_interop::n5::N5DefaultStore::new(store));
    let array = Array::open(store, "/a").unwrap();
    let reader = RegionReader::new(&array).unwrap();
    let error = reader.read::<u8>(&array.subset_all()).unwrap_err();
    let error = error.to_string();
    assert!(
        error.starts_with("array /a: block [1] at key a/1: N5 block: "),
        "{error}"
    );
    assert_eq!(error.matches("a/1").count(), 1, "{error}");
}

#[test]
fn all_corrupt_blocks_are_collected_and_filled() {
    for compressor in oracle::COMPRESSORS {
        for (threads, memory) in [(1, None), (2, None), (1, Some(0)), (2, Some(1 << 30))] {
            check_collected(compressor, threads, memory);
        }
    }
}

fn check_collected(compressor: &str, threads: usize, memory: Option<usize>) {
    let array = corrupt(compressor);
    let reader = reader(&array, threads, memory).with_errors(BlockErrors::Collect);
    let mut out = vec![0_u16; 140];
    let summary = reader.read_into(&array.subset_all(), &mut out).unwrap();
    let positions: Vec<_> = summary
        .failures
        .iter()
        .map(|failure| &failure.position)
        .collect();
    assert_eq!(positions, [&vec![1, 0, 0], &vec![2, 1, 1]]);
    assert_eq!((summary.blocks_read, summary.blocks_missing), (15, 1));

    let (_, mut expected) = regions().swap_remove(0);
    for_each_position(&SHAPE, |at| {
        let is_first = (3..6).contains(&at[0]) && at[1] < 2 && at[2] < 2;
        let is_second = at[0] == 6 && (2..4).contains(&at[1]) && at[2] >= 2;
        if is_first || is_second {
            expected[index(&SHAPE, at)] = FILL;
        }
    });
    assert_eq!(out, expected, "{compressor}");
}
