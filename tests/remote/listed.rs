//! Servers that list: what is there is found, where the hierarchy is in the server's folders.

use zarrs_interop::n5::{self, CheckOptions, RegionReader, UrlOptions, UrlStore, WalkOptions};

use crate::container::{BLOCKS, local, make, plane};
use crate::http::Server;
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
