//! What the program's allocator does to plain reads of whole arrays of 250^3 elements, the first
//! read of a program and later ones apart.
//!
//! ```text
//! cd benches
//! taskset -c 0 cargo bench --bench allocator
//! GLIBC_TUNABLES=glibc.malloc.hugetlb=1 taskset -c 0 cargo bench --bench allocator
//! taskset -c 0 cargo bench --bench allocator --features mimalloc
//! ```
//!
//! Each cell is a process of its own: its first read, and the best of seven later ones. CPU time.
//! The files are in the page cache. `TMPDIR` decides where the folder is.

use std::path::Path;
use std::process::Command;

use zarrs_interop_benches::clock::time;
use zarrs_interop_benches::codecs::{Compressor, options};
use zarrs_interop_benches::contest::Mode;
use zarrs_interop_benches::data::{Edges, Element, Volume};
use zarrs_interop_benches::datasets::{Result, open_n5, read, write_n5};

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const LATER_READS: usize = 7;
/// First reads differ more than later ones: the best of so many processes counts for either.
const PROCESSES: usize = 3;

/// The first argument of a child process that reads.
const READ: &str = "--read";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, path] = arguments.as_slice()
        && flag == READ
    {
        return print_seconds(Path::new(path));
    }
    let mode = Mode::from_arguments();
    let (shape, block) = if mode.measures {
        ([250; 3], [64; 3])
    } else {
        ([13; 3], [8; 3])
    };
    println!("\nplain reads (MB/s of elements, CPU time)\n");
    println!("| case | first read | later reads |\n|---|--:|--:|");
    for compressor in [Compressor::Raw, Compressor::Gzip] {
        for element in Element::ALL {
            let folder = tempfile::tempdir()?;
            let volume = Volume::new(element, shape);
            write_n5(folder.path(), &volume, block, Edges::Truncated, compressor)?;
            let mut best = [f64::INFINITY; 2];
            for _ in 0..PROCESSES {
                let found = seconds(folder.path())?;
                best = [0, 1].map(|at: usize| best[at].min(found[at]));
            }
            #[expect(clippy::cast_precision_loss, reason = "sizes far below 2^52")]
            let [first, later] = best.map(|seconds| volume.byte_size() as f64 / seconds / 1e6);
            let (element, compressor) = (element.name(), compressor.name());
            println!("| {element} {compressor} | {first:.0} | {later:.0} |");
        }
    }
    Ok(())
}

/// What a child process says of the array in the folder `path`.
fn seconds(path: &Path) -> Result<[f64; 2]> {
    let program = std::env::current_exe()?;
    let output = Command::new(program).arg(READ).arg(path).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let text = String::from_utf8(output.stdout)?;
    let mut numbers = text.split_whitespace().map(str::parse::<f64>);
    let mut next = || numbers.next().ok_or("a number is missing");
    Ok([next()??, next()??])
}

/// The child process.
fn print_seconds(path: &Path) -> Result<()> {
    let array = open_n5(path)?;
    let all = array.subset_all();
    let options = options();
    let once = || {
        time(|| std::hint::black_box(read(&array, &all, &options)))
            .1
            .cpu
    };
    let first = once();
    let later = (0..LATER_READS).map(|_| once());
    println!("{first} {}", later.fold(f64::INFINITY, f64::min));
    Ok(())
}
