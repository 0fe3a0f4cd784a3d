//! The size of a voxel in the XML beside a container of BigDataViewer.

use std::error::Error;
use std::path::Path;

use zarrs_interop::n5::multiscale::{VoxelSize, bdv_voxel_sizes};

/// The size of a voxel of `setupN` in the file `xml`.
///
/// Only this file knows it, and a pyramid with the scale 1 looks right until somebody measures in
/// it: a file that is there and does not say it is an error.
pub(crate) fn voxel_size(xml: &Path, setup: u32) -> Result<VoxelSize, Box<dyn Error>> {
    let file = xml.display();
    let advice = "mend the file, name another one (--xml FILE), or do without it (--xml none), \
                  so that only what the attributes say counts";
    let text = std::fs::read_to_string(xml)
        .map_err(|error| format!("cannot read {file}: {error}; {advice}"))?;
    let sizes = bdv_voxel_sizes(&text);
    let setups: Vec<_> = sizes.iter().map(|(id, _)| id.to_string()).collect();
    let found = if setups.is_empty() {
        "of no setup, so that it may be cut off or be no XML of BigDataViewer".to_owned()
    } else {
        format!("of setup {} only", setups.join(", "))
    };
    let size = sizes.into_iter().find(|(id, _)| *id == setup);
    let (_, size) = size.ok_or_else(|| {
        format!(
            "{file} does not say the size of a voxel (<voxelSize>) of setup {setup}: it has that \
             {found}; {advice}"
        )
    })?;
    Ok(size)
}
