//! Rewrites a dataset or a pyramid of N5 as OME-Zarr 0.5: sharded Zarr V3 with standard codecs, in
//! (z, y, x) order.
//!
//! ```text
//! cargo run --release --features rewrite --example n5_to_zarr -- PATH_OR_URL OUT [OPTIONS]
//! ```
//!
//! `PATH_OR_URL` is an N5 container, `OUT` the folder of the new group. It may be interrupted: run
//! it again with the same options, and it writes what is missing. `--help` lists the options; what
//! the output is, and what parts and phases are, is said by the documentation of
//! `zarrs_interop::n5::rewrite`. It exits with 1 if anything fails, or `--verify` finds a
//! difference.

#[path = "support/bdv_xml.rs"]
mod bdv_xml;
#[path = "support/rewrite_arguments.rs"]
mod rewrite_arguments;
#[path = "support/terminal.rs"]
mod terminal;

use std::collections::BTreeSet;
use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;
use zarrs::filesystem::FilesystemStore;
use zarrs::storage::{ListableStorageTraits, ReadableStorageTraits};
use zarrs_interop::n5::multiscale::{Dialect, VoxelSize};
use zarrs_interop::n5::rewrite::{LevelOrigin, Rewrite, RewriteOptions, RewritePlan};

use rewrite_arguments::{Arguments, Task, USAGE, check_apart, check_levels_apart};

/// From how many shards on the plan says that they are many.
const MANY_SHARDS: u64 = 1_000_000;

/// How many shards an error names.
const MOST_NAMED: usize = 12;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    terminal::main(run)
}

fn run() -> Result<()> {
    let arguments = terminal::texts(std::env::args_os())?;
    // What reads the output, such as `head`, may be gone: `println` would panic.
    let out = &mut std::io::stdout();
    let Some(arguments) = Arguments::parse(&arguments)? else {
        return Ok(writeln!(out, "{USAGE}")?);
    };
    if arguments.source.contains("://") {
        return of_url(&arguments, out);
    }
    let path = Path::new(&arguments.source);
    if !path.is_dir() {
        return Err(format!("{} is not a folder\n{USAGE}", path.display()).into());
    }
    check_apart(path, Path::new(&arguments.out))?;
    // The true size of a voxel of BigDataViewer is in the XML beside the container only.
    let beside = path.with_extension("xml");
    let xml = arguments.xml.file(beside.is_file().then_some(beside));
    let store = || Ok(FilesystemStore::new(path)?);
    let place = std::path::absolute(path)?;
    let options = arguments.options.clone();
    let options = options.with_source(&place.to_string_lossy());
    rewrite(&arguments, options, (Some(path), xml), store, out)
}

#[cfg(feature = "object_store")]
fn of_url(arguments: &Arguments, out: &mut dyn Write) -> Result<()> {
    use zarrs_interop::n5::{UrlOptions, open_url};

    let path = arguments.source.strip_prefix("file://").map(Path::new);
    let path = path.filter(|path| path.is_dir());
    if let Some(path) = path {
        check_apart(path, Path::new(&arguments.out))?;
    }
    let store = open_url(&arguments.source, &UrlOptions::new())?;
    let options = arguments.options.clone().with_source(&arguments.source);
    // Enough to hide the latency of a server.
    let options = options.with_requests(arguments.requests.unwrap_or(32));
    let xml = arguments.xml.file(None);
    rewrite(arguments, options, (path, xml), || Ok(store.clone()), out)?;
    eprintln!("{}", store.traffic());
    Ok(())
}

#[cfg(not(feature = "object_store"))]
fn of_url(arguments: &Arguments, _out: &mut dyn Write) -> Result<()> {
    let url = &arguments.source;
    Err(format!(
        "{url} is a URL: build this program with --features rewrite,object_store to read it"
    )
    .into())
}

fn rewrite<S>(
    arguments: &Arguments,
    options: RewriteOptions,
    (source, xml): (Option<&Path>, Option<PathBuf>),
    store: impl Fn() -> Result<S>,
    out: &mut dyn Write,
) -> Result<()>
where
    S: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    let folder = Path::new(&arguments.out);
    let mut rewrite = Rewrite::open(store()?, &arguments.dataset, &options)?;
    let mut options = options;
    if let Some(voxel_size) = voxel_size(rewrite.plan(), xml.as_deref())? {
        options = arguments.calibration(voxel_size).apply(options);
        rewrite = Rewrite::open(store()?, &arguments.dataset, &options)?;
    }
    if let Some(source) = source {
        check_levels_apart(source, folder, rewrite.plan())?;
    }
    rewrite.check_output(folder)?;
    if !arguments.is_json {
        print(&rewrite, &options, arguments, out)?;
    } else if arguments.task == Task::Plan {
        writeln!(out, "{:#}", plan_json(&rewrite, &options))?;
    }
    match arguments.task {
        Task::Plan => return Ok(()),
        Task::WriteMetadata => return Ok(rewrite.write_metadata(folder)?),
        Task::Write => {}
    }
    let bar = terminal::Bytes::new();
    let report = rewrite.run(folder, |progress| {
        let whole = progress.size_whole;
        bar.set(
            progress.size_done - whole,
            progress.size.saturating_sub(whole),
        );
    });
    bar.finish();
    let report = report?;
    if arguments.is_json {
        let report = json!({
            "written": report.written,
            "whole": report.whole,
            "empty": report.empty,
            "size_written": report.size_written,
            "size_elements": report.size_elements,
            "leftovers": report.leftovers,
            "corrupt_count": report.corrupt_count,
            "corrupt": report.corrupt.iter().map(|block| block.key.as_str()).collect::<Vec<_>>(),
        });
        writeln!(out, "{report}")?;
    } else {
        writeln!(out, "{report}")?;
        for block in &report.corrupt {
            writeln!(out, "  corrupt, now 0: {block}")?;
        }
    }
    if arguments.verify {
        verify(&rewrite, folder, arguments, out)?;
    }
    Ok(())
}

fn verify<S>(
    rewrite: &Rewrite<S>,
    folder: &Path,
    arguments: &Arguments,
    out: &mut dyn Write,
) -> Result<()>
where
    S: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    let bar = terminal::Bytes::new();
    let report = rewrite.verify(folder, |progress| {
        bar.set(progress.size_done, progress.size);
    });
    bar.finish();
    let report = report?;
    if !arguments.is_json {
        writeln!(out, "verified: {report}")?;
        for difference in &report.different {
            writeln!(out, "  {difference}")?;
        }
    }
    if report.is_equal() {
        Ok(())
    } else {
        let shards: BTreeSet<_> = report.different.iter().map(|found| &found.shard).collect();
        let named = shards.iter().take(MOST_NAMED);
        let named: Vec<_> = named.map(|shard| shard.display().to_string()).collect();
        let more = if shards.len() > named.len() {
            ", ..."
        } else {
            ""
        };
        Err(format!(
            "chunks that are not as in the source: {}; run again, which writes their shards and \
             what is made of them once more: {}{more}",
            report.different_count,
            named.join(", ")
        )
        .into())
    }
}

/// The size of a voxel in the XML of BigDataViewer, where the plan asks for it.
fn voxel_size(plan: &RewritePlan, xml: Option<&Path>) -> Result<Option<VoxelSize>> {
    let setup = plan
        .source_path()
        .split('/')
        .find_map(|folder| folder.strip_prefix("setup")?.parse().ok());
    match (xml, setup) {
        (Some(xml), Some(setup)) if plan.pyramid().dialect == Dialect::BigDataViewer => {
            Ok(Some(bdv_xml::voxel_size(xml, setup)?))
        }
        _ => Ok(None),
    }
}

fn print<S>(
    rewrite: &Rewrite<S>,
    options: &RewriteOptions,
    arguments: &Arguments,
    out: &mut dyn Write,
) -> Result<()>
where
    S: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    let plan = rewrite.plan();
    let pyramid = plan.pyramid();
    let axes: Vec<_> = pyramid
        .axes
        .iter()
        .map(|axis| axis.name.as_deref().unwrap_or("?"))
        .collect();
    writeln!(
        out,
        "{} ({}) to {}, dimensions {}",
        plan.source_path(),
        pyramid.dialect,
        arguments.out,
        axes.join(", ")
    )?;
    for (level, placed) in plan.levels().iter().zip(&pyramid.levels) {
        let from = match level.origin() {
            LevelOrigin::Dataset { node_path } => format!("from {node_path}"),
            LevelOrigin::Made { how, factors } => {
                format!(
                    "made by {} of {factors:?} in phase {}",
                    how.name(),
                    level.phase()
                )
            }
            _ => String::new(),
        };
        writeln!(
            out,
            "{}: {:?} {}, scale {:?}, translation {:?}, {from}",
            level.path(),
            level.shape(),
            level.data_type(),
            placed.scale,
            placed.translation,
        )?;
        writeln!(
            out,
            "  {} of {:?} with chunks of {:?}, {}",
            counted(level.shards(), "shard", "shards"),
            level.shard(),
            level.chunk(),
            terminal::size(level.size()),
        )?;
    }
    for note in &pyramid.notes {
        writeln!(out, "note: {note}")?;
    }
    if pyramid.axes.iter().any(|axis| axis.name.is_none()) {
        let text = "dimensions without a name: name all of them, for example --axes x,y,c,z,t";
        writeln!(out, "note: {text}")?;
    }
    if plan.shards() > MANY_SHARDS {
        let shards = plan.shards();
        let text = "each costs a look at least, be it empty or not, and a file if not: larger \
                    shards (--shard) or several processes (--part) may be better";
        writeln!(out, "note: {shards} shards: {text}")?;
    }
    if let Some(reason) = rewrite.without_ome() {
        writeln!(out, "note: no OME-Zarr metadata: {reason}")?;
    }
    let threads = options.threads();
    let memory = terminal::size(plan.memory(threads));
    writeln!(out, "memory: at most {memory} with {threads} threads")?;
    Ok(())
}

fn counted(count: u64, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

fn plan_json<S>(rewrite: &Rewrite<S>, options: &RewriteOptions) -> serde_json::Value
where
    S: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    let plan = rewrite.plan();
    let levels: Vec<_> = plan
        .levels()
        .iter()
        .map(|level| {
            json!({
                "path": level.path(),
                "phase": level.phase(),
                "shape": level.shape(),
                "shard": level.shard(),
                "chunk": level.chunk(),
                "data_type": level.data_type().name(),
                "shards": level.shards(),
                "size": level.size(),
            })
        })
        .collect();
    let notes: Vec<_> = plan
        .pyramid()
        .notes
        .iter()
        .map(ToString::to_string)
        .collect();
    json!({
        "dataset": plan.source_path(),
        "dialect": plan.pyramid().dialect.to_string(),
        "phases": plan.phases(),
        "levels": levels,
        "memory": plan.memory(options.threads()),
        "notes": notes,
        "without_ome": rewrite.without_ome(),
    })
}
