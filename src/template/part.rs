//! The pieces of a template, and the limits of the numbers in it.

use std::fmt;
use std::num::NonZeroUsize;

/// The largest width: no common store takes a longer key than S3, which stops at 1024 bytes.
pub(super) const MAX_WIDTH: usize = 1024;

/// The number of digits of `u64::MAX`, so that no chunk index has more.
pub(super) const MAX_DIGITS: usize = 20;

/// A piece of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Text that is the same in every key, doubled braces already made single.
    Literal(String),
    /// One dimension, by its index.
    Index { index: Index, width: usize },
    /// `{*}`: every dimension that no other part names.
    CatchAll { width: usize },
}

impl Part {
    /// Returns the size of the literal text in bytes, 0 for a number.
    pub(super) fn literal_size(&self) -> usize {
        match self {
            Self::Literal(text) => text.len(),
            Self::Index { .. } | Self::CatchAll { .. } => 0,
        }
    }

    /// Returns the width of the number in digits, 0 for literal text.
    pub(super) fn width(&self) -> usize {
        match self {
            Self::Literal(_) => 0,
            Self::Index { width, .. } | Self::CatchAll { width } => *width,
        }
    }
}

/// A dimension, counted from one end or the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Index {
    /// `{i}`: 0 is the first dimension.
    FromStart(usize),
    /// `{-i}`: 1 is the last dimension.
    FromEnd(NonZeroUsize),
}

impl Index {
    /// Returns the dimension, for a dimensionality that the index is within.
    pub(super) fn dimension(self, dimensionality: usize) -> usize {
        match self {
            Self::FromStart(index) => index,
            Self::FromEnd(index) => dimensionality.saturating_sub(index.get()),
        }
    }
}

/// Writes the index as a template has it: `1`, `-1`.
impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FromStart(index) => write!(f, "{index}"),
            Self::FromEnd(index) => write!(f, "-{index}"),
        }
    }
}
