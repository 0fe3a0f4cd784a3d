//! The tree of a hierarchy, and what a walk left out of it.

use std::io::{self, ErrorKind, Write};

use zarrs::storage::StorageError;
use zarrs_interop::n5::{
    LeftOut, LeftOutReason, Unreadable, WalkReport, WalkedDataset, WalkedKind, WalkedNode,
};

use super::place::is_without_listing;
use super::terminal::Result;

/// How wide a line is, as far as it is up to us: attributes are cut there.
const WIDTH: usize = 80;

/// The least that is shown of attributes.
const LEAST: usize = 20;

/// The most lines about what was left out.
const MOST_LEFT_OUT: usize = 20;

/// Prints one line per node, and then what was left out.
pub(crate) fn print(report: &WalkReport, out: &mut dyn Write) -> io::Result<()> {
    for node in report.nodes() {
        print_node(node, out)?;
    }
    let is_unreadable = |node: &&WalkedNode| matches!(node.kind, WalkedKind::Unreadable(_));
    let unreadable = report.nodes().iter().filter(is_unreadable).count();
    if unreadable > 0 {
        writeln!(out, "unreadable: {unreadable}, as said above")?;
    }
    let left_out = report.left_out();
    if !left_out.is_empty() {
        writeln!(out, "left out: {}", left_out.len())?;
    }
    for item in left_out.iter().take(MOST_LEFT_OUT) {
        writeln!(out, "  {item}")?;
    }
    if left_out.len() > MOST_LEFT_OUT {
        writeln!(out, "  and {} more", left_out.len() - MOST_LEFT_OUT)?;
    }
    Ok(())
}

/// The first dataset to show, of those at or below the node `inside` if there is one: one with
/// blocks if there is any, never one that only holds others.
pub(crate) fn first_dataset(report: &WalkReport, inside: Option<&str>) -> Result<String> {
    let is_inside = |path: &str| match inside {
        Some(inside) => {
            let below = path.strip_prefix(inside);
            below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
        }
        None => true,
    };
    let datasets = || {
        report.datasets().filter(|(path, dataset)| {
            let is_array = !dataset.is_label_multiset() && !dataset.is_paintera_index;
            is_array && !dataset.is_only_a_container() && is_inside(path)
        })
    };
    let with_blocks = datasets().find(|(_, dataset)| dataset.has_blocks == Some(true));
    match (with_blocks.or_else(|| datasets().next()), inside) {
        (Some((path, _)), _) => Ok(path.to_owned()),
        // To open it says what is there instead.
        (None, Some(inside)) => Ok(inside.to_owned()),
        (None, None) => Err(no_dataset(report).into()),
    }
}

/// What to do about a listing that failed: datasets can be read without one, but not where all
/// requests fail.
fn not_listed_advice(error: &StorageError) -> &'static str {
    if is_without_listing(error) {
        return "what is there cannot be listed: name the DATASET, as in em/fibsem-uint16/s3, \
                behind PATH or URL";
    }
    match error {
        StorageError::IOError(error) if error.kind() == ErrorKind::PermissionDenied => {
            "what is there may not be listed: check the permissions and the credentials, or, if \
             only listing is denied, name the DATASET, as in em/fibsem-uint16/s3, behind PATH or \
             URL"
        }
        _ => {
            "what is there cannot be listed, for the reason said above: check PATH or URL, and the \
             network"
        }
    }
}

/// Why there is no dataset to show in all of a hierarchy.
fn no_dataset<'a>(report: &'a WalkReport) -> &'static str {
    let nodes = || report.nodes().iter().map(|node| &node.kind);
    let not_listed = |item: &'a LeftOut| match &item.reason {
        LeftOutReason::NotListed(error) if item.node_path == "/" => Some(error),
        _ => None,
    };
    let unlisted = nodes().find_map(|kind| match kind {
        WalkedKind::Unreadable(Unreadable::List(error)) => Some(error),
        _ => None,
    });
    let unlisted = unlisted.or_else(|| report.left_out().iter().find_map(not_listed));
    if let Some(error) = unlisted {
        not_listed_advice(error)
    } else if nodes().any(|kind| matches!(kind, WalkedKind::Dataset(_))) {
        "none of the datasets can be read as an array, as said above"
    } else if nodes().any(|kind| matches!(kind, WalkedKind::Unreadable(_))) {
        "there is no dataset that can be read: what is wrong is said above"
    } else if nodes().any(|kind| matches!(kind, WalkedKind::Foreign(_))) {
        "there is no N5 dataset: what is there is Zarr, which plain zarrs opens"
    } else {
        "there is no N5 dataset: give the folder of a hierarchy, in which folders have an \
         attributes.json with dimensions, blockSize, dataType and compression"
    }
}

fn print_node(node: &WalkedNode, out: &mut dyn Write) -> io::Result<()> {
    let path = node.node_path.trim_start_matches('/');
    let (depth, name) = match path.rsplit_once('/') {
        _ if path.is_empty() => (0, "/"),
        None => (1, path),
        Some((above, name)) => (above.split('/').count() + 1, name),
    };
    let line = format!("{}{name}", "  ".repeat(depth));
    match &node.kind {
        WalkedKind::Group(group) => {
            let attributes = brief(&group.attributes(), line.chars().count());
            writeln!(out, "{line}{attributes}")
        }
        WalkedKind::Dataset(dataset) => {
            let line = format!("{line}  {}", describe(dataset));
            let attributes = brief(&dataset.attributes.attributes(), line.chars().count());
            writeln!(out, "{line}{attributes}{}", remark(dataset))
        }
        kind => writeln!(out, "{line}  ({kind})"),
    }
}

fn describe(dataset: &WalkedDataset) -> String {
    let attributes = &dataset.attributes;
    let compression = attributes.compression().to_json();
    let compression = compression.get("type").and_then(|name| name.as_str());
    format!(
        "{:?} block {:?} {} {}",
        attributes.dimensions(),
        attributes.block_size(),
        attributes.data_type(),
        compression.unwrap_or_default(),
    )
}

fn remark(dataset: &WalkedDataset) -> &'static str {
    if dataset.is_label_multiset() {
        "  (a label multiset: its blocks cannot be read as an array)"
    } else if dataset.is_paintera_index {
        "  (an index of Paintera: its blocks cannot be read as an array)"
    } else if dataset.is_only_a_container() {
        "  (without blocks, with datasets below)"
    } else {
        ""
    }
}

/// The attributes, cut to what is left of a line with `used` characters.
fn brief(attributes: &serde_json::Map<String, serde_json::Value>, used: usize) -> String {
    if attributes.is_empty() {
        return String::new();
    }
    let members: Vec<String> = attributes
        .iter()
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    let text = members.join(", ");
    let around = "  {}".len();
    let most = WIDTH.saturating_sub(used + around).max(LEAST);
    if text.chars().count() <= most {
        return format!("  {{{text}}}");
    }
    let start: String = text.chars().take(most - 1).collect();
    format!("  {{{start}…}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_many_attributes_are_cut_and_never_within_a_character() {
        let attributes = serde_json::json!({"unit": "µ".repeat(100), "more": 1});
        let attributes = attributes.as_object().unwrap();
        let found = brief(attributes, 20);
        assert_eq!(found.chars().count() + 20, WIDTH);
        assert!(
            found.starts_with("  {unit: \"µµ") && found.ends_with("…}"),
            "{found}"
        );
        assert_eq!(brief(attributes, 200).chars().count(), LEAST + 4);
        assert_eq!(brief(&serde_json::Map::new(), 0), "");
    }
}
