//! What a walk does not visit, and why.

use std::fmt;

use thiserror::Error;
use zarrs_storage::StorageError;

/// Something below a node that was not visited, and why.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LeftOut {
    /// The path where the node would be; for [`LeftOutReason::NotListed`] and
    /// [`LeftOutReason::Numbered`] that of the node above.
    pub node_path: String,
    /// Why it was not visited.
    pub reason: LeftOutReason,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.node_path, self.reason)
    }
}

/// Why a folder was not visited.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum LeftOutReason {
    /// The name of the folder begins with a dot.
    #[error("a hidden directory")]
    HiddenDirectory,
    /// The folder belongs to an operating system or a file server, such as `@eaDir`.
    #[error("a folder of an operating system or a file server")]
    SystemFolder,
    /// The name begins with `__`.
    #[error("a name that begins with `__`, which Zarr reserves: rename it")]
    ReservedName,
    /// The name is not UTF-8, so that no key can name it. The path shows � for what cannot be
    /// shown.
    #[error("a name that is not UTF-8, which no key can name: rename it")]
    NotUnicode,
    /// The name cannot be part of a key.
    #[error("a name that cannot be part of a key")]
    InvalidName,
    /// A link that leads nowhere: what it links to was moved, or is on a disk that is not there.
    #[error("a link that leads nowhere: mount or restore what it links to")]
    DeadLink,
    /// The folder is the same as another one, which is visited itself.
    #[error("the same folder as {same_as}")]
    SameFolder {
        /// The path of the other one, in the file system.
        same_as: String,
    },
    /// The folder is too deep below the first node.
    #[error("more than {max_depth} levels below the first node: start there, or raise the limit")]
    TooDeep {
        /// How many levels are visited.
        max_depth: usize,
    },
    /// As many nodes as may be visited had been visited.
    #[error("{max_nodes} nodes were visited before it: start there, or raise the limit")]
    TooMany {
        /// How many nodes are visited.
        max_nodes: usize,
    },
    /// Folders named by numbers below a node that cannot be read, or, in a conversion, without any
    /// `attributes.json`: they may hold blocks.
    #[error("{count} below it named by a number, which may hold blocks of a dataset")]
    Numbered {
        /// How many there are, and what.
        count: String,
    },
    /// What is below the node could not be listed.
    #[error("what is below it cannot be listed: {0}")]
    NotListed(#[source] StorageError),
}

/// The folders that systems make, beside those whose name begins with a dot.
const SYSTEM_FOLDERS: [&str; 5] = [
    "@eaDir",
    "$RECYCLE.BIN",
    "System Volume Information",
    "lost+found",
    "__MACOSX",
];

/// Whether a system made what has this name.
pub(crate) fn is_system_name(name: &str) -> bool {
    name.starts_with('.') || SYSTEM_FOLDERS.contains(&name)
}

/// Why a folder of this name is never visited, and nothing in it ever written; `None` for others.
pub(super) fn by_name(name: &str) -> Option<LeftOutReason> {
    if name.starts_with('.') {
        Some(LeftOutReason::HiddenDirectory)
    } else if SYSTEM_FOLDERS.contains(&name) {
        Some(LeftOutReason::SystemFolder)
    } else if name.starts_with("__") {
        Some(LeftOutReason::ReservedName)
    } else {
        None
    }
}
