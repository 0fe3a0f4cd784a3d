//! The tree of a hierarchy, and what a walk left out of it.

use std::io::{self, Write};

use zarrs_interop::n5::{WalkReport, WalkedDataset, WalkedKind, WalkedNode};

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

fn print_node(node: &WalkedNode, out: &mut dyn Write) -> io::Result<()> {
    let path = node.node_path.trim_start_matches('/');
    let (depth, name) = match path.rsplit_once('/') {
        _ if path.is_empty() => (0, "/"),
        None => (1, path),
        Some((above, name)) => (above.split('/').count() + 1, name),
    };
    let indent = "  ".repeat(depth);
    match &node.kind {
        WalkedKind::Group(group) => {
            writeln!(out, "{indent}{name}{}", brief(&group.attributes()))
        }
        WalkedKind::Dataset(dataset) => writeln!(out, "{indent}{name}  {}", describe(dataset)),
        kind => writeln!(out, "{indent}{name}  ({kind})"),
    }
}

fn describe(dataset: &WalkedDataset) -> String {
    let attributes = &dataset.attributes;
    let compression = attributes.compression().to_json();
    let compression = compression.get("type").and_then(|name| name.as_str());
    let mut text = format!(
        "{:?} block {:?} {} {}{}",
        attributes.dimensions(),
        attributes.block_size(),
        attributes.data_type(),
        compression.unwrap_or_default(),
        brief(&attributes.attributes())
    );
    if dataset.is_label_multiset() {
        text += "  (a label multiset: its blocks cannot be read as an array)";
    }
    if dataset.is_paintera_index {
        text += "  (an index of Paintera: its blocks cannot be read as an array)";
    }
    if dataset.is_only_a_container() {
        text += "  (without blocks, with datasets below)";
    }
    text
}

fn brief(attributes: &serde_json::Map<String, serde_json::Value>) -> String {
    const MOST: usize = 100;
    if attributes.is_empty() {
        return String::new();
    }
    let members: Vec<String> = attributes
        .iter()
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    let text = members.join(", ");
    if text.chars().count() <= MOST {
        return format!("  {{{text}}}");
    }
    let start: String = text.chars().take(MOST).collect();
    format!("  {{{start}…}}")
}
