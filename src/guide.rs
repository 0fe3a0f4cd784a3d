//! Pages about the crate as a whole.
//!
//! | page | what it says |
//! |---|---|
//! | [`for_zarrs_developers`] | how the codecs register, what the linker drops, how a block is seen by zarrs |
//! | [`remote`] | buckets and web servers: credentials, endpoints, what can go wrong |
//! | [`coming_from_elsewhere`] | which of reading, converting and rewriting fits; from other programs |
//! | [`speed`] | which call for what, the allocator, other readers |
//! | [`templates`] | the `template` encoding for tiles of known layouts |
//! | [`metadata`] | how `attributes.json` becomes `zarr.json` |
//! | [`reliability`] | what is promised for hostile input, faults, crashes, concurrency and memory, and which test holds it |
//! | [`dependencies`] | why each is there, and under which licence |
//! | [`changes`] | what is new |
//!
//! The modules exist in the documentation only.

#[doc = include_str!("../docs/for_zarrs_developers.md")]
pub mod for_zarrs_developers {}

#[doc = include_str!("../docs/remote.md")]
pub mod remote {}

#[doc = include_str!("../docs/migration.md")]
pub mod coming_from_elsewhere {}

#[doc = include_str!("../docs/speed.md")]
pub mod speed {}

/// The chunk key encoding `template` makes the keys of chunks from a format string, so that zarrs
/// reads stacks of image tiles, and other files that were never Zarr, where they are.
///
/// ### The grammar
/// A template is text with expressions in braces:
///
#[doc = include_str!("../docs/template_grammar.md")]
///
#[doc = include_str!("../docs/template_tiles.md")]
///
// The first definition of a name counts: that of the page leads to files.
#[doc = "[grammar]: #the-grammar"]
#[doc = "[tiles]: #reading-image-tiles"]
#[doc = ""]
#[doc = include_str!("../docs/template_layouts.md")]
pub mod templates {}

/// # Metadata
#[doc = include_str!("../docs/metadata_table.md")]
pub mod metadata {}

#[doc = include_str!("../docs/RELIABILITY.md")]
pub mod reliability {}

#[doc = include_str!("../docs/DEPENDENCIES.md")]
pub mod dependencies {}

#[doc = include_str!("../CHANGELOG.md")]
pub mod changes {}
