//! Notes of shards with blocks that were filled, each in a file of its own, written before the
//! shard has its name: what a killed run has filled is known to the next one.
//!
//! They are beside the records of a phase, `s0/.rewrite/0/filled/17.0123456789abcdef`: the number
//! of the shard, counted over the phase, and what no other process uses. So two runs of a part do
//! not take away each other's: a run removes the notes that were there when it began, and its own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::aside::{is_aside_of, unique, write_document};
use super::error::RewriteError;
use super::file::{names, remove_file};
use super::report::MOST_KEPT;
use crate::n5::region_reader::BlockFailure;

/// The folder of notes in that of the records of a phase.
const FOLDER: &str = "filled";

/// The notes of a phase.
pub(super) struct FilledNotes {
    folder: PathBuf,
    /// Those that are known: the numbers of shards, and the files.
    known: Mutex<Vec<(u64, PathBuf)>>,
}

impl FilledNotes {
    /// Reads which notes there are in the folder of the records of a phase.
    pub(super) fn read(records: &Path) -> Result<Self, RewriteError> {
        let folder = records.join(FOLDER);
        let mut known = Vec::new();
        for name in names(&folder)? {
            let number = name.split_once('.').map(|(number, _)| number.parse());
            // A note that is not whole begins with a dot: its shard has no name yet.
            if let Some(Ok(number)) = number {
                known.push((number, folder.join(name)));
            }
        }
        Ok(Self {
            folder,
            known: Mutex::new(known),
        })
    }

    /// The shards, counted over the phase.
    pub(super) fn shards(&self) -> BTreeSet<u64> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().map(|(number, _)| *number).collect()
    }

    /// Notes that these blocks of a shard are filled.
    pub(super) fn add(&self, shard: u64, failures: &[BlockFailure]) -> Result<(), RewriteError> {
        let name = format!("{shard}.{:016x}", unique());
        let path = self.folder.join(name);
        // For whoever looks into it: this program reads the name only.
        let lines = failures.iter().take(MOST_KEPT).map(ToString::to_string);
        let lines = lines.collect::<Vec<_>>().join("\n");
        write_document(&path, lines.as_bytes())?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.push((shard, path));
        Ok(())
    }

    /// Removes what killed runs left aside of notes of shards for which `is_ours` says so.
    pub(super) fn remove_asides(&self, is_ours: impl Fn(u64) -> bool) -> Result<(), RewriteError> {
        for name in names(&self.folder)? {
            let note = name
                .strip_prefix('.')
                .and_then(|name| name.rsplit_once('.')?.0.rsplit_once('.'));
            let Some((note, _)) = note else { continue };
            let number = note.split_once('.').and_then(|(n, _)| n.parse().ok());
            if is_aside_of(&name, note) && number.is_some_and(&is_ours) {
                remove_file(&self.folder.join(name))?;
            }
        }
        Ok(())
    }

    /// Removes the notes of shards for which `is_ours` says so: what is to be said of them is in a
    /// record.
    pub(super) fn remove(&self, is_ours: impl Fn(u64) -> bool) -> Result<(), RewriteError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, path) in known.extract_if(.., |(number, _)| is_ours(*number)) {
            remove_file(&path)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_removes_what_it_knows_and_nothing_of_another_one() {
        let records = tempfile::tempdir().unwrap();
        let read = || FilledNotes::read(records.path()).unwrap();
        assert_eq!(read().shards(), BTreeSet::new());
        let first = read();
        for shard in [3, 4, 8] {
            first.add(shard, &[]).unwrap();
        }
        let second = read();
        assert_eq!(second.shards(), BTreeSet::from([3, 4, 8]));
        // Of a shard that the second has seen already, and of another one.
        first.add(3, &[]).unwrap();
        first.add(5, &[]).unwrap();
        second.remove(|number| number < 8).unwrap();
        assert_eq!(read().shards(), BTreeSet::from([3, 5, 8]));
        // The first does not miss what the second has removed.
        first.remove(|_| true).unwrap();
        assert_eq!(read().shards(), BTreeSet::new());
    }

    #[test]
    fn what_is_left_aside_of_own_notes_is_removed() {
        let records = tempfile::tempdir().unwrap();
        let folder = records.path().join(FOLDER);
        std::fs::create_dir(&folder).unwrap();
        let own = ".3.0123456789abcdef.0123456789abcdef.partial";
        let others = [
            ".4.0123456789abcdef.0123456789abcdef.partial",
            ".mine",
            "3.0123456789abcdef",
        ];
        for name in others.iter().chain([&own]) {
            std::fs::write(folder.join(name), "").unwrap();
        }
        let read = FilledNotes::read(records.path()).unwrap();
        read.remove_asides(|number| number == 3).unwrap();
        assert_eq!(names(&folder).unwrap(), others);
    }

    #[test]
    fn a_note_that_is_not_whole_says_nothing() {
        let records = tempfile::tempdir().unwrap();
        let folder = records.path().join(FOLDER);
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join(".3.0123456789abcdef.ff.partial"), "").unwrap();
        std::fs::write(folder.join("notes.txt"), "").unwrap();
        let read = FilledNotes::read(records.path()).unwrap();
        assert_eq!(read.shards(), BTreeSet::new());
    }
}
