use proptest::prelude::*;

use super::*;
use crate::n5::error_text::shown;

const TWO_DIMENSIONS: [u8; 12] = [0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 2];

#[test]
fn default_mode() {
    let block = [&TWO_DIMENSIONS[..], &[9, 8]].concat();
    let (header, payload) = BlockHeader::parse(&block).unwrap();
    assert_eq!(header, BlockHeader::new(&[3, 2]).unwrap());
    assert_eq!(header.size(), 12);
    assert_eq!(payload, [9, 8]);
}

#[test]
fn varlength_mode_has_dimensions_and_a_count() {
    let block = [0, 1, 0, 1, 0, 0, 0, 5, 0, 0, 0, 40, 7];
    let (header, payload) = BlockHeader::parse(&block).unwrap();
    assert_eq!(header.mode(), BlockMode::VarLength);
    assert_eq!(header.shape(), [5]);
    assert_eq!(header.element_count(), Some(40));
    assert_eq!(payload, [7]);
    assert_eq!(header.to_bytes(), block[..12]);
}

#[test]
fn object_mode_has_a_count_and_no_dimensions() {
    // Read as a mode 0 header these bytes would state 256 dimensions.
    let block = [0, 2, 1, 0, 0, 0, 7];
    let (header, payload) = BlockHeader::parse(&block).unwrap();
    assert_eq!(header.mode(), BlockMode::Object);
    assert_eq!(header.shape(), [] as [u32; 0]);
    assert_eq!(header.element_count(), Some(0x0100_0000));
    assert_eq!(payload, [7]);
    assert_eq!(header.to_bytes(), block[..6]);
}

#[test]
fn a_shape_of_very_many_dimensions_is_shortened_in_texts() {
    let mut shape = vec![7; 65_535];
    shape[65_534] = 0;
    let text = BlockHeader::new(&shape).unwrap_err().to_string();
    assert!(text.starts_with("dimension 65534 of the block shape [7, 7, "));
    assert!(text.contains("7, …] is 0") && text.len() < 200, "{text}");
    shape[65_534] = 7;
    let header = BlockHeader::new(&shape).unwrap();
    let text = header.payload_size(1).unwrap_err().to_string();
    assert!(text.contains("7, …]") && text.len() < 200, "{text}");
    assert_eq!(shown(&[1, 2, 3]), "[1, 2, 3]");
    assert_eq!(shown(&[1; 16]), format!("{:?}", [1; 16]));
}

#[test]
fn an_unknown_mode_is_refused() {
    let error = BlockHeader::parse(&[0, 7, 0, 1, 0, 0, 0, 1]).unwrap_err();
    assert_eq!(error, BlockHeaderError::UnknownMode { found: 7 });
    assert!(error.to_string().contains("mode 7"));
}

#[test]
fn every_prefix_is_refused_with_both_byte_counts() {
    for length in 0..TWO_DIMENSIONS.len() {
        let error = BlockHeader::parse(&TWO_DIMENSIONS[..length]).unwrap_err();
        let expected = match length {
            0..2 => 2,
            2..4 => 4,
            _ => 12,
        };
        assert_eq!(
            error,
            BlockHeaderError::Truncated {
                expected,
                found: length
            }
        );
    }
}

#[test]
fn a_claim_of_65535_dimensions_allocates_nothing() {
    let error = BlockHeader::parse(&[0, 0, 0xff, 0xff, 1, 2, 3, 4]).unwrap_err();
    assert_eq!(
        error,
        BlockHeaderError::Truncated {
            expected: 4 + 4 * 65535,
            found: 8
        }
    );
}

#[test]
fn zero_dimensions_are_refused() {
    assert_eq!(
        BlockHeader::parse(&[0, 0, 0, 0, 1, 2, 3, 4]),
        Err(BlockHeaderError::NoDimensions)
    );
    assert_eq!(BlockHeader::new(&[]), Err(BlockHeaderError::NoDimensions));
}

#[test]
fn an_empty_dimension_is_refused() {
    let expected = BlockHeaderError::EmptyDimension {
        axis: 1,
        shape: vec![3, 0],
    };
    assert_eq!(BlockHeader::new(&[3, 0]), Err(expected.clone()));
    assert_eq!(
        BlockHeader::parse(&[0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0]),
        Err(expected)
    );
}

#[test]
fn what_the_header_cannot_count_is_refused() {
    assert_eq!(
        BlockHeader::new(&[1, 1 << 32]),
        Err(BlockHeaderError::DimensionTooLarge {
            axis: 1,
            found: 1 << 32
        })
    );
    assert_eq!(
        BlockHeader::new(&vec![1; 65536]),
        Err(BlockHeaderError::TooManyDimensions { found: 65536 })
    );
    assert!(BlockHeader::new(&vec![1; 65535]).is_ok());
}

#[test]
fn the_size_limit_is_two_gigabytes() {
    let limit = BlockHeader::new(&[1 << 20, 1 << 10]).unwrap();
    assert_eq!(limit.payload_size(2), Ok(1 << 31));
    assert!(matches!(
        limit.payload_size(4),
        Err(BlockHeaderError::BlockTooLarge { .. })
    ));
    let overflow = BlockHeader::new(&[u64::from(u32::MAX); 5]).unwrap();
    assert!(matches!(
        overflow.payload_size(8),
        Err(BlockHeaderError::BlockTooLarge { .. })
    ));
}

proptest! {
    #[test]
    fn written_headers_are_read_back(
        shape in prop::collection::vec(1..=u64::from(u32::MAX), 1..40),
        payload: Vec<u8>,
    ) {
        let header = BlockHeader::new(&shape).unwrap();
        let mut block = header.to_bytes();
        prop_assert_eq!(block.len(), header.size());
        block.extend(&payload);
        prop_assert_eq!(BlockHeader::parse(&block), Ok((header, &payload[..])));
    }

    #[test]
    fn what_parses_is_written_back(block: Vec<u8>) {
        if let Ok((header, payload)) = BlockHeader::parse(&block) {
            prop_assert_eq!([&header.to_bytes(), payload].concat(), block);
        }
    }
}
