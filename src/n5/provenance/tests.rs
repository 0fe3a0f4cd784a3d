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
