//! Names and paths as people have them, and as they type them.

use zarrs_interop::n5::{self, RegionReader, UrlOptions, UrlStore, WalkOptions};

use crate::container::{Served, local, make, plane};
use crate::http::Server;
use crate::listers::{dav, s3};

fn open(url: &str) -> UrlStore {
    n5::open_url(url, &UrlOptions::new()).unwrap()
}

#[test]
fn names_of_every_kind_are_found() {
    let names = [
        "a b", "100%", "a+b", "grün", "日本", "a&b=c", "%2F", "a;b", "a'b\"c", "~x", "a:b@c",
    ];
    let folder = make();
    for name in names {
        let at = folder.path().join("em").join(name);
        std::fs::create_dir(&at).unwrap();
        for file in ["attributes.json", "0/0/0", "1/1/1"] {
            std::fs::create_dir_all(at.join(file).parent().unwrap()).unwrap();
            std::fs::copy(folder.path().join("em/raw").join(file), at.join(file)).unwrap();
        }
    }
    let server = Server::start(dav(folder.path().to_owned(), "/x y.n5"));
    let bucket = Server::start(s3(folder.path().to_owned()));
    let endpoint = UrlOptions::new()
        .with_endpoint(bucket.url())
        .with_allow_http(true);
    for store in [
        open(&format!("{}/x%20y.n5", server.url())),
        n5::open_url("s3://em", &endpoint).unwrap(),
        open(&format!("file://{}", folder.path().display())),
    ] {
        for name in names {
            let path = format!("/em/{name}");
            let array = n5::open_array(store.clone(), &path)
                .unwrap_or_else(|error| panic!("{}: {name}: {error}", store.url()));
            let read = RegionReader::new(&array)
                .unwrap()
                .read::<u8>(&plane(40))
                .unwrap();
            assert!(read == local(folder.path(), &path, &plane(40)), "{name}");
        }
        let report = n5::walk(&store, &WalkOptions::new()).unwrap();
        let found: Vec<_> = report.datasets().map(|(path, _)| path).collect();
        assert_eq!(found.len(), names.len() + 2, "{}: {found:?}", store.url());
    }
}

#[test]
fn paths_that_lead_out_of_the_hierarchy_are_refused() {
    let served = Served::new();
    let bucket = UrlOptions::new()
        .with_endpoint(served.proxy.url())
        .with_allow_http(true);
    let file = format!("file://{}/em", served.folder.path().display());
    for store in [
        open(&format!("{}/em", served.proxy.url())),
        n5::open_url("s3://em", &bucket).unwrap(),
        open(&file),
    ] {
        for path in [
            "../em/raw",
            "raw/../raw",
            "..",
            "./raw",
            "%2e%2e/em/raw",
            "raw/..",
            "//raw",
        ] {
            let read = n5::open_array(store.clone(), path);
            assert!(read.is_err() || path == "//raw", "{}: {path}", store.url());
        }
    }
    for request in served.proxy.take_texts() {
        assert!(!request.contains(".."), "{request}");
    }
}

/// URLs as people type them.
#[test]
fn slashes_at_the_end_make_no_difference_and_empty_names_are_named() {
    let served = Served::new();
    let bucket = UrlOptions::new()
        .with_endpoint(served.proxy.url())
        .with_allow_http(true);
    for url in ["s3://em", "s3://em/", "s3://em//"] {
        match n5::open_url(url, &bucket) {
            Ok(store) => drop(n5::open_array(store, "raw").unwrap()),
            Err(error) => assert!(error.to_string().contains("s3://em//"), "{error}"),
        }
    }
    for end in ["", "/", "//"] {
        let store = open(&format!("{}/em{end}", served.proxy.url()));
        n5::open_array(store, "raw").unwrap();
    }
    let error = n5::open_url("s3://em//raw", &bucket)
        .unwrap_err()
        .to_string();
    assert!(error.contains("s3://em//raw"), "{error}");
}
