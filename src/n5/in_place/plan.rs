//! What to do with a node, given what its store says of it. Pure: no store is asked here.

use zarrs_storage::{Bytes, StoreKey};

use super::levels::OmeLevels;
use super::options::InPlaceOptions;
use super::outcome::{FailureReason, Outcome, SkipReason};
use super::pyramids::Pyramids;
use crate::n5::attributes::N5Metadata;
use crate::n5::convert::{self, Agreement, Beside, ChunkGrid, GroupOme, Presentation, ZarrOptions};
use crate::n5::metadata_error::MetadataError;
use crate::n5::node::{ATTRIBUTES_JSON, EMPTY_GROUP, NodeKeys, NodeKind, ZARR_JSON, is_same_json};
use crate::n5::root_version::with_version;
use crate::n5::walk::folder::{ZARRAY, ZGROUP};
use crate::n5::walk::frontier::Below;
use crate::n5::walk::is_label_multiset;
use crate::n5::walk::look::Look;

/// Which document is made from which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// zarr.json from attributes.json.
    ToZarr,
    /// attributes.json from zarr.json.
    ToN5,
}

/// What a conversion is to do, for all nodes.
#[derive(Clone, Copy)]
pub(super) struct Job<'a> {
    pub(super) options: &'a InPlaceOptions,
    pub(super) pyramids: &'a Pyramids,
}

/// What is to be done with a node.
#[derive(Debug)]
pub(super) struct Step {
    /// The document to write, if any.
    pub(super) write: Option<(StoreKey, Bytes)>,
    /// What became of the node, once that is written.
    pub(super) outcome: Outcome,
    /// Whether the document has to wait until N5 is found.
    pub(super) is_held: bool,
    /// Which of its folders are to be visited.
    pub(super) below: Below,
}

impl Step {
    fn leave(outcome: Outcome, below: Below) -> Self {
        Self {
            write: None,
            outcome,
            is_held: false,
            below,
        }
    }

    /// Nothing: there is no such node.
    pub(super) fn nothing() -> Self {
        Self::skip(SkipReason::NotNeeded, Below::Unknown)
    }

    fn write(key: &StoreKey, document: impl Into<Bytes>, below: Below) -> Self {
        Self {
            write: Some((key.clone(), document.into())),
            outcome: Outcome::Converted,
            is_held: false,
            below,
        }
    }

    fn skip(reason: SkipReason, below: Below) -> Self {
        Self::leave(Outcome::Skipped(reason), below)
    }

    fn fail(reason: FailureReason, below: Below) -> Self {
        Self::leave(Outcome::Failed(reason), below)
    }

    fn refuse(error: MetadataError, below: Below) -> Self {
        if error.is_unsupported() {
            Self::skip(SkipReason::Unsupported(error), below)
        } else {
            Self::fail(FailureReason::Malformed(error), below)
        }
    }
}

/// The documents of a node as they are.
#[derive(Clone, Copy)]
struct Documents<'a> {
    attributes: Option<&'a [u8]>,
    zarr: Option<&'a [u8]>,
}

/// What to do with `node`, of which the store says `look`, and `levels` of the arrays that its
/// `ome` speaks of.
pub(super) fn step(
    direction: Direction,
    job: Job<'_>,
    node: &NodeKeys,
    look: &Look,
    levels: OmeLevels,
) -> Step {
    let Job { options, pyramids } = job;
    let plan = Plan {
        direction,
        overwrite: options.overwrite,
        node,
        wanted: wanted(options, pyramids, &node.path()),
        group_document: group_document(pyramids, &node.path()),
        levels,
        is_paintera_index: look.is_paintera_index,
    };
    let (attributes, zarr) = match (&look.attributes, &look.zarr) {
        (Ok(attributes), Ok(zarr)) => (attributes.as_deref(), zarr.as_deref()),
        (Err(error), _) | (_, Err(error)) => {
            return Step::fail(FailureReason::Read(error.clone()), Below::Unknown);
        }
    };
    let documents = Documents { attributes, zarr };
    let has_document = attributes.is_some() || zarr.is_some();
    match &look.folder {
        // A single node that has a document need not be listed.
        Err(error) if options.recursive || !has_document => {
            Step::fail(FailureReason::List(error.clone()), Below::Unknown)
        }
        Ok(folder) if folder.has_folder(plan.target_name()) => Step::skip(
            SkipReason::FolderInTheWay(plan.target().clone()),
            plan.below(documents),
        ),
        Ok(folder)
            if !has_document && (folder.has_document(ZARRAY) || folder.has_document(ZGROUP)) =>
        {
            let below = if folder.has_document(ZARRAY) {
                Below::NotNumbered
            } else {
                Below::All
            };
            Step::skip(SkipReason::ZarrV2, below)
        }
        _ => plan.step(documents),
    }
}

/// The document to write at the root, of which the store says `look`, so that it states a version
/// of N5; `None` if there is nothing to do.
pub(super) fn root_step(root: &NodeKeys, look: &Look) -> Option<(StoreKey, Bytes)> {
    let (Ok(attributes), Ok(zarr)) = (&look.attributes, &look.zarr) else {
        return None;
    };
    let document = with_version(attributes.as_deref(), zarr.as_deref())?;
    Some((root.attributes.clone(), document))
}

/// What the `zarr.json` of a node is to be.
fn wanted<'a>(
    options: &InPlaceOptions,
    pyramids: &'a Pyramids,
    node_path: &str,
) -> ZarrOptions<'a> {
    ZarrOptions {
        grid: ChunkGrid::Regular,
        presentation: Presentation::published(options.dimension_order),
        ome: pyramids.ome(node_path),
        dimension_names: pyramids.dimension_names(node_path),
    }
}

/// The `zarr.json` of a group without an `attributes.json`.
fn group_document(pyramids: &Pyramids, node_path: &str) -> Bytes {
    let options = ZarrOptions {
        ome: pyramids.ome(node_path),
        ..ZarrOptions::default()
    };
    let with_ome = options.ome.and_then(|_| {
        // A group without attributes has nothing that could be wrong.
        convert::attributes_to_document(b"{}", node_path, &options).ok()
    });
    with_ome.map_or_else(|| Bytes::from_static(EMPTY_GROUP), Bytes::from)
}

/// What there is to know of a node but its documents.
struct Plan<'a> {
    direction: Direction,
    overwrite: bool,
    node: &'a NodeKeys,
    /// What the `zarr.json` is to be.
    wanted: ZarrOptions<'a>,
    /// The `zarr.json` if the node is a group without an `attributes.json`.
    group_document: Bytes,
    levels: OmeLevels,
    is_paintera_index: bool,
}

impl Plan<'_> {
    /// The key of the document that is made.
    fn target(&self) -> &StoreKey {
        match self.direction {
            Direction::ToZarr => &self.node.zarr,
            Direction::ToN5 => &self.node.attributes,
        }
    }

    fn target_name(&self) -> &'static str {
        match self.direction {
            Direction::ToZarr => ZARR_JSON,
            Direction::ToN5 => ATTRIBUTES_JSON,
        }
    }

    fn step(&self, documents: Documents<'_>) -> Step {
        let below = self.below(documents);
        match (self.direction, documents.attributes, documents.zarr) {
            (Direction::ToZarr, None, None) => {
                Step::write(&self.node.zarr, self.group_document.clone(), below)
            }
            (Direction::ToN5, attributes, None) if self.node.is_root() => {
                self.step_at_the_root(attributes, below)
            }
            (Direction::ToN5, None, None) => Step::skip(SkipReason::NotNeeded, below),
            (Direction::ToZarr, Some(attributes), zarr) => {
                self.step_to_zarr(attributes, zarr, below)
            }
            (Direction::ToN5, attributes, Some(zarr)) => self.step_to_n5(zarr, attributes, below),
            (Direction::ToZarr, None, Some(zarr)) => self.step_of_bare_group(zarr, below),
            (Direction::ToN5, Some(_), None) => Step::skip(
                SkipReason::NothingToConvert(self.node.attributes.clone()),
                below,
            ),
        }
    }

    /// Which folders may hold nodes, by the document that is converted and else by the other one.
    fn below(&self, documents: Documents<'_>) -> Below {
        let by_zarr = documents.zarr.map(NodeKind::of);
        let of_zarr = |kind| match kind {
            NodeKind::Array => Below::NotNumberedNorC,
            NodeKind::Group => Below::All,
        };
        if let (Direction::ToN5, Some(kind)) = (self.direction, by_zarr) {
            return of_zarr(kind);
        }
        match documents.attributes {
            Some(attributes) => match convert::is_dataset(attributes, &self.node.path()) {
                Ok(true) => Below::NotNumbered,
                Ok(false) => Below::All,
                Err(_) => Below::Unknown,
            },
            None => by_zarr.map_or(Below::All, of_zarr),
        }
    }

    /// The root without a `zarr.json`: N5 needs a document there all the same.
    fn step_at_the_root(&self, attributes: Option<&[u8]>, below: Below) -> Step {
        match (with_version(attributes, None), attributes) {
            (Some(document), _) => Step {
                write: Some((self.node.attributes.clone(), document)),
                outcome: Outcome::Converted,
                is_held: false,
                below,
            },
            (None, Some(_)) => Step::skip(
                SkipReason::NothingToConvert(self.node.attributes.clone()),
                below,
            ),
            (None, None) => Step::skip(SkipReason::NotNeeded, below),
        }
    }

    /// A group that has only a `zarr.json`, of an earlier run or of somebody else. N5 says nothing
    /// of it, so that all that may change is whether and how it describes a pyramid of N5.
    fn step_of_bare_group(&self, zarr: &[u8], below: Below) -> Step {
        let key = &self.node.zarr;
        let replace = |document: Vec<u8>| {
            if self.overwrite {
                Step::write(key, document, below)
            } else {
                Step::skip(SkipReason::SaysSomethingElse(key.clone()), below)
            }
        };
        let is_empty = is_same_json(zarr, EMPTY_GROUP);
        let Some(group) = GroupOme::of(zarr) else {
            return match self.wanted.ome {
                Some(_) => replace(self.group_document.to_vec()),
                None => Step::skip(SkipReason::NothingToConvert(key.clone()), below),
            };
        };
        match (group.ome(), self.wanted.ome) {
            (Some(found), Some(wanted)) if found == wanted => {
                Step::leave(Outcome::Unchanged, below)
            }
            (None, Some(_)) if is_empty => Step::write(key, self.group_document.clone(), below),
            (_, wanted @ Some(_)) => replace(group.with(wanted)),
            (None, None) if is_empty => Step::leave(Outcome::Unchanged, below),
            // Arrays that are written anew may have another order than it says.
            (Some(_), None) if self.levels.has_new || self.levels.has_n5 && self.overwrite => {
                replace(group.with(None))
            }
            (Some(_), None) if self.levels.has_n5 => Step::leave(Outcome::Unchanged, below),
            (_, None) => Step::skip(SkipReason::NothingToConvert(key.clone()), below),
        }
    }

    fn step_to_zarr(&self, attributes: &[u8], existing: Option<&[u8]>, below: Below) -> Step {
        let path = self.node.path();
        let wanted = match convert::attributes_to_document(attributes, &path, &self.wanted) {
            Ok(wanted) => wanted,
            Err(error) => return Step::refuse(error, below),
        };
        if let Ok(N5Metadata::Dataset(dataset)) = N5Metadata::parse(attributes, &path)
            && is_label_multiset(&dataset)
        {
            return Step::skip(SkipReason::LabelMultiset, below);
        }
        if self.is_paintera_index {
            return Step::skip(SkipReason::PainteraIndex, below);
        }
        let Some(existing) = existing else {
            return Step::write(&self.node.zarr, wanted, below);
        };
        if is_same_json(existing, &wanted) {
            return Step::leave(Outcome::Unchanged, below);
        }
        if self.overwrite {
            return Step::write(&self.node.zarr, wanted, below);
        }
        match convert::agreement(existing, attributes, &path, &self.wanted) {
            // Arrays that are written anew may have another order than it says.
            Agreement::Same if self.wanted.ome.is_none() && self.levels.has_new => {
                Step::skip(SkipReason::SaysSomethingElse(self.node.zarr.clone()), below)
            }
            Agreement::Same => Step::leave(Outcome::Unchanged, below),
            // Other readers do not know the grid. Nothing else changes.
            Agreement::OtherGrid(document) => Step::write(&self.node.zarr, document, below),
            Agreement::WithoutOme => Step::write(&self.node.zarr, wanted, below),
            Agreement::OtherOrder => {
                Step::skip(SkipReason::OtherOrder(self.node.zarr.clone()), below)
            }
            Agreement::Different => {
                Step::skip(SkipReason::SaysSomethingElse(self.node.zarr.clone()), below)
            }
        }
    }

    fn step_to_n5(&self, zarr: &[u8], existing: Option<&[u8]>, below: Below) -> Step {
        let path = self.node.path();
        let convert =
            |existing| convert::zarr_to_attributes_beside(zarr, existing, &path, Beside::Yes);
        let mut converted = convert(existing);
        if converted.is_err() && existing.is_some() && self.overwrite {
            // It may be the old document that is malformed; then nothing of it can be kept.
            converted = convert(None);
        }
        match converted {
            Err(error) => Step::refuse(error, below),
            Ok(None) => Step::leave(Outcome::Unchanged, below),
            Ok(Some(wanted)) if existing.is_none() && is_same_json(&wanted, b"{}") => {
                Step::skip(SkipReason::NotNeeded, below)
            }
            Ok(Some(_)) if existing.is_none() && path.contains('\\') => {
                Step::skip(SkipReason::Backslash, below)
            }
            Ok(Some(wanted)) if existing.is_none() || self.overwrite => {
                Step::write(&self.node.attributes, wanted, below)
            }
            Ok(Some(_)) => Step::skip(
                SkipReason::SaysSomethingElse(self.node.attributes.clone()),
                below,
            ),
        }
    }
}
