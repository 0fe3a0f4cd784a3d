//! The same volume as an N5 dataset and as Zarr arrays, in a folder.

use std::borrow::Cow;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zarrs::array::codec::api::CodecOptions;
use zarrs::array::{Array, ArrayBytes, ArraySubset};
use zarrs::filesystem::FilesystemStore;
use zarrs::storage::ReadableStorageTraits;
use zarrs_interop::n5::N5DefaultStore;

use crate::codecs::{Compressor, options, plain_chain_json};
use crate::data::{Edges, Element, Layout, Triple, Volume, attributes, grid, n5_header};

pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// An array for reading only.
pub type Readable = Array<dyn ReadableStorageTraits>;

/// What a Zarr array is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZarrKind {
    /// `bytes` alone, in this machine's byte order: nothing to do but copy. What zarrs reads
    /// fastest.
    Native,
    /// The bytes of N5 without headers: zarrs's `transpose`, `bytes` (big-endian) and compressor.
    Plain(Compressor),
}

/// Writes the volume as an N5 dataset in the folder `path`.
///
/// # Errors
/// If a file cannot be written, or zarrs cannot compress.
pub fn write_n5(
    path: &Path,
    volume: &Volume,
    block: Triple,
    edges: Edges,
    compressor: Compressor,
) -> Result<()> {
    let compression = match compressor {
        Compressor::Raw => r#"{"type":"raw"}"#,
        Compressor::Gzip => r#"{"type":"gzip","level":6}"#,
        other => return Err(format!("no array with {}", other.name()).into()),
    };
    for position in grid(volume.shape, block) {
        let start = [0, 1, 2].map(|axis| position[axis] * block[axis]);
        let shape = edges.block_shape(volume.shape, block, start);
        let payload = volume.bytes(start, shape, Layout::N5);
        let mut bytes = n5_header(shape);
        bytes.extend_from_slice(&compress(&payload, volume, compressor)?);
        write_file(&path.join(block_key(position)), &bytes)?;
    }
    let attributes = attributes(volume.element, volume.shape, block, compression);
    write_file(&path.join("attributes.json"), attributes.as_bytes())
}

/// Writes the volume as a Zarr array in the folder `path`, in chunks that end with the array as
/// N5's blocks do: with padded ones zarrs would read those at the edges in parts, row by row, and
/// be no ceiling.
///
/// # Errors
/// If a file cannot be written, or zarrs cannot compress.
pub fn write_zarr(path: &Path, volume: &Volume, chunk: Triple, kind: ZarrKind) -> Result<()> {
    let (layout, compressor) = match kind {
        ZarrKind::Native => (Layout::C, Compressor::Raw),
        ZarrKind::Plain(compressor) => (Layout::N5, compressor),
    };
    for position in grid(volume.shape, chunk) {
        let start = [0, 1, 2].map(|axis| position[axis] * chunk[axis]);
        let shape = Edges::Truncated.block_shape(volume.shape, chunk, start);
        let payload = volume.bytes(start, shape, layout);
        let bytes = compress(&payload, volume, compressor)?;
        write_file(&path.join(block_key(position)), &bytes)?;
    }
    let metadata = zarr_json(volume, chunk, kind);
    write_file(&path.join("zarr.json"), metadata.as_bytes())
}

fn zarr_json(volume: &Volume, chunk: Triple, kind: ZarrKind) -> String {
    let codecs = match kind {
        ZarrKind::Native if cfg!(target_endian = "big") => NATIVE.replace("little", "big"),
        ZarrKind::Native => NATIVE.to_owned(),
        ZarrKind::Plain(compressor) => plain_chain_json(volume.element, compressor),
    };
    let (shape, data_type) = (volume.shape, volume.element.name());
    format!(
        r#"{{"zarr_format":3,"node_type":"array","shape":{shape:?},"data_type":"{data_type}",
            "chunk_grid":{{"name":"zarrs.regular_bounded","configuration":{{"chunk_shape":{chunk:?}}}}},
            "chunk_key_encoding":{{"name":"v2","configuration":{{"separator":"/"}}}},
            "fill_value":0,"codecs":{codecs}}}"#
    )
}

const NATIVE: &str = r#"[{"name":"bytes","configuration":{"endian":"little"}}]"#;

/// N5's keys, and Zarr's with the encoding `v2` and the separator `/`.
pub fn block_key([x, y, z]: Triple) -> String {
    format!("{x}/{y}/{z}")
}

fn compress<'a>(
    payload: &'a [u8],
    volume: &Volume,
    compressor: Compressor,
) -> Result<Cow<'a, [u8]>> {
    match compressor {
        Compressor::Raw => Ok(Cow::Borrowed(payload)),
        // Not zarrs's codec, which would take minutes for the larger volumes.
        Compressor::Gzip => gzip(payload).map(Cow::Owned),
        other => {
            let codec = other.codec(volume.element).ok_or("no codec")?;
            Ok(Cow::Owned(
                codec
                    .encode(Cow::Borrowed(payload), &options())?
                    .into_owned(),
            ))
        }
    }
}

fn gzip(payload: &[u8]) -> Result<Vec<u8>> {
    let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
    let mut out = vec![0; compressor.gzip_compress_bound(payload.len())];
    let length = compressor.gzip_compress(payload, &mut out)?;
    out.truncate(length);
    Ok(out)
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    Ok(fs::write(path, bytes)?)
}

/// Opens the N5 dataset in the folder `path`, through the store adapter as a program would.
///
/// # Errors
/// If there is none.
pub fn open_n5(path: &Path) -> Result<Readable> {
    let store: Arc<dyn ReadableStorageTraits> =
        Arc::new(N5DefaultStore::new(FilesystemStore::new(path)?));
    Ok(Array::open(store, "/")?)
}

/// Opens the Zarr array in the folder `path`.
///
/// # Errors
/// If there is none.
pub fn open_zarr(path: &Path) -> Result<Readable> {
    let store: Arc<dyn ReadableStorageTraits> = Arc::new(FilesystemStore::new(path)?);
    Ok(Array::open(store, "/")?)
}

/// Reads a box of elements in C order, as bytes: no conversion to a typed vector is timed.
///
/// # Panics
/// If the array cannot be read: nothing is left to be measured then.
pub fn read(array: &Readable, subset: &ArraySubset, options: &CodecOptions) -> Vec<u8> {
    array
        .retrieve_array_subset_opt::<ArrayBytes<'static>>(subset, options)
        .expect("the array can be read")
        .into_fixed()
        .expect("the elements have a fixed size")
        .into_owned()
}

/// What no reader of these blocks can do without: reads each file, whole, and decompresses it to
/// one buffer that is used again.
///
/// # Panics
/// If a block cannot be read: nothing is left to be measured then.
pub fn floor(
    paths: Vec<PathBuf>,
    element: Element,
    block: Triple,
    compressor: Compressor,
) -> impl FnMut() {
    let header = n5_header(block).len();
    let mut decompressor = (compressor == Compressor::Gzip).then(libdeflater::Decompressor::new);
    let mut buffer = vec![0; block.iter().product::<usize>() * element.size()];
    move || {
        for path in &paths {
            let bytes = std::hint::black_box(fs::read(path).expect("the block is there"));
            if let Some(decompressor) = &mut decompressor {
                decompressor
                    .gzip_decompress(&bytes[header..], &mut buffer)
                    .expect("the payload is gzip");
            }
        }
    }
}
