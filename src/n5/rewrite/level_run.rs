//! What is done with the shards of one level: written or verified.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use zarrs::array::{Array, CodecChain};
use zarrs::filesystem::FilesystemStore;
use zarrs_storage::ReadableStorageTraits;

use super::content::{Made, ShardContent, Stored, is_reversed};
use super::error::RewriteError;
use super::file::remove_file;
use super::filled::FilledNotes;
use super::folder::{is_whole, shard_path};
use super::grid::Region;
use super::planned_level::PlannedLevel;
use super::sample::Sample;
use super::shard::{ShardWriter, Written};
use super::source_blocks::SourceBlocks;
use super::verify::Verifier;
use super::work::{LevelWork, Outcome, ShardTask, Shared, work};
use crate::n5::region_reader::{BlockFailure, RegionReader};

/// How often a shard is begun that another run has removed what was aside of: each other run of the
/// part does so once.
const MOST_TRIES: usize = 8;

/// What is done with a level.
pub(super) enum Task<'a> {
    Write {
        folder: PathBuf,
        /// Shards that are known to be all fill value, counted over the phase.
        known: &'a BTreeSet<u64>,
        /// Shards that are written whether they are there or not, counted in the same way.
        again: &'a BTreeSet<u64>,
        /// Where shards with blocks that were filled are noted.
        filled: &'a FilledNotes,
    },
    Verify {
        folder: PathBuf,
    },
}

/// One level of a run.
pub(super) struct LevelRun<'a> {
    pub(super) level: &'a PlannedLevel,
    pub(super) codecs: &'a (CodecChain, CodecChain),
    pub(super) array: &'a Array<FilesystemStore>,
    pub(super) task: &'a Task<'a>,
    pub(super) shared: &'a Shared<'a>,
    pub(super) work: LevelWork<'a>,
}

impl LevelRun<'_> {
    fn run<T: Sample, C: ShardContent<T>>(
        &self,
        content: impl Fn() -> C + Sync,
    ) -> Result<(), RewriteError> {
        let data_type = || self.array.data_type().clone();
        let level = self.level;
        match self.task {
            Task::Write {
                folder,
                known,
                again,
                filled,
            } => work(self.work, self.shared, || {
                let codecs = (&self.codecs.0, &self.codecs.1);
                let writer = ShardWriter::<T>::new(&level.path, &level.grid, data_type(), codecs)?;
                let task = Writing {
                    folder,
                    known,
                    again,
                    filled,
                    before: self.work.before,
                    level,
                    writer,
                };
                Ok((content(), task))
            }),
            Task::Verify { folder } => work(self.work, self.shared, || {
                let verifier = Verifier::<T>::new(level, folder, self.array)?;
                Ok((content(), verifier))
            }),
        }
    }
}

pub(super) fn stored<T, S>(
    run: &LevelRun<'_>,
    source: (&RegionReader<'_, S>, &SourceBlocks),
    order: &[usize],
) -> Result<(), RewriteError>
where
    T: Sample,
    S: ReadableStorageTraits + 'static,
{
    run.run::<T, _>(|| Stored::new(source, is_reversed(order), order))
}

pub(super) fn made<'a, T, F>(run: &LevelRun<'_>, begin: &F) -> Result<(), RewriteError>
where
    T: Sample,
    F: Fn() -> Made<'a> + Sync,
{
    run.run::<T, _>(begin)
}

/// Writes the shards that are not there.
struct Writing<'a, T> {
    folder: &'a Path,
    known: &'a BTreeSet<u64>,
    again: &'a BTreeSet<u64>,
    filled: &'a FilledNotes,
    before: u64,
    level: &'a PlannedLevel,
    writer: ShardWriter<'a, T>,
}

impl<T: Sample> ShardTask<T> for Writing<'_, T> {
    fn run(
        &mut self,
        content: &mut impl ShardContent<T>,
        number: u64,
        region: &Region,
    ) -> Result<Outcome, RewriteError> {
        let path = shard_path(self.folder, &self.level.grid.position(number));
        let in_phase = self.before.saturating_add(number);
        let is_again = self.again.contains(&in_phase);
        if !is_again && (self.known.contains(&in_phase) || is_whole(&path)?) {
            return Ok(Outcome::Whole);
        }
        let mut tries = 1;
        loop {
            let note = |failures: &[BlockFailure]| self.filled.add(in_phase, failures);
            match self.writer.write(content, region, &path, note) {
                Ok(Written::Empty) if is_again => {
                    remove_file(&path)?;
                    return Ok(Outcome::Written(Written::Empty));
                }
                Ok(written) => return Ok(Outcome::Written(written)),
                // Another run of this part has written the shard, and removed what was left aside.
                Err(RewriteError::File { .. }) if !is_again && is_whole(&path)? => {
                    return Ok(Outcome::Whole);
                }
                // The same, but nobody knows whether what is there is right now.
                Err(RewriteError::File { source, .. })
                    if source.kind() == ErrorKind::NotFound && tries < MOST_TRIES =>
                {
                    tries += 1;
                }
                Err(error) => return Err(error),
            }
        }
    }
}
