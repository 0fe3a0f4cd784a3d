//! The way through the folders of a dataset to its blocks. Pure: no store is asked here.

use super::grid::Grid;
use super::list::{Entry, EntryKind};
use super::report::StrayReason;
use crate::n5::node::{ATTRIBUTES_JSON, ZARR_JSON};
use crate::n5::walk::is_system_name;

/// What is to be done next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// List the folder at the first components of a position.
    List(Vec<u64>),
    /// Read the block at this position.
    Read(Vec<u64>),
    /// Wait for a folder that is being listed.
    Wait,
    /// Nothing is left to do.
    Done,
}

/// The numbered children of a folder of which some are still to be visited.
#[derive(Debug)]
struct Level {
    /// The first components of a position.
    folder: Vec<u64>,
    /// The next component, the next one last.
    children: Vec<u64>,
}

/// What a folder holds beside blocks and folders of blocks.
#[derive(Debug, Default)]
pub(super) struct Rest {
    /// The names that are no blocks.
    pub(super) stray: Vec<(Entry, StrayReason)>,
    /// The positions, or the first components of them, at which there is something and
    /// nothing to read, such as a link to nowhere.
    pub(super) vanished: Vec<Vec<u64>>,
    /// The positions of blocks at which there are folders and no files, and the first components of
    /// positions at which there are files and no folders of blocks.
    pub(super) in_the_way: Vec<Vec<u64>>,
}

/// A search in depth first order, so that a few folders are held at a time and not the whole grid.
#[derive(Debug)]
pub(super) struct Search<'g> {
    grid: &'g Grid,
    levels: Vec<Level>,
    /// The dataset's own folder is still to be listed.
    is_new: bool,
    /// How many folders are being listed.
    listing: usize,
}

impl<'g> Search<'g> {
    pub(super) fn new(grid: &'g Grid) -> Self {
        Self {
            grid,
            levels: Vec::new(),
            is_new: true,
            listing: 0,
        }
    }

    pub(super) fn next(&mut self) -> Next {
        if std::mem::take(&mut self.is_new) {
            self.listing += 1;
            return Next::List(Vec::new());
        }
        while let Some(level) = self.levels.last_mut() {
            let Some(child) = level.children.pop() else {
                self.levels.pop();
                continue;
            };
            let mut position = Vec::with_capacity(self.grid.dimensionality());
            position.extend(&level.folder);
            position.push(child);
            return if position.len() < self.grid.dimensionality() {
                self.listing += 1;
                Next::List(position)
            } else {
                Next::Read(position)
            };
        }
        if self.listing == 0 {
            Next::Done
        } else {
            Next::Wait
        }
    }

    /// Takes in what is in a folder that was to be listed; nothing if it could not be. Returns what
    /// is not going to be visited.
    pub(super) fn listed(&mut self, folder: Vec<u64>, entries: Vec<Entry>) -> Rest {
        self.listing = self.listing.saturating_sub(1);
        let dimension = folder.len();
        let is_last = dimension + 1 == self.grid.dimensionality();
        let mut children = Vec::new();
        let mut in_the_way = Vec::new();
        let mut rest = Rest::default();
        for entry in entries {
            let reason = match (self.grid.component(dimension, &entry.name), entry.kind) {
                (Ok(child), EntryKind::Vanished) => {
                    let mut position = folder.clone();
                    position.push(child);
                    rest.vanished.push(position);
                    continue;
                }
                (Ok(child), kind) if (kind == EntryKind::Folder) == is_last => {
                    in_the_way.push((child, entry));
                    continue;
                }
                (Ok(child), _) => {
                    children.push(child);
                    continue;
                }
                // Beside the first components are documents, and the nodes below this one.
                (Err(StrayReason::NotANumber), _)
                    if dimension == 0 || is_system_name(&entry.name) =>
                {
                    continue;
                }
                (Err(StrayReason::NotANumber), EntryKind::File | EntryKind::Vanished)
                    if [ATTRIBUTES_JSON, ZARR_JSON].contains(&&*entry.name) =>
                {
                    StrayReason::Node
                }
                (Err(reason), _) => reason,
            };
            rest.stray.push((entry, reason));
        }
        children.sort_unstable_by(|a, b| b.cmp(a));
        for (child, entry) in in_the_way {
            // In a bucket both may be there.
            if children.binary_search_by(|other| child.cmp(other)).is_ok() {
                rest.stray.push((entry, StrayReason::in_the_way(is_last)));
            } else {
                rest.in_the_way.push([&*folder, &[child]].concat());
            }
        }
        if !children.is_empty() {
            self.levels.push(Level { folder, children });
        }
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(names: &[&str]) -> Vec<Entry> {
        entries(names, EntryKind::File)
    }

    fn folders(names: &[&str]) -> Vec<Entry> {
        entries(names, EntryKind::Folder)
    }

    fn entries(names: &[&str], kind: EntryKind) -> Vec<Entry> {
        let entry = |name: &&str| Entry {
            name: (*name).to_owned(),
            kind,
        };
        names.iter().map(entry).collect()
    }

    #[test]
    fn it_goes_to_the_depth_and_ends() {
        let grid = Grid::new(&[12, 2], &[1, 1]);
        let mut search = Search::new(&grid);
        assert_eq!(search.next(), Next::List(vec![]));
        assert_eq!(search.next(), Next::Wait);
        assert!(
            search
                .listed(vec![], folders(&["10", "9"]))
                .stray
                .is_empty()
        );
        assert_eq!(search.next(), Next::List(vec![9]));
        assert!(search.listed(vec![9], files(&["0", "1"])).stray.is_empty());
        assert_eq!(search.next(), Next::Read(vec![9, 0]));
        assert_eq!(search.next(), Next::Read(vec![9, 1]));
        assert_eq!(search.next(), Next::List(vec![10]));
        assert_eq!(search.next(), Next::Wait);
        assert!(search.listed(vec![10], vec![]).stray.is_empty());
        assert_eq!(search.next(), Next::Done);
    }

    #[test]
    fn strays_are_named_and_not_visited() {
        let grid = Grid::new(&[2, 2], &[1, 1]);
        let mut search = Search::new(&grid);
        search.next();
        let mut names = files(&["attributes.json", "zarr.json", "0"]);
        names.extend(folders(&["s0", "2", "01", ".git"]));
        let found = search.listed(vec![], names);
        assert_eq!(found.in_the_way, [[0]]);
        let stray = found.stray.iter();
        let stray: Vec<_> = stray.map(|(e, reason)| (&*e.name, *reason)).collect();
        assert_eq!(
            stray,
            [
                ("2", StrayReason::OutsideOfGrid),
                ("01", StrayReason::LeadingZeros),
            ]
        );
        assert_eq!(search.next(), Next::Done);
    }

    #[test]
    fn below_the_first_dimension_other_names_are_strays_too() {
        let grid = Grid::new(&[2, 2], &[1, 1]);
        let mut search = Search::new(&grid);
        search.next();
        search.listed(vec![], folders(&["1"]));
        search.next();
        let mut names = files(&["0.tmp", ".DS_Store"]);
        names.extend(folders(&["1", "@eaDir"]));
        let found = search.listed(vec![1], names).stray;
        let found: Vec<_> = found
            .iter()
            .map(|(e, reason)| (&*e.name, *reason))
            .collect();
        assert_eq!(found, [("0.tmp", StrayReason::NotANumber)]);
    }

    #[test]
    fn a_folder_in_the_place_of_a_block_is_told_from_one_beside_it() {
        let grid = Grid::new(&[2, 3], &[1, 1]);
        let mut search = Search::new(&grid);
        search.next();
        search.listed(vec![], folders(&["1"]));
        search.next();
        let mut names = folders(&["0", "1", "2"]);
        names.extend(files(&["2", "0"]));
        let found = search.listed(vec![1], names);
        assert_eq!(found.in_the_way, [[1, 1]]);
        let stray = found.stray.iter();
        let stray: Vec<_> = stray.map(|(e, reason)| (&*e.name, *reason)).collect();
        assert_eq!(
            stray,
            [("0", StrayReason::Folder), ("2", StrayReason::Folder)]
        );
        assert_eq!(search.next(), Next::Read(vec![1, 0]));
        assert_eq!(search.next(), Next::Read(vec![1, 2]));
    }

    #[test]
    fn a_file_in_the_place_of_a_folder_of_blocks_is_told_from_one_beside_it() {
        let grid = Grid::new(&[2, 2], &[1, 1]);
        let mut search = Search::new(&grid);
        search.next();
        let mut names = files(&["0", "1"]);
        names.extend(folders(&["1"]));
        let found = search.listed(vec![], names);
        assert_eq!(found.in_the_way, [[0]]);
        let stray = found.stray.iter();
        let stray: Vec<_> = stray.map(|(e, reason)| (&*e.name, *reason)).collect();
        assert_eq!(stray, [("1", StrayReason::File)]);
        assert_eq!(search.next(), Next::List(vec![1]));
    }

    #[test]
    fn links_to_nowhere_are_named_and_not_visited() {
        let grid = Grid::new(&[2, 2], &[1, 1]);
        let mut search = Search::new(&grid);
        search.next();
        let mut names = folders(&["0"]);
        names.extend(entries(&["1", "s0"], EntryKind::Vanished));
        let found = search.listed(vec![], names);
        assert_eq!((found.vanished, found.stray), (vec![vec![1]], vec![]));
        assert_eq!(search.next(), Next::List(vec![0]));
        let mut names = files(&["0"]);
        names.extend(entries(&["1", "2"], EntryKind::Vanished));
        let found = search.listed(vec![0], names);
        assert_eq!(found.vanished, [[0, 1]]);
        assert_eq!(found.stray[0].1, StrayReason::OutsideOfGrid);
        assert_eq!(search.next(), Next::Read(vec![0, 0]));
        assert_eq!(search.next(), Next::Done);
    }
}
