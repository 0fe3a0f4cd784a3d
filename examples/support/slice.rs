//! Planes of an array: which ones.

use zarrs::array::{Array, ArraySubset};

use super::terminal::Result;

/// How much of a plane is read.
#[derive(Clone, Copy)]
pub(crate) struct Most {
    /// The most elements that are read along a dimension.
    pub(crate) elements: u64,
    /// The most blocks that are asked for along a dimension.
    pub(crate) blocks: u64,
}

/// A plane to read, with the dimensions that it shows.
#[derive(Debug, PartialEq)]
pub(crate) struct Plane {
    pub(crate) subset: ArraySubset,
    pub(crate) across: Option<usize>,
    pub(crate) down: Option<usize>,
    /// Whether there is more of the plane than is read.
    pub(crate) is_part: bool,
}

impl Plane {
    /// The number of elements along a dimension.
    pub(crate) fn len(&self, dimension: Option<usize>) -> usize {
        let len = dimension.and_then(|dimension| self.subset.shape().get(dimension));
        len.map_or(1, |&len| usize::try_from(len).unwrap_or(usize::MAX))
    }

    /// How far neighbours along a dimension are from each other in C order.
    pub(crate) fn step(&self, dimension: Option<usize>) -> usize {
        let Some(dimension) = dimension else { return 0 };
        (dimension + 1..self.subset.dimensionality())
            .map(|later| self.len(Some(later)))
            .product()
    }
}

/// Where planes lie: the indices that `--slice` gave, by the name or number of their dimension.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slice {
    at: Vec<(String, u64)>,
}

impl Slice {
    /// Takes one more `AXIS=INDEX`, or several with commas between.
    pub(crate) fn add(&mut self, text: &str) -> Result<()> {
        for one in text.split(',') {
            let wrong = || {
                format!(
                    "--slice {text}: expected AXIS=INDEX with a number of at least 0, for example \
                     z=16 or 2=16"
                )
            };
            let (axis, index) = one.split_once('=').ok_or_else(wrong)?;
            let index = index.parse().map_err(|_| wrong())?;
            self.at.push((axis.to_owned(), index));
        }
        Ok(())
    }

    /// The planes to show: one of the first two dimensions without an index or, with `ortho`, the
    /// three through a point. Dimensions that are not shown are cut in the middle if they have no
    /// index.
    ///
    /// `names` are those of the dimensions. If there is nothing in the middle, `block` is the
    /// position of a block for the planes to go through, as far as indices let them.
    pub(crate) fn planes<S: ?Sized>(
        &self,
        array: &Array<S>,
        names: &[Option<String>],
        (block, is_ortho): (Option<&[u64]>, bool),
        most: Most,
    ) -> Result<Vec<Plane>> {
        let shape = array.shape();
        let indices = self.indices(shape, names)?;
        let origin = match block {
            Some(block) => Some(array.chunk_origin(block)?),
            None => None,
        };
        let block_shape = array.chunk_shape(&vec![0; shape.len()])?;
        let dimensions: Vec<_> = (0..shape.len())
            .map(|dimension| Dimension {
                len: shape[dimension],
                block_len: block_shape[dimension].get(),
                index: indices[dimension],
                origin: origin.as_ref().map(|origin| origin[dimension]),
            })
            .collect();
        let plane = |across: Option<usize>, down: Option<usize>| {
            let is_shown = |dimension| across == Some(dimension) || down == Some(dimension);
            let ranges = dimensions.iter().enumerate().map(|(number, dimension)| {
                if is_shown(number) {
                    dimension.window(most)
                } else {
                    let at = dimension.at();
                    at..at + 1
                }
            });
            let ranges: Vec<_> = ranges.collect();
            let is_whole = |number: usize| {
                let range = &ranges[number];
                !is_shown(number) || range.end - range.start == shape[number]
            };
            Plane {
                is_part: !(0..shape.len()).all(is_whole),
                subset: ArraySubset::new_with_ranges(&ranges),
                across,
                down,
            }
        };
        if is_ortho {
            let [x, y, z] = three_of_space(names, shape.len())?;
            return Ok(vec![
                plane(Some(x), Some(y)),
                plane(Some(z), Some(y)),
                plane(Some(x), Some(z)),
            ]);
        }
        let mut free = (0..shape.len()).filter(|&dimension| indices[dimension].is_none());
        Ok(vec![plane(free.next(), free.next())])
    }

    /// The index that is given for each dimension.
    fn indices(&self, shape: &[u64], names: &[Option<String>]) -> Result<Vec<Option<u64>>> {
        let mut indices = vec![None; shape.len()];
        for (axis, index) in &self.at {
            let number = axis_number(names, axis, shape.len())?;
            let len = shape[number];
            if *index >= len {
                return Err(format!(
                    "index {index} of axis {axis}: expected less than {len}, as the shape is \
                     {shape:?}"
                )
                .into());
            }
            if indices[number].replace(*index).is_some() {
                return Err(format!("--slice names axis {axis} twice: once is enough").into());
            }
        }
        Ok(indices)
    }
}

/// A dimension of an array, with where to cut it.
struct Dimension {
    len: u64,
    block_len: u64,
    index: Option<u64>,
    origin: Option<u64>,
}

impl Dimension {
    /// Where it is cut.
    fn at(&self) -> u64 {
        self.index.or(self.origin).unwrap_or(self.len / 2)
    }

    /// What of it is shown: all, or what is around where it is cut, or from a block on.
    fn window(&self, most: Most) -> std::ops::Range<u64> {
        let most = most
            .elements
            .min(self.block_len.saturating_mul(most.blocks));
        let len = self.len.min(most);
        let start = match (self.index, self.origin) {
            (None, Some(origin)) => origin,
            // From the beginning of a block on, so that no more blocks are asked for than need be.
            _ => {
                let start = self.at().saturating_sub(len / 2);
                start - start % self.block_len
            }
        };
        let start = start.min(self.len - len);
        start..start + len
    }
}

fn axis_number(names: &[Option<String>], name: &str, dimensionality: usize) -> Result<usize> {
    let by_name = names.iter().position(|axis| axis.as_deref() == Some(name));
    let number = by_name.or_else(|| name.parse().ok());
    number.filter(|&axis| axis < dimensionality).ok_or_else(|| {
        let names: Vec<_> = names.iter().flatten().map(String::as_str).collect();
        let or_name = match &names[..] {
            [] => String::new(),
            names => format!(", or one of {}", names.join(", ")),
        };
        format!(
            "there is no axis {name}: expected a number below {dimensionality}, the number of \
             dimensions{or_name}"
        )
        .into()
    })
}

/// The dimensions named x, y and z, or the first three.
fn three_of_space(names: &[Option<String>], dimensionality: usize) -> Result<[usize; 3]> {
    if dimensionality < 3 {
        let dimensions = match dimensionality {
            1 => "1 dimension".to_owned(),
            number => format!("{number} dimensions"),
        };
        return Err(format!(
            "--ortho shows three planes, and the dataset has {dimensions}: leave --ortho out"
        )
        .into());
    }
    let named = ["x", "y", "z"].map(|axis| {
        names.iter().position(|name| {
            name.as_ref()
                .is_some_and(|name| name.eq_ignore_ascii_case(axis))
        })
    });
    Ok(match named {
        [Some(x), Some(y), Some(z)] => [x, y, z],
        _ => [0, 1, 2],
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use zarrs::storage::store::MemoryStore;
    use zarrs_interop::n5::{Compression, array_builder};

    use super::*;

    const MOST: Most = Most {
        elements: 4096,
        blocks: 128,
    };

    fn planes(shape: &[u64], block: u64, at: &[&str], is_ortho: bool) -> Result<Vec<Plane>> {
        let store = Arc::new(MemoryStore::new());
        let block = vec![block; shape.len()];
        let array = array_builder(shape.to_vec(), block, "uint8", &Compression::Raw)?;
        let array = array.build(store, "/a")?;
        let mut slice = Slice::default();
        for at in at {
            slice.add(at)?;
        }
        let names = ["x", "y", "c", "z", "t"].map(|name| Some(name.to_owned()));
        let names = if shape.len() == 5 { &names[..] } else { &[] };
        slice.planes(&array, names, (None, is_ortho), MOST)
    }

    fn ranges(plane: &Plane) -> Vec<std::ops::Range<u64>> {
        plane.subset.to_ranges()
    }

    #[test]
    fn the_first_two_dimensions_are_shown_and_the_others_cut_in_the_middle() {
        let plane = |shape: &[u64]| planes(shape, 2, &[], false).unwrap().remove(0);
        assert_eq!(ranges(&plane(&[9, 8, 7, 6])), [0..9, 0..8, 3..4, 3..4]);
        assert_eq!(ranges(&plane(&[9, 8])), [0..9, 0..8]);
        let line = plane(&[9]);
        assert_eq!((line.across, line.down), (Some(0), None));
        assert_eq!(line.len(line.across), 9);
        assert_eq!((line.len(line.down), line.step(line.down)), (1, 0));
    }

    #[test]
    fn dimensions_with_an_index_are_cut_there_and_not_shown() {
        let found = planes(&[9, 8, 7, 6], 2, &["0=5", "3=1"], false)
            .unwrap()
            .remove(0);
        assert_eq!(ranges(&found), [5..6, 0..8, 0..7, 1..2]);
        assert_eq!((found.across, found.down), (Some(1), Some(2)));
        // C order: neighbours down are next to each other.
        assert_eq!((found.step(found.across), found.step(found.down)), (7, 1));
        let found = planes(&[9, 8, 7], 2, &["0=5,2=6"], false)
            .unwrap()
            .remove(0);
        assert_eq!(
            (ranges(&found), found.across),
            (vec![5..6, 0..8, 6..7], Some(1))
        );
        let found = planes(&[9, 8], 2, &["0=5", "1=6"], false)
            .unwrap()
            .remove(0);
        assert_eq!((ranges(&found), found.across), (vec![5..6, 6..7], None));
    }

    #[test]
    fn three_planes_go_through_one_point() {
        let found = planes(&[9, 8, 7], 2, &["1=6"], true).unwrap();
        assert_eq!(ranges(&found[0]), [0..9, 0..8, 3..4]);
        assert_eq!(ranges(&found[1]), [4..5, 0..8, 0..7]);
        assert_eq!(ranges(&found[2]), [0..9, 6..7, 0..7]);
        assert_eq!((found[1].across, found[1].down), (Some(2), Some(1)));
        assert_eq!((found[1].step(Some(2)), found[1].step(Some(1))), (1, 7));
        assert_eq!((found[2].across, found[2].down), (Some(0), Some(2)));
        assert!(found.iter().all(|plane| !plane.is_part));
    }

    #[test]
    fn of_five_dimensions_the_three_of_space_are_shown() {
        let found = planes(&[9, 8, 3, 7, 5], 2, &["c=0", "t=4"], true).unwrap();
        assert_eq!(ranges(&found[1]), [4..5, 0..8, 0..1, 0..7, 4..5]);
        let error = planes(&[9, 8], 2, &[], true).unwrap_err().to_string();
        assert!(error.contains("leave --ortho out"), "{error}");
    }

    #[test]
    fn of_what_is_too_large_the_middle_is_shown() {
        let found = planes(&[10_000, 100, 3], 64, &[], false).unwrap().remove(0);
        // The middle is 2952..7048, from the beginning of a block on.
        assert_eq!(
            (ranges(&found), found.is_part),
            (vec![2944..7040, 0..100, 1..2], true)
        );
        let found = planes(&[10_000, 10_000], 1, &[], false).unwrap().remove(0);
        assert_eq!(ranges(&found), [4936..5064, 4936..5064]);
        let found = planes(&[10_000; 3], 64, &["0=9999"], true).unwrap();
        assert_eq!(ranges(&found[0])[0], 5904..10_000);
        let end = planes(&[i64::MAX.unsigned_abs(); 2], 64, &[], false)
            .unwrap()
            .remove(0);
        assert_eq!(end.len(end.across), 4096);
    }

    #[test]
    fn wrong_indices_are_named() {
        for (at, expected) in [
            (&["z"][..], "expected AXIS=INDEX"),
            (&["2=-1"], "of at least 0"),
            (&["3=0"], "there is no axis 3: expected a number below 3"),
            (&["2=7"], "index 7 of axis 2: expected less than 7"),
            (&["2=1,2=3"], "names axis 2 twice"),
        ] {
            let error = planes(&[9, 8, 7], 2, at, false).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let error = planes(&[9, 8, 3, 7, 5], 2, &["q=0"], false)
            .unwrap_err()
            .to_string();
        assert!(
            error.ends_with("dimensions, or one of x, y, c, z, t"),
            "{error}"
        );
    }
}
