//! What each part notes in the output: that it begins, and when it is through, which of its shards
//! are all fill value and so have no file, and which are to be written again.
//!
//! The records of a phase are in the folder of its first level, `s0/.rewrite/0/part-0-of-4.json`:
//! readers of Zarr list groups, and not what is inside of arrays.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::aside::{remove_asides, write_document};
use super::error::RewriteError;
use super::file::{names, read_document};
use super::filled::FilledNotes;
use super::options::Part;

/// The folder of records in that of an array.
const FOLDER: &str = ".rewrite";

/// What a part notes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Record {
    part: u64,
    parts: u64,
    is_done: bool,
    /// The shards of the part that are all fill value, counted within the part: the first of a run
    /// of them, and their number.
    empty: Vec<(u64, u64)>,
    /// The shards, in the same way, that the next run writes again whether they are there or not:
    /// blocks of theirs could not be read and were filled, or a verification found them wrong.
    #[serde(default)]
    again: Vec<(u64, u64)>,
}

impl Record {
    fn is_of(&self, part: Part) -> bool {
        (self.part, self.parts) == (part.index(), part.count())
    }

    /// The name of its file.
    fn name(&self) -> String {
        format!("part-{}-of-{}.json", self.part, self.parts)
    }

    fn has(&self, number: u64) -> bool {
        number.checked_rem(self.parts) == Some(self.part)
    }

    /// The numbers of shards in these runs, counted over the phase, which has `shards`.
    fn numbers(&self, runs: &[(u64, u64)], shards: u64) -> BTreeSet<u64> {
        let mut numbers = BTreeSet::new();
        for &(first, len) in runs {
            let ordinals = first..first.saturating_add(len);
            let run = ordinals.map(|ordinal| {
                let before = ordinal.saturating_mul(self.parts);
                before.saturating_add(self.part)
            });
            numbers.extend(run.take_while(|number| *number < shards));
        }
        numbers
    }

    /// The runs of those of these numbers that are of this part.
    fn runs(&self, numbers: &BTreeSet<u64>) -> Vec<(u64, u64)> {
        let mut runs: Vec<(u64, u64)> = Vec::new();
        for number in numbers.iter().filter(|number| self.has(**number)) {
            let Some(ordinal) = number.checked_div(self.parts) else {
                continue;
            };
            match runs.last_mut() {
                Some((first, len)) if first.checked_add(*len) == Some(ordinal) => *len += 1,
                _ => runs.push((ordinal, 1)),
            }
        }
        runs
    }
}

/// The records of a phase.
pub(super) struct Records {
    folder: PathBuf,
    found: Vec<Record>,
    filled: FilledNotes,
}

impl Records {
    /// Reads the records of a phase. They are of the settings of the output.
    pub(super) fn read(out: &Path, first_level: &str, phase: usize) -> Result<Self, RewriteError> {
        let folder = out.join(first_level).join(FOLDER).join(phase.to_string());
        let mut found = Vec::new();
        for name in names(&folder)? {
            let is_record = name
                .strip_prefix("part-")
                .and_then(|n| n.strip_suffix(".json"));
            if is_record.is_none() {
                continue;
            }
            let Some(document) = read_document(&folder.join(&name))? else {
                continue;
            };
            let record = serde_json::from_slice::<Record>(&document).ok();
            let Some(record) = record.filter(|record| record.part < record.parts) else {
                // Written as a whole: it is not ours, or of another version.
                return Err(RewriteError::NotOurs {
                    folder: out.to_owned(),
                    found: format!("`{}` of another version", folder.join(&name).display()),
                });
            };
            found.push(record);
        }
        let filled = FilledNotes::read(&folder)?;
        Ok(Self {
            folder,
            found,
            filled,
        })
    }

    /// The numbers of shards, of which there are `shards`, that are known to be all fill value, of
    /// any part that is through.
    pub(super) fn empty(&self, shards: u64) -> BTreeSet<u64> {
        let done = self.found.iter().filter(|record| record.is_done);
        done.flat_map(|record| record.numbers(&record.empty, shards))
            .collect()
    }

    /// The numbers of shards that are to be written again, by any part: those of the records, and
    /// those that runs have filled which did not come to their end.
    pub(super) fn again(&self, shards: u64) -> BTreeSet<u64> {
        let recorded = self.found.iter();
        let recorded = recorded.flat_map(|record| record.numbers(&record.again, shards));
        let noted = self.filled.shards().into_iter();
        recorded
            .chain(noted.filter(|number| *number < shards))
            .collect()
    }

    /// The notes of shards with blocks that were filled.
    pub(super) fn filled(&self) -> &FilledNotes {
        &self.filled
    }

    /// Notes that these shards, counted over the phase, are to be written again.
    pub(super) fn mark(&self, marked: &BTreeSet<u64>, shards: u64) -> Result<(), RewriteError> {
        for record in &self.found {
            if !marked.iter().any(|number| record.has(*number)) {
                continue;
            }
            let empty = &record.numbers(&record.empty, shards) - marked;
            let again = &record.numbers(&record.again, shards) | marked;
            self.write(&Record {
                empty: record.runs(&empty),
                again: record.runs(&again),
                ..record.clone()
            })?;
        }
        Ok(())
    }

    /// The first part that is not through and the number of parts, by the division into parts that
    /// has come furthest; `None` if all parts of one are through.
    pub(super) fn missing(&self) -> Option<(u64, u64)> {
        let counts: BTreeSet<u64> = self.found.iter().map(|record| record.parts).collect();
        let mut best = None;
        for parts in counts {
            let done: BTreeSet<u64> = self
                .found
                .iter()
                .filter(|record| record.parts == parts && record.is_done)
                .map(|record| record.part)
                .collect();
            let missing = (0..parts).find(|part| !done.contains(part))?;
            let through = done.len();
            if best.is_none_or(|(most, _, _)| through >= most) {
                best = Some((through, missing, parts));
            }
        }
        best.map_or(Some((0, 1)), |(_, missing, parts)| Some((missing, parts)))
    }

    /// Notes that a part begins. What it noted before is not forgotten.
    pub(super) fn begin(&self, part: Part) -> Result<(), RewriteError> {
        if self.found.iter().any(|record| record.is_of(part)) {
            return Ok(());
        }
        self.write(&Record {
            part: part.index(),
            parts: part.count(),
            is_done: false,
            empty: Vec::new(),
            again: Vec::new(),
        })
    }

    /// Notes that a part is through. Of the numbers, counted over the phase, those of the part
    /// count: `empty` are shards that are all fill value, `again` those to be written again.
    pub(super) fn finish(
        &self,
        part: Part,
        (empty, again): (&BTreeSet<u64>, &BTreeSet<u64>),
        shards: u64,
    ) -> Result<(), RewriteError> {
        let mut record = Record {
            part: part.index(),
            parts: part.count(),
            is_done: true,
            empty: Vec::new(),
            again: Vec::new(),
        };
        record.empty = record.runs(empty);
        record.again = record.runs(again);
        self.write(&record)?;
        // Another division into parts may have noted shards that are written now.
        for other in self.found.iter().filter(|other| !other.is_of(part)) {
            let before = other.numbers(&other.again, shards);
            let mut left = before.clone();
            left.retain(|number| !record.has(*number) || again.contains(number));
            if left != before {
                self.write(&Record {
                    again: other.runs(&left),
                    ..other.clone()
                })?;
            }
        }
        remove_asides(&self.folder, &record.name())?;
        self.filled.remove_asides(|number| record.has(number))?;
        self.filled.remove(|number| record.has(number))
    }

    /// Writes a record, unless it says what it said before.
    fn write(&self, record: &Record) -> Result<(), RewriteError> {
        if self.found.contains(record) {
            return Ok(());
        }
        let path = self.folder.join(record.name());
        let document = serde_json::to_vec(record).map_err(|source| RewriteError::Document {
            path: path.display().to_string(),
            source,
        })?;
        write_document(&path, &document)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(out: &Path) -> Result<Records, RewriteError> {
        Records::read(out, "s0", 0)
    }

    fn part(index: u64, count: u64) -> Part {
        Part::new(index, count).unwrap()
    }

    #[test]
    fn a_phase_is_complete_when_all_parts_of_one_division_are() {
        let out = tempfile::tempdir().unwrap();
        let finish = |part| {
            let records = records(out.path()).unwrap();
            let none = BTreeSet::new();
            records.finish(part, (&none, &none), 9).unwrap();
        };
        let missing = || records(out.path()).unwrap().missing();
        assert_eq!(missing(), Some((0, 1)));
        finish(part(0, 2));
        assert_eq!(missing(), Some((1, 2)));
        finish(part(1, 3));
        finish(part(1, 2));
        assert_eq!(missing(), None);
    }

    #[test]
    fn a_part_that_has_only_begun_is_not_through() {
        let out = tempfile::tempdir().unwrap();
        let found = records(out.path()).unwrap();
        found.begin(part(0, 1)).unwrap();
        assert_eq!(records(out.path()).unwrap().missing(), Some((0, 1)));
    }

    #[test]
    fn beginning_again_does_not_forget_what_is_through() {
        let out = tempfile::tempdir().unwrap();
        // Only numbers of the part count.
        let empty = BTreeSet::from([1, 4, 7, 8, 16, 19]);
        let found = records(out.path()).unwrap();
        let none = BTreeSet::new();
        found.finish(part(1, 3), (&empty, &none), 20).unwrap();
        let again = records(out.path()).unwrap();
        again.begin(part(1, 3)).unwrap();
        let numbers = records(out.path()).unwrap().empty(17);
        assert_eq!(numbers, BTreeSet::from([1, 4, 7, 16]));
    }

    #[test]
    fn a_shard_to_be_written_again_is_not_known_to_be_empty_until_any_part_has_written_it() {
        let out = tempfile::tempdir().unwrap();
        let found = || records(out.path()).unwrap();
        let numbers = |numbers: &[u64]| numbers.iter().copied().collect::<BTreeSet<u64>>();
        let none = numbers(&[]);
        let empty = numbers(&[1, 3, 5]);
        found().finish(part(1, 2), (&empty, &none), 9).unwrap();
        found().mark(&numbers(&[3, 4, 5]), 9).unwrap();
        assert_eq!(found().empty(9), numbers(&[1]));
        // Of no record is 4.
        assert_eq!(found().again(9), numbers(&[3, 5]));
        found().begin(part(1, 2)).unwrap();
        assert_eq!(found().again(9), numbers(&[3, 5]));
        // Number 3 is of this part of another division, 5 is not.
        found().finish(part(0, 3), (&none, &none), 9).unwrap();
        assert_eq!(found().again(9), numbers(&[5]));
        found()
            .finish(part(0, 1), (&none, &numbers(&[5])), 9)
            .unwrap();
        assert_eq!(found().again(9), numbers(&[5]));
        found().finish(part(0, 1), (&none, &none), 9).unwrap();
        assert_eq!(found().again(9), none);
    }

    #[test]
    fn a_record_of_somebody_else_is_refused() {
        let out = tempfile::tempdir().unwrap();
        let folder = out.path().join("s0/.rewrite/0");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("part-0-of-1.json"), "{}").unwrap();
        let error = records(out.path()).err().unwrap();
        assert!(matches!(error, RewriteError::NotOurs { .. }), "{error}");
    }
}
