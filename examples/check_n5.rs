//! Reads every block of an N5 hierarchy that is there, on all cores, and says which are corrupt and
//! how many are missing.
//!
//! ```text
//! cargo run --release --example check_n5 -- PATH [DATASET] [OPTIONS]
//! cargo run --release --features object_store --example check_n5 -- URL [DATASET] [OPTIONS]
//! ```
//!
//! `PATH` is the folder of an N5 hierarchy; `URL` is where one is on a server, such as
//! `s3://bucket/x.n5`, which has to be able to list folders. `DATASET` is the path of a dataset in
//! it; without it every dataset is checked. `PATH` and `URL` may go on into the hierarchy, as
//! `x.n5/em/s0` does: what is below is checked.
//!
//! ```text
//! --json             Print one JSON object, in which numbers beyond 64 bits are strings. Where
//!                    is_beyond_count is true more blocks are expected and missing than expected
//!                    and missing can say. Where unlisted_count is not 0 missing is null, as it is
//!                    not known, and present at least that many, or null too.
//! --fail-missing     It is an error too if a block, or a level, is missing.
//! --missing STATUS   A server that answers so (403, say) for a block means that it has none.
//! -h, --help         Print this.
//! ```
//!
//! There is one line for each dataset and one for each corrupt block. It exits with 1 if a block is
//! corrupt, or listed but not there (as behind a link to nowhere), a dataset or a folder cannot be
//! read, or there is no dataset. A level that `multiscales` of a group names is a dataset that
//! cannot be read if its attributes.json is empty, and named as missing if there is none, which is
//! no error by itself: of large pyramids often only the coarse levels are copied.

#[path = "support/folder.rs"]
mod folder;
#[path = "support/levels.rs"]
mod levels;
#[path = "support/place.rs"]
mod place;
#[path = "support/terminal.rs"]
pub(crate) mod terminal;
#[path = "support/url.rs"]
mod url;

use std::io::Write;
use std::process::ExitCode;

use serde_json::{Value, json};
use zarrs::storage::{ListableStorageTraits, ReadableStorageTraits, StoreKey};
use zarrs_interop::n5::{
    self, CheckError, CheckOptions, CheckReport, LeftOutReason, Unreadable, WalkReport, WalkedKind,
};

use levels::Levels;
use place::{Hierarchy, Place, at_place};
use terminal::Result;

const USAGE: &str = "usage: check_n5 PATH|URL [DATASET] [--json] [--fail-missing] \
                     [--missing STATUS]\n                [--help]";

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

/// Prints what there is to say to `out`; an error if something is wrong.
pub(crate) fn run(arguments: &[String], out: &mut dyn Write) -> Result<()> {
    let Some(arguments) = Arguments::parse(arguments)? else {
        return Ok(write!(
            out,
            "{}",
            terminal::help(include_str!("check_n5.rs"))
        )?);
    };
    let place = Place::open(&arguments.path, &arguments.missing)?;
    let result = at_place!(&place, hierarchy => check_all(hierarchy, &arguments, out));
    if let Some(traffic) = place.traffic().filter(|_| !arguments.is_json) {
        writeln!(out, "{traffic}")?;
    }
    result
}

fn check_all<S>(hierarchy: &Hierarchy<S>, arguments: &Arguments, out: &mut dyn Write) -> Result<()>
where
    S: ReadableStorageTraits + ListableStorageTraits + Clone + 'static,
{
    if let Some(inside) = hierarchy.inside.as_ref().filter(|_| !arguments.is_json) {
        let name = &hierarchy.name;
        writeln!(
            out,
            "{name} (the root of what PATH is in: {inside} in it is checked)"
        )?;
    }
    let mut findings = Findings::default();
    let node_path = hierarchy.node_path(arguments.dataset.as_deref());
    let datasets = match node_path {
        Some(dataset) if arguments.dataset.is_some() => vec![dataset],
        inside => {
            let report = hierarchy.walk(inside.as_deref())?;
            let datasets = findings.walked(&report);
            let levels = Levels::of(&hierarchy.store, &report);
            findings.unreadable.extend(levels.unreadable);
            findings.missing_levels = levels.missing;
            datasets
        }
    };
    for dataset in datasets {
        match check(hierarchy, &dataset) {
            Ok(report) => {
                if !arguments.is_json {
                    print(&report, out)?;
                }
                let mut unlisted = report.unlisted.iter();
                findings.is_without_listing |=
                    unlisted.any(|folder| place::is_without_listing(&folder.source));
                findings.reports.push(report);
            }
            Err(error) => findings
                .unreadable
                .push(explained(hierarchy, &dataset, &error)),
        }
    }
    if arguments.is_json {
        writeln!(out, "{:#}", findings.to_json(&arguments.path))?;
    } else {
        for (what, lines) in [
            ("cannot be checked", &findings.unreadable),
            ("left out", &findings.left_out),
            ("missing", &findings.missing_levels),
        ] {
            for line in lines {
                writeln!(out, "{what}: {}", one_line(line))?;
            }
        }
    }
    let verdict = findings.verdict(arguments.fail_missing);
    if hierarchy.folder.is_none() && findings.is_without_listing {
        return verdict.map_err(|error| {
            format!(
                "{error}\nA check lists folders, which this server does not: read_n5 reads slices \
                 without, and a copy in a folder can be checked."
            )
            .into()
        });
    }
    verdict
}

fn check<S>(hierarchy: &Hierarchy<S>, dataset: &str) -> std::result::Result<CheckReport, CheckError>
where
    S: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    let bar = terminal::Progress::new(0, &format!("blocks of {dataset}"));
    let mut options = CheckOptions::new();
    if let Some(concurrency) = hierarchy.concurrency {
        options = options.with_concurrency(concurrency);
    }
    let report = n5::check(&hierarchy.store, dataset, &options, |progress| {
        let expected = u64::try_from(progress.expected).unwrap_or(u64::MAX);
        bar.set_total(expected.max(progress.blocks_done));
        bar.advance();
    });
    bar.finish();
    report
}

/// Why a dataset cannot be checked, with what is there instead if it is none.
fn explained<S>(hierarchy: &Hierarchy<S>, dataset: &str, error: &CheckError) -> String
where
    S: ReadableStorageTraits + ListableStorageTraits + Clone + 'static,
{
    match error {
        CheckError::NoSuchDataset { .. } | CheckError::Group { .. } => {
            hierarchy.not_there(dataset).to_string()
        }
        error => format!("{dataset}: {error}"),
    }
}

fn print(report: &CheckReport, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "{}", one_line(report))?;
    for block in &report.corrupt {
        writeln!(out, "  corrupt: {}", one_line(block))?;
    }
    for key in &report.vanished {
        let text = format!("{key}: listed, but there was nothing to read");
        writeln!(out, "  vanished: {}", one_line(&text))?;
    }
    for folder in &report.unlisted {
        writeln!(out, "  {}", one_line(folder))?;
    }
    for key in &report.stray {
        writeln!(out, "  stray: {}", one_line(key))?;
    }
    for (what, count, kept) in [
        ("corrupt", report.corrupt_count, report.corrupt.len()),
        ("vanished", report.vanished_count, report.vanished.len()),
    ] {
        let more = count.saturating_sub(kept as u64);
        if more > 0 {
            writeln!(out, "  and {more} {what} ones more")?;
        }
    }
    Ok(())
}

fn one_line(text: &dyn std::fmt::Display) -> String {
    text.to_string().replace('\n', " ")
}

/// What was found in all datasets.
#[derive(Default)]
struct Findings {
    reports: Vec<CheckReport>,
    unreadable: Vec<String>,
    left_out: Vec<String>,
    missing_levels: Vec<String>,
    /// Whether there is a folder that could not be listed because the server lists none.
    is_without_listing: bool,
}

impl Findings {
    /// Notes what the walk could not read, and returns the datasets to check.
    fn walked(&mut self, report: &WalkReport) -> Vec<String> {
        let mut datasets = Vec::new();
        for node in report.nodes() {
            match &node.kind {
                WalkedKind::Unreadable(reason) => {
                    if let Unreadable::List(error) = reason {
                        self.is_without_listing |= place::is_without_listing(error);
                    }
                    self.unreadable.push(node.to_string());
                }
                WalkedKind::Dataset(dataset) if !dataset.is_only_a_container() => {
                    datasets.push(node.node_path.clone());
                }
                WalkedKind::Foreign(_) => self.left_out.push(node.to_string()),
                _ => (),
            }
        }
        for item in report.left_out() {
            if let LeftOutReason::NotListed(error) = &item.reason {
                self.is_without_listing |= place::is_without_listing(error);
            }
            self.left_out.push(item.to_string());
        }
        datasets
    }

    fn verdict(&self, fail_missing: bool) -> Result<()> {
        let reports = || self.reports.iter();
        let corrupt: u64 = reports().map(|report| report.corrupt_count).sum();
        let vanished: u64 = reports().map(|report| report.vanished_count).sum();
        let unlisted: u64 = reports().map(|report| report.unlisted_count).sum();
        let missing = reports().filter_map(CheckReport::known_missing);
        let missing = missing.fold(0, u128::saturating_add);
        let mut wrong = Vec::new();
        if corrupt > 0 {
            wrong.push(format!("corrupt blocks: {corrupt}"));
        }
        if vanished > 0 {
            wrong.push(format!("blocks that are listed but not there: {vanished}"));
        }
        if unlisted > 0 {
            wrong.push(format!("folders that cannot be listed: {unlisted}"));
        }
        if !self.unreadable.is_empty() {
            let unreadable = self.unreadable.len();
            wrong.push(format!("nodes that cannot be checked: {unreadable}"));
        } else if self.reports.is_empty() {
            wrong.push(
                "there is no dataset to check: give the folder of an N5 hierarchy".to_owned(),
            );
        }
        if fail_missing && missing > 0 {
            let is_over = missing == u128::MAX || reports().any(CheckReport::is_beyond_count);
            let over = if is_over { "over " } else { "" };
            wrong.push(format!("missing blocks: {over}{missing}"));
        }
        if fail_missing && !self.missing_levels.is_empty() {
            wrong.push(format!("missing levels: {}", self.missing_levels.len()));
        }
        if wrong.is_empty() {
            Ok(())
        } else {
            Err(wrong.join(", ").into())
        }
    }

    fn to_json(&self, path: &str) -> Value {
        json!({
            "path": path,
            "datasets": self.reports.iter().map(report_json).collect::<Vec<_>>(),
            "cannot_be_checked": self.unreadable,
            "left_out": self.left_out,
            "missing_levels": self.missing_levels,
        })
    }
}

fn report_json(report: &CheckReport) -> Value {
    let corrupt = report.corrupt.iter().map(|block| {
        json!({
            "key": block.key.as_str(),
            "array": block.array,
            "position": block.position,
            "reason": block.reason.to_string(),
        })
    });
    let stray = report
        .stray
        .iter()
        .map(|stray| json!({"key": stray.key, "reason": stray.reason.to_string()}));
    let unlisted = report.unlisted.iter().map(
        |folder| json!({"prefix": folder.prefix.as_str(), "reason": folder.source.to_string()}),
    );
    json!({
        "dataset": report.node_path,
        "expected": number(report.expected),
        "is_beyond_count": report.is_beyond_count(),
        "present": report.known_present(),
        "missing": report.known_missing().map(number),
        "serialized": report.serialized,
        "corrupt_count": report.corrupt_count,
        "corrupt": corrupt.collect::<Vec<_>>(),
        "vanished_count": report.vanished_count,
        "vanished": report.vanished.iter().map(StoreKey::as_str).collect::<Vec<_>>(),
        "stray_count": report.stray_count,
        "stray": stray.collect::<Vec<_>>(),
        "unlisted_count": report.unlisted_count,
        "unlisted": unlisted.collect::<Vec<_>>(),
    })
}

fn number(number: u128) -> Value {
    u64::try_from(number).map_or_else(|_| number.to_string().into(), Value::from)
}

struct Arguments {
    path: String,
    dataset: Option<String>,
    is_json: bool,
    fail_missing: bool,
    missing: Vec<u16>,
}

impl Arguments {
    /// `None` if help is asked for.
    fn parse(arguments: &[String]) -> Result<Option<Self>> {
        let mut positional = Vec::new();
        let (mut is_json, mut fail_missing, mut missing) = (false, false, Vec::new());
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--missing" => {
                    missing.push(terminal::status(arguments.next().map(String::as_str))?)
                }
                "--json" => is_json = true,
                "--fail-missing" => fail_missing = true,
                "-h" | "--help" => return Ok(None),
                option if option.starts_with('-') => {
                    return Err(format!("unknown option {option}\n{USAGE}").into());
                }
                _ => positional.push(argument.clone()),
            }
        }
        if positional.len() > 2 {
            return Err(format!("too many arguments: {positional:?}\n{USAGE}").into());
        }
        let mut positional = positional.into_iter();
        Ok(Some(Self {
            path: positional
                .next()
                .ok_or_else(|| format!("PATH is missing\n{USAGE}"))?,
            dataset: positional.next(),
            is_json,
            fail_missing,
            missing,
        }))
    }
}
