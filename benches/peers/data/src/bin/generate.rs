//! Writes the datasets that all readers read: `generate FOLDER [EDGE]`, 250^3 elements unless EDGE
//! is another number.
//!
//! The names are `<data type>_<compression>_<edges>.n5`. No reader's own code writes them: the
//! headers are made here, the payloads compressed by libdeflate. What is there already is not
//! written again.

use std::fs;
use std::path::{Path, PathBuf};

use peer_data::Result;
use peer_data::data::{Edges, Element, Layout, Triple, Volume, attributes, grid, n5_header};

const BLOCK: Triple = [64; 3];

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("usage: generate FOLDER [EDGE]")?);
    let edge = arguments.next().map_or(Ok(250), |edge| edge.parse())?;
    fs::create_dir_all(&folder)?;
    // rust-n5 opens nothing without it.
    fs::write(folder.join("attributes.json"), r#"{"n5":"2.0.0"}"#)?;
    for element in Element::ALL {
        let volume = Volume::new(element, [edge; 3]);
        for edges in Edges::ALL {
            for compression in ["raw", "gzip"] {
                let name = format!("{}_{compression}_{}.n5", element.name(), edges.name());
                let path = folder.join(name);
                if !path.join("attributes.json").exists() {
                    write(&path, &volume, edges, compression)?;
                }
                println!("{}", path.display());
            }
        }
    }
    Ok(())
}

fn write(path: &Path, volume: &Volume, edges: Edges, compression: &str) -> Result<()> {
    for position in grid(volume.shape, BLOCK) {
        let start = [0, 1, 2].map(|axis| position[axis] * BLOCK[axis]);
        let shape = edges.block_shape(volume.shape, BLOCK, start);
        let payload = volume.bytes(start, shape, Layout::N5);
        let mut block = n5_header(shape);
        block.extend(match compression {
            "gzip" => gzip(&payload)?,
            _ => payload,
        });
        let folder = path.join(format!("{}/{}", position[0], position[1]));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(position[2].to_string()), block)?;
    }
    // Last, so that an interrupted dataset is written anew.
    let compression = match compression {
        "gzip" => r#"{"type":"gzip","level":6}"#,
        _ => r#"{"type":"raw"}"#,
    };
    let attributes = attributes(volume.element, volume.shape, BLOCK, compression);
    Ok(fs::write(path.join("attributes.json"), attributes)?)
}

fn gzip(payload: &[u8]) -> Result<Vec<u8>> {
    let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
    let mut out = vec![0; compressor.gzip_compress_bound(payload.len())];
    let length = compressor.gzip_compress(payload, &mut out)?;
    out.truncate(length);
    Ok(out)
}
