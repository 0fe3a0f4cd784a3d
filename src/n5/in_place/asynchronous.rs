//! The asynchronous conversion. Its twin, `sync`, differs only in `.await`.

use zarrs_storage::{
    AsyncListableStorageTraits, AsyncReadableStorageTraits, StorageError, StoreKeysPrefixes,
};

use super::documents::AsyncReplaceDocuments;
use super::plan::{Direction, Documents, Step, Walk};
use super::report::{FailureReason, InPlaceReport, Progress};
use super::{InPlaceError, InPlaceOptions};
use crate::n5::at_once::async_map_at_once;
use crate::n5::node::NodeKeys;

pub(super) async fn async_convert<D>(
    store: &D,
    direction: Direction,
    options: &InPlaceOptions,
    mut progress: impl FnMut(Progress<'_>),
) -> Result<InPlaceReport, InPlaceError>
where
    D: AsyncReplaceDocuments,
    D::Store: AsyncReadableStorageTraits + AsyncListableStorageTraits,
{
    let mut walk = Walk::new(direction, options)?;
    loop {
        let nodes = walk.next_nodes();
        if nodes.is_empty() {
            return Ok(walk.into_report());
        }
        let visited = async_map_at_once(&nodes, |node| async_visit(store, &walk, node)).await;
        for (node, visited) in nodes.iter().zip(visited) {
            let (step, listing) = visited?;
            walk.finish(node, step, listing.prefixes(), &mut progress);
        }
    }
}

/// What became of a node, and what is in its directory, as far as that matters.
type Visited = Result<(Step, StoreKeysPrefixes), InPlaceError>;

async fn async_visit<D>(store: &D, walk: &Walk<'_>, node: &NodeKeys) -> Visited
where
    D: AsyncReplaceDocuments,
    D::Store: AsyncReadableStorageTraits + AsyncListableStorageTraits,
{
    let (step, listing) = async_look(store.store(), walk, node).await?;
    Ok((async_write(store, walk, step).await, listing))
}

/// Decides what to do with `node`.
async fn async_look<S: AsyncReadableStorageTraits + AsyncListableStorageTraits>(
    store: &S,
    walk: &Walk<'_>,
    node: &NodeKeys,
) -> Visited {
    let nothing = StoreKeysPrefixes::new(vec![], vec![]);
    if let Some(step) = walk.step_without_reading(node) {
        return Ok((step, nothing));
    }
    let documents = match async_read(store, node).await {
        Ok(documents) => documents,
        Err(error) => return Ok((Step::fail(FailureReason::Read(error)), nothing)),
    };
    if let Some(step) = walk.step_without_listing(node, &documents) {
        return Ok((step, nothing));
    }
    let listing = match store.list_dir(&node.prefix()).await {
        Ok(listing) => listing,
        Err(error) => return Ok((Step::fail(FailureReason::List(error)), nothing)),
    };
    let step = walk.step_with_listing(node, &documents, &listing)?;
    Ok((step, listing))
}

async fn async_read<S: AsyncReadableStorageTraits>(
    store: &S,
    node: &NodeKeys,
) -> Result<Documents, StorageError> {
    Ok(Documents {
        attributes: store.get(&node.attributes).await?,
        zarr: store.get(&node.zarr).await?,
    })
}

async fn async_write<D: AsyncReplaceDocuments>(store: &D, walk: &Walk<'_>, mut step: Step) -> Step {
    let Some((key, document)) = step.write.take().filter(|_| !walk.is_dry_run()) else {
        return step;
    };
    match store.replace_document(&key, document).await {
        Ok(()) => step,
        Err(source) => Step::fail(FailureReason::Write { key, source }),
    }
}
