//! What a check says where the store fails.

use zarrs_interop::n5::{CheckOptions, check};

use super::watched::Watched;
use super::{checked, key, store};

#[test]
fn a_folder_that_cannot_be_listed_is_reported_and_costs_only_itself() {
    let mut store = Watched::new(store(&[4, 2], &["raw/0/0", "raw/0/1", "raw/1/0"]));
    store.unlistable = Some("raw/0/");
    let report = checked(&store);
    assert_eq!((report.present, report.unlisted_count), (1, 1));
    assert!(!report.is_sound());
    assert_eq!(
        (report.known_present(), report.known_missing()),
        (Some(1), None)
    );
    assert!(
        report
            .to_string()
            .contains("4 expected, at least 1 present, not known how many are missing, 0 corrupt"),
        "{report}"
    );
    let text = report.unlisted[0].to_string();
    assert_eq!(
        text,
        "the folder raw/0/ cannot be listed: permission denied"
    );
    assert!(
        report
            .to_string()
            .ends_with("1 folder that cannot be listed")
    );
}

#[test]
fn a_block_that_the_store_cannot_read_is_corrupt() {
    let mut store = Watched::new(store(&[4, 1], &["raw/0/0", "raw/1/0"]));
    store.unreadable = Some("raw/1/0");
    let report = checked(&store);
    assert_eq!((report.present, report.corrupt_count), (2, 1));
    let text = report.corrupt[0].to_string();
    assert!(
        text.contains("raw/1/0: ") && text.contains("permission denied"),
        "{text}"
    );
}

#[test]
fn a_block_that_is_listed_but_not_there_is_named_and_missing() {
    let mut store = Watched::new(store(&[4, 1], &["raw/0/0", "raw/1/0"]));
    store.gone = Some("raw/0/0");
    let report = checked(&store);
    assert_eq!((report.present, report.missing()), (1, 1));
    assert_eq!(
        (report.vanished_count, &*report.vanished),
        (1, &[key("raw/0/0")][..])
    );
    assert!(!report.is_sound());
    assert_eq!(
        report.to_string(),
        "/raw: 2 expected, 1 present, 1 missing, 0 corrupt, 1 listed but not there"
    );
}

/// The other threads wait for the one that lists, and would wait for ever.
#[test]
fn a_panic_of_the_store_ends_the_check() {
    let mut store = Watched::new(store(&[400, 1], &["raw/0/0", "raw/1/0"]));
    store.panics = Some("raw/");
    for _ in 0..20 {
        let options = CheckOptions::new().with_concurrency(4);
        let checked = std::panic::AssertUnwindSafe(|| check(&store, "/raw", &options, |_| {}));
        assert!(std::panic::catch_unwind(checked).is_err());
    }
}
