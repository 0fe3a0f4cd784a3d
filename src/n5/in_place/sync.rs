//! The synchronous conversion. Its twin, `asynchronous`, differs only in `.await`.

use zarrs_storage::{Bytes, ListableStorageTraits, ReadableStorageTraits, StoreKey};

use super::documents::ReplaceDocuments;
use super::held::{Held, HeldGroup};
use super::levels::{OmeLevels, levels_to_look_at};
#[cfg(feature = "ome")]
use super::ome::pyramids;
use super::options::{InPlaceError, InPlaceOptions};
use super::outcome::{FailureReason, Outcome};
use super::plan::{Direction, Job, Step, root_step, step};
#[cfg(not(feature = "ome"))]
use super::pyramids::Pyramids;
use super::report::{InPlaceReport, Progress};
use crate::n5::at_once::{AT_ONCE, map_at_once};
use crate::n5::node::{NodeKeys, is_same_json};
use crate::n5::walk::frontier::{Frontier, Visit};
use crate::n5::walk::look;
use crate::n5::walk::look::Look;

pub(super) fn convert<D>(
    store: &D,
    direction: Direction,
    options: &InPlaceOptions,
    mut progress: impl FnMut(Progress<'_>),
) -> Result<InPlaceReport, InPlaceError>
where
    D: ReplaceDocuments,
    D::Store: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    let mut frontier = Frontier::new(&options.walk())?;
    let mut report = InPlaceReport::default();
    let mut held = Held::new(direction, options);
    #[cfg(feature = "ome")]
    let pyramids = pyramids(store.store(), direction, options)?;
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
        let visited = map_at_once(&visits, |node| visit(store, job, &held, node));
        for (visit, (look, mut step)) in visits.iter().zip(visited) {
            held.note(&visit.node, &look, &mut step);
            report.add(visit, look, step, &mut frontier, &mut progress)?;
        }
        for groups in held.take_due().chunks(AT_ONCE) {
            let outcomes = map_at_once(groups, |group| write_group(store, job, group));
            for (group, outcome) in groups.iter().zip(outcomes) {
                report.add_held(&group.node, outcome, &frontier, &mut progress);
            }
        }
    }
    // The first node may be an empty group of an N5 hierarchy.
    if held.has_found_nothing()
        && (held.may_write_groups(report.failed()) || options.node_path != "/" && is_root_n5(store))
    {
        held.note_root();
        for group in held.take_due() {
            let outcome = write_group(store, job, &group);
            report.add_held(&group.node, outcome, &frontier, &mut progress);
        }
    }
    report.add_waiting(held, options, &frontier, &mut progress)?;
    if direction == Direction::ToN5 && report.is_root_due(options) {
        let outcome = state_version(store);
        report.add_root(outcome);
    }
    Ok(report.with_pyramids(pyramids).sorted())
}

/// What the store says of a node, and what became of it.
fn visit<D>(store: &D, job: Job<'_>, held: &Held, visit: &Visit) -> (Look, Step)
where
    D: ReplaceDocuments,
    D::Store: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    let look = look(store.store(), visit);
    if visit.is_first() && look.is_nothing() {
        return (look, Step::nothing());
    }
    let levels = levels_of(store.store(), &visit.node, &look);
    let mut step = step(held.direction, job, &visit.node, &look, levels);
    step.is_held = step.write.is_some() && held.holds(&visit.node, &look);
    if step.is_held || job.options.dry_run {
        return (look, step);
    }
    if let Some((key, document)) = step.write.take() {
        step.outcome = write(store, &key, &document);
    }
    (look, step)
}

/// What the store says of the arrays that the `ome` of a group speaks of.
fn levels_of<S>(store: &S, node: &NodeKeys, look: &Look) -> OmeLevels
where
    S: ReadableStorageTraits,
{
    let mut levels = OmeLevels::default();
    for level in levels_to_look_at(node, look) {
        // What cannot be read is reported when it is visited.
        let has_attributes = !matches!(store.get(&level.attributes), Ok(None));
        let has_zarr = !matches!(store.get(&level.zarr), Ok(None));
        levels.note(has_attributes, has_zarr);
    }
    levels
}

/// Writes the document of a group that had to wait. Returns what became of it.
fn write_group<D>(store: &D, job: Job<'_>, group: &HeldGroup) -> Outcome
where
    D: ReplaceDocuments,
    D::Store: ReadableStorageTraits,
{
    if job.options.dry_run {
        return Outcome::Converted;
    }
    write(store, &group.key, &group.document)
}

fn write<D>(store: &D, key: &StoreKey, document: &Bytes) -> Outcome
where
    D: ReplaceDocuments,
    D::Store: ReadableStorageTraits,
{
    let Err(source) = store.replace_document(key, document.clone()) else {
        return Outcome::Converted;
    };
    // Another conversion at the same time may have written it.
    match store.store().get(key) {
        Ok(Some(found)) if is_same_json(&found, document) => Outcome::Unchanged,
        _ => Outcome::Failed(FailureReason::Write {
            key: key.clone(),
            source,
        }),
    }
}

/// Sees to it that the root states a version of N5. Returns what became of it.
fn state_version<D>(store: &D) -> Option<Outcome>
where
    D: ReplaceDocuments,
    D::Store: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    let visit = Visit::to_root()?;
    let look = look(store.store(), &visit);
    let (key, document) = root_step(&visit.node, &look)?;
    Some(write(store, &key, &document))
}

/// Whether there is an `attributes.json` at the root.
fn is_root_n5<D>(store: &D) -> bool
where
    D: ReplaceDocuments,
    D::Store: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    let Some(visit) = Visit::to_root() else {
        return false;
    };
    look(store.store(), &visit).has_attributes()
}
