//! `zarrs_interop`, through its store adapter and zarrs.
//!
//! `peer_ours --write FOLDER DATASET...` writes a copy of each dataset with our own encoder
//! instead, for the other readers to read, and for `compare.py` to compare sizes.

use std::path::Path;
use std::sync::Arc;

use peer_data::{Elements, Job, Read, Result, run};
use zarrs::array::codec::api::CodecOptions;
use zarrs::array::{Array, ArrayBytes};
use zarrs::filesystem::FilesystemStore;
use zarrs_interop::n5::N5DefaultStore;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [flag, folder, datasets @ ..] if flag == "--write" => datasets
            .iter()
            .try_for_each(|dataset| write(Path::new(folder), Path::new(dataset))),
        _ => run(&[("zarrs_interop", reader)]),
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
