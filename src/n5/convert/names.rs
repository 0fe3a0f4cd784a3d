//! The names of members of `zarr.json` that several parts of the conversion look at.

/// The member with the attributes of the node.
pub(super) const ATTRIBUTES: &str = "attributes";

/// The attribute of a group with the metadata of OME-Zarr 0.5.
pub(super) const OME: &str = "ome";

/// The attribute in which older images say the same, and its member within [`OME`].
pub(super) const MULTISCALES: &str = "multiscales";
