//! Finding the dataset or pyramid to rewrite, and what describes it.

use serde_json::{Map, Value};
use zarrs_storage::{ListableStorageTraits, ReadableStorageTraits, StoreKey};

use super::error::RewriteError;
use super::plan::{Source, SourceLevel};
use crate::n5::attributes::{DatasetAttributes, N5Metadata};
use crate::n5::multiscale::{
    DatasetView, GroupView, MultiscaleError, MultiscaleOptions, Pyramid, listed_paths, recognise,
    recognise_dataset,
};
use crate::n5::node::ATTRIBUTES_JSON;
#[cfg(feature = "filesystem")]
use crate::n5::walk::file_system;
use crate::n5::walk::sized::{MAX_DOCUMENT_SIZE, get};
use crate::n5::walk::{WalkOptions, WalkReport, WalkedDataset, WalkedKind, walk};

/// How many levels below a group are searched for what may be meant instead, and how many nodes.
const SEARCH: (usize, usize) = (4, 600);

/// How many candidates an error names.
const MOST_CANDIDATES: usize = 12;

/// The name of the array of a dataset that is no level `sK`.
const ALONE: &str = "s0";

/// Finds the dataset or the pyramid at `path`.
pub(super) fn find<S>(
    store: &S,
    path: &str,
    options: &MultiscaleOptions,
) -> Result<Source, RewriteError>
where
    S: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    let node_path = format!("/{}", path.trim_matches('/'));
    let above = ancestors(store, &node_path)?;
    let above: Vec<&Map<String, Value>> = above.iter().collect();
    match read(store, &node_path)? {
        Some(N5Metadata::Dataset(attributes)) => {
            let candidates = match below_container(store, &node_path)? {
                candidates if candidates.is_empty() => {
                    return dataset(node_path, attributes, &above, options);
                }
                candidates => candidates,
            };
            Err(RewriteError::NoPyramid {
                path: node_path,
                candidates,
            })
        }
        Some(N5Metadata::Group(attributes)) => {
            group(store, node_path, &attributes.to_json(), &above, options)
        }
        None => group(store, node_path, &Map::new(), &above, options),
    }
}

/// The document of a node, if it has one.
fn read<S: ReadableStorageTraits + 'static>(
    store: &S,
    node_path: &str,
) -> Result<Option<N5Metadata>, RewriteError> {
    let Some(key) = attributes_key(node_path) else {
        return Ok(None);
    };
    match get(store, &key, MAX_DOCUMENT_SIZE) {
        Ok(Some(document)) => Ok(Some(N5Metadata::parse(&document, node_path)?)),
        Ok(None) => not_vanished(store, &key).map(|()| None),
        Err(source) => Err(RewriteError::Read { key, source }),
    }
}

/// A document that is not there may be missing, but neither it nor its folder may be a link to
/// nowhere: what the link meant is somewhere.
#[cfg(feature = "filesystem")]
fn not_vanished<S: 'static>(store: &S, key: &StoreKey) -> Result<(), RewriteError> {
    let Some(files) = file_system::of(store) else {
        return Ok(());
    };
    let document = files.key_to_fspath(key);
    let mut places = [document.parent(), Some(&document)].into_iter().flatten();
    match places.find(|path| path.is_symlink() && !path.exists()) {
        Some(path) => Err(RewriteError::Vanished {
            path: path.to_owned(),
        }),
        None => Ok(()),
    }
}

#[cfg(not(feature = "filesystem"))]
fn not_vanished<S: 'static>(_: &S, _: &StoreKey) -> Result<(), RewriteError> {
    Ok(())
}

fn attributes_key(node_path: &str) -> Option<StoreKey> {
    let folder = node_path.trim_matches('/');
    let slash = if folder.is_empty() { "" } else { "/" };
    StoreKey::new(format!("{folder}{slash}{ATTRIBUTES_JSON}")).ok()
}

/// The attributes of the groups above a node, the parent first. One that cannot be read says
/// nothing.
fn ancestors<S: ReadableStorageTraits + 'static>(
    store: &S,
    node_path: &str,
) -> Result<Vec<Map<String, Value>>, RewriteError> {
    let mut above = Vec::new();
    let mut path = node_path;
    while let Some((parent, _)) = path.rsplit_once('/') {
        if path == "/" {
            break;
        }
        let parent_path = if parent.is_empty() { "/" } else { parent };
        let document = match read(store, parent_path) {
            Ok(document) => document,
            Err(RewriteError::Metadata(_)) => None,
            Err(error) => return Err(error),
        };
        above.push(
            document
                .map(|document| document.to_json())
                .unwrap_or_default(),
        );
        path = parent_path;
        if parent.is_empty() {
            break;
        }
    }
    Ok(above)
}

/// A dataset on its own. One that no dialect describes is taken as the only level of a pyramid, so
/// that its axes are guessed, and noted, as there.
fn dataset(
    node_path: String,
    attributes: DatasetAttributes,
    above: &[&Map<String, Value>],
    options: &MultiscaleOptions,
) -> Result<Source, RewriteError> {
    let document = attributes.to_json();
    let mut pyramid = match recognise_dataset(&node_path, &document, above, options)? {
        Some(pyramid) => pyramid,
        None => as_level(&node_path, &document, above, options)?,
    };
    let name = node_path.rsplit('/').next().unwrap_or_default();
    let is_level = name
        .strip_prefix('s')
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()));
    for level in &mut pyramid.levels {
        let path = if is_level { name } else { ALONE };
        path.clone_into(&mut level.path);
    }
    Ok(Source {
        levels: vec![SourceLevel {
            node_path: node_path.clone(),
            attributes,
        }],
        node_path,
        pyramid,
    })
}

fn as_level(
    node_path: &str,
    document: &Map<String, Value>,
    above: &[&Map<String, Value>],
    options: &MultiscaleOptions,
) -> Result<Pyramid, RewriteError> {
    let nothing = Map::new();
    let alone = GroupView {
        path: node_path,
        attributes: &nothing,
        ancestors: above,
        children: &[DatasetView {
            path: ALONE,
            attributes: document,
        }],
    };
    recognise(&alone, options)?.ok_or_else(|| {
        RewriteError::Multiscale(MultiscaleError::NoLevels {
            path: node_path.to_owned(),
            reasons: "it is no image".to_owned(),
        })
    })
}

/// A pyramid whose levels are below a group.
fn group<S>(
    store: &S,
    node_path: String,
    attributes: &Map<String, Value>,
    above: &[&Map<String, Value>],
    options: &MultiscaleOptions,
) -> Result<Source, RewriteError>
where
    S: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    let mut datasets = children(store, &node_path)?;
    for listed in listed_paths(attributes) {
        if datasets.iter().any(|(path, _)| *path == listed) {
            continue;
        }
        let path = joined(&node_path, &listed);
        match read(store, &path)? {
            Some(N5Metadata::Dataset(found)) => datasets.push((listed, found)),
            Some(N5Metadata::Group(_)) => return Err(RewriteError::NoDataset { path }),
            // Levels are left out on purpose when the finest are too large to be copied.
            None => {}
        }
    }
    let documents: Vec<_> = datasets.iter().map(|(_, found)| found.to_json()).collect();
    let views: Vec<_> = datasets
        .iter()
        .zip(&documents)
        .map(|((path, _), attributes)| DatasetView { path, attributes })
        .collect();
    let view = GroupView {
        path: &node_path,
        attributes,
        ancestors: above,
        children: &views,
    };
    let Some(pyramid) = recognise(&view, options)? else {
        let candidates = match search(store, &node_path) {
            Some(report) => candidates(&report, &node_path)?,
            None => Vec::new(),
        };
        return match candidates.as_slice() {
            [only] => find(store, only, options),
            _ => Err(RewriteError::NoPyramid {
                path: node_path,
                candidates,
            }),
        };
    };
    let mut levels = Vec::with_capacity(pyramid.levels.len());
    for level in &pyramid.levels {
        // Every level is one of the children that the pyramid was recognised from.
        if let Some((path, attributes)) = datasets.iter().find(|(path, _)| *path == level.path) {
            levels.push(SourceLevel {
                node_path: joined(&node_path, path),
                attributes: attributes.clone(),
            });
        }
    }
    Ok(Source {
        node_path,
        pyramid,
        levels,
    })
}

fn joined(node_path: &str, below: &str) -> String {
    format!("{}/{below}", node_path.trim_end_matches('/'))
}

/// The datasets in a group, by their names.
///
/// Not [`search`], whose limits are for hints only: a group may have more levels and other children
/// than that, and what is deeper is nobody's level and would cost a request per node.
fn children<S>(store: &S, node_path: &str) -> Result<Vec<(String, DatasetAttributes)>, RewriteError>
where
    S: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    let options = WalkOptions::new()
        .with_node_path(node_path)
        .with_max_depth(1);
    let report = match walk(store, &options) {
        Ok(report) => report,
        // A store that cannot list does not know it.
        Err(error) => match numbered_levels(store, node_path)? {
            levels if levels.is_empty() => return Err(error.into()),
            levels => return Ok(levels),
        },
    };
    let listed: Vec<_> = report
        .datasets()
        .filter_map(|(path, dataset)| {
            let name = path.strip_prefix(node_path)?.trim_start_matches('/');
            (!name.is_empty()).then(|| (name.to_owned(), dataset.attributes.clone()))
        })
        .collect();
    if listed.is_empty() {
        return numbered_levels(store, node_path);
    }
    Ok(listed)
}

/// The datasets `s0`, `s1`, … of a group in a store that cannot list, up to the first that is not
/// there.
fn numbered_levels<S: ReadableStorageTraits + 'static>(
    store: &S,
    node_path: &str,
) -> Result<Vec<(String, DatasetAttributes)>, RewriteError> {
    let mut levels = Vec::new();
    loop {
        let name = format!("s{}", levels.len());
        match read(store, &joined(node_path, &name))? {
            Some(N5Metadata::Dataset(attributes)) => levels.push((name, attributes)),
            _ => return Ok(levels),
        }
    }
}

/// What is at and below a node, `None` where that cannot be listed.
fn search<S>(store: &S, node_path: &str) -> Option<WalkReport>
where
    S: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    let options = WalkOptions::new()
        .with_node_path(node_path)
        .with_max_depth(SEARCH.0)
        .with_max_nodes(SEARCH.1);
    walk(store, &options).ok()
}

/// The pyramids and datasets below a group, to choose from; where there are none, the nodes that
/// cannot be read, as whoever chooses one is told why; an error if there are label multisets and
/// nothing else.
fn candidates(report: &WalkReport, node_path: &str) -> Result<Vec<String>, RewriteError> {
    let mut candidates: Vec<String> = Vec::new();
    let mut multiset = None;
    for node in report.nodes() {
        let WalkedKind::Dataset(dataset) = &node.kind else {
            continue;
        };
        if !is_image(dataset) {
            if dataset.is_label_multiset() {
                multiset = Some(node.node_path.clone());
            }
            continue;
        }
        let (group, name) = node.node_path.rsplit_once('/').unwrap_or_default();
        let is_level = name
            .strip_prefix('s')
            .is_some_and(|n| n.parse::<u32>().is_ok());
        let candidate = if is_level && group != node_path.trim_end_matches('/') {
            group.to_owned()
        } else {
            node.node_path.clone()
        };
        if !candidates.contains(&candidate) {
            candidates.push(candidate);
        }
    }
    if let Some(path) = multiset
        && candidates.is_empty()
    {
        return Err(MultiscaleError::LabelMultiset { path }.into());
    }
    if candidates.is_empty() {
        let nodes = report.nodes().iter();
        let unreadable = nodes.filter(|node| matches!(node.kind, WalkedKind::Unreadable(_)));
        let unreadable = unreadable.map(|node| node.node_path.clone());
        candidates.extend(unreadable.filter(|path| path != node_path));
    }
    if candidates.len() > MOST_CANDIDATES {
        let more = candidates.len() - MOST_CANDIDATES;
        candidates.truncate(MOST_CANDIDATES);
        candidates.push(format!("{more} more"));
    }
    Ok(candidates)
}

fn is_image(dataset: &WalkedDataset) -> bool {
    !dataset.is_label_multiset() && !dataset.is_paintera_index && !dataset.is_only_a_container()
}

/// What is below a dataset without blocks, as `BigStitcher` writes them on `setupN`.
fn below_container<S>(store: &S, node_path: &str) -> Result<Vec<String>, RewriteError>
where
    S: ReadableStorageTraits + ListableStorageTraits + 'static,
{
    let Some(report) = search(store, node_path) else {
        return Ok(Vec::new());
    };
    let dataset = report.datasets().find(|(path, _)| *path == node_path);
    if dataset.is_some_and(|(_, dataset)| dataset.is_only_a_container()) {
        candidates(&report, node_path)
    } else {
        Ok(Vec::new())
    }
}
