//! The container that the servers have, and a web server that has it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use tempfile::TempDir;
use zarrs::array::{Array, ArraySubset, data_type};
use zarrs::filesystem::FilesystemStore;
use zarrs_interop::n5::{
    self, Compression, N5DefaultStore, RegionReader, UrlOptions, UrlStore, array_builder,
};

use crate::http::Server;
use crate::proxy::Proxy;
use crate::static_server::StaticFiles;

pub(crate) const SHAPE: [u64; 3] = [150, 120, 100];
/// The number of blocks along each dimension.
pub(crate) const GRID: [usize; 3] = [3, 2, 2];
/// The block that neither of the datasets has.
pub(crate) const MISSING: &str = "1/0/0";

/// A container with `em/gzip` and `em/raw`, each without the block [`MISSING`], an array of Zarr,
/// and the group `em` without a document.
pub(crate) fn make() -> TempDir {
    // Made once, as that takes longer than most of the tests.
    static FILES: OnceLock<Vec<(PathBuf, Vec<u8>)>> = OnceLock::new();
    let files = FILES.get_or_init(|| {
        let made = make_new();
        let mut files = Vec::new();
        read_all(made.path(), made.path(), &mut files);
        files
    });
    let folder = TempDir::new().unwrap();
    for (path, value) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, value).unwrap();
    }
    folder
}

/// Reads the files below `folder`, with their paths from `root` on.
fn read_all(root: &Path, folder: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_all(root, &path, files);
        } else {
            let value = fs::read(&path).unwrap();
            files.push((path.strip_prefix(root).unwrap().to_owned(), value));
        }
    }
}

fn make_new() -> TempDir {
    let folder = TempDir::new().unwrap();
    let store = Arc::new(N5DefaultStore::new(
        FilesystemStore::new(folder.path()).unwrap(),
    ));
    let elements: Vec<u8> = (0..SHAPE.iter().product::<u64>())
        .map(|index| (index.wrapping_mul(0x9e37_79b9) >> 13).to_le_bytes()[0] & 0x3f | 1)
        .collect();
    for (path, compression) in [
        ("/em/gzip", Compression::gzip()),
        ("/em/raw", Compression::Raw),
    ] {
        let builder = array_builder(
            SHAPE.to_vec(),
            [64, 64, 64],
            data_type::uint8(),
            &compression,
        );
        let array = builder.unwrap().build(store.clone(), path).unwrap();
        array.store_metadata().unwrap();
        array
            .store_array_subset(&array.subset_all(), &elements)
            .unwrap();
        fs::remove_file(folder.path().join(&path[1..]).join(MISSING)).unwrap();
    }
    fs::create_dir(folder.path().join("zarr")).unwrap();
    let zarr = r#"{"zarr_format":3,"node_type":"array"}"#;
    fs::write(folder.path().join("zarr/zarr.json"), zarr).unwrap();
    folder
}

/// The elements of a region, read from the folder.
pub(crate) fn local(folder: &Path, path: &str, subset: &ArraySubset) -> Vec<u8> {
    let array = n5::open_array(FilesystemStore::new(folder).unwrap(), path).unwrap();
    RegionReader::new(&array).unwrap().read(subset).unwrap()
}

/// The container on a web server with ranges, behind a proxy.
pub(crate) struct Served {
    pub(crate) folder: TempDir,
    pub(crate) proxy: Proxy,
    _server: Server,
}

impl Served {
    pub(crate) fn new() -> Self {
        Self::by(|_| ())
    }

    /// By a server that is changed before it starts.
    pub(crate) fn by(change: impl FnOnce(&mut StaticFiles)) -> Self {
        let folder = make();
        let mut files = StaticFiles::new(folder.path());
        change(&mut files);
        let server = Server::start(files);
        Self {
            proxy: Proxy::start(server.address()),
            folder,
            _server: server,
        }
    }

    /// The store as it is by default, but that nothing takes long.
    pub(crate) fn store(&self) -> UrlStore {
        self.store_with(&UrlOptions::new())
    }

    pub(crate) fn store_with(&self, options: &UrlOptions) -> UrlStore {
        n5::open_url(&self.proxy.url(), options).unwrap()
    }

    pub(crate) fn open(&self, path: &str) -> Array<N5DefaultStore<UrlStore>> {
        n5::open_array(self.store(), path).unwrap()
    }

    pub(crate) fn local(&self, path: &str, subset: &ArraySubset) -> Vec<u8> {
        local(self.folder.path(), path, subset)
    }
}

pub(crate) fn all() -> ArraySubset {
    ArraySubset::new_with_shape(SHAPE.to_vec())
}

/// The plane at `z`, which is in all blocks of [`GRID`] in the other dimensions.
pub(crate) fn plane(z: u64) -> ArraySubset {
    ArraySubset::new_with_ranges(&[0..SHAPE[0], 0..SHAPE[1], z..z + 1])
}

/// The blocks of a plane.
pub(crate) const PLANE_BLOCKS: usize = GRID[0] * GRID[1];

/// The blocks of all.
pub(crate) const BLOCKS: usize = GRID[0] * GRID[1] * GRID[2];

/// Fails unless `error` has the message `row`, and the table of docs/remote.md has it too.
pub(crate) fn assert_is_on_page(error: &str, row: &str) {
    assert!(error.contains(row), "{error}");
    let page = include_str!("../../docs/remote.md");
    let mut rows = page.lines().filter(|line| line.starts_with("| `"));
    let is_first = |line: &str| line.split(" | ").next().is_some_and(|it| it.contains(row));
    assert!(rows.any(is_first), "docs/remote.md has no row {row}");
}
