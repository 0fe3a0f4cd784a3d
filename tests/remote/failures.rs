//! What networks and servers do wrong: it is tried again, or it is an error, and never data.

use std::time::{Duration, Instant};

use zarrs_interop::n5::{self, RegionReader, UrlOptions};

use crate::container::{Served, all, plane};
use crate::proxy::Fault;

/// A block of `em/gzip`, and the same of `em/raw`.
const BLOCK: &str = "/0/1/0";

/// Reads a plane with `options` while `fault` befalls a block, at first or always.
fn read(path: &str, options: &UrlOptions, fault: Fault, is_once: bool) -> Result<Vec<u8>, String> {
    let served = Served::new();
    let array = n5::open_array(served.store_with(options), path).unwrap();
    let left = std::sync::atomic::AtomicUsize::new(if is_once { 1 } else { usize::MAX });
    served.proxy.set_faults(move |_, request| {
        use std::sync::atomic::Ordering::SeqCst;
        let is_hit = request.target.ends_with(BLOCK)
            && left
                .fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1))
                .is_ok();
        is_hit.then_some(fault)
    });
    let read = RegionReader::new(&array).unwrap().read::<u8>(&plane(40));
    if let Ok(read) = &read {
        assert_eq!(read, &served.local(path, &plane(40)));
    }
    let key = format!("{path}{BLOCK}");
    if let Err(error) = &read {
        let text = error.to_string();
        assert!(
            text.contains(&key) && text.contains(&served.proxy.url()),
            "{text}"
        );
    }
    read.map_err(|error| error.to_string())
}

fn without_retries() -> UrlOptions {
    UrlOptions::new().with_retries(0)
}

#[test]
fn a_request_is_sent_again_after_503() {
    for path in ["em/gzip", "em/raw"] {
        read(path, &UrlOptions::new(), Fault::Status(503), true).unwrap();
    }
}

#[test]
fn a_server_that_goes_on_with_503_is_an_error() {
    let error = read("em/gzip", &without_retries(), Fault::Status(503), false).unwrap_err();
    assert!(error.contains("HTTP 503 Service Unavailable"), "{error}");
    assert!(!error.contains("<html>"), "{error}");
}

#[test]
fn a_body_that_is_cut_off_is_an_error_and_never_data() {
    for path in ["em/gzip", "em/raw"] {
        read(path, &without_retries(), Fault::Cut, false).unwrap_err();
    }
}

#[test]
fn a_body_that_was_cut_off_is_read_to_its_end() {
    for path in ["em/gzip", "em/raw"] {
        read(path, &UrlOptions::new(), Fault::Cut, true).unwrap();
    }
}

/// Such as by a proxy that keeps half of a file.
#[test]
fn a_body_that_ends_early_and_says_so_is_an_error() {
    let served = Served::new();
    served
        .proxy
        .set_faults(|_, request| request.target.ends_with(BLOCK).then_some(Fault::Truncated));
    for path in ["em/gzip", "em/raw"] {
        let array = served.open(path);
        for subset in [plane(40), all()] {
            let error = RegionReader::new(&array)
                .unwrap()
                .read::<u8>(&subset)
                .unwrap_err();
            assert!(
                error.to_string().contains(&format!("{path}{BLOCK}")),
                "{error}"
            );
        }
    }
}

#[test]
fn a_body_that_comes_too_slowly_is_an_error_in_time() {
    let begun = Instant::now();
    let options = without_retries().with_timeout(Duration::from_millis(400));
    let slow = Fault::SlowByte(Duration::from_millis(5));
    let error = read("em/gzip", &options, slow, false).unwrap_err();
    assert!(error.contains("timed out"), "{error}");
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "{:?}",
        begun.elapsed()
    );
}

#[test]
fn an_answer_that_does_not_come_is_an_error_in_time() {
    let options = without_retries().with_idle_timeout(Duration::from_millis(300));
    let late = Fault::Late(Duration::from_secs(3));
    let error = read("em/gzip", &options, late, false).unwrap_err();
    assert!(error.contains("timed out"), "{error}");
}

#[test]
fn an_answer_that_is_late_once_is_asked_for_again() {
    let options = UrlOptions::new().with_idle_timeout(Duration::from_millis(500));
    read(
        "em/gzip",
        &options,
        Fault::Late(Duration::from_secs(3)),
        true,
    )
    .unwrap();
}

#[test]
fn a_server_that_is_not_there_is_named() {
    // A port that was free a moment ago.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/x.n5", listener.local_addr().unwrap());
    drop(listener);
    let store = n5::open_url(&url, &without_retries()).unwrap();
    let error = n5::open_array(store, "em/raw").unwrap_err().to_string();
    assert!(
        error.contains(&format!("{url}/em/raw/attributes.json")),
        "{error}"
    );
    assert!(
        error.to_lowercase().contains("connection refused"),
        "{error}"
    );
}

#[test]
fn an_authorization_is_sent_and_never_shown() {
    let served = Served::new();
    let options = UrlOptions::new().with_authorization("Bearer hidden");
    assert!(!format!("{options:?}").contains("hidden"));
    let store = served.store_with(&options);
    assert!(!format!("{store:?}").contains("hidden"));
    n5::open_array(store.clone(), "em/raw").unwrap();
    let (requests, _) = served.proxy.take();
    assert_eq!(requests[0].header("authorization"), Some("Bearer hidden"));

    served.proxy.set_faults(|_, _| Some(Fault::Status(401)));
    let error = n5::open_array(store, "em/raw").unwrap_err();
    assert!(
        !format!("{error} {error:?}").contains("hidden"),
        "{error:?}"
    );
}

/// As when it is erased between the two; 403 if that is told to mean missing.
#[test]
fn a_block_of_which_one_range_is_there_and_the_other_is_not_is_an_error() {
    for status in [404, 403] {
        let served = Served::new();
        let options = UrlOptions::new().with_missing_statuses([403]);
        let array = n5::open_array(served.store_with(&options), "em/raw").unwrap();
        served.proxy.set_faults(move |_, request| {
            let range = request.header("range").unwrap_or_default();
            let is_hit = request.target.ends_with(BLOCK) && !range.starts_with("bytes=0-");
            is_hit.then_some(Fault::Status(status))
        });
        let reader = RegionReader::new(&array).unwrap();
        let read: Vec<String> = vec![
            reader.read::<u8>(&plane(40)).unwrap_err().to_string(),
            futures::executor::block_on(reader.async_read::<u8>(&plane(40)))
                .unwrap_err()
                .to_string(),
            array
                .retrieve_array_subset::<Vec<u8>>(&plane(40))
                .unwrap_err()
                .to_string(),
        ];
        for error in read {
            assert!(error.contains("vanished while it was read"), "{error}");
        }
    }
}
