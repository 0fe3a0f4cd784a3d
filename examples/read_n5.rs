//! Reads an N5 volume: prints the hierarchy, reads one slice of a dataset, and writes it as a PNG.
//!
//! ```text
//! cargo run --release --example read_n5                            # the volume in this repository
//! cargo run --release --example read_n5 -- PATH [DATASET] [OPTIONS]
//! ```
//!
//! The options are `--slice AXIS=INDEX`, `-o PICTURE` and `--allow-empty`.
//!
//! `PATH` is the folder of an N5 hierarchy. `DATASET` is a path in it, by default that of the
//! first dataset that has blocks. `AXIS` is a dimension name or number (dimension 0 is N5's
//! fastest); by default the middle of the last dimension is shown or, if there is no block, the
//! plane through the first block that is there. Of a plane of more than 4096 elements or 128 blocks
//! along a dimension a part is read. `PICTURE` is by default `read_n5_slice.png` in the current
//! folder; what is there is replaced. A slice of which not a single block exists is an error,
//! unless `--allow-empty` is given: it would be black.

#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_lossless,
    reason = "figures and grey values to look at"
)]

#[path = "support/folder.rs"]
mod folder;
#[path = "support/picture.rs"]
mod picture;
#[path = "support/slice.rs"]
mod slice;
#[path = "support/statistics.rs"]
mod statistics;
#[path = "support/terminal.rs"]
mod terminal;
#[path = "support/tree.rs"]
mod tree;

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use zarrs::array::Array;
use zarrs::filesystem::FilesystemStore;
use zarrs_interop::n5::{
    self, CheckOptions, CheckReport, ImplicitGroupStore, N5DataType, N5DefaultStore, StrayReason,
    WalkOptions, WalkReport, WalkedKind,
};

use slice::Slice;
use statistics::Statistics;

type Store = ImplicitGroupStore<N5DefaultStore<FilesystemStore>>;
type Result<T> = std::result::Result<T, Box<dyn Error>>;

const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/n5_demo/volume.n5");
const PICTURE: &str = "read_n5_slice.png";
const USAGE: &str =
    "usage: read_n5 [PATH [DATASET]] [--slice AXIS=INDEX] [-o PICTURE] [--allow-empty]";

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
        return Ok(writeln!(out, "{USAGE}")?);
    };
    let path = Path::new(&arguments.path);
    if !path.is_dir() {
        return Err(format!("{} is not a folder\n{USAGE}", path.display()).into());
    }

    writeln!(out, "{}", path.canonicalize()?.display())?;
    let files = FilesystemStore::new(path)?;
    let report = n5::walk(&files, &WalkOptions::new())?;
    tree::print(&report, out)?;
    let dataset = match &arguments.dataset {
        Some(dataset) => format!("/{}", dataset.trim_matches('/')),
        None => first_dataset(&report).ok_or("there is no dataset that can be read")?,
    };
    let is_group = |kind: &WalkedKind| matches!(kind, WalkedKind::Group(_));
    let mut nodes = report.nodes().iter();
    if nodes.any(|node| node.node_path == dataset && is_group(&node.kind)) {
        return Err(format!("{dataset} is a group: choose one of the datasets above").into());
    }
    read(path, &dataset, &arguments, out)
}

/// The first dataset to show: one with blocks if there is any, never one that only holds others.
fn first_dataset(report: &WalkReport) -> Option<String> {
    let datasets = || {
        report.datasets().filter(|(_, dataset)| {
            let is_array = !dataset.is_label_multiset() && !dataset.is_paintera_index;
            is_array && !dataset.is_only_a_container()
        })
    };
    let with_blocks = datasets().find(|(_, dataset)| dataset.has_blocks == Some(true));
    let (path, _) = with_blocks.or_else(|| datasets().next())?;
    Some(path.to_owned())
}

/// Reads a slice of the dataset.
fn read(path: &Path, dataset: &str, arguments: &Arguments, out: &mut dyn Write) -> Result<()> {
    let store = ImplicitGroupStore::new(N5DefaultStore::new(FilesystemStore::new(path)?));
    let array: Array<Store> = Array::open(Arc::new(store), dataset)
        .map_err(|error| format!("cannot open {dataset} as a dataset: {error}"))?;
    let shape = array.shape();
    writeln!(out, "\n{dataset}: shape {shape:?}")?;
    if shape.contains(&0) {
        return Ok(writeln!(out, "no elements to read")?);
    }
    // Counts what is there by listing it: the grid may be far larger.
    let listing = CheckOptions::new().with_reading(false);
    let blocks = n5::check(&FilesystemStore::new(path)?, dataset, &listing, |_| {})?;
    let present = present(&blocks);
    for stray in &blocks.stray {
        if stray.reason == StrayReason::Node {
            writeln!(out, "{stray}")?;
        }
    }
    if blocks.present == 0 && !arguments.allow_empty {
        return Err(nothing(path, &present, blocks.first_key.as_str(), "data")?.into());
    }
    writeln!(out, "{present}")?;

    let start = Instant::now();
    let mut subset = arguments.slice.subset(&array, None)?;
    let mut found = slice::read(&array, &subset)?;
    if let (true, Some(first)) = (found.blocks_present == 0, &blocks.first_present) {
        subset = arguments.slice.subset(&array, Some(first))?;
        found = slice::read(&array, &subset)?;
    }
    let seconds = start.elapsed().as_secs_f64();
    let present = format!(
        "slice {subset}: {} of {} blocks present",
        found.blocks_present, found.blocks
    );
    if found.blocks_present == 0 && !arguments.allow_empty {
        return Err(nothing(path, &present, found.first_key.as_str(), "slice")?.into());
    }
    let data_type = N5DataType::from_zarr(array.data_type()).ok_or("not an N5 data type")?;
    let size = found.values.len() * data_type.size();
    writeln!(out, "{present}")?;
    writeln!(out, "of the slice: {}", Statistics::of(&found.values))?;
    writeln!(
        out,
        "read {:.3} MB in {seconds:.3} s: {:.1} MB/s",
        size as f64 / 1e6,
        size as f64 / 1e6 / seconds
    )?;

    let picture = &arguments.picture;
    picture::write(&found.values, subset.shape(), data_type, Path::new(picture))
        .map_err(|error| format!("cannot write {picture}: {error}"))?;
    Ok(writeln!(out, "{picture}")?)
}

/// How many blocks of a dataset are there.
fn present(blocks: &CheckReport) -> String {
    let over = if blocks.is_beyond_count() {
        "over "
    } else {
        ""
    };
    let mut text = format!(
        "{} of {over}{} blocks present",
        blocks.present, blocks.expected
    );
    if blocks.vanished_count > 0 {
        text += &format!(", {} listed but not there", blocks.vanished_count);
    }
    text
}

/// The error of `what` without a single block, the first of which was expected at `key`.
fn nothing(path: &Path, present: &str, key: &str, what: &str) -> Result<String> {
    let found = folder::instead_of(path, key)?;
    Ok(format!(
        "{present}: the first one expected is {key}, and {found}\nIf the {what} is to be black, \
         say --allow-empty."
    ))
}

struct Arguments {
    path: String,
    dataset: Option<String>,
    slice: Slice,
    picture: String,
    allow_empty: bool,
}

impl Arguments {
    /// `None` if help is asked for.
    fn parse(arguments: &[String]) -> Result<Option<Self>> {
        let mut positional = Vec::new();
        let mut slice = Slice::Middle;
        let mut picture = PICTURE.to_owned();
        let mut allow_empty = false;
        let mut arguments = arguments.iter().cloned();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--slice" => {
                    let text = arguments.next().ok_or("--slice needs AXIS=INDEX")?;
                    slice = Slice::parse(&text)?;
                }
                "-o" => picture = arguments.next().ok_or("-o needs the name of a file")?,
                "--allow-empty" => allow_empty = true,
                "-h" | "--help" => return Ok(None),
                option if option.starts_with('-') => {
                    return Err(format!("unknown option {option}\n{USAGE}").into());
                }
                _ => positional.push(argument),
            }
        }
        if positional.len() > 2 {
            return Err(format!("too many arguments: {positional:?}\n{USAGE}").into());
        }
        let mut positional = positional.into_iter();
        Ok(Some(Self {
            path: positional.next().unwrap_or_else(|| DEMO.to_owned()),
            dataset: positional.next(),
            slice,
            picture,
            allow_empty,
        }))
    }
}
