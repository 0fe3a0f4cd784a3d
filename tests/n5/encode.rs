//! What `n5_default` encodes is a header and what the plain chain of zarrs encodes, and decodes to
//! what it was.

use proptest::prelude::*;
use zarrs::array::ArrayBytes;
use zarrs::array::codec::api::{BytesRepresentation, CodecOptions};
use zarrs_interop::n5::{BlockHeader, BlockMode, N5DataType};

use crate::oracle::{
    self, any_compressor, any_data_type, any_shapes, codec, decode, elements, fill_value, non_zero,
    plain_chain,
};

fn encode(compressor: &str, shape: &[u64], data_type: N5DataType, elements: &[u8]) -> Vec<u8> {
    codec(shape.len(), compressor)
        .encode(
            ArrayBytes::from(elements.to_vec()),
            &non_zero(shape),
            &oracle::zarr_data_type(data_type),
            &fill_value(data_type),
            &CodecOptions::default(),
        )
        .unwrap()
        .into_owned()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn behind_the_header_is_what_the_plain_chain_decodes(
        [shape] in any_shapes(7),
        data_type in any_data_type(),
        compressor in any_compressor(),
        seed: u64,
    ) {
        let elements = elements(&shape, data_type, seed);
        let block = encode(compressor, &shape, data_type, &elements);
        let (header, payload) = BlockHeader::parse(&block).unwrap();
        prop_assert_eq!(header.mode(), BlockMode::Default);
        let stated: Vec<u64> = header.shape().iter().map(|&len| u64::from(len)).collect();
        prop_assert_eq!(stated, shape.clone());
        let chain = plain_chain(shape.len(), compressor);
        prop_assert_eq!(decode(&chain, payload, &shape, data_type), elements);
    }

    #[test]
    fn decode_gives_back_what_was_encoded(
        [shape] in any_shapes(12),
        data_type in any_data_type(),
        compressor in any_compressor(),
        seed: u64,
    ) {
        let elements = elements(&shape, data_type, seed);
        let block = encode(compressor, &shape, data_type, &elements);
        let codec = codec(shape.len(), compressor);
        prop_assert_eq!(decode(&*codec, &block, &shape, data_type), elements);
    }

    #[test]
    fn no_block_is_larger_than_the_encoded_representation(
        [shape] in any_shapes(12),
        data_type in any_data_type(),
        compressor in any_compressor(),
        seed: u64,
    ) {
        let block = encode(compressor, &shape, data_type, &elements(&shape, data_type, seed));
        let representation = codec(shape.len(), compressor)
            .encoded_representation(
                &non_zero(&shape),
                &oracle::zarr_data_type(data_type),
                &fill_value(data_type),
            )
            .unwrap();
        let size = block.len() as u64;
        match representation {
            BytesRepresentation::FixedSize(expected) => prop_assert_eq!(size, expected),
            BytesRepresentation::BoundedSize(bound) => prop_assert!(size <= bound, "{} > {}", size, bound),
            BytesRepresentation::UnboundedSize => {}
        }
    }
}
