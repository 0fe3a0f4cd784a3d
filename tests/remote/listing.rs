//! Servers without listings: what is there is not known, and nobody says that it is nothing.

use zarrs_interop::n5::{self, LeftOutReason, OpenError, UrlStore, WalkOptions, WalkedKind};
use zarrs_storage::{AsyncListableStorageTraits, ListableStorageTraits, StorageError, StorePrefix};

use crate::container::Served;
use crate::http::Server;
use crate::listers::dav;
use crate::proxy::{Fault, Proxy};

/// How servers answer a listing that do not know what that is.
const ANSWERS: [Option<u16>; 6] = [None, Some(200), Some(400), Some(404), Some(405), Some(501)];

fn served(answer: Option<u16>) -> Served {
    let served = Served::new();
    served.proxy.set_faults(move |_, request| {
        (request.method == "PROPFIND").then_some(Fault::Status(answer?))
    });
    served
}

fn assert_not_listed(store: &UrlStore, answer: Option<u16>) {
    for prefix in ["", "em/", "em/gzip/", "nothing/"] {
        let prefix = StorePrefix::new(prefix).unwrap();
        let listed = ListableStorageTraits::list_dir(store, &prefix);
        let error = listed.unwrap_err().to_string();
        assert!(error.contains("does not list"), "{answer:?}: {error}");
        ListableStorageTraits::list_prefix(store, &prefix).unwrap_err();
        ListableStorageTraits::size_prefix(store, &prefix).unwrap_err();
    }
}

#[tokio::test]
async fn a_server_that_cannot_list_is_never_empty() {
    for answer in ANSWERS {
        let served = served(answer);
        assert_not_listed(&served.store(), answer);
        let store = served.store();
        AsyncListableStorageTraits::list(&store).await.unwrap_err();
    }
}

#[test]
fn that_it_cannot_list_is_asked_once() {
    let served = served(Some(501));
    let store = served.store();
    assert_not_listed(&store, Some(501));
    assert_eq!(served.proxy.take_texts().len(), 1);
}

#[tokio::test]
async fn a_walk_says_that_it_cannot_list() {
    for answer in ANSWERS {
        let served = served(answer);
        let report = n5::walk(&served.store(), &WalkOptions::new()).unwrap();
        let twin = n5::async_walk(&served.store(), &WalkOptions::new())
            .await
            .unwrap();
        for report in [report, twin] {
            assert!(
                matches!(report.nodes()[0].kind, WalkedKind::Group(_)),
                "{report:?}"
            );
            let [left_out] = report.left_out() else {
                panic!("{report:?}");
            };
            assert!(
                matches!(left_out.reason, LeftOutReason::NotListed(_)),
                "{left_out}"
            );
            assert!(
                left_out.to_string().contains("cannot be listed"),
                "{left_out}"
            );
        }
        // Where there is no document either.
        let options = WalkOptions::new().with_node_path("/nothing");
        let report = n5::walk(&served.store(), &options).unwrap();
        assert!(
            matches!(report.nodes()[0].kind, WalkedKind::Unreadable(_)),
            "{report:?}"
        );
    }
}

#[tokio::test]
async fn what_is_no_dataset_is_named_as_far_as_it_is_known() {
    for answer in ANSWERS {
        let served = served(answer);
        let open = |path| n5::open_array(served.store(), path).unwrap_err();
        let error = open("em/gzp");
        assert!(matches!(error, OpenError::ListingDenied { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains("there is no dataset at /em/gzp"), "{text}");
        assert!(text.contains("does not list"), "{text}");

        let error = open("/");
        assert!(matches!(error, OpenError::Group { .. }), "{error}");
        assert!(error.to_string().contains("cannot be listed"), "{error}");

        let error = open("zarr");
        assert!(matches!(error, OpenError::Zarr { .. }), "{error}");

        for path in ["em/gzp", "/", "zarr"] {
            let twin = n5::async_open_array(served.store(), path)
                .await
                .unwrap_err();
            assert_eq!(twin.to_string(), open(path).to_string());
        }
    }
}

/// Neither what fails on the way, nor an answer of one that does list.
#[test]
fn what_fails_for_another_reason_is_not_said_to_be_without_listing() {
    let folder = crate::container::make();
    let behind = Server::start(dav(folder.path().to_owned(), "/em"));
    let proxy = Proxy::start(behind.address());
    let options = n5::UrlOptions::new().with_retries(0);
    let store = n5::open_url(&format!("{}/em", proxy.url()), &options).unwrap();
    let list = || {
        let error = ListableStorageTraits::list_dir(&store, &StorePrefix::root()).unwrap_err();
        let kind = match &error {
            StorageError::IOError(error) => error.kind(),
            error => panic!("{error}"),
        };
        assert_ne!(kind, std::io::ErrorKind::Unsupported, "{error}");
        assert!(!error.to_string().contains("does not list"), "{error}");
        error.to_string()
    };
    proxy.set_faults(|_, _| Some(Fault::None));
    list();
    proxy.set_faults(|_, _| Some(Fault::Cut));
    list();
    proxy.set_faults(|_, _| Some(Fault::NoSuchBucket));
    let error = list();
    assert!(error.contains("the bucket does not exist"), "{error}");
    for status in [207, 301, 401, 403, 429, 500, 503] {
        proxy.set_faults(move |_, _| Some(Fault::Status(status)));
        list();
    }
    // And nothing of this is remembered.
    proxy.set_faults(|_, _| None);
    let listed = ListableStorageTraits::list_dir(&store, &StorePrefix::root()).unwrap();
    assert_eq!(listed.prefixes().len(), 2, "{listed:?}");
}

#[test]
fn a_listing_that_fails_is_no_listing_of_nothing() {
    for status in [403, 500, 503] {
        let served = served(Some(status));
        let store = served.store_with(&n5::UrlOptions::new().with_retries(0));
        let error = ListableStorageTraits::list_dir(&store, &StorePrefix::root()).unwrap_err();
        assert!(
            error.to_string().contains(&format!("HTTP {status}")),
            "{error}"
        );
        let error = n5::open_array(store, "em/gzp").unwrap_err();
        assert!(matches!(error, OpenError::ListingDenied { .. }), "{error}");
    }
}
