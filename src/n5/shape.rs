//! The limits that N5 sets to dimensions and block sizes.

use thiserror::Error;

use super::block::{MAX_BLOCK_BYTES, block_bytes};
use super::data_type::N5DataType;
use super::error_text::{counted, shown};

/// N5 writes the number of dimensions as 16 bits.
const MAX_DIMENSIONALITY: usize = u16::MAX as usize;

/// N5's dimensions are numbers of 64 bits with a sign, 2^63 - 1 at most. Beyond that sums of an
/// offset and a length overflow, in zarrs's grids too.
const MAX_DIMENSION_LEN: u64 = i64::MAX.unsigned_abs();

/// Dimensions or a block size that N5 cannot hold.
///
/// Dimension 0 is the first entry of both lists, and the fastest in the block.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// There is no dimension, or there are more than 65535.
    #[error("{found} dimensions: N5 holds from 1 to {MAX_DIMENSIONALITY}")]
    Dimensionality {
        /// The number of dimensions.
        found: usize,
    },
    /// A dimension is longer than a number of 64 bits with a sign can say.
    #[error(
        "dimension {dimension} is {found} elements long: N5 holds at most {MAX_DIMENSION_LEN} \
         (2^63 - 1)"
    )]
    DimensionLength {
        /// The dimension, counted from 0.
        dimension: usize,
        /// The length in elements.
        found: u64,
    },
    /// The block size has another number of entries than there are dimensions.
    #[error(
        "the block size has {}: expected {expected}, one per dimension",
        counted(*found, "entry", "entries")
    )]
    BlockDimensionality {
        /// The entries of the block size.
        found: usize,
        /// The number of dimensions.
        expected: usize,
    },
    /// A block is empty, or too long for the 32 bits of its header, along one dimension.
    #[error(
        "the block size is {found} in dimension {dimension}: expected from 1 to {}",
        u32::MAX
    )]
    BlockLength {
        /// The dimension, counted from 0.
        dimension: usize,
        /// The length in elements.
        found: u64,
    },
    /// A block holds more than 2^31 bytes.
    #[error(
        "a block of {} elements of {data_type} is larger than {MAX_BLOCK_BYTES} bytes, \
         the most that N5 holds: choose a smaller block",
        shown(block_size)
    )]
    BlockBytes {
        /// The block size in elements, dimension 0 first.
        block_size: Vec<u32>,
        /// The type of an element.
        data_type: N5DataType,
    },
}

/// Checks dimensions and block size (in elements, dimension 0 first) and returns the block size as
/// the 32-bit numbers that N5 has for it.
pub(crate) fn check_shape(
    dimensions: &[u64],
    block_size: &[u64],
    data_type: N5DataType,
) -> Result<Vec<u32>, ShapeError> {
    let expected = dimensions.len();
    if !(1..=MAX_DIMENSIONALITY).contains(&expected) {
        return Err(ShapeError::Dimensionality { found: expected });
    }
    let mut lengths = dimensions.iter().copied().enumerate();
    if let Some((dimension, found)) = lengths.find(|&(_, length)| length > MAX_DIMENSION_LEN) {
        return Err(ShapeError::DimensionLength { dimension, found });
    }
    if block_size.len() != expected {
        return Err(ShapeError::BlockDimensionality {
            found: block_size.len(),
            expected,
        });
    }
    let block_size = block_size
        .iter()
        .enumerate()
        .map(|(dimension, &found)| block_length(dimension, found))
        .collect::<Result<Vec<u32>, _>>()?;
    match block_bytes(&block_size, data_type.size()) {
        Some(_) => Ok(block_size),
        None => Err(ShapeError::BlockBytes {
            block_size,
            data_type,
        }),
    }
}

fn block_length(dimension: usize, found: u64) -> Result<u32, ShapeError> {
    u32::try_from(found)
        .ok()
        .filter(|&length| length > 0)
        .ok_or(ShapeError::BlockLength { dimension, found })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(dimensions: &[u64], block_size: &[u64]) -> Result<Vec<u32>, ShapeError> {
        check_shape(dimensions, block_size, N5DataType::UInt16)
    }

    #[test]
    fn the_largest_block_passes() {
        assert_eq!(check(&[1], &[1 << 30]), Ok(vec![1 << 30]));
    }

    #[test]
    fn one_element_more_is_refused() {
        assert_eq!(
            check(&[1], &[(1 << 30) + 1]),
            Err(ShapeError::BlockBytes {
                block_size: vec![(1 << 30) + 1],
                data_type: N5DataType::UInt16
            })
        );
    }

    #[test]
    fn a_product_that_overflows_is_refused() {
        let length = u64::from(u32::MAX);
        assert!(matches!(
            check(&[1, 1, 1], &[length, length, length]),
            Err(ShapeError::BlockBytes { .. })
        ));
    }

    #[test]
    fn there_are_from_1_to_65535_dimensions() {
        assert_eq!(
            check(&[], &[]),
            Err(ShapeError::Dimensionality { found: 0 })
        );
        let ones = vec![1; 65536];
        assert!(check(&ones[1..], &ones[1..]).is_ok());
        assert_eq!(
            check(&ones, &ones),
            Err(ShapeError::Dimensionality { found: 65536 })
        );
    }

    #[test]
    fn a_dimension_fits_in_63_bits() {
        let most = (1 << 63) - 1;
        assert_eq!(check(&[most, 0], &[1, 1]), Ok(vec![1, 1]));
        for found in [most + 1, u64::MAX] {
            let error = check(&[0, found], &[1, 1]).unwrap_err();
            assert_eq!(
                error,
                ShapeError::DimensionLength {
                    dimension: 1,
                    found
                }
            );
            let text = error.to_string();
            assert!(text.contains("9223372036854775807 (2^63 - 1)"), "{text}");
            assert!(text.contains(&format!("dimension 1 is {found} ")), "{text}");
        }
    }

    #[test]
    fn the_block_size_has_one_entry_per_dimension() {
        assert_eq!(
            check(&[1, 1], &[1]),
            Err(ShapeError::BlockDimensionality {
                found: 1,
                expected: 2
            })
        );
    }

    #[test]
    fn a_block_length_fits_in_32_bits_and_is_not_zero() {
        for found in [0, 1 << 32] {
            assert_eq!(
                check(&[1, 1], &[1, found]),
                Err(ShapeError::BlockLength {
                    dimension: 1,
                    found
                })
            );
        }
    }
}
