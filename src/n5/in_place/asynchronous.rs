//! The asynchronous conversion. Its twin, `sync`, differs only in `.await`.

use zarrs_storage::{AsyncListableStorageTraits, AsyncReadableStorageTraits, Bytes, StoreKey};

use super::documents::AsyncReplaceDocuments;
use super::held::{Held, HeldGroup};
use super::levels::{OmeLevels, levels_to_look_at};
#[cfg(feature = "ome")]
use super::ome::async_pyramids;
use super::options::{InPlaceError, InPlaceOptions};
use super::outcome::{FailureReason, Outcome};
use super::plan::{Direction, Job, Step, root_step, step};
#[cfg(not(feature = "ome"))]
use super::pyramids::Pyramids;
use super::report::{InPlaceReport, Progress};
use crate::n5::at_once::{AT_ONCE, async_map_at_once};
use crate::n5::node::{NodeKeys, is_same_json};
use crate::n5::walk::async_look;
use crate::n5::walk::frontier::{Frontier, Visit};
use crate::n5::walk::look::Look;

pub(super) async fn async_convert<D>(
    store: &D,
    direction: Direction,
    options: &InPlaceOptions,
    mut progress: impl FnMut(Progress<'_>),
) -> Result<InPlaceReport, InPlaceError>
where
    D: AsyncReplaceDocuments,
    D::Store: AsyncReadableStorageTraits + AsyncListableStorageTraits + 'static,
{
    let mut frontier = Frontier::new(&options.walk())?;
    let mut report = InPlaceReport::default();
    let mut held = Held::new(direction, options);
    #[cfg(feature = "ome")]
    let pyramids = async_pyramids(store.store(), direction, options).await?;
    #[cfg(not(feature = "ome"))]
    let pyramids = Pyramids::default();
    let job = Job {
        options,
        pyramids: &pyramids,
    };
    loop {
        let visits = frontier.next_nodes();
        if visits.is_empty() {
            break;
        }
        let visited = async_map_at_once(&visits, |node| async_visit(store, job, &held, node)).await;
        for (visit, (look, mut step)) in visits.iter().zip(visited) {
            held.note(&visit.node, &look, &mut step);
            report.add(visit, look, step, &mut frontier, &mut progress)?;
        }
        for groups in held.take_due().chunks(AT_ONCE) {
            let outcomes =
                async_map_at_once(groups, |group| async_write_group(store, job, group)).await;
            for (group, outcome) in groups.iter().zip(outcomes) {
                report.add_held(&group.node, outcome, &frontier, &mut progress);
            }
        }
    }
    // The first node may be an empty group of an N5 hierarchy.
    if held.has_found_nothing()
        && (held.may_write_groups(report.failed())
            || options.node_path != "/" && async_is_root_n5(store).await)
    {
        held.note_root();
        for group in held.take_due() {
            let outcome = async_write_group(store, job, &group).await;
            report.add_held(&group.node, outcome, &frontier, &mut progress);
        }
    }
    report.add_waiting(held, options, &frontier, &mut progress)?;
    if direction == Direction::ToN5 && report.is_root_due(options) {
        let outcome = async_state_version(store).await;
        report.add_root(outcome);
    }
    Ok(report.with_pyramids(pyramids).sorted())
}

/// What the store says of a node, and what became of it.
async fn async_visit<D>(store: &D, job: Job<'_>, held: &Held, visit: &Visit) -> (Look, Step)
where
    D: AsyncReplaceDocuments,
    D::Store: AsyncReadableStorageTraits + AsyncListableStorageTraits + 'static,
{
    let look = async_look(store.store(), visit).await;
    if visit.is_first() && look.is_nothing() {
        return (look, Step::nothing());
    }
    let levels = async_levels_of(store.store(), &visit.node, &look).await;
    let mut step = step(held.direction, job, &visit.node, &look, levels);
    step.is_held = step.write.is_some() && held.holds(&visit.node, &look);
    if step.is_held || job.options.dry_run {
        return (look, step);
    }
    if let Some((key, document)) = step.write.take() {
        step.outcome = async_write(store, &key, &document).await;
    }
    (look, step)
}

/// What the store says of the arrays that the `ome` of a group speaks of.
async fn async_levels_of<S>(store: &S, node: &NodeKeys, look: &Look) -> OmeLevels
where
    S: AsyncReadableStorageTraits,
{
    let mut levels = OmeLevels::default();
    for level in levels_to_look_at(node, look) {
        // What cannot be read is reported when it is visited.
        let has_attributes = !matches!(store.get(&level.attributes).await, Ok(None));
        let has_zarr = !matches!(store.get(&level.zarr).await, Ok(None));
        levels.note(has_attributes, has_zarr);
    }
    levels
}

/// Writes the document of a group that had to wait. Returns what became of it.
async fn async_write_group<D>(store: &D, job: Job<'_>, group: &HeldGroup) -> Outcome
where
    D: AsyncReplaceDocuments,
    D::Store: AsyncReadableStorageTraits,
{
    if job.options.dry_run {
        return Outcome::Converted;
    }
    async_write(store, &group.key, &group.document).await
}

async fn async_write<D>(store: &D, key: &StoreKey, document: &Bytes) -> Outcome
where
    D: AsyncReplaceDocuments,
    D::Store: AsyncReadableStorageTraits,
{
    let Err(source) = store.replace_document(key, document.clone()).await else {
        return Outcome::Converted;
    };
    // Another conversion at the same time may have written it.
    match store.store().get(key).await {
        Ok(Some(found)) if is_same_json(&found, document) => Outcome::Unchanged,
        _ => Outcome::Failed(FailureReason::Write {
            key: key.clone(),
            source,
        }),
    }
}

/// Sees to it that the root states a version of N5. Returns what became of it.
async fn async_state_version<D>(store: &D) -> Option<Outcome>
where
    D: AsyncReplaceDocuments,
    D::Store: AsyncReadableStorageTraits + AsyncListableStorageTraits + 'static,
{
    let visit = Visit::to_root()?;
    let look = async_look(store.store(), &visit).await;
    let (key, document) = root_step(&visit.node, &look)?;
    Some(async_write(store, &key, &document).await)
}

/// Whether there is an `attributes.json` at the root.
async fn async_is_root_n5<D>(store: &D) -> bool
where
    D: AsyncReplaceDocuments,
    D::Store: AsyncReadableStorageTraits + AsyncListableStorageTraits + 'static,
{
    let Some(visit) = Visit::to_root() else {
        return false;
    };
    async_look(store.store(), &visit).await.has_attributes()
}
