#![cfg_attr(
    all(
        feature = "n5",
        feature = "template",
        feature = "gzip",
        feature = "filesystem"
    ),
    doc = include_str!("../README.md")
)]
#![cfg_attr(
    not(all(
        feature = "n5",
        feature = "template",
        feature = "gzip",
        feature = "filesystem"
    )),
    doc = "Read and write N5, and data with file names of any pattern, through plain `zarrs` calls."
)]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "n5")]
pub mod n5;
#[cfg(feature = "template")]
pub mod template;

mod register;

pub use register::register;

/// Compiles the examples of a page that is not part of the documentation.
#[cfg(all(doctest, feature = "n5", feature = "filesystem", feature = "gzip"))]
#[doc = include_str!("../docs/migration.md")]
struct Migration;
