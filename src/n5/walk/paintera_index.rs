//! The indexes that Paintera keeps beside labels: `unique-labels` and `label-to-block-mapping`. By
//! their attributes they are datasets like others, but each of their blocks is a serialised list.
//! Pure: no store is asked here.

use zarrs_storage::{MaybeBytes, StorageError, StoreKey};

use super::folder::Folder;
use super::frontier::Visit;
use super::look::Look;
use crate::n5::block::BlockMode;
use crate::n5::convert;
use crate::n5::node::{NodeKeys, is_block_component};

const FOLDERS: [&str; 2] = ["unique-labels", "label-to-block-mapping"];

/// How many folders are listed at most to find a block. The indexes of Paintera have one or three
/// dimensions, of which the last is the name of a file.
pub(super) const MOST_FOLDERS: usize = 8;

/// The bytes of a block that say its mode.
pub(super) const MODE_BYTES: u64 = 2;

/// The way to a block.
pub(super) enum Towards {
    /// This folder is to be listed next.
    Folder(Visit),
    /// Here it is.
    Block(StoreKey),
}

/// The way to a block of a node that may be an index, by its path and its document; `None` for all
/// others, so that they cost no request.
pub(super) fn towards_first_block(node: &NodeKeys, look: &Look) -> Option<Towards> {
    let prefix = node.prefix();
    let mut names = prefix.as_str().split('/');
    if !names.any(|name| FOLDERS.contains(&name)) {
        return None;
    }
    let Ok(Some(attributes)) = &look.attributes else {
        return None;
    };
    if !matches!(convert::is_dataset(attributes, &node.path()), Ok(true)) {
        return None;
    }
    towards_block(node, look.folder.as_ref().ok()?)
}

/// The way from a folder to a block in it or below it; `None` if nothing is named by a number.
pub(super) fn towards_block(at: &NodeKeys, folder: &Folder) -> Option<Towards> {
    if let Some(name) = &folder.block_file {
        let key = StoreKey::new(format!("{}{name}", at.prefix())).ok()?;
        return Some(Towards::Block(key));
    }
    let numbered = folder.children.iter();
    let numbered = numbered.filter(|child| is_block_component(child.name()));
    let first = numbered.min_by(|a, b| a.prefix.cmp(&b.prefix))?;
    NodeKeys::of_prefix(&first.prefix).map(|node| Towards::Folder(Visit::to(node)))
}

/// Whether a block that begins like this is in varlength or object mode. One that cannot be read
/// says nothing.
pub(super) fn is_serialized(start: &Result<MaybeBytes, StorageError>) -> bool {
    let Ok(Some(start)) = start else {
        return false;
    };
    let serialized = [BlockMode::VarLength, BlockMode::Object].map(BlockMode::number);
    let mode = start.first_chunk().copied();
    mode.is_some_and(|mode| serialized.contains(&u16::from_be_bytes(mode)))
}
