//! What answers say to the requests of one piece of work: the status of HTTP of the last one, and
//! which pages of a listing there were. `object_store` keeps the status in types that have no
//! public name, so it is taken where the answers come in.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;

/// What was seen of the answers to one piece of work.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    /// The status of the last; `None` if there was none.
    pub(super) status: Option<u16>,
    /// How many requests there were since the last answer that is known to be whole.
    pub(super) tries: usize,
}

#[derive(Default)]
struct Noted {
    seen: Cell<Seen>,
    pages: RefCell<HashSet<String>>,
}

tokio::task_local! {
    static NOTED: Noted;
}

/// Does `work` with a place for what is seen of its answers, which comes with the result.
pub(super) async fn observed<T>(work: impl Future<Output = T>) -> (T, Seen) {
    let work = async {
        let result = work.await;
        (result, NOTED.with(|noted| noted.seen.get()))
    };
    NOTED.scope(Noted::default(), work).await
}

/// Notes that a request is sent.
pub(super) fn note_request() {
    change(|seen| Seen {
        status: None,
        tries: seen.tries.saturating_add(1),
    });
}

/// Notes the status of an answer; `None` if there is none that counts.
pub(super) fn note(status: Option<u16>) {
    change(|seen| Seen { status, ..seen });
}

/// Notes that all of an answer has come.
pub(super) fn note_whole() {
    change(|seen| Seen { tries: 0, ..seen });
}

fn change(change: impl FnOnce(Seen) -> Seen) {
    // Requests for credentials may be sent by tasks that are no work of ours.
    let _ = NOTED.try_with(|noted| noted.seen.set(change(noted.seen.get())));
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
