//! What answers say to the requests of one piece of work: the status of HTTP of the last one, and
//! which pages of a listing there were. `object_store` keeps the status in types that have no
//! public name, so it is taken where the answers come in.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;

#[derive(Default)]
struct Noted {
    status: Cell<Option<u16>>,
    pages: RefCell<HashSet<String>>,
}

tokio::task_local! {
    static NOTED: Noted;
}

/// Does `work` with a place for the status of its last answer, which comes with the result.
pub(super) async fn observed<T>(work: impl Future<Output = T>) -> (T, Option<u16>) {
    let work = async {
        let result = work.await;
        (result, NOTED.with(|noted| noted.status.get()))
    };
    NOTED.scope(Noted::default(), work).await
}

/// Notes the status of an answer; `None` before there is one.
pub(super) fn note(status: Option<u16>) {
    // Requests for credentials may be sent by tasks that are no work of ours.
    let _ = NOTED.try_with(|noted| noted.status.set(status));
}

/// Notes the URL of a page of a listing that was there.
pub(super) fn note_page(url: String) {
    let _ = NOTED.try_with(|noted| noted.pages.borrow_mut().insert(url));
}

/// Whether there was that page before.
pub(super) fn has_page(url: &str) -> bool {
    NOTED
        .try_with(|noted| noted.pages.borrow().contains(url))
        .is_ok_and(|had| had)
}

/// The name of a status after a space, for an error; empty for those that are seldom met.
pub(super) fn name(status: u16) -> &'static str {
    match status {
        301 => " Moved Permanently",
        400 => " Bad Request",
        401 => " Unauthorized",
        403 => " Forbidden",
        404 => " Not Found",
        405 => " Method Not Allowed",
        408 => " Request Timeout",
        416 => " Range Not Satisfiable",
        429 => " Too Many Requests",
        500 => " Internal Server Error",
        501 => " Not Implemented",
        502 => " Bad Gateway",
        503 => " Service Unavailable",
        504 => " Gateway Timeout",
        _ => "",
    }
}
