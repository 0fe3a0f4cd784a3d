//! Requests that are sent again because their answer was cut off. What fails before an answer
//! begins, the library for requests sends again itself, and the rest of a value if the server says
//! by an `ETag` that it is still the same.

use std::time::{Duration, Instant};

use object_store::{Error, Result as ObjectResult};
use tokio::time::sleep;

use super::error::is_of_connection;

/// The first pause; each is twice the one before. Both times are the library's.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// No request is sent again later than this after the first.
const MOST_TIME: Duration = Duration::from_mins(3);

/// How often something is still done again.
pub(super) struct Again {
    left: usize,
    pause: Duration,
    begun: Instant,
}

impl Again {
    pub(super) fn new(retries: usize) -> Self {
        Self {
            left: retries,
            pause: FIRST_PAUSE,
            begun: Instant::now(),
        }
    }

    /// Whether it may be done again, now that a pause is over.
    pub(super) async fn may(&mut self) -> bool {
        if self.left == 0 || self.begun.elapsed() > MOST_TIME {
            return false;
        }
        self.left -= 1;
        sleep(self.pause).await;
        self.pause = self.pause.saturating_mul(2);
        true
    }
}

/// What `list` lists, listed again where the answer to that was cut off: of its parts none is kept.
pub(super) async fn listed_again<T, W>(
    retries: usize,
    list: impl Fn() -> W + Send,
) -> (ObjectResult<T>, Option<u16>)
where
    T: Send,
    W: Future<Output = (ObjectResult<T>, Option<u16>)> + Send,
{
    let mut again = Again::new(retries);
    loop {
        let (listed, status) = list().await;
        match listed {
            Err(error) if is_cut_off(&error, status) && again.may().await => (),
            listed => return (listed, status),
        }
    }
}

/// Whether it is in the middle of an answer that it failed. Those with higher statuses have been
/// asked for again.
pub(super) fn is_cut_off(error: &Error, status: Option<u16>) -> bool {
    matches!(status, Some(200..=428)) && is_of_connection(error)
}
