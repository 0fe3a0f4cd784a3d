//! Minimum, maximum and mean of elements.

#![allow(
    clippy::useless_conversion,
    reason = "the same expression for floats of both sizes"
)]

use std::fmt::{self, Display};

use super::elements::{Elements, with_values};

/// Of the elements that are finite; exact for integers of any size.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Statistics {
    /// Minimum, maximum and mean as text; `None` if no element is finite.
    of_finite: Option<[String; 3]>,
    nan: usize,
    infinite: usize,
}

impl Statistics {
    pub(crate) fn of(elements: &Elements) -> Self {
        with_values!(
            elements,
            values,
            integers: of_integers(values.iter().map(|&value| i128::from(value))),
            floats: of_floats(values.iter().map(|&value| (value, f64::from(value))))
        )
    }
}

fn of_integers(values: impl Iterator<Item = i128> + Clone) -> Statistics {
    let (min, max) = (values.clone().min(), values.clone().max());
    // A sum of 64-bit integers: as many as fit in memory do not overflow it.
    let (sum, count) = values.fold((0, 0), |(sum, count), value| (sum + value, count + 1));
    Statistics {
        of_finite: min
            .zip(max)
            .map(|(min, max)| [min.to_string(), max.to_string(), mean(sum, count)]),
        nan: 0,
        infinite: 0,
    }
}

/// `sum / count`, rounded to three decimals half away from zero.
fn mean(sum: i128, count: i128) -> String {
    let thousandths = (sum.unsigned_abs() * 2000 / count.unsigned_abs()).div_ceil(2);
    let sign = if sum < 0 && thousandths > 0 { "-" } else { "" };
    format!("{sign}{}.{:03}", thousandths / 1000, thousandths % 1000)
}

/// Of floats, each with itself in double precision.
fn of_floats<T>(values: impl Iterator<Item = (T, f64)> + Clone) -> Statistics
where
    T: Display + Copy + PartialOrd,
{
    let nan = values.clone().filter(|value| value.1.is_nan()).count();
    let infinite = values.clone().filter(|value| value.1.is_infinite()).count();
    let finite = values.filter(|value| value.1.is_finite());
    let less = |a: T, b: T| if b < a { b } else { a };
    let more = |a: T, b: T| if b > a { b } else { a };
    let min = finite.clone().map(|value| value.0).reduce(less);
    let max = finite.clone().map(|value| value.0).reduce(more);
    let count = finite.clone().count() as f64;
    let sum: f64 = finite.clone().map(|value| value.1).sum();
    let mean = if sum.is_finite() {
        sum / count
    } else {
        finite.map(|value| value.1 / count).sum()
    };
    Statistics {
        of_finite: min
            .zip(max)
            .map(|(min, max)| [min.to_string(), max.to_string(), format!("{mean:.3}")]),
        nan,
        infinite,
    }
}

impl Display for Statistics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.of_finite {
            Some([min, max, mean]) => write!(formatter, "min {min}, max {max}, mean {mean}")?,
            None => formatter.write_str("no element is a finite number")?,
        }
        if self.nan > 0 {
            write!(formatter, ", {} NaN", self.nan)?;
        }
        if self.infinite > 0 {
            write!(formatter, ", {} infinite", self.infinite)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(elements: &Elements) -> String {
        Statistics::of(elements).to_string()
    }

    #[test]
    fn integers_of_64_bits_are_exact() {
        let elements = Elements::UInt64(vec![u64::MAX, u64::MAX - 1, u64::MAX - 3]);
        let exact = "min 18446744073709551612, max 18446744073709551615, \
                     mean 18446744073709551613.667";
        assert_eq!(text(&elements), exact);
        let elements = Elements::Int64(vec![i64::MIN, i64::MIN + 1, i64::MIN]);
        let exact = "min -9223372036854775808, max -9223372036854775807, \
                     mean -9223372036854775807.667";
        assert_eq!(text(&elements), exact);
    }

    #[test]
    fn the_mean_is_rounded_half_away_from_zero() {
        let of = |values: Vec<i8>| text(&Elements::Int8(values));
        assert!(of(vec![2, 0, 0]).ends_with("mean 0.667"));
        assert!(of(vec![-2, 0, 0]).ends_with("mean -0.667"));
        assert!(of(vec![1, 0]).ends_with("mean 0.500"));
        let mut values = vec![0; 2000];
        values[0] = -1;
        assert!(of(values.clone()).ends_with("mean -0.001"));
        values.push(0);
        assert!(of(values).ends_with("mean 0.000"));
    }

    #[test]
    fn nan_and_infinities_are_counted_apart_and_count_for_nothing_else() {
        let values = vec![
            f32::NAN,
            0.1,
            f32::INFINITY,
            0.3,
            f32::NEG_INFINITY,
            f32::NAN,
        ];
        let expected = "min 0.1, max 0.3, mean 0.200, 2 NaN, 2 infinite";
        assert_eq!(text(&Elements::Float32(values)), expected);
        let values = vec![f64::NAN];
        assert_eq!(
            text(&Elements::Float64(values)),
            "no element is a finite number, 1 NaN"
        );
    }

    #[test]
    fn the_mean_of_the_largest_floats_is_finite() {
        let found = text(&Elements::Float64(vec![f64::MAX; 2]));
        let mean = found.rsplit_once("mean ").map(|(_, mean)| mean.parse());
        assert_eq!(mean, Some(Ok(f64::MAX)));
    }

    #[test]
    fn of_nothing_there_is_nothing_to_say() {
        let found = text(&Elements::UInt8(Vec::new()));
        assert_eq!(found, "no element is a finite number");
    }
}
