//! Which groups are pyramids, and what OME-Zarr says of them. Pure, but for the files `sync` and
//! `asynchronous`, which ask the store.

#[cfg(feature = "async")]
mod asynchronous;
mod sync;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::options::InPlaceOptions;
use super::outcome::Outcome;
use super::pyramid_report::{PyramidRefusal, PyramidReport};
use super::pyramids::Pyramids;
use crate::n5::dimension_order::DimensionOrder;
use crate::n5::multiscale::{
    DatasetView, GroupView, MultiscaleOptions, OmeOrder, Pyramid, ome_attributes, recognise, setup,
};
use crate::n5::node::NodeKeys;
use crate::n5::walk::frontier::Visit;
use crate::n5::walk::{ForeignNode, WalkReport, WalkedKind};
#[cfg(feature = "async")]
pub(super) use asynchronous::async_pyramids;
pub(super) use sync::pyramids;

/// The pyramids of a hierarchy that was walked from its root on.
fn recognised(report: WalkReport, options: &InPlaceOptions) -> Pyramids {
    let order = options.dimension_order;
    let empty = Map::new();
    let mut attributes: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    // The names of the datasets in each group.
    let mut datasets: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut groups = Vec::new();
    for node in report.into_parts().0 {
        let path = node.node_path;
        match node.kind {
            WalkedKind::Group(group) => {
                attributes.insert(path.clone(), group.attributes());
                groups.push(path);
            }
            // An earlier conversion gave it a document with `ome`.
            WalkedKind::Foreign(ForeignNode::ZarrV3Group) => groups.push(path),
            WalkedKind::Dataset(dataset) => {
                let members = dataset.attributes.document().to_map(|_| true);
                if let Some((parent, name)) = split(&path) {
                    let names = datasets.entry(parent.to_owned()).or_default();
                    names.push(name.to_owned());
                }
                attributes.insert(path, members);
            }
            WalkedKind::Foreign(_) | WalkedKind::Unreadable(_) => {}
        }
    }
    let of = |path: &str| attributes.get(path).unwrap_or(&empty);
    let mut pyramids = Pyramids::default();
    for path in groups {
        let Some(names) = datasets.get(&path) else {
            continue;
        };
        let paths: Vec<String> = names.iter().map(|name| below(&path, name)).collect();
        let children = std::iter::zip(names, &paths).map(|(name, path)| DatasetView {
            path: name,
            attributes: of(path),
        });
        let children: Vec<_> = children.collect();
        let ancestors: Vec<_> = ancestors(&path).map(of).collect();
        let group = GroupView {
            path: &path,
            attributes: of(&path),
            ancestors: &ancestors,
            children: &children,
        };
        let mut known = MultiscaleOptions::new();
        if let Some(size) = setup(&path).and_then(|setup| options.voxel_sizes.get(&setup)) {
            known = known.with_voxel_size(size.clone());
        }
        match recognise(&group, &known) {
            Ok(None) => {}
            Ok(Some(pyramid)) => pyramids.add(&path, pyramid, order),
            Err(error) => pyramids.reports.push(PyramidReport {
                group_path: path,
                refusal: Some(PyramidRefusal::NotUnderstood(error)),
                notes: Vec::new(),
            }),
        }
    }
    pyramids
}

impl Pyramids {
    fn add(&mut self, group_path: &str, pyramid: Pyramid, order: DimensionOrder) {
        let order = match order {
            DimensionOrder::AsStored => OmeOrder::Stored,
            DimensionOrder::Reversed => OmeOrder::Reversed,
        };
        let refusal = match ome_attributes(&pyramid, order) {
            Ok(mut attributes) => {
                let ome = attributes.remove("ome");
                self.ome.extend(ome.map(|ome| (group_path.to_owned(), ome)));
                // What is described has a name for each of its axes.
                let names: Option<Vec<String>> =
                    pyramid.axes.iter().map(|axis| axis.name.clone()).collect();
                for level in &pyramid.levels {
                    let path = below(group_path, &level.path);
                    self.dimension_names
                        .extend(names.clone().map(|names| (path, names)));
                }
                None
            }
            Err(error) => Some(PyramidRefusal::NotDescribable(error)),
        };
        self.reports.push(PyramidReport {
            group_path: group_path.to_owned(),
            refusal,
            notes: pyramid.notes,
        });
    }

    /// The arrays that a group speaks of.
    fn levels(&self) -> Vec<Visit> {
        let paths = self.dimension_names.keys();
        let nodes = paths.filter_map(|path| NodeKeys::of_path(path));
        nodes.map(Visit::to).collect()
    }

    /// Notes what would become of an array. Unless it gets the document that its group speaks of,
    /// the group speaks of none.
    fn note_level(&mut self, level: &NodeKeys, outcome: &Outcome) {
        let level = level.path();
        if matches!(outcome, Outcome::Converted | Outcome::Unchanged) {
            return;
        }
        let Some((group_path, _)) = split(&level) else {
            return;
        };
        if self.ome.remove(group_path).is_none() {
            return;
        }
        self.dimension_names
            .retain(|path, _| split(path).is_none_or(|(parent, _)| parent != group_path));
        let mut reports = self.reports.iter_mut();
        if let Some(report) = reports.find(|report| report.group_path == group_path) {
            report.refusal = Some(PyramidRefusal::Level {
                level: level.clone(),
                outcome: outcome.to_string(),
            });
        }
    }
}

/// The path of the node above another one, and the name of that.
fn split(path: &str) -> Option<(&str, &str)> {
    let (parent, name) = path.rsplit_once('/')?;
    let parent = if parent.is_empty() { "/" } else { parent };
    (!name.is_empty()).then_some((parent, name))
}

fn parent(path: &str) -> Option<&str> {
    split(path).map(|(parent, _)| parent)
}

/// The paths of the nodes above another one, the parent first.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(parent(path), |path| parent(path))
}

/// The path of a node that is named `name` in a group.
fn below(group_path: &str, name: &str) -> String {
    format!("{}/{name}", group_path.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ancestors_end_with_the_root() {
        assert_eq!(ancestors("/").next(), None);
        assert_eq!(ancestors("/a/b").collect::<Vec<_>>(), ["/a", "/"]);
        assert_eq!(below("/", "a"), "/a");
        assert_eq!(below("/a", "b"), "/a/b");
    }
}
