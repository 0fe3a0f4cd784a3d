//! What colour an element has in a picture.

#![allow(
    clippy::useless_conversion,
    reason = "the same expression for floats of both sizes"
)]

use super::elements::{Elements, with_values};
use super::labels::{self, look_like_labels};

pub(crate) type Colour = [u8; 3];

/// NaN, in a picture of grey values.
const NAN: Colour = [160, 0, 60];

/// Whether a picture shows values or what they are the names of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Shading {
    /// Labels if they look like some.
    #[default]
    Guessed,
    Grey,
    Labels,
}

/// The colours of elements.
#[derive(Debug, PartialEq)]
pub(crate) struct Shades {
    pub(crate) colours: Vec<Colour>,
    /// What they mean, for who looks at the picture.
    pub(crate) meaning: String,
}

impl Shades {
    /// `are_labels`: whether attributes say that the elements are labels.
    pub(crate) fn of(
        elements: &Elements,
        shading: Shading,
        are_labels: bool,
    ) -> Result<Self, String> {
        let labels = with_values!(
            elements,
            values,
            integers: match shading {
                Shading::Grey => None,
                Shading::Guessed if !are_labels && !look_like_labels(values) => None,
                _ => Some(labels::colours(values)),
            },
            floats: {
                let _ = values;
                if shading == Shading::Labels {
                    return Err(
                        "--labels: labels are integers, and these elements are floats; leave \
                         --labels out to see them as grey values"
                            .to_owned(),
                    );
                }
                None
            }
        );
        let Some((colours, count)) = labels else {
            return Ok(Self::grey(elements));
        };
        let labels = match count {
            1 => "1 label",
            count => &format!("{count} labels in colours"),
        };
        let other = match shading {
            Shading::Guessed => " (--grey shows grey values)",
            _ => "",
        };
        Ok(Self {
            colours,
            meaning: format!("{labels}, 0 is black{other}"),
        })
    }

    /// From black to white, from the 1st to the 99th of a hundred parts of the sorted values.
    fn grey(elements: &Elements) -> Self {
        with_values!(
            elements,
            values,
            integers: {
                let range = percentiles(values.clone(), Ord::cmp);
                let (low, high) = range.unwrap_or_default();
                let (from, to) = (i128::from(low), i128::from(high));
                let grey = |&value: &_| {
                    let value = i128::from(value).clamp(from, to);
                    match (value - from) * 255 {
                        0 if from == to && value == 0 => 0,
                        _ if from == to => CONSTANT,
                        parts => rounded(parts as f64 / (to - from) as f64),
                    }
                };
                Self {
                    colours: values.iter().map(|value| [grey(value); 3]).collect(),
                    meaning: format!("black is {low}, white {high}"),
                }
            },
            floats: {
                let mut finite = values.clone();
                finite.retain(|value| value.is_finite());
                let range = percentiles(finite, |a, b| a.total_cmp(b));
                let (low, high) = range.unwrap_or_default();
                // Halves, as the difference of two finite numbers need not be finite.
                let (from, to) = (f64::from(low) / 2.0, f64::from(high) / 2.0);
                let grey = |&value: &_| {
                    let value = f64::from(value) / 2.0;
                    if value.is_nan() {
                        return NAN;
                    }
                    // Infinities are black and white even if all else is the same.
                    let grey = match value {
                        _ if value == f64::INFINITY => 255,
                        _ if value == f64::NEG_INFINITY => 0,
                        _ if from == to && value == 0.0 => 0,
                        _ if from == to => CONSTANT,
                        _ => rounded((value.clamp(from, to) - from) / (to - from) * 255.0),
                    };
                    [grey; 3]
                };
                let is_nan = values.iter().any(|value| value.is_nan());
                let nan = if is_nan { ", NaN red" } else { "" };
                Self {
                    colours: values.iter().map(grey).collect(),
                    meaning: format!("black is {low}, white {high}{nan}"),
                }
            }
        )
    }
}

/// The grey of elements that are all the same, but for 0, which is black.
const CONSTANT: u8 = 128;

fn rounded(grey: f64) -> u8 {
    grey.round() as u8
}

/// The values at the 1st and the 99th of a hundred parts of the sorted `values`; if these are the
/// same, the smallest and the largest.
fn percentiles<T: Copy + PartialEq>(
    mut values: Vec<T>,
    compare: impl Fn(&T, &T) -> std::cmp::Ordering,
) -> Option<(T, T)> {
    let last = values.len().checked_sub(1)?;
    let mut at = |index: usize| *values.select_nth_unstable_by(index, &compare).1;
    // Rounded, so that of some 50 elements one may be out of all proportion.
    let low = at((last + 50) / 100);
    let high = at(last - (last + 50) / 100);
    Some(if low == high {
        (at(0), at(last))
    } else {
        (low, high)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn shades(elements: &Elements, shading: Shading) -> Shades {
        Shades::of(elements, shading, false).unwrap()
    }

    fn greys(elements: &Elements) -> Vec<u8> {
        let shades = shades(elements, Shading::Grey);
        shades.colours.iter().map(|colour| colour[0]).collect()
    }

    #[test]
    fn one_hot_pixel_does_not_make_the_rest_black() {
        let mut values: Vec<u16> = (0..200).map(|value| 1000 + value).collect();
        values[77] = u16::MAX;
        let shades = shades(&Elements::UInt16(values), Shading::Grey);
        assert_eq!(shades.meaning, "black is 1002, white 1198");
        let greys: Vec<u8> = shades.colours.iter().map(|colour| colour[0]).collect();
        assert_eq!(
            (greys[0], greys[2], greys[77], greys[198]),
            (0, 0, 255, 255)
        );
        assert_eq!(greys[100], 128);
    }

    #[test]
    fn a_cold_pixel_does_not_make_the_rest_white() {
        let mut values: Vec<i32> = (0..100).collect();
        values[50] = i32::MIN;
        assert_eq!(greys(&Elements::Int32(values))[..3], [0, 3, 5]);
    }

    #[test]
    fn few_elements_go_from_the_smallest_to_the_largest() {
        assert_eq!(greys(&Elements::UInt8(vec![10, 20, 15])), [0, 255, 128]);
    }

    #[test]
    fn a_few_values_in_a_plane_of_zeros_are_seen() {
        let mut values = vec![0_u8; 1000];
        values[3] = 1;
        values[4] = 2;
        assert_eq!(greys(&Elements::UInt8(values))[..6], [0, 0, 0, 128, 255, 0]);
    }

    #[test]
    fn what_is_all_the_same_is_grey_and_black_if_it_is_zero() {
        assert_eq!(greys(&Elements::UInt8(vec![7; 4])), [CONSTANT; 4]);
        assert_eq!(greys(&Elements::Float64(vec![-7.0; 4])), [CONSTANT; 4]);
        assert_eq!(greys(&Elements::UInt64(vec![0; 4])), [0; 4]);
        assert_eq!(greys(&Elements::Float32(vec![0.0; 4])), [0; 4]);
    }

    #[test]
    fn integers_that_differ_beyond_the_precision_of_floats_are_told_apart() {
        let values = vec![u64::MAX - 2, u64::MAX - 1, u64::MAX];
        assert_eq!(greys(&Elements::UInt64(values)), [0, 128, 255]);
        let values = vec![i64::MIN, 0, i64::MAX];
        assert_eq!(greys(&Elements::Int64(values)), [0, 128, 255]);
    }

    #[test]
    fn floats_of_any_size_have_a_grey_and_nan_a_colour() {
        let values = vec![
            f64::MIN,
            f64::NAN,
            f64::MAX,
            f64::INFINITY,
            f64::NEG_INFINITY,
            0.0,
        ];
        let found = shades(&Elements::Float64(values), Shading::Guessed);
        let grey = |grey: u8| [grey; 3];
        let expected = [grey(0), NAN, grey(255), grey(255), grey(0), grey(128)];
        assert_eq!(found.colours, expected);
        assert!(found.meaning.ends_with(", NaN red"), "{}", found.meaning);
    }

    #[test]
    fn nothing_but_nan_is_all_red() {
        let found = shades(&Elements::Float32(vec![f32::NAN; 3]), Shading::Guessed);
        assert_eq!(found.colours, [NAN; 3]);
    }

    #[test]
    fn labels_beyond_the_precision_of_floats_have_different_colours() {
        let first = 1_u64 << 53;
        let values = vec![first, first + 1, u64::MAX - 1, u64::MAX, 0];
        let found = shades(&Elements::UInt64(values), Shading::Labels);
        let distinct: HashSet<_> = found.colours.iter().collect();
        assert_eq!((distinct.len(), found.colours[4]), (5, [0; 3]));
        assert_eq!(found.meaning, "4 labels in colours, 0 is black");
    }

    #[test]
    fn what_is_guessed_can_be_overruled() {
        let patches = Elements::UInt32((0..1024).map(|at| at / 256).collect());
        let guessed = shades(&patches, Shading::Guessed);
        assert!(
            guessed.meaning.contains("3 labels in colours"),
            "{}",
            guessed.meaning
        );
        assert!(guessed.meaning.contains("--grey"), "{}", guessed.meaning);
        let grey = shades(&patches, Shading::Grey);
        assert_eq!(grey.meaning, "black is 0, white 3");
        // Attributes that say so are enough.
        let said = Shades::of(&Elements::UInt8(vec![1, 2]), Shading::Guessed, true).unwrap();
        assert!(said.meaning.contains("2 labels"), "{}", said.meaning);
    }

    #[test]
    fn floats_are_no_labels() {
        let error = Shades::of(&Elements::Float32(vec![1.0]), Shading::Labels, false).unwrap_err();
        assert!(error.contains("leave --labels out"), "{error}");
        let said = Shades::of(&Elements::Float32(vec![1.0]), Shading::Guessed, true);
        assert_eq!(said.unwrap().meaning, "black is 1, white 1");
    }

    #[test]
    fn of_nothing_there_are_no_colours() {
        for elements in [Elements::UInt8(Vec::new()), Elements::Float64(Vec::new())] {
            assert!(shades(&elements, Shading::Guessed).colours.is_empty());
        }
    }
}
