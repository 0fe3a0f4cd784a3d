//! The threads of a run, each of which takes one shard after the other.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::content::ShardContent;
use super::error::RewriteError;
use super::grid::{Region, ShardGrid};
use super::options::Part;
use super::output::Documents;
use super::report::{Difference, RewriteProgress, RewriteReport, VerifyReport};
use super::shard::Written;

/// The shards of a level that belong to a part, counted from 0 within the level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LevelPart {
    first: u64,
    step: u64,
    count: u64,
}

impl LevelPart {
    /// Every `part.count()`th shard of a phase belongs to a part. `before` is how many the phase
    /// has before those of this level.
    pub(super) fn new(before: u64, shards: u64, part: Part) -> Self {
        let (index, parts) = (part.index(), part.count());
        let first = (index + parts - before % parts) % parts;
        Self {
            first,
            step: parts,
            count: shards.saturating_sub(first).div_ceil(parts),
        }
    }

    /// The number of shards.
    pub(super) fn count(self) -> u64 {
        self.count
    }

    /// The shard number `index` of these.
    fn shard(self, index: u64) -> Option<u64> {
        (index < self.count).then(|| self.first + index * self.step)
    }
}

/// What became of a shard.
pub(super) enum Outcome {
    /// An earlier run has written it, or knew that it has no file.
    Whole,
    Written(Written),
    Verified {
        equal: u64,
        different: Vec<Difference>,
    },
}

/// What is done with each shard.
pub(super) trait ShardTask<T> {
    /// Does it with shard number `number` of the level.
    fn run(
        &mut self,
        content: &mut impl ShardContent<T>,
        number: u64,
        region: &Region,
    ) -> Result<Outcome, RewriteError>;
}

/// Called with the progress of a run.
pub(super) type Progress<'p> = &'p (dyn Fn(RewriteProgress) + Sync);

/// What the threads of a run tell each other.
pub(super) struct Shared<'p> {
    state: Mutex<State>,
    is_stopped: AtomicBool,
    progress: Progress<'p>,
}

#[derive(Default)]
struct State {
    progress: RewriteProgress,
    report: RewriteReport,
    verified: VerifyReport,
    /// Shards that are all fill value, counted over the levels of the phase.
    empty: Vec<u64>,
    /// Shards with blocks that were filled or with differences, counted in the same way.
    again: Vec<u64>,
    error: Option<RewriteError>,
}

impl<'p> Shared<'p> {
    pub(super) fn new(shards: u64, size: u64, progress: Progress<'p>) -> Self {
        let state = State {
            progress: RewriteProgress {
                shards,
                size,
                ..RewriteProgress::default()
            },
            report: RewriteReport {
                missing_blocks: Some(0),
                ..RewriteReport::default()
            },
            ..State::default()
        };
        Self {
            state: Mutex::new(state),
            is_stopped: AtomicBool::new(false),
            progress,
        }
    }

    fn with_state<R>(&self, change: impl FnOnce(&mut State) -> R) -> R {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes the shards of the phase that turned out to be all fill value.
    pub(super) fn take_empty(&self) -> Vec<u64> {
        self.with_state(|state| std::mem::take(&mut state.empty))
    }

    /// Takes the shards of the phase that have to be written again.
    pub(super) fn take_again(&self) -> Vec<u64> {
        self.with_state(|state| std::mem::take(&mut state.again))
    }

    pub(super) fn add_leftovers(&self, removed: u64) {
        self.with_state(|state| state.report.leftovers += removed);
    }

    pub(super) fn add_documents(&self, written: &Documents) {
        self.add_leftovers(written.leftovers);
        self.with_state(|state| state.report.is_corrected |= written.is_corrected);
    }

    /// The reports, when everything is done.
    pub(super) fn finish(self) -> (RewriteReport, VerifyReport) {
        let state = self
            .state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        (state.report.finished(), state.verified)
    }

    /// Counts blocks that the source does not have.
    fn count_missing(&self, missing: Option<u64>) {
        self.with_state(|state| {
            let before = &mut state.report.missing_blocks;
            *before = before
                .zip(missing)
                .map(|(before, more)| before.saturating_add(more));
        });
    }

    /// How many blocks the source does not have, as far as the run has come; `None` if it is not
    /// known.
    pub(super) fn missing_blocks(&self) -> Option<u64> {
        self.with_state(|state| state.report.missing_blocks)
    }

    /// Notes that a dataset has no blocks.
    pub(super) fn add_without_blocks(&self, node_path: &str) {
        self.with_state(|state| state.report.without_blocks.push(node_path.to_owned()));
    }

    /// Counts a shard. `number` is counted over the levels of the phase, `size` is that of its
    /// elements in bytes.
    fn count(
        &self,
        outcome: Outcome,
        (number, size): (u64, u64),
        failures: Vec<crate::n5::region_reader::BlockFailure>,
    ) {
        self.with_state(|state| {
            let is_different = matches!(
                &outcome,
                Outcome::Verified { different, .. } if !different.is_empty()
            );
            let is_written = matches!(outcome, Outcome::Written(_));
            if is_different || is_written && !failures.is_empty() {
                state.again.push(number);
            }
            state.report.add_failures(failures);
            state.progress.shards_done += 1;
            state.progress.size_done += size;
            match outcome {
                Outcome::Whole => {
                    state.report.whole += 1;
                    state.progress.size_whole += size;
                }
                Outcome::Written(Written::Empty) => {
                    state.report.empty += 1;
                    state.empty.push(number);
                }
                Outcome::Written(Written::File(file_size)) => {
                    state.report.written += 1;
                    state.report.size_written += file_size;
                    state.report.size_elements += size;
                }
                Outcome::Verified { equal, different } => {
                    state.verified.equal += equal;
                    for difference in different {
                        state.verified.add(difference);
                    }
                }
            }
            (self.progress)(state.progress);
        });
    }

    /// Ends the run with this error, unless another one came first.
    fn stop(&self, error: RewriteError) {
        self.is_stopped.store(true, Ordering::Relaxed);
        self.with_state(|state| {
            state.error.get_or_insert(error);
        });
    }
}

/// A level that is worked on.
#[derive(Clone, Copy)]
pub(super) struct LevelWork<'a> {
    pub(super) grid: &'a ShardGrid,
    pub(super) element_size: u64,
    pub(super) part: LevelPart,
    /// Shards of the phase before those of this level.
    pub(super) before: u64,
    pub(super) threads: usize,
}

/// Does the task with all shards of the part, by this thread and others.
///
/// `begin` makes what a thread needs.
pub(super) fn work<T, C, J>(
    level: LevelWork<'_>,
    shared: &Shared<'_>,
    begin: impl Fn() -> Result<(C, J), RewriteError> + Sync,
) -> Result<(), RewriteError>
where
    C: ShardContent<T>,
    J: ShardTask<T>,
{
    let next = AtomicU64::new(0);
    let one_thread = || {
        let result = begin().and_then(|(mut content, mut task)| {
            while !shared.is_stopped.load(Ordering::Relaxed)
                && let Some(number) = level.part.shard(next.fetch_add(1, Ordering::Relaxed))
            {
                let region = level.grid.region(&level.grid.position(number));
                let outcome = task.run(&mut content, number, &region)?;
                let size = region.len().saturating_mul(level.element_size);
                let number = level.before.saturating_add(number);
                shared.count_missing(content.take_missing());
                shared.count(outcome, (number, size), content.take_failures());
            }
            Ok(())
        });
        if let Err(error) = result {
            shared.stop(error);
        }
    };
    let threads = u64::try_from(level.threads).unwrap_or(u64::MAX);
    std::thread::scope(|scope| {
        for _ in 1..threads.min(level.part.count()) {
            let thread = std::thread::Builder::new().name("n5 rewrite".to_owned());
            // Where no more threads are to be had, the others do all.
            if thread.spawn_scoped(scope, one_thread).is_err() {
                break;
            }
        }
        one_thread();
    });
    match shared.with_state(|state| state.error.take()) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shard_belongs_to_one_part() {
        for parts in 1..8 {
            let levels = [13, 0, 5, 1];
            let mut seen = Vec::new();
            for index in 0..parts {
                let part = Part::new(index, parts).unwrap();
                let mut before = 0;
                for (level, shards) in levels.into_iter().enumerate() {
                    let own = LevelPart::new(before, shards, part);
                    let numbers = (0..).map_while(|index| own.shard(index));
                    seen.extend(numbers.map(|number| (level, number)));
                    before += shards;
                }
            }
            seen.sort_unstable();
            let expected: Vec<_> = levels
                .into_iter()
                .enumerate()
                .flat_map(|(level, shards)| (0..shards).map(move |number| (level, number)))
                .collect();
            assert_eq!(seen, expected, "{parts} parts");
        }
    }

    #[test]
    fn parts_differ_by_one_shard_at_most() {
        let counts: Vec<_> = (0..4)
            .map(|index| LevelPart::new(3, 10, Part::new(index, 4).unwrap()).count())
            .collect();
        assert_eq!(counts.iter().sum::<u64>(), 10);
        assert!(
            counts.iter().all(|count| (2..=3).contains(count)),
            "{counts:?}"
        );
    }
}
