//! What is sent again, and that the last answer counts.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;

use zarrs_interop::n5::{self, RegionReader, UrlOptions, WalkOptions};

use crate::container::{MISSING, Served, make, plane};
use crate::http::{Request, Server};
use crate::listers::{dav, s3};
use crate::proxy::{Fault, Proxy};

/// What befalls a request once, and not when it is sent again.
const PASSING: [Fault; 5] = [
    Fault::Status(500),
    Fault::Status(503),
    Fault::Status(429),
    Fault::None,
    Fault::Cut,
];

/// Does `fault` once to each value, or each listing, that `is_hit`.
fn befall(proxy: &Proxy, fault: Fault, is_hit: impl Fn(&Request) -> bool + Send + Sync + 'static) {
    let seen = Mutex::new(HashSet::new());
    proxy.set_faults(move |_, request| {
        let what = format!("{} {}", request.method, request.target);
        (is_hit(request) && seen.lock().unwrap().insert(what)).then_some(fault)
    });
}

/// With and without what says that the rest of a cut answer belongs to what came, and that the
/// server can give it.
#[test]
fn documents_headers_and_blocks_are() {
    for fault in PASSING {
        for (has_e_tag, has_ranges) in [(true, true), (false, true), (true, false), (false, false)]
        {
            let served = Served::by(|files| {
                (files.has_e_tag, files.has_ranges) = (has_e_tag, has_ranges);
            });
            befall(&served.proxy, fault, |_| true);
            for path in ["em/gzip", "em/raw"] {
                let array = served.open(path);
                let reader = RegionReader::new(&array).unwrap();
                let read = reader.read::<u8>(&plane(40));
                let read = read.unwrap_or_else(|error| panic!("{fault:?} {has_e_tag}: {error}"));
                assert!(read == served.local(path, &plane(40)), "{path}");
            }
        }
    }
}

#[test]
fn listings_are() {
    let folder = make();
    let bucket = Server::start(s3(folder.path().to_owned()));
    let server = Server::start(dav(folder.path().to_owned(), ""));
    for fault in PASSING {
        for (address, is_bucket) in [(bucket.address(), true), (server.address(), false)] {
            let proxy = Proxy::start(address);
            befall(&proxy, fault, |request| {
                request.method == "PROPFIND" || request.target.contains("list-type")
            });
            let store = if is_bucket {
                let options = UrlOptions::new()
                    .with_endpoint(proxy.url())
                    .with_allow_http(true);
                n5::open_url("s3://em", &options).unwrap()
            } else {
                n5::open_url(&proxy.url(), &UrlOptions::new()).unwrap()
            };
            let report = n5::walk(&store, &WalkOptions::new()).unwrap();
            assert!(report.left_out().is_empty(), "{fault:?}: {report:?}");
            assert_eq!(report.datasets().count(), 2, "{fault:?}: {report:?}");
        }
    }
}

#[test]
fn as_often_as_the_options_say() {
    let served = Served::by(|files| files.has_e_tag = false);
    for fault in PASSING {
        for retries in [0, 2] {
            let store = served.store_with(&UrlOptions::new().with_retries(retries));
            served.proxy.set_faults(move |_, _| Some(fault));
            n5::open_array(store.clone(), "em/raw").unwrap_err();
            let requests = served.proxy.take_texts();
            assert_eq!(requests.len(), retries + 1, "{fault:?}: {requests:?}");
            assert_eq!(store.traffic().requests, retries as u64 + 1);
        }
    }
}

/// The three requests that the documentation of `with_retries` speaks of, one of them for two
/// ranges at once: why an error may take three times as long.
#[test]
fn a_part_of_a_raw_block_is_asked_for_in_three_ways_each_as_often() {
    let served = Served::new();
    let retries = 1;
    let store = served.store_with(&UrlOptions::new().with_retries(retries));
    let array = n5::open_array(store, "em/raw").unwrap();
    served
        .proxy
        .set_faults(|_, request| request.target.ends_with("/0/1/0").then_some(Fault::None));
    served.proxy.take();
    RegionReader::new(&array)
        .unwrap()
        .read::<u8>(&plane(40))
        .unwrap_err();
    let requests = served.proxy.take_texts();
    let of_block = requests.iter().filter(|text| text.contains("/0/1/0"));
    let mut by_way = [0; 3];
    for request in of_block {
        let way = match request.split_once("bytes=") {
            None => 2,
            Some((_, "0-15")) => 1,
            Some(_) => 0,
        };
        by_way[way] += 1;
    }
    // The first failure of the two ranges ends the other, so that of one there may be fewer.
    assert_eq!(by_way[2], retries + 1, "{requests:?}");
    assert!(
        (retries + 2..=2 * (retries + 1)).contains(&by_way[1]),
        "{requests:?}"
    );
    assert!((1..=retries + 1).contains(&by_way[0]), "{requests:?}");
}

#[test]
fn after_503_a_404_means_that_a_block_is_not_there() {
    for path in ["em/gzip", "em/raw"] {
        let served = Served::new();
        let array = served.open(path);
        befall(&served.proxy, Fault::Status(503), |request| {
            request.target.ends_with(MISSING)
        });
        let mut read = vec![7_u8; plane(40).num_elements_usize()];
        let reader = RegionReader::new(&array).unwrap();
        let summary = reader.read_into(&plane(40), &mut read).unwrap();
        assert_eq!(summary.blocks_missing, 1, "{path}");
        assert!(read == served.local(path, &plane(40)), "{path}");
    }
}

/// A header that is not there, of a block whose elements are, is no missing block: that is read
/// whole.
#[test]
fn after_503_a_404_for_the_header_alone_is_not_believed() {
    let served = Served::new();
    let array = served.open("em/raw");
    let count = AtomicUsize::new(0);
    served.proxy.set_faults(move |_, request| {
        let range = request.header("range").unwrap_or_default();
        if !request.target.ends_with("/0/1/0") || !range.starts_with("bytes=0-") {
            return None;
        }
        let is_first = count.fetch_add(1, SeqCst) == 0;
        Some(Fault::Status(if is_first { 503 } else { 404 }))
    });
    let read = RegionReader::new(&array).unwrap().read::<u8>(&plane(40));
    assert!(read.unwrap() == served.local("em/raw", &plane(40)));
    let requests = served.proxy.take_texts();
    assert_eq!(requests.last().unwrap(), "GET /em/raw/0/1/0");
}

/// Of web servers, too, for which the library takes 405 for the same.
#[test]
fn no_other_status_than_404_means_that_a_block_is_not_there() {
    let served = Served::new();
    let key = zarrs_storage::StoreKey::new(format!("em/raw/{MISSING}")).unwrap();
    for status in [400, 405, 409, 410, 416, 501] {
        for path in ["em/gzip", "em/raw"] {
            served.proxy.set_faults(|_, _| None);
            let array = served.open(path);
            served.proxy.set_faults(move |_, request| {
                let is_hit = request.target.ends_with(MISSING);
                is_hit.then_some(Fault::Status(status))
            });
            let reader = RegionReader::new(&array).unwrap();
            let error = reader.read::<u8>(&plane(40)).unwrap_err().to_string();
            assert!(error.contains(&format!("HTTP {status}")), "{error}");
            zarrs_storage::ReadableStorageTraits::size_key(&served.store(), &key).unwrap_err();
        }
    }
}
