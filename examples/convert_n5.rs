//! Converts an N5 hierarchy to Zarr V3 in place, or back: documents are written beside those that
//! are there, and no block is touched.
//!
//! ```text
//! cargo run --release --example convert_n5 -- PATH --to zarr|n5 [--dry-run] [--overwrite]
//!     [--order stored|zyx] [--ome]
//! ```
//!
//! `PATH` is the folder of the hierarchy. `--dry-run` only says what would be done. `--overwrite`
//! replaces a document that is there and says something else. To Zarr, `--order zyx` lists the
//! dimensions of arrays backwards, and `--ome` describes pyramids as OME-Zarr 0.5 and says why
//! where it cannot (with `cargo run --features ome`). Exits with 1 when a node failed; the
//! others are converted all the same. To Zarr it writes only where N5 is, and it is an error if
//! that is nowhere. README, "Convert", says how to take the documents away again. A node named by a
//! number below a dataset is not found, as blocks have such names; `check_n5` names it.

#[path = "support/terminal.rs"]
mod terminal;

use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use zarrs::filesystem::FilesystemStore;
use zarrs_interop::n5::{self, DimensionOrder, InPlaceOptions, NodeReport, Outcome, SkipReason};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const USAGE: &str = "usage: convert_n5 PATH --to zarr|n5 [--dry-run] [--overwrite] \
                     [--order stored|zyx] [--ome]";

fn main() -> ExitCode {
    terminal::main(run)
}

fn run() -> Result<()> {
    let arguments = Arguments::parse(terminal::texts(std::env::args_os())?.into_iter())?;
    let path = Path::new(&arguments.path);
    if !path.is_dir() {
        return Err(format!("{} is not a folder\n{USAGE}", path.display()).into());
    }
    if let Some(dataset) = dataset_around(path)? {
        let dataset = dataset.display();
        return Err(format!(
            "PATH lies inside the dataset {dataset}: give the folder of the hierarchy"
        )
        .into());
    }
    let store = FilesystemStore::new(path)?;

    let bar = terminal::Progress::new(1, "nodes");
    let progress = |progress: n5::Progress<'_>| {
        bar.set_total(progress.known as u64);
        bar.advance();
    };
    let report = match arguments.to {
        Format::Zarr => n5::add_zarr_metadata(&store, &arguments.options, progress),
        Format::N5 => n5::add_n5_metadata(&store, &arguments.options, progress),
    };
    bar.finish();
    let report = report?;

    let converted = if arguments.is_dry_run {
        "would be converted"
    } else {
        "converted"
    };
    // What reads the output, such as `head`, may be gone: `println` would panic.
    let mut out = std::io::stdout().lock();
    for node in report.nodes() {
        match node.outcome {
            Outcome::Converted => writeln!(out, "{}: {converted}", node.node_path)?,
            _ => writeln!(out, "{node}")?,
        }
    }
    #[cfg(feature = "ome")]
    for pyramid in report.pyramids() {
        writeln!(out, "{pyramid}")?;
        for note in &pyramid.notes {
            writeln!(out, "    {note}")?;
        }
    }
    writeln!(
        out,
        "{} {converted}, {} unchanged, {} skipped, {} failed",
        report.converted(),
        report.unchanged(),
        report.skipped(),
        report.failed()
    )?;
    if report.nodes().iter().any(says_something_else) {
        writeln!(
            out,
            "--overwrite replaces the documents that say something else"
        )?;
    }
    if report.failed() > 0 {
        return Err("some nodes failed, the others are as listed".into());
    }
    Ok(())
}

/// The outermost dataset that `path` lies in, if any: folders of blocks would pass for groups.
fn dataset_around(path: &Path) -> Result<Option<PathBuf>> {
    let path = path.canonicalize()?;
    let is_dataset = |folder: &Path| {
        let attributes = std::fs::read(folder.join("attributes.json")).ok()?;
        let attributes: serde_json::Value = serde_json::from_slice(&attributes).ok()?;
        attributes.get("blockSize").map(|_| ())
    };
    let around = path.ancestors().skip(1);
    Ok(around
        .filter(|folder| is_dataset(folder).is_some())
        .last()
        .map(Path::to_path_buf))
}

fn says_something_else(node: &NodeReport) -> bool {
    matches!(
        node.outcome,
        Outcome::Skipped(SkipReason::SaysSomethingElse(_) | SkipReason::OtherOrder(_))
    )
}

#[cfg(feature = "ome")]
#[expect(clippy::unnecessary_wraps, reason = "without the feature it fails")]
fn with_ome(options: InPlaceOptions) -> Result<InPlaceOptions> {
    Ok(options.with_ome(true))
}

#[cfg(not(feature = "ome"))]
fn with_ome(_: InPlaceOptions) -> Result<InPlaceOptions> {
    Err("--ome needs the feature `ome`: run with `cargo run --features ome ...`".into())
}

enum Format {
    Zarr,
    N5,
}

struct Arguments {
    path: String,
    to: Format,
    options: InPlaceOptions,
    is_dry_run: bool,
}

impl Arguments {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self> {
        let (mut path, mut to, mut is_dry_run, mut overwrite) = (None, None, false, false);
        let mut options = InPlaceOptions::new();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--to" => {
                    to = Some(match arguments.next().as_deref() {
                        Some("zarr") => Format::Zarr,
                        Some("n5") => Format::N5,
                        other => {
                            let found = other.unwrap_or("nothing");
                            return Err(
                                format!("--to takes zarr or n5, found {found}\n{USAGE}").into()
                            );
                        }
                    });
                }
                "--order" => {
                    let order = match arguments.next().as_deref() {
                        Some("stored") => DimensionOrder::AsStored,
                        Some("zyx") => DimensionOrder::Reversed,
                        other => {
                            let found = other.unwrap_or("nothing");
                            return Err(format!(
                                "--order takes stored or zyx, found {found}\n{USAGE}"
                            )
                            .into());
                        }
                    };
                    options = options.with_dimension_order(order);
                }
                "--ome" => options = with_ome(options)?,
                "-h" | "--help" => {
                    println!("{USAGE}");
                    std::process::exit(0);
                }
                "--dry-run" => is_dry_run = true,
                "--overwrite" => overwrite = true,
                option if option.starts_with('-') => {
                    return Err(format!("unknown option {option}\n{USAGE}").into());
                }
                _ if path.is_none() => path = Some(argument),
                _ => {
                    return Err(format!("one PATH is enough, found {argument} too\n{USAGE}").into());
                }
            }
        }
        Ok(Self {
            path: path.ok_or_else(|| format!("PATH is missing\n{USAGE}"))?,
            to: to.ok_or_else(|| format!("--to is missing\n{USAGE}"))?,
            options: options.with_dry_run(is_dry_run).with_overwrite(overwrite),
            is_dry_run,
        })
    }
}
