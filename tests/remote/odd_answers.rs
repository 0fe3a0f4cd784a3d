//! Answers that no server should give, and some that many do: an error, or what is meant, in time,
//! and never other elements.

use std::io::{self, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use zarrs_interop::n5::{self, RegionReader, UrlOptions, UrlStore};
use zarrs_storage::ReadableStorageTraits;

use crate::container::{Served, all, local, make, plane};
use crate::http::{Answer, Request, Server, Service, Then};
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
        if request.target.ends_with("attributes.json") || answer.status >= 300 {
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
        let redirecting = Server::start(move |request: &Request| {
            let target = request.target.strip_prefix("/old").unwrap();
            Answer::new(status, "").with_header("Location", &format!("{to}{target}"))
        });
        let options = UrlOptions::new().with_authorization("Bearer hidden");
        let store = n5::open_url(&format!("{}/old", redirecting.url()), &options).unwrap();
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
    let refusing = Server::start(move |request: &Request| match request.method.as_str() {
        "GET" => files.answer(request).unwrap(),
        _ => Answer::new(403, ""),
    });
    for path in ["em/gzip", "em/raw"] {
        let array = n5::open_array(open(&refusing.url()), path).unwrap();
        let read = RegionReader::new(&array)
            .unwrap()
            .read::<u8>(&plane(40))
            .unwrap();
        assert!(read == served.local(path, &plane(40)));
    }
    let key = "em/raw/0/0/0".try_into().unwrap();
    ReadableStorageTraits::size_key(&open(&refusing.url()), &key).unwrap_err();
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
