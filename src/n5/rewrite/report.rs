//! What a run did, and how far it has come.

use std::fmt;
use std::path::PathBuf;

use crate::n5::error_text::counted;
use crate::n5::region_reader::BlockFailure;

/// How many failures and differences a report keeps; the others are only counted.
pub(super) const MOST_KEPT: usize = 1000;

/// How far a run has come. Sizes are in bytes of uncompressed elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RewriteProgress {
    /// The shards of this run that are done, those that were whole before included.
    pub shards_done: u64,
    /// The shards of this run, in all its phases.
    pub shards: u64,
    /// The size of what is done.
    pub size_done: u64,
    /// The size of what was whole before, which costs no time.
    pub size_whole: u64,
    /// The size of all shards of this run.
    pub size: u64,
}

/// What a run did.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct RewriteReport {
    /// Shards that were written.
    pub written: u64,
    /// Shards that an earlier run had written, or knew to be all fill value, and this one did not
    /// touch.
    pub whole: u64,
    /// Shards that are all fill value, so that they have no file.
    pub empty: u64,
    /// The size of the files that were written, in bytes.
    pub size_written: u64,
    /// The size of the elements of those, in bytes.
    pub size_elements: u64,
    /// Files that other runs left aside, and that were removed when a level was through.
    pub leftovers: u64,
    /// Whether the `zarr.json` of the output has scales, translations or units that somebody has
    /// corrected after a run had written it. They are kept, whatever the source says.
    pub is_corrected: bool,
    /// The number of blocks that the source does not have, which are fill value, in the shards that
    /// this run wrote or found empty; each counts once, and those of shards that were
    /// [`whole`](Self::whole) before not at all. It is known if the source is a
    /// `FilesystemStore` or shards begin where blocks begin, and is `None` otherwise.
    pub missing_blocks: Option<u64>,
    /// The datasets of the source that have no block at all, so that their levels are fill value.
    /// Of a store that is no `FilesystemStore` it is known only when one run looks at all shards of
    /// the level.
    pub without_blocks: Vec<String>,
    /// The number of blocks that could not be read and became fill value. A block in several shards
    /// counts once.
    pub corrupt_count: u64,
    /// The first 1000 of them, by key.
    pub corrupt: Vec<BlockFailure>,
}

impl RewriteReport {
    /// Adds blocks that could not be read.
    pub(super) fn add_failures(&mut self, failures: Vec<BlockFailure>) {
        self.corrupt.extend(failures);
    }

    /// Counts each block once.
    pub(super) fn finished(mut self) -> Self {
        self.corrupt.sort_by(|one, other| one.key.cmp(&other.key));
        self.corrupt.dedup_by(|one, other| one.key == other.key);
        self.corrupt_count = self.corrupt.len() as u64;
        self.corrupt.truncate(MOST_KEPT);
        self
    }
}

impl fmt::Display for RewriteReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} written, {} whole before, {} empty",
            counted(self.written, "shard", "shards"),
            self.whole,
            self.empty
        )?;
        if self.leftovers > 0 {
            let files = counted(self.leftovers, "file", "files");
            write!(f, ", {files} that another run left aside removed")?;
        }
        if let Some(missing) = self.missing_blocks.filter(|missing| *missing > 0) {
            let blocks = counted(missing, "block", "blocks");
            write!(f, ", {blocks} that the source does not have are 0")?;
        }
        if self.is_corrected {
            f.write_str(", scales or units that somebody has corrected in zarr.json kept")?;
        }
        if self.corrupt_count > 0 {
            let blocks = counted(self.corrupt_count, "block", "blocks");
            write!(f, ", {blocks} could not be read and became 0")?;
        }
        Ok(())
    }
}

/// A chunk of the output that is not what the source says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The path of the level.
    pub level: String,
    /// The file of the shard that the chunk is in. It is not there if the shard is all fill value.
    pub shard: PathBuf,
    /// The first element of the chunk, in the order of the output.
    pub chunk: Vec<u64>,
    /// The first element that differs, in the order of the output; `None` if the chunk cannot be
    /// read.
    pub element: Option<Vec<u64>>,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: chunk at {:?}: {} ({})",
            self.level,
            self.chunk,
            self.reason,
            self.shard.display()
        )
    }
}

/// What a verification found.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct VerifyReport {
    /// Chunks that are as the source says.
    pub equal: u64,
    /// The number of chunks that are not.
    pub different_count: u64,
    /// The first 1000 of them, in order.
    pub different: Vec<Difference>,
}

impl VerifyReport {
    /// Whether everything is as the source says.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        self.different_count == 0
    }

    pub(super) fn add(&mut self, difference: Difference) {
        self.different_count += 1;
        if self.different.len() < MOST_KEPT {
            self.different.push(difference);
        }
    }
}

impl fmt::Display for VerifyReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} equal, {} different",
            counted(self.equal, "chunk", "chunks"),
            self.different_count
        )
    }
}
