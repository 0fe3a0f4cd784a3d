//! The `template` chunk key encoding.
#![cfg(feature = "template")]

mod arrays;
#[cfg(all(feature = "zarrs", feature = "filesystem"))]
mod image_stack;
#[cfg(all(feature = "zarrs", feature = "filesystem"))]
mod image_stack_example;
mod properties;
mod table;
