//! Options that cannot be are refused before anything is requested, and never a panic.

use std::time::Duration;

use zarrs_interop::n5::{self, OpenUrlError, RegionReader, UrlOptions};

use crate::child::{ENDPOINT, URL, read};
use crate::container::{Served, all, assert_is_on_page, plane};
use crate::http::{Answer, Request, Server};
use crate::static_server::StaticFiles;

#[test]
fn an_endpoint_that_is_no_url_is_refused_with_the_option() {
    for endpoint in [
        "",
        "127.0.0.1:5055",
        "http://127.0.0.1:99999",
        "http://",
        " http://127.0.0.1:5055",
        "http://exämple.org",
        "http://127.0.0.1:5055/?a",
        "http://127.0.0.1:5055/#a",
    ] {
        let options = UrlOptions::new()
            .with_allow_http(true)
            .with_endpoint(endpoint);
        let error = n5::open_url("s3://bucket/x.n5", &options).unwrap_err();
        assert!(matches!(error, OpenUrlError::Setting { .. }), "{error}");
        assert!(
            error
                .to_string()
                .starts_with("`UrlOptions::with_endpoint` cannot be used: "),
            "{error}"
        );
    }
}

#[test]
fn a_region_that_is_no_name_is_refused_with_the_option() {
    for region in ["", "eu west", "eu-west-1\n", "eü"] {
        let options = UrlOptions::new().with_region(region);
        let error = n5::open_url("s3://bucket/x.n5", &options).unwrap_err();
        assert!(matches!(error, OpenUrlError::Setting { .. }), "{error}");
        assert!(error.to_string().contains("with_region"), "{error}");
    }
}

#[test]
fn options_for_other_urls_are_refused() {
    let endpoint = UrlOptions::new().with_endpoint("https://s3.example.org");
    let authorization = UrlOptions::new().with_authorization("Bearer hidden");
    for (url, options, expected) in [
        ("http://127.0.0.1:9/x.n5", &endpoint, "with_endpoint"),
        ("s3://bucket/x.n5", &authorization, "with_authorization"),
    ] {
        let error = n5::open_url(url, options).unwrap_err();
        assert!(
            matches!(error, OpenUrlError::OptionNotForUrl { .. }),
            "{error}"
        );
        let text = error.to_string();
        assert!(text.contains(url) && text.contains(expected), "{text}");
        assert!(!text.contains("hidden"), "{text}");
    }
}

#[test]
fn times_beyond_what_clocks_count_are_long_times() {
    let served = Served::new();
    let options = UrlOptions::new()
        .with_timeout(Duration::MAX)
        .with_connect_timeout(Duration::MAX)
        .with_idle_timeout(Duration::MAX);
    let array = n5::open_array(served.store_with(&options), "em/raw").unwrap();
    let read = RegionReader::new(&array).unwrap().read::<u8>(&plane(40));
    assert_eq!(read.unwrap(), served.local("em/raw", &plane(40)));
}

/// A proxy that takes requests for `host` only, and answers with the files of `served`.
fn proxy_to(served: &Served, host: &'static str) -> Server {
    let files = StaticFiles::new(served.folder.path());
    Server::start(move |request: &Request| {
        let mut request = request.clone();
        request.target = request.target.strip_prefix(host).unwrap().to_owned();
        files.answer(&request).unwrap()
    })
}

/// As in institutes whose machines reach others through one only.
#[test]
fn a_proxy_that_the_environment_names_is_used() {
    let served = Served::new();
    let host = "http://nowhere.invalid";
    let proxy = proxy_to(&served, host);
    let variables = [(URL, format!("{host}/em")), ("HTTP_PROXY", proxy.url())];
    assert!(read(&variables).unwrap() == served.local("em/raw", &all()));
}

#[test]
fn a_proxy_that_is_not_there_is_named_by_its_variable() {
    let proxy = Server::start(|_: &Request| Answer::new(404, ""));
    let gone = proxy.url();
    drop(proxy);
    let url = "http://nowhere.invalid/em".to_owned();
    let error = read(&[(URL, url), ("HTTP_PROXY", gone)]).unwrap_err();
    assert_is_on_page(&error, "by way of the proxy that");
    assert!(error.contains("HTTP_PROXY"), "{error}");
}

#[test]
fn a_panic_of_what_the_program_gave_is_not_called_ours() {
    let served = Served::new();
    let options = UrlOptions::new()
        .with_retries(0)
        .with_missing_if(|_, _| panic!("on purpose"));
    let array = n5::open_array(served.store_with(&options), "em/raw").unwrap();
    served
        .proxy
        .set_faults(|_, _| Some(crate::proxy::Fault::Status(403)));
    let error = RegionReader::new(&array).unwrap().read::<u8>(&all());
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("`UrlOptions::with_missing_if` panicked"),
        "{error}"
    );
    assert!(!error.contains("defect"), "{error}");
}

/// For buckets there are variables of their own, which say yes in many ways.
#[test]
fn a_proxy_for_buckets_that_the_environment_names_is_used() {
    let served = Served::new();
    let host = "http://nowhere.invalid";
    let proxy = proxy_to(&served, host);
    let variables = [
        (URL, "s3://em".to_owned()),
        (ENDPOINT, host.to_owned()),
        ("AWS_ALLOW_HTTP", "yes".to_owned()),
        ("AWS_PROXY_URL", proxy.url()),
    ];
    assert!(read(&variables).unwrap() == served.local("em/raw", &all()));
}
