//! The `template` chunk key encoding.
