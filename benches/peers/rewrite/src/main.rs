//! What no rewrite from gzip blocks to zstd chunks can do without, and the data for it:
//!
//! ```text
//! peer_rewrite generate FOLDER [EDGE]     FOLDER/raw: uint8, gzip in 128^3, 1024^3 elements
//! peer_rewrite floors FOLDER              reading and inflating all blocks, compressing all chunks
//! ```
//!
//! `floors` prints a JSON object with processor times in seconds: `inflate` (libdeflate, the files
//! read as well), and `compress_zyx` and `compress_stored` (zstd 3 of chunks of 64^3 in the two
//! orders, with one context for all). One thread does each.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use peer_data::data::{Element, Layout, Triple, Volume, attributes, grid, n5_header};
use peer_data::{Job, Result, clock::time};
use serde_json::json;

const BLOCK: usize = 128;
const CHUNK: usize = 64;
const LEVEL: i32 = 3;

fn main() -> Result<()> {
    let usage = "usage: peer_rewrite generate FOLDER [EDGE] | floors FOLDER";
    let mut arguments = std::env::args().skip(1);
    let command = arguments.next().ok_or(usage)?;
    let folder = PathBuf::from(arguments.next().ok_or(usage)?);
    match command.as_str() {
        "generate" => {
            let edge = arguments.next().map_or(Ok(1024), |edge| edge.parse())?;
            generate(&folder, edge)
        }
        "floors" => floors(&folder),
        _ => Err(usage.into()),
    }
}

fn generate(folder: &Path, edge: usize) -> Result<()> {
    let path = folder.join("raw");
    if path.join("attributes.json").exists() {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    fs::write(folder.join("attributes.json"), r#"{"n5":"2.0.0"}"#)?;
    let volume = Volume::new(Element::U8, [edge; 3]);
    let block = [BLOCK; 3];
    let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
    for position in grid(volume.shape, block) {
        let start = position.map(|at| at * BLOCK);
        let shape = start.map(|start| BLOCK.min(edge - start));
        let payload = volume.bytes(start, shape, Layout::N5);
        let mut compressed = vec![0; compressor.gzip_compress_bound(payload.len())];
        let len = compressor.gzip_compress(&payload, &mut compressed)?;
        let mut bytes = n5_header(shape);
        bytes.extend_from_slice(&compressed[..len]);
        let folder = path.join(format!("{}/{}", position[0], position[1]));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(position[2].to_string()), bytes)?;
    }
    // Last, so that an interrupted dataset is written anew.
    let compression = r#"{"type":"gzip","level":6}"#;
    let document = attributes(volume.element, volume.shape, block, compression);
    Ok(fs::write(path.join("attributes.json"), document)?)
}

fn floors(folder: &Path) -> Result<()> {
    let job = Job::new(&folder.join("raw"), 1)?;
    if job.block != [BLOCK; 3] || job.shape.iter().any(|len| len % BLOCK != 0) {
        return Err("expected whole blocks of 128^3".into());
    }
    let mut decompressor = libdeflater::Decompressor::new();
    let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
    let mut block = vec![0; BLOCK.pow(3)];
    let mut chunk = vec![0; CHUNK.pow(3)];
    let mut out = Vec::with_capacity(zstd::zstd_safe::compress_bound(chunk.len()));
    let header = n5_header(job.block).len();
    let (mut inflate, mut compress, mut sizes) = (0., [0.; 2], [0; 2]);
    for [x, y, z] in grid(job.shape, job.block) {
        let path = job.path.join(format!("{x}/{y}/{z}"));
        let (read, seconds) = time(|| -> Result<()> {
            let bytes = black_box(fs::read(&path)?);
            decompressor.gzip_decompress(&bytes[header..], &mut block)?;
            Ok(())
        });
        read?;
        inflate += seconds.cpu;
        for start in grid([BLOCK; 3], [CHUNK; 3]).map(|at| at.map(|at| at * CHUNK)) {
            for is_stored in [false, true] {
                fill(&mut chunk, &block, start, is_stored);
                out.clear();
                let (len, seconds) = time(|| compressor.compress_to_buffer(&chunk, &mut out));
                compress[usize::from(is_stored)] += seconds.cpu;
                sizes[usize::from(is_stored)] += len?;
            }
        }
    }
    let line = json!({
        "inflate": inflate,
        "compress_zyx": compress[0],
        "compress_stored": compress[1],
        "size_zyx": sizes[0],
        "size_stored": sizes[1],
    });
    println!("{line}");
    Ok(())
}

/// Takes a chunk from a block, whose dimension 0 is the fastest.
fn fill(chunk: &mut [u8], block: &[u8], start: Triple, is_stored: bool) {
    let mut chunk = chunk.iter_mut();
    for a in 0..CHUNK {
        for b in 0..CHUNK {
            for c in 0..CHUNK {
                let [x, y, z] = if is_stored { [a, b, c] } else { [c, b, a] };
                let at = ((start[2] + z) * BLOCK + start[1] + y) * BLOCK + start[0] + x;
                if let Some(element) = chunk.next() {
                    *element = block[at];
                }
            }
        }
    }
}
