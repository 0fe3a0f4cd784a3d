//! Opens a CATMAID stack of JPEG tiles as a 3-dimensional Zarr array and writes a region as a PNG.
//!
//! ```text
//! cargo run --release --example image_stack        # the stack in this repository
//! cargo run --release --example image_stack -- STACK Z Y X HEIGHT WIDTH [OPTIONS]
//! ```
//!
//! The options are `-o OUTPUT.png`, `--allow-empty` and `--help`, which prints this.
//!
//! `STACK` is a folder with tiles named `{z}/{row}_{col}_0.jpg` and a `zarr.json` that says so; the
//! one in `examples/data/image_stack` shows how. No tile is touched. The picture goes to
//! `image_stack.png` in the current folder unless `-o` names another file. A region of which not a
//! single tile exists is an error, unless `--allow-empty` is given: it would be black.
//!
//! The JPEG codec is the crate `zarrs_jpeg` with its decoder in pure Rust. It takes (y, x,
//! samples), so that a `transpose` in the `zarr.json` puts z, along which a chunk has one element,
//! last. The documentation of `zarrs_interop::template` says why there is a second one.

#[path = "support/folder.rs"]
mod folder;
#[path = "support/terminal.rs"]
mod terminal;

use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use zarrs::array::chunk_cache::{ChunkCache, ChunkCacheDecodedLruChunkLimit};
use zarrs::array::{Array, ArraySubset, CodecOptions};
use zarrs::filesystem::FilesystemStore;
use zarrs::storage::{ReadableStorage, ReadableStorageTraits};
use zarrs_interop::template::open_array;

// Nothing else names the JPEG codec, and the linker would leave it out.
use zarrs_jpeg as _;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A rectangle in one slice, in pixels.
#[derive(Clone, Copy)]
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
    allow_empty: bool,
}

const USAGE: &str = "usage: image_stack [STACK Z Y X HEIGHT WIDTH] [-o OUTPUT.png] [--allow-empty] \
                     [--help]";

fn main() -> ExitCode {
    terminal::main(|| {
        let report = run(&terminal::texts(std::env::args_os())?)?;
        // What reads the output, such as `head`, may be gone: `println` would panic.
        Ok(writeln!(std::io::stdout(), "{report}")?)
    })
}

/// Writes the picture, and returns what there is to say about it.
pub(crate) fn run(arguments: &[String]) -> Result<String> {
    if arguments
        .iter()
        .any(|argument| ["-h", "--help"].contains(&argument.as_str()))
    {
        return Ok(terminal::help(include_str!("image_stack.rs")));
    }
    let Arguments {
        stack,
        region,
        output,
        allow_empty,
    } = parse(arguments)?;
    let array = open_stack(&stack)?;
    let subset = region.inside(array.shape())?;
    let present = tiles_present(&array, &subset, &stack, allow_empty)?;

    // A JPEG file is decoded whole, so a cache of decoded tiles is what repeated reads want.
    let tiles = ChunkCacheDecodedLruChunkLimit::new(Arc::new(array), 64);
    let pixels: Vec<u8> = tiles.retrieve_array_subset(&subset, &CodecOptions::default())?;
    write_png(&output, &pixels, region.width, region.height)?;

    let Region {
        z,
        y,
        x,
        height,
        width,
    } = region;
    Ok(format!(
        "{}: z {z}, y {y}..{}, x {x}..{}\n{present}\n{}",
        stack.display(),
        y + height,
        x + width,
        output.display()
    ))
}

fn open_stack(stack: &Path) -> Result<Array<dyn ReadableStorageTraits>> {
    if !stack.join("zarr.json").is_file() {
        return Err(format!(
            "{} has no zarr.json: give the folder of a stack, with a zarr.json as the one in \
             examples/data/image_stack",
            stack.display()
        )
        .into());
    }
    // Checks, unlike `Array::open`, that the template fits the three dimensions.
    let store: ReadableStorage = Arc::new(FilesystemStore::new(stack)?);
    Ok(open_array(store, "/")?)
}

impl Region {
    /// Returns the region as a subset of an array of `shape`.
    fn inside(self, shape: &[u64]) -> Result<ArraySubset> {
        let &[slices, rows, columns] = shape else {
            return Err(format!(
                "expected an array of 3 dimensions (z, y, x), found shape {shape:?}"
            )
            .into());
        };
        let range = |start: u64, length: u64, end: u64| {
            let stop = start.checked_add(length)?;
            (length > 0 && stop <= end).then_some(start..stop)
        };
        let Self {
            z,
            y,
            x,
            height,
            width,
        } = self;
        let (Some(slice), Some(rows), Some(columns)) = (
            range(z, 1, slices),
            range(y, height, rows),
            range(x, width, columns),
        ) else {
            return Err(format!(
                "z {z}, y {y} + {height}, x {x} + {width} is empty or not inside the shape \
                 {shape:?}"
            )
            .into());
        };
        Ok(ArraySubset::new_with_ranges(&[slice, rows, columns]))
    }
}

/// Says how many of the tiles of a region exist. None at all is an error unless it is allowed.
fn tiles_present(
    array: &Array<dyn ReadableStorageTraits>,
    subset: &ArraySubset,
    stack: &Path,
    allow_empty: bool,
) -> Result<String> {
    let chunks = array
        .chunks_in_array_subset(subset)?
        .ok_or("the chunk grid has no chunks there")?;
    let (mut present, mut first_key) = (0, None);
    for chunk in &chunks.indices() {
        let key = array.chunk_key(&chunk);
        if array.storage().size_key(&key)?.is_some() {
            folder::no_special(stack, key.as_str())?;
            present += 1;
        }
        first_key.get_or_insert(key);
    }
    let text = format!("{present} of {} tiles present", chunks.num_elements());
    match first_key {
        Some(key) if present == 0 && !allow_empty => {
            let found = folder::instead_of(stack, key.as_str())?;
            Err(format!(
                "{text}: the first one expected is {key}, and {found}\nIf the region is to be \
                 black, say --allow-empty."
            )
            .into())
        }
        _ => Ok(text),
    }
}

fn write_png(path: &Path, pixels: &[u8], width: u64, height: u64) -> Result<()> {
    let file = std::fs::File::create(path)
        .map_err(|error| format!("cannot create {}: {error}", path.display()))?;
    let mut encoder = png::Encoder::new(file, u32::try_from(width)?, u32::try_from(height)?);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(pixels)?;
    Ok(())
}

/// Without `STACK` and what follows it, the region lies across six tiles of the stack beside this
/// file.
fn parse(arguments: &[String]) -> Result<Arguments> {
    let mut output = PathBuf::from("image_stack.png");
    let mut allow_empty = false;
    let mut positional = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "-o" => {
                let path = rest.next().map(String::as_str);
                let path = terminal::value("-o", "a file", path);
                let path = path.map_err(|error| format!("{error}\n{USAGE}"))?;
                terminal::no_url(path)?;
                output = path.into();
            }
            "--allow-empty" => allow_empty = true,
            option if option.starts_with('-') => {
                return Err(format!("there is no option {option}\n{USAGE}").into());
            }
            _ => positional.push(argument.as_str()),
        }
    }
    let (stack, region) = match positional[..] {
        [] => (
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/image_stack"),
            Region {
                z: 2,
                y: 24,
                x: 24,
                height: 100,
                width: 150,
            },
        ),
        [stack, z, y, x, height, width] => (
            stack.into(),
            Region {
                z: number("Z", z)?,
                y: number("Y", y)?,
                x: number("X", x)?,
                height: number("HEIGHT", height)?,
                width: number("WIDTH", width)?,
            },
        ),
        _ => {
            let found = positional.len();
            return Err(format!("expected STACK and 5 numbers, found {found}\n{USAGE}").into());
        }
    };
    Ok(Arguments {
        stack,
        region,
        output,
        allow_empty,
    })
}

fn number(name: &str, text: &str) -> Result<u64> {
    text.parse()
        .map_err(|error| format!("{name} is {text:?}: {error}\n{USAGE}").into())
}
