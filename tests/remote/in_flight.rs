//! How many requests are there at the same time.

use std::time::Duration;

use zarrs::array::data_type;
use zarrs::array::{ArraySubset, CodecOptions};
use zarrs_interop::n5::{self, CheckOptions, Compression, RegionReader, array_builder};

use crate::container::Served;

/// A server with a dataset of 10 x 10 blocks, which answers late enough that requests meet.
fn served() -> Served {
    let served = Served::new();
    let files = zarrs::filesystem::FilesystemStore::new(served.folder.path()).unwrap();
    let store = std::sync::Arc::new(n5::N5DefaultStore::new(files));
    let gzip = Compression::gzip();
    let builder = array_builder(vec![40, 40], [4, 4], data_type::uint8(), &gzip).unwrap();
    let array = builder.build(store, "/many").unwrap();
    array.store_metadata().unwrap();
    array
        .store_array_subset(&array.subset_all(), &[1_u8; 1600])
        .unwrap();
    served
}

fn all() -> ArraySubset {
    ArraySubset::new_with_shape(vec![40, 40])
}

const LATE: Duration = Duration::from_millis(60);

#[tokio::test]
async fn an_asynchronous_read_has_32_in_flight() {
    let served = served();
    let array = served.open("many");
    served.proxy.set_latency(LATE);
    served.proxy.take();
    let read: Vec<u8> = RegionReader::new(&array)
        .unwrap()
        .async_read(&all())
        .await
        .unwrap();
    assert_eq!(read, [1; 1600]);
    let (requests, most) = served.proxy.take();
    assert_eq!((requests.len(), most), (100, 32));
}

#[test]
fn a_synchronous_read_has_as_many_in_flight_as_is_said() {
    let served = served();
    let array = served.open("many");
    served.proxy.set_latency(LATE);
    served.proxy.take();
    let reader = RegionReader::new(&array).unwrap().with_concurrency(32);
    assert_eq!(reader.read::<u8>(&all()).unwrap(), [1; 1600]);
    let (requests, most) = served.proxy.take();
    assert_eq!((requests.len(), most), (100, 32));
}

#[tokio::test]
async fn plain_zarrs_reads_have_as_many_as_their_options_say() {
    let served = served();
    let array = served.open("many");
    served.proxy.set_latency(LATE);
    served.proxy.take();
    let options = CodecOptions::default().with_concurrent_target(32);
    let read: Vec<u8> = array
        .async_retrieve_array_subset_opt(&all(), &options)
        .await
        .unwrap();
    assert_eq!(read, [1; 1600]);
    let (requests, most) = served.proxy.take();
    assert_eq!(requests.len(), 100);
    assert!((16..=32).contains(&most), "{most}");
}

#[tokio::test]
async fn a_read_that_nobody_awaits_any_more_sends_no_more_requests() {
    let served = served();
    let array = served.open("many");
    served.proxy.set_latency(Duration::from_millis(200));
    served.proxy.take();
    let reader = RegionReader::new(&array).unwrap();
    let region = all();
    let read = reader.async_read::<u8>(&region);
    tokio::time::timeout(Duration::from_millis(100), read)
        .await
        .unwrap_err();
    tokio::time::sleep(Duration::from_millis(500)).await;
    let (requests, _) = served.proxy.take();
    assert!(requests.len() <= 32, "{}", requests.len());
}

#[test]
fn a_check_of_what_cannot_be_listed_says_so() {
    let served = served();
    let report = n5::check(&served.store(), "/many", &CheckOptions::new(), |_| {}).unwrap();
    assert_eq!(
        (report.present, report.unlisted.len()),
        (0, 1),
        "{report:?}"
    );
    assert_eq!(
        (report.known_present(), report.known_missing()),
        (None, None)
    );
    let text = report.to_string();
    assert!(
        text.contains("expected, not known how many are present or missing, 0 corrupt"),
        "{text}"
    );
}
