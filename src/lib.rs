//! zarrs_interop
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "n5")]
pub mod n5;
#[cfg(feature = "template")]
pub mod template;

mod register;

pub use register::register;
