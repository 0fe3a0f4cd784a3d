//! The asynchronous walk. Its twin, `sync`, differs only in `.await`.

use zarrs_storage::byte_range::ByteRange;
use zarrs_storage::{AsyncListableStorageTraits, AsyncReadableStorageTraits, MaybeBytes, StoreKey};

use super::frontier::{Frontier, Visit};
use super::list::async_list;
use super::look::{Look, ReadError, as_listed, is_to_be_read};
use super::options::{WalkError, WalkOptions};
use super::paintera_index::{
    MODE_BYTES, MOST_FOLDERS, Towards, is_serialized, towards_block, towards_first_block,
};
use super::report::WalkReport;
use super::sized::{MAX_DOCUMENT_SIZE, async_get};
use crate::n5::at_once::async_map_at_once;
use crate::n5::node::{ATTRIBUTES_JSON, ZARR_JSON};

pub(super) async fn async_walk<S>(store: &S, options: &WalkOptions) -> Result<WalkReport, WalkError>
where
    S: AsyncReadableStorageTraits + AsyncListableStorageTraits + 'static,
{
    let mut frontier = Frontier::new(options)?;
    let mut report = WalkReport::default();
    loop {
        let visits = frontier.next_nodes();
        if visits.is_empty() {
            return Ok(report.finished(frontier));
        }
        let looks = async_map_at_once(&visits, |visit| async_look(store, visit)).await;
        for (visit, look) in visits.iter().zip(looks) {
            report.add(visit, look, &mut frontier)?;
        }
    }
}

/// What `store` says of a node.
pub(crate) async fn async_look<S>(store: &S, visit: &Visit) -> Look
where
    S: AsyncReadableStorageTraits + AsyncListableStorageTraits + 'static,
{
    let folder = async_list(store, visit).await;
    let is_read = is_to_be_read(&folder, ATTRIBUTES_JSON);
    let attributes = async_read(store, &visit.node.attributes, is_read)
        .await
        .and_then(|document| as_listed(&folder, &visit.node.attributes, document));
    let is_read = is_to_be_read(&folder, ZARR_JSON);
    let zarr = async_read(store, &visit.node.zarr, is_read)
        .await
        .and_then(|document| as_listed(&folder, &visit.node.zarr, document));
    let mut look = Look {
        attributes,
        zarr,
        folder,
        is_paintera_index: false,
    };
    look.is_paintera_index = async_is_paintera_index(store, visit, &look).await;
    look
}

/// Whether the node is an index of Paintera. Only one that may be, by its path, is asked.
async fn async_is_paintera_index<S>(store: &S, visit: &Visit, look: &Look) -> bool
where
    S: AsyncReadableStorageTraits + AsyncListableStorageTraits + 'static,
{
    let mut towards = towards_first_block(&visit.node, look);
    for _ in 0..MOST_FOLDERS {
        let Some(Towards::Folder(next)) = &towards else {
            break;
        };
        let folder = async_list(store, next).await.ok();
        towards = folder.and_then(|folder| towards_block(&next.node, &folder));
    }
    let Some(Towards::Block(block)) = towards else {
        return false;
    };
    let mode = ByteRange::FromStart(0, Some(MODE_BYTES));
    is_serialized(&store.get_partial(&block, mode).await)
}

async fn async_read<S: AsyncReadableStorageTraits + 'static>(
    store: &S,
    key: &StoreKey,
    is_read: bool,
) -> Result<MaybeBytes, ReadError> {
    if !is_read {
        return Ok(None);
    }
    let value = async_get(store, key, MAX_DOCUMENT_SIZE).await;
    value.map_err(|source| ReadError {
        key: key.clone(),
        source,
    })
}
