//! Opens a CATMAID stack of JPEG tiles as a 3-dimensional Zarr array and writes a region as a PNG.
//!
//! ```text
//! cargo run --release --example image_stack
//! cargo run --release --example image_stack -- STACK Z Y X HEIGHT WIDTH OUTPUT.png
//! ```
//!
//! `STACK` is a folder with tiles named `{z}/{row}_{col}_0.jpg` and a `zarr.json` that says so; the
//! one in `examples/data/image_stack` shows how. No tile is touched. The JPEG codec is the crate
//! `zarrs_jpeg` with its decoder in pure Rust. It takes (y, x, samples), so that a `transpose` in
//! the `zarr.json` puts z, along which a chunk has one element, last.

#[path = "support/terminal.rs"]
mod terminal;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use zarrs::array::chunk_cache::{ChunkCache, ChunkCacheDecodedLruChunkLimit};
use zarrs::array::{Array, CodecOptions};
use zarrs::filesystem::FilesystemStore;
use zarrs::storage::{ReadableStorage, ReadableStorageTraits};
use zarrs_interop::template::open_array;

// Nothing else names the JPEG codec, and the linker would leave it out.
use zarrs_jpeg as _;

/// A rectangle in one slice, in pixels.
struct Region {
    z: u64,
    y: u64,
    x: u64,
    height: u64,
    width: u64,
}

struct Arguments {
    stack: PathBuf,
    region: Region,
    output: PathBuf,
}

const USAGE: &str = "usage: image_stack [STACK Z Y X HEIGHT WIDTH OUTPUT.png]";

fn main() -> ExitCode {
    terminal::main(|| run(&std::env::args().skip(1).collect::<Vec<_>>()))
}

fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let Arguments {
        stack,
        region,
        output,
    } = parse(arguments)?;
    let array = open_stack(&stack)?;
    let Region {
        z,
        y,
        x,
        height,
        width,
    } = region;
    check_inside(array.shape(), &region)?;

    // A JPEG file is decoded whole, so a cache of decoded tiles is what repeated reads want. (It
    // also avoids an error of zarrs 0.23.14, which cannot decode a part of a chunk behind a
    // `transpose` that changes its shape if the codec after it decodes whole chunks only.)
    let tiles = ChunkCacheDecodedLruChunkLimit::new(Arc::new(array), 64);
    let pixels: Vec<u8> = tiles.retrieve_array_subset(
        &[z..z + 1, y..y + height, x..x + width],
        &CodecOptions::default(),
    )?;
    write_png(&output, &pixels, width, height)?;

    println!(
        "{}: z {z}, y {y}..{}, x {x}..{}",
        stack.display(),
        y + height,
        x + width
    );
    println!("{}", output.display());
    Ok(())
}

fn open_stack(stack: &Path) -> Result<Array<dyn ReadableStorageTraits>, Box<dyn Error>> {
    if !stack.join("zarr.json").is_file() {
        return Err(format!("{} has no zarr.json", stack.display()).into());
    }
    // Checks, unlike `Array::open`, that the template fits the three dimensions.
    let store: ReadableStorage = Arc::new(FilesystemStore::new(stack)?);
    Ok(open_array(store, "/")?)
}

fn check_inside(shape: &[u64], region: &Region) -> Result<(), String> {
    let &[slices, rows, columns] = shape else {
        return Err(format!(
            "expected an array of 3 dimensions (z, y, x), found shape {shape:?}"
        ));
    };
    let fits = |start: u64, length: u64, end: u64| {
        length > 0 && start.checked_add(length).is_some_and(|stop| stop <= end)
    };
    let Region {
        z,
        y,
        x,
        height,
        width,
    } = *region;
    if fits(z, 1, slices) && fits(y, height, rows) && fits(x, width, columns) {
        return Ok(());
    }
    Err(format!(
        "z {z}, y {y} + {height}, x {x} + {width} is empty or not inside the shape {shape:?}"
    ))
}

fn write_png(path: &Path, pixels: &[u8], width: u64, height: u64) -> Result<(), Box<dyn Error>> {
    let file = std::fs::File::create(path)
        .map_err(|error| format!("cannot create {}: {error}", path.display()))?;
    let mut encoder = png::Encoder::new(file, u32::try_from(width)?, u32::try_from(height)?);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(pixels)?;
    Ok(())
}

/// Without arguments, a region across six tiles of the stack beside this file.
fn parse(arguments: &[String]) -> Result<Arguments, String> {
    match arguments {
        [] => Ok(Arguments {
            stack: Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/image_stack"),
            region: Region {
                z: 2,
                y: 24,
                x: 24,
                height: 100,
                width: 150,
            },
            output: std::env::temp_dir().join("image_stack.png"),
        }),
        [stack, z, y, x, height, width, output] => Ok(Arguments {
            stack: stack.into(),
            region: Region {
                z: number("Z", z)?,
                y: number("Y", y)?,
                x: number("X", x)?,
                height: number("HEIGHT", height)?,
                width: number("WIDTH", width)?,
            },
            output: output.into(),
        }),
        _ => Err(format!(
            "expected no or 7 arguments, found {}\n{USAGE}",
            arguments.len()
        )),
    }
}

fn number(name: &str, text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|error| format!("{name} is {text:?}: {error}\n{USAGE}"))
}
