//! Whole arrays of 250^3 elements from a folder by `RegionReader`, in both orders: against plain
//! zarrs calls, in both orders too, and against the files and decompression alone.
//!
//! ```text
//! cd benches
//! taskset -c 0 cargo bench --bench region_reader             # about four minutes
//! taskset -c 0 cargo bench --bench region_reader -- gzip     # some of it
//! cargo bench --bench region_reader -- 'two threads'
//! cargo bench --bench region_reader -- memory
//! ```
//!
//! `reader` and `reader zyx` write to an output that was used before, the `fresh` ones to new
//! memory, as the plain calls do: `plain` of the array as it is, `view` of the store's view with
//! reversed dimensions. `floor` reads the files and decompresses them to one buffer. With one
//! thread CPU time counts, with two wall time. Peak memory is `VmHWM` of a child process that reads
//! the array once, beyond the output. The files are in the page cache. `TMPDIR` decides where the
//! folder is; it takes 700 MB.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use bytemuck::Pod;
use zarrs::array::{Array, Element as ZarrsElement};
use zarrs::filesystem::FilesystemStore;
use zarrs::storage::ReadableStorageTraits;
use zarrs_interop::n5::{DimensionOrder, N5DefaultStore, RegionReader};

use zarrs_interop_benches::codecs::{Compressor, options};
use zarrs_interop_benches::contest::{self, Clock, Contest, Mode, Row, Show};
use zarrs_interop_benches::data::{Edges, Element, Triple, Volume, grid};
use zarrs_interop_benches::datasets::{
    Readable, Result, block_key, floor, open_n5, read, write_n5,
};
use zarrs_interop_benches::memory::peak_memory;

const BUDGET: Duration = Duration::from_millis(3500);
const COMPRESSORS: [Compressor; 2] = [Compressor::Raw, Compressor::Gzip];
const BLOCKS: [Triple; 2] = [[64; 3], [60, 50, 70]];
const ORDERS: [DimensionOrder; 2] = [DimensionOrder::AsStored, DimensionOrder::Reversed];

/// Enough for whole rows of blocks.
const ROWS: usize = 32 << 20;

const ONE_THREAD: &str = "region reader/one thread";
const TWO_THREADS: &str = "region reader/two threads";
const MEMORY: &str = "region reader/memory";

/// The first argument of a child process whose memory is measured.
const PEAK: &str = "--peak-memory";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, path, element, threads] = arguments.as_slice()
        && flag == PEAK
    {
        let element = Element::from_name(element).ok_or("no such element")?;
        return print_peak_memory(Path::new(path), element, threads.parse()?);
    }
    let mode = Mode::from_arguments();
    let (shape, blocks) = if mode.measures {
        ([250; 3], BLOCKS)
    } else {
        ([13; 3], [[8; 3], [5, 4, 6]])
    };
    let mut rows = Rows::default();
    for element in Element::ALL {
        let volume = Volume::new(element, shape);
        let expected = volume.elements();
        for (compressor, block) in cells(blocks) {
            let name = format!("{} {} {}", element.name(), compressor.name(), shown(block));
            if ![ONE_THREAD, TWO_THREADS, MEMORY]
                .iter()
                .any(|title| mode.wants(title, &name))
            {
                continue;
            }
            let folder = tempfile::tempdir()?;
            write_n5(folder.path(), &volume, block, Edges::Truncated, compressor)?;
            let dataset = Dataset {
                path: folder.path(),
                volume: &volume,
                expected: &expected,
                block,
                compressor,
                name,
            };
            match element {
                Element::U8 => dataset.measure::<u8>(&mode, &mut rows)?,
                Element::U16 => dataset.measure::<u16>(&mode, &mut rows)?,
                Element::F32 => dataset.measure::<f32>(&mode, &mut rows)?,
                Element::U64 => dataset.measure::<u64>(&mode, &mut rows)?,
            }
        }
    }
    contest::print(ONE_THREAD, &rows.one, Show::SpeedAndMedians);
    contest::print(TWO_THREADS, &rows.two, Show::SpeedAndMedians);
    print_memory(&rows.memory);
    Ok(())
}

fn cells(blocks: [Triple; 2]) -> impl Iterator<Item = (Compressor, Triple)> {
    let compressors = COMPRESSORS.into_iter();
    compressors.flat_map(move |compressor| blocks.map(|block| (compressor, block)))
}

fn shown([x, y, z]: Triple) -> String {
    format!("{x}x{y}x{z}")
}

#[derive(Default)]
struct Rows {
    one: Vec<Row>,
    two: Vec<Row>,
    memory: Vec<Memory>,
}

/// One volume in a folder.
struct Dataset<'a> {
    path: &'a Path,
    volume: &'a Volume,
    /// The elements of the volume in C order.
    expected: &'a [u8],
    block: Triple,
    compressor: Compressor,
    name: String,
}

impl Dataset<'_> {
    fn measure<T: Pod + ZarrsElement>(&self, mode: &Mode, rows: &mut Rows) -> Result<()> {
        rows.one.extend(self.one_thread::<T>(mode)?);
        if self.compressor == Compressor::Gzip {
            rows.two.extend(self.two_threads::<T>(mode)?);
        }
        if mode.measures && mode.wants(MEMORY, &self.name) {
            for threads in [1, 2] {
                rows.memory.push(self.memory(threads)?);
            }
        }
        Ok(())
    }

    fn one_thread<T: Pod + ZarrsElement>(&self, mode: &Mode) -> Result<Option<Row>> {
        let (array, view) = (open_n5(self.path)?, open_view(self.path)?);
        let options = options();
        let all = array.subset_all();
        let [stored, reversed] = [
            Self::reader(&array, ORDERS[0])?,
            Self::reader(&array, ORDERS[1])?,
        ];
        // Everybody's elements are right.
        let [rows, rows_zyx] = [
            Self::reader(&array, ORDERS[0])?.with_memory(ROWS),
            Self::reader(&array, ORDERS[1])?.with_memory(ROWS),
        ];
        let zyx = reversed.read::<T>(&all)?;
        let zyx: &[u8] = bytemuck::cast_slice(&zyx);
        assert!(
            is_transposed(zyx, self.expected, self.volume),
            "{}: wrong elements",
            self.name
        );
        let held = (rows.read::<T>(&all)?, rows_zyx.read::<T>(&all)?);
        assert!(
            bytemuck::cast_slice::<T, u8>(&held.0) == self.expected
                && bytemuck::cast_slice::<T, u8>(&held.1) == zyx,
            "{}: wrong elements",
            self.name
        );
        let xyz = stored.read::<T>(&all)?;
        assert!(
            bytemuck::cast_slice::<T, u8>(&xyz) == self.expected,
            "{}: wrong elements",
            self.name
        );
        assert!(
            read(&array, &all, &options) == self.expected,
            "{}: unequal work",
            self.name
        );
        assert!(
            read(&view, &view.subset_all(), &options) == zyx,
            "{}: unequal work",
            self.name
        );

        let paths = grid(self.volume.shape, self.block).map(|at| self.path.join(block_key(at)));
        let floor = floor(
            paths.collect(),
            self.volume.element,
            self.block,
            self.compressor,
        );
        let (mut out, mut out_zyx) = (xyz, vec![T::zeroed(); self.expected.len() / size_of::<T>()]);
        let (mut out_rows, mut out_rows_zyx) = (out.clone(), out_zyx.clone());
        let contest = Contest::new(self.name.as_str(), self.expected.len(), Clock::Cpu)
            .with("reader", || {
                stored
                    .read_into(&all, &mut out)
                    .expect("it was read before")
            })
            .with("reader zyx", || {
                reversed
                    .read_into(&all, &mut out_zyx)
                    .expect("it was read before")
            })
            .with("rows", || {
                rows.read_into(&all, &mut out_rows)
                    .expect("it was read before")
            })
            .with("rows zyx", || {
                rows_zyx
                    .read_into(&all, &mut out_rows_zyx)
                    .expect("it was read before")
            })
            .with("reader fresh", || {
                stored.read::<T>(&all).expect("it was read before")
            })
            .with("reader zyx fresh", || {
                reversed.read::<T>(&all).expect("it was read before")
            })
            .with("plain", || read(&array, &all, &options))
            .with("view", || read(&view, &view.subset_all(), &options))
            .with("floor", floor);
        Ok(mode.run(ONE_THREAD, contest, BUDGET))
    }

    fn two_threads<T: Pod + ZarrsElement>(&self, mode: &Mode) -> Result<Option<Row>> {
        let array = open_n5(self.path)?;
        let all = array.subset_all();
        let elements = self.expected.len() / size_of::<T>();
        let (mut first, mut second) = (vec![T::zeroed(); elements], vec![T::zeroed(); elements]);
        let one = Self::reader(&array, ORDERS[0])?;
        let two = Self::reader(&array, ORDERS[0])?.with_concurrency(2);
        let contest = Contest::new(self.name.as_str(), self.expected.len(), Clock::Wall)
            .with("two threads", || {
                two.read_into(&all, &mut first).expect("it can be read")
            })
            .with("one thread", || {
                one.read_into(&all, &mut second).expect("it can be read")
            });
        Ok(mode.run(TWO_THREADS, contest, BUDGET))
    }

    fn reader(
        array: &Readable,
        order: DimensionOrder,
    ) -> Result<RegionReader<'_, dyn ReadableStorageTraits>> {
        let reader = RegionReader::new(array)?;
        Ok(reader.with_dimension_order(order).with_concurrency(1))
    }

    fn memory(&self, threads: usize) -> Result<Memory> {
        let element = self.volume.element;
        let output = Command::new(std::env::current_exe()?)
            .arg(PEAK)
            .arg(self.path)
            .arg(element.name())
            .arg(threads.to_string())
            .output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        let peak: usize = String::from_utf8(output.stdout)?.trim().parse()?;
        Ok(Memory {
            name: self.name.clone(),
            threads,
            beyond: peak.saturating_sub(self.expected.len()),
            allowed: 2 * threads * self.block.iter().product::<usize>() * element.size()
                + (1 << 20),
        })
    }
}

/// Whether `zyx` has the elements of the volume with the dimensions backwards.
fn is_transposed(zyx: &[u8], xyz: &[u8], volume: &Volume) -> bool {
    let size = volume.element.size();
    let [x_len, y_len, z_len] = volume.shape;
    let mut elements = zyx.chunks_exact(size);
    zyx.len() == xyz.len()
        && grid([z_len, y_len, x_len], [1; 3]).all(|[z, y, x]| {
            let at = ((x * y_len + y) * z_len + z) * size;
            elements.next() == Some(&xyz[at..at + size])
        })
}

fn open_view(path: &Path) -> Result<Readable> {
    let store = N5DefaultStore::new(FilesystemStore::new(path)?);
    let store: Arc<dyn ReadableStorageTraits> =
        Arc::new(store.with_dimension_order(DimensionOrder::Reversed));
    Ok(Array::open(store, "/")?)
}

/// Peak memory in bytes beyond that of the program before it reads, and beyond the output.
struct Memory {
    name: String,
    threads: usize,
    beyond: usize,
    /// Two blocks for each block in flight and 1 MiB.
    allowed: usize,
}

fn print_memory(rows: &[Memory]) {
    if rows.is_empty() {
        return;
    }
    println!("\n{MEMORY} (MB = 10^6 bytes beyond the program itself and the output)\n");
    println!("| case | threads | used | two blocks per block in flight + 1 MiB |");
    println!("|---|--:|--:|--:|");
    #[expect(clippy::cast_precision_loss, reason = "sizes far below 2^52")]
    for row in rows {
        let [beyond, allowed] = [row.beyond, row.allowed].map(|bytes| bytes as f64 / 1e6);
        println!(
            "| {} | {} | {beyond:.2} | {allowed:.2} |",
            row.name, row.threads
        );
    }
}

/// The child process: how much the peak of its memory grew by reading.
fn print_peak_memory(path: &Path, element: Element, threads: usize) -> Result<()> {
    fn run<T: Pod + ZarrsElement>(array: &Readable, threads: usize) -> Result<()> {
        let reader = RegionReader::new(array)?.with_concurrency(threads);
        std::hint::black_box(reader.read::<T>(&array.subset_all())?);
        Ok(())
    }
    let array = open_n5(path)?;
    let before = peak_memory()?;
    match element {
        Element::U8 => run::<u8>(&array, threads)?,
        Element::U16 => run::<u16>(&array, threads)?,
        Element::F32 => run::<f32>(&array, threads)?,
        Element::U64 => run::<u64>(&array, threads)?,
    }
    println!("{}", peak_memory()? - before);
    Ok(())
}
