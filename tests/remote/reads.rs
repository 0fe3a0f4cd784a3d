//! The same elements as locally, by as few requests as there can be.

use zarrs_interop::n5::{self, BlockErrors, MissingBlocks, RegionError, RegionReader};

use crate::container::{BLOCKS, PLANE_BLOCKS, Served, all, plane};

#[test]
fn a_dataset_is_opened_by_one_request_and_no_listing() {
    let served = Served::new();
    served.open("em/gzip");
    assert_eq!(served.proxy.take_texts(), ["GET /em/gzip/attributes.json"]);
}

#[test]
fn a_compressed_plane_is_one_get_a_block() {
    let served = Served::new();
    let array = served.open("em/gzip");
    let reader = RegionReader::new(&array).unwrap();
    let read: Vec<u8> = reader.read(&plane(40)).unwrap();
    assert_eq!(read, served.local("em/gzip", &plane(40)));
    let requests = served.proxy.take_texts();
    assert_eq!(requests.len(), PLANE_BLOCKS + 1, "{requests:#?}");
    assert!(
        requests
            .iter()
            .all(|request| request.starts_with("GET") && !request.contains("bytes"))
    );
    let traffic = array.storage().inner().traffic();
    assert_eq!(traffic.requests, PLANE_BLOCKS as u64 + 1);
}

#[test]
fn a_plain_zarrs_read_is_one_get_a_block_too() {
    let served = Served::new();
    let array = served.open("em/gzip");
    let read: Vec<u8> = array.retrieve_array_subset(&plane(40)).unwrap();
    assert_eq!(read, served.local("em/gzip", &plane(40)));
    assert_eq!(served.proxy.take_texts().len(), PLANE_BLOCKS + 1);
}

#[tokio::test]
async fn an_asynchronous_read_sends_the_same_requests() {
    let served = Served::new();
    let array = n5::async_open_array(served.store(), "em/gzip")
        .await
        .unwrap();
    let reader = RegionReader::new(&array).unwrap();
    let read: Vec<u8> = reader.async_read(&all()).await.unwrap();
    assert_eq!(read, served.local("em/gzip", &all()));
    let requests = served.proxy.take_texts();
    assert_eq!(requests.len(), BLOCKS + 1, "{requests:#?}");
}

#[test]
fn an_asynchronous_read_needs_no_tokio() {
    let served = Served::new();
    let array = served.open("em/gzip");
    let reader = RegionReader::new(&array).unwrap();
    let read: Vec<u8> = futures::executor::block_on(reader.async_read(&all())).unwrap();
    assert_eq!(read, served.local("em/gzip", &all()));
}

#[tokio::test]
async fn a_synchronous_read_may_be_called_within_tokio() {
    let served = Served::new();
    let array = served.open("em/gzip");
    let read: Vec<u8> = RegionReader::new(&array).unwrap().read(&all()).unwrap();
    assert_eq!(read, served.local("em/gzip", &all()));
}

/// A plane near the header of its blocks is one range with it.
#[test]
fn a_raw_plane_near_the_header_is_one_range_a_block() {
    let served = Served::new();
    let array = served.open("em/raw");
    let store = array.storage();
    let read: Vec<u8> = RegionReader::new(&array).unwrap().read(&plane(64)).unwrap();
    assert_eq!(read, served.local("em/raw", &plane(64)));
    let requests = served.proxy.take_texts();
    assert_eq!(requests.len(), PLANE_BLOCKS + 1, "{requests:#?}");
    assert!(
        requests
            .iter()
            .skip(1)
            .all(|request| request.contains("bytes=0-")),
        "{requests:#?}"
    );
    assert_bytes(store.inner().traffic().bytes, read.len());
}

/// One that is far from it is a range of its own: more bytes would be moved for nothing.
#[test]
fn a_raw_plane_far_from_the_header_is_two_ranges_a_block() {
    let served = Served::new();
    let array = served.open("em/raw");
    let store = array.storage();
    let read: Vec<u8> = RegionReader::new(&array).unwrap().read(&plane(40)).unwrap();
    assert_eq!(read, served.local("em/raw", &plane(40)));
    let requests = served.proxy.take_texts();
    assert_eq!(requests.len(), 2 * PLANE_BLOCKS + 1, "{requests:#?}");
    assert!(
        !requests.iter().any(|request| request.starts_with("HEAD")),
        "{requests:#?}"
    );
    assert_bytes(store.inner().traffic().bytes, read.len());
}

/// The document, headers, and at most a tenth more than was read.
fn assert_bytes(moved: u64, read: usize) {
    let most = read as u64 * 11 / 10 + 300;
    assert!(moved <= most, "{moved} of {read}");
}

/// Wherever in its blocks a region is: a tenth more than it, or 4 kB for each block.
#[test]
fn raw_planes_and_boxes_take_one_or_two_requests_a_block_and_few_bytes_more() {
    let served = Served::new();
    let array = served.open("em/raw");
    let store = array.storage();
    for depth in [1, 2, 20] {
        for z in [0, 1, 2, 3, 5, 9, 20, 40, 44] {
            let [x, y, _] = crate::container::SHAPE;
            let ranges = [0..x, 0..y, z..z + depth];
            let subset = zarrs::array::ArraySubset::new_with_ranges(&ranges);
            served.proxy.take();
            let before = store.inner().traffic().bytes;
            let read: Vec<u8> = RegionReader::new(&array).unwrap().read(&subset).unwrap();
            assert!(read == served.local("em/raw", &subset), "{z} {depth}");
            let requests = served.proxy.take_texts().len();
            assert!((PLANE_BLOCKS..=2 * PLANE_BLOCKS).contains(&requests), "{z}");
            let moved = store.inner().traffic().bytes - before;
            let most = read.len() * 11 / 10 + PLANE_BLOCKS * (4096 + 16);
            assert!(
                moved <= most as u64,
                "{z} {depth}: {moved} of {}",
                read.len()
            );
            if z >= 2 && depth == 1 {
                assert_bytes(moved, read.len());
            }
        }
    }
}

#[tokio::test]
async fn raw_regions_are_the_same_as_locally() {
    let served = Served::new();
    let array = served.open("em/raw");
    let reader = RegionReader::new(&array).unwrap();
    for ranges in [
        [3..140, 5..6, 7..90],
        [70..71, 0..120, 0..100],
        [1..149, 60..70, 62..66],
    ] {
        let subset = zarrs::array::ArraySubset::new_with_ranges(&ranges);
        let expected = served.local("em/raw", &subset);
        let read: Vec<u8> = reader.async_read(&subset).await.unwrap();
        assert_eq!(read, expected);
        let read: Vec<u8> = reader.read(&subset).unwrap();
        assert_eq!(read, expected);
        let read: Vec<u8> = array.async_retrieve_array_subset(&subset).await.unwrap();
        assert_eq!(read, expected);
    }
}

#[test]
fn a_block_that_is_not_found_is_fill() {
    let served = Served::new();
    for path in ["em/gzip", "em/raw"] {
        let array = served.open(path);
        let mut read = vec![7_u8; plane(0).num_elements_usize()];
        let reader = RegionReader::new(&array).unwrap();
        let summary = reader.read_into(&plane(0), &mut read).unwrap();
        assert_eq!(summary.blocks_missing, 1, "{path}");
        // Elements that are there are never 0.
        let zeros: usize = read.iter().map(|element| usize::from(*element == 0)).sum();
        assert_eq!(zeros, 64 * 64, "{path}");
        let reader = reader.with_missing(MissingBlocks::Error);
        let error = reader.read::<u8>(&plane(0)).unwrap_err();
        assert!(matches!(error, RegionError::Block(_)), "{error}");
    }
}

#[test]
fn a_block_of_no_bytes_is_an_error_unless_told() {
    let served = Served::new();
    for path in ["em/gzip", "em/raw"] {
        std::fs::write(served.folder.path().join(path).join("0/0/0"), "").unwrap();
        let array = served.open(path);
        let reader = RegionReader::new(&array).unwrap();
        let reader = reader.with_errors(BlockErrors::Collect);
        let mut read = vec![0_u8; plane(0).num_elements_usize()];
        let summary = reader.read_into(&plane(0), &mut read).unwrap();
        assert_eq!(summary.failures.len(), 1, "{path}");
        assert_eq!(summary.failures[0].key.as_str(), format!("{path}/0/0/0"));

        let store = n5::N5DefaultStore::new(served.store()).with_empty_blocks_missing(true);
        let array = std::sync::Arc::new(store).open_array(path).unwrap();
        let summary = RegionReader::new(&array)
            .unwrap()
            .read_into(&plane(0), &mut read)
            .unwrap();
        assert_eq!(summary.blocks_missing, 2, "{path}");
    }
}
