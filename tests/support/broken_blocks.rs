//! A block of a known shape and what decoding it must say when it is broken.

use std::borrow::Cow;
use std::sync::Arc;

use zarrs::array::ArraySubset;
use zarrs::array::codec::api::{ArrayToBytesCodecTraits, CodecOptions};
use zarrs_interop::n5::{BlockHeader, N5DataType};

use crate::oracle::{self, codec, elements, fill_value, non_zero};

pub(crate) const SHAPE: [u64; 3] = [5, 4, 3];
pub(crate) const DATA_TYPE: N5DataType = N5DataType::UInt16;

/// Decodes as a chunk of [`SHAPE`], whole and then a part of it.
pub(crate) fn decode(
    codec: &Arc<dyn ArrayToBytesCodecTraits>,
    block: &[u8],
) -> Result<Vec<u8>, String> {
    let data_type = oracle::zarr_data_type(DATA_TYPE);
    let (shape, fill) = (non_zero(&SHAPE), fill_value(DATA_TYPE));
    let options = CodecOptions::default();
    let whole = codec
        .decode(Cow::Borrowed(block), &shape, &data_type, &fill, &options)
        .map(|bytes| bytes.into_fixed().unwrap().into_owned())
        .map_err(|error| error.to_string());
    let part = codec
        .clone()
        .partial_decoder(
            Arc::new(block.to_vec()),
            &shape,
            &data_type,
            &fill,
            &options,
        )
        .unwrap()
        .partial_decode(&ArraySubset::new_with_shape(SHAPE.to_vec()), &options)
        .map(|bytes| bytes.into_fixed().unwrap().into_owned())
        .map_err(|error| error.to_string());
    match (&whole, &part) {
        (Ok(whole), Ok(part)) => assert_eq!(whole, part),
        // Surplus bytes are all that a partial read of a raw block may overlook.
        (Err(error), Ok(_)) => assert!(error.contains("payload"), "{error}"),
        (Err(whole), Err(part)) => assert_eq!(whole, part),
        (Ok(_), Err(error)) => panic!("only the part fails: {error}"),
    }
    whole
}

pub(crate) fn error(compressor: &str, block: &[u8]) -> String {
    decode(&codec(3, compressor), block).unwrap_err()
}

pub(crate) fn header(shape: &[u64]) -> Vec<u8> {
    BlockHeader::new(shape).unwrap().to_bytes()
}

pub(crate) fn good_block(compressor: &str) -> Vec<u8> {
    oracle::block(
        &SHAPE,
        DATA_TYPE,
        &elements(&SHAPE, DATA_TYPE, 3),
        compressor,
    )
}

#[track_caller]
pub(crate) fn assert_says(error: &str, texts: &[&str]) {
    for text in texts {
        assert!(error.contains(text), "`{text}` is missing in: {error}");
    }
}
