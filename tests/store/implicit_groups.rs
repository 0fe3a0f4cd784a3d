//! Which folders `ImplicitGroupStore` takes for groups, what it asks of the wrapped store for that,
//! and what it writes.

use serde_json::json;
use zarrs_interop::n5::{ImplicitGroupStore, Unconvertible};
use zarrs_storage::{ListableStorageTraits, ReadableStorageTraits, WritableStorageTraits};

use super::requests::{json, n5, recording, set_json};
use crate::hierarchies::{BLOCK, DATASET, GROUP, UNSUPPORTED, key};

#[test]
fn an_implicit_group_costs_one_listing_of_its_directory() {
    let store = ImplicitGroupStore::new(recording(&[("a/b/ds/zarr.json", "{}")]));
    assert!(store.get(&key("a/b/ds/zarr.json")).unwrap().is_some());
    assert_eq!(store.inner().take_requests(), ["get a/b/ds/zarr.json"]);
    assert!(store.get(&key("a/zarr.json")).unwrap().is_some());
    assert_eq!(
        store.inner().take_requests(),
        ["get a/zarr.json", "list_dir a/"]
    );
    assert_eq!(store.get(&key("a/0/0")).unwrap(), None);
    assert_eq!(store.inner().take_requests(), ["get a/0/0"]);
}

#[test]
fn a_path_that_leads_nowhere_is_no_group() {
    let store = ImplicitGroupStore::new(n5(&[("a/attributes.json", GROUP)]));
    for at in ["b/zarr.json", "a/b/zarr.json", "a/b/c/zarr.json"] {
        assert_eq!(store.get(&key(at)).unwrap(), None, "{at}");
    }
    let empty = ImplicitGroupStore::new(n5(&[]));
    assert_eq!(empty.get(&key("zarr.json")).unwrap(), None);
}

#[test]
fn a_directory_of_blocks_is_no_group_but_a_group_may_have_a_number_for_a_name() {
    let block = std::str::from_utf8(&BLOCK[..4]).unwrap();
    let store = ImplicitGroupStore::new(n5(&[
        ("ds/attributes.json", DATASET),
        ("ds/0/0", block),
        ("ds/1/2/3", block),
        ("bad/attributes.json", UNSUPPORTED),
        ("bad/0/0", block),
        ("g/0/ds/attributes.json", DATASET),
    ]));
    for at in [
        "ds/0/zarr.json",
        "ds/1/zarr.json",
        "ds/1/2/zarr.json",
        "bad/0/zarr.json",
    ] {
        assert_eq!(store.get(&key(at)).unwrap(), None, "{at}");
    }
    for at in ["g/zarr.json", "g/0/zarr.json", "zarr.json"] {
        assert_eq!(
            json(&store, at),
            json!({"zarr_format": 3, "node_type": "group"}),
            "{at}"
        );
    }
}

#[test]
fn a_node_of_zarr_v2_is_not_turned_into_a_group() {
    let store = ImplicitGroupStore::new(recording(&[("a/.zarray", "{}"), ("b/.zgroup", "{}")]));
    assert_eq!(store.get(&key("a/zarr.json")).unwrap(), None);
    assert_eq!(store.get(&key("b/zarr.json")).unwrap(), None);
}

#[test]
fn without_a_listing_every_path_without_attributes_is_a_group() {
    let store = ImplicitGroupStore::unconditional(
        n5(&[("bad/attributes.json", UNSUPPORTED)]).with_unconvertible(Unconvertible::Hidden),
    );
    assert!(store.get(&key("nowhere/zarr.json")).unwrap().is_some());
    assert_eq!(store.size_key(&key("nowhere/zarr.json")).unwrap(), Some(37));
    assert_eq!(store.get(&key("bad/zarr.json")).unwrap(), None);
    assert_eq!(store.get(&key("nowhere/.zgroup")).unwrap(), None);
    assert_eq!(store.list().unwrap(), [key("bad/attributes.json")]);
    let requests = store.inner().inner().take_requests();
    assert!(
        !requests.iter().any(|request| request.starts_with("list_")),
        "{requests:?}"
    );
}

#[test]
fn storing_an_implicit_group_gives_it_a_document_and_erasing_makes_it_implicit_again() {
    let store = ImplicitGroupStore::new(n5(&[("a/ds/attributes.json", DATASET)]));
    let group = json!({"zarr_format": 3, "node_type": "group", "attributes": {"k": 1}});
    set_json(&store, "a/zarr.json", &group).unwrap();
    assert_eq!(json(&store, "a/attributes.json"), json!({"k": 1}));
    store.erase(&key("a/zarr.json")).unwrap();
    assert_eq!(
        json(&store, "a/zarr.json"),
        json!({"zarr_format": 3, "node_type": "group"})
    );
}
