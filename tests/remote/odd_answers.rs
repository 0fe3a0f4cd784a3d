//! Answers that no server should give, and some that many do: an error, or what is meant, in time,
//! and never other elements.

use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use zarrs_interop::n5::{self, RegionReader, UrlOptions, UrlStore, WalkOptions};
use zarrs_storage::{ListableStorageTraits, ReadableStorageTraits, StorePrefix};

use crate::container::{Served, all, local, make, plane};
use crate::http::{Answer, Request, Server, Service, Then};
use crate::listers::{dav, s3};
use crate::static_server::StaticFiles;

fn open(url: &str) -> UrlStore {
    n5::open_url(url, &UrlOptions::new().with_retries(0)).unwrap()
}

/// Serves the container, with blocks (but not documents) changed by `odd`.
fn odd_blocks(odd: impl Fn(&Request, Answer) -> Answer + Send + Sync + 'static) -> Odd {
    let folder = make();
    let files = StaticFiles::new(folder.path());
    let server = Server::start(move |request: &Request| {
        let answer = files.answer(request).unwrap();
        if request.target.ends_with(".json") || answer.status >= 300 {
            return answer;
        }
        odd(request, answer)
    });
    Odd { folder, server }
}

struct Odd {
    folder: tempfile::TempDir,
    server: Server,
}

impl Odd {
    /// The errors of reading; without one the elements are those of the folder.
    fn errors(&self) -> Vec<String> {
        let mut errors = Vec::new();
        for path in ["em/gzip", "em/raw"] {
            let array = n5::open_array(open(&self.server.url()), path).unwrap();
            for subset in [plane(40), plane(1), all()] {
                match RegionReader::new(&array).unwrap().read::<u8>(&subset) {
                    Ok(read) => assert!(read == local(self.folder.path(), path, &subset)),
                    Err(error) => errors.push(error.to_string()),
                }
            }
        }
        errors
    }
}

fn replace(mut answer: Answer, name: &str, value: &str) -> Answer {
    answer
        .headers
        .retain(|(other, _)| !other.eq_ignore_ascii_case(name));
    answer.with_header(name, value)
}

fn with_body(mut answer: Answer, body: Vec<u8>) -> Answer {
    let size = body.len().to_string();
    answer.body = body;
    replace(answer, "Content-Length", &size)
}

/// The block is read whole then, as from a server without ranges.
#[test]
fn another_range_than_that_asked_for_is_not_believed() {
    for range in [
        "bytes 1-16/262160",
        "",
        "bytes",
        "bytes */262160",
        "bytes 0-18446744073709551615/18446744073709551615",
        "bytes 5-0/10",
        "bytes 0-15/*",
    ] {
        let odd = odd_blocks(move |_, answer| match answer.status {
            206 => replace(answer, "Content-Range", range),
            _ => answer,
        });
        assert_eq!(odd.errors(), [""; 0], "{range}");
    }
    // Shorter and longer than it says.
    for change in [-1_isize, 1] {
        let odd = odd_blocks(move |_, answer| {
            if answer.status != 206 {
                return answer;
            }
            let mut body = answer.body.clone();
            body.resize(body.len().saturating_add_signed(change), 7);
            with_body(answer, body)
        });
        assert_eq!(odd.errors(), [""; 0], "{change}");
    }
}

#[test]
fn a_whole_value_of_another_size_is_an_error() {
    for size in [0_usize, 1, 16, 100] {
        let odd = odd_blocks(move |_, answer| {
            let mut body = answer.body.clone();
            body.truncate(size);
            let mut answer = with_body(answer, body);
            answer.status = 200;
            answer
        });
        assert_eq!(odd.errors().len(), 6, "{size}");
    }
}

#[test]
fn compressed_answers_are_errors() {
    let odd = odd_blocks(|_, answer| {
        let body = [&b"\x1f\x8b\x08\0\0\0\0\0\x02\x03"[..], &answer.body].concat();
        let mut answer = with_body(answer, body).with_header("Content-Encoding", "gzip");
        answer.status = 200;
        answer
    });
    assert_eq!(odd.errors().len(), 6);
}

#[test]
fn an_empty_answer_where_there_is_no_block_is_an_error() {
    let folder = make();
    let files = StaticFiles::new(folder.path());
    let server = Server::start(move |request: &Request| {
        let answer = files.answer(request).unwrap();
        if answer.status == 404 {
            Answer::new(200, "")
        } else {
            answer
        }
    });
    for path in ["em/gzip", "em/raw"] {
        let array = n5::open_array(open(&server.url()), path).unwrap();
        RegionReader::new(&array)
            .unwrap()
            .read::<u8>(&plane(40))
            .unwrap_err();
    }
}

#[test]
fn redirections_are_followed_to_another_path_and_host_without_the_authorization() {
    let served = Served::new();
    let other = served.proxy.url();
    for status in [301, 302, 307, 308] {
        let to = other.clone();
        let server = Server::start(move |request: &Request| {
            let target = request.target.strip_prefix("/old").unwrap();
            Answer::new(status, "").with_header("Location", &format!("{to}{target}"))
        });
        let options = UrlOptions::new().with_authorization("Bearer hidden");
        let store = n5::open_url(&format!("{}/old", server.url()), &options).unwrap();
        for path in ["em/gzip", "em/raw"] {
            let array = n5::open_array(store.clone(), path).unwrap();
            let read = RegionReader::new(&array)
                .unwrap()
                .read::<u8>(&plane(40))
                .unwrap();
            assert!(read == served.local(path, &plane(40)), "{status}");
        }
        let (requests, _) = served.proxy.take();
        assert!(!requests.is_empty());
        for request in requests {
            assert_eq!(request.header("authorization"), None);
        }
    }
}

#[test]
fn redirections_without_end_or_aim_are_errors() {
    for headers in [&[("Location", "/em/raw/attributes.json")][..], &[]] {
        let server = Server::start(move |_: &Request| {
            let answer = Answer::new(301, "");
            headers.iter().fold(answer, |answer, (name, value)| {
                answer.with_header(name, *value)
            })
        });
        let error = n5::open_array(open(&server.url()), "em/raw")
            .unwrap_err()
            .to_string();
        assert!(!error.contains("region"), "{error}");
    }
}

/// What may be asked for by `GET` only.
#[test]
fn reads_need_no_head() {
    let served = Served::new();
    let folder = served.folder.path().to_owned();
    let files = StaticFiles::new(folder);
    let server = Server::start(move |request: &Request| match request.method.as_str() {
        "GET" => files.answer(request).unwrap(),
        _ => Answer::new(403, ""),
    });
    for path in ["em/gzip", "em/raw"] {
        let array = n5::open_array(open(&server.url()), path).unwrap();
        let read = RegionReader::new(&array)
            .unwrap()
            .read::<u8>(&plane(40))
            .unwrap();
        assert!(read == served.local(path, &plane(40)));
    }
    let key = "em/raw/0/0/0".try_into().unwrap();
    ReadableStorageTraits::size_key(&open(&server.url()), &key).unwrap_err();
}

/// Sends a header of its answer now and then, for ever.
struct SlowHead;

impl Service for SlowHead {
    fn serve(&self, _: &Request, out: &mut TcpStream) -> io::Result<Then> {
        out.write_all(b"HTTP/1.1 200 OK\r\n")?;
        for number in 0..200 {
            write!(out, "X-{number}: x\r\n")?;
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(Then::Close)
    }
}

#[test]
fn a_head_without_end_is_an_error_in_time() {
    let server = Server::start(SlowHead);
    let options = UrlOptions::new()
        .with_retries(0)
        .with_timeout(Duration::from_millis(500));
    let store = n5::open_url(&server.url(), &options).unwrap();
    let begun = Instant::now();
    let error = n5::open_array(store, "em/raw").unwrap_err().to_string();
    assert!(error.contains("timed out"), "{error}");
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "{:?}",
        begun.elapsed()
    );
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
    let pages = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = Arc::clone(&pages);
    let server = Server::start(move |request: &Request| {
        counted.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
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
    assert_eq!(pages.load(std::sync::atomic::Ordering::SeqCst), 100);
}
