//! Answers that were cut off, and values that others replaced meanwhile: never parts of two.

use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

use zarrs_interop::n5::{self, RegionReader, UrlOptions};
use zarrs_storage::{ReadableStorageTraits, StoreKey};

use crate::container::{Served, all, assert_is_on_page, local, make, plane};
use crate::http::{Answer, Request, Server, Service, Then};
use crate::proxy::Fault;

const KEY: &str = "em/value/0";

/// Ends the connection behind each answer, whether it was whole or not.
struct Closing<F>(F);

impl<F: Fn(&Request) -> Answer + Send + Sync + 'static> Service for Closing<F> {
    fn serve(&self, request: &Request, out: &mut TcpStream) -> io::Result<Then> {
        self.0(request).write(out, &request.method)?;
        Ok(Then::Close)
    }
}

/// A server whose value is all zeros in the first answer, which is cut in the middle, and all ones
/// from then on. `tag` gives the `ETag`, by the number of the answer.
fn replacing(tag: fn(usize) -> Option<String>) -> (Server, Arc<AtomicUsize>) {
    const SIZE: usize = 100_000;
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let server = Server::start(Closing(move |request: &Request| {
        let number = counted.fetch_add(1, SeqCst);
        let value = vec![u8::from(number > 0); SIZE];
        let range = request.header("range");
        let start = range.and_then(|range| range.strip_prefix("bytes=")?.split('-').next());
        let start: usize = start.map_or(0, |start| start.parse().unwrap());
        let status = if range.is_some() { 206 } else { 200 };
        let mut answer = Answer::new(status, &value[start..]);
        if range.is_some() {
            let range = format!("bytes {start}-{}/{SIZE}", SIZE - 1);
            answer = answer.with_header("Content-Range", &range);
        }
        if let Some(tag) = tag(number) {
            answer = answer.with_header("ETag", &tag);
        }
        if number == 0 {
            answer.body.truncate(SIZE / 2);
        }
        answer
    }));
    (server, count)
}

#[test]
fn a_cut_answer_whose_value_was_replaced_is_never_mixed() {
    let tags: [fn(usize) -> Option<String>; 3] = [
        |_| None,
        |number| Some(format!("\"{number}\"")),
        // The same meaning, and not the same bytes.
        |_| Some("W/\"1\"".to_owned()),
    ];
    for (index, tag) in tags.into_iter().enumerate() {
        let (server, count) = replacing(tag);
        let options = UrlOptions::new().with_idle_timeout(Duration::from_secs(2));
        let store = n5::open_url(&server.url(), &options).unwrap();
        let key = StoreKey::new(KEY).unwrap();
        let read = ReadableStorageTraits::get(&store, &key).unwrap().unwrap();
        assert!(read.iter().all(|byte| *byte == 1), "{index}");
        assert!((2..=4).contains(&count.load(SeqCst)), "{index}");

        let (server, _) = replacing(tag);
        let options = options.with_retries(0);
        let store = n5::open_url(&server.url(), &options).unwrap();
        let error = ReadableStorageTraits::get(&store, &key).unwrap_err();
        assert_is_on_page(
            &error.to_string(),
            "end of file before message length reached",
        );
    }
}

/// Of a raw block its header and its elements are asked for at once.
#[test]
fn two_ranges_of_different_values_are_never_mixed() {
    let folder = make();
    let files = crate::static_server::StaticFiles::new(folder.path());
    let wholes = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&wholes);
    let server = Server::start(move |request: &Request| {
        let mut answer = files.answer(request).unwrap();
        let range = request.header("range").unwrap_or_default();
        if range.is_empty() {
            counted.fetch_add(1, SeqCst);
        } else if !range.starts_with("bytes=0-") {
            // The elements of another value.
            answer.body.fill(99);
            answer.headers.retain(|(name, _)| name != "ETag");
            answer = answer.with_header("ETag", "\"another\"");
        }
        answer
    });
    let store = n5::open_url(&server.url(), &UrlOptions::new()).unwrap();
    let array = n5::open_array(store, "em/raw").unwrap();
    wholes.store(0, SeqCst);
    let read = RegionReader::new(&array).unwrap().read::<u8>(&plane(40));
    assert!(read.unwrap() == local(folder.path(), "em/raw", &plane(40)));
    assert!(wholes.load(SeqCst) > 0);
}

#[test]
fn a_silent_server_is_an_error_in_time_that_says_how_often_it_was_asked() {
    let served = Served::new();
    let options = UrlOptions::new()
        .with_retries(2)
        .with_idle_timeout(Duration::from_millis(200));
    let array = n5::open_array(served.store_with(&options), "em/gzip").unwrap();
    served
        .proxy
        .set_faults(|_, _| Some(Fault::Late(Duration::from_secs(3))));
    let begun = Instant::now();
    let error = RegionReader::new(&array).unwrap().read::<u8>(&all());
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("operation timed out, after 3 tries"),
        "{error}"
    );
    assert!(begun.elapsed() < Duration::from_secs(20));

    served.proxy.set_faults(|_, _| Some(Fault::Status(503)));
    let error = RegionReader::new(&array).unwrap().read::<u8>(&all());
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("503 Service Unavailable, after 3 tries"),
        "{error}"
    );
}
