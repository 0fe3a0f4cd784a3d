//! Which blocks a dataset in a folder has, told by listing its folders: of a sparse volume most
//! shards have none, and asking for each of their blocks costs a look and, in zarrs'
//! `FilesystemStore`, an entry that stays. Besides, a store does not tell a block that is not there
//! from a link that leads nowhere.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use zarrs::array::Array;
use zarrs_storage::{ReadableStorageTraits, StorePrefix};

use super::error::RewriteError;
use crate::n5::check::list::{EntryKind, file_system as entries};
use crate::n5::store::N5DefaultStore;
use crate::n5::walk::file_system;

/// What is remembered of folders, in bytes. 20000^3 elements in blocks of 128^3 need 3 MB; where it
/// is not enough, folders are listed once more, which costs about as much as asking for the blocks.
const MOST_SIZE: usize = 8 << 20;

/// What an entry costs beside its numbers.
const ENTRY_SIZE: usize = 96;

/// The numbers that are names in a folder.
#[derive(Debug, Default)]
struct Names {
    /// In order: the first of a run of them, and the one after its last.
    runs: Vec<(u64, u64)>,
    /// Those of what cannot be there to be read, such as a link that leads nowhere.
    vanished: Vec<u64>,
}

/// The blocks that a region has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Listed {
    /// Whether there may be any. Where a folder cannot be listed there may be: whoever reads the
    /// block says why not.
    pub(super) is_any: bool,
    /// How many of those that begin in the region are not there; `None` if it is not known.
    pub(super) missing: Option<u64>,
}

/// The folders of the blocks of a dataset, shared by the threads of a run.
pub(super) struct ListedBlocks {
    dataset: PathBuf,
    /// The length of blocks along each dimension of the dataset.
    block: Vec<u64>,
    folders: Mutex<Folders>,
}

#[derive(Default)]
struct Folders {
    size: usize,
    /// By the names on the way from the dataset. `None`: what is in it is not known.
    listed: HashMap<Vec<u64>, Option<Arc<Names>>>,
}

impl ListedBlocks {
    /// Of a dataset whose store is a `FilesystemStore`; `None` of others.
    pub(super) fn of<S>(dataset: &Array<N5DefaultStore<S>>, block: &[u64]) -> Option<Self>
    where
        S: ReadableStorageTraits + 'static,
    {
        let storage = dataset.storage();
        let files = file_system::of(storage.inner())?;
        let folder = dataset.path().as_str().trim_matches('/').to_owned();
        let slash = if folder.is_empty() { "" } else { "/" };
        let prefix = StorePrefix::new(format!("{folder}{slash}")).ok()?;
        Some(Self::new(&files.prefix_to_fs_path(&prefix), block.to_vec()))
    }

    fn new(dataset: &Path, block: Vec<u64>) -> Self {
        Self {
            dataset: dataset.to_owned(),
            block,
            folders: Mutex::default(),
        }
    }

    /// Looks which blocks the dataset has in this region, which is in its own order.
    ///
    /// # Errors
    /// [`RewriteError::Vanished`] if one of them, or a folder with some of them, is listed but not
    /// there.
    pub(super) fn look(&self, start: &[u64], shape: &[u64]) -> Result<Listed, RewriteError> {
        let mut blocks = Vec::with_capacity(self.block.len());
        let mut begun: u64 = 1;
        for ((&start, &len), &block) in start.iter().zip(shape).zip(&self.block) {
            let end = start.saturating_add(len);
            let range = Blocks {
                met: start.checked_div(block).unwrap_or(0)..end.div_ceil(block.max(1)),
                begun: start.div_ceil(block.max(1)),
            };
            begun = begun.saturating_mul(range.met.end.saturating_sub(range.begun));
            blocks.push(range);
        }
        let mut found = Found {
            is_any: false,
            begun: Some(0),
        };
        self.find(&mut Vec::new(), true, &blocks, &mut found)?;
        Ok(Listed {
            is_any: found.is_any,
            missing: found.begun.map(|found| begun.saturating_sub(found)),
        })
    }

    /// Whether there may be any block in the dataset, which has this shape.
    pub(super) fn is_any(&self, shape: &[u64]) -> bool {
        let blocks = shape.iter().zip(&self.block);
        let blocks: Vec<_> = blocks
            .map(|(len, block)| len.div_ceil((*block).max(1)))
            .collect();
        self.is_any_below(&mut Vec::new(), &blocks)
    }

    fn is_any_below(&self, folder: &mut Vec<u64>, blocks: &[u64]) -> bool {
        let Some((&blocks, deeper)) = blocks.split_first() else {
            return true;
        };
        let Some(names) = self.names(folder) else {
            return true;
        };
        !names.vanished.is_empty()
            || names.runs.iter().any(|&(first, end)| {
                (first..end.min(blocks)).any(|name| {
                    folder.push(name);
                    let is_any = self.is_any_below(folder, deeper);
                    folder.pop();
                    is_any
                })
            })
    }

    /// Finds the blocks below the folder that these names lead to. `has_begun`: blocks below it
    /// begin in the region, as far as these names say.
    fn find(
        &self,
        folder: &mut Vec<u64>,
        has_begun: bool,
        blocks: &[Blocks],
        found: &mut Found,
    ) -> Result<(), RewriteError> {
        let Some((wanted, deeper)) = blocks.split_first() else {
            // Of no dimensions: a single block, which has no folder.
            *found = Found::UNKNOWN;
            return Ok(());
        };
        let Some(names) = self.names(folder) else {
            *found = Found::UNKNOWN;
            return Ok(());
        };
        if let Some(name) = names
            .vanished
            .iter()
            .find(|name| wanted.met.contains(*name))
        {
            let path = self.path(folder).join(name.to_string());
            return Err(RewriteError::Vanished { path });
        }
        let after = names
            .runs
            .partition_point(|&(_, end)| end <= wanted.met.start);
        let runs = names.runs.iter().skip(after);
        let runs = runs.take_while(|(first, _)| *first < wanted.met.end);
        for &(first, end) in runs {
            let names = first.max(wanted.met.start)..end.min(wanted.met.end);
            if deeper.is_empty() {
                found.is_any = true;
                if has_begun && let Some(begun) = &mut found.begun {
                    let first = names.start.max(wanted.begun);
                    *begun = begun.saturating_add(names.end.saturating_sub(first));
                }
                continue;
            }
            for name in names {
                folder.push(name);
                let has_begun = has_begun && name >= wanted.begun;
                let below = self.find(folder, has_begun, deeper, found);
                folder.pop();
                below?;
            }
        }
        Ok(())
    }

    /// The folder that these names lead to.
    fn path(&self, folder: &[u64]) -> PathBuf {
        let mut path = self.dataset.clone();
        path.extend(folder.iter().map(ToString::to_string));
        path
    }

    /// What is in a folder. Two threads may list it at the same time, so that none waits.
    fn names(&self, folder: &[u64]) -> Option<Arc<Names>> {
        let locked = || self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(names) = locked().listed.get(folder) {
            return names.clone();
        }
        let names = list(&self.path(folder)).map(Arc::new);
        locked().keep(folder, names.clone());
        names
    }
}

impl Folders {
    fn keep(&mut self, folder: &[u64], names: Option<Arc<Names>>) {
        let of_names = names.as_ref().map_or(0, |names| {
            size_of_val(names.runs.as_slice()) + size_of_val(names.vanished.as_slice())
        });
        let size = ENTRY_SIZE + size_of_val(folder) + of_names;
        if self.size + size > MOST_SIZE {
            self.listed.clear();
            self.size = 0;
        }
        self.size += size;
        self.listed.insert(folder.to_vec(), names);
    }
}

/// The blocks of a region along a dimension.
struct Blocks {
    /// Those that it meets.
    met: Range<u64>,
    /// The first that begins in it.
    begun: u64,
}

/// What was found of a region.
struct Found {
    is_any: bool,
    /// How many blocks that are there begin in it.
    begun: Option<u64>,
}

impl Found {
    const UNKNOWN: Self = Self {
        is_any: true,
        begun: None,
    };
}

/// The numbers among the names in a folder, none if it is not there; `None` if it cannot be listed.
fn list(folder: &Path) -> Option<Names> {
    let (mut numbers, mut names) = (Vec::new(), Names::default());
    for entry in entries(folder).ok()? {
        // A block is asked for by the number without anything before it.
        let number = entry.name.parse::<u64>().ok();
        let Some(number) = number.filter(|number| number.to_string() == entry.name) else {
            continue;
        };
        match entry.kind {
            EntryKind::Vanished => names.vanished.push(number),
            EntryKind::File | EntryKind::Folder => numbers.push(number),
        }
    }
    numbers.sort_unstable();
    for number in numbers {
        match names.runs.last_mut() {
            Some((_, end)) if *end == number => *end = number.saturating_add(1),
            _ => names.runs.push((number, number.saturating_add(1))),
        }
    }
    names.runs.shrink_to_fit();
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The folder of a dataset with blocks of 4 x 2 x 3 at these positions.
    fn dataset(blocks: &[[u64; 3]]) -> (tempfile::TempDir, ListedBlocks) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("attributes.json"), "{}").unwrap();
        for [x, y, z] in blocks {
            let block = folder.path().join(format!("{x}/{y}/{z}"));
            std::fs::create_dir_all(block.parent().unwrap()).unwrap();
            std::fs::write(block, "").unwrap();
        }
        let listed = ListedBlocks::new(folder.path(), vec![4, 2, 3]);
        (folder, listed)
    }

    #[test]
    fn every_region_has_the_blocks_that_it_meets() {
        let blocks = [[0, 0, 0], [2, 1, 3], [2, 1, 4], [2, 3, 0], [10, 1, 11]];
        let (_folder, listed) = dataset(&blocks);
        for start in [
            [0, 0, 0],
            [4, 0, 0],
            [7, 1, 2],
            [8, 2, 8],
            [8, 4, 0],
            [41, 3, 35],
        ] {
            for shape in [[1, 1, 1], [4, 2, 3], [5, 3, 4], [12, 2, 9], [40, 8, 40]] {
                let meets = |block: &[u64; 3]| {
                    (0..3).all(|at| {
                        let len = [4, 2, 3][at];
                        let first = block[at] * len;
                        first < start[at] + shape[at] && start[at] < first + len
                    })
                };
                let begins = |block: &&[u64; 3]| {
                    (0..3).all(|at| {
                        let first = block[at] * [4, 2, 3][at];
                        start[at] <= first && first < start[at] + shape[at]
                    })
                };
                let len = |at: usize| {
                    let len = [4, 2, 3][at];
                    (start[at] + shape[at]).div_ceil(len) - start[at].div_ceil(len)
                };
                let there = blocks.iter().filter(begins).count() as u64;
                let expected = Listed {
                    is_any: blocks.iter().any(meets),
                    missing: Some(len(0) * len(1) * len(2) - there),
                };
                assert_eq!(
                    listed.look(&start, &shape).unwrap(),
                    expected,
                    "{start:?} {shape:?}"
                );
            }
        }
    }

    #[test]
    fn a_folder_is_listed_once_until_too_many_are_remembered() {
        let (folder, listed) = dataset(&[[1, 1, 1]]);
        assert!(listed.look(&[0, 0, 0], &[8, 4, 6]).unwrap().is_any);
        std::fs::remove_dir_all(folder.path().join("1")).unwrap();
        assert!(listed.look(&[0, 0, 0], &[8, 4, 6]).unwrap().is_any);
        let mut folders = listed.folders.lock().unwrap();
        let count = folders.listed.len() as u64;
        assert_eq!(count, 3, "the dataset, x and y");
        for number in 0..MOST_SIZE as u64 / ENTRY_SIZE as u64 {
            folders.keep(&[number + 100], None);
            assert!(folders.size <= MOST_SIZE);
        }
        assert!(!folders.listed.contains_key(&Vec::new()));
        drop(folders);
        assert!(!listed.look(&[0, 0, 0], &[8, 4, 6]).unwrap().is_any);
    }

    #[test]
    fn only_numbers_as_keys_have_them_are_blocks() {
        let (folder, listed) = dataset(&[]);
        for name in ["01", "+1", "1.bak", ".1", "-1"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        assert!(!listed.look(&[0, 0, 0], &[100, 100, 100]).unwrap().is_any);
    }

    #[test]
    fn what_cannot_be_listed_may_have_blocks() {
        let (folder, listed) = dataset(&[]);
        std::fs::write(folder.path().join("3"), "no folder").unwrap();
        assert!(listed.look(&[12, 0, 0], &[4, 2, 3]).unwrap().is_any);
        assert!(!listed.look(&[0, 0, 0], &[4, 2, 3]).unwrap().is_any);
    }
}
