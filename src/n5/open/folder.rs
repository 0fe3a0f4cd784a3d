//! What the folder near a missing node says. Pure.

use super::nearby;
use super::path::DatasetPath;
use crate::n5::node::is_block_component;
use crate::n5::walk::folder::{Child, Folder};

/// Whether the folder of `path`, which was listed so, exists. Of an empty one this is only known on
/// a file system. An empty root is as good as none.
pub(super) fn is_there(folder: &Folder, path: &DatasetPath) -> bool {
    !folder.is_empty || (folder.real.is_some() && !path.is_root())
}

/// The names of the folders in `folder`, without those of blocks if it is that of a dataset.
pub(super) fn nodes_in(folder: &Folder, is_dataset: bool) -> Vec<String> {
    let names = folder.children.iter().map(Child::name);
    let nodes = names.filter(|name| !(is_dataset && is_block_component(name)));
    nodes.map(str::to_owned).collect()
}

/// The node in `folder`, that of `above`, whose name differs from `name` by case at most.
pub(super) fn same_but_for_case(
    folder: &Folder,
    above: &DatasetPath,
    name: &str,
) -> Option<DatasetPath> {
    let names = folder.children.iter().map(Child::name);
    above.child(nearby::same_but_for_case(names, name)?)
}
