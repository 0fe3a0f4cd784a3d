//! Partial reads that ask for everything. Pure.
//!
//! zarrs asks for a whole value by a range without an end. Some stores answer every range with one
//! request for the size and one for the bytes, or not at all on servers without ranges. So the
//! adapters turn such a read into a plain `get`.

use std::iter;

#[cfg(feature = "object_store")]
use zarrs_storage::Bytes;
use zarrs_storage::byte_range::{ByteRange, ByteRangeIterator};
use zarrs_storage::{MaybeBytes, MaybeBytesIterator};

/// What a partial read asks for.
pub(crate) enum Asked<'a> {
    /// One range, which is the whole value.
    Whole,
    /// Anything else.
    Ranges(ByteRangeIterator<'a>),
}

impl<'a> Asked<'a> {
    /// Looks at no more than two of the ranges.
    pub(crate) fn by(mut ranges: ByteRangeIterator<'a>) -> Self {
        let first = ranges.next();
        let second = ranges.next();
        match (first, second) {
            (Some(range), None) if is_whole(range) => Self::Whole,
            (first, second) => {
                Self::Ranges(Box::new(first.into_iter().chain(second).chain(ranges)))
            }
        }
    }
}

/// Whether a range is the whole value, whatever its size.
pub(crate) const fn is_whole(range: ByteRange) -> bool {
    matches!(range, ByteRange::FromStart(0, None))
}

/// A whole value as the answer to one range, as a synchronous store hands it out.
pub(crate) fn single(value: MaybeBytes) -> MaybeBytesIterator<'static> {
    Some(Box::new(iter::once(Ok(value?))))
}

/// A whole value as the answer to one range, as an asynchronous store hands it out.
#[cfg(feature = "async")]
pub(crate) fn async_single(value: MaybeBytes) -> zarrs_storage::AsyncMaybeBytesIterator<'static> {
    Some(Box::pin(futures::stream::iter([Ok(value?)])))
}

/// The answers to several ranges, as a synchronous store hands them out.
#[cfg(feature = "object_store")]
pub(crate) fn each(parts: Option<Vec<Bytes>>) -> MaybeBytesIterator<'static> {
    Some(Box::new(parts?.into_iter().map(Ok)))
}

/// The answers to several ranges, as an asynchronous store hands them out.
#[cfg(feature = "object_store")]
pub(crate) fn async_each(
    parts: Option<Vec<Bytes>>,
) -> zarrs_storage::AsyncMaybeBytesIterator<'static> {
    Some(Box::pin(futures::stream::iter(parts?.into_iter().map(Ok))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(ranges: &[ByteRange]) -> Option<Vec<ByteRange>> {
        match Asked::by(Box::new(ranges.iter().copied())) {
            Asked::Whole => None,
            Asked::Ranges(ranges) => Some(ranges.collect()),
        }
    }

    #[test]
    fn one_range_from_the_start_without_an_end_is_the_whole_value() {
        assert_eq!(asked(&[ByteRange::FromStart(0, None)]), None);
    }

    #[test]
    fn other_ranges_stay_as_they_are() {
        let whole = ByteRange::FromStart(0, None);
        for ranges in [
            vec![],
            vec![whole, whole],
            vec![whole, ByteRange::Suffix(1), whole],
            vec![ByteRange::FromStart(1, None)],
            vec![ByteRange::FromStart(0, Some(7))],
            vec![ByteRange::Suffix(7)],
        ] {
            assert_eq!(asked(&ranges), Some(ranges));
        }
    }
}
