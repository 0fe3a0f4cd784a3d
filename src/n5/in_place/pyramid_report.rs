//! What became of one pyramid in an in-place conversion.

use std::fmt;

use thiserror::Error;

use super::outcome::{NodeReport, Outcome};
use crate::n5::multiscale::{MultiscaleError, Note, OmeError};

/// What became of a pyramid of which conversion was to write the metadata of OME-Zarr.
#[derive(Debug)]
#[non_exhaustive]
pub struct PyramidReport {
    /// The path of the group.
    pub group_path: String,
    /// Why the group gets no `ome`, if so.
    pub refusal: Option<PyramidRefusal>,
    /// What was guessed, contradicted or left out.
    pub notes: Vec<Note>,
}

impl fmt::Display for PyramidReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.refusal {
            None => write!(formatter, "{}: described as OME-Zarr", self.group_path),
            Some(refusal @ (PyramidRefusal::Group { .. } | PyramidRefusal::NotVisited)) => {
                write!(formatter, "{}: not described: {refusal}", self.group_path)
            }
            Some(refusal) => write!(formatter, "{}: no OME-Zarr: {refusal}", self.group_path),
        }
    }
}

/// Why a pyramid gets no metadata of OME-Zarr.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PyramidRefusal {
    /// The attributes of the pyramid cannot be understood.
    #[error("{0}")]
    NotUnderstood(#[source] MultiscaleError),
    /// OME-Zarr cannot describe it in this order of the dimensions.
    #[error("{0}")]
    NotDescribable(#[source] OmeError),
    /// An array of it does not get the `zarr.json` that the group would speak of.
    #[error("{level} was {outcome}")]
    Level {
        /// The path of the array.
        level: String,
        /// What becomes of it.
        outcome: String,
    },
    /// The group does not get the `zarr.json` that would say it.
    #[error("the group was {outcome}")]
    Group {
        /// What becomes of it.
        outcome: String,
    },
    /// The group is none of the nodes that were converted.
    #[error("the group is not among the nodes to convert")]
    NotVisited,
}

impl PyramidRefusal {
    /// Why a pyramid is not described that could be, by what became of its group.
    pub(super) fn of_group(group: Option<&NodeReport>) -> Option<Self> {
        let Some(group) = group else {
            return Some(Self::NotVisited);
        };
        match &group.outcome {
            Outcome::Converted | Outcome::Unchanged => None,
            outcome => Some(Self::Group {
                outcome: outcome.to_string(),
            }),
        }
    }
}
