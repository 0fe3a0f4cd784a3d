//! Which blocks of a dataset are there, and which cannot be read.

use std::error::Error;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use zarrs::array::CodecError;
use zarrs::storage::{ListableStorageTraits, ReadableStorageTraits, StorageError};
use zarrs_interop::n5::region_reader::{BlockFailure, BlockFailureReason};
use zarrs_interop::n5::{self, CheckOptions, CheckReport, StrayReason};

use super::folder;
use super::place::Hierarchy;
use super::region::Found;
use super::slice::Plane;
use super::terminal::{Progress, Result};

/// The most blocks of a kind that are named.
const MOST_NAMED: usize = 5;

/// The blocks of a dataset, by its listing.
pub(crate) struct Listed(CheckReport);

impl Listed {
    pub(crate) fn of<S>(store: &S, dataset: &str) -> Result<Self>
    where
        S: ReadableStorageTraits + ListableStorageTraits + 'static,
    {
        let options = CheckOptions::new().with_reading(false);
        let bar = Progress::new(0, &format!("blocks of {dataset} listed"));
        let report = n5::check(store, dataset, &options, |progress| {
            let expected = u64::try_from(progress.expected).unwrap_or(u64::MAX);
            bar.set_total(expected.max(progress.blocks_done));
            bar.advance();
        })?;
        bar.finish();
        Ok(Self(report))
    }

    pub(crate) fn is_nothing(&self) -> bool {
        self.0.present == 0
    }

    pub(crate) fn first_key(&self) -> String {
        self.0.first_key.as_str().to_owned()
    }

    pub(crate) fn first_present(&self) -> Option<Vec<u64>> {
        self.0.first_present.clone()
    }

    /// Whether something in the place of a block may be no file.
    pub(crate) fn is_in_doubt(&self) -> bool {
        self.0.vanished_count > 0 || self.0.unlisted_count > 0
    }

    /// Names the nodes that lie among the blocks.
    pub(crate) fn print_nodes(&self, out: &mut dyn Write) -> io::Result<()> {
        let strays = self.0.stray.iter();
        for stray in strays.filter(|stray| stray.reason == StrayReason::Node) {
            writeln!(out, "{stray}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Listed {
    /// How many are there.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = &self.0;
        let over = if report.is_beyond_count() {
            "over "
        } else {
            ""
        };
        let (present, expected) = (report.present, report.expected);
        write!(formatter, "{present} of {over}{expected} blocks present")?;
        if report.vanished_count > 0 {
            write!(
                formatter,
                ", {} listed but not there",
                report.vanished_count
            )?;
        }
        Ok(())
    }
}

/// Prints how many blocks of each plane were there.
pub(crate) fn print_present(
    planes: &[Plane],
    found: &Found,
    out: &mut dyn Write,
) -> io::Result<()> {
    for (plane, found) in planes.iter().zip(&found.planes) {
        let part = if plane.is_part {
            " (a part of the plane)"
        } else {
            ""
        };
        let (subset, blocks) = (&plane.subset, found.blocks);
        let there = found.present + found.failed.len() as u64;
        writeln!(
            out,
            "slice {subset}: {there} of {blocks} blocks present{part}"
        )?;
    }
    Ok(())
}

/// The error of planes of which not a single block is there.
pub(crate) fn none(
    planes: &[Plane],
    found: &Found,
    folder: Option<&Path>,
) -> Result<Box<dyn Error>> {
    let subset = match planes {
        [plane] => format!("slice {}", plane.subset),
        planes => format!("the {} slices", planes.len()),
    };
    let blocks: u64 = found.planes.iter().map(|plane| plane.blocks).sum();
    let key = found
        .planes
        .first()
        .map_or("", |plane| plane.first_key.as_str());
    let present = format!("{subset}: 0 of {blocks} blocks present");
    nothing(folder, &present, key, "slice")
}

/// Names the first blocks that are missing and that could not be read.
pub(crate) fn print_failures(found: &Found, out: &mut dyn Write) -> io::Result<()> {
    let missing: Vec<_> = found
        .planes
        .iter()
        .flat_map(|plane| &plane.missing)
        .collect();
    if let Some((count, named, more)) = first(&missing, |block| block.key.to_string()) {
        writeln!(out, "missing, shown as 0: {count} ({named}{more})")?;
    }
    let failed: Vec<_> = found
        .planes
        .iter()
        .flat_map(|plane| &plane.failed)
        .collect();
    for block in failed.iter().take(MOST_NAMED) {
        writeln!(out, "cannot be read, shown as 0: {block}")?;
    }
    if failed.len() > MOST_NAMED {
        writeln!(out, "  and {} more", failed.len() - MOST_NAMED)?;
    }
    Ok(())
}

fn first(
    blocks: &[&BlockFailure],
    name: impl Fn(&BlockFailure) -> String,
) -> Option<(usize, String, String)> {
    let named: Vec<_> = blocks
        .iter()
        .take(MOST_NAMED)
        .map(|block| name(block))
        .collect();
    let more = blocks.len() - named.len();
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    (!blocks.is_empty()).then(|| (blocks.len(), named.join(", "), more))
}

/// The error of planes with blocks that could not be read.
pub(crate) fn failed<S>(found: &Found, hierarchy: &Hierarchy<S>) -> Box<dyn Error> {
    let failed = found.planes.iter().flat_map(|plane| &plane.failed);
    let count = failed.clone().count();
    let blocks = if count == 1 {
        "1 block"
    } else {
        &format!("{count} blocks")
    };
    let array = failed.clone().next().map_or("", |block| &block.array);
    let name = &hierarchy.name;
    let is = |text: &str| {
        failed
            .clone()
            .any(|block| block.reason.to_string().contains(text))
    };
    let advice = if is("serialised objects") {
        "it is a label multiset or an index of Paintera, whose blocks hold no elements; choose \
         another dataset"
            .to_owned()
    } else if is("HTTP 403") {
        "if this server answers 403 for blocks that it does not have, say --missing 403; otherwise \
         check the credentials"
            .to_owned()
    } else if hierarchy.folder.is_some() {
        format!("check_n5 {name} {array} reads all blocks and names those that are corrupt")
    } else {
        at_server(
            failed.clone().filter(|block| is_unfetched(block)).count(),
            count,
        )
    };
    format!("{blocks} of the slice cannot be read, as said above: {advice}").into()
}

/// What to do about `count` blocks of a server that cannot be read, of which `unfetched` did not
/// come. Those alone that came may be damaged.
fn at_server(unfetched: usize, count: usize) -> String {
    match unfetched {
        0 => "try again; if it is the same then, the blocks are damaged on the server".to_owned(),
        _ if unfetched == count => "they could not be fetched: try again later; if it is the same \
                                    then, what is said above is to be mended first"
            .to_owned(),
        _ => format!(
            "try again; if it is the same then, {unfetched} could not be fetched, for the reasons \
             said above, and the others are damaged on the server"
        ),
    }
}

/// Whether it is the store that failed.
fn is_unfetched(block: &BlockFailure) -> bool {
    match &block.reason {
        BlockFailureReason::Unreadable(CodecError::StorageError(error)) => {
            !matches!(error, StorageError::InvalidByteRangeError(_))
        }
        _ => false,
    }
}

/// The error of `what` without a single block, the first of which was expected at `key`.
pub(crate) fn nothing(
    folder: Option<&Path>,
    present: &str,
    key: &str,
    what: &str,
) -> Result<Box<dyn Error>> {
    let found = match folder {
        Some(folder) => format!(", and {}", folder::instead_of(folder, key)?),
        None => String::new(),
    };
    let other = match what {
        "slice" => "; with --slice another one can be read",
        _ => "",
    };
    Ok(format!(
        "{present}: the first one expected is {key}{found}\nIf the {what} is to be black, say \
         --allow-empty{other}."
    )
    .into())
}
