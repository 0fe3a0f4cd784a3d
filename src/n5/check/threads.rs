//! A check by several threads.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use zarrs_storage::{ListableStorageTraits, ReadableStorageTraits};

use super::dataset::Dataset;
use super::list::list;
use super::options::{CheckOptions, CheckProgress};
use super::outcome::Outcome;
use super::report::CheckReport;
use super::search::Next;
use super::tally::Tally;
use crate::n5::at_once::MOST_THREADS;
use crate::n5::walk::sized::{MAX_BLOCK_SIZE, get};

/// One check, shared by its threads.
pub(super) struct Check<'c, S, P> {
    store: &'c S,
    dataset: &'c Dataset,
    reads_blocks: bool,
    threads: usize,
    state: Mutex<State<'c, P>>,
    /// There is more to do, or nothing any more.
    changed: Condvar,
}

struct State<'c, P> {
    tally: Tally<'c, P>,
    /// A thread panicked: the others end too.
    is_aborted: bool,
}

impl<'c, S, P> Check<'c, S, P>
where
    S: ReadableStorageTraits + ListableStorageTraits + 'static,
    P: FnMut(CheckProgress) + Send,
{
    pub(super) fn new(
        store: &'c S,
        dataset: &'c Dataset,
        options: &CheckOptions,
        progress: P,
    ) -> Self {
        let default = || zarrs::config::global_config().codec_concurrent_target();
        Self {
            store,
            dataset,
            reads_blocks: options.reads_blocks,
            threads: (options.concurrency.unwrap_or_else(default)).clamp(1, MOST_THREADS),
            state: Mutex::new(State {
                tally: Tally::new(dataset, options, progress),
                is_aborted: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// Checks all blocks with this thread and others.
    pub(super) fn run(self) -> CheckReport {
        #[cfg(not(target_arch = "wasm32"))]
        std::thread::scope(|scope| {
            for _ in 1..self.threads {
                let thread = std::thread::Builder::new().name("n5 check".to_owned());
                // Where no more threads are to be had, the others check all.
                if thread.spawn_scoped(scope, || self.work()).is_err() {
                    break;
                }
            }
            self.work();
        });
        #[cfg(target_arch = "wasm32")]
        if self.threads > 0 {
            self.work();
        }
        let state = self.state.into_inner();
        state.unwrap_or_else(PoisonError::into_inner).tally.finish()
    }

    /// Lists folders and reads blocks until nothing is left.
    fn work(&self) {
        let _abort = AbortOnPanic(self);
        let mut buffer = Vec::new();
        let mut state = self.lock();
        while !state.is_aborted {
            match state.tally.next() {
                Next::Done => break,
                Next::Wait => {
                    let waited = self.changed.wait(state);
                    state = waited.unwrap_or_else(PoisonError::into_inner);
                }
                Next::List(folder) => {
                    drop(state);
                    let listing = list(self.store, &self.dataset.prefix(&folder));
                    state = self.lock();
                    state.tally.listed(folder, listing);
                    self.changed.notify_all();
                }
                Next::Read(position) => {
                    let mut outcome = Outcome::Listed;
                    if self.reads_blocks {
                        drop(state);
                        let key = self.dataset.key(&position);
                        let block = get(self.store, &key, MAX_BLOCK_SIZE);
                        outcome = self.dataset.judge(block, &mut buffer);
                        state = self.lock();
                    }
                    state.tally.count(position, outcome);
                }
            }
        }
        drop(state);
        self.changed.notify_all();
    }
}

impl<'c, S, P> Check<'c, S, P> {
    fn lock(&self) -> MutexGuard<'_, State<'c, P>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the other threads of a check when this one panics, so that they do not wait for it.
struct AbortOnPanic<'a, 'c, S, P>(&'a Check<'c, S, P>);

impl<S, P> Drop for AbortOnPanic<'_, '_, S, P> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().is_aborted = true;
            self.0.changed.notify_all();
        }
    }
}
