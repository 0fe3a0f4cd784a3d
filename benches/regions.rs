//! Regions of an array in a folder, raw and gzip: ours against the partial reads of zarrs's plain
//! chain.
//!
//! ```text
//! cd benches
//! taskset -c 0 cargo bench --bench regions
//! taskset -c 0 cargo bench --bench regions -- gzip/slab      # some of it
//! ```
//!
//! The array is 256^3 uint16 in blocks of 64^3. The plain chain reads a Zarr array of the same
//! bytes without headers. `read + inflate` is the floor of the gzip array: reading the files of the
//! blocks touched and decompressing them, nothing else; `read` that of the raw one, though whole
//! blocks are more than a region needs. The files are in the page cache. `TMPDIR` decides where the
//! folder is.

use std::path::{Path, PathBuf};
use std::time::Duration;

use zarrs::array::ArraySubset;

use zarrs_interop_benches::codecs::{Compressor, options};
use zarrs_interop_benches::contest::{self, Clock, Contest, Mode, Show};
use zarrs_interop_benches::data::{Edges, Element, Layout, Triple, Volume, grid};
use zarrs_interop_benches::datasets::{
    Result, ZarrKind, block_key, floor, open_n5, open_zarr, read, write_n5, write_zarr,
};

const BUDGET: Duration = Duration::from_millis(1500);

/// A box of elements, dimension 0 first.
struct Region {
    name: &'static str,
    start: Triple,
    shape: Triple,
}

const fn region(name: &'static str, start: Triple, shape: Triple) -> Region {
    Region { name, start, shape }
}

const REGIONS: [Region; 5] = [
    region("64x64x1 in a block", [64, 128, 77], [64, 64, 1]),
    region("1x64x64 in a block", [77, 128, 64], [1, 64, 64]),
    region("slab 256x256x1", [0, 0, 77], [256, 256, 1]),
    region("one voxel", [77, 140, 99], [1, 1, 1]),
    region("box 200^3", [17, 23, 31], [200, 200, 200]),
];

/// For a run that only shows that all is in working order.
const SMALL: [Region; 1] = [region("5x9x1", [3, 2, 5], [5, 9, 1])];

fn main() -> Result<()> {
    let mode = Mode::from_arguments();
    let (shape, block, regions): (Triple, Triple, &[Region]) = if mode.measures {
        ([256; 3], [64; 3], &REGIONS)
    } else {
        ([16; 3], [8; 3], &SMALL)
    };
    let volume = Volume::new(Element::U16, shape);
    let folder = tempfile::tempdir()?;

    let mut tables = Vec::new();
    for compressor in [Compressor::Raw, Compressor::Gzip] {
        let dataset = Dataset::write(folder.path(), &volume, block, compressor)?;
        let title = format!("regions/{}", compressor.name());
        let mut rows = Vec::new();
        for region in regions {
            let contest = dataset.contest(&volume, block, region)?;
            rows.extend(mode.run(&title, contest, BUDGET));
        }
        tables.push((title, rows));
    }
    for (title, rows) in &tables {
        contest::print(title, rows, Show::Microseconds);
    }
    Ok(())
}

/// The volume as an N5 dataset and as a Zarr array.
struct Dataset {
    compressor: Compressor,
    n5: PathBuf,
    zarr: PathBuf,
}

impl Dataset {
    fn write(
        folder: &Path,
        volume: &Volume,
        block: Triple,
        compressor: Compressor,
    ) -> Result<Self> {
        let n5 = folder.join(format!("{}.n5", compressor.name()));
        let zarr = folder.join(format!("{}.zarr", compressor.name()));
        write_n5(&n5, volume, block, Edges::Padded, compressor)?;
        write_zarr(&zarr, volume, block, ZarrKind::Plain(compressor))?;
        Ok(Self {
            compressor,
            n5,
            zarr,
        })
    }

    fn contest(&self, volume: &Volume, block: Triple, region: &Region) -> Result<Contest<'static>> {
        let (ours, plain) = (open_n5(&self.n5)?, open_zarr(&self.zarr)?);
        let options = options();
        let subset = ArraySubset::new_with_start_shape(
            region.start.map(|at| at as u64).to_vec(),
            region.shape.map(|size| size as u64).to_vec(),
        )?;
        let expected = volume.bytes(region.start, region.shape, Layout::C);
        assert!(read(&ours, &subset, &options) == expected, "wrong elements");
        assert!(read(&plain, &subset, &options) == expected, "unequal work");

        let floor = self.floor(volume.element, block, region);
        let floor_name = match self.compressor {
            Compressor::Raw => "read",
            _ => "read + inflate",
        };
        let plain_subset = subset.clone();
        Ok(Contest::new(region.name, expected.len(), Clock::Cpu)
            .with("ours", move || read(&ours, &subset, &options))
            .with("plain chain", move || read(&plain, &plain_subset, &options))
            .with(floor_name, floor))
    }

    /// Reads the blocks that the region touches, and decompresses them to one buffer that is used
    /// again.
    fn floor(&self, element: Element, block: Triple, region: &Region) -> impl FnMut() + use<> {
        let first = [0, 1, 2].map(|axis| region.start[axis] / block[axis]);
        let end =
            [0, 1, 2].map(|axis| (region.start[axis] + region.shape[axis]).div_ceil(block[axis]));
        let count = [0, 1, 2].map(|axis| end[axis] - first[axis]);
        let paths: Vec<PathBuf> = grid(count, [1; 3])
            .map(|[x, y, z]| block_key([first[0] + x, first[1] + y, first[2] + z]))
            .map(|key| self.n5.join(key))
            .collect();
        floor(paths, element, block, self.compressor)
    }
}
