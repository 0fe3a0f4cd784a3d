/// A box of elements within a chunk, dimension 0 first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) start: Vec<usize>,
    pub(super) shape: Vec<usize>,
}

impl Region {
    /// The number of elements.
    pub(super) fn len(&self) -> usize {
        self.shape.iter().product()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }
}
