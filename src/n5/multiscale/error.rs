//! Why a pyramid is refused.

use thiserror::Error;

/// Attributes that look like a pyramid but cannot be understood as one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MultiscaleError {
    /// The blocks hold label multisets, lists of labels and counts.
    #[error(
        "{path}: the blocks hold label multisets (`isLabelMultiset`), which are no numbers: \
         export the labels as uint64 with Paintera first"
    )]
    LabelMultiset {
        /// The path of the group or dataset.
        path: String,
    },
    /// The dataset is an index of Paintera, without voxels.
    #[error("{path}: an index of Paintera without voxels: the image is in `data` beside it")]
    PainteraIndex {
        /// The path of the group.
        path: String,
    },
    /// A member has another form than the dialect asks for.
    #[error("{path}: the member `{member}` is {found}: expected {expected}")]
    Member {
        /// The path of the group or dataset with the member.
        path: String,
        /// The name of the member.
        member: String,
        /// What is there.
        found: String,
        /// What the dialect asks for.
        expected: &'static str,
    },
    /// A transform is more than a scale and a translation of each axis.
    #[error(
        "{path}: the affine of `{member}` is not diagonal: only scales and translations of single axes can be given"
    )]
    NotDiagonal {
        /// The path of the dataset.
        path: String,
        /// The name of the member.
        member: String,
    },
    /// Scale or translation of a level left the range of numbers.
    #[error("{path}: the {what} is {found} in dimension {dimension}: expected a finite number{}", if *.what == "scale" { " above 0" } else { "" })]
    OutOfRange {
        /// The path of the level.
        path: String,
        /// `scale` or `translation`.
        what: &'static str,
        /// The dimension, counted from 0.
        dimension: usize,
        /// The number, written.
        found: String,
    },
    /// The names of dimensions that the caller gave do not fit the array.
    #[error(
        "{found} names of dimensions were given: expected {expected}, one for each dimension of {path}"
    )]
    AxesCount {
        /// The path of the first level.
        path: String,
        /// How many names were given.
        found: usize,
        /// How many dimensions there are.
        expected: usize,
    },
    /// A name of a dimension that the caller gave is empty or occurs twice.
    #[error(
        "`{found}` were given as names of the dimensions of {path}: expected names that are not \
         empty and differ, for example x,y,c,z,t"
    )]
    AxesNames {
        /// The path of the first level.
        path: String,
        /// The names, with commas.
        found: String,
    },
    /// Every level was left out.
    #[error("{path}: no level can be used: {reasons}")]
    NoLevels {
        /// The path of the group.
        path: String,
        /// Why each was left out.
        reasons: String,
    },
}
