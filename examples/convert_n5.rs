//! Converts an N5 hierarchy to Zarr V3 in place, or back: documents are written beside those that
//! are there, and no block is touched.
//!
//! ```text
//! cargo run --release --example convert_n5 -- PATH --to zarr|n5 [OPTIONS]
//! cargo run --release --features object_store --example convert_n5 -- URL --to zarr|n5 --dry-run
//! ```
//!
//! `PATH` is the folder of the hierarchy. `URL` is where one is on a server, such as
//! `s3://bucket/x.n5`, of which can be said what would be done.
//!
//! ```text
//! --to zarr|n5   Which documents to write.
//! --dry-run      Write nothing, and say what would be done.
//! --overwrite    Replace a document that is there and says something else.
//! --order stored|zyx
//!                To Zarr: the order of the dimensions of arrays, zyx for backwards.
//! --ome          To Zarr: describe pyramids as OME-Zarr 0.5, and say why where that cannot be
//!                (with `--features ome`).
//! --xml FILE|none
//!                With --ome: the XML of BigDataViewer, which alone has the sizes of voxels
//!                (default: PATH with the ending .xml, if there is one; of a URL none).
//! -h, --help     Print this.
//! ```
//!
//! It exits with 1 when a node failed; the others are converted all the same. To Zarr it writes
//! only where N5 is, and it is an error if that is nowhere; to N5, likewise, if no array can be N5.
//! A dataset that has lost its attributes.json is named, and nothing is written among its blocks.
//! `docs/convert_again.md` of the repository says how to take the documents away again, and what a
//! killed conversion left. A node named by a number below a dataset is not found, as blocks have
//! such names; `check_n5` names it.

#[cfg(feature = "ome")]
#[path = "support/bdv_xml.rs"]
mod bdv_xml;
#[path = "support/terminal.rs"]
pub(crate) mod terminal;
#[path = "support/url.rs"]
mod url;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use zarrs::filesystem::FilesystemStore;
#[cfg(feature = "ome")]
use zarrs::storage::StorePrefix;
use zarrs::storage::{ListableStorageTraits, ReadableStorageTraits};
use zarrs_interop::n5::{
    self, DimensionOrder, InPlaceOptions, NodeReport, Outcome, ReplaceDocuments, SkipReason,
};

use terminal::Result;

const USAGE: &str = "usage: convert_n5 PATH|URL --to zarr|n5 [--dry-run] [--overwrite] \
                     [--order stored|zyx] [--ome] [--xml FILE|none] [--help]";

fn main() -> ExitCode {
    terminal::main(|| {
        let arguments = terminal::texts(std::env::args_os())?;
        run(arguments, &mut std::io::stdout().lock())
    })
}

/// Prints what there is to say to `out`, and writes the documents.
pub(crate) fn run(arguments: Vec<String>, out: &mut dyn Write) -> Result<()> {
    if arguments
        .iter()
        .any(|argument| ["-h", "--help"].contains(&argument.as_str()))
    {
        return Ok(write!(
            out,
            "{}",
            terminal::help(include_str!("convert_n5.rs"))
        )?);
    }
    let arguments = Arguments::parse(arguments.into_iter())?;
    if url::is_url(&arguments.path) {
        return at_url(&arguments, out);
    }
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
    let beside = path.canonicalize()?.with_extension("xml");
    let xml = arguments.xml(beside.is_file().then_some(beside));
    let store = FilesystemStore::new(path)?;
    convert(&store, &arguments, xml.as_deref(), out)
}

#[cfg(not(feature = "object_store"))]
fn at_url(arguments: &Arguments, _: &mut dyn Write) -> Result<()> {
    Err(url::without_feature(&arguments.path).into())
}

/// Says what would be done at a URL.
#[cfg(feature = "object_store")]
fn at_url(arguments: &Arguments, out: &mut dyn Write) -> Result<()> {
    let url = &arguments.path;
    if !arguments.is_dry_run {
        return Err(format!(
            "{url} is a URL, where nothing is written: add --dry-run to see what would be done; to \
             do it copy the hierarchy to a folder and give that (with `aws s3 sync` or rclone, for \
             example), or the documents alone, with --include '*attributes.json'"
        )
        .into());
    }
    let store = n5::open_url(url, &n5::UrlOptions::new())?;
    let xml = arguments.xml(None);
    let result = convert(&ReadOnly(store.clone()), arguments, xml.as_deref(), out);
    writeln!(out, "{}", store.traffic())?;
    result
}

/// A store of which documents are read and none is written.
#[cfg(feature = "object_store")]
struct ReadOnly(n5::UrlStore);

#[cfg(feature = "object_store")]
impl ReplaceDocuments for ReadOnly {
    type Store = n5::UrlStore;

    fn store(&self) -> &n5::UrlStore {
        &self.0
    }

    fn replace_document(
        &self,
        _: &zarrs::storage::StoreKey,
        _: zarrs::storage::Bytes,
    ) -> std::result::Result<(), zarrs::storage::StorageError> {
        Err(zarrs::storage::StorageError::ReadOnly)
    }
}

fn convert<D>(
    store: &D,
    arguments: &Arguments,
    xml: Option<&Path>,
    out: &mut dyn Write,
) -> Result<()>
where
    D: ReplaceDocuments,
    D::Store: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    let options = with_voxel_sizes(store.store(), arguments, xml)?;
    let bar = terminal::Progress::new(1, "nodes");
    let progress = |progress: n5::Progress<'_>| {
        bar.set_total(progress.known as u64);
        bar.advance();
    };
    let report = match arguments.to {
        Format::Zarr => n5::add_zarr_metadata(store, &options, progress),
        Format::N5 => n5::add_n5_metadata(store, &options, progress),
    };
    bar.finish();
    let report = report?;

    let converted = if arguments.is_dry_run {
        "would be converted"
    } else {
        "converted"
    };
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
        return Err(
            "some nodes failed, the others are as listed: run it again once what is said of \
                    them is mended"
                .into(),
        );
    }
    Ok(())
}

/// The outermost dataset that `path` lies in, if any: folders of blocks would pass for groups.
fn dataset_around(path: &Path) -> Result<Option<PathBuf>> {
    let path = path.canonicalize()?;
    let is_dataset = |folder: &Path| {
        let document = folder.join("attributes.json");
        // Whoever opens a pipe may wait for ever.
        if !document.is_file() {
            return None;
        }
        let attributes = std::fs::read(document).ok()?;
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

/// The options with the sizes of voxels of BigDataViewer, which are in its XML only. Each setup in
/// the hierarchy must be in it.
#[cfg(feature = "ome")]
fn with_voxel_sizes<S: ListableStorageTraits>(
    store: &S,
    arguments: &Arguments,
    xml: Option<&Path>,
) -> Result<InPlaceOptions> {
    let options = arguments.options.clone();
    let Some(xml) = xml else {
        return Ok(options);
    };
    let root = store.list_dir(&StorePrefix::root())?;
    let folders = root.prefixes().iter();
    let setups: Vec<u32> = folders
        .filter_map(|folder| {
            let number = folder
                .as_str()
                .trim_end_matches('/')
                .strip_prefix("setup")?;
            number.parse().ok()
        })
        .collect();
    if setups.is_empty() && arguments.xml.is_some() {
        return Err("--xml is for BigDataViewer, and there is no folder such as setup0".into());
    }
    let sizes = setups
        .into_iter()
        .map(|setup| Ok((setup, bdv_xml::voxel_size(xml, setup)?)));
    Ok(options.with_bdv_voxel_sizes(sizes.collect::<Result<Vec<_>>>()?))
}

#[cfg(not(feature = "ome"))]
#[expect(clippy::unnecessary_wraps, reason = "with the feature it fails")]
fn with_voxel_sizes<S: ListableStorageTraits>(
    _: &S,
    arguments: &Arguments,
    _: Option<&Path>,
) -> Result<InPlaceOptions> {
    Ok(arguments.options.clone())
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
    has_ome: bool,
    /// What was given as the XML of BigDataViewer.
    xml: Option<String>,
}

impl Arguments {
    /// The XML of BigDataViewer to read; `beside` is the one beside the container, if it is there.
    fn xml(&self, beside: Option<PathBuf>) -> Option<PathBuf> {
        match self.xml.as_deref() {
            _ if !self.has_ome || matches!(self.to, Format::N5) => None,
            Some("none") => None,
            Some(file) => Some(file.into()),
            None => beside,
        }
    }

    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self> {
        let (mut path, mut to, mut is_dry_run, mut overwrite) = (None, None, false, false);
        let mut options = InPlaceOptions::new();
        let (mut has_ome, mut xml) = (false, None);
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
                "--ome" => {
                    options = with_ome(options)?;
                    has_ome = true;
                }
                "--xml" => {
                    let file = arguments.next();
                    let file = terminal::value("--xml", "a file or none", file.as_deref())?;
                    xml = Some(file.to_owned());
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
        if xml.is_some() && !(has_ome && matches!(to, Some(Format::Zarr))) {
            return Err(format!("--xml goes with --to zarr --ome\n{USAGE}").into());
        }
        Ok(Self {
            path: path.ok_or_else(|| format!("PATH is missing\n{USAGE}"))?,
            to: to.ok_or_else(|| format!("--to is missing\n{USAGE}"))?,
            options: options.with_dry_run(is_dry_run).with_overwrite(overwrite),
            is_dry_run,
            has_ome,
            xml,
        })
    }
}
