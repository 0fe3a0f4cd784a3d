//! Each asynchronous method is the twin of the synchronous one: with random hierarchies both give
//! the same and write the same.

use std::fmt::Debug;

use futures::TryStreamExt;
use proptest::prelude::*;
use zarrs_interop::n5::{
    self, ImplicitGroupStore, InPlaceOptions, N5DefaultStore, Unconvertible, add_n5_metadata,
    add_zarr_metadata, async_add_n5_metadata, async_add_zarr_metadata,
};
use zarrs_storage::byte_range::ByteRange;
use zarrs_storage::store::{AsyncMemoryStore, MemoryStore};
use zarrs_storage::{
    AsyncListableStorageTraits, AsyncReadableStorageTraits, AsyncWritableStorageTraits, Bytes,
    ListableStorageTraits, ReadableStorageTraits, StorageError, StoreKey, StorePrefix,
    WritableStorageTraits,
};

use super::asynchronous::fill;
use crate::hierarchies::{self, key, random};

/// Results in a form in which they can be compared, errors as text.
fn text<T: Debug>(result: Result<T, StorageError>) -> Result<String, String> {
    result
        .map(|value| format!("{value:?}"))
        .map_err(|error| error.to_string())
}

/// Checks that each method of the two stores, filled alike, gives the same, and that writes change
/// them alike.
async fn assert_twins<S, A>(sync: &S, twin: &A, entries: &[(StoreKey, Bytes)])
where
    S: ReadableStorageTraits + ListableStorageTraits + WritableStorageTraits,
    A: AsyncReadableStorageTraits + AsyncListableStorageTraits + AsyncWritableStorageTraits,
{
    let keys: Vec<_> = ["", "a/", "ds/", "0/", "a/0/", "ds/0/1/", "nowhere/"]
        .iter()
        .flat_map(|prefix| {
            ["zarr.json", "attributes.json", "0", "7", "my-zarr.json"]
                .map(|name| key(&format!("{prefix}{name}")))
        })
        .collect();
    assert_eq!(text(sync.list()), text(twin.list().await));
    assert_eq!(text(sync.size()), text(twin.size().await));
    for prefix in keys.iter().map(StoreKey::parent) {
        assert_same_listings(sync, twin, &prefix).await;
    }
    for key in &keys {
        assert_same_reads(sync, twin, key).await;
    }
    for (key, value) in entries {
        let zarr = StoreKey::new(format!("{}zarr.json", key.parent())).unwrap();
        let value = value.clone();
        assert_eq!(
            text(sync.set(&zarr, value.clone())),
            text(twin.set(&zarr, value.clone()).await)
        );
        let group =
            Bytes::from_static(br#"{"zarr_format":3,"node_type":"group","attributes":{"k":1}}"#);
        assert_eq!(
            text(sync.set(&zarr, group.clone())),
            text(twin.set(&zarr, group).await)
        );
        assert_eq!(
            text(sync.set_partial(&zarr, 3, value.clone())),
            text(twin.set_partial(&zarr, 3, value).await)
        );
        assert_eq!(text(sync.get(&zarr)), text(twin.get(&zarr).await));
    }
    for key in keys.iter().step_by(2) {
        assert_eq!(text(sync.erase(key)), text(twin.erase(key).await));
    }
    assert_eq!(text(sync.list()), text(twin.list().await));
    assert_eq!(
        text(sync.erase_many(&keys)),
        text(twin.erase_many(&keys).await)
    );
    let prefix = StorePrefix::new("a/").unwrap();
    assert_eq!(
        text(sync.erase_prefix(&prefix)),
        text(twin.erase_prefix(&prefix).await)
    );
    assert_eq!(text(sync.list()), text(twin.list().await));
}

async fn assert_same_listings<S, A>(sync: &S, twin: &A, prefix: &StorePrefix)
where
    S: ListableStorageTraits,
    A: AsyncListableStorageTraits,
{
    assert_eq!(
        text(sync.list_prefix(prefix)),
        text(twin.list_prefix(prefix).await),
        "{prefix}"
    );
    assert_eq!(
        text(sync.list_dir(prefix)),
        text(twin.list_dir(prefix).await),
        "{prefix}"
    );
    assert_eq!(
        text(sync.size_prefix(prefix)),
        text(twin.size_prefix(prefix).await),
        "{prefix}"
    );
}

async fn assert_same_reads<S, A>(sync: &S, twin: &A, key: &StoreKey)
where
    S: ReadableStorageTraits,
    A: AsyncReadableStorageTraits,
{
    assert_eq!(text(sync.get(key)), text(twin.get(key).await), "{key}");
    assert_eq!(
        text(sync.size_key(key)),
        text(twin.size_key(key).await),
        "{key}"
    );
    let Ok(size) = sync.size_key(key) else { return };
    let size = size.unwrap_or(0);
    let ranges = [
        ByteRange::FromStart(0, None),
        ByteRange::FromStart(size / 2, Some(size - size / 2)),
        ByteRange::Suffix(size / 3),
    ];
    for range in ranges {
        assert_eq!(
            text(sync.get_partial(key, range)),
            text(twin.get_partial(key, range).await),
            "{key} {range}"
        );
    }
    let values = sync
        .get_partial_many(key, Box::new(ranges.into_iter()))
        .unwrap();
    let values = values.map(|values| values.collect::<Result<Vec<_>, _>>().unwrap());
    let twins = match twin
        .get_partial_many(key, Box::new(ranges.into_iter()))
        .await
        .unwrap()
    {
        Some(values) => Some(values.try_collect::<Vec<_>>().await.unwrap()),
        None => None,
    };
    assert_eq!(values, twins, "{key}");
}

fn text_of(store: &MemoryStore) -> Vec<(StoreKey, Option<Bytes>)> {
    let keys = store.list().unwrap().into_iter();
    keys.map(|key| (key.clone(), store.get(&key).unwrap()))
        .collect()
}

async fn async_text_of(store: &AsyncMemoryStore) -> Vec<(StoreKey, Option<Bytes>)> {
    let mut contents = Vec::new();
    for key in store.list().await.unwrap() {
        contents.push((key.clone(), store.get(&key).await.unwrap()));
    }
    contents
}

/// What a walk found, as text.
fn walked(report: Result<n5::WalkReport, n5::WalkError>) -> Vec<String> {
    match report {
        Err(error) => vec![error.to_string()],
        Ok(report) => {
            let nodes = report.nodes().iter().map(ToString::to_string);
            let left_out = report.left_out().iter().map(ToString::to_string);
            nodes.chain(left_out).collect()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_walk_is_the_twin_of_the_synchronous_one(entries in random()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let sync = MemoryStore::new();
            let twin = AsyncMemoryStore::new();
            hierarchies::fill(&sync, &entries);
            fill(&twin, &entries).await;
            let options = n5::WalkOptions::new();
            let found = walked(n5::walk(&sync, &options));
            assert_eq!(walked(n5::async_walk(&twin, &options).await), found);
            let options = InPlaceOptions::new();
            let text = |report: Result<n5::InPlaceReport, n5::InPlaceError>| match report {
                Ok(report) => format!("{report:?}"),
                Err(error) => error.to_string(),
            };
            let found = text(add_zarr_metadata(&sync, &options, |_| {}));
            assert_eq!(text(async_add_zarr_metadata(&twin, &options, |_| {}).await), found);
            let found = text(add_n5_metadata(&sync, &options, |_| {}));
            assert_eq!(text(async_add_n5_metadata(&twin, &options, |_| {}).await), found);
            assert_eq!(text_of(&sync), async_text_of(&twin).await);
        });
    }

    #[test]
    fn every_method_is_the_twin_of_the_synchronous_one(
        entries in random(),
        is_hidden: bool,
        are_missing: bool,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let unconvertible = if is_hidden {
                Unconvertible::Hidden
            } else {
                Unconvertible::Error
            };
            let sync = MemoryStore::new();
            let twin = AsyncMemoryStore::new();
            hierarchies::fill(&sync, &entries);
            fill(&twin, &entries).await;
            let sync = N5DefaultStore::new(sync)
                .with_unconvertible(unconvertible)
                .with_empty_blocks_missing(are_missing);
            let twin = N5DefaultStore::new(twin)
                .with_unconvertible(unconvertible)
                .with_empty_blocks_missing(are_missing);
            let (sync, twin) = (ImplicitGroupStore::new(sync), ImplicitGroupStore::async_new(twin));
            assert_twins(&sync, &twin, &entries).await;
        });
    }
}
