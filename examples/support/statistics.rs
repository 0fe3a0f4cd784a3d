//! Minimum, maximum and mean of elements.

use std::fmt;

/// Of the elements that are finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Statistics {
    min: f64,
    max: f64,
    mean: f64,
    count: usize,
    /// The number of elements that are NaN or infinite.
    others: usize,
}

impl Statistics {
    pub(crate) fn of(values: &[f64]) -> Self {
        let (mut min, mut max, mut sum, mut count) = (f64::INFINITY, f64::NEG_INFINITY, 0.0, 0);
        for value in values.iter().filter(|value| value.is_finite()) {
            min = min.min(*value);
            max = max.max(*value);
            sum += value;
            count += 1;
        }
        Self {
            min,
            max,
            mean: sum / count as f64,
            count,
            others: values.len() - count,
        }
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { min, max, mean, .. } = self;
        if self.count == 0 {
            return formatter.write_str("no element is a finite number");
        }
        write!(formatter, "min {min}, max {max}, mean {mean:.3}")?;
        if self.others > 0 {
            write!(formatter, ", {} elements are not finite", self.others)?;
        }
        Ok(())
    }
}
