use zarrs_storage::{ListableStorageTraits, ReadableStorageTraits};

use super::{PadError, PadReport, Target, shape_to_get};
use crate::n5::check::list::list;
use crate::n5::check::options;
use crate::n5::check::search::{Next, Search};
use crate::n5::in_place::ReplaceDocuments;

/// Looks at each block that is there, and brings the short ones to full size.
pub(super) fn all<D>(
    store: &D,
    node_path: &str,
    mut progress: impl FnMut(PadReport) + Send,
) -> Result<PadReport, PadError>
where
    D: ReplaceDocuments + ?Sized,
    D::Store: ReadableStorageTraits + ListableStorageTraits + Sized + 'static,
{
    let files = store.store();
    let node = options::node(node_path)?;
    let document = files.get(&node.attributes);
    let target = Target::new(node, document)?;
    let mut search = Search::new(&target.dataset.grid);
    let mut report = PadReport::default();
    loop {
        match search.next() {
            // Nothing is being listed beside this loop.
            Next::Done | Next::Wait => return Ok(report),
            Next::List(folder) => {
                let entries = list(files, &target.dataset.prefix(&folder));
                let entries = entries.map_err(|source| PadError::List {
                    folder: target.dataset.folder(&folder),
                    source,
                })?;
                search.listed(folder, entries);
            }
            Next::Read(position) => {
                pad(store, &target, &position, &mut report)?;
                progress(report);
            }
        }
    }
}

/// Brings the block at `position` to full size, if it is short.
fn pad<D>(
    store: &D,
    target: &Target,
    position: &[u64],
    report: &mut PadReport,
) -> Result<(), PadError>
where
    D: ReplaceDocuments + ?Sized,
    D::Store: ReadableStorageTraits + Sized,
{
    let key = target.dataset.key(position);
    let unread = |source| PadError::Read {
        key: key.clone(),
        source,
    };
    let head = store.store().get_partial(&key, target.header_range());
    let Some(head) = head.map_err(unread)? else {
        return Ok(());
    };
    let Some(shape) = shape_to_get(target, position, &key, &head, report)? else {
        return Ok(());
    };
    let block = store.store().get(&key);
    let Some(block) = block.map_err(unread)? else {
        return Ok(());
    };
    let padded = target.padded(&block, &shape);
    let padded = padded.map_err(|source| PadError::Block {
        key: key.clone(),
        source: source.into(),
    })?;
    let written = store.replace_document(&key, padded);
    written.map_err(|source| PadError::Write {
        key: key.clone(),
        source,
    })?;
    report.padded += 1;
    Ok(())
}
