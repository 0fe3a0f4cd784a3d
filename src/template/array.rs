//! Arrays whose template is checked against their dimensionality when they are opened or built.

use std::sync::Arc;

use thiserror::Error;
use zarrs::array::{Array, ArrayBuilder, ArrayCreateError, ArrayMetadata};
#[cfg(feature = "async")]
use zarrs_storage::AsyncReadableStorageTraits;
use zarrs_storage::ReadableStorageTraits;

use super::chunk_key_encoding::validate_array_metadata;
use super::error::TemplateError;

/// Why an array cannot be opened or built.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum TemplateArrayError {
    /// zarrs cannot open or build it.
    #[error("the array at {path} cannot be opened or built: {source}")]
    Array {
        /// The path of the array's node.
        path: String,
        /// What zarrs says.
        source: ArrayCreateError,
    },
    /// The template does not fit the array.
    #[error("the chunk key encoding of the array at {path} does not fit it: {source}")]
    ChunkKeyEncoding {
        /// The path of the array's node.
        path: String,
        /// What does not fit.
        source: TemplateError,
    },
}

/// Opens the array at `path`, like [`Array::open`], and checks that its template, if it has one,
/// fits its dimensionality. [`Array::open`] cannot check it, and the first access to a chunk would
/// panic.
///
/// For tiles that only decode as a whole, a chunk cache saves decoding them again for each region;
/// see also [Reading image tiles](crate::template#reading-image-tiles).
///
/// ```
/// use std::sync::Arc;
/// use zarrs::array::CodecOptions;
/// use zarrs::array::chunk_cache::{ChunkCache, ChunkCacheDecodedLruChunkLimit};
/// use zarrs::filesystem::FilesystemStore;
/// use zarrs::storage::ReadableStorage;
/// use zarrs_interop::template::open_array;
/// use zarrs_jpeg as _; // registers the codec
///
/// let store: ReadableStorage = Arc::new(FilesystemStore::new("examples/data/image_stack")?);
/// let array = open_array(store, "/")?;
/// let tiles = ChunkCacheDecodedLruChunkLimit::new(Arc::new(array), 64); // 64 tiles are kept
/// for y in [0..40, 40..80] {
///     let strip: Vec<u8> =
///         tiles.retrieve_array_subset(&[2..3, y, 0..256], &CodecOptions::default())?;
///     assert_eq!(strip.len(), 40 * 256);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Example program: [`image_stack`](https://docs.rs/crate/zarrs_interop/latest/source/examples/image_stack.rs).
///
/// # Errors
/// [`TemplateArrayError`] if zarrs cannot open it or the template does not fit.
pub fn open_array<TStorage>(
    storage: Arc<TStorage>,
    path: &str,
) -> Result<Array<TStorage>, TemplateArrayError>
where
    TStorage: ReadableStorageTraits + ?Sized + 'static,
{
    checked(Array::open(storage, path), path)
}

/// The asynchronous twin of [`open_array`].
///
/// # Errors
/// As [`open_array`].
#[cfg(feature = "async")]
pub async fn async_open_array<TStorage>(
    storage: Arc<TStorage>,
    path: &str,
) -> Result<Array<TStorage>, TemplateArrayError>
where
    TStorage: AsyncReadableStorageTraits + ?Sized + 'static,
{
    checked(Array::async_open(storage, path).await, path)
}

/// Builds an array at `path`, like [`ArrayBuilder::build`], and checks that its template, if it has
/// one, fits its dimensionality. Nothing is written.
///
/// # Errors
/// [`TemplateArrayError`] if zarrs cannot build it or the template does not fit.
pub fn build_array<TStorage: ?Sized>(
    builder: &ArrayBuilder,
    storage: Arc<TStorage>,
    path: &str,
) -> Result<Array<TStorage>, TemplateArrayError> {
    checked(builder.build(storage, path), path)
}

fn checked<TStorage: ?Sized>(
    array: Result<Array<TStorage>, ArrayCreateError>,
    path: &str,
) -> Result<Array<TStorage>, TemplateArrayError> {
    let path = || path.to_owned();
    let array = array.map_err(|source| TemplateArrayError::Array {
        path: path(),
        source,
    })?;
    // Zarr V2 metadata has no `chunk_key_encoding`.
    if let ArrayMetadata::V3(metadata) = array.metadata() {
        validate_array_metadata(metadata).map_err(|source| {
            TemplateArrayError::ChunkKeyEncoding {
                path: path(),
                source,
            }
        })?;
    }
    Ok(array)
}
