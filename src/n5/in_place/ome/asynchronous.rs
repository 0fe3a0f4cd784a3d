//! The asynchronous search. Its twin, `sync`, differs only in `.await`.

use zarrs_storage::{AsyncListableStorageTraits, AsyncReadableStorageTraits};

use super::recognised;
use crate::n5::at_once::{AT_ONCE, async_map_at_once};
use crate::n5::in_place::levels::OmeLevels;
use crate::n5::in_place::options::{InPlaceError, InPlaceOptions};
use crate::n5::in_place::plan::{Direction, Job, step};
use crate::n5::in_place::pyramids::Pyramids;
use crate::n5::walk::{WalkOptions, async_look, async_walk};

/// The pyramids of the hierarchy that get the metadata of OME-Zarr; none unless that is asked for.
pub(in crate::n5::in_place) async fn async_pyramids<S>(
    store: &S,
    direction: Direction,
    options: &InPlaceOptions,
) -> Result<Pyramids, InPlaceError>
where
    S: AsyncReadableStorageTraits + AsyncListableStorageTraits + 'static,
{
    if !options.ome || direction == Direction::ToN5 {
        return Ok(Pyramids::default());
    }
    let report = async_walk(store, &WalkOptions::new()).await?;
    let mut pyramids = recognised(report, options);
    for levels in pyramids.levels().chunks(AT_ONCE) {
        let looks = async_map_at_once(levels, |level| async_look(store, level)).await;
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
