//! The synchronous conversion. Its twin, `asynchronous`, differs only in `.await`.

use zarrs_storage::{
    ListableStorageTraits, ReadableStorageTraits, StorageError, StoreKeysPrefixes,
};

use super::documents::ReplaceDocuments;
use super::plan::{Direction, Documents, Step, Walk};
use super::report::{FailureReason, InPlaceReport, Progress};
use super::{InPlaceError, InPlaceOptions};
use crate::n5::at_once::map_at_once;
use crate::n5::node::NodeKeys;

pub(super) fn convert<D>(
    store: &D,
    direction: Direction,
    options: &InPlaceOptions,
    mut progress: impl FnMut(Progress<'_>),
) -> Result<InPlaceReport, InPlaceError>
where
    D: ReplaceDocuments,
    D::Store: ReadableStorageTraits + ListableStorageTraits,
{
    let mut walk = Walk::new(direction, options)?;
    loop {
        let nodes = walk.next_nodes();
        if nodes.is_empty() {
            return Ok(walk.into_report());
        }
        let visited = map_at_once(&nodes, |node| visit(store, &walk, node));
        for (node, visited) in nodes.iter().zip(visited) {
            let (step, listing) = visited?;
            walk.finish(node, step, listing.prefixes(), &mut progress);
        }
    }
}

/// What became of a node, and what is in its directory, as far as that matters.
type Visited = Result<(Step, StoreKeysPrefixes), InPlaceError>;

fn visit<D>(store: &D, walk: &Walk<'_>, node: &NodeKeys) -> Visited
where
    D: ReplaceDocuments,
    D::Store: ReadableStorageTraits + ListableStorageTraits,
{
    let (step, listing) = look(store.store(), walk, node)?;
    Ok((write(store, walk, step), listing))
}

/// Decides what to do with `node`.
fn look<S: ReadableStorageTraits + ListableStorageTraits>(
    store: &S,
    walk: &Walk<'_>,
    node: &NodeKeys,
) -> Visited {
    let nothing = StoreKeysPrefixes::new(vec![], vec![]);
    if let Some(step) = walk.step_without_reading(node) {
        return Ok((step, nothing));
    }
    let documents = match read(store, node) {
        Ok(documents) => documents,
        Err(error) => return Ok((Step::fail(FailureReason::Read(error)), nothing)),
    };
    if let Some(step) = walk.step_without_listing(node, &documents) {
        return Ok((step, nothing));
    }
    let listing = match store.list_dir(&node.prefix()) {
        Ok(listing) => listing,
        Err(error) => return Ok((Step::fail(FailureReason::List(error)), nothing)),
    };
    let step = walk.step_with_listing(node, &documents, &listing)?;
    Ok((step, listing))
}

fn read<S: ReadableStorageTraits>(store: &S, node: &NodeKeys) -> Result<Documents, StorageError> {
    Ok(Documents {
        attributes: store.get(&node.attributes)?,
        zarr: store.get(&node.zarr)?,
    })
}

fn write<D: ReplaceDocuments>(store: &D, walk: &Walk<'_>, mut step: Step) -> Step {
    let Some((key, document)) = step.write.take().filter(|_| !walk.is_dry_run()) else {
        return step;
    };
    match store.replace_document(&key, document) {
        Ok(()) => step,
        Err(source) => Step::fail(FailureReason::Write { key, source }),
    }
}
