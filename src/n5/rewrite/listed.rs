//! Which blocks a dataset in a folder has, told by listing its folders: of a sparse volume most
//! shards have none, and asking for each of their blocks costs a look and, in zarrs'
//! `FilesystemStore`, an entry that stays.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use zarrs::array::Array;
use zarrs_storage::{ReadableStorageTraits, StorePrefix};

use crate::n5::store::N5DefaultStore;
use crate::n5::walk::file_system;

/// What is remembered of folders, in bytes. 20000^3 elements in blocks of 128^3 need 3 MB; where it
/// is not enough, folders are listed once more, which costs about as much as asking for the blocks.
const MOST_SIZE: usize = 8 << 20;

/// What an entry costs beside its numbers.
const ENTRY_SIZE: usize = 96;

/// The numbers that are names in a folder, in order: the first of a run of them, and the one after
/// its last.
type Names = Vec<(u64, u64)>;

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
    pub(super) fn of<S>(dataset: &Array<N5DefaultStore<S>>) -> Option<Self>
    where
        S: ReadableStorageTraits + 'static,
    {
        let storage = dataset.storage();
        let files = file_system::of(storage.inner())?;
        let folder = dataset.path().as_str().trim_matches('/').to_owned();
        let slash = if folder.is_empty() { "" } else { "/" };
        let prefix = StorePrefix::new(format!("{folder}{slash}")).ok()?;
        let origin = vec![0; dataset.dimensionality()];
        let block = dataset.chunk_shape(&origin).ok()?;
        Some(Self::new(
            &files.prefix_to_fs_path(&prefix),
            block.iter().map(|len| len.get()).collect(),
        ))
    }

    fn new(dataset: &Path, block: Vec<u64>) -> Self {
        Self {
            dataset: dataset.to_owned(),
            block,
            folders: Mutex::default(),
        }
    }

    /// Whether the dataset may have a block in this region, which is in its own order. Where a
    /// folder cannot be listed it may: whoever reads the block says why not.
    pub(super) fn may_have(&self, start: &[u64], shape: &[u64]) -> bool {
        let mut blocks = Vec::with_capacity(self.block.len());
        for ((&start, &len), &block) in start.iter().zip(shape).zip(&self.block) {
            let first = start.checked_div(block).unwrap_or(0);
            let end = start.saturating_add(len).div_ceil(block.max(1));
            blocks.push(first..end);
        }
        self.is_any(&mut Vec::new(), &blocks)
    }

    /// Whether there may be a block below the folder that these names lead to.
    fn is_any(&self, folder: &mut Vec<u64>, blocks: &[Range<u64>]) -> bool {
        let Some((wanted, deeper)) = blocks.split_first() else {
            // Of no dimensions: a single block, which has no folder.
            return true;
        };
        let Some(names) = self.names(folder) else {
            return true;
        };
        let after = names.partition_point(|&(_, end)| end <= wanted.start);
        let runs = names.iter().skip(after);
        let runs = runs.take_while(|(first, _)| *first < wanted.end);
        for &(first, end) in runs {
            if deeper.is_empty() {
                return true;
            }
            for name in first.max(wanted.start)..end.min(wanted.end) {
                folder.push(name);
                let is_any = self.is_any(folder, deeper);
                folder.pop();
                if is_any {
                    return true;
                }
            }
        }
        false
    }

    /// What is in a folder. Two threads may list it at the same time, so that none waits.
    fn names(&self, folder: &[u64]) -> Option<Arc<Names>> {
        let locked = || self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(names) = locked().listed.get(folder) {
            return names.clone();
        }
        let mut path = self.dataset.clone();
        path.extend(folder.iter().map(ToString::to_string));
        let names = list(&path).map(Arc::new);
        locked().keep(folder, names.clone());
        names
    }
}

impl Folders {
    fn keep(&mut self, folder: &[u64], names: Option<Arc<Names>>) {
        let runs = names.as_ref().map_or(0, |names| names.len());
        let size = ENTRY_SIZE + size_of_val(folder) + runs * size_of::<(u64, u64)>();
        if self.size + size > MOST_SIZE {
            self.listed.clear();
            self.size = 0;
        }
        self.size += size;
        self.listed.insert(folder.to_vec(), names);
    }
}

/// The numbers among the names in a folder, none if it is not there; `None` if it cannot be listed.
fn list(folder: &Path) -> Option<Names> {
    let listed = match std::fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) if error.kind() == ErrorKind::NotFound => return Some(Names::new()),
        Err(_) => return None,
    };
    let mut numbers = Vec::new();
    for entry in listed {
        let name = entry.ok()?.file_name();
        let name = name.to_str();
        // A block is asked for by the number without anything before it.
        let number = name.and_then(|name| Some((name, name.parse::<u64>().ok()?)));
        numbers.extend(
            number.and_then(|(name, number)| (number.to_string() == name).then_some(number)),
        );
    }
    numbers.sort_unstable();
    let mut names = Names::new();
    for number in numbers {
        match names.last_mut() {
            Some((_, end)) if *end == number => *end = number.saturating_add(1),
            _ => names.push((number, number.saturating_add(1))),
        }
    }
    names.shrink_to_fit();
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
                assert_eq!(
                    listed.may_have(&start, &shape),
                    blocks.iter().any(meets),
                    "{start:?} {shape:?}"
                );
            }
        }
    }

    #[test]
    fn a_folder_is_listed_once_until_too_many_are_remembered() {
        let (folder, listed) = dataset(&[[1, 1, 1]]);
        assert!(listed.may_have(&[0, 0, 0], &[8, 4, 6]));
        std::fs::remove_dir_all(folder.path().join("1")).unwrap();
        assert!(listed.may_have(&[0, 0, 0], &[8, 4, 6]));
        let mut folders = listed.folders.lock().unwrap();
        let count = folders.listed.len() as u64;
        assert_eq!(count, 3, "the dataset, x and y");
        for number in 0..MOST_SIZE as u64 / ENTRY_SIZE as u64 {
            folders.keep(&[number + 100], None);
            assert!(folders.size <= MOST_SIZE);
        }
        assert!(!folders.listed.contains_key(&Vec::new()));
        drop(folders);
        assert!(!listed.may_have(&[0, 0, 0], &[8, 4, 6]));
    }

    #[test]
    fn only_numbers_as_keys_have_them_are_blocks() {
        let (folder, listed) = dataset(&[]);
        for name in ["01", "+1", "1.bak", ".1", "-1"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        assert!(!listed.may_have(&[0, 0, 0], &[100, 100, 100]));
    }

    #[test]
    fn what_cannot_be_listed_may_have_blocks() {
        let (folder, listed) = dataset(&[]);
        std::fs::write(folder.path().join("3"), "no folder").unwrap();
        assert!(listed.may_have(&[12, 0, 0], &[4, 2, 3]));
        assert!(!listed.may_have(&[0, 0, 0], &[4, 2, 3]));
    }
}
