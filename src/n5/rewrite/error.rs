//! Why a rewrite cannot be planned or does not go on.

use std::io::ErrorKind;
use std::path::PathBuf;

use thiserror::Error;
use zarrs::array::{ArrayCreateError, ArrayError, CodecError};
use zarrs_plugin::PluginCreateError;
use zarrs_storage::{StorageError, StoreKey};

use crate::n5::error_text::shown;
use crate::n5::metadata_error::MetadataError;
use crate::n5::multiscale::MultiscaleError;
use crate::n5::open::OpenError;
use crate::n5::region_reader::RegionError;
use crate::n5::walk::WalkError;

/// Why a rewrite cannot be planned or does not go on.
///
/// Shapes are in elements and in the order of the output.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RewriteError {
    /// There is no such part.
    #[error("there is no part {index} of {count}: parts are counted from 0")]
    Part {
        /// The number of the part.
        index: u64,
        /// The number of parts.
        count: u64,
    },
    /// There is no such phase.
    #[error("there is no phase {phase}: the plan has the phases 0 to {last}")]
    Phase {
        /// The phase that was asked for.
        phase: usize,
        /// The last phase.
        last: usize,
    },
    /// A shape has neither as many lengths as the array has dimensions, nor one for each dimension
    /// of space, nor a single one.
    #[error(
        "the shape of {what}s has {found} lengths: expected {expected}, one for each dimension, or \
         one for each dimension of space, or a single one for all of these"
    )]
    ShapeDimensionality {
        /// `chunk` or `shard`.
        what: &'static str,
        /// The number of dimensions of the array.
        expected: usize,
        /// The number of dimensions of the shape.
        found: usize,
    },
    /// A shape has a length of 0.
    #[error("the shape of {what}s is {}: expected no length of 0", shown(shape))]
    ShapeZero {
        /// `chunk` or `shard`.
        what: &'static str,
        /// The shape.
        shape: Vec<u64>,
    },
    /// Shards cannot be cut into chunks.
    #[error(
        "the length of chunks along dimension {dimension} is {chunk}, that of shards is {shard}: \
         expected a multiple of {chunk} for shards; choose other shapes"
    )]
    ChunkDoesNotDivide {
        /// The dimension, counted from 0.
        dimension: usize,
        /// The length of shards.
        shard: u64,
        /// The length of chunks.
        chunk: u64,
    },
    /// The array has more elements than can be counted, or a shard more than any memory holds.
    #[error(
        "an array of shape {} with shards of shape {} is too large: expected less than 2^64 \
         elements and at most 2^40 bytes per shard",
        shown(array),
        shown(shard)
    )]
    TooLarge {
        /// The shape of the array.
        array: Vec<u64>,
        /// The shape of shards.
        shard: Vec<u64>,
    },
    /// The compression of the output is not one that there is.
    #[error("the compression of the output cannot be used: {0}")]
    Compression(#[source] Box<PluginCreateError>),
    /// Coarser levels cannot be made without knowing which dimensions are those of space.
    #[error(
        "coarser levels cannot be made of {dataset}: {found} of its {dimensionality} dimensions \
         have no name that says whether they are space; name all of them, \
         dimension 0 first (with_axes, or as --axes x,y,c,z,t)"
    )]
    UnknownSpace {
        /// The path of the dataset.
        dataset: String,
        /// The number of dimensions without a known kind.
        found: usize,
        /// The number of dimensions.
        dimensionality: usize,
    },
    /// There is neither a dataset nor a pyramid at the path.
    #[error(
        "{path} is a group without the levels of a pyramid: {}",
        if candidates.is_empty() {
            "there is no dataset below it that can be listed; name a dataset, or the group of its \
             levels, by its path from the root on (--dataset): not every server can list folders"
                .to_owned()
        } else {
            format!("choose one of {}", candidates.join(", "))
        }
    )]
    NoPyramid {
        /// The path of the group.
        path: String,
        /// Paths of pyramids and datasets below it.
        candidates: Vec<String>,
    },
    /// The container could not be searched.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// The attributes cannot be understood as a pyramid.
    #[error(transparent)]
    Multiscale(#[from] MultiscaleError),
    /// A document of the source is malformed.
    #[error(transparent)]
    Metadata(#[from] MetadataError),
    /// A document of the source cannot be read.
    #[error("cannot read {key}: {source}")]
    Read {
        /// The key of the document.
        key: StoreKey,
        /// The error of the store.
        source: StorageError,
    },
    /// A dataset of the source cannot be opened.
    #[error(transparent)]
    Open(#[from] Box<OpenError>),
    /// A block of the source, or a folder of blocks, is listed but not there: it would become 0.
    #[error(
        "{} is listed but not there: it is a link that leads nowhere, as to a disk that is not \
         mounted, or neither a file nor a folder; mend it, or remove it, and its elements are 0",
        path.display()
    )]
    Vanished {
        /// The path.
        path: PathBuf,
    },
    /// The document of a level is not that of a dataset.
    #[error(
        "{path} is named as a level by `multiscales`, but its attributes.json is empty or that of \
         a group: restore it, or take the name out of `multiscales`"
    )]
    NoDataset {
        /// The path of the level in the hierarchy.
        path: String,
    },
    /// A region of the source cannot be read; a block that cannot be is named.
    #[error(
        "{source}; nothing was written of this shard. Blocks that cannot be read become 0 if that \
         is asked for (with_fill_corrupt, --fill-corrupt)"
    )]
    Source {
        /// What cannot be read, and why.
        source: Box<RegionError>,
    },
    /// There is no path of the output.
    #[error("the path of the output is empty: expected that of a folder, such as out.zarr")]
    NoOutput,
    /// The path of the output is that of a file.
    #[error(
        "{} is a file: expected a folder for the output, or a path where there is nothing; choose \
         another path",
        path.display()
    )]
    NotAFolder {
        /// The path.
        path: PathBuf,
    },
    /// The output has another content than a rewrite.
    #[error(
        "{} is not of a rewrite, it has {found}: expected a folder that is new or empty, or whose \
         zarr.json has the record of an earlier run; nothing was touched: choose another folder, \
         or delete this one if nothing in it is needed",
        folder.display()
    )]
    NotOurs {
        /// The folder of the output.
        folder: PathBuf,
        /// What is in it.
        found: String,
    },
    /// The output was begun with other settings.
    #[error(
        "{} was begun with other settings: `{name}` was {found}, now it is {expected}{}; use the \
         same settings, or another folder",
        folder.display(),
        listed_behind(also)
    )]
    OtherSettings {
        /// The folder of the output.
        folder: PathBuf,
        /// What differs, such as `chunk`, or `from of s1` of a level.
        name: String,
        /// What was asked for then.
        found: String,
        /// What is asked for now.
        expected: String,
        /// What else differs, each as a text with both values.
        also: Vec<String>,
    },
    /// The output was begun from a source at another place.
    #[error(
        "{} was begun from {found}, now the source is {expected}{}; use the same source, another \
         folder, or delete {} to begin anew{}",
        folder.display(),
        listed_behind(also),
        folder.display(),
        if also.is_empty() {
            "; if it is the same source at another place, say so (with_source_moved, \
             --source-moved)"
        } else {
            ""
        }
    )]
    OtherSource {
        /// The folder of the output.
        folder: PathBuf,
        /// The source that it was begun from.
        found: String,
        /// The source now.
        expected: String,
        /// Which settings differ besides, each as a text with both values: it is not the same
        /// source then.
        also: Vec<String>,
    },
    /// A level cannot be made because the one before is not complete.
    #[error(
        "phase {phase} makes {level} of {finer}, which is not complete: part {missing} of {parts} \
         has not finished phase {}; run this part again when all have", phase - 1
    )]
    NotComplete {
        /// The phase.
        phase: usize,
        /// The path of the level to make.
        level: String,
        /// The path of the level that it is made of.
        finer: String,
        /// The first part that has not finished.
        missing: u64,
        /// The number of parts.
        parts: u64,
    },
    /// A file or a folder of the output cannot be written or read.
    #[error("cannot {action} {}: {source}{}", path.display(), what_to_do(source))]
    File {
        /// What was tried.
        action: &'static str,
        /// The path.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// zarrs refuses the metadata of the output.
    #[error("zarrs cannot make the array {path} of the output: {source}")]
    Array {
        /// The path of the level.
        path: String,
        /// What zarrs says.
        source: Box<ArrayCreateError>,
    },
    /// The metadata of the output cannot be made.
    #[error("the metadata of {path} cannot be made: {source}")]
    Document {
        /// The path of the level.
        path: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A chunk of the output cannot be encoded.
    #[error("a chunk of {path} cannot be encoded: {source}")]
    Encode {
        /// The path of the level.
        path: String,
        /// What the codec says.
        source: Box<CodecError>,
    },
    /// What was written of the output cannot be read.
    #[error(
        "the shard {} of the output cannot be read: {source}; remove it and run again",
        shard.display()
    )]
    Output {
        /// The path of the level.
        path: String,
        /// The file of the shard.
        shard: PathBuf,
        /// What zarrs says.
        source: Box<ArrayError>,
    },
    /// There is not so much memory.
    #[error("{size} bytes for a shard do not fit in memory: use smaller shards or fewer threads")]
    Memory {
        /// The size in bytes.
        size: u64,
    },
}

/// What to do about an error of the system, where it does not say so itself.
fn what_to_do(error: &std::io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "; make room, then run again with the same options: what is whole is not written again"
        }
        ErrorKind::NotADirectory => {
            "; what should be a folder on the way to it is a file: choose another path"
        }
        _ => "",
    }
}

/// The texts, each after a comma.
fn listed_behind(texts: &[String]) -> String {
    let texts = texts.iter().flat_map(|text| [", ", text]);
    texts.collect()
}

impl From<OpenError> for RewriteError {
    fn from(error: OpenError) -> Self {
        Self::Open(Box::new(error))
    }
}

impl From<RegionError> for RewriteError {
    fn from(source: RegionError) -> Self {
        Self::Source {
            source: Box::new(source),
        }
    }
}
