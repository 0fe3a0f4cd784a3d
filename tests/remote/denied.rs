//! Denied is not missing, unless told.

use zarrs::array::ArraySubset;
use zarrs_interop::n5::region_reader::RegionSummary;
use zarrs_interop::n5::{self, OpenError, RegionReader, UrlError, UrlOptions};
use zarrs_storage::ReadableStorageTraits;

use crate::container::{MISSING, Served, plane};
use crate::proxy::Fault;

/// Reads a plane of a dataset from a server that answers `status` for what is not there.
fn read(path: &str, options: &UrlOptions, status: u16) -> Result<RegionSummary, String> {
    let served = Served::new();
    let array = n5::open_array(served.store_with(options), path).unwrap();
    served.proxy.set_faults(move |_, request| {
        request
            .target
            .ends_with(MISSING)
            .then_some(Fault::Status(status))
    });
    let subset: ArraySubset = plane(40);
    let mut read = vec![0_u8; subset.num_elements_usize()];
    let summary = RegionReader::new(&array)
        .unwrap()
        .read_into(&subset, &mut read);
    if let Err(error) = &summary {
        let text = error.to_string();
        let url = format!("{}/{path}/{MISSING}", served.proxy.url());
        assert!(
            text.contains(&url) && text.contains(&status.to_string()),
            "{text}"
        );
    } else {
        assert_eq!(read, served.local(path, &subset));
    }
    summary.map_err(|error| error.to_string())
}

#[test]
fn a_denied_block_is_an_error_that_names_key_and_url() {
    for path in ["em/gzip", "em/raw"] {
        let error = read(path, &UrlOptions::new(), 403).unwrap_err();
        assert!(
            error.contains("access denied (HTTP 403 Forbidden)"),
            "{error}"
        );
        assert!(
            error.contains(&format!("at key {path}/{MISSING}")),
            "{error}"
        );
        read(path, &UrlOptions::new(), 400).unwrap_err();
    }
}

#[test]
fn a_status_that_is_told_to_mean_missing_does() {
    for path in ["em/gzip", "em/raw"] {
        for status in [403, 400] {
            let options = UrlOptions::new().with_missing_statuses([403, 400]);
            assert_eq!(read(path, &options, status).unwrap().blocks_missing, 1);
        }
        let options = UrlOptions::new().with_missing_statuses([400]);
        read(path, &options, 403).unwrap_err();
    }
}

#[test]
fn an_error_that_is_told_to_mean_missing_does() {
    let options = UrlOptions::new()
        .with_missing_if(|key, error| key.as_str().ends_with(MISSING) && error.is_denied());
    for path in ["em/gzip", "em/raw"] {
        assert_eq!(read(path, &options, 403).unwrap().blocks_missing, 1);
        read(path, &options, 400).unwrap_err();
    }
}

#[test]
fn a_denied_document_is_an_error_whatever_blocks_are() {
    let served = Served::new();
    served.proxy.set_faults(|_, _| Some(Fault::Status(403)));
    let store = served.store_with(&UrlOptions::new().with_missing_statuses([403]));
    let error = n5::open_array(store, "em/gzip").unwrap_err();
    assert!(matches!(error, OpenError::AccessDenied { .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.contains(&format!("{}/em/gzip/attributes.json", served.proxy.url())),
        "{text}"
    );
}

#[test]
fn the_status_can_be_asked_for() {
    let served = Served::new();
    served.proxy.set_faults(|_, _| Some(Fault::Status(403)));
    let key = "a/0".try_into().unwrap();
    let error = ReadableStorageTraits::get(&served.store(), &key).unwrap_err();
    let found = UrlError::of(&error).unwrap();
    assert_eq!(found.status(), Some(403));
    assert_eq!(found.url(), format!("{}/a/0", served.proxy.url()));
    // And through the view, which names the key.
    let view = n5::N5DefaultStore::new(served.store());
    let error = ReadableStorageTraits::get(&view, &key).unwrap_err();
    assert_eq!(UrlError::of(&error).unwrap().status(), Some(403), "{error}");
    assert!(UrlError::of(&zarrs_storage::StorageError::ReadOnly).is_none());
}
