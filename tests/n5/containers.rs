//! Whole containers of every compression: those of others, ours for others, and blocks written down
//! byte by byte.

#[path = "../support/cases.rs"]
mod cases;
#[path = "../support/compare.rs"]
mod compare;
#[path = "../support/written.rs"]
pub(crate) mod written;

mod checked;
mod golden;
#[cfg(feature = "ome")]
mod ome;
mod pyramids;
mod spec_examples;
mod written_for_others;
