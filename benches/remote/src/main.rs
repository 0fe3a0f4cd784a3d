//! What `run.py` beside this folder starts: it writes the volume, serves it, and reads from it.
//!
//! ```text
//! zarrs_interop_remote data FOLDER EDGE BLOCK
//! zarrs_interop_remote serve FOLDER MILLISECONDS      prints its URL; GET /- says what was asked
//! zarrs_interop_remote read WAY URL DATASET START SHAPE    prints a line of JSON
//! ```

#[path = "../../src/data.rs"]
#[allow(dead_code, reason = "of use to other benchmarks")]
mod data;
#[path = "../../../tests/support/http.rs"]
mod http;
#[path = "../../../tests/support/static_server.rs"]
mod static_server;

mod read;
mod serve;

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use zarrs::array::data_type;
use zarrs::filesystem::FilesystemStore;
use zarrs_interop::n5::{Compression, N5DefaultStore, array_builder};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["data", folder, edge, block] => write(Path::new(folder), edge.parse()?, block.parse()?),
        ["serve", folder, latency] => serve::serve(folder, latency.parse()?),
        ["read", way, url, dataset, start, shape] => read::read(way, url, dataset, start, shape),
        _ => Err(format!("unknown arguments {arguments:?}").into()),
    }
}

/// Writes the volume as `gzip` and as `raw`.
fn write(folder: &Path, edge: usize, block: u64) -> Result<()> {
    let volume = data::Volume::new(data::Element::U8, [edge; 3]);
    let store = Arc::new(N5DefaultStore::new(FilesystemStore::new(folder)?));
    for (path, compression) in [("/gzip", Compression::gzip()), ("/raw", Compression::Raw)] {
        let shape = vec![edge as u64; 3];
        let builder = array_builder(shape, [block; 3], data_type::uint8(), &compression)?;
        let array = builder.build(store.clone(), path)?;
        array.store_metadata()?;
        array.store_array_subset(&array.subset_all(), &volume.elements()[..])?;
    }
    Ok(())
}
