//! The `template` chunk key encoding.
#![cfg(feature = "template")]

mod arrays;
#[cfg(all(feature = "zarrs", feature = "filesystem"))]
mod image_stack;
mod properties;
mod table;
mod warnings;
