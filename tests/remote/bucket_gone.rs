//! A bucket that does not exist, or not any more, has no missing blocks: it is an error.

use zarrs_interop::n5::{self, OpenError, RegionReader, UrlError, UrlOptions, UrlStore};
use zarrs_storage::byte_range::ByteRange;
use zarrs_storage::{ListableStorageTraits, ReadableStorageTraits, StorageError};

use crate::container::{Served, all, plane};
use crate::proxy::Fault;

const GONE: &str = "the bucket does not exist (HTTP 404 NoSuchBucket)";

/// The folder `em` as a bucket, and as a folder of a web server: the same requests but for
/// listings. Told statuses make no difference.
fn stores(served: &Served) -> [UrlStore; 2] {
    let told = UrlOptions::new().with_missing_statuses([404]);
    let url = served.proxy.url();
    let bucket = told.clone().with_endpoint(&url).with_allow_http(true);
    [
        n5::open_url("s3://em", &bucket).unwrap(),
        n5::open_url(&format!("{url}/em"), &told).unwrap(),
    ]
}

fn assert_gone(error: &StorageError) {
    assert!(error.to_string().contains(GONE), "{error}");
    assert_eq!(UrlError::of(error).unwrap().status(), Some(404));
}

#[test]
fn blocks_of_a_bucket_that_is_deleted_are_not_missing() {
    let served = Served::new();
    for store in stores(&served) {
        for path in ["gzip", "raw"] {
            served.proxy.set_faults(|_, _| None);
            let array = n5::open_array(store.clone(), path).unwrap();
            let reader = RegionReader::new(&array).unwrap();
            let local = served.local(&format!("em/{path}"), &plane(40));
            assert_eq!(reader.read::<u8>(&plane(40)).unwrap(), local);

            served.proxy.set_faults(|_, _| Some(Fault::NoSuchBucket));
            for subset in [plane(40), all()] {
                let error = reader.read::<u8>(&subset).unwrap_err();
                assert!(error.to_string().contains(GONE), "{error}");
                let error = array.retrieve_array_subset::<Vec<u8>>(&subset).unwrap_err();
                assert!(error.to_string().contains(GONE), "{error}");
            }
        }
    }
}

#[test]
fn documents_and_listings_of_no_bucket_are_errors() {
    let served = Served::new();
    served.proxy.set_faults(|_, _| Some(Fault::NoSuchBucket));
    for store in stores(&served) {
        let error = n5::open_array(store.clone(), "raw").unwrap_err();
        assert!(matches!(error, OpenError::Read { .. }), "{error}");
        assert!(error.to_string().contains(GONE), "{error}");
    }
    let [bucket, _] = stores(&served);
    assert_gone(&bucket.list_dir(&"raw/".try_into().unwrap()).unwrap_err());
    assert_gone(&bucket.list_prefix(&"raw/".try_into().unwrap()).unwrap_err());
}

#[test]
fn ranges_and_sizes_in_no_bucket_are_errors() {
    let served = Served::new();
    let key = "raw/0/0/0".try_into().unwrap();
    served.proxy.set_faults(|_, _| Some(Fault::NoSuchBucket));
    for store in stores(&served) {
        for range in [ByteRange::FromStart(3, Some(4)), ByteRange::Suffix(3)] {
            assert_gone(&store.get_partial(&key, range).unwrap_err());
        }
    }
    // The answer to a `HEAD` has no text, so that the bucket is asked once more.
    let [bucket, _] = stores(&served);
    assert_gone(&bucket.size_key(&key).unwrap_err());
    served.proxy.set_faults(|_, _| Some(Fault::Status(404)));
    assert_eq!(bucket.size_key(&key).unwrap(), None);
}
