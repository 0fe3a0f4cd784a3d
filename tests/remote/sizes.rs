//! Sizes that servers and files claim: an error that names them, and never their memory.

use std::fs::File;
use std::path::Path;

use futures::executor::block_on;
use zarrs_interop::n5::{self, RegionReader, UrlOptions, UrlStore};
use zarrs_storage::{ListableStorageTraits, ReadableStorageTraits, StoreKey, StorePrefix};

use crate::container::{Served, all, assert_is_on_page, local, make, plane};
use crate::http::{Answer, Request, Server};
use crate::static_server::StaticFiles;

const SIZES: [u64; 5] = [68_719_476_736, 1 << 40, 1 << 46, 1 << 50, i64::MAX as u64];

/// Opens a server that says of answers that `is_hit` that they have `size` bytes.
fn claiming(
    folder: &Path,
    size: u64,
    is_hit: impl Fn(&Request, &Answer) -> bool + Send + Sync + 'static,
) -> (Server, UrlStore) {
    let files = StaticFiles::new(folder);
    let server = Server::start(move |request: &Request| {
        let mut answer = files.answer(request).unwrap();
        if is_hit(request, &answer) {
            if answer.status == 404 {
                answer.body.resize(1 << 20, b' ');
            }
            answer
                .headers
                .retain(|(name, _)| !name.eq_ignore_ascii_case("content-length"));
            answer = answer
                .with_header("Content-Length", &size)
                .with_header("Connection", "close");
        }
        answer
    });
    let options = UrlOptions::new()
        .with_retries(0)
        .with_idle_timeout(std::time::Duration::from_millis(600));
    let store = n5::open_url(&server.url(), &options).unwrap();
    (server, store)
}

#[test]
fn a_block_that_claims_too_much_is_an_error_and_no_memory() {
    let folder = make();
    for size in SIZES {
        let is_hit = |request: &Request, _: &Answer| request.target.ends_with("/0/1/0");
        let (_server, store) = claiming(folder.path(), size, is_hit);
        let array = n5::open_array(store, "em/gzip").unwrap();
        let reader = RegionReader::new(&array).unwrap();
        for error in [
            reader.read::<u8>(&all()).unwrap_err(),
            block_on(reader.async_read::<u8>(&all())).unwrap_err(),
        ] {
            let error = error.to_string();
            assert_is_on_page(&error, "found a size of");
            assert!(error.contains(&size.to_string()), "{error}");
            assert!(error.contains("em/gzip/0/1/0"), "{error}");
        }
    }
}

/// What is asked for is a range, and the answer says that it has more.
#[test]
fn a_range_that_claims_too_much_is_no_memory() {
    let folder = make();
    for size in SIZES {
        let (_server, store) = claiming(folder.path(), size, |_, answer| answer.status == 206);
        let array = n5::open_array(store, "em/raw").unwrap();
        let reader = RegionReader::new(&array).unwrap();
        let reads = [
            reader.read::<u8>(&plane(40)),
            block_on(reader.async_read::<u8>(&plane(40))),
        ];
        // It may be an error, or be read as a whole block, which claims nothing here.
        for read in reads.into_iter().flatten() {
            assert!(read == local(folder.path(), "em/raw", &plane(40)));
        }
    }
}

#[test]
fn a_document_that_claims_too_much_is_an_error_and_no_memory() {
    let folder = make();
    for size in [SIZES.as_slice(), &[(64 << 20) + 1]].concat() {
        let is_hit = |request: &Request, _: &Answer| request.target.ends_with("/attributes.json");
        let (_server, store) = claiming(folder.path(), size, is_hit);
        let error = n5::open_array(store, "em/gzip").unwrap_err().to_string();
        assert_is_on_page(&error, "found a size of");
        assert!(error.contains("67108864 at most"), "{error}");
    }
}

/// The library puts those together itself.
#[test]
fn an_error_that_claims_too_much_is_no_memory() {
    let folder = make();
    for size in SIZES {
        let (_server, store) = claiming(folder.path(), size, |_, answer| answer.status == 404);
        let array = n5::open_array(store, "em/gzip").unwrap();
        // Its beginning has come, which is all that is looked at.
        let reader = RegionReader::new(&array).unwrap();
        let read = reader.read::<u8>(&all()).unwrap();
        assert!(read == local(folder.path(), "em/gzip", &all()));
    }
}

#[test]
fn a_listing_that_claims_too_much_is_no_memory() {
    for size in SIZES {
        let server = Server::start(move |request: &Request| {
            let status = if request.method == "PROPFIND" {
                207
            } else {
                200
            };
            let mut answer = Answer::new(status, "<a>".repeat(10_000));
            answer.headers.clear();
            answer
                .with_header("Content-Length", &size)
                .with_header("Connection", "close")
        });
        let options = UrlOptions::new()
            .with_retries(0)
            .with_idle_timeout(std::time::Duration::from_millis(600));
        let endpoint = options
            .clone()
            .with_endpoint(server.url())
            .with_allow_http(true);
        for store in [
            n5::open_url(&server.url(), &options).unwrap(),
            n5::open_url("s3://em", &endpoint).unwrap(),
        ] {
            ListableStorageTraits::list_dir(&store, &StorePrefix::root()).unwrap_err();
            ListableStorageTraits::list(&store).unwrap_err();
        }
    }
}

/// With a cut at the end, so that it is all there is.
#[test]
fn what_comes_of_two_gib_is_all_the_memory_that_is_taken() {
    let served = Served::new();
    let is_hit = |request: &Request, _: &Answer| request.target.ends_with("/0/1/0");
    let (_server, store) = claiming(served.folder.path(), 1 << 31, is_hit);
    let key = StoreKey::new("em/gzip/0/1/0").unwrap();
    let error = ReadableStorageTraits::get(&store, &key).unwrap_err();
    assert!(!error.to_string().contains("memory"), "{error}");
}

/// Opens the folder by its URL.
fn by_file(folder: &Path) -> UrlStore {
    n5::open_url(&format!("file://{}", folder.display()), &UrlOptions::new()).unwrap()
}

/// A file of so many bytes, without any of them.
fn make_sparse(path: &Path, size: u64) {
    let file = File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path);
    file.unwrap().set_len(size).unwrap();
}

#[cfg(unix)]
#[test]
fn a_file_that_is_too_large_is_an_error_and_no_memory() {
    let folder = make();
    make_sparse(&folder.path().join("em/gzip/0/1/0"), 1 << 40);
    let array = n5::open_array(by_file(folder.path()), "em/gzip").unwrap();
    let reader = RegionReader::new(&array).unwrap();
    for error in [
        reader.read::<u8>(&all()).unwrap_err(),
        block_on(reader.async_read::<u8>(&all())).unwrap_err(),
    ] {
        let error = error.to_string();
        assert_is_on_page(&error, "found a size of");
        assert!(error.contains("1099511627776 bytes"), "{error}");
    }

    make_sparse(&folder.path().join("em/raw/attributes.json"), 60 << 30);
    let error = n5::open_array(by_file(folder.path()), "em/raw").unwrap_err();
    let error = error.to_string();
    assert!(error.contains("64424509440 bytes"), "{error}");
}
