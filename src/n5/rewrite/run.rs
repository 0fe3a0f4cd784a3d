//! A rewrite: the source opened, and the output written or verified.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};
use zarrs::array::Array;
use zarrs::filesystem::FilesystemStore;
use zarrs_storage::{ListableStorageTraits, ReadableStorageTraits};

use super::content::{Made, is_reversed};
use super::error::RewriteError;
use super::file::file_error;
use super::folder::remove_leftovers;
use super::level_run::{LevelRun, Task, made, stored};
use super::metadata::{self, Codecs};
use super::options::RewriteOptions;
use super::output;
use super::plan::RewritePlan;
use super::planned_level::{LevelOrigin, PlannedLevel, made_of};
use super::record::Records;
use super::report::{RewriteProgress, RewriteReport, VerifyReport};
use super::sample::with_element_type;
use super::source;
use super::source_blocks::SourceBlocks;
use super::work::{LevelPart, LevelWork, Progress, Shared};
use crate::n5::dimension_order::DimensionOrder;
use crate::n5::region_reader::{BlockErrors, RegionReader};
use crate::n5::store::N5DefaultStore;

/// A dataset or pyramid of N5 that is to be rewritten. An example is on the
/// [front page](crate::n5::rewrite).
pub struct Rewrite<S> {
    plan: RewritePlan,
    options: RewriteOptions,
    settings: Map<String, Value>,
    /// The dataset of each level, `None` for levels that are made.
    datasets: Vec<Option<Array<N5DefaultStore<S>>>>,
}

impl<S: ReadableStorageTraits + ListableStorageTraits + 'static> Rewrite<S> {
    /// Finds the dataset or pyramid at `path` in `store`, and plans the output.
    ///
    /// `store` is the store whose root is the root of the container: the groups above a dataset may
    /// say the size of its voxels, and of a store that begins further down they are not read. The
    /// example `n5_to_zarr` finds the root itself. `path` is that of a dataset or
    /// of the group with the levels of a pyramid; where there is only one pyramid or dataset below
    /// a group, the path of the group will do. Blocks are not read yet.
    ///
    /// # Errors
    /// [`RewriteError`] if there is neither a dataset nor a pyramid, the attributes cannot be
    /// understood, or shapes or the compression are not ones that there can be.
    pub fn open(store: S, path: &str, options: &RewriteOptions) -> Result<Self, RewriteError> {
        let store = Arc::new(N5DefaultStore::new(store));
        let source = source::find(store.inner(), path, &options.multiscale)?;
        let plan = RewritePlan::new(source, options)?;
        let mut datasets = Vec::with_capacity(plan.levels().len());
        for level in plan.levels() {
            // Whatever can be refused is refused before anything is written.
            Codecs::new(level, &options.compression).chains(&level.path)?;
            datasets.push(match &level.origin {
                LevelOrigin::Dataset { node_path } => Some(store.open_array(node_path)?),
                LevelOrigin::Made { .. } => None,
            });
        }
        Ok(Self {
            settings: metadata::settings(&plan, options),
            plan,
            options: options.clone(),
            datasets,
        })
    }

    /// What will be done.
    #[must_use]
    pub fn plan(&self) -> &RewritePlan {
        &self.plan
    }

    /// Why the output has no OME-Zarr metadata; `None` if it has.
    #[must_use]
    pub fn without_ome(&self) -> Option<String> {
        metadata::group(&self.plan, &self.settings).1
    }

    /// Checks that the folder `out` is new, empty, or of a run with the same settings, as its
    /// `zarr.json` says.
    ///
    /// # Errors
    /// [`RewriteError::NotOurs`], [`RewriteError::OtherSettings`] or [`RewriteError::OtherSource`]
    /// if it is not, and [`RewriteError::File`] if it cannot be read.
    pub fn check_output(&self, out: &Path) -> Result<(), RewriteError> {
        output::check(out, &self.settings, self.options.source_moved)?;
        for phase in 0..self.plan.phases() {
            self.records(out, phase)?;
        }
        Ok(())
    }

    /// Writes the metadata of the output: OME-Zarr 0.5 on the group, and the arrays.
    ///
    /// [`run`](Self::run) does so too, unless its part is another than the first. Documents that
    /// say all of it are left as they are. What others have added to them, such as `omero`, or have
    /// corrected of scales and units is kept.
    ///
    /// # Errors
    /// As [`check_output`](Self::check_output), and if a document cannot be written.
    pub fn write_metadata(&self, out: &Path) -> Result<(), RewriteError> {
        self.write_documents(out).map(|_written| ())
    }

    /// Writes the metadata.
    fn write_documents(&self, out: &Path) -> Result<output::Documents, RewriteError> {
        self.claim(out)?;
        let levels = self.plan.levels.iter();
        let arrays = levels.map(|level| Ok((level.path.as_str(), self.output_array(out, level)?)));
        let arrays = arrays.collect::<Result<Vec<_>, RewriteError>>()?;
        let documents = arrays.iter().map(|(path, array)| (*path, array.metadata()));
        let (group, _) = metadata::group(&self.plan, &self.settings);
        output::write(out, documents, &group)
    }

    /// Writes the shards of the part and phase in the options; by default all.
    ///
    /// Shards that are whole, of an earlier run with the same settings, are not touched, unless
    /// blocks of theirs were filled or [`verify`](Self::verify) found them wrong. `progress` is
    /// called after each shard, by one thread at a time. The first part writes the metadata too.
    ///
    /// # Errors
    /// [`RewriteError`] if `out` is of another run, a block of the source cannot be read, a file
    /// cannot be written, or a level cannot be made because other parts of the level before it are
    /// not complete. Shards that were renamed until then are whole.
    pub fn run(
        &self,
        out: &Path,
        progress: impl Fn(RewriteProgress) + Sync,
    ) -> Result<RewriteReport, RewriteError> {
        let shared = self.shared(&progress);
        if self.options.part.index() == 0 {
            shared.add_documents(&self.write_documents(out)?);
        } else {
            self.claim(out)?;
        }
        for phase in self.phases() {
            self.check_finer(out, phase)?;
            let records = self.records(out, phase)?;
            records.begin(self.options.part)?;
            let (part, shards) = (self.options.part, self.shards_of(phase));
            let of_unsure = self.of_unsure(out, phase)?;
            let again = &records.again(shards) | &of_unsure;
            let known = &records.empty(shards) - &again;
            let done = self.each_level(phase, |index, level, before| {
                let folder = out.join(&level.path);
                let task = Task::Write {
                    folder: folder.clone(),
                    known: &known,
                    again: &again,
                    filled: records.filled(),
                };
                self.level(out, (index, level, before), &shared, &task)?;
                // Not before: another run of this part may be at work. What it has aside now is of
                // shards that are whole, so that it can do without.
                shared.add_leftovers(remove_leftovers(&folder, &level.grid, before, part)?);
                Ok(())
            });
            let before = again;
            let again = &BTreeSet::from_iter(shared.take_again()) | &of_unsure;
            // What was made of shards that are other ones now. Their own record will not say so
            // any more.
            self.mark_made(out, phase, &before)?;
            if let Err(error) = done {
                self.records(out, phase)?.mark(&again, shards)?;
                return Err(error);
            }
            let empty = &(&known | &BTreeSet::from_iter(shared.take_empty())) - &again;
            records.finish(part, (&empty, &again), shards)?;
        }
        Ok(shared.finish().0)
    }

    /// Reads the shards of the part and phase in the options back, and compares every element with
    /// what the source says; of levels that are made, with what the finer level of the output says.
    /// The next run writes shards that differ, and those that are made of them, again.
    ///
    /// # Errors
    /// As [`run`](Self::run), and if what differs cannot be noted. Differences are no errors, but
    /// are in the report.
    pub fn verify(
        &self,
        out: &Path,
        progress: impl Fn(RewriteProgress) + Sync,
    ) -> Result<VerifyReport, RewriteError> {
        self.check_output(out)?;
        let shared = self.shared(&progress);
        for phase in self.phases() {
            let done = self.each_level(phase, |index, level, before| {
                let folder = out.join(&level.path);
                let task = Task::Verify { folder };
                self.level(out, (index, level, before), &shared, &task)
            });
            let wrong = &BTreeSet::from_iter(shared.take_again()) | &self.of_unsure(out, phase)?;
            let records = self.records(out, phase)?;
            records.mark(&wrong, self.shards_of(phase))?;
            done?;
        }
        Ok(shared.finish().1)
    }

    /// Makes the folder that of this run, before anything else is written.
    fn claim(&self, out: &Path) -> Result<(), RewriteError> {
        self.check_output(out)?;
        output::claim(out, &self.settings, self.options.source_moved)
    }

    fn phases(&self) -> std::ops::Range<usize> {
        match self.options.phase {
            Some(phase) => phase..phase + 1,
            None => 0..self.plan.phases(),
        }
    }

    /// Calls `each` with the levels of a phase, their numbers, and how many shards of the phase
    /// come before.
    fn each_level(
        &self,
        phase: usize,
        mut each: impl FnMut(usize, &PlannedLevel, u64) -> Result<(), RewriteError>,
    ) -> Result<(), RewriteError> {
        let mut before: u64 = 0;
        let levels = self.plan.levels.iter().enumerate();
        for (index, level) in levels.filter(|(_, level)| level.phase == phase) {
            each(index, level, before)?;
            before = before.saturating_add(level.shards());
        }
        Ok(())
    }

    fn shards_of(&self, phase: usize) -> u64 {
        let levels = self.plan.levels.iter().filter(|level| level.phase == phase);
        levels.fold(0, |shards, level| shards.saturating_add(level.shards()))
    }

    /// The state of a run, with what it has to do.
    fn shared<'p>(&self, progress: Progress<'p>) -> Shared<'p> {
        let (mut shards, mut size) = (0_u64, 0_u64);
        let part = self.options.part;
        for phase in self.phases() {
            let mut before: u64 = 0;
            for level in self.plan.levels.iter().filter(|level| level.phase == phase) {
                let own = LevelPart::new(before, level.shards(), part).count();
                shards = shards.saturating_add(own);
                // Shards at the edge are smaller; the mean will do.
                let share = u128::from(level.size()) * u128::from(own);
                let share = share / u128::from(level.shards().max(1));
                size = size.saturating_add(u64::try_from(share).unwrap_or(u64::MAX));
                before = before.saturating_add(level.shards());
            }
        }
        Shared::new(shards, size, progress)
    }

    fn records(&self, out: &Path, phase: usize) -> Result<Records, RewriteError> {
        let first = self.plan.levels.iter().find(|level| level.phase == phase);
        let first = first.map_or("", |level| &level.path);
        Records::read(out, first, phase)
    }

    /// Checks that the level is there that a phase makes its own of.
    fn check_finer(&self, out: &Path, phase: usize) -> Result<(), RewriteError> {
        let Some(before) = phase.checked_sub(1) else {
            return Ok(());
        };
        let path = |phase| {
            let level = self.plan.levels.iter().rfind(|level| level.phase == phase);
            level.map(|level| level.path.clone()).unwrap_or_default()
        };
        match self.records(out, before)?.missing() {
            None => Ok(()),
            Some((missing, parts)) => Err(RewriteError::NotComplete {
                phase,
                level: path(phase),
                finer: path(before),
                missing,
                parts,
            }),
        }
    }

    /// Notes that what is made of these shards of a phase has to be made again.
    fn mark_made(
        &self,
        out: &Path,
        phase: usize,
        shards: &BTreeSet<u64>,
    ) -> Result<(), RewriteError> {
        let next = phase.saturating_add(1);
        if shards.is_empty() || next >= self.plan.phases() {
            return Ok(());
        }
        let made = made_of(&self.plan.levels, next, shards.iter().copied());
        let records = self.records(out, next)?;
        records.mark(&made, self.shards_of(next))
    }

    /// The shards of a phase that are made of shards which have to be written again, so that they
    /// have to be made again too.
    fn of_unsure(&self, out: &Path, phase: usize) -> Result<BTreeSet<u64>, RewriteError> {
        let Some(before) = phase.checked_sub(1) else {
            return Ok(BTreeSet::new());
        };
        let unsure = self.records(out, before)?.again(self.shards_of(before));
        Ok(made_of(&self.plan.levels, phase, unsure))
    }

    /// An array of the output, whether its document is written or not.
    fn output_array(
        &self,
        out: &Path,
        level: &PlannedLevel,
    ) -> Result<Array<FilesystemStore>, RewriteError> {
        let codecs = Codecs::new(level, &self.options.compression);
        let metadata = metadata::array(&self.plan, level, &codecs)?;
        let array_error = |source| RewriteError::Array {
            path: level.path.clone(),
            source: Box::new(source),
        };
        let store = FilesystemStore::new(out).map_err(|error| {
            let error = std::io::Error::other(error);
            file_error("open the folder", out)(error)
        })?;
        let path = format!("/{}", level.path);
        Array::new_with_metadata(Arc::new(store), &path, metadata.into()).map_err(array_error)
    }

    /// Does the task with the shards of a level.
    fn level(
        &self,
        out: &Path,
        (index, level, before): (usize, &PlannedLevel, u64),
        shared: &Shared<'_>,
        task: &Task<'_>,
    ) -> Result<(), RewriteError> {
        let codecs = Codecs::new(level, &self.options.compression).chains(&level.path)?;
        let array = self.output_array(out, level)?;
        let run = LevelRun {
            level,
            codecs: &codecs,
            array: &array,
            task,
            shared,
            work: LevelWork {
                grid: &level.grid,
                element_size: level.element_size(),
                part: LevelPart::new(before, level.shards(), self.options.part),
                before,
                threads: self.options.threads(),
            },
        };
        match (&level.origin, self.datasets.get(index)) {
            (LevelOrigin::Dataset { .. }, Some(Some(dataset))) => {
                let order = &self.plan.order;
                let reader = RegionReader::new(dataset)?
                    .with_concurrency(self.options.requests)
                    .with_dimension_order(if is_reversed(order) {
                        DimensionOrder::Reversed
                    } else {
                        DimensionOrder::AsStored
                    })
                    .with_errors(if self.options.fill_corrupt {
                        BlockErrors::Collect
                    } else {
                        BlockErrors::Stop
                    });
                let blocks = SourceBlocks::of(dataset);
                let before = shared.missing_blocks();
                let source = (&reader, &blocks);
                with_element_type!(level.data_type, stored::<_>(&run, source, order))?;
                let missing = shared.missing_blocks().zip(before);
                if blocks.are_none(missing.map(|(now, before)| now.saturating_sub(before))) {
                    shared.add_without_blocks(dataset.path().as_str());
                }
                Ok(())
            }
            (LevelOrigin::Made { how, factors }, _) => {
                // The first level is never made.
                let finer = index.checked_sub(1).and_then(|at| self.plan.levels.get(at));
                let Some(finer) = finer else { return Ok(()) };
                let (finer_grid, finer_folder) = (&finer.grid, out.join(&finer.path));
                let finer = self.output_array(out, finer)?;
                let begin = || Made::new((&finer, finer_grid, &finer_folder), factors, *how);
                with_element_type!(level.data_type, made::<_>(&run, &begin))
            }
            (LevelOrigin::Dataset { .. }, _) => Ok(()),
        }
    }
}
