//! Boxes of elements copied between buffers in any order of dimensions. Pure.

/// Where a box lies in a buffer, in elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    /// The first element of the box.
    pub(super) offset: usize,
    /// How far neighbours along each dimension are apart.
    pub(super) strides: &'a [usize],
}

/// The strides of a buffer of this shape in C order.
pub(super) fn strides(shape: &[usize]) -> Vec<usize> {
    let mut stride = 1;
    let mut strides: Vec<usize> = shape
        .iter()
        .rev()
        .map(|&len| {
            let this = stride;
            stride *= len.max(1);
            this
        })
        .collect();
    strides.reverse();
    strides
}

/// Copies a box of `shape` from `source` to `target`, in which it lies in C order of a larger box.
///
/// What lies beyond a buffer is left out: the caller's places fit.
pub(super) fn copy<T: Copy>(
    shape: &[usize],
    (source, from): (&[T], Place<'_>),
    (target, to): (&mut [T], Place<'_>),
) {
    let Some((&row, outer)) = shape.split_last() else {
        if let (Some(element), Some(target)) = (source.get(from.offset), target.get_mut(to.offset))
        {
            *target = *element;
        }
        return;
    };
    let stride = from.strides.last().copied().unwrap_or(1).max(1);
    for_each_row(outer, from, to, |from, to| {
        let Some(target) = target.get_mut(to..to.saturating_add(row)) else {
            return;
        };
        if stride == 1 {
            if let Some(source) = source.get(from..from.saturating_add(row)) {
                target.copy_from_slice(source);
            }
        } else if let Some(source) = source.get(from..) {
            for (target, element) in target.iter_mut().zip(source.iter().step_by(stride)) {
                *target = *element;
            }
        }
    });
}

/// Calls `row` with the offsets of the first element of each row of a box, whose dimensions but the
/// last have the shape `outer`.
pub(super) fn for_each_row(
    outer: &[usize],
    from: Place<'_>,
    to: Place<'_>,
    mut row: impl FnMut(usize, usize),
) {
    if outer.contains(&0) {
        return;
    }
    let mut at = vec![0; outer.len()];
    let (mut source, mut target) = (from.offset, to.offset);
    loop {
        row(source, target);
        let mut dimension = outer.len();
        loop {
            let Some(next) = dimension.checked_sub(1) else {
                return;
            };
            dimension = next;
            // Both lists have an entry for each dimension.
            let (Some(at), Some(&len)) = (at.get_mut(dimension), outer.get(dimension)) else {
                return;
            };
            let step = |strides: &[usize]| strides.get(dimension).copied().unwrap_or(0);
            *at += 1;
            if *at < len {
                source += step(from.strides);
                target += step(to.strides);
                break;
            }
            *at = 0;
            source -= (len - 1) * step(from.strides);
            target -= (len - 1) * step(to.strides);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The box of `shape` from `start` on in a buffer of `whole`, whose dimensions `order` lists.
    fn permuted(whole: &[usize], order: &[usize], start: &[usize], shape: &[usize]) -> Vec<usize> {
        let source: Vec<usize> = (0..whole.iter().product()).collect();
        let stored = strides(whole);
        let from: Vec<usize> = order.iter().map(|&dimension| stored[dimension]).collect();
        let offset = start
            .iter()
            .zip(&from)
            .map(|(at, stride)| at * stride)
            .sum();
        let to = strides(shape);
        let mut target = vec![usize::MAX; shape.iter().product()];
        let place = Place {
            offset,
            strides: &from,
        };
        copy(
            shape,
            (&source, place),
            (
                &mut target,
                Place {
                    offset: 0,
                    strides: &to,
                },
            ),
        );
        target
    }

    #[test]
    fn rows_of_a_plane_are_copied() {
        assert_eq!(
            permuted(&[3, 4], &[0, 1], &[1, 1], &[2, 3]),
            [5, 6, 7, 9, 10, 11]
        );
    }

    #[test]
    fn a_plane_is_transposed() {
        assert_eq!(
            permuted(&[3, 4], &[1, 0], &[1, 0], &[2, 3]),
            [1, 5, 9, 2, 6, 10]
        );
    }

    #[test]
    fn an_empty_box_copies_nothing() {
        assert_eq!(permuted(&[3, 4], &[0, 1], &[0, 0], &[0, 3]), [0; 0]);
    }

    #[test]
    fn a_box_without_dimensions_is_one_element() {
        let mut target = [0];
        let place = Place {
            offset: 1,
            strides: &[],
        };
        copy(
            &[],
            (&[5, 6], place),
            (
                &mut target,
                Place {
                    offset: 0,
                    strides: &[],
                },
            ),
        );
        assert_eq!(target, [6]);
    }

    proptest! {
        #[test]
        fn every_element_is_where_nested_loops_put_it(
            whole in prop::collection::vec(1..5_usize, 5),
            order in Just([0, 1, 2, 3, 4]).prop_shuffle(),
            seed in prop::collection::vec(any::<prop::sample::Index>(), 10),
        ) {
            let presented: Vec<usize> = order.iter().map(|&dimension| whole[dimension]).collect();
            let start: Vec<usize> =
                presented.iter().zip(&seed).map(|(&len, index)| index.index(len)).collect();
            let shape: Vec<usize> = presented
                .iter()
                .zip(&start)
                .zip(&seed[5..])
                .map(|((&len, &start), index)| 1 + index.index(len - start))
                .collect();
            let found = permuted(&whole, &order, &start, &shape);
            let stored = strides(&whole);
            let mut expected = Vec::new();
            for a in 0..shape[0] {
                for b in 0..shape[1] {
                    for c in 0..shape[2] {
                        for d in 0..shape[3] {
                            for e in 0..shape[4] {
                                let at = [a, b, c, d, e];
                                expected.push((0..5).map(|place| {
                                    (start[place] + at[place]) * stored[order[place]]
                                }).sum::<usize>());
                            }
                        }
                    }
                }
            }
            prop_assert_eq!(found, expected);
        }
    }
}
