//! Servers that list: what is there is found, where the hierarchy is in the server's folders.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use zarrs_interop::n5::{self, CheckOptions, RegionReader, UrlOptions, UrlStore, WalkOptions};
use zarrs_storage::{ListableStorageTraits, StorePrefix};

use crate::container::{BLOCKS, local, make, plane};
use crate::http::{Answer, Request, Server};
use crate::listers::{dav, s3};
use crate::proxy::Proxy;

fn paths(store: &UrlStore) -> Vec<String> {
    let report = n5::walk(store, &WalkOptions::new()).unwrap();
    assert!(report.left_out().is_empty(), "{report:?}");
    let nodes = report.nodes().iter();
    nodes.map(|node| node.node_path.clone()).collect()
}

#[test]
fn a_web_server_lists_what_is_there_wherever_the_hierarchy_is() {
    let folder = make();
    for base in ["", "/x.n5", "/dav/a b/100%+é/x.n5"] {
        let server = Server::start(dav(folder.path().to_owned(), base));
        let proxy = Proxy::start(server.address());
        let url = url::Url::parse(&format!("{}{}", proxy.url(), base.replace('%', "%25")));
        let url = url.unwrap();
        let store = n5::open_url(url.as_str(), &UrlOptions::new()).unwrap();
        assert_eq!(
            paths(&store),
            ["/", "/em", "/em/gzip", "/em/raw", "/zarr"],
            "{base}"
        );
        let listings = proxy.take_texts();
        let listings = listings.iter().filter(|it| it.starts_with("PROPFIND"));
        assert_eq!(listings.count(), 5, "{base}");
        let check = n5::check(&store, "/em/raw", &CheckOptions::new(), |_| {}).unwrap();
        assert_eq!((check.present, check.missing()), (BLOCKS as u64 - 1, 1));
        assert_eq!(check.stray_count, 0, "{check}");
        let array = n5::open_array(store, "em/raw").unwrap();
        let read: Vec<u8> = RegionReader::new(&array).unwrap().read(&plane(40)).unwrap();
        assert_eq!(read, local(folder.path(), "em/raw", &plane(40)));
    }
}

/// In pages, with a key for each folder itself.
#[test]
fn a_bucket_lists_what_is_there() {
    let folder = make();
    let server = Server::start(s3(folder.path().to_owned()));
    let options = UrlOptions::new()
        .with_endpoint(server.url())
        .with_allow_http(true);
    for (url, above) in [("s3://em", ""), ("s3://em/", ""), ("s3://em/em/", "/em")] {
        let store = n5::open_url(url, &options).unwrap();
        let expected = ["/", "/em", "/em/gzip", "/em/raw", "/zarr"];
        let expected = expected.iter().filter_map(|path| path.strip_prefix(above));
        let expected: Vec<_> = expected
            .filter(|path| path.starts_with('/') || path.is_empty())
            .map(|path| if path.is_empty() { "/" } else { path })
            .collect();
        assert_eq!(paths(&store), expected, "{url}");
        let path = format!("{}/raw", if above.is_empty() { "/em" } else { "" });
        let check = n5::check(&store, &path, &CheckOptions::new(), |_| {}).unwrap();
        assert_eq!((check.present, check.missing()), (BLOCKS as u64 - 1, 1));
        assert_eq!(check.stray_count, 0, "{check}");
    }
}

/// A server for S3 whose pages have no end, since it does not know the token that it gave.
#[test]
fn a_listing_that_begins_again_and_again_is_an_error() {
    let server = Server::start(|_: &Request| {
        let contents = "<Contents><Key>a</Key><Size>1</Size>\
                        <LastModified>2009-10-12T17:50:30.000Z</LastModified></Contents>";
        let token = "<NextContinuationToken>again</NextContinuationToken>";
        Answer::new(
            200,
            format!("<ListBucketResult>{contents}{token}</ListBucketResult>"),
        )
    });
    let options = UrlOptions::new()
        .with_endpoint(server.url())
        .with_allow_http(true);
    let store = n5::open_url("s3://em", &options).unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let root = StorePrefix::root();
        sender.send(ListableStorageTraits::list_dir(&store, &root).map_err(|it| it.to_string()))
    });
    let listed = receiver
        .recv_timeout(Duration::from_secs(20))
        .expect("it ends");
    let error = listed.unwrap_err();
    assert!(error.contains("page"), "{error}");
}

/// As for a folder of so many blocks.
#[test]
fn a_hundred_thousand_keys_in_pages_are_all_listed() {
    let pages = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&pages);
    let server = Server::start(move |request: &Request| {
        counted.fetch_add(1, SeqCst);
        let token = request.target.split("continuation-token=").nth(1);
        let from = token.map_or(0, |token| token.split('&').next().unwrap().parse().unwrap());
        let key = |number: usize| {
            format!(
                "<Contents><Key>{number}</Key><Size>1</Size>\
                 <LastModified>2009-10-12T17:50:30.000Z</LastModified></Contents>"
            )
        };
        let keys: String = (from..from + 1000).map(key).collect();
        let next = match from + 1000 {
            100_000 => String::new(),
            next => format!("<NextContinuationToken>{next}</NextContinuationToken>"),
        };
        Answer::new(
            200,
            format!("<ListBucketResult>{keys}{next}</ListBucketResult>"),
        )
    });
    let options = UrlOptions::new()
        .with_endpoint(server.url())
        .with_allow_http(true);
    let store = n5::open_url("s3://em", &options).unwrap();
    let listed = ListableStorageTraits::list_dir(&store, &StorePrefix::root()).unwrap();
    assert_eq!(listed.keys().len(), 100_000);
    assert_eq!(pages.load(SeqCst), 100);
}
