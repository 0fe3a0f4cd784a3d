//! A check by several requests at the same time.

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use zarrs_storage::{
    AsyncListableStorageTraits, AsyncReadableStorageTraits, MaybeBytes, StorageError,
};

use super::dataset::Dataset;
use super::list::{Listing, async_list};
use super::options::{CheckOptions, CheckProgress};
use super::outcome::Outcome;
use super::report::CheckReport;
use super::search::Next;
use super::tally::Tally;

/// Requests in flight by default, as in a `RegionReader`.
const REQUESTS: usize = 32;

/// What the store says.
enum Answer {
    Listed(Vec<u64>, Listing),
    Read(Vec<u64>, Result<MaybeBytes, StorageError>),
}

pub(super) async fn check<S, P>(
    store: &S,
    dataset: &Dataset,
    options: &CheckOptions,
    progress: P,
) -> CheckReport
where
    S: AsyncReadableStorageTraits + AsyncListableStorageTraits + 'static,
    P: FnMut(CheckProgress) + Send,
{
    let mut tally = Tally::new(dataset, options, progress);
    let mut requests = FuturesUnordered::new();
    let mut buffer = Vec::new();
    loop {
        while requests.len() < options.concurrency.unwrap_or(REQUESTS) {
            match tally.next() {
                Next::Read(position) if !options.reads_blocks => {
                    tally.count(position, Outcome::Listed);
                }
                next @ (Next::List(_) | Next::Read(_)) => {
                    requests.push(request(store, dataset, next));
                }
                Next::Wait | Next::Done => break,
            }
        }
        match requests.next().await {
            None => return tally.finish(),
            Some(None) => (),
            Some(Some(Answer::Listed(folder, listing))) => tally.listed(folder, listing),
            Some(Some(Answer::Read(position, block))) => {
                tally.count(position, dataset.judge(block, &mut buffer));
            }
        }
    }
}

/// Asks the store for what is to be done next; `None` if that is nothing.
async fn request<S>(store: &S, dataset: &Dataset, next: Next) -> Option<Answer>
where
    S: AsyncReadableStorageTraits + AsyncListableStorageTraits + 'static,
{
    match next {
        Next::List(folder) => {
            let listing = async_list(store, &dataset.prefix(&folder)).await;
            Some(Answer::Listed(folder, listing))
        }
        Next::Read(position) => {
            let block = store.get(&dataset.key(&position)).await;
            Some(Answer::Read(position, block))
        }
        Next::Wait | Next::Done => None,
    }
}
