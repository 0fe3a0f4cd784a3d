/// The order in which the dimensions of an N5 dataset are presented.
///
/// A block of 5 x 3 elements, the first number being the position along dimension 0:
///
/// ```text
/// AsStored: shape [5, 3], the last dimension is dimension 1
///     00 01 02   10 11 12   20 21 22   30 31 32   40 41 42
/// Reversed: shape [3, 5], the last dimension is dimension 0, as in the payload of a block
///     00 10 20 30 40   01 11 21 31 41   02 12 22 32 42
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DimensionOrder {
    /// Dimension 0 first, as in N5's `dimensions`: usually (x, y, z). In C order the elements are
    /// transposed, as dimension 0 is the fastest in a block.
    #[default]
    AsStored,
    /// Dimension 0 last: usually (z, y, x), as Python, napari and OME-Zarr have it. The elements
    /// are in the order of the blocks.
    Reversed,
}

impl DimensionOrder {
    /// Lists one entry per dimension in this order instead of N5's, or the other way round.
    pub(crate) fn between<T>(self, mut entries: Vec<T>) -> Vec<T> {
        if self == Self::Reversed {
            entries.reverse();
        }
        entries
    }
}
