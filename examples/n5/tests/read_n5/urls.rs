//! Hierarchies at URLs. `file://` goes the way of all others.

use std::io;
use std::net::TcpStream;
use std::path::Path;

use super::http::{Answer, Request, Server, Service, Then};
use super::static_server::StaticFiles;
use super::{read_n5, run};

fn url(path: &str) -> String {
    format!(
        "file://{}",
        Path::new(path).canonicalize().unwrap().display()
    )
}

#[test]
fn a_dataset_is_read_without_a_look_at_the_others() {
    let (text, is_read) = run(&[&url(read_n5::DEMO), "volumes/raw/s0"]);
    assert!(is_read && !text.contains("s1"), "{text}");
    assert!(
        text.contains("of the slice: min 22, max 234, mean 146.688\n"),
        "{text}"
    );
    // attributes.json, those of the four nodes for the resolution, and four blocks.
    assert!(text.contains("\n9 requests, 0.0"), "{text}");
}

#[test]
fn a_url_that_goes_on_finds_its_root_and_one_without_a_dataset_shows_the_tree() {
    let demo = url(read_n5::DEMO);
    let (text, is_read) = run(&[&(demo.clone() + "/volumes/raw/s1")]);
    assert!(
        is_read && text.contains("\n/volumes/raw/s1: shape [32, 32, 16]\n"),
        "{text}"
    );
    let (text, is_read) = run(&[&demo]);
    assert!(
        is_read && text.contains("\n/volumes/raw/s0: shape"),
        "{text}"
    );
    let (text, is_read) = run(&[&(demo + "/volumes")]);
    assert!(
        !is_read && text.contains("/volumes is a group, not a dataset; "),
        "{text}"
    );
}

/// Serves the demo, lists nothing, and refuses the block 1/0/1.
struct Refusing(StaticFiles);

impl Service for Refusing {
    fn serve(&self, request: &Request, out: &mut TcpStream) -> io::Result<Then> {
        if request.target.ends_with("/s0/1/0/1") {
            Answer::new(403, "refused").write(out, &request.method)?;
            return Ok(Then::Next);
        }
        self.0.serve(request, out)
    }
}

fn server() -> Server {
    Server::start(Refusing(StaticFiles::new(read_n5::DEMO)))
}

#[test]
fn a_refused_block_is_an_error_that_says_what_it_may_be_and_missing_if_told() {
    let server = server();
    let url = server.url();
    let (text, is_read) = run(&[&url, "volumes/raw/s0"]);
    assert!(
        !is_read
            && text.contains("cannot be read, shown as 0: array /volumes/raw/s0: block [1, 0, 1]"),
        "{text}"
    );
    assert!(
        text.contains("say --missing 403; otherwise check the credentials"),
        "{text}"
    );
    let (text, is_read) = run(&[&url, "volumes/raw/s0", "--missing", "403"]);
    assert!(
        is_read && text.contains(": 3 of 4 blocks present\n"),
        "{text}"
    );
    assert!(
        text.contains("missing, shown as 0: 1 (volumes/raw/s0/1/0/1)\n"),
        "{text}"
    );
}

/// What a server answers for the block 1/0/1 and for the block 0/0/1 of the demo.
struct Failing(StaticFiles, [Option<Answer>; 2]);

impl Service for Failing {
    fn serve(&self, request: &Request, out: &mut TcpStream) -> io::Result<Then> {
        let blocks = ["/s0/1/0/1", "/s0/0/0/1"];
        let mut answers = std::iter::zip(blocks, &self.1);
        let answer = answers.find(|(block, _)| request.target.ends_with(block));
        if let Some((_, Some(answer))) = answer {
            answer.clone().write(out, &request.method)?;
            return Ok(Then::Next);
        }
        self.0.serve(request, out)
    }
}

#[test]
fn a_block_that_did_not_come_is_not_called_damaged_and_one_that_came_wrong_is() {
    // "Not implemented" is not asked for again.
    let fails = || Some(Answer::new(501, "not now"));
    let damaged = || Some(Answer::new(200, "no block"));
    let could_not = "could not be fetched";
    let are = "damaged on the server";
    for (answers, expected, unexpected) in [
        (
            [fails(), None],
            vec!["1 block of the slice", could_not],
            are,
        ),
        (
            [fails(), fails()],
            vec!["2 blocks of the slice", could_not],
            are,
        ),
        (
            [damaged(), None],
            vec!["1 block of the slice", are],
            could_not,
        ),
        (
            [fails(), damaged()],
            vec!["1 could not be fetched", "the others are damaged"],
            "they could not",
        ),
    ] {
        let server = Server::start(Failing(StaticFiles::new(read_n5::DEMO), answers));
        let (text, is_read) = run(&[&server.url(), "volumes/raw/s0"]);
        let (_, error) = text.rsplit_once("error: ").unwrap();
        for expected in expected {
            assert!(!is_read && error.contains(expected), "{text}");
        }
        assert!(!error.contains(unexpected), "{text}");
    }
}

#[test]
fn a_server_without_listing_asks_for_the_dataset() {
    let server = server();
    let url = server.url();
    let (text, is_read) = run(&[&url]);
    assert!(
        !is_read && text.contains("cannot be listed: name the DATASET"),
        "{text}"
    );
    let (text, is_read) = run(&[&url, "volumes/raw/s9"]);
    assert!(
        !is_read && text.contains("\ncheck DATASET: it is the path from the root"),
        "{text}"
    );
    let (text, is_read) = run(&[&(url + "/nowhere.n5"), "volumes/raw/s0"]);
    assert!(
        !is_read && text.contains("\ncheck the URL, which has no attributes.json either"),
        "{text}"
    );
}

#[test]
fn wrong_urls_are_named() {
    for (url, expected) in [
        ("gs://bucket/x.n5", "found gs://, expected s3://"),
        ("s3:///x.n5", "it names no bucket"),
        (
            "https://user:secret@host/x.n5",
            "credentials do not belong in a URL",
        ),
        ("file:///nowhere/x.n5", "there is no folder /nowhere/x.n5"),
    ] {
        let (text, is_read) = run(&[url, "a"]);
        assert!(!is_read && text.contains(expected), "{expected}: {text}");
        assert!(!text.contains("secret"), "{text}");
    }
}

/// Refuses all.
struct Denying;

impl Service for Denying {
    fn serve(&self, request: &Request, out: &mut TcpStream) -> io::Result<Then> {
        Answer::new(403, "refused").write(out, &request.method)?;
        Ok(Then::Next)
    }
}

#[test]
fn what_fails_for_another_reason_than_listing_does_not_ask_for_the_dataset() {
    // A port that was free a moment ago.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/x.n5", listener.local_addr().unwrap());
    drop(listener);
    let (text, is_read) = run(&[&url]);
    assert!(
        !is_read && text.contains("for the reason said above: check PATH or URL, and the network"),
        "{text}"
    );
    assert!(text.to_lowercase().contains("connection refused"), "{text}");
    assert!(!text.contains("name the DATASET"), "{text}");

    let denying = Server::start(Denying);
    let (text, is_read) = run(&[&denying.url()]);
    assert!(
        !is_read && text.contains("may not be listed: check the permissions and the credentials"),
        "{text}"
    );
}

/// As servers do that compress what they send, or make it as it goes.
#[test]
fn answers_that_are_compressed_or_of_unknown_size_are_errors_that_the_page_names() {
    for (headers, expected) in [
        (
            &[("Content-Encoding", "gzip"), ("Content-Length", "13")][..],
            "expected value at line 1 column 1",
        ),
        (
            &[("Transfer-Encoding", "chunked")][..],
            "Content-Length Header missing from response",
        ),
        (
            &[
                ("Content-Encoding", "gzip"),
                ("Transfer-Encoding", "chunked"),
            ][..],
            "Content-Length Header missing from response",
        ),
    ] {
        let is_chunked = headers.iter().any(|(_, value)| *value == "chunked");
        // The beginning of a gzip stream.
        let value: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\x02\x03\xab\xae\x05";
        let body = if is_chunked {
            [b"d\r\n", value, b"\r\n0\r\n\r\n"].concat()
        } else {
            value.to_vec()
        };
        let headers = headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let answer = Answer {
            status: 200,
            headers: headers.collect(),
            body,
        };
        let server = Server::start(move |_: &Request| answer.clone());
        let (text, is_read) = run(&[&server.url(), "volumes/raw/s0"]);
        assert!(!is_read && text.contains(expected), "{text}");
        let page = include_str!("../../../../docs/remote.md");
        let mut rows = page.lines().filter(|line| line.starts_with("| `"));
        assert!(rows.any(|row| row.contains(expected)), "{expected}");
    }
}
