//! What the documents of a node say, and what is read from and written to them. Pure: no store is asked here.

use std::error::Error;
use std::fmt::Write;

use zarrs_storage::byte_range::{ByteRange, InvalidByteRangeError};
use zarrs_storage::{Bytes, OffsetBytesIterator, StorageError};

use super::keys::NodeKeys;
use super::{Options, Unconvertible};
use crate::n5::convert::{self, ChunkGrid};

/// The `zarr.json` that stands for the `attributes.json` of `node`; `None` when it is to be hidden.
pub(super) fn present(
    options: Options,
    node: &NodeKeys,
    attributes: &[u8],
) -> Result<Option<Bytes>, StorageError> {
    let path = node.path();
    match convert::attributes_to_zarr(attributes, &path, options.chunk_grid) {
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
    /// The new `zarr.json` for a node that has one lying beside its `attributes.json`.
    pub(super) zarr: Bytes,
}

/// What a `set` of the `zarr.json` of `node` writes; `None` when nothing changes.
pub(super) fn update(
    node: &NodeKeys,
    zarr: &[u8],
    existing: Option<&[u8]>,
) -> Result<Option<Update>, StorageError> {
    let path = node.path();
    let refused = |error| {
        StorageError::Other(format!(
            "{} cannot be stored as N5: {}",
            node.zarr,
            full_text(&error)
        ))
    };
    let Some(attributes) = convert::zarr_to_attributes(zarr, existing, &path).map_err(refused)?
    else {
        return Ok(None);
    };
    let zarr =
        convert::attributes_to_zarr(&attributes, &path, ChunkGrid::Regular).map_err(refused)?;
    Ok(Some(Update {
        attributes: attributes.into(),
        zarr: zarr.into(),
    }))
}

/// The bytes of `document` in `range`.
pub(crate) fn slice(document: &Bytes, range: ByteRange) -> Result<Bytes, StorageError> {
    let size = document.len() as u64;
    let bounds = match range {
        ByteRange::FromStart(start, None) => Some((start, size)),
        ByteRange::FromStart(start, Some(length)) => {
            start.checked_add(length).map(|end| (start, end))
        }
        ByteRange::Suffix(length) => size.checked_sub(length).map(|start| (start, size)),
    };
    bounds
        .filter(|(start, end)| start <= end && *end <= size)
        .and_then(|(start, end)| Some((usize::try_from(start).ok()?, usize::try_from(end).ok()?)))
        .map(|(start, end)| document.slice(start..end))
        .ok_or_else(|| InvalidByteRangeError::new(range, size).into())
}

/// `document` with `values` written over it, one after the other.
///
/// A value may start anywhere up to the end. One that starts beyond it would leave a hole of zero bytes, which no
/// JSON document has; refusing it also bounds the memory by what was really given.
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

/// The text of `error` with those of its sources that it does not already tell.
///
/// [`StorageError`] holds only text, so this is how the causes get through it.
pub(crate) fn full_text(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            // Writing to a string never fails.
            let _ = write!(text, ": {cause_text}");
        }
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_is_what_the_range_says() {
        let document = Bytes::from_static(b"0123456789");
        for (range, expected) in [
            (ByteRange::FromStart(0, None), &b"0123456789"[..]),
            (ByteRange::FromStart(10, None), b""),
            (ByteRange::FromStart(3, Some(2)), b"34"),
            (ByteRange::FromStart(10, Some(0)), b""),
            (ByteRange::Suffix(3), b"789"),
            (ByteRange::Suffix(0), b""),
            (ByteRange::Suffix(10), b"0123456789"),
        ] {
            assert_eq!(slice(&document, range).unwrap(), expected, "{range}");
        }
    }

    #[test]
    fn a_range_beyond_the_end_is_refused_without_overflow() {
        let document = Bytes::from_static(b"0123456789");
        for range in [
            ByteRange::FromStart(11, None),
            ByteRange::FromStart(9, Some(2)),
            ByteRange::FromStart(u64::MAX, Some(2)),
            ByteRange::Suffix(11),
        ] {
            assert!(
                matches!(
                    slice(&document, range),
                    Err(StorageError::InvalidByteRangeError(_))
                ),
                "{range:?}"
            );
        }
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

    #[derive(Debug, thiserror::Error)]
    #[error("outer")]
    struct Outer(#[source] std::num::ParseIntError);

    #[test]
    fn the_full_text_tells_each_cause_once() {
        let error = Outer("x".parse::<u8>().unwrap_err());
        assert_eq!(full_text(&error), "outer: invalid digit found in string");
        assert_eq!(full_text(&error.0), "invalid digit found in string");
    }
}
