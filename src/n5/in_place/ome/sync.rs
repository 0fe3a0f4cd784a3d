//! The synchronous search. Its twin, `asynchronous`, differs only in `.await`.

use zarrs_storage::{ListableStorageTraits, ReadableStorageTraits};

use super::recognised;
use crate::n5::at_once::{AT_ONCE, map_at_once};
use crate::n5::in_place::levels::OmeLevels;
use crate::n5::in_place::options::{InPlaceError, InPlaceOptions};
use crate::n5::in_place::plan::{Direction, Job, step};
use crate::n5::in_place::pyramids::Pyramids;
use crate::n5::walk::{WalkOptions, look, walk};

/// The pyramids of the hierarchy that get the metadata of OME-Zarr; none unless that is asked for.
pub(in crate::n5::in_place) fn pyramids<S>(
    store: &S,
    direction: Direction,
    options: &InPlaceOptions,
) -> Result<Pyramids, InPlaceError>
where
    S: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    if !options.ome || direction == Direction::ToN5 {
        return Ok(Pyramids::default());
    }
    let report = walk(store, &WalkOptions::new())?;
    let mut pyramids = recognised(report, options);
    for levels in pyramids.levels().chunks(AT_ONCE) {
        let looks = map_at_once(levels, |level| look(store, level));
        for (level, look) in levels.iter().zip(looks) {
            let job = Job {
                options,
                pyramids: &pyramids,
            };
            let levels = OmeLevels::default();
            let step = step(Direction::ToZarr, job, &level.node, &look, levels);
            pyramids.note_level(&level.node, &step.outcome);
        }
    }
    Ok(pyramids)
}
