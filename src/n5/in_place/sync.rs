//! The synchronous conversion. Its twin, `asynchronous`, differs only in `.await`.

use zarrs_storage::{Bytes, ListableStorageTraits, ReadableStorageTraits, StoreKey};

use super::documents::ReplaceDocuments;
use super::options::{InPlaceError, InPlaceOptions};
use super::outcome::{FailureReason, Outcome};
use super::plan::{Direction, Step, root_step, step};
use super::report::{InPlaceReport, Progress};
use crate::n5::at_once::map_at_once;
use crate::n5::node::is_same_json;
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
    loop {
        let visits = frontier.next_nodes();
        if visits.is_empty() {
            break;
        }
        let visited = map_at_once(&visits, |node| visit(store, direction, options, node));
        for (visit, (look, step)) in visits.iter().zip(visited) {
            report.add(visit, look, step, &mut frontier, &mut progress)?;
        }
    }
    if direction == Direction::ToN5 && report.is_root_due(options) {
        let outcome = state_version(store);
        report.add_root(outcome);
    }
    Ok(report.sorted())
}

/// What the store says of a node, and what became of it.
fn visit<D>(
    store: &D,
    direction: Direction,
    options: &InPlaceOptions,
    visit: &Visit,
) -> (Look, Step)
where
    D: ReplaceDocuments,
    D::Store: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    let look = look(store.store(), visit);
    if visit.is_first() && look.is_nothing() {
        return (look, Step::nothing());
    }
    let mut step = step(direction, options, &visit.node, &look);
    if let Some((key, document)) = step.write.take().filter(|_| !options.dry_run) {
        step.outcome = write(store, &key, &document);
    }
    (look, step)
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
