//! Counts what a check finds. Pure.

use std::collections::BTreeMap;

use zarrs_storage::StorageError;

use super::dataset::Dataset;
use super::list::{Entry, EntryKind, Listing};
use super::options::{CheckOptions, CheckProgress};
use super::outcome::Outcome;
use super::report::{CheckReport, Stray, StrayReason, Unlisted};
use super::search::{Next, Search};
use crate::n5::region_reader::BlockFailure;

/// A check under way: where it goes and what it found.
pub(super) struct Tally<'d, P> {
    dataset: &'d Dataset,
    search: Search<'d>,
    report: CheckReport,
    /// Where folders are listed in the place of blocks, and files in that of folders of blocks: a
    /// block there is still to be asked for.
    in_the_way: Vec<Vec<u64>>,
    /// Those of them whose block was asked for, by its position.
    asked_for: BTreeMap<Vec<u64>, Vec<u64>>,
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
            in_the_way: Vec::new(),
            asked_for: BTreeMap::new(),
            max_listed: options.max_listed,
            done: 0,
            progress,
        }
    }

    /// A folder in the place of a block is asked for as a block, and below a file in the place of
    /// a folder the first one is: a file system has nothing to read there, and in a bucket both are
    /// in nobody's way.
    pub(super) fn next(&mut self) -> Next {
        let Some(at) = self.in_the_way.pop() else {
            return self.search.next();
        };
        let mut position = at.clone();
        position.resize(self.dataset.grid.dimensionality(), 0);
        self.asked_for.insert(position.clone(), at);
        Next::Read(position)
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
        self.in_the_way.extend(rest.in_the_way);
        for (Entry { name, kind }, reason) in rest.stray {
            let end = if kind == EntryKind::Folder { "/" } else { "" };
            self.stray(|| format!("{prefix}{name}{end}"), reason);
        }
    }

    fn stray(&mut self, key: impl FnOnce() -> String, reason: StrayReason) {
        self.report.stray_count += 1;
        if self.report.stray.len() < self.max_listed {
            let key = key();
            self.report.stray.push(Stray { key, reason });
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

    /// Counts a block. What is in the place of one, or of a folder of blocks, is damage if the
    /// block that was asked for cannot be read.
    pub(super) fn count(&mut self, position: Vec<u64>, mut outcome: Outcome) {
        if let Some(at) = self.asked_for.remove(&position) {
            let is_folder = at == position;
            let Outcome::Corrupt { size, reason } = outcome else {
                let key = self.dataset.key(&at);
                let end = if is_folder { "/" } else { "" };
                return self.stray(|| format!("{key}{end}"), StrayReason::in_the_way(is_folder));
            };
            let what = if is_folder { "folder" } else { "file" };
            let reason = StorageError::Other(format!("there is a {what} in its place: {reason}"));
            if !is_folder {
                return self.unlisted(&at, reason);
            }
            let reason = reason.into();
            outcome = Outcome::Corrupt { size, reason };
        }
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
