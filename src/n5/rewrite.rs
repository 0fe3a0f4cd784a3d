//! Rewrites a dataset or a pyramid of N5 as OME-Zarr: sharded Zarr V3 with standard codecs.
//!
//! ```
//! # #[cfg(feature = "gzip")] {
//! use zarrs::filesystem::FilesystemStore;
//! use zarrs_interop::n5::rewrite::{Downsample, Levels, Rewrite, RewriteOptions};
//!
//! let store = FilesystemStore::new("examples/data/n5_demo/volume.n5")?;
//! let options = RewriteOptions::new()
//!     .with_levels(Levels::Made(Downsample::Mean))
//!     .with_chunk(vec![32, 32, 32])
//!     .with_shard(vec![64, 64, 64]);
//! let rewrite = Rewrite::open(store, "/volumes/raw/s0", &options)?;
//! assert_eq!(rewrite.plan().levels().len(), 2);
//!
//! # let folder = tempfile::tempdir()?;
//! # let out = folder.path().join("volume.zarr");
//! let report = rewrite.run(&out, |_progress| ())?;
//! assert_eq!(report.written, 2);
//! assert!(rewrite.verify(&out, |_progress| ())?.is_equal());
//! // What is whole is not written again.
//! assert_eq!(rewrite.run(&out, |_progress| ())?.whole, 2);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The output
//! A folder: a group with OME-Zarr 0.5 metadata, and one array per level with the codecs
//! `sharding_indexed`, `bytes` (little endian), and `zstd` or `blosc`; the index of a shard has a
//! `crc32c`. The dimensions are in the order that OME-Zarr asks for: time, channel, z, y, x, by the
//! names of the axes ([`OutputOrder`]). Pyramids that OME-Zarr cannot describe, for want of names
//! or by their dimensions, become Zarr without OME metadata ([`Rewrite::without_ome`]).
//!
//! # Shards
//! A shard is read, encoded, written aside in its folder and renamed when it is on the disk, so
//! that a file with the name of a shard is whole, whatever ended the run. A second run with the
//! same settings writes only what is not there, and removes what was left aside when a level is
//! through; other settings are refused. Two runs of the same part at once do no harm, but cost
//! twice. The settings are in the `zarr.json` of the group, with what tells one source from
//! another: its path or URL ([`RewriteOptions::with_source`]), and the shapes, data types, block
//! sizes and compressions of its datasets. A run that finds all done writes nothing at all.
//!
//! What others have added to the metadata is kept, and so are scales, translations and units that
//! somebody has corrected there ([`RewriteReport::is_corrected`]).
//!
//! Blocks that the source does not have are fill value, 0. A shard that is all fill value has no
//! file; when a part is through, it notes which these are, so that they are not read again. Until
//! then a second run looks at them again.
//!
//! **Until every part is through, what is not written yet reads as fill value.**
//!
//! # Parts and phases
//! With [`Part`] several processes share the work, and need not speak to each other: part I of N
//! takes every Nth shard. Part 0, or [`Rewrite::write_metadata`] before, writes the metadata.
//!
//! Phase 0 is all levels that come from the source. A level that is made ([`Levels::Made`]) is made
//! of the level before in the output, in a phase of its own, since it needs all shards of that
//! level: phase 1 makes the first such level, and so on. One process runs all phases. With parts,
//! all parts of one phase are run before those of the next ([`RewriteOptions::with_phase`]); a part
//! that comes too early ends with [`RewriteError::NotComplete`].
//!
//! # Levels that are made
//! All coarser levels are made anew from the finest, also where the source has coarser ones.
//! A dimension is halved if it is one of space, has more than one element, and its voxels are
//! shorter than twice the shortest voxel of such dimensions: 4 x 4 x 40 nm becomes 8 x 8 x 40, then
//! 16 x 16 x 40, 32 x 32 x 40, 64 x 64 x 80. Levels end when no dimension of space is longer than a
//! chunk. Sizes are rounded up: the last of an odd number of elements is made of what is there. The
//! scale of a halved dimension doubles, and its translation grows by half the finer scale, since
//! the centre of a voxel of two lies between theirs. How elements are made and rounded is said at
//! [`Downsample`].
//!
//! # Blocks that cannot be read
//! The run ends with the key and the reason, and the shard is not written. With
//! [`RewriteOptions::with_fill_corrupt`] the elements become 0, the report lists the blocks, and
//! the output notes the shards with such blocks. Every later run writes these again, and those of
//! coarser levels that were made of them: it lists the blocks again, or ends at one without
//! `with_fill_corrupt`, or has the true elements when the source is repaired. Each such shard is
//! noted before it has its name, so that this holds too if the run is killed.
//!
//! # Verification
//! [`Rewrite::verify`] compares every element. It names the files of shards that differ or cannot
//! be read, and notes them, so that the next run writes them again.
//!
//! # Memory
//! Each thread holds the elements of one shard, and a few blocks and chunks
//! ([`RewritePlan::memory`]). Besides, zarrs' `FilesystemStore` keeps an entry for each key that
//! was ever asked for until it is dropped, and a run keeps the numbers of shards that are all fill
//! value: with very many blocks in one process that adds up. Parts in processes of their own keep
//! it small.
//!
//! # Sparse volumes
//! Of a source that is a `FilesystemStore`, itself or in an `Arc`, the folders of blocks are listed
//! as the run comes to them, and what is in them is remembered in at most 8 MiB: no block is asked
//! for in a shard that has none. So blocks that another program writes meanwhile may be left out. A
//! block, or a folder of blocks, that is a link to nowhere or a pipe ends the run with
//! [`RewriteError::Vanished`], with `with_fill_corrupt` too: a disk may not be mounted.
//! With any other store a shard without blocks costs one look per block, and an entry where the
//! store keeps one.

mod aside;
mod by_hand;
mod coarser;
mod content;
mod error;
mod file;
mod filled;
mod folder;
mod foreign;
mod gather;
mod grid;
mod level_run;
mod listed;
mod metadata;
mod options;
mod output;
mod plan;
mod planned_level;
mod record;
mod report;
mod run;
mod sample;
mod settings;
mod shapes;
mod shard;
mod source;
mod source_blocks;
mod verify;
mod window;
mod work;

pub use error::RewriteError;
pub use options::{Downsample, Levels, OutputCompression, OutputOrder, Part, RewriteOptions};
pub use plan::RewritePlan;
pub use planned_level::{LevelOrigin, PlannedLevel};
pub use report::{Difference, RewriteProgress, RewriteReport, VerifyReport};
pub use run::Rewrite;
