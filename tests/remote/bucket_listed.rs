//! What is listed in a bucket of moto's server for S3, how often, and what is said where that is
//! denied or nothing is there.

use futures::executor::block_on;
use zarrs_interop::n5::{self, CheckOptions, InPlaceOptions, OpenError, SetDocuments, WalkOptions};
use zarrs_object_store::AsyncObjectStore;
use zarrs_object_store::object_store::path::Path as ObjectPath;
use zarrs_object_store::object_store::prefix::PrefixStore;

use crate::bucket::{Bucket, PREFIX, block_in_tokio, client};
use crate::container::{BLOCKS, GRID};
use crate::http::Request;
use crate::proxy::Fault;

#[test]
#[ignore = "needs moto: .ci/remote runs it"]
fn what_is_no_dataset_is_named() {
    let bucket = Bucket::new();
    let open = |path| n5::open_array(bucket.store(), path).unwrap_err();
    let error = open("em/gzp");
    assert!(matches!(error, OpenError::NothingThere { .. }), "{error}");
    assert!(
        error
            .to_string()
            .ends_with("/em is there, and in it are gzip, raw"),
        "{error}"
    );

    let error = open("em");
    assert!(matches!(error, OpenError::Group { .. }), "{error}");
    assert!(
        error
            .to_string()
            .ends_with("datasets below it are /em/gzip, /em/raw"),
        "{error}"
    );

    let error = open("zarr");
    assert!(matches!(error, OpenError::Zarr { .. }), "{error}");

    let error = open("em/raw/0/0");
    assert!(matches!(error, OpenError::InDataset { .. }), "{error}");

    let store = n5::open_url("s3://bucket/other.n5", &bucket.options()).unwrap();
    let error = n5::open_array(store, "em/raw").unwrap_err();
    assert!(matches!(error, OpenError::EmptyStore { .. }), "{error}");

    let store = n5::open_url("s3://nobucket/x.n5", &bucket.options()).unwrap();
    let error = n5::open_array(store, "em/raw").unwrap_err();
    assert!(matches!(error, OpenError::Read { .. }), "{error}");
    assert!(error.to_string().contains("s3://nobucket/x.n5"), "{error}");
    assert!(
        error.to_string().contains("the bucket does not exist"),
        "{error}"
    );
}

#[test]
#[ignore = "needs moto: .ci/remote runs it"]
fn what_may_not_be_listed_is_said_to_be_so() {
    let bucket = Bucket::new();
    bucket.proxy.set_faults(|_, request| {
        request
            .target
            .contains("list-type")
            .then_some(Fault::Status(403))
    });
    n5::open_array(bucket.store(), "em/raw").unwrap();
    let error = n5::open_array(bucket.store(), "em/gzp").unwrap_err();
    assert!(matches!(error, OpenError::ListingDenied { .. }), "{error}");
    assert!(
        error
            .to_string()
            .contains("access denied (HTTP 403 Forbidden)"),
        "{error}"
    );

    bucket.proxy.set_faults(|_, _| Some(Fault::Status(403)));
    let error = n5::open_array(bucket.store(), "em/raw").unwrap_err();
    assert!(matches!(error, OpenError::AccessDenied { .. }), "{error}");
}

/// The folders that were listed, without the prefix of the container.
fn listed(requests: &[Request]) -> Vec<String> {
    let listings = requests
        .iter()
        .filter(|request| request.target.contains("list-type"));
    let prefix = |request: &Request| {
        let query = request.target.split('?').nth(1).unwrap_or_default();
        assert!(query.contains("delimiter=%2F"), "{query}");
        let prefix = query
            .split('&')
            .find_map(|part| part.strip_prefix("prefix="));
        let prefix = prefix
            .unwrap_or_default()
            .replace("%2F", "/")
            .replace("%20", " ");
        prefix
            .replace('+', " ")
            .trim_start_matches(PREFIX)
            .to_owned()
    };
    let mut listed: Vec<_> = listings.map(prefix).collect();
    listed.sort();
    listed
}

#[test]
#[ignore = "needs moto: .ci/remote runs it"]
fn a_walk_lists_no_folder_of_blocks() {
    let bucket = Bucket::new();
    bucket
        .proxy
        .set_latency(std::time::Duration::from_millis(20));
    for is_async in [false, true] {
        let store = bucket.store();
        let options = WalkOptions::new();
        let report = if is_async {
            block_on(n5::async_walk(&store, &options)).unwrap()
        } else {
            n5::walk(&store, &options).unwrap()
        };
        let datasets: Vec<_> = report.datasets().map(|(path, _)| path.to_owned()).collect();
        assert_eq!(datasets, ["/em/gzip", "/em/raw"]);
        let (requests, most) = bucket.proxy.take();
        assert_eq!(
            listed(&requests),
            ["/", "/em/", "/em/gzip/", "/em/raw/", "/zarr/"]
        );
        assert!(most <= 16, "{most}");
    }
}

#[test]
#[ignore = "needs moto: .ci/remote runs it"]
fn a_check_reads_each_block_once() {
    let bucket = Bucket::new();
    bucket
        .proxy
        .set_latency(std::time::Duration::from_millis(20));
    let store = bucket.store();
    let options = CheckOptions::new();
    let check = n5::async_check(&store, "/em/gzip", &options, |_| {});
    let report = block_on(check).unwrap();
    assert_eq!(
        (report.present, report.missing(), report.corrupt_count),
        (BLOCKS as u64 - 1, 1, 0)
    );
    let (requests, most) = bucket.proxy.take();
    let folders = 1 + GRID[0] + GRID[0] * GRID[1];
    let reads = requests.len() - listed(&requests).len();
    assert_eq!(reads, BLOCKS, "the document and all blocks but one");
    assert_eq!(
        listed(&requests).len(),
        folders,
        "each folder of blocks once"
    );
    assert!(most <= 32, "{most}");
}

/// Through zarrs's own adapter, as this crate's store does not write.
#[test]
#[ignore = "needs moto: .ci/remote runs it"]
fn a_conversion_lists_no_folder_of_blocks_and_has_few_requests_in_flight() {
    let bucket = Bucket::new();
    bucket
        .proxy
        .set_latency(std::time::Duration::from_millis(20));
    let client = client(&bucket.proxy.url());
    let store = AsyncObjectStore::new(PrefixStore::new(client, ObjectPath::parse(PREFIX).unwrap()));
    let documents = SetDocuments(store);
    let mut told = Vec::new();
    let report = block_in_tokio(n5::async_add_zarr_metadata(
        &documents,
        &InPlaceOptions::new(),
        |progress| told.push(format!("{progress:?}")),
    ))
    .unwrap();
    assert_eq!(report.converted(), 4, "{report:?}");
    assert!(told.len() >= 4, "{told:?}");
    let (requests, most) = bucket.proxy.take();
    assert!(most <= 16, "{most}");
    for folder in listed(&requests) {
        assert!(
            !folder.contains(|digit: char| digit.is_ascii_digit()),
            "{folder}"
        );
    }
    let blocks = requests
        .iter()
        .filter(|request| request.target.ends_with("/0"));
    assert_eq!(blocks.count(), 0);
    // And again: nothing is to be done.
    let report = block_in_tokio(n5::async_add_zarr_metadata(
        &documents,
        &InPlaceOptions::new(),
        |_| {},
    ))
    .unwrap();
    assert_eq!(report.converted(), 0, "{report:?}");
    let (requests, _) = bucket.proxy.take();
    assert!(
        !requests.iter().any(|request| request.method == "PUT"),
        "{requests:?}"
    );
}
