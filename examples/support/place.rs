//! Where a hierarchy is: a folder, or a URL with the feature `object_store`.

#![allow(dead_code, reason = "every example uses a part of it")]

use std::error::Error;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zarrs::filesystem::FilesystemStore;
use zarrs::storage::{ListableStorageTraits, ReadableStorageTraits, StorageError, StoreKey};
use zarrs_interop::n5::{self, OpenError, WalkError, WalkOptions, WalkReport};
#[cfg(feature = "object_store")]
use zarrs_interop::n5::{UrlOptions, UrlStore};

use super::terminal::Result;
use super::url;

/// The most nodes that a server is asked for.
const MOST_NODES: usize = 1000;

/// A hierarchy as it is, without the adapters.
pub(crate) struct Hierarchy<S> {
    pub(crate) store: S,
    /// The folder or URL of its root.
    pub(crate) name: String,
    /// The path of the node that was meant, if it is below the root.
    pub(crate) inside: Option<String>,
    /// The folder, for what is said of its files.
    pub(crate) folder: Option<PathBuf>,
    /// How many blocks to read at the same time, if not as many as there are cores.
    pub(crate) concurrency: Option<usize>,
}

impl<S> Hierarchy<S> {
    /// The path of the node `dataset`, below the node that was meant.
    pub(crate) fn node_path(&self, dataset: Option<&str>) -> Option<String> {
        let inside = self
            .inside
            .as_deref()
            .map(|inside| inside.trim_matches('/'));
        let dataset = dataset.map(|dataset| dataset.trim_matches('/'));
        Some(match (inside, dataset) {
            (None, None) => return None,
            (Some(path), None) | (None, Some(path)) => format!("/{path}"),
            (Some(inside), Some("")) => format!("/{inside}"),
            (Some(inside), Some(dataset)) => format!("/{inside}/{dataset}"),
        })
    }

    /// The folder of the root of the hierarchy, also where that was given as a `file://` URL, which
    /// may be that of a node in it.
    pub(crate) fn folder_of_root(&self) -> Option<PathBuf> {
        if self.folder.is_some() {
            return self.folder.clone();
        }
        // Stores name folders without the escapes of URLs, and `file:///` without slashes.
        let path = self.name.strip_prefix("file:")?;
        let path = Path::new(path.strip_prefix("//").unwrap_or("/"));
        let root = root_of(path).map_or_else(|_| path.to_owned(), |(root, _)| root);
        root.is_dir().then_some(root)
    }
}

impl<S: ReadableStorageTraits + ListableStorageTraits + Clone + 'static> Hierarchy<S> {
    /// Visits the node at `node_path` and what is below.
    pub(crate) fn walk(&self, node_path: Option<&str>) -> Result<WalkReport> {
        let mut options = WalkOptions::new().with_node_path(node_path.unwrap_or("/"));
        if self.folder.is_none() {
            options = options.with_max_nodes(MOST_NODES);
        }
        n5::walk(&self.store, &options).map_err(|error| match (error, node_path) {
            (WalkError::NoSuchNode { .. }, None) => {
                let name = &self.name;
                format!("there is nothing in {name}: give the folder of an N5 hierarchy").into()
            }
            (WalkError::NoSuchNode { .. }, Some(path)) => self.not_there(path),
            (error, _) => error.into(),
        })
    }

    /// Why there is no dataset at `node_path`.
    pub(crate) fn not_there(&self, node_path: &str) -> Box<dyn Error> {
        match n5::open_array(self.store.clone(), node_path) {
            Ok(_) => format!("there was no dataset at {node_path}, and now there is").into(),
            Err(error) => self.explained(error),
        }
    }

    /// The error with what to do where a server does not help.
    pub(crate) fn explained(&self, error: OpenError) -> Box<dyn Error> {
        if self.folder.is_some() {
            return error.into();
        }
        let root = StoreKey::new("attributes.json").map(|key| self.store.get(&key));
        let advice = match (&error, root) {
            (OpenError::ListingDenied { .. }, Ok(Ok(None))) => {
                "check the URL, which has no attributes.json either: it is to be that of the root \
                 of a hierarchy"
            }
            (OpenError::ListingDenied { .. }, _) => {
                "check DATASET: it is the path from the root of the hierarchy on, as \
                 em/fibsem-uint16/s3"
            }
            (OpenError::Read { .. }, _) => "check the URL and the network",
            _ => return error.into(),
        };
        format!("{error}\n{advice}").into()
    }
}

/// A hierarchy in a folder or at a URL.
pub(crate) enum Place {
    Folder(Hierarchy<Arc<FilesystemStore>>),
    #[cfg(feature = "object_store")]
    Url(Hierarchy<UrlStore>),
}

/// Calls a function that takes any [`Hierarchy`] with the one of a [`Place`].
macro_rules! at_place {
    ($place:expr, $hierarchy:ident => $call:expr) => {
        match $place {
            Place::Folder($hierarchy) => $call,
            #[cfg(feature = "object_store")]
            Place::Url($hierarchy) => $call,
        }
    };
}
pub(crate) use at_place;

impl Place {
    /// The hierarchy at `path`, or around it if it is the path of a node in one. Blocks for which a
    /// server answers one of `missing_statuses` are not there.
    pub(crate) fn open(path: &str, missing_statuses: &[u16]) -> Result<Self> {
        if url::is_url(path) {
            return Self::open_url(path, missing_statuses);
        }
        if !missing_statuses.is_empty() {
            return Err("--missing is for URLs: in a folder it is known what is missing".into());
        }
        let (root, inside) = root_of(Path::new(path))?;
        Ok(Self::Folder(Hierarchy {
            store: Arc::new(FilesystemStore::new(&root)?),
            name: root.display().to_string(),
            inside,
            folder: Some(root),
            concurrency: None,
        }))
    }

    #[cfg(feature = "object_store")]
    fn open_url(url: &str, missing_statuses: &[u16]) -> Result<Self> {
        let (root, inside) = url::root_of(url);
        let options = UrlOptions::new().with_missing_statuses(missing_statuses.iter().copied());
        let store = n5::open_url(root, &options)?;
        Ok(Self::Url(Hierarchy {
            name: store.url().to_owned(),
            store,
            inside,
            folder: None,
            concurrency: Some(url::REQUESTS),
        }))
    }

    #[cfg(not(feature = "object_store"))]
    fn open_url(url: &str, _: &[u16]) -> Result<Self> {
        Err(url::without_feature(url).into())
    }

    /// What was requested of a server.
    #[cfg(feature = "object_store")]
    pub(crate) fn traffic(&self) -> Option<String> {
        match self {
            Self::Folder(_) => None,
            Self::Url(hierarchy) => Some(hierarchy.store.traffic().to_string()),
        }
    }

    #[cfg(not(feature = "object_store"))]
    #[expect(
        clippy::unused_self,
        reason = "it has a use with the feature `object_store`"
    )]
    pub(crate) fn traffic(&self) -> Option<String> {
        None
    }
}

/// The folder of the root of the hierarchy that `path` is in, and the path of the node from there
/// on; `None` if it is the root.
fn root_of(path: &Path) -> Result<(PathBuf, Option<String>)> {
    let shown = path.display();
    let is_empty = path.as_os_str().is_empty();
    let absolute = match path.canonicalize() {
        Ok(path) => path,
        Err(_) if is_empty => {
            return Err("PATH is empty: give the folder of an N5 hierarchy".into());
        }
        Err(_) => std::path::absolute(path)?,
    };
    if absolute.is_file() {
        return Err(format!(
            "{shown} is a file: an N5 hierarchy is a folder, give that (the one with the \
             attributes.json of the root)"
        )
        .into());
    }
    let Some(root) = absolute.ancestors().find(|folder| is_root(folder)) else {
        if absolute.is_dir() {
            return Ok((absolute, None));
        }
        return Err(not_a_folder(&absolute, path).into());
    };
    let mut inside = Vec::new();
    for name in absolute.strip_prefix(root)?.components() {
        let name = name.as_os_str();
        let name = name
            .to_str()
            .ok_or_else(|| format!("{shown} is not UTF-8: rename it"))?;
        inside.push(name);
    }
    let inside = (!inside.is_empty()).then(|| format!("/{}", inside.join("/")));
    Ok((root.to_owned(), inside))
}

/// Whether a folder is the root of a hierarchy: its document states the version of N5, or its name
/// says so.
fn is_root(folder: &Path) -> bool {
    let is_named = folder
        .extension()
        .is_some_and(|extension| extension == "n5");
    if is_named && folder.is_dir() {
        return true;
    }
    let document = folder.join("attributes.json");
    if super::folder::special(&document).is_some() {
        return false;
    }
    let document = std::fs::read(document).ok();
    let document = document.and_then(|document| serde_json::from_slice(&document).ok());
    document.is_some_and(|document: serde_json::Value| document.get("n5").is_some())
}

/// Whether a listing failed because the store lists nothing, and not for a reason that may pass.
#[allow(dead_code, reason = "not every example lists")]
pub(crate) fn is_without_listing(error: &StorageError) -> bool {
    match error {
        StorageError::IOError(error) => error.kind() == ErrorKind::Unsupported,
        StorageError::Unsupported(_) => true,
        _ => false,
    }
}

/// The error for a folder that is not there, with the nearest one that is.
fn not_a_folder(absolute: &Path, path: &Path) -> String {
    let nearest = absolute.ancestors().skip(1).find(|folder| folder.is_dir());
    let nearest = nearest.map_or(String::new(), |folder| {
        let names = super::folder::first_names(folder);
        let names = names.unwrap_or_else(|error| format!("what cannot be listed: {error}"));
        format!(": {} is there, and has {names}", folder.display())
    });
    format!("{} is not a folder{nearest}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn container() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("container/em/s0");
        std::fs::create_dir_all(inside).unwrap();
        let document = folder.path().join("container/attributes.json");
        std::fs::write(document, r#"{"n5":"2.0.0"}"#).unwrap();
        folder
    }

    #[test]
    fn the_root_is_where_the_version_is() {
        let folder = container();
        let root = folder.path().canonicalize().unwrap().join("container");
        assert_eq!(root_of(&root).unwrap(), (root.clone(), None));
        let inside = Some("/em/s0".to_owned());
        assert_eq!(
            root_of(&root.join("em/s0")).unwrap(),
            (root.clone(), inside)
        );
        // What is not there is looked for from the root on, too.
        let missing = Some("/em/s9".to_owned());
        assert_eq!(root_of(&root.join("em/s9")).unwrap(), (root, missing));
    }

    #[test]
    fn the_root_is_where_the_name_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("x.n5");
        std::fs::create_dir_all(root.join("raw")).unwrap();
        let inside = Some("/raw".to_owned());
        assert_eq!(root_of(&root.join("raw")).unwrap(), (root, inside));
    }

    #[test]
    fn any_folder_may_be_a_root() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        assert_eq!(root_of(&path).unwrap(), (path, None));
    }

    #[test]
    fn what_is_no_folder_is_refused_with_what_is_near() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("volume")).unwrap();
        let error = root_of(&folder.path().join("volumes"))
            .unwrap_err()
            .to_string();
        assert!(error.ends_with("is there, and has volume"), "{error}");
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let error = root_of(&file).unwrap_err().to_string();
        assert!(
            error.contains("is a file: an N5 hierarchy is a folder"),
            "{error}"
        );
        let error = root_of(Path::new("")).unwrap_err().to_string();
        assert!(error.contains("PATH is empty"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn the_folder_of_a_file_url_is_that_of_the_root() {
        let folder = container();
        let root = folder.path().canonicalize().unwrap().join("container");
        let of = |name: String| Hierarchy {
            store: (),
            name,
            inside: None,
            folder: None,
            concurrency: None,
        };
        for path in [root.clone(), root.join("em"), root.join("em/s0")] {
            let hierarchy = of(format!("file://{}", path.display()));
            assert_eq!(hierarchy.folder_of_root(), Some(root.clone()));
        }
        assert_eq!(of("file:".to_owned()).folder_of_root(), Some("/".into()));
        assert_eq!(of("s3://bucket/x.n5".to_owned()).folder_of_root(), None);
    }

    #[test]
    fn a_dataset_is_looked_for_below_the_node_that_was_meant() {
        let hierarchy = |inside: Option<&str>| Hierarchy {
            store: (),
            name: String::new(),
            inside: inside.map(str::to_owned),
            folder: None,
            concurrency: None,
        };
        let path = |inside, dataset| hierarchy(inside).node_path(dataset);
        assert_eq!(path(None, None), None);
        assert_eq!(path(None, Some("/")).as_deref(), Some("/"));
        assert_eq!(path(None, Some("em/s0/")).as_deref(), Some("/em/s0"));
        assert_eq!(path(Some("/em"), None).as_deref(), Some("/em"));
        assert_eq!(path(Some("/em"), Some("s0")).as_deref(), Some("/em/s0"));
        assert_eq!(path(Some("/em"), Some("/")).as_deref(), Some("/em"));
    }
}
