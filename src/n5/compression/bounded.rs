//! Whole numbers that know their range, so that a parameter in hand is a valid one.

use std::fmt;

use serde_json::Value;
use thiserror::Error;

use crate::n5::members::{MemberError, Members};

/// A whole number from `MIN` to `MAX`, both included.
///
/// # Example
/// ```rust
/// use zarrs_interop::n5::compression::GzipLevel;
///
/// assert_eq!(GzipLevel::new(9)?.get(), 9);
/// assert_eq!(
///     GzipLevel::new(10).unwrap_err().to_string(),
///     "10 is out of range: expected a whole number from -1 to 9"
/// );
/// # Ok::<(), zarrs_interop::n5::compression::OutOfRangeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bounded<const MIN: i32, const MAX: i32>(i32);

/// A number outside the range of its parameter.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{found} is out of range: expected a whole number from {min} to {max}")]
pub struct OutOfRangeError {
    /// The number that was found.
    pub found: i32,
    /// The smallest number that is allowed.
    pub min: i32,
    /// The largest number that is allowed.
    pub max: i32,
}

impl<const MIN: i32, const MAX: i32> Bounded<MIN, MAX> {
    /// Checks `value` against the range.
    ///
    /// # Errors
    /// Returns [`OutOfRangeError`] if `value` is less than `MIN` or more than `MAX`.
    pub const fn new(value: i32) -> Result<Self, OutOfRangeError> {
        if MIN <= value && value <= MAX {
            Ok(Self(value))
        } else {
            Err(OutOfRangeError {
                found: value,
                min: MIN,
                max: MAX,
            })
        }
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> i32 {
        self.0
    }

    /// For the defaults of this crate, which the compiler checks.
    pub(super) const fn constant(value: i32) -> Self {
        assert!(MIN <= value && value <= MAX);
        Self(value)
    }

    /// The member of a `compression` object, which may be absent. `3.0` counts as 3.
    pub(super) fn optional(members: Members<'_>, name: &str) -> Result<Option<Self>, MemberError> {
        Ok(members.number(name, MIN..=MAX)?.map(Self))
    }

    /// The member of a zarr codec, which must be there. `3.0` does not count, as in zarrs.
    pub(super) fn required(members: Members<'_>, name: &str) -> Result<Self, MemberError> {
        let expected = format_args!("a whole number from {MIN} to {MAX}");
        members.required(name, expected, |value: &Value| {
            let number = i32::try_from(value.as_i64()?).ok()?;
            Self::new(number).ok()
        })
    }
}

impl<const MIN: i32, const MAX: i32> TryFrom<i32> for Bounded<MIN, MAX> {
    type Error = OutOfRangeError;

    fn try_from(value: i32) -> Result<Self, Self::Error> {
        Self::new(value)
    }
}

impl<const MIN: i32, const MAX: i32> fmt::Display for Bounded<MIN, MAX> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}
