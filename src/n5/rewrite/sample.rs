//! Elements of a coarser level from a window of the finer one. Pure.

use std::cmp::Ordering;
use std::fmt::Debug;

use bytemuck::Pod;
use zarrs::array::{Element, ElementOwned};

/// An element type of N5.
pub(super) trait Sample: Element + ElementOwned + Pod + Debug + Send + Sync {
    /// The mean of a window of at least one element; integers round half to even.
    fn mean(window: &[Self]) -> Self;

    /// The order in which the smallest of equally frequent elements is found.
    fn order(&self, other: &Self) -> Ordering;
}

/// Integers: the sum is exact in `$sum`.
macro_rules! integers {
    ($sum:ty: $($sample:ty)+) => {$(
        impl Sample for $sample {
            fn mean(window: &[Self]) -> Self {
                let sum: $sum = window.iter().map(|element| <$sum>::from(*element)).sum();
                let len = <$sum>::try_from(window.len()).unwrap_or(1).max(1);
                let (floor, rest) = (sum.div_euclid(len), sum.rem_euclid(len));
                let is_up = match (2 * rest).cmp(&len) {
                    Ordering::Less => false,
                    Ordering::Equal => floor.rem_euclid(2) == 1,
                    Ordering::Greater => true,
                };
                // The mean lies between the smallest and the largest, so that it fits.
                <$sample>::try_from(floor + <$sum>::from(is_up)).unwrap_or_default()
            }

            fn order(&self, other: &Self) -> Ordering {
                self.cmp(other)
            }
        }
    )+};
}

// A window has at most 2^5 elements.
integers!(i64: u8 u16 u32 i8 i16 i32);
integers!(i128: u64 i64);

#[expect(
    clippy::cast_precision_loss,
    reason = "a window has at most 32 elements"
)]
fn mean_of_floats(sum: f64, len: usize) -> f64 {
    sum / len as f64
}

impl Sample for f32 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the nearest 32-bit number is meant"
    )]
    fn mean(window: &[Self]) -> Self {
        let sum: f64 = window.iter().map(|element| f64::from(*element)).sum();
        mean_of_floats(sum, window.len()) as Self
    }

    fn order(&self, other: &Self) -> Ordering {
        self.total_cmp(other)
    }
}

impl Sample for f64 {
    fn mean(window: &[Self]) -> Self {
        let sum: f64 = window.iter().sum();
        if sum.is_infinite() {
            // Not in every case: it rounds once for each element.
            let parts = window
                .iter()
                .map(|&element| mean_of_floats(element, window.len()));
            return parts.sum();
        }
        mean_of_floats(sum, window.len())
    }

    fn order(&self, other: &Self) -> Ordering {
        self.total_cmp(other)
    }
}

/// Calls a function with the element type of an [`N5DataType`](crate::n5::N5DataType).
macro_rules! with_element_type {
    ($data_type:expr, $function:ident :: <_>($($argument:expr),* $(,)?)) => {{
        use crate::n5::data_type::N5DataType;
        match $data_type {
            N5DataType::UInt8 => $function::<u8, _>($($argument),*),
            N5DataType::UInt16 => $function::<u16, _>($($argument),*),
            N5DataType::UInt32 => $function::<u32, _>($($argument),*),
            N5DataType::UInt64 => $function::<u64, _>($($argument),*),
            N5DataType::Int8 => $function::<i8, _>($($argument),*),
            N5DataType::Int16 => $function::<i16, _>($($argument),*),
            N5DataType::Int32 => $function::<i32, _>($($argument),*),
            N5DataType::Int64 => $function::<i64, _>($($argument),*),
            N5DataType::Float32 => $function::<f32, _>($($argument),*),
            N5DataType::Float64 => $function::<f64, _>($($argument),*),
        }
    }};
}
pub(super) use with_element_type;

/// The most frequent element; of several the smallest. The window is sorted.
pub(super) fn mode<T: Sample>(window: &mut [T]) -> T {
    window.sort_unstable_by(T::order);
    let mut best = (0, T::zeroed());
    for run in window.chunk_by(|one, next| one.order(next) == Ordering::Equal) {
        if let Some(first) = run.first()
            && run.len() > best.0
        {
            best = (run.len(), *first);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_rounded_to_even() {
        assert_eq!(u8::mean(&[0, 1]), 0);
        assert_eq!(u8::mean(&[1, 2]), 2);
        assert_eq!(u8::mean(&[2, 3]), 2);
        assert_eq!(i16::mean(&[-1, 0]), 0);
        assert_eq!(i16::mean(&[-2, -1]), -2);
        assert_eq!(i16::mean(&[-3, -2]), -2);
        assert_eq!(u8::mean(&[1, 1, 1, 2]), 1);
        assert_eq!(u8::mean(&[1, 2, 2, 2]), 2);
        assert_eq!(i8::mean(&[-1, -2, -2, -2]), -2);
    }

    #[test]
    fn means_of_the_largest_integers_are_exact() {
        assert_eq!(u64::mean(&[u64::MAX; 8]), u64::MAX);
        assert_eq!(u64::mean(&[u64::MAX, u64::MAX - 2]), u64::MAX - 1);
        assert_eq!(i64::mean(&[i64::MIN; 8]), i64::MIN);
        assert_eq!(i64::mean(&[i64::MIN, i64::MAX]), 0);
        assert_eq!(u32::mean(&[u32::MAX; 8]), u32::MAX);
        // 2^53 + 1 is no 64-bit floating point number.
        assert_eq!(u64::mean(&[(1 << 53) + 1; 4]), (1 << 53) + 1);
    }

    #[test]
    fn floats_are_summed_with_64_bits() {
        assert_eq!(f32::mean(&[f32::MAX; 2]).to_bits(), f32::MAX.to_bits());
        assert_eq!(f32::mean(&[1., 2.]).to_bits(), 1.5_f32.to_bits());
        assert!(f64::mean(&[1., f64::NAN]).is_nan());
        assert_eq!(f64::mean(&[f64::MAX; 2]).to_bits(), f64::MAX.to_bits());
        assert_eq!(
            f64::mean(&[f64::MAX, f64::MAX, 0., 0.]).to_bits(),
            (f64::MAX / 2.).to_bits()
        );
        assert!(f64::mean(&[f64::INFINITY, 1.]).is_infinite());
        assert!(f64::mean(&[f64::INFINITY, f64::NEG_INFINITY]).is_nan());
    }

    #[test]
    fn the_smallest_of_the_most_frequent_is_the_mode() {
        assert_eq!(mode(&mut [3_u64, 1, 3, 1, 2]), 1);
        assert_eq!(mode(&mut [7_u64, 0, 7]), 7);
        assert_eq!(mode(&mut [-1_i8, 1]), -1);
        assert_eq!(mode(&mut [5_u8]), 5);
    }
}
