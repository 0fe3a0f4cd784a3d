//! What can be wrong with a document before any of its members is looked at.

use thiserror::Error;

/// A metadata document is not a JSON object that can be read.
#[derive(Debug, Error)]
pub(crate) enum DocumentError {
    /// The bytes are not JSON. The text of the source names line and column.
    #[error("not valid JSON (plain JSON is expected, without comments or NaN): {0}")]
    NotJson(#[source] serde_json::Error),
    /// The bytes are JSON, but not an object.
    #[error("a JSON object is expected, found {found}")]
    NotAnObject {
        /// The JSON text that was found, shortened.
        found: String,
    },
    /// There are more levels of objects and lists than a `zarr.json` with the document can have.
    #[error(
        "objects and lists are nested in more than {max} levels, the most that a zarr.json has \
         room for: see line {line} column {column}"
    )]
    TooDeep {
        /// The most levels.
        max: usize,
        /// The line of the first bracket that is too many, counted from 1.
        line: usize,
        /// Its column in bytes, counted from 1.
        column: usize,
    },
    /// A number that must be read is beyond all floating point numbers.
    #[error(
        "the number {number} at line {line} column {column} is beyond the range of 64-bit floating \
         point: expected less than 1.8e308"
    )]
    OutOfRange {
        /// The number as it is written, shortened.
        number: String,
        /// The line, counted from 1.
        line: usize,
        /// The column in bytes, counted from 1.
        column: usize,
    },
    /// A member that describes the blocks is out of all proportion.
    #[error("the member `{member}` takes {size} bytes: expected at most {max}")]
    MemberTooLarge {
        /// The name of the member.
        member: String,
        /// The size of its JSON text in bytes.
        size: usize,
        /// The most bytes.
        max: usize,
    },
    /// The document is beyond all documents.
    #[error("the document has {size} bytes: expected less than 4 GiB")]
    TooLarge {
        /// The size of the document in bytes.
        size: usize,
    },
}
