//! [`N5DefaultStore`]: a store that shows an N5 hierarchy as Zarr V3.

#[cfg(feature = "async")]
mod asynchronous;
mod at_key;
mod document;
mod options;
mod sync;

use zarrs_storage::{MaybeBytes, StoreKey};

pub use self::options::Unconvertible;
use super::convert::{self, ChunkGrid};
use super::dimension_order::DimensionOrder;
use super::metadata_error::MetadataError;
use super::node::{is_block_component, last_component};
use super::provenance;
use options::Options;

/// A store adapter that shows the N5 hierarchy in the store `S` as a Zarr V3 hierarchy, and writes
/// it back.
///
/// The key `zarr.json` of a node is answered from the node's `attributes.json`, by every method
/// alike: `get`, `get_partial`, `get_partial_many`, `size_key`, `list`, `list_prefix`, `list_dir`,
/// `size_prefix`, `set`, `set_partial`, `erase` and their relatives. A node without
/// `attributes.json` keeps the `zarr.json` that it has, if any. Every other key goes through
/// untouched, `attributes.json` itself and partial reads and writes included. Only the exact last
/// path component `zarr.json` counts.
///
/// N5 groups may have no document at all; [`ImplicitGroupStore`](super::ImplicitGroupStore) around
/// this store shows those too:
///
/// ```
/// # use std::sync::Arc;
/// # use zarrs_storage::{store::MemoryStore, WritableStorageTraits};
/// use zarrs::node::Node;
/// use zarrs_interop::n5::{ImplicitGroupStore, N5DefaultStore};
///
/// # let n5 = MemoryStore::new();
/// # n5.set(&"attributes.json".try_into()?, "{\"n5\":\"4.0.0\"}".into())?;
/// # n5.set(&"volumes/labels/attributes.json".try_into()?, "{}".into())?;
/// let store = Arc::new(ImplicitGroupStore::new(N5DefaultStore::new(n5)));
/// let node = Node::open(&store, "/")?;
/// assert_eq!(node.hierarchy_tree(), "/\n  volumes\n    labels\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Which traits
/// Reading needs a readable `S`, listing a readable and listable one, writing a readable and
/// writable one (a `set` reads the `attributes.json` that is there). With the feature `async` the
/// same holds for the asynchronous traits.
///
/// # Blocks
/// A partial read of a whole value becomes a `get`: stores that ask for the size before a range (as
/// zarrs's object stores do) then send one request instead of two, and servers without ranges do.
/// Errors of a block name its key, see [the codec](super::codec#errors).
///
/// # Listing
/// `zarr.json` is listed beside each `attributes.json`, which stays listed as well. A listing that
/// gained or lost a key that way is sorted. Listing reads no document, except with
/// [`Unconvertible::Hidden`].
///
/// # Writing
/// A `set` of `zarr.json` becomes a `set` of `attributes.json`. What N5 cannot say is refused with
/// an error, and the old document stays. Nothing is written when nothing changes. A `zarr.json`
/// that lies beside the `attributes.json` for other Zarr readers is written anew with it (with the
/// `regular` chunk grid, which they know), so that the two never contradict each other; it is
/// written first, so that after a crash between the two the same `set` does both again. A
/// `set_partial` of `zarr.json` reads, changes and writes the whole document.
///
/// The root gets an `attributes.json` with `"n5": "2.0.0"` before the first document that is
/// stored, whichever node that is of: without a version there, several readers take nothing below
/// for N5. A version that is there stays. A new node with a backslash in its name is refused, since
/// Java N5 and tensorstore cannot find it.
///
/// A dataset that grows keeps its blocks. Those that were at the edge and end with the old
/// dimensions are short inside of it then: this crate and Java read them right, z5py reads wrong
/// values there. A warning is logged, and [`pad_edge_blocks`](super::pad_edge_blocks) fills them
/// up.
///
/// Erasing `zarr.json` erases both documents. Reading and writing a document are two requests: as
/// with plain zarrs, two writers of one node's metadata at the same time must agree on their turns
/// by other means.
///
#[doc = include_str!("../../docs/crash_safety.md")]
#[derive(Clone, Debug)]
pub struct N5DefaultStore<S> {
    store: S,
    options: Options,
}

impl<S> N5DefaultStore<S> {
    /// Shows the N5 hierarchy in `store`, whose root is the root of the hierarchy.
    ///
    /// Chunk grids are `zarrs.regular_bounded`, a node that cannot be converted is an error, and so
    /// is a block of 0 bytes; the other methods change that.
    #[must_use]
    pub fn new(store: S) -> Self {
        Self {
            store,
            options: Options::default(),
        }
    }

    /// Sets the chunk grid of the arrays shown.
    #[must_use]
    pub fn with_chunk_grid(mut self, chunk_grid: ChunkGrid) -> Self {
        self.options.chunk_grid = chunk_grid;
        self
    }

    /// Sets the order of the dimensions of the arrays shown.
    ///
    /// With [`DimensionOrder::Reversed`] an array has N5's dimensions backwards, usually (z, y, x),
    /// as `NumPy`, napari and OME-Zarr have them: its shape, chunk grid, `dimension_names` and
    /// chunk positions. The keys and the bytes of the blocks stay those of N5, and so do attributes
    /// that are vectors, such as `resolution`. What is where:
    ///
    /// | | as stored | reversed |
    /// |---|---|---|
    /// | `dimensions` and `blockSize` in `attributes.json` | `[5, 3]`, `[3, 2]` | the same |
    /// | shape and chunk shape of the array | `[5, 3]`, `[3, 2]` | `[3, 5]`, `[2, 3]` |
    /// | `axes` `["x", "y"]` as dimension names | `x`, `y` | `y`, `x` |
    /// | key of the chunk `[1, 0]` | `1/0` | `0/1` |
    /// | `resolution` among the attributes | `[4.0, 8.0]` | the same |
    ///
    /// Chunks of such an array have the order of the blocks, so that nothing is transposed. Its
    /// codec and its chunk key encoding, `zarrs_interop.n5_reversed` and
    /// `zarrs_interop.n5_reversed_keys`, exist in memory only: the metadata of the view is not for
    /// other programs. An array that is created through the view may have either order, as its
    /// codec says; what is stored is `attributes.json` in any case.
    #[must_use]
    pub fn with_dimension_order(mut self, order: DimensionOrder) -> Self {
        self.options.dimension_order = order;
        self
    }

    /// Sets what a node gives whose `attributes.json` cannot be shown as `zarr.json`.
    #[must_use]
    pub fn with_unconvertible(mut self, unconvertible: Unconvertible) -> Self {
        self.options.unconvertible = unconvertible;
        self
    }

    /// Sets whether a block of 0 bytes, such as an interrupted writer leaves behind, counts as
    /// missing and so reads as the fill value. By default it goes through as it is, and decoding it
    /// is an error.
    ///
    /// This holds for reads of every key whose last component is a number. A partial read of such a
    /// key then asks for its size first. Listings still name the key: to find out would take a
    /// request per block.
    #[must_use]
    pub fn with_empty_blocks_missing(mut self, missing: bool) -> Self {
        self.options.empty_blocks_missing = missing;
        self
    }

    /// The wrapped store.
    #[must_use]
    pub fn inner(&self) -> &S {
        &self.store
    }

    /// Gives the wrapped store back.
    #[must_use]
    pub fn into_inner(self) -> S {
        self.store
    }

    /// The `zarr.json` that this store shows for the `attributes.json` of a node.
    pub(crate) fn view(
        &self,
        attributes: &[u8],
        node_path: &str,
    ) -> Result<Vec<u8>, MetadataError> {
        convert::attributes_to_document(attributes, node_path, &self.options.shown())
    }

    /// The value of `key`, which is no `zarr.json`, with what the options say about blocks. An
    /// error of a block will name its key.
    fn block(&self, key: &StoreKey, value: MaybeBytes) -> MaybeBytes {
        let value = value?;
        if value.is_empty() && self.may_be_empty_block(key) {
            return None;
        }
        if is_block_component(last_component(key.as_str())) {
            return Some(provenance::remember(key, value));
        }
        Some(value)
    }

    /// Whether `key` is a block that counts as missing when it holds 0 bytes.
    fn may_be_empty_block(&self, key: &StoreKey) -> bool {
        self.options.empty_blocks_missing && is_block_component(last_component(key.as_str()))
    }
}
