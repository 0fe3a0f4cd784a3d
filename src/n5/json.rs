//! JSON documents of other programs as text: checked once, held once, and written back in their own
//! spelling.
//!
//! Parsing a document into values would lose how its numbers are written (and all of them beyond 64
//! bits), refuse the `NaN` that Python writes, and take up to 36 times the memory of the text. So a
//! document stays text; what is kept beside it is where its members are. Only members that describe
//! blocks are parsed.

mod check;
mod document;
mod document_error;
mod index;
mod merge;
mod text;
mod words;
mod writer;

pub(crate) use document::{Document, is_blank};
pub(crate) use document_error::DocumentError;
pub(crate) use merge::{merge, same};
pub(crate) use text::decoded;
pub(crate) use words::readable;
pub(crate) use writer::{ObjectWriter, Shift};
