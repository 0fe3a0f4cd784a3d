//! `zarrs_interop`, through its store adapter and zarrs, and by its `RegionReader` in both orders.
//!
//! `peer_ours --write FOLDER DATASET...` writes a copy of each dataset with our own encoder
//! instead, for the other readers to read, and for `compare.py` to compare sizes.

use std::path::Path;
use std::sync::Arc;

use bytemuck::Pod;
use peer_data::data::{Element, Triple};
use peer_data::{Elements, Job, Read, Result, run};
use zarrs::array::codec::api::CodecOptions;
use zarrs::array::{Array, ArrayBytes, Element as ZarrsElement};
use zarrs::filesystem::FilesystemStore;
use zarrs_interop::n5::{DimensionOrder, N5DefaultStore, RegionReader};

/// Memory enough for whole rows of blocks, in bytes.
const ROWS: usize = 32 << 20;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [flag, folder, datasets @ ..] if flag == "--write" => datasets
            .iter()
            .try_for_each(|dataset| write(Path::new(folder), Path::new(dataset))),
        _ => run(&[
            ("zarrs_interop", reader),
            ("RegionReader", region_reader),
            ("RegionReader (z, y, x)", reversed_region_reader),
            ("RegionReader, whole rows", rows),
            ("RegionReader, whole rows (z, y, x)", reversed_rows),
        ]),
    }
}

fn open(path: &Path) -> Result<Array<N5DefaultStore<FilesystemStore>>> {
    let store = Arc::new(N5DefaultStore::new(FilesystemStore::new(path)?));
    Ok(Array::open(store, "/")?)
}

fn reader(job: &Job) -> Result<Read> {
    let path = job.path.clone();
    let options = CodecOptions::default().with_concurrent_target(job.threads);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(job.threads)
        .build()?;
    Ok(Box::new(move || {
        let array = open(&path)?;
        let elements = pool.install(|| {
            let all = array.subset_all();
            array.retrieve_array_subset_opt::<ArrayBytes<'static>>(&all, &options)
        })?;
        Ok(Elements::Read(Box::new(move || {
            let elements = elements
                .into_fixed()
                .expect("the elements have a fixed size");
            elements.into_owned()
        })))
    }))
}

fn region_reader(job: &Job) -> Result<Read> {
    by_region_reader(job, DimensionOrder::AsStored, None)
}

fn reversed_region_reader(job: &Job) -> Result<Read> {
    by_region_reader(job, DimensionOrder::Reversed, None)
}

fn rows(job: &Job) -> Result<Read> {
    by_region_reader(job, DimensionOrder::AsStored, Some(ROWS))
}

fn reversed_rows(job: &Job) -> Result<Read> {
    by_region_reader(job, DimensionOrder::Reversed, Some(ROWS))
}

fn by_region_reader(job: &Job, order: DimensionOrder, memory: Option<usize>) -> Result<Read> {
    match job.element {
        Element::U8 => typed::<u8>(job, order, memory),
        Element::U16 => typed::<u16>(job, order, memory),
        Element::F32 => typed::<f32>(job, order, memory),
        Element::U64 => typed::<u64>(job, order, memory),
    }
}

/// Reads to new memory, as the other readers do.
#[expect(clippy::unnecessary_wraps, reason = "as `Prepare` has it")]
fn typed<T: Pod + ZarrsElement>(
    job: &Job,
    order: DimensionOrder,
    memory: Option<usize>,
) -> Result<Read> {
    let (path, threads, shape) = (job.path.clone(), job.threads, job.shape);
    Ok(Box::new(move || {
        let array = open(&path)?;
        let reader = RegionReader::new(&array)?.with_concurrency(threads);
        let reader = reader.with_dimension_order(order);
        let reader = match memory {
            Some(bytes) => reader.with_memory(bytes),
            None => reader,
        };
        let elements = reader.read::<T>(&array.subset_all())?;
        Ok(Elements::Read(Box::new(move || {
            let elements = match order {
                DimensionOrder::AsStored => elements,
                DimensionOrder::Reversed => in_stored_order(&elements, shape),
            };
            bytemuck::cast_slice(&elements).to_vec()
        })))
    }))
}

/// Elements in C order of (z, y, x) in C order of (x, y, z).
fn in_stored_order<T: Copy>(elements: &[T], [x_len, y_len, z_len]: Triple) -> Vec<T> {
    let at = |x, y, z| elements[(z * y_len + y) * x_len + x];
    let rows = (0..x_len).flat_map(|x| (0..y_len).map(move |y| (x, y)));
    rows.flat_map(|(x, y)| (0..z_len).map(move |z| at(x, y, z)))
        .collect()
}

fn write(folder: &Path, dataset: &Path) -> Result<()> {
    let source = open(dataset)?;
    let name = dataset.file_name().ok_or("a dataset has a name")?;
    let target = folder.join(name);
    std::fs::create_dir_all(&target)?;
    let store = Arc::new(N5DefaultStore::new(FilesystemStore::new(&target)?));
    let copy = Array::new_with_metadata(store, "/", source.metadata().clone())?;
    copy.store_metadata()?;
    let all = source.subset_all();
    let elements = source.retrieve_array_subset::<ArrayBytes<'static>>(&all)?;
    copy.store_array_subset(&all, elements)?;
    println!("{}", target.display());
    Ok(())
}
