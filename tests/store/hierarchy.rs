//! zarrs's own ways to open and walk a hierarchy work on N5, on a folder and in memory.

use std::sync::Arc;

use zarrs::array::Array;
use zarrs::filesystem::FilesystemStore;
use zarrs::group::Group;
use zarrs::hierarchy::Hierarchy;
use zarrs::node::{Node, get_child_nodes, node_exists, node_exists_listable};
use zarrs_interop::n5::{ImplicitGroupStore, N5DefaultStore, Unconvertible};
use zarrs_storage::{
    Bytes, ListableStorageTraits, ReadableListableStorageTraits, ReadableStorageTraits, StoreKey,
    WritableStorageTraits, store::MemoryStore,
};

use crate::hierarchies::{self, DATASET, UNSUPPORTED, fill, key, nested};

const TREE: &str =
    "/\n  a\n    b\n      0\n        ds [3, 2] uint8\n      ds [3, 2] uint8\n  top [3, 2] uint8\n";

type Store = Arc<ImplicitGroupStore<N5DefaultStore<Arc<dyn ReadableListableStorageTraits>>>>;

/// Runs `test` on `entries` in a folder and in memory.
fn on_both(entries: &[(StoreKey, Bytes)], test: impl Fn(&Store)) {
    let folder = tempfile::tempdir().unwrap();
    let files = FilesystemStore::new(folder.path()).unwrap().sorted();
    let memory = MemoryStore::new();
    fill(&files, entries);
    fill(&memory, entries);
    let stores: [Arc<dyn ReadableListableStorageTraits>; 2] = [Arc::new(files), Arc::new(memory)];
    for store in stores {
        test(&Arc::new(ImplicitGroupStore::new(N5DefaultStore::new(
            store,
        ))));
    }
}

fn paths(nodes: &[Node]) -> Vec<String> {
    nodes.iter().map(|node| node.path().to_string()).collect()
}

#[test]
fn node_open_shows_the_tree_and_no_blocks() {
    on_both(&nested(), |store| {
        let node = Node::open(store, "/").unwrap();
        assert_eq!(node.hierarchy_tree(), TREE);
    });
}

#[test]
fn hierarchy_open_shows_the_same_tree() {
    on_both(&nested(), |store| {
        assert_eq!(Hierarchy::open(store, "/").unwrap().tree(), TREE);
        let group = Group::open(store.clone(), "/a").unwrap();
        let hierarchy = Hierarchy::try_from_group(&group).unwrap();
        assert!(hierarchy.to_string().contains("ds [3, 2] uint8"));
    });
}

#[test]
fn a_group_knows_its_children() {
    on_both(&nested(), |store| {
        let root = Group::open(store.clone(), "/").unwrap();
        assert_eq!(root.attributes()["n5"], "4.0.0");
        assert_eq!(paths(&root.children(false).unwrap()), ["/a", "/top"]);
        assert_eq!(paths(&root.children(true).unwrap()), ["/a", "/top"]);
        let paths = |paths: Vec<zarrs::node::NodePath>| {
            paths.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(paths(root.child_group_paths().unwrap()), ["/a"]);
        assert_eq!(paths(root.child_array_paths().unwrap()), ["/top"]);
        assert_eq!(root.child_groups().unwrap().len(), 1);
        let mut all: Vec<_> = root
            .traverse()
            .unwrap()
            .into_iter()
            .map(|(path, _)| path.to_string())
            .collect();
        all.sort();
        assert_eq!(
            all,
            ["/a", "/a/b", "/a/b/0", "/a/b/0/ds", "/a/b/ds", "/top"]
        );
    });
}

#[test]
fn groups_without_a_document_open_by_their_path() {
    on_both(&nested(), |store| {
        for path in ["/a/b", "/a/b/0"] {
            let group = Group::open(store.clone(), path).unwrap();
            assert!(group.attributes().is_empty());
            let path = group.path();
            assert!(node_exists(store, path).unwrap());
            assert!(node_exists_listable(store, path).unwrap());
            assert!(!get_child_nodes(store, path, false).unwrap().is_empty());
        }
    });
}

#[test]
fn a_misspelt_path_and_a_block_directory_do_not_open() {
    on_both(&nested(), |store| {
        for path in ["/b", "/a/c", "/top/0", "/a/b/0/ds/0", "/a/b/ds/s0"] {
            assert!(Group::open(store.clone(), path).is_err(), "{path}");
            assert!(Node::open(store, path).is_err(), "{path}");
        }
    });
}

#[test]
fn an_array_opens_and_reads() {
    on_both(&nested(), |store| {
        for path in ["/top", "/a/b/ds", "/a/b/0/ds"] {
            let array = Array::open(store.clone(), path).unwrap();
            assert_eq!(array.shape(), [3, 2]);
            assert_eq!(array.attributes()["unit"], "nm");
            assert_eq!(array.attributes().len(), 1);
            let values: Vec<u8> = array.retrieve_array_subset(&array.subset_all()).unwrap();
            assert_eq!(values, [1, 4, 2, 5, 3, 6]);
        }
        let group = Group::open(store.clone(), "/").unwrap();
        assert_eq!(group.child_arrays().unwrap().len(), 1);
    });
}

#[test]
fn a_dataset_may_be_the_root() {
    let entries = [
        (key("attributes.json"), Bytes::from(DATASET)),
        (key("0/0"), Bytes::from_static(hierarchies::BLOCK)),
    ];
    on_both(&entries, |store| {
        assert!(Node::open(store, "/").unwrap().children().is_empty());
        assert!(Group::open(store.clone(), "/0").is_err());
    });
}

#[test]
fn an_empty_directory_is_a_group() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("a/empty")).unwrap();
    let files = FilesystemStore::new(folder.path()).unwrap();
    let store = Arc::new(ImplicitGroupStore::new(N5DefaultStore::new(files)));
    assert_eq!(
        Node::open(&store, "/").unwrap().hierarchy_tree(),
        "/\n  a\n    empty\n"
    );
    assert!(Group::open(store, "/a/emptz").is_err());
}

#[test]
fn a_folder_that_is_not_there_does_not_open() {
    let folder = tempfile::tempdir().unwrap();
    let files = FilesystemStore::new(folder.path().join("misspelt.n5")).unwrap();
    let store = Arc::new(ImplicitGroupStore::new(N5DefaultStore::new(files)));
    assert!(Group::open(store, "/").is_err());
}

#[test]
fn a_walk_ends_at_an_unconvertible_dataset_or_goes_past_it() {
    let mut entries = nested();
    entries.push((key("a/bad/attributes.json"), Bytes::from(UNSUPPORTED)));
    entries.push((key("a/bad/0/0"), Bytes::from_static(b"block")));
    let memory = MemoryStore::new();
    fill(&memory, &entries);
    let store = N5DefaultStore::new(Arc::new(memory));
    let strict = Arc::new(ImplicitGroupStore::new(store.clone()));
    let error = Node::open(&strict, "/").unwrap_err().to_string();
    assert!(
        error.contains("/a/bad") && error.contains("jpeg"),
        "{error}"
    );

    let lenient = store.with_unconvertible(Unconvertible::Hidden);
    let lenient = Arc::new(ImplicitGroupStore::new(lenient));
    assert_eq!(Node::open(&lenient, "/").unwrap().hierarchy_tree(), TREE);
}

#[test]
fn the_adapters_have_every_trait_that_the_wrapped_store_has() {
    fn check<S: ReadableStorageTraits + WritableStorageTraits + ListableStorageTraits>(_: &S) {}
    check(&ImplicitGroupStore::new(N5DefaultStore::new(
        MemoryStore::new(),
    )));
    let read_only: Arc<dyn ReadableStorageTraits> = Arc::new(MemoryStore::new());
    let store = ImplicitGroupStore::unconditional(N5DefaultStore::new(read_only));
    assert!(Group::open(Arc::new(store), "/anything").is_ok());
}

#[test]
fn metadata_of_groups_is_stored_and_erased_through_zarrs() {
    let memory = Arc::new(MemoryStore::new());
    let store = Arc::new(ImplicitGroupStore::new(N5DefaultStore::new(memory.clone())));
    let mut group = zarrs::group::GroupBuilder::new()
        .build(store.clone(), "/a")
        .unwrap();
    group.attributes_mut().insert("k".to_owned(), 1.into());
    group.store_metadata().unwrap();
    let attributes = memory.get(&key("a/attributes.json")).unwrap().unwrap();
    let attributes: serde_json::Value = serde_json::from_slice(&attributes).unwrap();
    assert_eq!(attributes["k"], 1);
    let root = key("attributes.json");
    assert_eq!(
        memory.list().unwrap(),
        [key("a/attributes.json"), root.clone()]
    );
    Group::open(store, "/a").unwrap().erase_metadata().unwrap();
    assert_eq!(memory.list().unwrap(), [root]);
}
