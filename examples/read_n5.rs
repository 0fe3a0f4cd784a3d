//! Reads an N5 volume: prints the hierarchy, reads one slice of a dataset, and writes it as a PNG.
//!
//! ```text
//! cargo run --release --example read_n5                          # the volume in this repository
//! cargo run --release --example read_n5 -- PATH [DATASET] [OPTIONS]
//! cargo run --release --features object_store --example read_n5 -- URL [DATASET] [OPTIONS]
//! ```
//!
//! `PATH` is the folder of an N5 hierarchy; `URL` is where one is on a server, such as
//! `s3://bucket/x.n5` or `https://host/x.n5`. `DATASET` is the path of a dataset in it, by default
//! that of the first one that has blocks. `PATH` and `URL` may go on into the hierarchy, as
//! `x.n5/em/s0` does. Servers are asked for the blocks of the slice and no others; for those that
//! cannot list folders name the `DATASET`. Buckets are read with what the environment says
//! (`AWS_ACCESS_KEY_ID` and so on, else anonymously; `AWS_REGION`, `AWS_ENDPOINT_URL`).
//!
//! ```text
//! --slice AXIS=INDEX   Cut there. AXIS is the name of a dimension or its number; dimension 0 is
//!                      N5's fastest. More than one are given apart or as in --slice c=0,t=3. The
//!                      first two dimensions that are not cut are shown, the first across and the
//!                      second down; others are cut in the middle or, if there is no block, where
//!                      the first block is.
//! --ortho              Show the three planes through one point: x and y, beside it z and y, below
//!                      x and z.
//! --labels             Show each value in a colour of its own. So are integers shown that look
//!                      like labels: few values, in patches.
//! --grey               Show grey values, whatever the elements look like.
//! -o PICTURE           The PNG to write, read_n5_slice.png by default; what is there is replaced.
//! --allow-empty        It is no error if not a single block of the slice exists: it is black.
//! --missing STATUS     A server that answers so (403, say) for a block means that it has none.
//! -h, --help           Print this.
//! ```
//!
//! Grey goes from black to white from the 1st to the 99th of a hundred parts of the sorted
//! elements. Slices of less than 512 pixels are enlarged, and voxels have their shape where
//! attributes give a resolution. Of dimensions of more than 4096 elements or 128 blocks (1024 and
//! 16 on a server) a part is read. It exits with 1 if a block cannot be read; the others are in the
//! picture all the same.

#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_lossless,
    reason = "figures and grey values to look at"
)]

#[path = "support/blocks.rs"]
mod blocks;
#[path = "support/elements.rs"]
mod elements;
#[path = "support/folder.rs"]
mod folder;
#[path = "support/labels.rs"]
mod labels;
#[path = "support/picture.rs"]
mod picture;
#[path = "support/place.rs"]
mod place;
#[path = "support/region.rs"]
mod region;
#[path = "support/shades.rs"]
mod shades;
#[path = "support/slice.rs"]
mod slice;
#[path = "support/statistics.rs"]
mod statistics;
#[path = "support/terminal.rs"]
pub(crate) mod terminal;
#[path = "support/tree.rs"]
mod tree;
#[path = "support/url.rs"]
mod url;
#[path = "support/voxels.rs"]
mod voxels;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use zarrs::array::Array;
use zarrs::storage::{ListableStorageTraits, ReadableStorageTraits};
use zarrs_interop::n5::{self, N5DefaultStore};

use blocks::Listed;
use picture::{Extent, Picture};
use place::{Hierarchy, Place, at_place};
use region::Found;
use shades::{Shades, Shading};
use slice::{Most, Plane, Slice};
use statistics::Statistics;
use terminal::Result;
use voxels::Voxels;

pub(crate) const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/n5_demo/volume.n5");
const PICTURE: &str = "read_n5_slice.png";
pub(crate) const USAGE: &str = "usage: read_n5 [PATH|URL [DATASET]] [--slice AXIS=INDEX] [--ortho] \
                     [--labels|--grey]\n               [-o PICTURE] [--allow-empty] \
                     [--missing STATUS] [--help]";

/// Memory of the system's allocator comes and goes with every block, and with it the time for new
/// pages.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    terminal::main(|| {
        let arguments = terminal::texts(std::env::args_os())?;
        run(&arguments, &mut std::io::stdout())
    })
}

/// Prints what there is to say to `out`, and writes the picture.
pub(crate) fn run(arguments: &[String], out: &mut dyn Write) -> Result<()> {
    let Some(arguments) = Arguments::parse(arguments)? else {
        return Ok(write!(
            out,
            "{}",
            terminal::help(include_str!("read_n5.rs"))
        )?);
    };
    let place = Place::open(&arguments.path, &arguments.missing)?;
    let result = at_place!(&place, hierarchy => show(hierarchy, &arguments, out));
    if let Some(traffic) = place.traffic() {
        writeln!(out, "{traffic}")?;
    }
    result
}

/// Prints the hierarchy, and reads a slice of one of its datasets.
fn show<S>(hierarchy: &Hierarchy<S>, arguments: &Arguments, out: &mut dyn Write) -> Result<()>
where
    S: ReadableStorageTraits + ListableStorageTraits + Clone + 'static,
{
    writeln!(out, "{}", hierarchy.name)?;
    if let Some(inside) = &hierarchy.inside {
        writeln!(out, "(the root of what PATH is in: {inside} in it is read)")?;
    }
    let named = hierarchy.node_path(arguments.dataset.as_deref());
    let is_named = arguments.dataset.is_some();
    // Each node of a walk is a request or two, which a server is spared if there is no need.
    let dataset = match named {
        Some(dataset) if hierarchy.folder.is_none() => dataset,
        named => {
            let report = hierarchy.walk(None)?;
            tree::print(&report, out)?;
            match named {
                Some(dataset) if is_named => dataset,
                inside => tree::first_dataset(&report, inside.as_deref())?,
            }
        }
    };
    let array = n5::open_array(hierarchy.store.clone(), &dataset);
    let array = array.map_err(|error| hierarchy.explained(error))?;
    read(hierarchy, &array, arguments, out)
}

/// Reads a slice of the dataset.
fn read<S>(
    hierarchy: &Hierarchy<S>,
    array: &Array<N5DefaultStore<S>>,
    arguments: &Arguments,
    out: &mut dyn Write,
) -> Result<()>
where
    S: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    let dataset = array.path().as_str();
    writeln!(out, "\n{dataset}: shape {:?}", array.shape())?;
    let voxels = voxels::read(hierarchy, dataset)?;
    let sizes = voxels.to_string();
    if !sizes.is_empty() {
        writeln!(out, "voxel: {sizes}")?;
    }
    if array.shape().contains(&0) {
        return Ok(writeln!(out, "no elements to read")?);
    }
    // What is there is counted by listing it, as the grid may be far larger; not on a server.
    let (mut first_present, mut doubted) = (None, None);
    if let Some(folder) = &hierarchy.folder {
        let listed = Listed::of(&hierarchy.store, dataset)?;
        listed.print_nodes(out)?;
        if listed.is_nothing() && !arguments.allow_empty {
            return Err(blocks::nothing(
                Some(folder),
                &listed.to_string(),
                &listed.first_key(),
                "data",
            )?);
        }
        writeln!(out, "{listed}")?;
        first_present = listed.first_present();
        doubted = listed.is_in_doubt().then_some(folder.as_path());
    }

    let start = Instant::now();
    let names = match voxels.names() {
        names if names.is_empty() => array.dimension_names().clone().unwrap_or_default(),
        names => names,
    };
    let planes_at = |block: Option<&[u64]>| {
        let most = arguments.most(hierarchy.folder.is_some());
        arguments
            .slice
            .planes(array, &names, (block, arguments.is_ortho), most)
    };
    let mut planes = planes_at(None)?;
    let mut found = region::read(array, &planes, (hierarchy.concurrency, doubted))?;
    if found.is_nothing_present() && !found.is_any_failed() && first_present.is_some() {
        planes = planes_at(first_present.as_deref())?;
        found = region::read(array, &planes, (hierarchy.concurrency, doubted))?;
    }
    let seconds = start.elapsed().as_secs_f64();
    let is_nothing = found.is_nothing_present();
    if is_nothing && !found.is_any_failed() && !arguments.allow_empty {
        return Err(blocks::none(&planes, &found, hierarchy.folder.as_deref())?);
    }
    blocks::print_present(&planes, &found, out)?;
    if is_nothing && found.is_any_failed() {
        blocks::print_failures(&found, out)?;
        return Err(blocks::failed(&found, hierarchy));
    }
    let is_whole = planes
        .iter()
        .any(|plane| plane.subset.shape() == array.shape());
    let part = match (is_whole, planes.len()) {
        (true, _) => "the whole dataset",
        (false, 1) => "the slice",
        (false, _) => "the three slices",
    };
    let with_zeros = match found.is_any_failed() {
        true => " (blocks that cannot be read count as 0)",
        false => "",
    };
    let statistics = Statistics::of(&found.elements);
    writeln!(out, "of {part}: {statistics}{with_zeros}")?;
    let size = found.elements.len() * array.data_type().fixed_size().unwrap_or_default();
    let megabytes = size as f64 / 1e6;
    let speed = megabytes / seconds;
    writeln!(
        out,
        "read {megabytes:.3} MB in {seconds:.3} s: {speed:.1} MB/s"
    )?;

    write_picture(&planes, &found, &voxels, arguments, out)?;
    blocks::print_failures(&found, out)?;
    if found.is_any_failed() {
        return Err(blocks::failed(&found, hierarchy));
    }
    Ok(())
}

fn write_picture(
    planes: &[Plane],
    found: &Found,
    voxels: &Voxels,
    arguments: &Arguments,
    out: &mut dyn Write,
) -> Result<()> {
    let shades = Shades::of(&found.elements, arguments.shading, voxels.are_labels)?;
    // Planes share dimensions, of which each has one scale.
    let mut shown: Vec<usize> = planes
        .iter()
        .flat_map(|plane| [plane.across, plane.down])
        .flatten()
        .collect();
    shown.sort_unstable();
    shown.dedup();
    let len = |dimension: usize| {
        let lens = planes.iter().map(|plane| plane.len(Some(dimension)));
        lens.max().unwrap_or(1)
    };
    let sizes = voxels.along(&shown);
    let mut extents: Vec<_> = std::iter::zip(&shown, sizes)
        .map(|(&at, size)| Extent { len: len(at), size })
        .collect();
    // A line, or a single element, is shown as a plane that is one element thick.
    extents.resize(
        extents.len().max(2),
        Extent {
            len: 1,
            size: extents.first().map_or(1.0, |extent| extent.size),
        },
    );
    let (pixels, is_in_shape) = picture::pixels(&extents);
    let pixels_of = |dimension: Option<usize>, or: usize| {
        let place = dimension.and_then(|dimension| shown.iter().position(|&at| at == dimension));
        pixels[place.unwrap_or(or)]
    };
    let mut rest = &shades.colours[..];
    let planes = planes.iter().map(|plane| {
        let (colours, after) = rest.split_at(plane.subset.num_elements_usize());
        rest = after;
        picture::Plane {
            colours,
            len: [plane.len(plane.across), plane.len(plane.down)],
            step: [plane.step(plane.across), plane.step(plane.down)],
            pixels: [pixels_of(plane.across, 0), pixels_of(plane.down, 1)],
        }
    });
    let picture = Picture::of(&planes.collect::<Vec<_>>());
    let name = &arguments.picture;
    picture
        .write(Path::new(name))
        .map_err(|error| format!("cannot write {name}: {error}; name another file with -o"))?;
    let (width, height) = picture.size();
    let shape = if is_in_shape {
        ""
    } else {
        ", voxels not in their shape"
    };
    Ok(writeln!(
        out,
        "{name}: {width} x {height} pixels, {}{shape}",
        shades.meaning
    )?)
}

struct Arguments {
    path: String,
    dataset: Option<String>,
    slice: Slice,
    is_ortho: bool,
    shading: Shading,
    picture: String,
    allow_empty: bool,
    missing: Vec<u16>,
}

impl Arguments {
    /// How much of a plane to read from a folder, or else a server.
    fn most(&self, is_folder: bool) -> Most {
        let (elements, blocks) = if is_folder { (4096, 128) } else { (1024, 16) };
        // Three planes, for little more than one.
        let planes = if self.is_ortho { 2 } else { 1 };
        Most {
            elements: elements / planes,
            blocks: blocks / planes,
        }
    }

    /// `None` if help is asked for.
    fn parse(arguments: &[String]) -> Result<Option<Self>> {
        let mut positional = Vec::new();
        let mut parsed = Self {
            path: DEMO.to_owned(),
            dataset: None,
            slice: Slice::default(),
            is_ortho: false,
            shading: Shading::Guessed,
            picture: PICTURE.to_owned(),
            allow_empty: false,
            missing: Vec::new(),
        };
        let mut arguments = arguments.iter().map(String::as_str);
        while let Some(argument) = arguments.next() {
            match argument {
                "--slice" => {
                    let what = "AXIS=INDEX, for example z=16";
                    let text = arguments.next();
                    parsed.slice.add(terminal::value(argument, what, text)?)?;
                }
                "--ortho" => parsed.is_ortho = true,
                "--labels" => parsed.shading = Shading::Labels,
                "--grey" | "--gray" => parsed.shading = Shading::Grey,
                "-o" => {
                    let name = terminal::value(argument, "the name of a file", arguments.next())?;
                    terminal::no_url(name)?;
                    name.clone_into(&mut parsed.picture);
                }
                "--allow-empty" => parsed.allow_empty = true,
                "--missing" => parsed.missing.push(terminal::status(arguments.next())?),
                "-h" | "--help" => return Ok(None),
                option if option.starts_with('-') => {
                    return Err(format!("unknown option {option}\n{USAGE}").into());
                }
                _ => positional.push(argument.to_owned()),
            }
        }
        if positional.len() > 2 {
            return Err(format!("too many arguments: {positional:?}\n{USAGE}").into());
        }
        let mut positional = positional.into_iter();
        if let Some(path) = positional.next() {
            parsed.path = path;
        }
        parsed.dataset = positional.next();
        Ok(Some(parsed))
    }
}
