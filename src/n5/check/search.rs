//! The way through the folders of a dataset to its blocks. Pure: no store is asked here.

use super::grid::Grid;
use super::list::Entry;
use super::report::StrayReason;
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

    /// Takes in what is in a folder that was to be listed; nothing if it could not be. Returns the
    /// names that are no blocks.
    pub(super) fn listed(
        &mut self,
        folder: Vec<u64>,
        entries: Vec<Entry>,
    ) -> Vec<(Entry, StrayReason)> {
        self.listing = self.listing.saturating_sub(1);
        let dimension = folder.len();
        let is_last = dimension + 1 == self.grid.dimensionality();
        let mut children = Vec::new();
        let mut stray = Vec::new();
        for entry in entries {
            match self.grid.component(dimension, &entry.name) {
                Ok(_) if entry.is_folder && is_last => stray.push((entry, StrayReason::Folder)),
                Ok(_) if !entry.is_folder && !is_last => stray.push((entry, StrayReason::File)),
                Ok(child) => children.push(child),
                // Beside the first components are documents, and the nodes below this one.
                Err(StrayReason::NotANumber) if dimension == 0 || is_system_name(&entry.name) => (),
                Err(reason) => stray.push((entry, reason)),
            }
        }
        children.sort_unstable_by(|a, b| b.cmp(a));
        if !children.is_empty() {
            self.levels.push(Level { folder, children });
        }
        stray
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(names: &[&str]) -> Vec<Entry> {
        entries(names, false)
    }

    fn folders(names: &[&str]) -> Vec<Entry> {
        entries(names, true)
    }

    fn entries(names: &[&str], is_folder: bool) -> Vec<Entry> {
        let entry = |name: &&str| Entry {
            name: (*name).to_owned(),
            is_folder,
        };
        names.iter().map(entry).collect()
    }

    #[test]
    fn it_goes_to_the_depth_and_ends() {
        let grid = Grid::new(&[12, 2], &[1, 1]);
        let mut search = Search::new(&grid);
        assert_eq!(search.next(), Next::List(vec![]));
        assert_eq!(search.next(), Next::Wait);
        assert!(search.listed(vec![], folders(&["10", "9"])).is_empty());
        assert_eq!(search.next(), Next::List(vec![9]));
        assert!(search.listed(vec![9], files(&["0", "1"])).is_empty());
        assert_eq!(search.next(), Next::Read(vec![9, 0]));
        assert_eq!(search.next(), Next::Read(vec![9, 1]));
        assert_eq!(search.next(), Next::List(vec![10]));
        assert_eq!(search.next(), Next::Wait);
        assert!(search.listed(vec![10], vec![]).is_empty());
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
        let found: Vec<_> = found
            .iter()
            .map(|(e, reason)| (&*e.name, *reason))
            .collect();
        assert_eq!(
            found,
            [
                ("0", StrayReason::File),
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
        let found = search.listed(vec![1], names);
        let found: Vec<_> = found
            .iter()
            .map(|(e, reason)| (&*e.name, *reason))
            .collect();
        assert_eq!(
            found,
            [
                ("0.tmp", StrayReason::NotANumber),
                ("1", StrayReason::Folder)
            ]
        );
    }
}
