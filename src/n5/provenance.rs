//! Which key the bytes of a block came from, so that an error of the block can name it.
//!
//! zarrs tells a codec nothing but the bytes. [`N5DefaultStore`](super::N5DefaultStore) knows the
//! key, and most stores hand out memory that goes through zarrs to the codec without being copied.
//! So the store remembers where in memory the bytes of each block begin, and the codec looks there.
//!
//! What keeps a wrong key from being named:
//!
//! * An address belongs to one allocation at a time, and whoever hands out bytes at an address
//!   replaces what was remembered of it, in whichever thread.
//! * The codec forgets what it has decoded, so that nothing is remembered of memory that has been
//!   given back in the usual way.
//! * For memory that was given back without being decoded and then taken by bytes of another
//!   source: their size, their first and last bytes and a sample of the others must be those handed
//!   out. Bytes of another source that are alike in all these places, at the same address, are the
//!   one case in which a wrong key would be named.
//!
//! zarrs copies the bytes of a compressed block that is read in part, after it has read them and
//! before it makes the partial decoder, all in one go. So the codec asks then what this thread has
//! read last, if nothing was decoded since, and compares the copy with that.
//!
//! Where bytes are copied otherwise (a `MemoryStore`, which keeps them; a shard, whose inner chunks
//! are parts of a value; a checksum behind `n5_default`) nothing is found, and nothing is named.
//!
//! No bytes are kept alive. At most 256 keys, and one for each thread, are remembered.

use std::cell::Cell;
use std::sync::{Mutex, MutexGuard, PoisonError};

use zarrs_storage::{Bytes, StoreKey};

/// Blocks on their way from a store to the codec are spread over so many sets by their address ...
const SETS: usize = 32;

/// ... of so many each. A set that is full loses the block that was added first, which is then not
/// named.
const SET_LEN: usize = 8;

/// Longer keys are not remembered; it is the limit of S3.
const MAX_KEY_SIZE: usize = 1024;

/// How many bytes are compared at either end. Compressed blocks end with a checksum.
const END_SIZE: usize = 64;

/// How many further bytes are compared, at equal distances.
const SAMPLES: usize = 64;

static ORIGINS: Origins = Origins::new();

struct Origins([Mutex<Set>; SETS]);

struct Set {
    origins: [Option<Origin>; SET_LEN],
    /// Where the next one goes if the set is full.
    oldest: usize,
}

struct Origin {
    address: usize,
    value: Described,
}

/// A key, and enough of its value to know it again.
#[derive(Clone, Debug)]
pub(crate) struct Described {
    size: usize,
    sample: u64,
    key: StoreKey,
}

thread_local! {
    /// What this thread has read last, if it has not decoded anything since.
    static LAST: Cell<Option<Described>> = const { Cell::new(None) };
}

impl Described {
    fn new(key: &StoreKey, value: &[u8]) -> Self {
        Self {
            size: value.len(),
            sample: sample(value),
            key: key.clone(),
        }
    }

    /// The key, if `value` is what was described.
    pub(crate) fn key_of(self, value: &[u8]) -> Option<StoreKey> {
        (self.size == value.len() && self.sample == sample(value)).then_some(self.key)
    }
}

/// Remembers that `value` is the value of `key`, and hands it on.
pub(crate) fn remember(key: &StoreKey, value: Bytes) -> Bytes {
    if key.as_str().len() > MAX_KEY_SIZE {
        // What was remembered of this address is of other bytes.
        forget(&value);
        return value;
    }
    let described = Described::new(key, &value);
    LAST.set(Some(described.clone()));
    ORIGINS.remember(described, value)
}

/// The key that `value` came from, if that is certain. It is forgotten.
pub(crate) fn take(value: &[u8]) -> Option<StoreKey> {
    LAST.set(None);
    ORIGINS.take(value)
}

/// Forgets where `value` came from.
pub(crate) fn forget(value: &[u8]) {
    LAST.set(None);
    ORIGINS.taken(value);
}

/// What this thread has read last, if it has decoded nothing since. It is forgotten.
pub(crate) fn take_last() -> Option<Described> {
    LAST.take()
}

impl Origins {
    const fn new() -> Self {
        Self([const { Mutex::new(Set::new()) }; SETS])
    }

    fn remember(&self, described: Described, value: Bytes) -> Bytes {
        let value = if value.is_empty() {
            // An empty value has an address of its own only if it has capacity.
            Bytes::from(Vec::with_capacity(1))
        } else {
            value
        };
        // What somebody else holds too is copied before the codec gets it.
        if value.is_unique() {
            let origin = Origin {
                address: address(&value),
                value: described,
            };
            self.set(origin.address).put(origin);
        }
        value
    }

    fn take(&self, value: &[u8]) -> Option<StoreKey> {
        self.taken(value)?.value.key_of(value)
    }

    fn taken(&self, value: &[u8]) -> Option<Origin> {
        let address = address(value);
        self.set(address).at(address)?.take()
    }

    fn set(&self, address: usize) -> MutexGuard<'_, Set> {
        // Large allocations begin at nearly the same offset of a page: all bits count.
        let index = mixed(0, address as u64) % SETS as u64;
        #[expect(clippy::cast_possible_truncation, reason = "less than SETS")]
        let set = &self.0[index as usize];
        set.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Set {
    const fn new() -> Self {
        Self {
            origins: [const { None }; SET_LEN],
            oldest: 0,
        }
    }

    /// The place of what was handed out at `address`.
    fn at(&mut self, address: usize) -> Option<&mut Option<Origin>> {
        let mut places = self.origins.iter_mut();
        places.find(|place| (place.as_ref()).is_some_and(|origin| origin.address == address))
    }

    /// Adds one in the place of the one with the same address, in a free one, or in the oldest.
    fn put(&mut self, origin: Origin) {
        if let Some(place) = self.at(origin.address) {
            *place = Some(origin);
        } else if let Some(place) = self.origins.iter_mut().find(|place| place.is_none()) {
            *place = Some(origin);
        } else {
            self.origins[self.oldest] = Some(origin);
            self.oldest = (self.oldest + 1) % SET_LEN;
        }
    }
}

fn address(value: &[u8]) -> usize {
    value.as_ptr().addr()
}

/// A number that depends on both ends of `value` and on a sample of what is between them.
fn sample(value: &[u8]) -> u64 {
    let step = value.len().div_ceil(SAMPLES).max(1);
    let head = value.iter().take(END_SIZE);
    let tail = value.iter().rev().take(END_SIZE);
    let between = value.iter().step_by(step);
    head.chain(tail)
        .chain(between)
        .fold(0, |state, &byte| mixed(state, u64::from(byte)))
}

/// A step of a multiplicative hash, whose high bits are brought down to count in the next step.
const fn mixed(state: u64, value: u64) -> u64 {
    let product = (state ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ (product >> 32)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(text: &str) -> StoreKey {
        StoreKey::new(text).unwrap()
    }

    fn read(origins: &Origins, key: &StoreKey, value: Bytes) -> Bytes {
        origins.remember(Described::new(key, &value), value)
    }

    /// What zarrs makes of the bytes of a store.
    fn into_vec(value: Bytes) -> Vec<u8> {
        value.into()
    }

    #[test]
    fn bytes_that_are_moved_have_their_key_once() {
        let origins = Origins::new();
        let value = into_vec(read(&origins, &key("a/0/1"), vec![1, 2, 3].into()));
        assert_eq!(origins.take(&value), Some(key("a/0/1")));
        assert_eq!(origins.take(&value), None);
    }

    #[test]
    fn an_empty_value_has_a_key() {
        let origins = Origins::new();
        let first = into_vec(read(&origins, &key("a/0"), Bytes::new()));
        let second = into_vec(read(&origins, &key("a/1"), Bytes::new()));
        assert_eq!(origins.take(&second), Some(key("a/1")));
        assert_eq!(origins.take(&first), Some(key("a/0")));
        assert_eq!(origins.take(&[]), None);
    }

    #[test]
    fn copied_bytes_have_none() {
        let origins = Origins::new();
        let value = Bytes::from(vec![1, 2, 3]);
        let shared = value.clone();
        let copy = into_vec(read(&origins, &key("a/0"), shared));
        assert_eq!(origins.take(&copy), None);
        assert_eq!(origins.take(&value), None);
    }

    #[test]
    fn other_bytes_in_the_same_place_have_none() {
        let origins = Origins::new();
        for change in [0, 63, 5000, 9999] {
            let mut value = into_vec(read(&origins, &key("a/0"), vec![7; 10_000].into()));
            value[change / 157 * 157] = 8;
            value[change] = 8;
            assert_eq!(origins.take(&value), None, "{change}");
        }
        let mut value = into_vec(read(&origins, &key("a/0"), vec![7; 100].into()));
        value.pop();
        assert_eq!(origins.take(&value), None);
    }

    #[test]
    fn a_part_has_none() {
        let origins = Origins::new();
        let value = into_vec(read(&origins, &key("a/0"), vec![7; 100].into()));
        assert_eq!(origins.take(&value[4..]), None);
        assert_eq!(origins.take(&value[..96]), None);
    }

    #[test]
    fn what_is_decoded_is_forgotten() {
        let origins = Origins::new();
        let value = into_vec(read(&origins, &key("a/0"), vec![1, 2, 3].into()));
        origins.taken(&value);
        assert_eq!(origins.take(&value), None);
    }

    #[test]
    fn a_copy_has_the_key_that_was_read_last_once() {
        let value = remember(&key("a/7"), vec![1, 2, 3].into());
        let last = take_last().unwrap();
        assert!(take_last().is_none());
        assert_eq!(last.clone().key_of(&[1, 2, 4]), None);
        let copy = value.to_vec();
        assert_eq!(last.key_of(&copy), Some(key("a/7")));
    }

    #[test]
    fn nothing_was_read_last_when_something_was_decoded_since() {
        let value = remember(&key("a/7"), vec![1, 2, 3].into());
        forget(&[9]);
        assert!(take_last().is_none());
        remember(&key("a/7"), value);
        assert_eq!(take(&[9]), None);
        assert!(take_last().is_none());
    }

    #[test]
    fn a_long_key_is_not_remembered() {
        let long = key(&"a".repeat(MAX_KEY_SIZE + 1));
        let value = into_vec(remember(&long, vec![1, 2, 3].into()));
        assert_eq!(take(&value), None);
        assert!(take_last().is_none());
    }

    #[test]
    fn a_long_key_ends_what_was_remembered_of_the_address() {
        let long = key(&"a".repeat(MAX_KEY_SIZE + 1));
        // Given back without being decoded, and taken again by equal bytes.
        let value = into_vec(remember(&key("a/0"), vec![1, 2, 3].into()));
        let value = into_vec(remember(&long, value.into()));
        assert_eq!(take(&value), None);
    }

    #[test]
    fn threads_name_only_their_own_keys() {
        let origins = Origins::new();
        let origins = &origins;
        std::thread::scope(|scope| {
            for thread in 0..4_u8 {
                scope.spawn(move || {
                    for block in 0..500_u32 {
                        let own = key(&format!("{thread}/{block}"));
                        let value = into_vec(read(origins, &own, vec![thread; 300].into()));
                        if let Some(found) = origins.take(&value) {
                            assert_eq!(found, own);
                        }
                    }
                });
            }
        });
    }

    #[test]
    fn blocks_of_many_threads_at_once_keep_their_keys() {
        let origins = Origins::new();
        let values: Vec<_> = (0..64)
            .map(|block| {
                let own = key(&format!("a/{block}"));
                let value = into_vec(read(&origins, &own, vec![1; 5000].into()));
                (own, value)
            })
            .collect();
        let found = values
            .iter()
            .filter(|(own, value)| origins.take(value).as_ref() == Some(own));
        assert!(found.count() > 40);
    }

    #[test]
    fn a_full_set_loses_the_oldest() {
        let mut set = Set::new();
        for address in 0..=SET_LEN {
            set.put(Origin {
                address,
                value: Described::new(&key(&format!("a/{address}")), &[]),
            });
        }
        assert!(set.at(0).is_none());
        assert!((1..=SET_LEN).all(|address| set.at(address).is_some()));
    }

    proptest! {
        /// Values of few sizes and contents come and go, so that addresses are used again.
        #[test]
        fn a_key_is_never_that_of_other_bytes(
            steps in prop::collection::vec((0..6_usize, 0..4_usize, 1..4_usize, 0..3_u8), 1..200),
        ) {
            let origins = Origins::new();
            let mut held: [Option<(Vec<u8>, Option<StoreKey>)>; 6] = [const { None }; 6];
            for (step, (slot, action, size, content)) in steps.into_iter().enumerate() {
                let value = vec![content; size * 40];
                held[slot] = match (action, held[slot].take()) {
                    (0, _) => {
                        let own = key(&format!("block/{step}"));
                        Some((into_vec(read(&origins, &own, value.into())), Some(own)))
                    }
                    // From a store that remembers nothing: a key would be that of equal bytes that
                    // were dropped before they were decoded.
                    (1, _) => {
                        origins.taken(&value);
                        Some((value, None))
                    }
                    (2, Some((value, own))) => {
                        let found = origins.take(&value);
                        prop_assert!(found.is_none() || found == own);
                        Some((value, own))
                    }
                    (_, held) => {
                        drop(held);
                        None
                    }
                };
            }
        }
    }
}
