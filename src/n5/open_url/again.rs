//! Requests that are sent again because their answer was cut off. What fails before an answer
//! begins, the library for requests sends again itself, and the rest of a value if the server says
//! by an `ETag` that it is still the same. Without one, or if it is another by now, the whole value
//! is asked for again, and nothing is kept of what came.

use std::time::{Duration, Instant};

use object_store::{Error, Result as ObjectResult};
use tokio::time::sleep;

use super::causes::is_of_connection;
use super::status::Seen;

/// The first pause; each is twice the one before. Both times are the library's.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// No request is sent again later than this after the first.
const MOST_TIME: Duration = Duration::from_mins(3);

/// How often something was done, and whether it is done again.
pub(super) struct Again {
    retries: usize,
    tries: usize,
    pause: Duration,
    begun: Instant,
}

impl Again {
    pub(super) fn new(retries: usize) -> Self {
        Self {
            retries,
            tries: 0,
            pause: FIRST_PAUSE,
            begun: Instant::now(),
        }
    }

    /// Counts what was done, also by the library for requests.
    pub(super) fn add(&mut self, seen: Seen) {
        self.tries = self.tries.saturating_add(seen.tries.max(1));
    }

    /// What was seen of all that was done, the last of it being `seen`.
    pub(super) fn in_all(&self, seen: Seen) -> Seen {
        Seen {
            tries: self.tries,
            ..seen
        }
    }

    /// Whether it may be done again, now that a pause is over.
    pub(super) async fn may(&mut self) -> bool {
        if self.tries > self.retries || self.begun.elapsed() > MOST_TIME {
            return false;
        }
        sleep(self.pause).await;
        self.pause = self.pause.saturating_mul(2);
        true
    }
}

/// What `list` lists, listed again where the answer to that was cut off: of its parts none is kept.
pub(super) async fn listed_again<T, W>(
    retries: usize,
    list: impl Fn() -> W + Send,
) -> (ObjectResult<T>, Seen)
where
    T: Send,
    W: Future<Output = (ObjectResult<T>, Seen)> + Send,
{
    let mut again = Again::new(retries);
    loop {
        let (listed, seen) = list().await;
        again.add(seen);
        match listed {
            Err(error) if is_cut_off(&error, seen) && again.may().await => (),
            listed => return (listed, again.in_all(seen)),
        }
    }
}

/// Whether it is in the middle of an answer that it failed. Those with higher statuses have been
/// asked for again.
pub(super) fn is_cut_off(error: &Error, seen: Seen) -> bool {
    matches!(seen.status, Some(200..=428)) && is_of_connection(error)
}
