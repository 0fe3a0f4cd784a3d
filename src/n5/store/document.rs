//! What the documents of a node say, and what is read from and written to them. Pure: no store is
//! asked here.

use zarrs_storage::{Bytes, OffsetBytesIterator, StorageError, StoreKey, StoreKeys};

use super::options::{Options, Unconvertible};
use crate::n5::attributes::N5Metadata;
use crate::n5::convert::{self, ChunkGrid};
use crate::n5::error_text::full_text;
use crate::n5::metadata_error::MetadataError;
use crate::n5::node::NodeKeys;
use crate::n5::root_version;

/// The `zarr.json` that stands for the `attributes.json` of `node`; `None` when it is to be hidden.
pub(super) fn present(
    options: Options,
    node: &NodeKeys,
    attributes: &[u8],
) -> Result<Option<Bytes>, StorageError> {
    let path = node.path();
    match convert::attributes_to_document(attributes, &path, &options.shown()) {
        Ok(zarr) => Ok(Some(zarr.into())),
        Err(error) if options.unconvertible == Unconvertible::Hidden => {
            log::warn!("the N5 node {path} is hidden: {}", full_text(&error));
            Ok(None)
        }
        Err(error) => Err(StorageError::InvalidMetadata(
            node.attributes.clone(),
            full_text(&error),
        )),
    }
}

/// The documents that a `set` of the `zarr.json` of a node writes.
pub(super) struct Update {
    /// The new `attributes.json`.
    pub(super) attributes: Bytes,
}

impl Update {
    /// The new `zarr.json` for a `node` that has one lying beside its `attributes.json`.
    pub(super) fn zarr(&self, node: &NodeKeys, existing: &[u8]) -> Result<Bytes, StorageError> {
        let zarr = convert::attributes_beside(&self.attributes, &node.path(), existing);
        Ok(zarr.map_err(|error| refused(node, &error))?.into())
    }
}

fn refused(node: &NodeKeys, error: &MetadataError) -> StorageError {
    StorageError::Other(format!(
        "{} cannot be stored as N5: {}",
        node.zarr,
        full_text(error)
    ))
}

/// What a `set` of the `zarr.json` of `node` writes; `None` when nothing changes.
pub(super) fn update(
    node: &NodeKeys,
    zarr: &[u8],
    existing: Option<&[u8]>,
) -> Result<Option<Update>, StorageError> {
    let path = node.path();
    let refused = |error| refused(node, &error);
    if existing.is_none() && path.contains('\\') {
        return Err(StorageError::Other(format!(
            "{} cannot be stored as N5: the node path {path} contains a backslash, and Java N5 and \
             tensorstore cannot find such a node: rename it",
            node.zarr
        )));
    }
    let Some(attributes) = convert::zarr_to_attributes(zarr, existing, &path).map_err(refused)?
    else {
        return Ok(None);
    };
    // What it says is checked, whether or not a `zarr.json` lies beside it.
    convert::attributes_to_zarr(&attributes, &path, ChunkGrid::Regular).map_err(refused)?;
    if existing.is_some_and(|existing| grows_past_its_edge(existing, &attributes, &path)) {
        log::warn!(
            "the dataset {path} grows past its edge blocks: those that end with the old \
             dimensions are short inside of it now, where z5py reads wrong values: call \
             `n5::pad_edge_blocks`"
        );
    }
    Ok(Some(Update {
        attributes: attributes.into(),
    }))
}

/// Whether a dataset becomes larger in a dimension in which its last blocks may end with the
/// dataset instead of being full.
fn grows_past_its_edge(old: &[u8], new: &[u8], node_path: &str) -> bool {
    let dataset = |document| match N5Metadata::parse(document, node_path) {
        Ok(N5Metadata::Dataset(dataset)) => Some(dataset),
        _ => None,
    };
    let (Some(old), Some(new)) = (dataset(old), dataset(new)) else {
        return false;
    };
    let lens = std::iter::zip(old.dimensions(), new.dimensions());
    lens.zip(old.block_size())
        .any(|((old, new), block)| new > old && !old.is_multiple_of(u64::from(*block)))
}

/// What to write at the root, given the documents that are there, so that it states a version of
/// N5; `None` when nothing is to be written.
pub(super) fn with_version(attributes: Option<&[u8]>, zarr: Option<&[u8]>) -> Option<Update> {
    let attributes = root_version::with_version(attributes, zarr)?;
    convert::attributes_to_zarr(&attributes, "/", ChunkGrid::Regular).ok()?;
    Some(Update { attributes })
}

/// `document` with `values` written over it, one after the other.
///
/// A value may start anywhere up to the end. One that starts beyond it would leave a hole of zero
/// bytes, which no JSON document has; refusing it also bounds the memory by what was really given.
pub(super) fn patch(
    document: Bytes,
    values: OffsetBytesIterator<'_>,
) -> Result<Bytes, StorageError> {
    let mut patched = Vec::from(document);
    for (offset, value) in values {
        let start = usize::try_from(offset)
            .ok()
            .filter(|start| *start <= patched.len())
            .ok_or_else(|| {
                StorageError::Other(format!(
                    "cannot write {} bytes at offset {offset} of a metadata document of {} bytes: \
                     expected an offset of at most its length",
                    value.len(),
                    patched.len()
                ))
            })?;
        let overlap = value.len().min(patched.len() - start);
        patched.splice(start..start + overlap, value);
    }
    Ok(patched.into())
}

/// The keys of the wrapped store behind `keys`: both documents for each `zarr.json`, in the order
/// in which to erase.
pub(super) fn behind(keys: &[StoreKey]) -> StoreKeys {
    let mut behind = Vec::with_capacity(keys.len());
    for key in keys {
        behind.push(key.clone());
        behind.extend(NodeKeys::of_zarr_json(key).map(|node| node.attributes));
    }
    behind
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_growth_beyond_blocks_that_may_be_short_is_told() {
        let dataset = |dimensions: &str| {
            format!(
                r#"{{"dimensions":{dimensions},"blockSize":[4,2],"dataType":"uint8",
                    "compression":{{"type":"raw"}}}}"#
            )
        };
        let grows = |old: &str, new: &str| {
            grows_past_its_edge(dataset(old).as_bytes(), dataset(new).as_bytes(), "/a")
        };
        assert!(grows("[5,4]", "[6,4]"));
        assert!(grows("[8,3]", "[8,4]"));
        for (old, new) in [
            ("[8,4]", "[9,5]"),
            ("[5,4]", "[5,6]"),
            ("[5,3]", "[4,2]"),
            ("[0,4]", "[5,4]"),
        ] {
            assert!(!grows(old, new), "{old} to {new}");
        }
        assert!(!grows_past_its_edge(
            b"{}",
            dataset("[9,9]").as_bytes(),
            "/a"
        ));
    }

    #[test]
    fn a_patch_overwrites_and_appends() {
        let values = [
            (1, Bytes::from_static(b"ab")),
            (3, Bytes::from_static(b"cdef")),
        ];
        let patched = patch(Bytes::from_static(b"01234"), Box::new(values.into_iter())).unwrap();
        assert_eq!(patched, &b"0abcdef"[..]);
    }

    #[test]
    fn a_patch_that_leaves_a_hole_is_refused_before_any_allocation() {
        for offset in [6, u64::MAX] {
            let values = [(offset, Bytes::from_static(b"a"))];
            let error = patch(Bytes::from_static(b"01234"), Box::new(values.into_iter()))
                .unwrap_err()
                .to_string();
            assert!(
                error.contains(&offset.to_string()) && error.contains("5 bytes"),
                "{error}"
            );
        }
    }
}
