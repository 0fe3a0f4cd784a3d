//! The arguments of `n5_to_zarr`.

use std::error::Error;
use std::path::{Path, PathBuf};

use zarrs_interop::n5::multiscale::{MultiscaleOptions, VoxelSize};
use zarrs_interop::n5::rewrite::{
    Downsample, Levels, OutputCompression, OutputOrder, Part, RewriteError, RewriteOptions,
    RewritePlan,
};

use super::terminal::{self, Result};

pub(crate) const USAGE: &str = "\
usage: n5_to_zarr PATH_OR_URL OUT [OPTIONS]
  PATH_OR_URL         an N5 container, or a group or dataset in one (x.n5/em/s0): the root is found
  OUT                 the folder of the new group, outside of the container
  --dataset D         a dataset, or the group of a pyramid, below that (default: the only one there
                      is)
  --order ome|stored  time, channel, z, y, x by the names of the axes (default), or as stored
  --axes x,y,c,z,t    the names of all dimensions, dimension 0 first
  --xml FILE|none     voxel sizes of BigDataViewer (default: PATH with the ending .xml, if there is
                      such a file; beside a URL none is looked for, so give FILE); none is to do
                      without
  --chunk z,y,x       the shape of chunks, in the order of the output: of all dimensions, or of
                      those of space; a single length is that of all dimensions of space
  --shard z,y,x       the shape of shards, a multiple of that; each thread holds one in memory
  --zstd LEVEL        zstd (default, with level 3)
  --blosc NAME,LEVEL[,noshuffle|shuffle|bitshuffle]
                      NAME is blosclz, lz4, lz4hc, zlib or zstd, LEVEL 0 to 9
  --uncompressed
  --levels all|0      all levels of the source (default), or the finest only
  --downsample mean|mode|none  makes all coarser levels anew from the finest, whether the source has
                      any or not; none is --levels all. Each is made of the one before it: a
                      dimension of space is halved while its voxels are shorter than twice the
                      shortest, until no such dimension is longer than a chunk. mean is for images
                      (integers are rounded to the nearest, halves to the even one), mode for labels
                      (the most frequent one, of several the smallest)
  --fill-corrupt      blocks that cannot be read become 0, and are listed; later runs try them again
  --source-moved      PATH_OR_URL is the source that OUT was begun from, at another place than then
  --verify            read everything back and compare it with the source; the next run writes what
                      differs again
  --dry-run           only say what would be done
  --metadata-only     write the metadata and no shards
  --part I/N          write part I of N, counted from 0
  --phase K           write only phase K: 0 what comes from the source, 1 the first made level, ...
                      With --downsample and --part run all parts with --phase 0, then all with
                      --phase 1, ..., or let scripts/dask_n5_to_zarr.py of the repository do so
  --threads N         default: all cores
  --requests N        blocks read at the same time by each thread (default: 1, of a URL 32)
  --json              the plan (with --dry-run) or the report, with what --verify found, as JSON;
                      missing_blocks is null where not all were looked at, as when shards were
                      whole before";

/// The compressors in Blosc that zarr-python 3 can read: its Blosc is built without snappy.
const BLOSC_NAMES: [&str; 5] = ["blosclz", "lz4", "lz4hc", "zlib", "zstd"];

const SHUFFLES: [&str; 3] = ["noshuffle", "shuffle", "bitshuffle"];

pub(crate) struct Arguments {
    pub(crate) source: String,
    pub(crate) out: String,
    pub(crate) dataset: String,
    pub(crate) xml: Xml,
    pub(crate) options: RewriteOptions,
    #[cfg_attr(not(feature = "object_store"), allow(dead_code))]
    pub(crate) requests: Option<usize>,
    pub(crate) task: Task,
    pub(crate) verify: bool,
    pub(crate) is_json: bool,
    multiscale: MultiscaleOptions,
    levels: Option<Levels>,
    downsample: Option<Levels>,
    compression: Option<OutputCompression>,
}

/// What is done.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    Plan,
    WriteMetadata,
    Write,
}

/// Where the voxel sizes of BigDataViewer are.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Xml {
    /// In the file beside the container, if there is one.
    Beside,
    File(PathBuf),
    None,
}

impl Xml {
    /// The file; `beside` is the one beside the container, if it is there.
    pub(crate) fn file(&self, beside: Option<PathBuf>) -> Option<PathBuf> {
        match self {
            Self::Beside => beside,
            Self::File(file) => Some(file.clone()),
            Self::None => None,
        }
    }
}

/// What was found out of voxels, for the options.
pub(crate) struct Calibration(MultiscaleOptions);

impl Calibration {
    pub(crate) fn apply(self, options: RewriteOptions) -> RewriteOptions {
        options.with_multiscale(self.0)
    }
}

impl Arguments {
    /// `None` if help is asked for.
    pub(crate) fn parse(arguments: &[String]) -> Result<Option<Self>> {
        let mut positional = Vec::new();
        let mut parsed = Self {
            source: String::new(),
            out: String::new(),
            dataset: "/".to_owned(),
            xml: Xml::Beside,
            options: RewriteOptions::new(),
            requests: None,
            task: Task::Write,
            verify: false,
            is_json: false,
            multiscale: MultiscaleOptions::new(),
            levels: None,
            downsample: None,
            compression: None,
        };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "-h" | "--help" => return Ok(None),
                "--verify" => parsed.verify = true,
                "--dry-run" => parsed.task = Task::Plan,
                "--metadata-only" => parsed.task = Task::WriteMetadata,
                "--json" => parsed.is_json = true,
                "--fill-corrupt" => parsed.with(|options| options.with_fill_corrupt(true)),
                "--source-moved" => parsed.with(|options| options.with_source_moved(true)),
                "--uncompressed" => parsed.compress(OutputCompression::None)?,
                name if name.starts_with('-') => {
                    let value = || value_of(name, arguments.next().map(String::as_str));
                    parsed.option(name, value)?;
                }
                _ => positional.push(argument.clone()),
            }
        }
        let [source, out] = <[String; 2]>::try_from(positional)
            .map_err(|found| format!("expected PATH_OR_URL and OUT, found {found:?}\n{USAGE}"))?;
        terminal::no_url(&out)?;
        (parsed.source, parsed.out) = (source, out);
        if parsed.verify && parsed.task != Task::Write {
            return Err(format!(
                "--verify reads back what a run has written: it goes with neither --dry-run nor \
                 --metadata-only\n{USAGE}"
            )
            .into());
        }
        if parsed.levels.is_some() && parsed.downsample.is_some() {
            return Err(format!("--levels and --downsample exclude each other\n{USAGE}").into());
        }
        let levels = parsed.levels.or(parsed.downsample).unwrap_or_default();
        let compression = parsed.compression.clone().unwrap_or_default();
        let multiscale = parsed.multiscale.clone();
        parsed.with(|options| {
            options
                .with_levels(levels)
                .with_compression(compression)
                .with_multiscale(multiscale)
        });
        Ok(Some(parsed))
    }

    /// Takes an option that has a value.
    fn option<'v>(&mut self, name: &str, value: impl FnOnce() -> Result<&'v str>) -> Result<()> {
        match name {
            "--dataset" => value()?.clone_into(&mut self.dataset),
            "--xml" => {
                self.xml = match value()? {
                    "none" => Xml::None,
                    file => Xml::File(file.into()),
                }
            }
            "--axes" => {
                let names = value()?.split(',').map(str::trim);
                self.multiscale = self.multiscale.clone().with_axes(names);
            }
            "--order" => {
                let order = match value()? {
                    "ome" => OutputOrder::Ome,
                    "stored" => OutputOrder::Stored,
                    other => return Err(wrong(name, "ome or stored", other)),
                };
                self.with(|options| options.with_order(order));
            }
            "--chunk" => {
                let shape = shape(name, value()?)?;
                self.with(|options| options.with_chunk(shape));
            }
            "--shard" => {
                let shape = shape(name, value()?)?;
                self.with(|options| options.with_shard(shape));
            }
            "--zstd" => {
                let level = number(name, value()?)?;
                self.compress(OutputCompression::Zstd { level })?;
            }
            "--blosc" => self.compress(blosc(value()?)?)?,
            "--levels" => {
                self.levels = Some(match value()? {
                    "all" => Levels::All,
                    "0" => Levels::Finest,
                    other => return Err(wrong(name, "all or 0", other)),
                });
            }
            "--downsample" => {
                self.downsample = Some(match value()? {
                    "mean" => Levels::Made(Downsample::Mean),
                    "mode" => Levels::Made(Downsample::Mode),
                    "none" => Levels::All,
                    other => return Err(wrong(name, "mean, mode or none", other)),
                });
            }
            _ => return self.option_of_run(name, value),
        }
        Ok(())
    }

    /// Takes an option that does not change what is written.
    fn option_of_run<'v>(
        &mut self,
        name: &str,
        value: impl FnOnce() -> Result<&'v str>,
    ) -> Result<()> {
        match name {
            "--part" => {
                let value = value()?;
                let part = part(value)
                    .ok_or_else(|| wrong(name, "I/N with I below N, for example 0/4", value))?;
                self.with(|options| options.with_part(part));
            }
            "--phase" => {
                let phase = number(name, value()?)?;
                self.with(|options| options.with_phase(phase));
            }
            "--threads" => {
                let threads = number(name, value()?)?;
                self.with(|options| options.with_threads(threads));
            }
            "--requests" => {
                let requests = number(name, value()?)?;
                self.requests = Some(requests);
                self.with(|options| options.with_requests(requests));
            }
            _ => return Err(format!("unknown option {name}\n{USAGE}").into()),
        }
        Ok(())
    }

    fn compress(&mut self, compression: OutputCompression) -> Result<()> {
        match self.compression.replace(compression) {
            None => Ok(()),
            Some(_) => Err(format!(
                "--zstd, --blosc and --uncompressed exclude each other\n{USAGE}"
            )
            .into()),
        }
    }

    fn with(&mut self, change: impl FnOnce(RewriteOptions) -> RewriteOptions) {
        self.options = change(std::mem::take(&mut self.options));
    }

    /// What is known of the axes, with the size of a voxel.
    pub(crate) fn calibration(&self, voxel_size: VoxelSize) -> Calibration {
        Calibration(self.multiscale.clone().with_voxel_size(voxel_size))
    }
}

/// Checks that `out` does not lie in the folder `source`, where other programs would find it.
pub(crate) fn check_apart(source: &Path, out: &Path) -> Result<()> {
    if out.as_os_str().is_empty() {
        return Err(Box::new(RewriteError::NoOutput));
    }
    let within = source.canonicalize()?;
    let out_path = std::path::absolute(out)?;
    // The folder of the output need not be there yet.
    let above = out_path.ancestors().find(|above| above.exists());
    let above = above.unwrap_or(&out_path);
    let missing = out_path.strip_prefix(above)?;
    let resolved = above.canonicalize()?.join(missing);
    if resolved.starts_with(&within) {
        return Err(format!(
            "{} is in the source {}: the output has to be a folder outside of it",
            out.display(),
            source.display()
        )
        .into());
    }
    Ok(())
}

/// Checks the same of what is written in `out`: the folders of its levels may be links.
pub(crate) fn check_levels_apart(source: &Path, out: &Path, plan: &RewritePlan) -> Result<()> {
    let mut levels = plan.levels().iter();
    levels.try_for_each(|level| check_apart(source, &out.join(level.path()).join("c")))
}

/// The value of an option, which is not to be the next option.
fn value_of<'v>(name: &str, value: Option<&'v str>) -> Result<&'v str> {
    let what = match name {
        "--zstd" | "--phase" | "--threads" | "--requests" => "a number",
        "--part" => "I/N, for example 0/4",
        "--chunk" | "--shard" => "lengths, for example 64,64,64",
        _ => "a value",
    };
    let advice = match (name, value) {
        ("--dataset" | "--xml", Some(option)) => {
            &format!("; what has such a name can be given as ./{option}")
        }
        _ => "",
    };
    terminal::value(name, what, value).map_err(|error| format!("{error}{advice}\n{USAGE}").into())
}

fn wrong(name: &str, expected: &str, found: &str) -> Box<dyn Error> {
    format!("{name} takes {expected}, found {found}\n{USAGE}").into()
}

fn number<T: std::str::FromStr>(name: &str, value: &str) -> Result<T> {
    value.parse().map_err(|_| wrong(name, "a number", value))
}

fn shape(name: &str, value: &str) -> Result<Vec<u64>> {
    let lens = value.split(',').map(|len| len.trim().parse().ok());
    let shape: Option<Vec<u64>> = lens.collect();
    shape.ok_or_else(|| wrong(name, "lengths, for example 64,64,64", value))
}

fn part(value: &str) -> Option<Part> {
    let (index, count) = value.split_once('/')?;
    Part::new(index.parse().ok()?, count.parse().ok()?).ok()
}

fn blosc(value: &str) -> Result<OutputCompression> {
    let expected = || {
        wrong(
            "--blosc",
            "NAME,LEVEL[,SHUFFLE], for example zstd,5,shuffle",
            value,
        )
    };
    let mut parts = value.split(',').map(str::trim);
    let compressor = parts
        .next()
        .filter(|name| !name.is_empty())
        .ok_or_else(expected)?;
    let level = parts
        .next()
        .and_then(|level| level.parse().ok())
        .ok_or_else(expected)?;
    let shuffle = parts.next().unwrap_or("shuffle");
    if parts.next().is_some() || level > 9 {
        return Err(expected());
    }
    if !BLOSC_NAMES.contains(&compressor) {
        let names = BLOSC_NAMES.join(", ");
        let expected = format!("one of {names}, which every reader of Zarr V3 has");
        return Err(wrong("--blosc", &expected, compressor));
    }
    if !SHUFFLES.contains(&shuffle) {
        let expected = format!("one of {} after the level", SHUFFLES.join(", "));
        return Err(wrong("--blosc", &expected, shuffle));
    }
    Ok(OutputCompression::Blosc {
        compressor: compressor.to_owned(),
        level,
        shuffle: shuffle.to_owned(),
    })
}
