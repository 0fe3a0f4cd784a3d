//! What each part notes in the output: its settings when it begins, and when it is through, which
//! of its shards are all fill value and so have no file.
//!
//! The records of a phase are in the folder of its first level, `s0/.rewrite/0/part-0-of-4.json`:
//! readers of Zarr list groups, and not what is inside of arrays.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::error::RewriteError;
use super::folder::{names, read_document, write_document};
use super::metadata::difference;
use super::options::Part;

/// The folder of records in that of an array.
const FOLDER: &str = ".rewrite";

/// What a part notes.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Record {
    settings: Map<String, Value>,
    part: u64,
    parts: u64,
    is_done: bool,
    /// The shards of the part that are all fill value, counted within the part: the first of a run
    /// of them, and their number.
    empty: Vec<(u64, u64)>,
}

/// The records of a phase.
pub(super) struct Records {
    folder: PathBuf,
    found: Vec<Record>,
}

impl Records {
    /// Reads the records of a phase, and refuses those of other settings.
    pub(super) fn read(
        out: &Path,
        first_level: &str,
        phase: usize,
        settings: &Map<String, Value>,
    ) -> Result<Self, RewriteError> {
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
                    found: folder.join(&name).display().to_string(),
                });
            };
            if let Some((name, found, expected)) = difference(&record.settings, settings) {
                return Err(RewriteError::OtherSettings {
                    folder: out.to_owned(),
                    name,
                    found,
                    expected,
                });
            }
            found.push(record);
        }
        Ok(Self { folder, found })
    }

    /// The numbers of shards, of which there are `shards`, that are known to be all fill value, of
    /// any part that is through.
    pub(super) fn empty(&self, shards: u64) -> BTreeSet<u64> {
        let mut numbers = BTreeSet::new();
        for record in self.found.iter().filter(|record| record.is_done) {
            for &(first, len) in &record.empty {
                let ordinals = first..first.saturating_add(len);
                let run = ordinals.map(|ordinal| {
                    let before = ordinal.saturating_mul(record.parts);
                    before.saturating_add(record.part)
                });
                numbers.extend(run.take_while(|number| *number < shards));
            }
        }
        numbers
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

    /// Notes that a part begins. One that was through before is not forgotten.
    pub(super) fn begin(
        &self,
        part: Part,
        settings: &Map<String, Value>,
    ) -> Result<(), RewriteError> {
        let is_known = |record: &Record| {
            record.is_done && record.part == part.index() && record.parts == part.count()
        };
        if self.found.iter().any(is_known) {
            return Ok(());
        }
        self.write(part, settings, false, Vec::new())
    }

    /// Notes that a part is through. `empty` are the numbers of shards, counted within the part,
    /// that are all fill value.
    pub(super) fn finish(
        &self,
        part: Part,
        settings: &Map<String, Value>,
        empty: &BTreeSet<u64>,
    ) -> Result<(), RewriteError> {
        let mut runs: Vec<(u64, u64)> = Vec::new();
        for &ordinal in empty {
            match runs.last_mut() {
                Some((first, len)) if *first + *len == ordinal => *len += 1,
                _ => runs.push((ordinal, 1)),
            }
        }
        self.write(part, settings, true, runs)
    }

    fn write(
        &self,
        part: Part,
        settings: &Map<String, Value>,
        is_done: bool,
        empty: Vec<(u64, u64)>,
    ) -> Result<(), RewriteError> {
        let record = Record {
            settings: settings.clone(),
            part: part.index(),
            parts: part.count(),
            is_done,
            empty,
        };
        let name = format!("part-{}-of-{}.json", part.index(), part.count());
        let path = self.folder.join(name);
        let document = serde_json::to_vec(&record).map_err(|source| RewriteError::Document {
            path: path.display().to_string(),
            source,
        })?;
        write_document(&path, &document)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn settings(chunk: u64) -> Map<String, Value> {
        Map::from_iter([("chunk".to_owned(), json!([chunk]))])
    }

    fn records(out: &Path, chunk: u64) -> Result<Records, RewriteError> {
        Records::read(out, "s0", 0, &settings(chunk))
    }

    fn part(index: u64, count: u64) -> Part {
        Part::new(index, count).unwrap()
    }

    #[test]
    fn a_phase_is_complete_when_all_parts_of_one_division_are() {
        let out = tempfile::tempdir().unwrap();
        let finish = |part| {
            let records = records(out.path(), 1).unwrap();
            records
                .finish(part, &settings(1), &BTreeSet::new())
                .unwrap();
        };
        let missing = || records(out.path(), 1).unwrap().missing();
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
        let found = records(out.path(), 1).unwrap();
        found.begin(part(0, 1), &settings(1)).unwrap();
        assert_eq!(records(out.path(), 1).unwrap().missing(), Some((0, 1)));
    }

    #[test]
    fn beginning_again_does_not_forget_what_is_through() {
        let out = tempfile::tempdir().unwrap();
        let empty = BTreeSet::from([0, 1, 2, 5]);
        let found = records(out.path(), 1).unwrap();
        found.finish(part(1, 3), &settings(1), &empty).unwrap();
        let again = records(out.path(), 1).unwrap();
        again.begin(part(1, 3), &settings(1)).unwrap();
        let numbers = records(out.path(), 1).unwrap().empty(17);
        assert_eq!(numbers, BTreeSet::from([1, 4, 7, 16]));
    }

    #[test]
    fn other_settings_are_refused_by_name() {
        let out = tempfile::tempdir().unwrap();
        let found = records(out.path(), 1).unwrap();
        found.begin(part(0, 1), &settings(1)).unwrap();
        let error = records(out.path(), 2).err().unwrap();
        assert!(
            error.to_string().contains("`chunk` was [1], now it is [2]"),
            "{error}"
        );
    }

    #[test]
    fn a_record_of_somebody_else_is_refused() {
        let out = tempfile::tempdir().unwrap();
        let folder = out.path().join("s0/.rewrite/0");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("part-0-of-1.json"), "{}").unwrap();
        let error = records(out.path(), 1).err().unwrap();
        assert!(matches!(error, RewriteError::NotOurs { .. }), "{error}");
    }
}
