//! The asynchronous walk. Its twin, `sync`, differs only in `.await` and in how a document is written.

use zarrs_storage::{
    AsyncListableStorageTraits, AsyncReadableStorageTraits, AsyncWritableStorageTraits,
    StorageError, StoreKeysPrefixes,
};

use super::plan::{Direction, Documents, Step, Walk};
use super::report::{FailureReason, InPlaceReport, Progress};
use super::{InPlaceError, InPlaceOptions};
use crate::n5::store::keys::NodeKeys;

/// The asynchronous twin of [`add_zarr_metadata`](super::add_zarr_metadata).
///
/// Each document is written with one `set`. Object stores, local folders behind the `object_store` crate included, do
/// that as a whole or not at all.
///
/// # Errors
/// Returns an [`InPlaceError`] if there is no node to start at.
pub async fn add_zarr_metadata_async<S>(
    store: &S,
    options: &InPlaceOptions,
    progress: impl FnMut(Progress<'_>),
) -> Result<InPlaceReport, InPlaceError>
where
    S: AsyncReadableStorageTraits
        + AsyncWritableStorageTraits
        + AsyncListableStorageTraits
        + ?Sized,
{
    convert(store, Direction::ToZarr, options, progress).await
}

/// The asynchronous twin of [`add_n5_metadata`](super::add_n5_metadata).
///
/// Each document is written with one `set`. Object stores, local folders behind the `object_store` crate included, do
/// that as a whole or not at all.
///
/// # Errors
/// Returns an [`InPlaceError`] if there is no node to start at.
pub async fn add_n5_metadata_async<S>(
    store: &S,
    options: &InPlaceOptions,
    progress: impl FnMut(Progress<'_>),
) -> Result<InPlaceReport, InPlaceError>
where
    S: AsyncReadableStorageTraits
        + AsyncWritableStorageTraits
        + AsyncListableStorageTraits
        + ?Sized,
{
    convert(store, Direction::ToN5, options, progress).await
}

async fn convert<S>(
    store: &S,
    direction: Direction,
    options: &InPlaceOptions,
    mut progress: impl FnMut(Progress<'_>),
) -> Result<InPlaceReport, InPlaceError>
where
    S: AsyncReadableStorageTraits
        + AsyncWritableStorageTraits
        + AsyncListableStorageTraits
        + ?Sized,
{
    let mut walk = Walk::new(direction, options)?;
    while let Some(node) = walk.next_node() {
        let (step, listing) = look(store, &walk, &node).await?;
        let step = write(store, &walk, step).await;
        walk.finish(&node, step, listing.prefixes(), &mut progress);
    }
    Ok(walk.into_report())
}

/// Decides what to do with `node`; also gives what is in its directory, as far as that matters.
async fn look<S: AsyncReadableStorageTraits + AsyncListableStorageTraits + ?Sized>(
    store: &S,
    walk: &Walk<'_>,
    node: &NodeKeys,
) -> Result<(Step, StoreKeysPrefixes), InPlaceError> {
    let nothing = StoreKeysPrefixes::new(vec![], vec![]);
    if let Some(step) = walk.step_without_reading(node) {
        return Ok((step, nothing));
    }
    let documents = match read(store, node).await {
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

async fn read<S: AsyncReadableStorageTraits + ?Sized>(
    store: &S,
    node: &NodeKeys,
) -> Result<Documents, StorageError> {
    Ok(Documents {
        attributes: store.get(&node.attributes).await?,
        zarr: store.get(&node.zarr).await?,
    })
}

async fn write<S: AsyncWritableStorageTraits + ?Sized>(
    store: &S,
    walk: &Walk<'_>,
    mut step: Step,
) -> Step {
    let Some((key, document)) = step.write.take().filter(|_| !walk.is_dry_run()) else {
        return step;
    };
    match store.set(&key, document).await {
        Ok(()) => step,
        Err(source) => Step::fail(FailureReason::Write { key, source }),
    }
}
