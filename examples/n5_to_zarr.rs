//! Rewrites a dataset or a pyramid of N5 as OME-Zarr 0.5: sharded Zarr V3 with standard codecs, in
//! (z, y, x) order.
//!
//! ```text
//! cargo run --release --features rewrite --example n5_to_zarr -- PATH_OR_URL OUT [OPTIONS]
//! ```
//!
//! `PATH_OR_URL` is an N5 container, or a group or dataset in one, as `x.n5/em/s0` is: the root is
//! found, since it may say the size of voxels. `OUT` is the folder of the new group. It may be
//! interrupted: run it again with the same options, and it writes what is missing. `--help` lists
//! the options; what the output is, and what parts and phases are, is said by the documentation of
//! `zarrs_interop::n5::rewrite`. It exits with 1 if anything fails, or `--verify` finds a
//! difference. Blocks that are not there are 0 and no error; a link to nowhere is one.

#[path = "support/bdv_xml.rs"]
pub(crate) mod bdv_xml;
#[path = "support/folder.rs"]
mod folder;
#[path = "support/place.rs"]
mod place;
#[path = "support/rewrite_arguments.rs"]
pub(crate) mod rewrite_arguments;
#[path = "support/terminal.rs"]
mod terminal;
#[path = "support/url.rs"]
mod url;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};
use zarrs::storage::{ListableStorageTraits, ReadableStorageTraits};
use zarrs_interop::n5::multiscale::{Dialect, VoxelSize};
use zarrs_interop::n5::rewrite::{
    LevelOrigin, Rewrite, RewriteOptions, RewritePlan, RewriteReport, VerifyReport,
};

use place::{Hierarchy, Place, at_place};
use rewrite_arguments::{Arguments, Task, USAGE, check_apart, check_levels_apart};
use terminal::Result;

/// From how many shards on the plan says that they are many.
const MANY_SHARDS: u64 = 1_000_000;

/// How many shards an error names.
const MOST_NAMED: usize = 12;

fn main() -> ExitCode {
    terminal::main(|| {
        let arguments = terminal::texts(std::env::args_os())?;
        // What reads the output, such as `head`, may be gone: `println` would panic.
        run(&arguments, &mut std::io::stdout())
    })
}

/// Prints what there is to say to `out`, and writes the new group.
pub(crate) fn run(arguments: &[String], out: &mut dyn Write) -> Result<()> {
    let Some(arguments) = Arguments::parse(arguments)? else {
        return Ok(writeln!(out, "{USAGE}")?);
    };
    let place = Place::open(&arguments.source, &[])?;
    at_place!(&place, hierarchy => rewrite(&arguments, hierarchy, out))?;
    if let Some(traffic) = place.traffic() {
        eprintln!("{traffic}");
    }
    Ok(())
}

fn rewrite<S>(arguments: &Arguments, source: &Hierarchy<S>, out: &mut dyn Write) -> Result<()>
where
    S: ReadableStorageTraits + ListableStorageTraits + Clone + 'static,
{
    let place = match &source.folder {
        Some(folder) => std::path::absolute(folder)?.to_string_lossy().into_owned(),
        None => source.name.clone(),
    };
    let mut options = arguments.options.clone().with_source(&place);
    if let Some(requests) = arguments.requests.or(source.concurrency) {
        // Of a server enough to hide its latency.
        options = options.with_requests(requests);
    }
    let root = source.folder_of_root();
    if let Some(root) = &root {
        check_apart(root, Path::new(&arguments.out))?;
    }
    // The true size of a voxel of BigDataViewer is in the XML beside the container only.
    let xml = arguments.xml.file(beside(arguments, source));
    let node_path = source
        .node_path(Some(&arguments.dataset))
        .unwrap_or_default();
    let open = |options: &RewriteOptions| Rewrite::open(source.store.clone(), &node_path, options);
    let folder = Path::new(&arguments.out);
    let mut rewrite = open(&options)?;
    if let Some(voxel_size) = voxel_size(rewrite.plan(), xml.as_deref())? {
        options = arguments.calibration(voxel_size).apply(options);
        rewrite = open(&options)?;
    }
    if let Some(root) = &root {
        check_levels_apart(root, folder, rewrite.plan())?;
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
    if !arguments.is_json {
        writeln!(out, "{report}")?;
        for node_path in &report.without_blocks {
            writeln!(
                out,
                "note: {node_path} has no block at all: every element of it is 0"
            )?;
        }
        for block in &report.corrupt {
            writeln!(out, "  corrupt, now 0: {block}")?;
        }
    }
    let verified = arguments.verify.then(|| verify(&rewrite, folder));
    let verified = verified.transpose();
    if arguments.is_json {
        let verified = verified.as_ref().ok().and_then(Option::as_ref);
        writeln!(out, "{}", report_json(&report, verified))?;
    }
    match verified? {
        Some(verified) => told(&verified, arguments, out),
        None => Ok(()),
    }
}

/// The XML beside the container, if there is one: beside the link where PATH is a link to it, too.
fn beside<S>(arguments: &Arguments, source: &Hierarchy<S>) -> Option<PathBuf> {
    let root = source.folder.as_deref()?;
    let given = source
        .inside
        .is_none()
        .then(|| Path::new(&arguments.source));
    let files = given.into_iter().chain([root]);
    let mut files = files.map(|folder| folder.with_extension("xml"));
    files.find(|file| file.is_file())
}

fn report_json(report: &RewriteReport, verified: Option<&VerifyReport>) -> Value {
    // Of shards that were whole before nobody looked at the blocks.
    let missing_blocks = report.missing_blocks.filter(|_| report.whole == 0);
    let mut document = json!({
        "written": report.written,
        "whole": report.whole,
        "empty": report.empty,
        "size_written": report.size_written,
        "size_elements": report.size_elements,
        "leftovers": report.leftovers,
        "is_corrected": report.is_corrected,
        "missing_blocks": missing_blocks,
        "without_blocks": report.without_blocks,
        "corrupt_count": report.corrupt_count,
        "corrupt": report.corrupt.iter().map(|block| block.key.as_str()).collect::<Vec<_>>(),
    });
    if let Some(verified) = verified {
        document["verified_equal"] = verified.equal.into();
        document["verified_different"] = verified.different_count.into();
        let different = verified.different.iter().map(ToString::to_string);
        document["different"] = different.collect();
    }
    document
}

fn verify<S>(rewrite: &Rewrite<S>, folder: &Path) -> Result<VerifyReport>
where
    S: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    let bar = terminal::Bytes::new();
    let report = rewrite.verify(folder, |progress| {
        bar.set(progress.size_done, progress.size);
    });
    bar.finish();
    Ok(report?)
}

/// Says what a verification found; an error if there are differences.
fn told(report: &VerifyReport, arguments: &Arguments, out: &mut dyn Write) -> Result<()> {
    if !arguments.is_json {
        writeln!(out, "verified: {report}")?;
        for difference in &report.different {
            writeln!(out, "  {difference}")?;
        }
    }
    if report.is_equal() {
        return Ok(());
    }
    let shards: BTreeSet<_> = report.different.iter().map(|found| &found.shard).collect();
    let named = shards.iter().take(MOST_NAMED);
    let named: Vec<_> = named.map(|shard| shard.display().to_string()).collect();
    let more = if shards.len() > named.len() {
        ", ..."
    } else {
        ""
    };
    Err(format!(
        "chunks that are not as in the source: {}; run again, which writes their shards and what \
         is made of them once more: {}{more}",
        report.different_count,
        named.join(", ")
    )
    .into())
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
