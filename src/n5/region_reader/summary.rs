use super::error::{BlockFailure, RegionError};
use super::{BlockErrors, Progress};

/// What was read of a region.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct RegionSummary {
    /// The number of blocks that were read.
    pub blocks_read: u64,
    /// The number of blocks that the store does not have, whose elements are the fill value.
    pub blocks_missing: u64,
    /// The blocks that could not be read, whose elements are the fill value, sorted by position. It
    /// is empty unless [`BlockErrors::Collect`] was asked for.
    pub failures: Vec<BlockFailure>,
}

impl RegionSummary {
    /// Tells the log of the failures, of which a caller without the summary would not hear.
    pub(super) fn log(&self) {
        for failure in &self.failures {
            log::warn!("{failure}; its elements are the fill value");
        }
    }
}

/// How far a read has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegionProgress {
    /// The number of blocks that are done: read, missing or failed.
    pub blocks_done: u64,
    /// The number of blocks of the region.
    pub blocks: u64,
}

/// What became of a block.
pub(super) enum BlockOutcome {
    Read,
    Missing,
    Failed(BlockFailure),
}

/// Counts the outcomes of one read and decides whether it goes on.
pub(super) struct Tally<'p> {
    summary: RegionSummary,
    errors: BlockErrors,
    progress: Option<&'p Progress>,
    state: RegionProgress,
}

impl<'p> Tally<'p> {
    pub(super) fn new(blocks: u64, errors: BlockErrors, progress: Option<&'p Progress>) -> Self {
        Self {
            summary: RegionSummary::default(),
            errors,
            progress,
            state: RegionProgress {
                blocks_done: 0,
                blocks,
            },
        }
    }

    /// Counts a block. `false`: the read is to stop.
    pub(super) fn count(&mut self, outcome: BlockOutcome) -> bool {
        match outcome {
            BlockOutcome::Read => self.summary.blocks_read += 1,
            BlockOutcome::Missing => self.summary.blocks_missing += 1,
            BlockOutcome::Failed(failure) => self.summary.failures.push(failure),
        }
        self.state.blocks_done += 1;
        if let Some(progress) = self.progress {
            progress(self.state);
        }
        !self.is_stopped()
    }

    /// Whether a failure ends the read.
    fn is_stopped(&self) -> bool {
        self.errors == BlockErrors::Stop && !self.summary.failures.is_empty()
    }

    /// The summary, or the failure that ended the read: of several at the same time, the first by
    /// position.
    pub(super) fn finish(mut self) -> Result<RegionSummary, RegionError> {
        let failures = &mut self.summary.failures;
        failures.sort_by(|a, b| a.position.cmp(&b.position));
        if self.errors == BlockErrors::Stop && !failures.is_empty() {
            return Err(Box::new(failures.swap_remove(0)).into());
        }
        Ok(self.summary)
    }
}
