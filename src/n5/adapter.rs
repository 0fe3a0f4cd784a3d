//! What both store adapters do with the listings and the documents that they show. Pure.

use std::collections::HashSet;

use zarrs_storage::byte_range::{ByteRange, ByteRangeIterator, InvalidByteRangeError};
use zarrs_storage::{Bytes, StorageError, StoreKey, StoreKeys};

/// Adds the keys `shown` to a listing and takes the keys `hidden` away.
///
/// The keys come out sorted and without repetition when anything changed, and untouched otherwise.
pub(crate) fn merge(keys: &mut StoreKeys, shown: Vec<StoreKey>, hidden: &HashSet<StoreKey>) {
    if shown.is_empty() && hidden.is_empty() {
        return;
    }
    keys.retain(|key| !hidden.contains(key));
    keys.extend(shown);
    keys.sort();
    keys.dedup();
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

/// The bytes of `document`, if it is there, in each of `ranges`, as a synchronous store hands them
/// out.
pub(crate) fn slices(
    document: Option<&Bytes>,
    ranges: ByteRangeIterator<'_>,
) -> zarrs_storage::MaybeBytesIterator<'static> {
    let document = document?;
    let slices: Vec<_> = ranges.map(|range| slice(document, range)).collect();
    Some(Box::new(slices.into_iter()))
}

/// The bytes of `document`, if it is there, in each of `ranges`, as an asynchronous store hands
/// them out.
#[cfg(feature = "async")]
pub(crate) fn async_slices(
    document: Option<&Bytes>,
    ranges: ByteRangeIterator<'_>,
) -> zarrs_storage::AsyncMaybeBytesIterator<'static> {
    let document = document?;
    let slices: Vec<_> = ranges.map(|range| slice(document, range)).collect();
    Some(Box::pin(futures::stream::iter(slices)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(key: &str) -> StoreKey {
        StoreKey::new(key).unwrap()
    }

    #[test]
    fn merging_sorts_adds_and_hides() {
        let mut keys = vec![
            key("b/zarr.json"),
            key("a/zarr.json"),
            key("a/attributes.json"),
        ];
        merge(
            &mut keys,
            vec![key("a/zarr.json"), key("c/zarr.json")],
            &HashSet::from([key("b/zarr.json")]),
        );
        assert_eq!(
            keys,
            [
                key("a/attributes.json"),
                key("a/zarr.json"),
                key("c/zarr.json")
            ]
        );
    }

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
}
