//! `zarrs_n5` 0.2.1, through its store adapter and zarrs.

use std::path::Path;
use std::sync::Arc;

use peer_data::{Elements, Job, Read, Result, run};
use zarrs::array::codec::api::CodecOptions;
use zarrs::array::{Array, ArrayBytes};
use zarrs::filesystem::FilesystemStore;
use zarrs_n5::N5Store;

fn main() -> Result<()> {
    run(&[("zarrs_n5 0.2.1", reader)])
}

fn open(path: &Path) -> Result<Array<N5Store<FilesystemStore>>> {
    let store = Arc::new(N5Store::new(FilesystemStore::new(path)?));
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
