//! Counts what a check finds. Pure.

use zarrs_storage::StorageError;

use super::dataset::Dataset;
use super::list::{Entry, EntryKind, Listing};
use super::options::{CheckOptions, CheckProgress};
use super::outcome::Outcome;
use super::report::{CheckReport, Stray, Unlisted};
use super::search::{Next, Search};
use crate::n5::region_reader::BlockFailure;

/// A check under way: where it goes and what it found.
pub(super) struct Tally<'d, P> {
    dataset: &'d Dataset,
    search: Search<'d>,
    report: CheckReport,
    max_listed: usize,
    done: u64,
    progress: P,
}

impl<'d, P: FnMut(CheckProgress)> Tally<'d, P> {
    pub(super) fn new(dataset: &'d Dataset, options: &CheckOptions, progress: P) -> Self {
        Self {
            dataset,
            search: Search::new(&dataset.grid),
            report: CheckReport {
                node_path: dataset.path(),
                expected: dataset.grid.blocks(),
                present: 0,
                serialized: 0,
                size_read: 0,
                corrupt_count: 0,
                corrupt: Vec::new(),
                vanished_count: 0,
                vanished: Vec::new(),
                stray_count: 0,
                stray: Vec::new(),
                unlisted_count: 0,
                unlisted: Vec::new(),
                first_present: None,
                first_key: dataset.first_key(),
            },
            max_listed: options.max_listed,
            done: 0,
            progress,
        }
    }

    pub(super) fn next(&mut self) -> Next {
        self.search.next()
    }

    /// Takes in what is in the folder at the first components of a position.
    pub(super) fn listed(&mut self, folder: Vec<u64>, listing: Listing) {
        let prefix = self.dataset.folder(&folder);
        let entries = listing.unwrap_or_else(|source| {
            self.unlisted(&folder, source);
            Vec::new()
        });
        let rest = self.search.listed(folder, entries);
        for position in rest.vanished {
            self.vanished(&position);
        }
        for (Entry { name, kind }, reason) in rest.stray {
            self.report.stray_count += 1;
            if self.report.stray.len() < self.max_listed {
                let end = if kind == EntryKind::Folder { "/" } else { "" };
                let key = format!("{prefix}{name}{end}");
                self.report.stray.push(Stray { key, reason });
            }
        }
    }

    fn vanished(&mut self, position: &[u64]) {
        self.report.vanished_count += 1;
        if self.report.vanished.len() < self.max_listed {
            self.report.vanished.push(self.dataset.key(position));
        }
    }

    fn unlisted(&mut self, folder: &[u64], source: StorageError) {
        self.report.unlisted_count += 1;
        if self.report.unlisted.len() < self.max_listed {
            let prefix = self.dataset.prefix(folder);
            self.report.unlisted.push(Unlisted { prefix, source });
        }
    }

    /// Counts a block.
    pub(super) fn count(&mut self, position: Vec<u64>, outcome: Outcome) {
        if matches!(outcome, Outcome::Gone) {
            self.vanished(&position);
        }
        let report = &mut self.report;
        let size = match &outcome {
            Outcome::Gone | Outcome::Listed => 0,
            Outcome::Readable { size }
            | Outcome::Serialized { size }
            | Outcome::Corrupt { size, .. } => *size,
        };
        report.size_read = report.size_read.saturating_add(size);
        if !matches!(outcome, Outcome::Gone) {
            report.present += 1;
            if report
                .first_present
                .as_ref()
                .is_none_or(|first| position < *first)
            {
                report.first_present = Some(position.clone());
            }
        }
        match outcome {
            Outcome::Gone | Outcome::Listed | Outcome::Readable { .. } => (),
            Outcome::Serialized { .. } => report.serialized += 1,
            Outcome::Corrupt { reason, .. } => {
                report.corrupt_count += 1;
                if report.corrupt.len() < self.max_listed {
                    report.corrupt.push(BlockFailure {
                        array: report.node_path.clone(),
                        key: self.dataset.key(&position),
                        position,
                        reason: reason.into(),
                    });
                }
            }
        }
        self.done += 1;
        (self.progress)(CheckProgress {
            blocks_done: self.done,
            expected: report.expected,
        });
    }

    pub(super) fn finish(self) -> CheckReport {
        let mut report = self.report;
        report.corrupt.sort_by(|a, b| a.position.cmp(&b.position));
        report.vanished.sort();
        report.stray.sort();
        report.unlisted.sort_by(|a, b| a.prefix.cmp(&b.prefix));
        report
    }
}
