//! The synchronous walk. Its twin, `asynchronous`, differs only in `.await`.

use zarrs_storage::byte_range::ByteRange;
use zarrs_storage::{ListableStorageTraits, MaybeBytes, ReadableStorageTraits, StoreKey};

use super::frontier::{Frontier, Visit};
use super::list::list;
use super::look::{Look, ReadError, as_listed, is_to_be_read};
use super::options::{WalkError, WalkOptions};
use super::paintera_index::{
    MODE_BYTES, MOST_FOLDERS, Towards, is_serialized, towards_block, towards_first_block,
};
use super::report::WalkReport;
use super::sized::{MAX_DOCUMENT_SIZE, get};
use crate::n5::at_once::map_at_once;
use crate::n5::node::{ATTRIBUTES_JSON, ZARR_JSON};

pub(super) fn walk<S>(store: &S, options: &WalkOptions) -> Result<WalkReport, WalkError>
where
    S: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    let mut frontier = Frontier::new(options)?;
    let mut report = WalkReport::default();
    loop {
        let visits = frontier.next_nodes();
        if visits.is_empty() {
            return Ok(report.finished(frontier));
        }
        let looks = map_at_once(&visits, |visit| look(store, visit));
        for (visit, look) in visits.iter().zip(looks) {
            report.add(visit, look, &mut frontier)?;
        }
    }
}

/// What `store` says of a node.
pub(crate) fn look<S>(store: &S, visit: &Visit) -> Look
where
    S: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    let folder = list(store, visit);
    let is_read = is_to_be_read(&folder, ATTRIBUTES_JSON);
    let attributes = read(store, &visit.node.attributes, is_read)
        .and_then(|document| as_listed(&folder, &visit.node.attributes, document));
    let is_read = is_to_be_read(&folder, ZARR_JSON);
    let zarr = read(store, &visit.node.zarr, is_read)
        .and_then(|document| as_listed(&folder, &visit.node.zarr, document));
    let mut look = Look {
        attributes,
        zarr,
        folder,
        is_paintera_index: false,
    };
    look.is_paintera_index = is_paintera_index(store, visit, &look);
    look
}

/// Whether the node is an index of Paintera. Only one that may be, by its path, is asked.
fn is_paintera_index<S>(store: &S, visit: &Visit, look: &Look) -> bool
where
    S: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    let mut towards = towards_first_block(&visit.node, look);
    for _ in 0..MOST_FOLDERS {
        let Some(Towards::Folder(next)) = &towards else {
            break;
        };
        let folder = list(store, next).ok();
        towards = folder.and_then(|folder| towards_block(&next.node, &folder));
    }
    let Some(Towards::Block(block)) = towards else {
        return false;
    };
    let mode = ByteRange::FromStart(0, Some(MODE_BYTES));
    is_serialized(&store.get_partial(&block, mode))
}

fn read<S: ReadableStorageTraits + 'static>(
    store: &S,
    key: &StoreKey,
    is_read: bool,
) -> Result<MaybeBytes, ReadError> {
    if !is_read {
        return Ok(None);
    }
    let value = get(store, key, MAX_DOCUMENT_SIZE);
    value.map_err(|source| ReadError {
        key: key.clone(),
        source,
    })
}
