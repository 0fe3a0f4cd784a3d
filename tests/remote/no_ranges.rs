//! Servers without ranges answer each with the whole file.

use zarrs_interop::n5::RegionReader;
use zarrs_storage::byte_range::ByteRange;
use zarrs_storage::{AsyncReadableStorageTraits, ReadableStorageTraits};

use crate::container::{BLOCKS, PLANE_BLOCKS, Served, all, plane};

fn served() -> Served {
    Served::by(|files| files.has_ranges = false)
}

#[tokio::test]
async fn raw_regions_are_read_from_whole_blocks() {
    let served = served();
    let array = served.open("em/raw");
    let reader = RegionReader::new(&array).unwrap();
    for subset in [plane(40), all()] {
        let expected = served.local("em/raw", &subset);
        assert_eq!(reader.read::<u8>(&subset).unwrap(), expected);
        assert_eq!(reader.async_read::<u8>(&subset).await.unwrap(), expected);
        let read: Vec<u8> = array.retrieve_array_subset(&subset).unwrap();
        assert_eq!(read, expected);
    }
}

#[test]
fn that_there_are_none_is_found_out_once() {
    let served = served();
    let array = served.open("em/raw");
    let reader = RegionReader::new(&array).unwrap().with_concurrency(1);
    reader.read::<u8>(&plane(40)).unwrap();
    served.proxy.take();
    reader.read::<u8>(&plane(40)).unwrap();
    let requests = served.proxy.take_texts();
    assert_eq!(requests.len(), PLANE_BLOCKS, "{requests:#?}");
    assert!(
        !requests.iter().any(|request| request.contains("bytes")),
        "{requests:#?}"
    );
    assert!(!ReadableStorageTraits::supports_get_partial(
        &served.store_after_range()
    ));
}

#[test]
fn compressed_blocks_need_none() {
    let served = served();
    let array = served.open("em/gzip");
    let read: Vec<u8> = array.retrieve_array_subset(&all()).unwrap();
    assert_eq!(read, served.local("em/gzip", &all()));
    assert_eq!(served.proxy.take_texts().len(), BLOCKS + 1);
}

impl Served {
    /// A store that has asked for a range.
    fn store_after_range(&self) -> zarrs_interop::n5::UrlStore {
        let store = self.store();
        let key = "em/raw/0/0/0".try_into().unwrap();
        ReadableStorageTraits::get_partial(&store, &key, ByteRange::Suffix(3)).unwrap();
        store
    }
}

/// Ranges of every kind, from servers with and without them.
#[tokio::test]
async fn ranges_are_what_they_say() {
    for has_ranges in [true, false] {
        let served = Served::by(|files| files.has_ranges = has_ranges);
        let store = served.store();
        let key = "em/raw/0/0/0".try_into().unwrap();
        let whole = std::fs::read(served.folder.path().join("em/raw/0/0/0")).unwrap();
        let size = whole.len() as u64;
        for (range, expected) in [
            (ByteRange::FromStart(0, None), &whole[..]),
            (ByteRange::FromStart(100, None), &whole[100..]),
            (ByteRange::FromStart(100, Some(7)), &whole[100..107]),
            (
                ByteRange::FromStart(size - 1, Some(1)),
                &whole[whole.len() - 1..],
            ),
            (ByteRange::FromStart(5, Some(0)), &[]),
            (ByteRange::Suffix(9), &whole[whole.len() - 9..]),
            (ByteRange::Suffix(0), &[]),
            (ByteRange::Suffix(size), &whole[..]),
        ] {
            let read = AsyncReadableStorageTraits::get_partial(&store, &key, range).await;
            assert_eq!(read.unwrap().unwrap(), expected, "{range}");
            let both = [range, ByteRange::FromStart(3, Some(4))];
            let read =
                ReadableStorageTraits::get_partial_many(&store, &key, Box::new(both.into_iter()));
            let read: Vec<_> = read.unwrap().unwrap().map(Result::unwrap).collect();
            assert_eq!(read, [expected, &whole[3..7]], "{range}");
        }
        for range in [
            ByteRange::FromStart(size, Some(1)),
            ByteRange::FromStart(size - 1, Some(2)),
            ByteRange::FromStart(u64::MAX, Some(2)),
            ByteRange::FromStart(size + 1, None),
            ByteRange::Suffix(size + 1),
        ] {
            ReadableStorageTraits::get_partial(&store, &key, range).unwrap_err();
        }
        let size_key = ReadableStorageTraits::size_key(&store, &key).unwrap();
        assert_eq!(size_key, Some(size));
        let missing = "em/raw/1/0/0".try_into().unwrap();
        for range in [
            ByteRange::FromStart(0, Some(3)),
            ByteRange::Suffix(3),
            ByteRange::Suffix(0),
        ] {
            let read = ReadableStorageTraits::get_partial(&store, &missing, range).unwrap();
            assert_eq!(read, None, "{range}");
        }
    }
}
