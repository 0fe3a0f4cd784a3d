// The front page is the README. Its links lead to files, and here, by an earlier definition of the
// same names, to pages: the first one counts. One of its examples needs `object_store`, so that
// without it they are tested on the pages of their modules, which have the same files of docs/.
#![cfg_attr(
    all(
        feature = "n5",
        feature = "template",
        feature = "gzip",
        feature = "filesystem",
        any(feature = "object_store", not(doctest))
    ),
    doc = include_str!("../docs/block.md"),
    doc = "[template]: crate::template",
    doc = "[convert]: crate::n5::convert",
    doc = "[readers]: crate::n5#other-readers-of-what-is-written",
    doc = "[examples]: crate::n5#examples",
    doc = "[again]: crate::n5::add_zarr_metadata#again-and-back",
    doc = "[remote]: crate::guide::remote",
    doc = "[migration]: crate::guide::coming_from_elsewhere",
    doc = "[reliability]: crate::guide::reliability",
    doc = "[developers]: crate::guide::for_zarrs_developers",
    doc = "[speed]: crate::guide::speed",
    doc = "[changes]: crate::guide::changes",
    doc = "[dependencies]: crate::guide::dependencies",
    doc = "",
    doc = include_str!("../README.md")
)]
#![cfg_attr(
    not(all(
        feature = "n5",
        feature = "template",
        feature = "gzip",
        feature = "filesystem",
        any(feature = "object_store", not(doctest))
    )),
    doc = "Read and write N5, and data with file names of any pattern, through plain `zarrs` calls."
)]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(all(
    doc,
    feature = "n5",
    feature = "template",
    feature = "gzip",
    feature = "filesystem"
))]
pub mod guide;
#[cfg(feature = "n5")]
pub mod n5;
#[cfg(feature = "template")]
pub mod template;

mod register;

pub use register::register;
