//! The levels that `multiscales` of groups names, and that are no datasets.

use std::collections::{BTreeMap, BTreeSet};

use zarrs::storage::{ReadableStorageTraits, StorageError, StoreKey};
use zarrs_interop::n5::multiscale::listed_paths;
use zarrs_interop::n5::{WalkReport, WalkedKind};

/// The most levels of one group that are looked at: a document may name any number.
const MOST_LEVELS: usize = 100;

/// What there is to say of levels.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Levels {
    /// Of those whose document says nothing of a dataset, or cannot be read.
    pub(crate) unreadable: Vec<String>,
    /// Of those that are not there: of large pyramids often only the coarse levels are copied.
    pub(crate) missing: Vec<String>,
}

impl Levels {
    /// Looks at the levels that the groups of `report` name and that were not found by it as
    /// datasets, or as something of which it says what is wrong. It costs a request for each.
    pub(crate) fn of<S: ReadableStorageTraits>(store: &S, report: &WalkReport) -> Self {
        let nodes = report.nodes().iter();
        let kinds: BTreeMap<_, _> = nodes.map(|node| (&*node.node_path, &node.kind)).collect();
        let mut levels = Self::default();
        for (group_path, kind) in &kinds {
            let WalkedKind::Group(group) = kind else {
                continue;
            };
            let named: BTreeSet<_> = listed_paths(&group.attributes()).into_iter().collect();
            let is_cut = named.len() > MOST_LEVELS;
            for name in named.into_iter().take(MOST_LEVELS) {
                let path = format!("{}/{name}", group_path.trim_end_matches('/'));
                let is_group = match kinds.get(&*path) {
                    None => false,
                    Some(WalkedKind::Group(_)) => true,
                    Some(_) => continue,
                };
                levels.add(group_path, &path, is_group, size(store, &path));
            }
            if is_cut {
                levels.missing.push(format!(
                    "{group_path}: `multiscales` names more than {MOST_LEVELS} levels; the others \
                     were not looked at"
                ));
            }
        }
        levels
    }

    /// Notes what is to be said of a level, given the size of its document.
    fn add(
        &mut self,
        group_path: &str,
        path: &str,
        is_group: bool,
        size: Result<Option<u64>, StorageError>,
    ) {
        let level = format!("{path}: `multiscales` of {group_path} names it as a level");
        match size {
            Ok(None) => self
                .missing
                .push(format!("{level}, but there is no attributes.json")),
            Ok(Some(size)) if is_group => self.unreadable.push(format!(
                "{level}, but its attributes.json ({size} bytes) describes no dataset: restore it"
            )),
            // The walk says that it did not come there, and why.
            Ok(Some(_)) => {}
            Err(error) => self.unreadable.push(format!("{level}: {error}")),
        }
    }
}

/// The size in bytes of the document of a node, if it has one.
fn size<S: ReadableStorageTraits>(store: &S, path: &str) -> Result<Option<u64>, StorageError> {
    let key = format!("{}/attributes.json", path.trim_start_matches('/'));
    match StoreKey::new(key) {
        Ok(key) => store.size_key(&key),
        // Nothing can be at a path that is none.
        Err(_) => Ok(None),
    }
}
