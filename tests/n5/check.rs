//! A check finds every block that is there, however large the grid, and says what is wrong.

#[cfg(all(unix, feature = "filesystem"))]
mod file_system;
mod stores_that_fail;
mod watched;

use serde_json::json;
use zarrs::storage::store::MemoryStore;
use zarrs::storage::{
    ListableStorageTraits, ReadableStorageTraits, StoreKey, WritableStorageTraits,
};
use zarrs_interop::n5::{CheckError, CheckOptions, CheckReport, StrayReason, check};

use watched::Watched;

/// The longest dimension that N5 holds.
const MOST: u64 = (1 << 63) - 1;

fn key(key: &str) -> StoreKey {
    StoreKey::new(key).unwrap()
}

/// A raw block of `uint8` of 2 x 1 elements for each key.
fn store(dimensions: &[u64], keys: &[&str]) -> MemoryStore {
    let store = MemoryStore::new();
    let mut block_size = vec![1; dimensions.len()];
    block_size[0] = 2;
    let attributes = json!({
        "dimensions": dimensions, "blockSize": block_size, "dataType": "uint8",
        "compression": {"type": "raw"}
    });
    store
        .set(&key("raw/attributes.json"), attributes.to_string().into())
        .unwrap();
    for at in keys {
        store.set(&key(at), block(dimensions.len()).into()).unwrap();
    }
    store
}

fn block(dimensionality: usize) -> Vec<u8> {
    let mut block = vec![0, 0, 0, u8::try_from(dimensionality).unwrap(), 0, 0, 0, 2];
    for _ in 1..dimensionality {
        block.extend([0, 0, 0, 1]);
    }
    block.extend([7, 8]);
    block
}

fn checked<S>(store: &S) -> CheckReport
where
    S: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    check(store, "/raw", &CheckOptions::new(), |_| {}).unwrap()
}

#[test]
fn it_counts_what_is_there_and_what_is_missing() {
    let store = store(&[5, 3], &["raw/0/0", "raw/2/1", "raw/1/2"]);
    store
        .set(&key("raw/1/2"), block(2)[..13].to_vec().into())
        .unwrap();
    let report = checked(&store);
    assert_eq!(
        (report.expected, report.present, report.missing()),
        (9, 3, 6)
    );
    assert_eq!((report.corrupt_count, report.corrupt.len()), (1, 1));
    assert_eq!(report.corrupt[0].position, [1, 2]);
    assert_eq!(report.size_read, 14 + 14 + 13);
    assert_eq!(report.first_present.as_deref(), Some(&[0, 0][..]));
    assert_eq!(report.first_key, key("raw/0/0"));
    assert!(!report.is_sound());
    assert_eq!(
        report.to_string(),
        "/raw: 9 expected, 3 present, 6 missing, 1 corrupt"
    );
}

#[test]
fn a_block_of_no_bytes_is_corrupt() {
    let store = store(&[2, 1], &[]);
    store.set(&key("raw/0/0"), vec![].into()).unwrap();
    let report = checked(&store);
    assert_eq!((report.present, report.corrupt_count), (1, 1));
}

#[test]
fn keys_that_are_no_blocks_are_noted_and_not_read() {
    let mut keys = [
        "raw/3/0",
        "raw/0/00",
        "raw/0/x",
        "raw/1",
        "raw/0/1/2",
        "raw/0/0",
    ];
    let store = store(&[5, 3], &keys);
    let report = checked(&store);
    assert_eq!((report.present, report.corrupt_count), (1, 0));
    let found = report.stray.iter();
    let found: Vec<_> = found.map(|stray| (&*stray.key, stray.reason)).collect();
    assert_eq!(
        found,
        [
            ("raw/0/00", StrayReason::LeadingZeros),
            ("raw/0/1/", StrayReason::Folder),
            ("raw/0/x", StrayReason::NotANumber),
            ("raw/1", StrayReason::File),
            ("raw/3/", StrayReason::OutsideOfGrid),
        ]
    );
    keys.sort_unstable();
    assert_eq!(report.stray_count, keys.len() as u64 - 1);
}

#[test]
fn nodes_and_documents_beside_the_blocks_are_not_stray() {
    let store = store(
        &[2, 1],
        &["raw/0/0", "raw/s0/0/0", "raw/zarr.json", "raw/0/.nfs1"],
    );
    let report = checked(&store);
    assert_eq!((report.present, report.stray_count), (1, 0));
}

#[test]
fn huge_grids_are_not_walked() {
    for (dimensions, expected) in [
        (&[1 << 40; 3][..], 1 << 119),
        (
            &[10_000_000_000, 10_000_000_000, 1, 3612, 3612],
            652_327_200_000_000_000_000_000_000,
        ),
        (&[MOST; 3], u128::MAX),
        (&[MOST, MOST, 0], 0),
    ] {
        let zeros = vec!["0"; dimensions.len()].join("/");
        let far = format!("raw/9000000/{}", &zeros[2..]);
        let report = checked(&store(dimensions, &[&format!("raw/{zeros}"), &far]));
        assert_eq!(report.expected, expected);
        let present = if expected == 0 { 0 } else { 2 };
        assert_eq!(report.present, present, "{dimensions:?}");
        assert_eq!(report.missing(), expected - u128::from(present));
        assert_eq!(report.corrupt_count, 0);
    }
}

#[test]
fn blocks_of_serialised_objects_are_not_corrupt() {
    let store = store(&[6, 1], &["raw/0/0"]);
    let multiset = [0, 1, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 9, 1, 2, 3];
    store
        .set(&key("raw/1/0"), multiset.to_vec().into())
        .unwrap();
    let object = [0, 2, 0, 0, 0, 9, 1, 2, 3];
    store.set(&key("raw/2/0"), object.to_vec().into()).unwrap();
    let report = checked(&store);
    assert_eq!(
        (report.present, report.serialized, report.corrupt_count),
        (3, 2, 0)
    );
    assert!(
        report
            .to_string()
            .contains("2 blocks of serialised objects"),
        "{report}"
    );
}

#[test]
fn without_reading_blocks_are_only_counted() {
    let store = Watched::new(store(&[4, 1], &["raw/0/0", "raw/1/0"]));
    let options = CheckOptions::new().with_reading(false);
    let report = check(&store, "/raw", &options, |_| {}).unwrap();
    assert_eq!((report.present, report.size_read), (2, 0));
    assert_eq!(*store.read.lock().unwrap(), ["raw/attributes.json"]);
}

#[test]
fn only_blocks_that_are_listed_are_asked_for_each_once() {
    let store = Watched::new(store(&[400, 400], &["raw/0/0", "raw/1/7", "raw/1/0"]));
    checked(&store);
    let mut read = store.read.into_inner().unwrap();
    read.sort();
    assert_eq!(
        read,
        ["raw/0/0", "raw/1/0", "raw/1/7", "raw/attributes.json"]
    );
}

#[test]
fn what_is_kept_is_bounded_and_all_is_counted() {
    let keys: Vec<_> = (0..50).map(|number| format!("raw/{number}/0")).collect();
    let keys: Vec<_> = keys.iter().map(String::as_str).collect();
    let store = store(&[40, 1], &keys);
    for at in &keys {
        store.set(&key(at), vec![1].into()).unwrap();
    }
    let options = CheckOptions::new().with_max_listed(3);
    let report = check(&store, "/raw", &options, |_| {}).unwrap();
    assert_eq!((report.corrupt_count, report.corrupt.len()), (20, 3));
    assert_eq!((report.stray_count, report.stray.len()), (30, 3));
}

#[test]
fn progress_counts_each_block() {
    let store = store(&[8, 1], &["raw/0/0", "raw/1/0", "raw/3/0"]);
    for threads in [1, 7] {
        let options = CheckOptions::new().with_concurrency(threads);
        let mut seen = Vec::new();
        check(&store, "/raw", &options, |progress| {
            seen.push((progress.blocks_done, progress.expected));
        })
        .unwrap();
        assert_eq!(seen, [(1, 4), (2, 4), (3, 4)]);
    }
}

#[test]
fn many_threads_find_what_one_finds() {
    let mut keys = Vec::new();
    for x in 0..30 {
        for y in (0..30).filter(|y| (x * y) % 7 != 3) {
            keys.push(format!("raw/{x}/{y}/{}", (x + y) % 5));
        }
    }
    let keys: Vec<_> = keys.iter().map(String::as_str).collect();
    let store = store(&[60, 30, 5], &keys);
    for at in keys.iter().step_by(11) {
        store.set(&key(at), vec![0; 9].into()).unwrap();
    }
    let found = [1, 2, 16].map(|threads| {
        let options = CheckOptions::new().with_concurrency(threads);
        let report = check(&store, "/raw", &options, |_| {}).unwrap();
        let corrupt: Vec<_> = report.corrupt.iter().map(ToString::to_string).collect();
        (report.present, report.first_present, corrupt)
    });
    assert_eq!(found[0].0, keys.len() as u64);
    assert_eq!(found[0].2.len(), keys.len().div_ceil(11));
    assert!(found.iter().all(|other| *other == found[0]));
}

/// The members of a dataset on `raw`, no block, and a dataset in `raw/0`, where no walk finds it.
#[test]
fn a_node_among_the_blocks_is_stray() {
    let store = store(&[4, 2], &["raw/0/1/0"]);
    let attributes = store.get(&key("raw/attributes.json")).unwrap().unwrap();
    for document in ["raw/0/attributes.json", "raw/0/zarr.json"] {
        store.set(&key(document), attributes.clone()).unwrap();
    }
    let report = checked(&store);
    assert_eq!(report.present, 0);
    let found = report.stray.iter();
    let found: Vec<_> = found.map(|stray| (&*stray.key, stray.reason)).collect();
    assert_eq!(
        found,
        [
            ("raw/0/1/", StrayReason::Folder),
            ("raw/0/attributes.json", StrayReason::Node),
            ("raw/0/zarr.json", StrayReason::Node),
        ]
    );
    let text = report.stray[1].to_string();
    assert!(text.contains("where no walk finds it"), "{text}");
}

#[test]
fn only_grids_beyond_128_bits_are_beyond_count() {
    for (dimensions, is_beyond) in [(&[1 << 40; 3][..], false), (&[MOST; 3], true)] {
        let report = checked(&store(dimensions, &[]));
        assert_eq!(report.is_beyond_count(), is_beyond);
        assert_eq!(report.to_string().contains("over "), is_beyond, "{report}");
    }
}

#[test]
fn what_is_no_dataset_is_refused() {
    let store = store(&[4, 1], &[]);
    store
        .set(&key("group/attributes.json"), "{}".into())
        .unwrap();
    store
        .set(&key("broken/attributes.json"), "[1]".into())
        .unwrap();
    let refused = |path: &str| check(&store, path, &CheckOptions::new(), |_| {}).unwrap_err();
    assert!(matches!(refused("/group"), CheckError::Group { .. }));
    assert!(matches!(refused("/broken"), CheckError::Document(_)));
    assert!(matches!(
        refused("/nowhere"),
        CheckError::NoSuchDataset { .. }
    ));
    assert!(matches!(refused("raw"), CheckError::InvalidNodePath(_)));
    for (path, part) in [
        ("/group", "it is a group"),
        (
            "/nowhere",
            "cannot check the dataset /nowhere: there is no attributes.json",
        ),
    ] {
        let text = refused(path).to_string();
        assert!(text.contains(part), "{text}");
    }
}

#[cfg(feature = "async")]
#[tokio::test]
async fn the_asynchronous_twin_finds_the_same() {
    use zarrs::storage::AsyncWritableStorageTraits;
    use zarrs::storage::store::AsyncMemoryStore;

    let keys = ["raw/0/0", "raw/2/1", "raw/1/2", "raw/9/9", "raw/1/1"];
    let sync = store(&[5, 3], &keys);
    sync.set(&key("raw/1/2"), block(2)[..13].to_vec().into())
        .unwrap();
    let store = AsyncMemoryStore::new();
    for at in sync.list().unwrap() {
        store
            .set(&at, sync.get(&at).unwrap().unwrap())
            .await
            .unwrap();
    }
    let expected = checked(&sync);
    for concurrency in [1, 32] {
        let options = CheckOptions::new().with_concurrency(concurrency);
        let mut done = 0;
        let found = zarrs_interop::n5::async_check(&store, "/raw", &options, |progress| {
            done = progress.blocks_done;
        });
        let found = found.await.unwrap();
        assert_eq!(format!("{found:?}"), format!("{expected:?}"));
        assert_eq!(done, 4);
    }
    let options = CheckOptions::new().with_reading(false);
    let listed = zarrs_interop::n5::async_check(&store, "/raw", &options, |_| {});
    let listed = listed.await.unwrap();
    assert_eq!((listed.present, listed.corrupt_count), (4, 0));
}
