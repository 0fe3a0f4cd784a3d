//! How an [`ImplicitGroupStore`](super::ImplicitGroupStore) finds out whether a prefix exists.

/// A prefix exists when the store lists something under it, or lists it as a directory.
#[derive(Clone, Copy, Debug)]
pub struct Listed;

/// Every prefix exists, whether there is anything under it or not.
#[derive(Clone, Copy, Debug)]
pub struct Unconditional;
