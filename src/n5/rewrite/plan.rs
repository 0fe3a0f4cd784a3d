//! What the output is: levels, shards, phases, parts and memory. Pure: no store is known here.

use serde_json::{Map, Value};

use super::coarser::{FinerLevel, coarser_levels};
use super::error::RewriteError;
use super::grid::ShardGrid;
use super::options::{Downsample, Levels, OutputOrder, RewriteOptions};
use super::planned_level::{LevelOrigin, PlannedLevel};
use super::shapes;
use crate::n5::attributes::DatasetAttributes;
use crate::n5::multiscale::{Axis, AxisKind, Level, Note, NoteKind, Pyramid};

/// What the process needs besides shards: the program, its threads, and buffers of the system.
const BASE_MEMORY: u64 = 32 << 20;

/// A level of the source: the path of its dataset from the root, and its document.
#[derive(Clone, Debug)]
pub(super) struct SourceLevel {
    pub(super) node_path: String,
    pub(super) attributes: DatasetAttributes,
}

/// What the source is.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// The path of the group or dataset that was asked for.
    pub(super) node_path: String,
    /// In the order of N5. Levels have the paths that they get in the output.
    pub(super) pyramid: Pyramid,
    /// One for each level of the pyramid.
    pub(super) levels: Vec<SourceLevel>,
}

/// What a rewrite will do.
#[derive(Clone, Debug)]
pub struct RewritePlan {
    pub(super) source_path: String,
    pub(super) levels: Vec<PlannedLevel>,
    /// In the order of the output, with all its levels.
    pub(super) pyramid: Pyramid,
    /// `order[i]` is the dimension of N5 that is dimension `i` of the output.
    pub(super) order: Vec<usize>,
}

impl RewritePlan {
    /// Plans the levels of the output.
    pub(super) fn new(source: Source, options: &RewriteOptions) -> Result<Self, RewriteError> {
        let order = order(&source.pyramid, options.order);
        let Source {
            node_path,
            pyramid,
            mut levels,
        } = source;
        // The order names every dimension once.
        let Some(mut pyramid) = pyramid.permuted(&order) else {
            return Err(RewriteError::NoPyramid {
                path: node_path,
                candidates: Vec::new(),
            });
        };
        if options.levels != Levels::All {
            pyramid.levels.truncate(1);
            levels.truncate(1);
        }
        let mut planned = Vec::with_capacity(levels.len());
        let mut shapes = None;
        for (level, dataset) in pyramid.levels.iter().zip(levels) {
            let attributes = &dataset.attributes;
            let array = picked(attributes.dimensions(), &order);
            let block: Vec<u64> = attributes
                .block_size()
                .iter()
                .map(|&len| u64::from(len))
                .collect();
            let data_type = attributes.data_type();
            let size = data_type.size() as u64;
            let grows = grows(&pyramid.axes);
            // All levels have the shapes of the finest.
            let (chunk, shard) = match shapes.clone() {
                Some(shapes) => shapes,
                None => shapes_of(options, &picked(&block, &order), &array, &grows, size)?,
            };
            shapes = Some((chunk.clone(), shard.clone()));
            planned.push(PlannedLevel {
                path: level.path.clone(),
                origin: LevelOrigin::Dataset {
                    node_path: dataset.node_path,
                },
                phase: 0,
                data_type,
                grid: ShardGrid::new(array, shard, chunk, data_type.size())?,
                block_size: block
                    .iter()
                    .fold(size, |size, &len| size.saturating_mul(len)),
                recorded: recorded(attributes),
            });
        }
        let mut plan = Self {
            source_path: node_path,
            levels: planned,
            pyramid,
            order,
        };
        plan.note_data_types();
        if let Levels::Made(how) = options.levels {
            plan.add_made_levels(how)?;
        }
        if let Some(phase) = options.phase
            && phase >= plan.phases()
        {
            let last = plan.phases() - 1;
            return Err(RewriteError::Phase { phase, last });
        }
        Ok(plan)
    }

    /// Notes levels with different data types, which OME-Zarr does not forbid and few readers
    /// expect.
    fn note_data_types(&mut self) {
        let first = self.levels.first().map(PlannedLevel::data_type);
        if self
            .levels
            .iter()
            .all(|level| Some(level.data_type) == first)
        {
            return;
        }
        let types = self.levels.iter();
        let types = types.map(|level| format!("{} {}", level.path, level.data_type));
        self.pyramid.notes.push(Note {
            kind: NoteKind::Contradiction,
            path: self.source_path.clone(),
            text: format!(
                "the levels have different data types: {}; each is written as it is, and many \
                 readers expect one for all: --levels 0 takes the finest only, --downsample makes \
                 the others of it",
                types.collect::<Vec<_>>().join(", ")
            ),
        });
    }

    fn add_made_levels(&mut self, how: Downsample) -> Result<(), RewriteError> {
        let axes = &self.pyramid.axes;
        let (Some(first), Some(placed)) = (self.levels.first(), self.pyramid.levels.first()) else {
            return Ok(());
        };
        let unknown = axes
            .iter()
            .filter(|axis| axis.kind == AxisKind::Unknown)
            .count();
        if unknown > 0 {
            return Err(RewriteError::UnknownSpace {
                dataset: self.source_path.clone(),
                found: unknown,
                dimensionality: axes.len(),
            });
        }
        let is_space: Vec<bool> = axes
            .iter()
            .map(|axis| axis.kind == AxisKind::Space)
            .collect();
        let finest = FinerLevel {
            shape: first.shape(),
            scale: &placed.scale,
            translation: &placed.translation,
        };
        let coarser = coarser_levels(finest, &is_space, first.chunk());
        let (first, first_name) = (first.clone(), placed.path.clone());
        if self.pyramid.is_label && how == Downsample::Mean {
            self.pyramid.notes.push(Note {
                kind: NoteKind::Contradiction,
                path: self.source_path.clone(),
                text: "the elements are labels, and a mean of labels is another label: \
                       make coarser levels by mode"
                    .to_owned(),
            });
        }
        for (index, level) in coarser.into_iter().enumerate() {
            let path = coarser_name(&first_name, index + 1);
            self.levels.push(PlannedLevel {
                path: path.clone(),
                origin: LevelOrigin::Made {
                    how,
                    factors: level.factors,
                },
                phase: index + 1,
                data_type: first.data_type,
                grid: ShardGrid::new(
                    level.shape,
                    first.shard().to_vec(),
                    first.chunk().to_vec(),
                    first.data_type.size(),
                )?,
                block_size: 0,
                recorded: Map::new(),
            });
            self.pyramid.levels.push(Level {
                path,
                scale: level.scale,
                translation: level.translation,
            });
        }
        Ok(())
    }

    /// The path of the dataset, or of the group of the pyramid, in the container.
    #[must_use]
    pub fn source_path(&self) -> &str {
        &self.source_path
    }

    /// The levels, the finest first.
    #[must_use]
    pub fn levels(&self) -> &[PlannedLevel] {
        &self.levels
    }

    /// The pyramid of the output: axes, scales and translations in the order of the output, and
    /// notes of how the attributes of the source were understood.
    #[must_use]
    pub fn pyramid(&self) -> &Pyramid {
        &self.pyramid
    }

    /// The order of the dimensions: `order[i]` is the dimension of N5 that is dimension `i` of the
    /// output.
    #[must_use]
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The number of phases, at least 1.
    #[must_use]
    pub fn phases(&self) -> usize {
        self.levels
            .iter()
            .map(|level| level.phase)
            .max()
            .unwrap_or(0)
            + 1
    }

    /// The most memory in bytes that a run with so many threads needs: about one shard per thread,
    /// some blocks and chunks, and 32 MiB.
    #[must_use]
    pub fn memory(&self, threads: usize) -> u64 {
        let per_thread = self.levels.iter().map(PlannedLevel::memory).max();
        let threads = u64::try_from(threads).unwrap_or(u64::MAX);
        per_thread
            .unwrap_or(0)
            .saturating_mul(threads)
            .saturating_add(BASE_MEMORY)
    }

    /// The size of all elements in bytes, uncompressed.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.levels
            .iter()
            .fold(0, |size, level| size.saturating_add(level.size()))
    }

    /// The number of shards of all levels.
    #[must_use]
    pub fn shards(&self) -> u64 {
        self.levels
            .iter()
            .fold(0, |shards, level| shards.saturating_add(level.shards()))
    }
}

/// What tells one dataset from another, besides its shape and data type.
fn recorded(attributes: &DatasetAttributes) -> Map<String, Value> {
    let mut members = attributes.to_json();
    members.retain(|name, _| name == "blockSize" || name == "compression");
    members
}

/// The order of dimensions of the output.
fn order(pyramid: &Pyramid, order: OutputOrder) -> Vec<usize> {
    let dimensions = 0..pyramid.axes.len();
    match order {
        OutputOrder::Stored => dimensions.collect(),
        OutputOrder::Ome => pyramid
            .ome_order()
            .unwrap_or_else(|| dimensions.rev().collect()),
    }
}

/// Along which dimensions default chunks and shards may be longer than blocks: those of space, or
/// all where none is known.
fn grows(axes: &[Axis]) -> Vec<bool> {
    let is_space = |axis: &Axis| axis.kind == AxisKind::Space;
    let any = axes.iter().any(is_space);
    axes.iter().map(|axis| !any || is_space(axis)).collect()
}

fn shapes_of(
    options: &RewriteOptions,
    block: &[u64],
    array: &[u64],
    grows: &[bool],
    element_size: u64,
) -> Result<(Vec<u64>, Vec<u64>), RewriteError> {
    let given = |what, shape: &Option<Vec<u64>>| {
        let shape = shape.as_ref();
        shape
            .map(|shape| given_shape(what, shape, grows))
            .transpose()
    };
    let chunk = given("chunk", &options.chunk)?;
    let shard = given("shard", &options.shard)?;
    Ok(match (chunk, shard) {
        (Some(chunk), Some(shard)) => (chunk, shard),
        (Some(chunk), None) => {
            let shard = shapes::shard(&chunk, array, grows, element_size);
            (chunk, shard)
        }
        (None, Some(shard)) => {
            let chunk = shapes::chunk(block, array, grows, element_size);
            (shapes::dividing(&chunk, &shard), shard)
        }
        (None, None) => {
            let chunk = shapes::chunk(block, array, grows, element_size);
            let shard = shapes::shard(&chunk, array, grows, element_size);
            (chunk, shard)
        }
    })
}

/// A shape that the caller gave, for all dimensions. No default is made of one with a length of 0.
fn given_shape(
    what: &'static str,
    shape: &[u64],
    is_space: &[bool],
) -> Result<Vec<u64>, RewriteError> {
    if shape.contains(&0) {
        return Err(RewriteError::ShapeZero {
            what,
            shape: shape.to_vec(),
        });
    }
    shapes::for_all_dimensions(shape, is_space).ok_or(RewriteError::ShapeDimensionality {
        what,
        expected: is_space.len(),
        found: shape.len(),
    })
}

/// The name of the level so many below `first`: s3 for s0 and 3.
fn coarser_name(first: &str, index: usize) -> String {
    let (folder, name) = match first.rsplit_once('/') {
        Some((folder, name)) => (format!("{folder}/"), name),
        None => (String::new(), first),
    };
    let digits = name.trim_start_matches(|character: char| !character.is_ascii_digit());
    let prefix = name.strip_suffix(digits).unwrap_or_default();
    match digits
        .parse::<usize>()
        .ok()
        .and_then(|first| first.checked_add(index))
    {
        Some(number) => format!("{folder}{prefix}{number}"),
        None => format!("{first}_{index}"),
    }
}

/// The entries in the order of the output.
pub(super) fn picked<T: Copy>(entries: &[T], order: &[usize]) -> Vec<T> {
    order
        .iter()
        .filter_map(|&dimension| entries.get(dimension).copied())
        .collect()
}

#[cfg(test)]
mod tests;
