//! The arguments of `n5_to_zarr`.

use std::error::Error;

use zarrs_interop::n5::multiscale::{MultiscaleOptions, VoxelSize};
use zarrs_interop::n5::rewrite::{
    Downsample, Levels, OutputCompression, OutputOrder, Part, RewriteOptions,
};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

pub(crate) const USAGE: &str = "\
usage: n5_to_zarr PATH_OR_URL OUT [OPTIONS]
  --dataset D         a dataset, or the group of a pyramid (default: the only one there is)
  --order ome|stored  time, channel, z, y, x by the names of the axes (default), or as stored
  --axes x,y,c,z,t    the names of the dimensions, dimension 0 first
  --xml FILE          voxel sizes of BigDataViewer (default: PATH with the ending .xml)
  --chunk z,y,x       the shape of chunks, in the order of the output
  --shard z,y,x       the shape of shards, a multiple of that; each thread holds one in memory
  --zstd LEVEL        zstd (default, with level 3)
  --blosc NAME,LEVEL[,noshuffle|shuffle|bitshuffle]
  --uncompressed
  --levels all|0      all levels of the source (default), or the finest only
  --downsample mean|mode|none  coarser levels made of the finest one; none is --levels all
  --fill-corrupt      blocks that cannot be read become 0, and are listed
  --verify            read everything back and compare it with the source
  --dry-run           only say what would be done
  --metadata-only     write the metadata and no shards
  --part I/N          write part I of N, counted from 0
  --phase K           write only phase K: 0 what comes from the source, 1 the first made level, ...
  --threads N         default: all cores
  --requests N        blocks read at the same time by each thread (default: 1, of a URL 32)
  --json              the plan (with --dry-run) or the report as JSON";

pub(crate) struct Arguments {
    pub(crate) source: String,
    pub(crate) out: String,
    pub(crate) dataset: String,
    pub(crate) xml: Option<String>,
    pub(crate) options: RewriteOptions,
    #[cfg_attr(not(feature = "object_store"), allow(dead_code))]
    pub(crate) requests: Option<usize>,
    pub(crate) verify: bool,
    pub(crate) is_dry_run: bool,
    pub(crate) metadata_only: bool,
    pub(crate) is_json: bool,
    multiscale: MultiscaleOptions,
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
            xml: None,
            options: RewriteOptions::new(),
            requests: None,
            verify: false,
            is_dry_run: false,
            metadata_only: false,
            is_json: false,
            multiscale: MultiscaleOptions::new(),
        };
        let (mut levels, mut downsample, mut compression) = (None, None, None);
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let name = argument.as_str();
            let mut value = || {
                let value = arguments.next().cloned();
                value.ok_or_else(|| format!("{name} needs a value\n{USAGE}"))
            };
            match name {
                "-h" | "--help" => return Ok(None),
                "--verify" => parsed.verify = true,
                "--dry-run" => parsed.is_dry_run = true,
                "--metadata-only" => parsed.metadata_only = true,
                "--json" => parsed.is_json = true,
                "--fill-corrupt" => parsed.with(|options| options.with_fill_corrupt(true)),
                "--dataset" => parsed.dataset = value()?,
                "--xml" => parsed.xml = Some(value()?),
                "--axes" => {
                    let names = value()?;
                    let names = names.split(',').map(str::trim);
                    parsed.multiscale = parsed.multiscale.clone().with_axes(names);
                }
                "--order" => {
                    let order = match value()?.as_str() {
                        "ome" => OutputOrder::Ome,
                        "stored" => OutputOrder::Stored,
                        other => return Err(wrong(name, "ome or stored", other)),
                    };
                    parsed.with(|options| options.with_order(order));
                }
                "--chunk" => {
                    let shape = shape(name, &value()?)?;
                    parsed.with(|options| options.with_chunk(shape));
                }
                "--shard" => {
                    let shape = shape(name, &value()?)?;
                    parsed.with(|options| options.with_shard(shape));
                }
                "--zstd" => {
                    let level = number(name, &value()?)?;
                    set(&mut compression, OutputCompression::Zstd { level })?;
                }
                "--blosc" => set(&mut compression, blosc(&value()?)?)?,
                "--uncompressed" => set(&mut compression, OutputCompression::None)?,
                "--levels" => {
                    levels = Some(match value()?.as_str() {
                        "all" => Levels::All,
                        "0" => Levels::Finest,
                        other => return Err(wrong(name, "all or 0", other)),
                    });
                }
                "--downsample" => {
                    downsample = Some(match value()?.as_str() {
                        "mean" => Levels::Made(Downsample::Mean),
                        "mode" => Levels::Made(Downsample::Mode),
                        "none" => Levels::All,
                        other => return Err(wrong(name, "mean, mode or none", other)),
                    });
                }
                "--part" => {
                    let value = value()?;
                    let part = part(&value).ok_or_else(|| {
                        wrong(name, "I/N with I below N, for example 0/4", &value)
                    })?;
                    parsed.with(|options| options.with_part(part));
                }
                "--phase" => {
                    let phase = number(name, &value()?)?;
                    parsed.with(|options| options.with_phase(phase));
                }
                "--threads" => {
                    let threads = number(name, &value()?)?;
                    parsed.with(|options| options.with_threads(threads));
                }
                "--requests" => {
                    let requests = number(name, &value()?)?;
                    parsed.requests = Some(requests);
                    parsed.with(|options| options.with_requests(requests));
                }
                option if option.starts_with('-') => {
                    return Err(format!("unknown option {option}\n{USAGE}").into());
                }
                _ => positional.push(argument.clone()),
            }
        }
        let [source, out] = <[String; 2]>::try_from(positional)
            .map_err(|found| format!("expected PATH_OR_URL and OUT, found {found:?}\n{USAGE}"))?;
        (parsed.source, parsed.out) = (source, out);
        if levels.is_some() && downsample.is_some() {
            return Err(format!("--levels and --downsample exclude each other\n{USAGE}").into());
        }
        let multiscale = parsed.multiscale.clone();
        parsed.with(|options| {
            options
                .with_levels(levels.or(downsample).unwrap_or_default())
                .with_compression(compression.unwrap_or_default())
                .with_multiscale(multiscale)
        });
        Ok(Some(parsed))
    }

    fn with(&mut self, change: impl FnOnce(RewriteOptions) -> RewriteOptions) {
        self.options = change(std::mem::take(&mut self.options));
    }

    /// What is known of the axes, with the size of a voxel.
    pub(crate) fn calibration(&self, voxel_size: VoxelSize) -> Calibration {
        Calibration(self.multiscale.clone().with_voxel_size(voxel_size))
    }
}

fn wrong(name: &str, expected: &str, found: &str) -> Box<dyn Error> {
    format!("{name} takes {expected}, found {found}\n{USAGE}").into()
}

fn set(slot: &mut Option<OutputCompression>, compression: OutputCompression) -> Result<()> {
    match slot.replace(compression) {
        None => Ok(()),
        Some(_) => {
            Err(format!("--zstd, --blosc and --uncompressed exclude each other\n{USAGE}").into())
        }
    }
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
    Ok(OutputCompression::Blosc {
        compressor: compressor.to_owned(),
        level,
        shuffle: shuffle.to_owned(),
    })
}
