//! What `n5_default` decodes is what the plain chain of zarrs decodes, padded and truncated to the
//! chunk.

use std::sync::Arc;

use proptest::prelude::*;
use zarrs::array::ArraySubset;
use zarrs::array::codec::api::CodecOptions;
use zarrs_interop::n5::N5DataType;

use crate::oracle::{
    self, any_compressor, any_data_type, any_shapes, codec, decode, elements, fill_value, non_zero,
    window,
};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn decode_is_the_plain_chain_padded_and_truncated(
        [block_shape, chunk_shape] in any_shapes(7),
        data_type in any_data_type(),
        compressor in any_compressor(),
        seed: u64,
    ) {
        let elements = elements(&block_shape, data_type, seed);
        let block = oracle::block(&block_shape, data_type, &elements, compressor);
        let fill = fill_value(data_type);
        let start = vec![0; block_shape.len()];
        let expected = window(&elements, &block_shape, &start, &chunk_shape, fill.as_ne_bytes());
        let codec = codec(block_shape.len(), compressor);
        prop_assert_eq!(decode(&*codec, &block, &chunk_shape, data_type), expected);
    }

    #[test]
    fn a_partial_decode_is_the_same_part_of_the_whole(
        [block_shape, chunk_shape, start, shape] in any_shapes(7),
        data_type in any_data_type(),
        compressor in any_compressor(),
        seed: u64,
    ) {
        let elements = elements(&block_shape, data_type, seed);
        let block = oracle::block(&block_shape, data_type, &elements, compressor);
        let start = std::iter::zip(&start, &chunk_shape).map(|(a, size)| (a - 1) % size);
        let start: Vec<u64> = start.collect();
        let shape: Vec<u64> = std::iter::zip(&shape, &chunk_shape)
            .zip(&start)
            .map(|((length, size), start)| (*length).min(size - start))
            .collect();
        let fill = fill_value(data_type);
        let origin = vec![0; start.len()];
        let fill_bytes = fill.as_ne_bytes();
        let chunk = window(&elements, &block_shape, &origin, &chunk_shape, fill_bytes);
        let expected = window(&chunk, &chunk_shape, &start, &shape, fill.as_ne_bytes());

        let decoder = codec(block_shape.len(), compressor)
            .partial_decoder(
                Arc::new(block),
                &non_zero(&chunk_shape),
                &oracle::zarr_data_type(data_type),
                &fill,
                &CodecOptions::default(),
            )
            .unwrap();
        let subset = ArraySubset::new_with_start_shape(start, shape).unwrap();
        for _ in 0..2 {
            let found = decoder.partial_decode(&subset, &CodecOptions::default()).unwrap();
            prop_assert_eq!(found.into_fixed().unwrap().into_owned(), expected.clone());
        }
    }
}

#[test]
fn thirty_two_dimensions() {
    let mut block_shape = vec![1; 32];
    (block_shape[3], block_shape[17], block_shape[31]) = (2, 3, 4);
    let elements = elements(&block_shape, N5DataType::UInt16, 7);
    let block = oracle::block(&block_shape, N5DataType::UInt16, &elements, "");
    let codec = codec(32, "");
    assert_eq!(
        decode(&*codec, &block, &block_shape, N5DataType::UInt16),
        elements
    );
}
