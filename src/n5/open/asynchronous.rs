//! Opening a dataset, the asynchronous way. Its twin, `sync`, differs only in `.await`.

use std::sync::Arc;

use zarrs::array::Array;
use zarrs_storage::{AsyncListableStorageTraits, AsyncReadableStorageTraits};

use super::error::OpenError;
use super::folder::{Blocks, MAX_BLOCK_DEPTH};
use super::found::{Found, empty_group, not_listed, search};
use super::nearby::sort_by_similarity;
use super::path::DatasetPath;
use super::refusal::{is_file_on_the_way, reading};
use super::{document, folder, place};
use crate::n5::at_once::async_map_at_once;
use crate::n5::convert::is_dataset;
use crate::n5::store::N5DefaultStore;
use crate::n5::walk::folder::Folder;
use crate::n5::walk::frontier::Visit;
use crate::n5::walk::sized::{MAX_DOCUMENT_SIZE, async_get};
use crate::n5::walk::{async_list, async_walk};

pub(super) async fn async_open<S>(
    store: &Arc<N5DefaultStore<S>>,
    path: &str,
) -> Result<Array<N5DefaultStore<S>>, OpenError>
where
    S: AsyncReadableStorageTraits + AsyncListableStorageTraits + 'static,
{
    let path = DatasetPath::new(path)?;
    let plain = store.inner();
    match async_get(plain, &path.node.attributes, MAX_DOCUMENT_SIZE).await {
        Ok(Some(attributes)) => {
            if let Some(array) = document::array(store, &path, &attributes)? {
                return Ok(array);
            }
            let found = async_what_is_at(plain, &path).await;
            Err(document::empty(&path, &attributes, found))
        }
        Ok(None) => Err(async_what_is_at(plain, &path).await),
        Err(error) if is_file_on_the_way(&error) => Err(async_what_is_near(plain, &path).await),
        Err(error) => Err(reading(path.node.attributes, error)),
    }
}

/// What is at `path`, where there is no dataset.
async fn async_what_is_at<S>(store: &S, path: &DatasetPath) -> OpenError
where
    S: AsyncReadableStorageTraits + AsyncListableStorageTraits + 'static,
{
    let found = match async_walk(store, &search(path)).await {
        Ok(report) => Found::of(report, path),
        // There is nothing at the path: that it is one was seen to before.
        Err(_) => Found::Nothing,
    };
    match found {
        Found::Nothing => async_what_is_near(store, path).await,
        Found::Group(error) => match async_dataset_around(store, path).await {
            Some(dataset) => in_dataset(path, dataset),
            None => async_with_blocks(store, path, error).await,
        },
        Found::Other(error) => error,
    }
}

/// What there is at `path`, where `group` has no datasets: perhaps blocks without a document.
async fn async_with_blocks<S>(store: &S, path: &DatasetPath, group: OpenError) -> OpenError
where
    S: AsyncReadableStorageTraits + AsyncListableStorageTraits + 'static,
{
    let mut at = path.clone();
    for _ in 0..MAX_BLOCK_DEPTH {
        let Ok(folder) = async_list(store, &Visit::to(at.node.clone())).await else {
            break;
        };
        match folder::blocks(&folder, &at) {
            Blocks::At(block) => return folder::without_document(path, block),
            Blocks::In(folder) => at = folder,
            Blocks::Nowhere => break,
        }
    }
    group
}

/// What is near `path`, where there is nothing.
async fn async_what_is_near<S>(store: &S, path: &DatasetPath) -> OpenError
where
    S: AsyncReadableStorageTraits + AsyncListableStorageTraits + 'static,
{
    for above in path.above() {
        match async_list(store, &Visit::to(above.node.clone())).await {
            Ok(folder) if folder::is_there(&folder, &above) => {
                return async_what_is_in(store, path, &above, &folder).await;
            }
            Ok(_) => (),
            Err(error) if is_file_on_the_way(&error) => (),
            Err(error) => return not_listed(path, &above, error),
        }
    }
    place::nothing_in(store)
}

/// What is in the folder of `above`, the nearest to `path` that is there.
async fn async_what_is_in<S>(
    store: &S,
    path: &DatasetPath,
    above: &DatasetPath,
    folder: &Folder,
) -> OpenError
where
    S: AsyncReadableStorageTraits + AsyncListableStorageTraits + 'static,
{
    let names = path.names_below(above);
    let missing = names.first().copied().unwrap_or_default();
    if folder.has_folder(missing) {
        return empty_group(path);
    }
    let dataset = async_dataset_around(store, above).await;
    let mut entries = folder::nodes_in(folder, dataset.is_some());
    if let Some(dataset) = dataset.filter(|_| entries.is_empty()) {
        return in_dataset(path, dataset);
    }
    if let Some(found) = async_of_other_case(store, above, folder, &names).await {
        return OpenError::OtherCase {
            node_path: path.text.clone(),
            found: found.text,
        };
    }
    if above.is_root()
        && let Some(found) = async_of_other_beginning(store, path, &entries).await
    {
        return OpenError::OtherBeginning {
            node_path: path.text.clone(),
            found: found.text,
        };
    }
    sort_by_similarity(&mut entries, missing);
    OpenError::NothingThere {
        node_path: path.text.clone(),
        nearest: above.text.clone(),
        entries,
    }
}

/// The dataset among whose blocks the node at `path` would be, itself included.
async fn async_dataset_around<S>(store: &S, path: &DatasetPath) -> Option<DatasetPath>
where
    S: AsyncReadableStorageTraits + AsyncListableStorageTraits + 'static,
{
    for node in path.up_from_blocks() {
        if let Some(attributes) = async_get(store, &node.node.attributes, MAX_DOCUMENT_SIZE)
            .await
            .ok()?
        {
            let is_dataset = is_dataset(&attributes, &node.text).unwrap_or(false);
            return is_dataset.then_some(node);
        }
    }
    None
}

fn in_dataset(path: &DatasetPath, dataset: DatasetPath) -> OpenError {
    OpenError::InDataset {
        node_path: path.text.clone(),
        dataset: dataset.text,
    }
}

/// The node with these names below `above` that is there if case does not count.
async fn async_of_other_case<S>(
    store: &S,
    above: &DatasetPath,
    folder: &Folder,
    names: &[&str],
) -> Option<DatasetPath>
where
    S: AsyncReadableStorageTraits + AsyncListableStorageTraits + 'static,
{
    let (first, rest) = names.split_first()?;
    let mut found = folder::same_but_for_case(folder, above, first)?;
    for name in rest {
        let folder = async_list(store, &Visit::to(found.node.clone()))
            .await
            .ok()?;
        found = folder::same_but_for_case(&folder, &found, name)?;
    }
    Some(found)
}

/// The node that is there when the path begins later or earlier. `entries` are in the root.
async fn async_of_other_beginning<S>(
    store: &S,
    path: &DatasetPath,
    entries: &[String],
) -> Option<DatasetPath>
where
    S: AsyncReadableStorageTraits + AsyncListableStorageTraits + 'static,
{
    for candidates in path.with_other_beginnings(entries) {
        let are_there = async_map_at_once(&candidates, |path| async_is_there(store, path)).await;
        let mut found = candidates.into_iter().zip(are_there);
        if let Some((found, _)) = found.find(|(_, is_there)| *is_there) {
            return Some(found);
        }
    }
    None
}

/// Whether there is a document at `path`.
async fn async_is_there<S: AsyncReadableStorageTraits + 'static>(
    store: &S,
    path: &DatasetPath,
) -> bool {
    matches!(
        async_get(store, &path.node.attributes, MAX_DOCUMENT_SIZE).await,
        Ok(Some(_))
    )
}
