//! The bytes of answers and files, taken as they come: no memory on the word of a server, but for a
//! first piece, and nothing that is larger than what N5 holds.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use futures::{Stream, TryStreamExt};
use object_store::{Error, GetResult, GetResultPayload, ObjectMeta};
use zarrs_storage::Bytes;

use crate::n5::block::MAX_BLOCK_BYTES;

/// As much is reserved before it has come, at most: few blocks are larger, so that most are put
/// together without a second time.
const FIRST: usize = 1 << 20;

/// The most bytes that a value has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Most {
    pub(super) bytes: u64,
    /// What such a value is, and why it has no more.
    pub(super) reason: &'static str,
}

/// N5 holds 2 GiB of elements in a block. A header has 256 KiB at most, and compression of what
/// cannot be compressed adds less than 3 %.
const MOST_IN_BLOCK: Most = Most {
    bytes: MAX_BLOCK_BYTES + (64 << 20),
    reason: "a block of N5 (2 GiB of elements, and 64 MiB for a header and for what compression \
             may add)",
};

/// Those of real containers have some kB, and the largest some MB. To read one takes up to 20 times
/// its size.
const MOST_IN_DOCUMENT: Most = Most {
    bytes: 64 << 20,
    reason: "a document such as attributes.json (64 MiB)",
};

impl Most {
    /// For the value of a key, by its name.
    pub(super) fn of(key: &str) -> Self {
        let name = key.rsplit('/').next().unwrap_or(key);
        let is_json = name.rsplit_once('.').is_some_and(|(_, end)| end == "json");
        if name.starts_with('.') || is_json {
            MOST_IN_DOCUMENT
        } else {
            MOST_IN_BLOCK
        }
    }
}

/// A value or a range of it.
pub(super) struct Part {
    pub(super) bytes: Bytes,
    /// What is known of the whole value.
    pub(super) of: ObjectMeta,
}

impl Part {
    /// Whether both are known to be of one value: none was written over another in between.
    pub(super) fn is_of_the_same(&self, other: &Self) -> bool {
        let [this, other] = [self, other].map(|part| &part.of);
        this.e_tag == other.e_tag
            && this.size == other.size
            && this.last_modified == other.last_modified
    }
}

/// Why bytes are not there.
#[derive(Debug)]
pub(super) enum Unread<E> {
    /// They did not all come.
    Cut(E),
    /// So many are there or have come, and that is too many.
    TooLarge(u64),
    /// There is no memory for so many.
    NoMemory(u64),
}

/// The bytes of `answer`, or why not; `most` is looked at before the first is read. There may be
/// fewer than the answer says, but not more.
pub(super) async fn read(answer: GetResult, most: Most) -> Result<Bytes, Unread<Error>> {
    let range = answer.range;
    let size = range.end.saturating_sub(range.start);
    if size > most.bytes {
        return Err(Unread::TooLarge(size));
    }
    match answer.payload {
        GetResultPayload::File(file, _) => {
            let read = tokio::task::spawn_blocking(move || read_file(file, range));
            let read = read.await.map_err(|error| Unread::Cut(error.into()))?;
            read.map_err(|unread| match unread {
                Unread::Cut(source) => Unread::Cut(Error::Generic {
                    store: "LocalFileSystem",
                    source: source.into(),
                }),
                Unread::TooLarge(size) => Unread::TooLarge(size),
                Unread::NoMemory(size) => Unread::NoMemory(size),
            })
        }
        GetResultPayload::Stream(stream) => collect(stream, size, size).await,
    }
}

fn read_file(mut file: File, range: Range<u64>) -> Result<Bytes, Unread<io::Error>> {
    let size = range.end.saturating_sub(range.start);
    let mut bytes = Vec::new();
    usize::try_from(size)
        .ok()
        .and_then(|size| bytes.try_reserve_exact(size).ok())
        .ok_or(Unread::NoMemory(size))?;
    file.seek(SeekFrom::Start(range.start))
        .map_err(Unread::Cut)?;
    file.take(size)
        .read_to_end(&mut bytes)
        .map_err(Unread::Cut)?;
    Ok(bytes.into())
}

/// All that `stream` gives. Memory grows with what has come, up to the `expected` size, which may
/// be anything. More than `most` bytes are not read.
pub(super) async fn collect<E>(
    mut stream: impl Stream<Item = Result<Bytes, E>> + Unpin,
    expected: u64,
    most: u64,
) -> Result<Bytes, Unread<E>> {
    let expected = usize::try_from(expected).unwrap_or(usize::MAX);
    // One part that is all is handed on as it is.
    let mut first = Bytes::new();
    let mut all = Vec::new();
    while let Some(part) = stream.try_next().await.map_err(Unread::Cut)? {
        let len = first.len().max(all.len()).saturating_add(part.len());
        if len as u64 > most {
            return Err(Unread::TooLarge(len as u64));
        }
        if first.is_empty() && all.is_empty() {
            first = part;
            continue;
        }
        if all.is_empty() {
            reserve(&mut all, len, expected)?;
            all.extend_from_slice(&first);
        } else {
            reserve(&mut all, len, expected)?;
        }
        all.extend_from_slice(&part);
    }
    Ok(if all.is_empty() { first } else { all.into() })
}

/// Makes room for `len` bytes in all: for twice as many as before, so that this is seldom done, but
/// for no more than are expected.
fn reserve<E>(all: &mut Vec<u8>, len: usize, expected: usize) -> Result<(), Unread<E>> {
    if len <= all.capacity() {
        return Ok(());
    }
    let twice = all.capacity().saturating_mul(2).max(FIRST);
    let capacity = twice.min(expected).max(len);
    all.try_reserve_exact(capacity.saturating_sub(all.len()))
        .map_err(|_| Unread::NoMemory(capacity as u64))
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use futures::stream;

    use super::*;

    fn parts(lens: &[usize]) -> impl Stream<Item = Result<Bytes, ()>> + Unpin {
        let parts: Vec<_> = lens
            .iter()
            .zip(1..)
            .map(|(len, number)| Ok(Bytes::from(vec![number; *len])))
            .collect();
        stream::iter(parts)
    }

    #[test]
    fn parts_are_put_together_in_their_order() {
        for lens in [&[][..], &[0], &[3], &[0, 3], &[3, 0, 2], &[1, 2, 3, 4]] {
            let size: usize = lens.iter().sum();
            let expected: Vec<u8> = lens
                .iter()
                .zip(1..)
                .flat_map(|(len, number)| vec![number; *len])
                .collect();
            for hint in [0, size as u64, u64::MAX] {
                let found = block_on(collect(parts(lens), hint, size as u64)).unwrap();
                assert_eq!(found, expected, "{lens:?}");
            }
            if size > 0 {
                let found = block_on(collect(parts(lens), 0, size as u64 - 1));
                assert!(matches!(found, Err(Unread::TooLarge(_))), "{lens:?}");
            }
        }
    }

    #[test]
    fn memory_grows_with_what_has_come_and_not_with_what_was_promised() {
        for expected in [0, 100, FIRST, 1 << 40, usize::MAX] {
            let mut all = Vec::new();
            for len in (0..10 * FIRST).step_by(FIRST / 16) {
                reserve::<()>(&mut all, len, expected).unwrap();
                assert!(all.capacity() >= len);
                let most = FIRST.max(2 * len);
                assert!(all.capacity() <= most, "{expected} {len}");
                all.resize(len, 0);
            }
        }
        // What is expected is not exceeded.
        let mut all = vec![0_u8; FIRST];
        reserve::<()>(&mut all, FIRST + 1, FIRST + 10).unwrap();
        assert_eq!(all.capacity(), FIRST + 10);
    }

    #[test]
    fn documents_are_smaller_than_blocks() {
        for key in ["attributes.json", "a/zarr.json", "a/.zarray", ".zgroup"] {
            assert_eq!(Most::of(key), MOST_IN_DOCUMENT, "{key}");
        }
        for key in ["0", "a/0/1/2", "a.json/0", "c/0/0", "img_0.tif"] {
            assert_eq!(Most::of(key), MOST_IN_BLOCK, "{key}");
        }
    }

    #[test]
    fn a_range_of_a_file_is_read() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        io::Write::write_all(&mut file, b"0123456789").unwrap();
        let open = || File::open(file.path()).unwrap();
        assert_eq!(read_file(open(), 2..5).unwrap(), "234");
        assert_eq!(read_file(open(), 8..20).unwrap(), "89");
        let error = read_file(open(), 0..u64::MAX);
        assert!(matches!(error, Err(Unread::NoMemory(_))), "{error:?}");
    }
}
