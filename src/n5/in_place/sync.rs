//! The synchronous walk. Its twin, `asynchronous`, differs only in `.await` and in how a document is written.

use zarrs_storage::{
    ListableStorageTraits, ReadableStorageTraits, StorageError, StoreKeysPrefixes,
};

use super::documents::ReplaceDocuments;
use super::plan::{Direction, Documents, Step, Walk};
use super::report::{FailureReason, InPlaceReport, Progress};
use super::{InPlaceError, InPlaceOptions};
use crate::n5::store::keys::NodeKeys;

pub(super) fn convert<D>(
    store: &D,
    direction: Direction,
    options: &InPlaceOptions,
    mut progress: impl FnMut(Progress<'_>),
) -> Result<InPlaceReport, InPlaceError>
where
    D: ReplaceDocuments + ?Sized,
    D::Store: ReadableStorageTraits + ListableStorageTraits,
{
    let mut walk = Walk::new(direction, options)?;
    while let Some(node) = walk.next_node() {
        let (step, listing) = look(store.store(), &walk, &node)?;
        let step = write(store, &walk, step);
        walk.finish(&node, step, listing.prefixes(), &mut progress);
    }
    Ok(walk.into_report())
}

/// Decides what to do with `node`; also gives what is in its directory, as far as that matters.
fn look<S: ReadableStorageTraits + ListableStorageTraits + ?Sized>(
    store: &S,
    walk: &Walk<'_>,
    node: &NodeKeys,
) -> Result<(Step, StoreKeysPrefixes), InPlaceError> {
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

fn read<S: ReadableStorageTraits + ?Sized>(
    store: &S,
    node: &NodeKeys,
) -> Result<Documents, StorageError> {
    Ok(Documents {
        attributes: store.get(&node.attributes)?,
        zarr: store.get(&node.zarr)?,
    })
}

fn write<D: ReplaceDocuments + ?Sized>(store: &D, walk: &Walk<'_>, mut step: Step) -> Step {
    let Some((key, document)) = step.write.take().filter(|_| !walk.is_dry_run()) else {
        return step;
    };
    match store.replace_document(&key, document) {
        Ok(()) => step,
        Err(source) => Step::fail(FailureReason::Write { key, source }),
    }
}
