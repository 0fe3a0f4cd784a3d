//! The status of HTTP that a request was last answered with. `object_store` keeps it in types that
//! have no public name, so it is taken where the answers come in.

use std::cell::Cell;

tokio::task_local! {
    static STATUS: Cell<Option<u16>>;
}

/// Does `work` with a place for the status of its last answer, which comes with the result.
pub(super) async fn observed<T>(work: impl Future<Output = T>) -> (T, Option<u16>) {
    let work = async {
        let result = work.await;
        (result, STATUS.with(Cell::get))
    };
    STATUS.scope(Cell::new(None), work).await
}

/// Notes the status of an answer; `None` before there is one.
pub(super) fn note(status: Option<u16>) {
    // Requests for credentials may be sent by tasks that are no work of ours.
    let _ = STATUS.try_with(|noted| noted.set(status));
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
