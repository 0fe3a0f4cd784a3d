//! What no reader can do without: reading the files, decompressing them, and (as a measure) copying
//! the elements once.

use std::fs;
use std::path::PathBuf;

use peer_data::data::{grid, n5_header};
use peer_data::{Elements, Job, Read, Result, run};

fn main() -> Result<()> {
    run(&[("files + decompression", files), ("memcpy", memcpy)])
}

/// Reads each block's file and decompresses it, by libdeflate, to one buffer that is used again.
#[expect(clippy::unnecessary_wraps, reason = "as `Prepare` has it")]
fn files(job: &Job) -> Result<Read> {
    let paths: Vec<PathBuf> = grid(job.shape, job.block)
        .map(|[x, y, z]| job.path.join(format!("{x}/{y}/{z}")))
        .collect();
    let mut decompressor = (job.compression == "gzip").then(libdeflater::Decompressor::new);
    let mut buffer = vec![0; job.block.iter().product::<usize>() * job.element.size()];
    let header = n5_header(job.block).len();
    Ok(Box::new(move || {
        for path in &paths {
            let bytes = std::hint::black_box(fs::read(path)?);
            if let Some(decompressor) = &mut decompressor {
                decompressor.gzip_decompress(&bytes[header..], &mut buffer)?;
            }
        }
        Ok(Elements::None)
    }))
}

/// Copies as many bytes as the array has to memory that has been used before.
#[expect(clippy::unnecessary_wraps, reason = "as `Prepare` has it")]
fn memcpy(job: &Job) -> Result<Read> {
    let from = job.volume().elements();
    let mut to = from.clone();
    Ok(Box::new(move || {
        to.copy_from_slice(std::hint::black_box(&from));
        std::hint::black_box(&to);
        Ok(Elements::None)
    }))
}
