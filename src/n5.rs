//! Read and write N5 through [`zarrs`].

pub mod attributes;
mod block;
mod builder;
mod codec;
pub mod compression;
pub mod convert;
mod data_type;
mod implicit_group;
mod in_place;
#[cfg(feature = "lz4")]
pub mod lz4_java;
mod reorder;
mod store;
#[cfg(feature = "xz")]
pub mod xz;

pub use compression::Compression;
pub use data_type::{DataTypeError, N5DataType};

/// What the benchmarks and the fuzz targets need of the inside; no part of the interface.
#[doc(hidden)]
pub mod __bench {
    use std::error::Error;

    #[doc(hidden)]
    pub fn decode_region(
        payload: &[u8],
        block_shape: &[usize],
        start: &[usize],
        shape: &[usize],
        fill_value: &[u8],
        out: &mut [u8],
    ) -> Result<(), impl Error + use<>> {
        super::reorder::decode_region(payload, block_shape, start, shape, fill_value, out)
    }

    #[doc(hidden)]
    pub fn encode_block(
        elements: &[u8],
        shape: &[usize],
        element_size: usize,
        out: &mut [u8],
    ) -> Result<(), impl Error + use<>> {
        super::reorder::encode_block(elements, shape, element_size, out)
    }
}
