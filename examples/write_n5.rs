//! Writes an N5 volume through ordinary zarrs calls, on all cores, and reads a piece of it back.
//!
//! ```text
//! cargo run --release --example write_n5 [-- -o FOLDER]
//! ```
//!
//! `FOLDER` is new or empty, and by default `write_n5.n5` in the current folder. `--help` prints
//! this.

#[path = "support/terminal.rs"]
mod terminal;

use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use rayon::prelude::*;
use serde_json::json;
use zarrs::array::{Array, ArraySubset};
use zarrs::filesystem::FilesystemStore;
use zarrs::group::GroupBuilder;
use zarrs_interop::n5::{self, Compression, N5DefaultStore};

type Store = N5DefaultStore<FilesystemStore>;
type Result<T> = std::result::Result<T, Box<dyn Error>>;

const FOLDER: &str = "write_n5.n5";
const USAGE: &str = "usage: write_n5 [-o FOLDER] [--help]";

/// Memory of the system's allocator comes and goes with every block, and with it the time for new
/// pages.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    terminal::main(|| {
        let arguments = terminal::texts(std::env::args_os())?;
        run(&arguments, &mut std::io::stdout())
    })
}

/// Writes the volume, and prints what there is to say to `out`.
pub(crate) fn run(arguments: &[String], out: &mut dyn Write) -> Result<()> {
    if let [help] = arguments
        && ["-h", "--help"].contains(&help.as_str())
    {
        return Ok(write!(
            out,
            "{}",
            terminal::help(include_str!("write_n5.rs"))
        )?);
    }
    let folder = folder(arguments)?;
    let store = Arc::new(N5DefaultStore::new(FilesystemStore::new(&folder)?));

    create_groups(&store)?;
    let array = create_array(store)?;
    write(&array)?;
    writeln!(out, "{}", folder.display())?;
    writeln!(
        out,
        "/volumes/raw: shape {:?} in {:?} blocks; {} bytes, {} on disk",
        array.shape(),
        array.chunk_grid_shape(),
        array.subset_all().num_elements() * 2,
        size_of_files(&folder.join("volumes/raw"))?,
    )?;
    read_back(&array, out)
}

/// N5 asks for nothing but the `n5` version at the root, which the store adds. Groups are for
/// attributes.
fn create_groups(store: &Arc<Store>) -> Result<()> {
    GroupBuilder::new()
        .build(store.clone(), "/")?
        .store_metadata()?;
    let mut volumes = GroupBuilder::new().build(store.clone(), "/volumes")?;
    let attributes = volumes.attributes_mut();
    attributes.insert("source".to_owned(), json!("made up by write_n5"));
    Ok(volumes.store_metadata()?)
}

/// The size, the blocks, the elements, the compression: an N5 dataset. Dimension 0 (x) is the
/// fastest in a block.
fn create_array(store: Arc<Store>) -> Result<Array<Store>> {
    let mut array = n5::array_builder([300, 250, 100], [64; 3], "uint16", &Compression::gzip())?
        .dimension_names(Some(["x", "y", "z"]))
        .build(store, "/volumes/raw")?;
    let attributes = array.attributes_mut();
    attributes.insert("resolution".to_owned(), json!([4.0, 4.0, 40.0]));
    attributes.insert("units".to_owned(), json!(["nm", "nm", "nm"]));
    array.store_metadata()?;
    Ok(array)
}

/// Writes rows of whole blocks, so that no block is read to be changed; as many rows at a time as
/// there are cores.
fn write(array: &Array<Store>) -> Result<()> {
    let &[blocks_x, blocks_y, blocks_z] = array.chunk_grid_shape() else {
        return Err("the volume has three dimensions".into());
    };
    let progress = terminal::Progress::new(blocks_y * blocks_z, "rows");
    (0..blocks_y * blocks_z)
        .into_par_iter()
        .try_for_each(|row| {
            let (y, z) = (row / blocks_z, row % blocks_z);
            let blocks = ArraySubset::new_with_ranges(&[0..blocks_x, y..y + 1, z..z + 1]);
            let region = array.chunks_subset_bounded(&blocks)?;
            array.store_array_subset(&region, elements(&region))?;
            progress.advance();
            Ok::<_, Box<dyn Error + Send + Sync>>(())
        })
        .map_err(|error| error as Box<dyn Error>)?;
    progress.finish();
    Ok(())
}

fn read_back(array: &Array<Store>, out: &mut dyn Write) -> Result<()> {
    let piece = ArraySubset::new_with_ranges(&[60..70, 120..121, 99..100]);
    let found: Vec<u16> = array.retrieve_array_subset(&piece)?;
    writeln!(out, "{piece} reads {found:?}")?;
    if found != elements(&piece) {
        return Err(format!("{piece} was written as {:?}", elements(&piece)).into());
    }
    Ok(())
}

/// The elements of a region in C order, as zarrs takes them: the last dimension (z) is the fastest.
fn elements(region: &ArraySubset) -> Vec<u16> {
    let indices = region.indices();
    indices.into_iter().map(|at| value(&at)).collect()
}

/// Waves of grey.
fn value(at: &[u64]) -> u16 {
    let wave = |length: u64, at: u64| (at % length).min(length - at % length);
    let sum: u64 = at
        .iter()
        .zip([90, 60, 30])
        .map(|(&at, length)| wave(length, at))
        .sum();
    u16::try_from(sum * 100).unwrap_or(u16::MAX)
}

/// The folder to write to, made if it is not there.
fn folder(arguments: &[String]) -> Result<PathBuf> {
    let folder = match arguments {
        [] => PathBuf::from(FOLDER),
        [option, folder] if option == "-o" => {
            let folder = terminal::value(option, "a folder", Some(folder));
            let folder = folder.map_err(|error| format!("{error}\n{USAGE}"))?;
            terminal::no_url(folder)?;
            PathBuf::from(folder)
        }
        _ => return Err(USAGE.into()),
    };
    let failed = |error| format!("cannot make the folder {}: {error}", folder.display());
    std::fs::create_dir_all(&folder).map_err(failed)?;
    if std::fs::read_dir(&folder)?.next().is_some() {
        let folder = folder.display();
        return Err(format!("{folder} is not empty: name a new folder with -o\n{USAGE}").into());
    }
    Ok(folder)
}

fn size_of_files(folder: &Path) -> Result<u64> {
    std::fs::read_dir(folder)?
        .map(|entry| {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                return size_of_files(&entry.path());
            }
            Ok(entry.metadata()?.len())
        })
        .sum()
}
