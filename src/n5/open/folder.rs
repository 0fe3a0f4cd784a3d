//! What the folder near a missing node says. Pure.

use super::error::OpenError;
use super::nearby;
use super::path::DatasetPath;
use crate::n5::node::{ATTRIBUTES_JSON, ZARR_JSON, is_block_component};
use crate::n5::walk::folder::{Child, Folder};

/// How deep below a group blocks without a document are searched: as many dimensions as usual
/// datasets have, and some more.
pub(super) const MAX_BLOCK_DEPTH: usize = 8;

/// Whether the folder of `path`, which was listed so, exists. Of an empty one this is only known on
/// a file system. An empty root is as good as none.
pub(super) fn is_there(folder: &Folder, path: &DatasetPath) -> bool {
    !folder.is_empty || (folder.real.is_some() && !path.is_root())
}

/// Where the blocks of a dataset without a document are, as one of the folders on the way says.
pub(super) enum Blocks {
    /// The path of the first one.
    At(String),
    /// Perhaps in this folder.
    In(DatasetPath),
    /// Nowhere.
    Nowhere,
}

/// What `folder`, that of `path`, says of blocks that no document describes.
pub(super) fn blocks(folder: &Folder, path: &DatasetPath) -> Blocks {
    if folder.has_document(ATTRIBUTES_JSON) || folder.has_document(ZARR_JSON) {
        return Blocks::Nowhere;
    }
    if let Some(name) = &folder.block_file {
        return Blocks::At(format!("{}/{name}", path.text.trim_end_matches('/')));
    }
    let names = folder.children.iter().map(Child::name);
    let first = names.filter(|name| is_block_component(name)).min();
    let next = first.and_then(|name| path.child(name));
    next.map_or(Blocks::Nowhere, Blocks::In)
}

/// The error for the node at `path`, where there is a `block` and no document.
pub(super) fn without_document(path: &DatasetPath, block: String) -> OpenError {
    OpenError::MissingDocument {
        node_path: path.text.clone(),
        attributes: path.node.attributes.clone(),
        block,
    }
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
