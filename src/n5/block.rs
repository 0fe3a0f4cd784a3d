//! The header in front of every N5 block: bytes to [`BlockHeader`] and back.
//!
//! ```text
//! mode 0 (default)   0000 | dimensionality u16 | shape u32 each |                     payload
//! mode 1 (varlength) 0001 | dimensionality u16 | shape u32 each | element count u32 | payload
//! mode 2 (object)    0002 |                                       element count u32 | payload
//! ```
//!
//! All numbers are big-endian; dimension 0, which varies fastest in the payload, comes first.

mod error;
mod limit;

pub use error::BlockHeaderError;
pub use limit::MAX_BLOCK_BYTES;
pub(crate) use limit::block_bytes;

/// How the payload of an N5 block is laid out: the first number of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockMode {
    /// Mode 0: fixed-size elements in an n-dimensional box. The only mode that the `n5_default`
    /// codec reads and writes.
    Default,
    /// Mode 1: a box of serialised elements whose number is stated apart from the box.
    VarLength,
    /// Mode 2: one serialised object without a box.
    Object,
}

impl BlockMode {
    /// Returns the number that stands in the header.
    #[must_use]
    pub const fn number(self) -> u16 {
        match self {
            Self::Default => 0,
            Self::VarLength => 1,
            Self::Object => 2,
        }
    }

    const fn from_number(number: u16) -> Option<Self> {
        match number {
            0 => Some(Self::Default),
            1 => Some(Self::VarLength),
            2 => Some(Self::Object),
            _ => None,
        }
    }
}

/// The header of one N5 block.
///
/// ```
/// use zarrs_interop::n5::{BlockHeader, BlockMode};
///
/// let block = [0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 2, 1, 2, 3, 4, 5, 6];
/// let (header, payload) = BlockHeader::parse(&block)?;
/// assert_eq!(header.mode(), BlockMode::Default);
/// assert_eq!(header.shape(), [3, 2]);
/// assert_eq!(payload, [1, 2, 3, 4, 5, 6]);
/// assert_eq!(header.to_bytes(), block[..12]);
/// # Ok::<(), zarrs_interop::n5::BlockHeaderError>(())
/// ```
///
/// Header format: [N5 specification, quoted at the end of the `n5_default` page][spec].
///
/// [spec]: https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/n5_default
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BlockHeader {
    mode: BlockMode,
    shape: Vec<u32>,
    element_count: Option<u32>,
}

impl BlockHeader {
    /// Makes the header of a default-mode block of `shape` elements, dimension 0 first.
    ///
    /// # Errors
    /// If `shape` has no dimension or more than 65535, or one of its dimensions is 0 or over
    /// [`u32::MAX`].
    pub fn new(shape: &[u64]) -> Result<Self, BlockHeaderError> {
        if shape.is_empty() {
            return Err(BlockHeaderError::NoDimensions);
        }
        if u16::try_from(shape.len()).is_err() {
            return Err(BlockHeaderError::TooManyDimensions { found: shape.len() });
        }
        let dimensions = shape
            .iter()
            .enumerate()
            .map(|(axis, &size)| {
                u32::try_from(size)
                    .map_err(|_| BlockHeaderError::DimensionTooLarge { axis, found: size })
            })
            .collect::<Result<Vec<u32>, _>>()?;
        check_dimensions(&dimensions)?;
        Ok(Self {
            mode: BlockMode::Default,
            shape: dimensions,
            element_count: None,
        })
    }

    /// Splits a block into its header and the (compressed) payload behind it.
    ///
    /// # Errors
    /// If the bytes end within the header, the mode is not one of N5's, or a mode 0 or 1 header has
    /// no dimension or one of size 0. Nothing is allocated before the bytes that it is for are
    /// known to be there.
    pub fn parse(block: &[u8]) -> Result<(Self, &[u8]), BlockHeaderError> {
        let mut reader = Reader { block, position: 0 };
        let number = reader.u16()?;
        let mode = BlockMode::from_number(number)
            .ok_or(BlockHeaderError::UnknownMode { found: number })?;
        let shape = match mode {
            BlockMode::Default | BlockMode::VarLength => reader.dimensions()?,
            BlockMode::Object => Vec::new(),
        };
        let element_count = match mode {
            BlockMode::Default => None,
            BlockMode::VarLength | BlockMode::Object => Some(reader.u32()?),
        };
        let header = Self {
            mode,
            shape,
            element_count,
        };
        Ok((header, reader.rest()))
    }

    /// Returns the mode of the block.
    #[must_use]
    pub const fn mode(&self) -> BlockMode {
        self.mode
    }

    /// Returns the shape of the block in elements, dimension 0 first; empty in object mode.
    #[must_use]
    pub fn shape(&self) -> &[u32] {
        &self.shape
    }

    /// Returns the number of elements that a varlength or object header states; `None` in default
    /// mode.
    #[must_use]
    pub const fn element_count(&self) -> Option<u32> {
        self.element_count
    }

    /// Returns the size of the header in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        let count = if self.element_count.is_some() { 4 } else { 0 };
        match self.mode {
            BlockMode::Default | BlockMode::VarLength => {
                default_header_size(self.shape.len()) + count
            }
            BlockMode::Object => 2 + count,
        }
    }

    /// Returns the size in bytes of the decompressed payload of a default-mode block.
    ///
    /// # Errors
    /// If that is more than [`MAX_BLOCK_BYTES`].
    pub fn payload_size(&self, element_size: usize) -> Result<usize, BlockHeaderError> {
        block_bytes(&self.shape, element_size).ok_or_else(|| BlockHeaderError::BlockTooLarge {
            shape: self.shape.clone(),
            element_size,
        })
    }

    /// Returns the bytes of the header.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.size());
        self.write_to(&mut bytes);
        bytes
    }

    /// Appends the bytes of the header to `out`.
    pub fn write_to(&self, out: &mut Vec<u8>) {
        out.extend(self.mode.number().to_be_bytes());
        if self.mode != BlockMode::Object {
            // Both constructors admit at most 65535 dimensions.
            #[expect(clippy::cast_possible_truncation)]
            out.extend((self.shape.len() as u16).to_be_bytes());
        }
        for dimension in &self.shape {
            out.extend(dimension.to_be_bytes());
        }
        if let Some(count) = self.element_count {
            out.extend(count.to_be_bytes());
        }
    }
}

/// The size in bytes of a default-mode header.
pub(crate) const fn default_header_size(dimensionality: usize) -> usize {
    4 + 4 * dimensionality
}

fn check_dimensions(shape: &[u32]) -> Result<(), BlockHeaderError> {
    if shape.is_empty() {
        return Err(BlockHeaderError::NoDimensions);
    }
    match shape.iter().position(|&size| size == 0) {
        Some(axis) => Err(BlockHeaderError::EmptyDimension {
            axis,
            shape: shape.to_vec(),
        }),
        None => Ok(()),
    }
}

/// Reads big-endian numbers and says how many bytes were missing.
struct Reader<'a> {
    block: &'a [u8],
    position: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a [u8] {
        self.block.get(self.position..).unwrap_or_default()
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], BlockHeaderError> {
        let bytes = self
            .rest()
            .get(..length)
            .ok_or(BlockHeaderError::Truncated {
                expected: self.position + length,
                found: self.block.len(),
            })?;
        self.position += length;
        Ok(bytes)
    }

    fn u16(&mut self) -> Result<u16, BlockHeaderError> {
        let bytes = self.take(2)?;
        Ok(bytes.iter().fold(0, |n, &byte| n << 8 | u16::from(byte)))
    }

    fn u32(&mut self) -> Result<u32, BlockHeaderError> {
        let bytes = self.take(4)?;
        Ok(be_u32(bytes))
    }

    fn dimensions(&mut self) -> Result<Vec<u32>, BlockHeaderError> {
        let count = usize::from(self.u16()?);
        let shape: Vec<u32> = self.take(4 * count)?.chunks_exact(4).map(be_u32).collect();
        check_dimensions(&shape)?;
        Ok(shape)
    }
}

fn be_u32(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |n, &byte| n << 8 | u32::from(byte))
}

#[cfg(test)]
mod tests;
