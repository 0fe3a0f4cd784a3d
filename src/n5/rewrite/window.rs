//! A box of a coarser level from the box of the finer one below it. Pure.

use super::gather::{Place, for_each_row, strides};
use super::options::Downsample;
use super::sample::{Sample, mode};

/// Elements of the finer level, in C order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finer<'a, T> {
    pub(super) elements: &'a [T],
    pub(super) shape: &'a [usize],
}

/// Makes the box of `shape` of the coarser level, which lies in `target` with these strides.
///
/// The finer box holds all that the coarser one is made of; where it ends within a window, the
/// window ends with it.
pub(super) fn downsample<T: Sample>(
    finer: Finer<'_, T>,
    factors: &[usize],
    how: Downsample,
    shape: &[usize],
    (target, target_strides): (&mut [T], &[usize]),
) {
    let Some((&row, outer)) = shape.split_last() else {
        return;
    };
    let finer_strides = strides(finer.shape);
    // From one window to the next.
    let steps: Vec<usize> = finer_strides
        .iter()
        .zip(factors)
        .map(|(stride, factor)| stride * factor)
        .collect();
    let step = steps.last().copied().unwrap_or(1);
    let mut window = Window::new(finer, factors, &finer_strides);
    let from = Place {
        offset: 0,
        strides: &steps,
    };
    let to = Place {
        offset: 0,
        strides: target_strides,
    };
    for_each_row(outer, from, to, |first, to| {
        let Some(target) = target.get_mut(to..to.saturating_add(row)) else {
            return;
        };
        window.begin_row(first);
        for (at, target) in target.iter_mut().enumerate() {
            let elements = window.elements(first + at * step, at);
            *target = match how {
                Downsample::Mean => T::mean(elements),
                Downsample::Mode => mode(elements),
            };
        }
    });
}

/// The elements below one of the coarser level.
struct Window<'a, T> {
    finer: Finer<'a, T>,
    factors: &'a [usize],
    strides: &'a [usize],
    /// Where the elements of a window of this row lie, relative to the first of it.
    offsets: Vec<usize>,
    /// The same for one element along the last dimension.
    columns: Vec<usize>,
    elements: Vec<T>,
}

impl<'a, T: Sample> Window<'a, T> {
    fn new(finer: Finer<'a, T>, factors: &'a [usize], strides: &'a [usize]) -> Self {
        Self {
            finer,
            factors,
            strides,
            offsets: Vec::new(),
            columns: Vec::new(),
            elements: Vec::new(),
        }
    }

    /// Takes the windows of a row, of which the first begins at `first`.
    fn begin_row(&mut self, first: usize) {
        self.columns.clear();
        self.columns.push(0);
        let mut rest = first;
        let dimensions = self.finer.shape.iter().zip(self.factors).zip(self.strides);
        let outer = self.finer.shape.len().saturating_sub(1);
        for ((&len, &factor), &stride) in dimensions.take(outer) {
            let at = rest / stride;
            rest %= stride;
            let inside = factor.min(len.saturating_sub(at)).max(1);
            let begun = self.columns.len();
            for step in 1..inside {
                self.columns.extend_from_within(..begun);
                let last = self.columns.len() - begun;
                for offset in self.columns.iter_mut().skip(last) {
                    *offset += step * stride;
                }
            }
        }
        let factor = self.factors.last().copied().unwrap_or(1);
        self.offsets.clear();
        for &column in &self.columns {
            self.offsets.extend((0..factor).map(|step| column + step));
        }
    }

    /// The elements of window number `at` of the row, which begins at `first`.
    fn elements(&mut self, first: usize, at: usize) -> &mut [T] {
        let factor = self.factors.last().copied().unwrap_or(1);
        let len = self.finer.shape.last().copied().unwrap_or(1);
        let inside = len.saturating_sub(at * factor);
        let source = self.finer.elements.get(first..).unwrap_or_default();
        self.elements.clear();
        if inside >= factor {
            let inside = self.offsets.iter().filter_map(|&offset| source.get(offset));
            self.elements.extend(inside.copied());
        } else {
            for &column in &self.columns {
                let inside = (0..inside).filter_map(|step| source.get(column + step));
                self.elements.extend(inside.copied());
            }
        }
        &mut self.elements
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn made<T: Sample>(
        elements: &[T],
        finer_shape: &[usize],
        factors: &[usize],
        how: Downsample,
    ) -> Vec<T> {
        let shape: Vec<usize> = finer_shape
            .iter()
            .zip(factors)
            .map(|(len, factor)| len.div_ceil(*factor))
            .collect();
        let mut target = vec![T::zeroed(); shape.iter().product()];
        let finer = Finer {
            elements,
            shape: finer_shape,
        };
        downsample(finer, factors, how, &shape, (&mut target, &strides(&shape)));
        target
    }

    #[test]
    fn a_row_of_pairs_with_one_left_over() {
        let elements = [0_u8, 2, 4, 5, 9];
        assert_eq!(made(&elements, &[5], &[2], Downsample::Mean), [1, 4, 9]);
    }

    #[test]
    fn a_plane_with_odd_sizes() {
        #[rustfmt::skip]
        let elements = [
            1_i16, 3, 10,
            5, 7, 20,
            -3, -4, 100,
        ];
        assert_eq!(
            made(&elements, &[3, 3], &[2, 2], Downsample::Mean),
            // -3.5 is as near to -4, which is even, as to -3.
            [4, 15, -4, 100]
        );
        assert_eq!(
            made(&elements, &[3, 3], &[1, 2], Downsample::Mean),
            [2, 10, 6, 20, -4, 100]
        );
    }

    #[test]
    fn labels_are_not_mixed() {
        let elements = [7_u64, 7, 9, 3, 3, 9];
        assert_eq!(made(&elements, &[2, 3], &[2, 2], Downsample::Mode), [3, 9]);
    }

    fn volume() -> impl Strategy<Value = ([usize; 3], [usize; 3], Vec<i8>)> {
        (
            prop::array::uniform3(1..6_usize),
            prop::array::uniform3(1..3_usize),
        )
            .prop_flat_map(|(shape, factors)| {
                let len = shape.iter().product::<usize>();
                let elements = prop::collection::vec(-3..4_i8, len);
                (Just(shape), Just(factors), elements)
            })
    }

    /// The window below `at`, by nested loops.
    fn window(elements: &[i8], shape: [usize; 3], factors: [usize; 3], at: [usize; 3]) -> Vec<i8> {
        let mut window = Vec::new();
        let range = |d: usize| at[d] * factors[d]..((at[d] + 1) * factors[d]).min(shape[d]);
        for z in range(0) {
            for y in range(1) {
                for x in range(2) {
                    window.push(elements[(z * shape[1] + y) * shape[2] + x]);
                }
            }
        }
        window
    }

    proptest! {
        #[test]
        fn every_element_is_what_nested_loops_make((shape, factors, elements) in volume()) {
            let means = made(&elements, &shape, &factors, Downsample::Mean);
            let modes = made(&elements, &shape, &factors, Downsample::Mode);
            let coarse: Vec<usize> =
                shape.iter().zip(&factors).map(|(len, factor)| len.div_ceil(*factor)).collect();
            let mut index = 0;
            for z in 0..coarse[0] {
                for y in 0..coarse[1] {
                    for x in 0..coarse[2] {
                        let window = window(&elements, shape, factors, [z, y, x]);
                        let sum: i32 = window.iter().map(|element| i32::from(*element)).sum();
                        // Exact: the sums are small.
                        let len = f64::from(u32::try_from(window.len()).unwrap());
                        let mean = (f64::from(sum) / len).round_ties_even();
                        prop_assert!((f64::from(means[index]) - mean).abs() < 1e-9);
                        let mut counts = BTreeMap::new();
                        for element in window {
                            *counts.entry(element).or_insert(0) += 1;
                        }
                        let most = *counts.values().max().unwrap();
                        let mode = counts.iter().find(|(_, count)| **count == most).unwrap();
                        prop_assert_eq!(modes[index], *mode.0);
                        index += 1;
                    }
                }
            }
        }
    }
}
