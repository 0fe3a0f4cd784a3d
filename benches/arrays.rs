//! Whole arrays of 250^3 elements from a folder: ours against zarrs reading its own raw Zarr, and
//! peak memory.
//!
//! ```text
//! cd benches
//! cargo bench --bench arrays                  # about three minutes
//! cd benches
//! cargo bench --bench arrays -- uint16        # one element type
//! ```
//!
//! The blocks have 64^3 elements, so that those at the edges are truncated or padded. `native` is
//! zarrs reading the same volume from a raw Zarr array in C order and this machine's byte order,
//! the most that can be had through zarrs; `plain chain` is zarrs reading the bytes of N5 without
//! headers (only with one thread). With one thread CPU time counts, with two wall time. Peak memory
//! is `VmHWM` of a child process that reads the array once. The files are in the page cache.
//! `TMPDIR` decides where the folder is; it takes up to 1 GB.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rayon::ThreadPool;
use zarrs::array::codec::api::CodecOptions;

use zarrs_interop_benches::codecs::Compressor;
use zarrs_interop_benches::contest::{self, Clock, Contest, Mode, Row, Show};
use zarrs_interop_benches::data::{Edges, Element, Triple, Volume};
use zarrs_interop_benches::datasets::{
    Readable, Result, ZarrKind, open_n5, open_zarr, read, write_n5, write_zarr,
};
use zarrs_interop_benches::memory::peak_memory;

const BUDGET: Duration = Duration::from_secs(3);
const THREADS: [usize; 2] = [1, 2];
const COMPRESSORS: [Compressor; 2] = [Compressor::Raw, Compressor::Gzip];

/// The first argument of a child process whose memory is measured.
const PEAK: &str = "--peak-memory";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, path, threads] = arguments.as_slice()
        && flag == PEAK
    {
        return print_peak_memory(Path::new(path), threads.parse()?);
    }
    let mode = Mode::from_arguments();
    let (shape, block) = if mode.measures {
        ([250; 3], [64; 3])
    } else {
        ([13; 3], [8; 3])
    };
    let (mut single, mut double, mut memory) = (Vec::new(), Vec::new(), Vec::new());
    for element in Element::ALL {
        if !mode.wants("", element.name()) {
            continue;
        }
        let datasets = Datasets::write(Volume::new(element, shape), block)?;
        for (edges, compressor) in cells() {
            single.extend(datasets.contest(edges, compressor, 1, &mode)?);
            double.extend(datasets.contest(edges, compressor, 2, &mode)?);
        }
        memory.extend(datasets.peak_memory()?);
    }
    if mode.measures {
        contest::print("whole arrays/1 thread", &single, Show::SpeedAndMedians);
        contest::print("whole arrays/2 threads", &double, Show::SpeedAndMedians);
        print_memory(&memory);
    }
    Ok(())
}

fn cells() -> impl Iterator<Item = (Edges, Compressor)> {
    Edges::ALL
        .into_iter()
        .flat_map(|edges| COMPRESSORS.map(|compressor| (edges, compressor)))
}

/// One volume in all forms.
struct Datasets {
    folder: tempfile::TempDir,
    volume: Volume,
    elements: Vec<u8>,
    block: Triple,
}

impl Datasets {
    fn write(volume: Volume, block: Triple) -> Result<Self> {
        let datasets = Self {
            folder: tempfile::tempdir()?,
            elements: volume.elements(),
            volume,
            block,
        };
        let volume = &datasets.volume;
        for (edges, compressor) in cells() {
            let path = datasets.n5(edges, compressor);
            write_n5(&path, volume, block, edges, compressor)?;
        }
        write_zarr(&datasets.native(), volume, block, ZarrKind::Native)?;
        for compressor in COMPRESSORS {
            let path = datasets.plain(compressor);
            write_zarr(&path, volume, block, ZarrKind::Plain(compressor))?;
        }
        Ok(datasets)
    }

    fn n5(&self, edges: Edges, compressor: Compressor) -> PathBuf {
        let name = format!("{}_{}.n5", edges.name(), compressor.name());
        self.folder.path().join(name)
    }

    fn native(&self) -> PathBuf {
        self.folder.path().join("native.zarr")
    }

    fn plain(&self, compressor: Compressor) -> PathBuf {
        let name = format!("plain_{}.zarr", compressor.name());
        self.folder.path().join(name)
    }

    /// `None` when nothing is to be measured.
    fn contest(
        &self,
        edges: Edges,
        compressor: Compressor,
        threads: usize,
        mode: &Mode,
    ) -> Result<Option<Row>> {
        let clock = if threads == 1 {
            Clock::Cpu
        } else {
            Clock::Wall
        };
        let name = format!(
            "{} {} {}",
            self.volume.element.name(),
            compressor.name(),
            edges.name()
        );
        let ours = self.reader(open_n5(&self.n5(edges, compressor))?, threads, &name)?;
        let native = self.reader(open_zarr(&self.native())?, threads, &name)?;
        let mut contest = Contest::new(name.as_str(), self.elements.len(), clock)
            .with("ours", ours)
            .with("native", native);
        if threads == 1 {
            let plain = open_zarr(&self.plain(compressor))?;
            contest = contest.with("plain chain", self.reader(plain, threads, &name)?);
        }
        Ok(mode.run("", contest, BUDGET))
    }

    /// Reads the whole array; it is checked once that this gives the right elements.
    fn reader(&self, array: Readable, threads: usize, name: &str) -> Result<impl Fn() -> Vec<u8>> {
        let pool = pool(threads)?;
        let read = move || read_whole(&array, &pool);
        assert!(read() == self.elements, "{name}: wrong elements");
        Ok(read)
    }

    fn peak_memory(&self) -> Result<Vec<Memory>> {
        let mut rows = Vec::new();
        for (compressor, threads) in COMPRESSORS
            .into_iter()
            .flat_map(|compressor| THREADS.map(|threads| (compressor, threads)))
        {
            let name = format!("{} {}", self.volume.element.name(), compressor.name());
            rows.push(Memory {
                name,
                threads,
                output: self.elements.len(),
                block: self.block.iter().product::<usize>() * self.volume.element.size(),
                ours: child_peak(&self.n5(Edges::Truncated, compressor), threads)?,
                plain: child_peak(&self.plain(compressor), threads)?,
            });
        }
        Ok(rows)
    }
}

fn pool(threads: usize) -> Result<ThreadPool> {
    Ok(rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?)
}

fn read_whole(array: &Readable, pool: &ThreadPool) -> Vec<u8> {
    let options = CodecOptions::default().with_concurrent_target(pool.current_num_threads());
    pool.install(|| read(array, &array.subset_all(), &options))
}

/// Peak memory in bytes beyond that of the program before it reads.
struct Memory {
    name: String,
    threads: usize,
    output: usize,
    block: usize,
    ours: usize,
    plain: usize,
}

fn print_memory(rows: &[Memory]) {
    println!(
        "\npeak memory of reading a whole array, beyond the program itself (MB = 10^6 bytes)\n"
    );
    println!(
        "| case | threads | output | ours | plain chain | ours beyond the output, in blocks per thread |"
    );
    println!("|---|--:|--:|--:|--:|--:|");
    #[expect(clippy::cast_precision_loss, reason = "sizes far below 2^52")]
    for row in rows {
        let [output, ours, plain, block] =
            [row.output, row.ours, row.plain, row.block].map(|bytes| bytes as f64);
        let blocks = (ours - output) / block / row.threads as f64;
        println!(
            "| {} | {} | {:.1} | {:.1} | {:.1} | {blocks:.1} |",
            row.name,
            row.threads,
            output / 1e6,
            ours / 1e6,
            plain / 1e6
        );
    }
}

/// Lets a child process read the array in the folder `path`.
fn child_peak(path: &Path, threads: usize) -> Result<usize> {
    let output = Command::new(std::env::current_exe()?)
        .arg(PEAK)
        .arg(path)
        .arg(threads.to_string())
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

/// The child process: how much the peak of its memory grew by reading.
fn print_peak_memory(path: &Path, threads: usize) -> Result<()> {
    let array = match path.extension() {
        Some(extension) if extension == "n5" => open_n5(path)?,
        _ => open_zarr(path)?,
    };
    let pool = pool(threads)?;
    let before = peak_memory()?;
    std::hint::black_box(read_whole(&array, &pool));
    println!("{}", peak_memory()? - before);
    Ok(())
}
