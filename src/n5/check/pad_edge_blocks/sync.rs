use zarrs_storage::{ListableStorageTraits, ReadableStorageTraits};

use super::{PadError, PadReport, Step, Target, step};
use crate::n5::check::list::list;
use crate::n5::check::options;
use crate::n5::check::search::{Next, Search};
use crate::n5::in_place::ReplaceDocuments;

/// Writes the blocks of the dataset at `node_path` that are shorter than their place in the grid at
/// full size, and leaves all others alone.
///
/// Such blocks come about when `dimensions` grow after truncated edge blocks were written, as Java
/// and this crate write them: what was the edge is inside then. This crate and Java read them right
/// (what a block does not have is 0), but z5py silently reads wrong values there. A block gets all
/// elements that lie within the dataset; the new ones are 0.
///
/// Of each block the header is read, and of short ones the rest, one after the other. Each is
/// replaced as a whole, in the way that [`ReplaceDocuments`] describes, so that an interruption
/// leaves the old block or the new one; what was left undone is done by a second call. Nobody else
/// may write to the dataset meanwhile. `progress` is called after each block.
///
/// # Errors
/// Returns a [`PadError`] at the first block that cannot be listed, read, decoded or written.
pub fn pad_edge_blocks<D>(
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
    let Step::Pad(shape) = step(target, position, &key, &head, report)? else {
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
