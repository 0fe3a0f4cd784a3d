//! What a check found.

use std::fmt;

use thiserror::Error;
use zarrs_storage::{StorageError, StoreKey, StorePrefix};

use crate::n5::error_text::counted;
use crate::n5::region_reader::BlockFailure;

/// What a check found in a dataset.
#[derive(Debug)]
#[non_exhaustive]
pub struct CheckReport {
    /// The path of the dataset.
    pub node_path: String,
    /// The number of blocks in the grid of the dataset, [`u128::MAX`] if it is more.
    pub expected: u128,
    /// The number of blocks that are there, corrupt ones included and vanished ones not; of those
    /// in folders that could not be listed nothing is known.
    pub present: u64,
    /// The number of blocks in varlength or object mode among them, such as those of Paintera's
    /// label multisets. They hold serialised objects, which are not checked.
    pub serialized: u64,
    /// The size in bytes of the blocks that were read, as they are stored.
    pub size_read: u64,
    /// The number of corrupt blocks.
    pub corrupt_count: u64,
    /// The corrupt blocks, sorted by position; the first that were found if there are more than
    /// [`CheckOptions::with_max_listed`](super::CheckOptions::with_max_listed).
    pub corrupt: Vec<BlockFailure>,
    /// The number of blocks, and folders of blocks, that are listed, but were not there to be read.
    /// They are missing, and read as 0.
    pub vanished_count: u64,
    /// Their keys, sorted; the first that were found if there are more than
    /// [`CheckOptions::with_max_listed`](super::CheckOptions::with_max_listed). In folders of the
    /// file system they are links that lead nowhere, as to a disk that is not mounted or to what
    /// git-annex has not fetched, or pipes and devices; elsewhere somebody erased them meanwhile.
    pub vanished: Vec<StoreKey>,
    /// The number of keys among the blocks that are none of the dataset.
    pub stray_count: u64,
    /// Those keys, sorted; the first that were found if there are more than
    /// [`CheckOptions::with_max_listed`](super::CheckOptions::with_max_listed).
    pub stray: Vec<Stray>,
    /// The number of folders that could not be listed, or that are files. What is in them is not
    /// known: there may be more blocks than [`present`](Self::present).
    pub unlisted_count: u64,
    /// Those folders, sorted; the first that were found if there are more than
    /// [`CheckOptions::with_max_listed`](super::CheckOptions::with_max_listed).
    pub unlisted: Vec<Unlisted>,
    /// The first position at which there is a block, dimension 0 counting slowest; `None` if there
    /// is none.
    pub first_present: Option<Vec<u64>>,
    /// The key of the block at position 0.
    pub first_key: StoreKey,
}

impl CheckReport {
    /// The number of blocks that are not there; more if
    /// [`is_beyond_count`](Self::is_beyond_count). What is in folders that could not be listed
    /// counts: [`known_missing`](Self::known_missing) says nothing then.
    #[must_use]
    pub fn missing(&self) -> u128 {
        self.expected.saturating_sub(self.present.into())
    }

    /// As [`missing`](Self::missing), and `None` if a folder could not be listed, so that it is not
    /// known.
    #[must_use]
    pub fn known_missing(&self) -> Option<u128> {
        (self.unlisted_count == 0).then(|| self.missing())
    }

    /// The number of blocks that are there; `None` if none was found and a folder could not be
    /// listed, so that there may be any number.
    #[must_use]
    pub fn known_present(&self) -> Option<u64> {
        (self.unlisted_count == 0 || self.present > 0).then_some(self.present)
    }

    /// Whether the grid has more blocks than a number of 128 bits can say, so that
    /// [`expected`](Self::expected) and [`missing`](Self::missing) are less than there are.
    #[must_use]
    pub fn is_beyond_count(&self) -> bool {
        self.expected == u128::MAX
    }

    /// Whether no block is corrupt, none that is listed was not there, and every folder could be
    /// listed. Other missing blocks are none of its concern, as they read as the fill value.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.corrupt_count == 0 && self.vanished_count == 0 && self.unlisted_count == 0
    }
}

impl fmt::Display for CheckReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            node_path,
            expected,
            corrupt_count,
            ..
        } = self;
        let more = if self.is_beyond_count() { "over " } else { "" };
        write!(formatter, "{node_path}: {more}{expected} expected, ")?;
        match (self.known_present(), self.known_missing()) {
            (Some(present), Some(missing)) => {
                write!(formatter, "{present} present, {more}{missing} missing")?;
            }
            (Some(present), None) => write!(
                formatter,
                "at least {present} present, not known how many are missing"
            )?,
            (None, _) => formatter.write_str("not known how many are present or missing")?,
        }
        write!(formatter, ", {corrupt_count} corrupt")?;
        if self.serialized > 0 {
            let blocks = counted(self.serialized, "block", "blocks");
            write!(
                formatter,
                ", {blocks} of serialised objects (varlength or object mode) not checked"
            )?;
        }
        if self.vanished_count > 0 {
            let vanished = self.vanished_count;
            write!(formatter, ", {vanished} listed but not there")?;
        }
        if self.stray_count > 0 {
            let keys = counted(self.stray_count, "stray key", "stray keys");
            write!(formatter, ", {keys}")?;
        }
        if self.unlisted_count > 0 {
            let folders = counted(self.unlisted_count, "folder", "folders");
            write!(formatter, ", {folders} that cannot be listed")?;
        }
        Ok(())
    }
}

/// A key among the blocks of a dataset that is none of its blocks. No reader looks at it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Error)]
#[error("{key}: {reason}")]
#[non_exhaustive]
pub struct Stray {
    /// The key, or the prefix of a folder, which ends with `/`. It shows � for what is not UTF-8.
    pub key: String,
    /// Why it is no block.
    pub reason: StrayReason,
}

/// Why a key is no block of a dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Error)]
#[non_exhaustive]
pub enum StrayReason {
    /// The position is not in the grid: `dimensions` shrank, or the block belongs elsewhere.
    #[error("outside of the grid of blocks")]
    OutsideOfGrid,
    /// A number as N5 does not write it, with zeros in front.
    #[error("a number with zeros in front, which no reader asks for")]
    LeadingZeros,
    /// The name is not a number.
    #[error("not the name of a block")]
    NotANumber,
    /// A file where a dimension has folders. Where it keeps the blocks from being read, as in a
    /// file system, the folder is one that cannot be listed instead.
    #[error("a file where a folder of blocks belongs: it has too few dimensions")]
    File,
    /// A folder where the blocks are. Where it keeps the block from being read, as in a file
    /// system, the block is corrupt instead.
    #[error("a folder where a block belongs: it has too many dimensions")]
    Folder,
    /// The document of a node in a folder named by a number, which passes for one of blocks:
    /// [`walk`](crate::n5::walk()) does not look for nodes there.
    #[error(
        "the document of a node among the blocks, where no walk finds it: give its folder a name \
         that is no number"
    )]
    Node,
}

impl StrayReason {
    /// That of a folder in the place of a block, or of a file in the place of a folder of blocks.
    pub(super) fn in_the_way(is_folder: bool) -> Self {
        if is_folder { Self::Folder } else { Self::File }
    }
}

/// A folder of blocks that could not be listed.
#[derive(Clone, Debug, Error)]
#[error("the folder {prefix} cannot be listed: {source}")]
#[non_exhaustive]
pub struct Unlisted {
    /// The prefix of the folder.
    pub prefix: StorePrefix,
    /// The error of the store.
    pub source: StorageError,
}
