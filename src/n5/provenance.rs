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
mod tests;
