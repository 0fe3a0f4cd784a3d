//! What all the readers share: the datasets, how they are timed and checked, and the lines that
//! they print.
//!
//! A reader is called with the folders of datasets and prints one JSON object per dataset: the best
//! of several reads, each of which opens the dataset anew, in seconds of processor time and on the
//! wall. The first read, not counted, brings the files into the page cache and is compared with the
//! volume that the dataset was made of. A reader that fails, panics or reads other elements prints
//! an object with `error` instead.

#[path = "../../../src/clock.rs"]
pub mod clock;
#[path = "../../../src/data.rs"]
pub mod data;

use std::error::Error;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use clock::time;
use data::{Element, Triple, Volume};

pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// One dataset to read.
#[derive(Clone, Debug)]
pub struct Job {
    /// Its folder.
    pub path: PathBuf,
    pub element: Element,
    /// The compression type of N5.
    pub compression: String,
    /// In elements, dimension 0 first.
    pub shape: Triple,
    pub block: Triple,
    /// How many threads may read.
    pub threads: usize,
}

impl Job {
    /// # Errors
    /// If there is no attributes.json of a dataset with three dimensions in `path`.
    pub fn new(path: &Path, threads: usize) -> Result<Self> {
        let attributes: Value = serde_json::from_slice(&fs::read(path.join("attributes.json"))?)?;
        let text = |value: &Value| {
            let text = value.as_str().ok_or("attributes.json: a text is missing");
            text.map(str::to_owned)
        };
        Ok(Self {
            path: path.to_owned(),
            element: Element::from_name(&text(&attributes["dataType"])?)
                .ok_or("attributes.json: no such data type here")?,
            compression: text(&attributes["compression"]["type"])?,
            shape: serde_json::from_value(attributes["dimensions"].clone())?,
            block: serde_json::from_value(attributes["blockSize"].clone())?,
            threads,
        })
    }

    #[must_use]
    pub fn volume(&self) -> Volume {
        Volume::new(self.element, self.shape)
    }

    /// From the name of the folder, as `generate` gives it.
    fn edges(&self) -> &'static str {
        let name = self.path.to_string_lossy();
        let mut edges = data::Edges::ALL.map(data::Edges::name).into_iter();
        edges.find(|edges| name.contains(edges)).unwrap_or("")
    }
}

/// What was read.
pub enum Elements {
    /// Gives the elements in C order and native-endian, for comparison; not called while the time
    /// runs.
    Read(Box<dyn FnOnce() -> Vec<u8>>),
    /// A floor has none.
    None,
}

/// Reads the dataset that it was prepared for. Opening is part of it.
pub type Read = Box<dyn FnMut() -> Result<Elements>>;

/// Prepares what is not to be timed, like a pool of threads.
pub type Prepare = fn(&Job) -> Result<Read>;

/// The whole program of a reader: `[--repeat N] [--threads N] DATASET...`
///
/// # Errors
/// If the arguments are wrong or a dataset is none.
pub fn run(readers: &[(&str, Prepare)]) -> Result<()> {
    let (mut repeat, mut threads) = (5, 1);
    let mut paths = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || {
            arguments
                .next()
                .ok_or("a number is missing")?
                .parse::<usize>()
                .map_err(Box::<dyn Error>::from)
        };
        match argument.as_str() {
            "--repeat" => repeat = number()?,
            "--threads" => threads = number()?,
            _ => paths.push(PathBuf::from(argument)),
        }
    }
    for path in paths {
        let job = Job::new(&path, threads)?;
        for &(name, prepare) in readers {
            println!("{}", line(name, prepare, &job, repeat));
        }
    }
    Ok(())
}

fn line(name: &str, prepare: Prepare, job: &Job, repeat: usize) -> Value {
    let mut line = json!({
        "reader": name,
        "dataset": job.path,
        "dtype": job.element.name(),
        "compression": job.compression,
        "edges": job.edges(),
        "threads": job.threads,
        "bytes": job.volume().byte_size(),
    });
    match catch_unwind(AssertUnwindSafe(|| measure(prepare, job, repeat))) {
        Ok(Ok(seconds)) => {
            line["cpu_s"] = seconds.cpu.into();
            line["wall_s"] = seconds.wall.into();
        }
        Ok(Err(error)) => line["error"] = error.to_string().into(),
        Err(_) => line["error"] = "it panicked".into(),
    }
    line
}

fn measure(prepare: Prepare, job: &Job, repeat: usize) -> Result<clock::Seconds> {
    let mut read = prepare(job)?;
    if let Elements::Read(elements) = read()?
        && elements() != job.volume().elements()
    {
        return Err("it reads wrong elements".into());
    }
    let mut best = None;
    for _ in 0..repeat.max(1) {
        let (elements, seconds) = time(&mut read);
        drop(elements?);
        best = Some(best.map_or(seconds, |best: clock::Seconds| best.min(seconds)));
    }
    best.ok_or_else(|| "nothing was measured".into())
}
