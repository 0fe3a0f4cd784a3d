//! The crate `n5` 0.7.6 (rust-n5). It has no threads of its own.
//!
//! Its `read_ndarray` gives an array in Fortran order, N5's own, and so need not turn anything
//! round; the other reader here has it fill an array in C order, which is what zarrs and its users
//! want.

use std::path::Path;

use n5::ndarray::{BoundingBox, N5NdarrayReader};
use n5::prelude::{DatasetAttributes, N5Filesystem, N5Reader};
use ndarray::{ArrayD, IxDyn};
use peer_data::data::Element;
use peer_data::{Elements, Job, Read, Result, run};

fn main() -> Result<()> {
    run(&[
        ("rust-n5 0.7.6 (Fortran order)", fortran_order),
        ("rust-n5 0.7.6 (C order)", c_order),
    ])
}

/// An opened dataset.
struct Dataset {
    container: N5Filesystem,
    name: String,
    attributes: DatasetAttributes,
    all: BoundingBox,
}

fn open(path: &Path) -> Result<Dataset> {
    let root = path.parent().ok_or("a dataset is in a folder")?;
    let name = path.file_name().ok_or("a dataset has a name")?;
    let name = name.to_string_lossy().into_owned();
    let container = N5Filesystem::open(root)?;
    let attributes = container.get_dataset_attributes(&name)?;
    let all = attributes.get_bounds();
    Ok(Dataset {
        container,
        name,
        attributes,
        all,
    })
}

/// A reader by `$read`, which is given the dataset and gives an array of `$element`.
macro_rules! reader {
    ($job:ident, $read:ident, $element:ty) => {{
        let path = $job.path.clone();
        Ok(Box::new(move || {
            let array: ArrayD<$element> = $read!(open(&path)?, $element);
            Ok(Elements::Read(Box::new(move || {
                // In the order of the indices, whatever that of the memory.
                array
                    .iter()
                    .flat_map(|element| element.to_ne_bytes())
                    .collect()
            })))
        }))
    }};
}

macro_rules! in_fortran_order {
    ($dataset:expr, $element:ty) => {{
        let dataset = $dataset;
        dataset
            .container
            .read_ndarray(&dataset.name, &dataset.attributes, &dataset.all)?
    }};
}

macro_rules! in_c_order {
    ($dataset:expr, $element:ty) => {{
        let dataset = $dataset;
        let shape = IxDyn(&dataset.all.size_ndarray_shape());
        let mut array = ArrayD::<$element>::zeros(shape);
        dataset.container.read_ndarray_into(
            &dataset.name,
            &dataset.attributes,
            &dataset.all,
            array.view_mut(),
        )?;
        array
    }};
}

fn fortran_order(job: &Job) -> Result<Read> {
    check_threads(job)?;
    match job.element {
        Element::U8 => reader!(job, in_fortran_order, u8),
        Element::U16 => reader!(job, in_fortran_order, u16),
        Element::F32 => reader!(job, in_fortran_order, f32),
        Element::U64 => reader!(job, in_fortran_order, u64),
    }
}

fn c_order(job: &Job) -> Result<Read> {
    check_threads(job)?;
    match job.element {
        Element::U8 => reader!(job, in_c_order, u8),
        Element::U16 => reader!(job, in_c_order, u16),
        Element::F32 => reader!(job, in_c_order, f32),
        Element::U64 => reader!(job, in_c_order, u64),
    }
}

fn check_threads(job: &Job) -> Result<()> {
    match job.threads {
        1 => Ok(()),
        _ => Err("it reads with one thread only".into()),
    }
}
