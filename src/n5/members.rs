//! The members of a JSON object, read and checked one by one: `attributes.json`, `zarr.json`, a
//! `compression`, the configuration of a codec.

use std::fmt::Display;
use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::error_text::quote;

/// A member that is missing or wrong. The owner of the object says in its own error whose member it
/// is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MemberError {
    /// The name of the member.
    pub(crate) member: String,
    /// What would be right.
    pub(crate) expected: String,
    /// The JSON value that was found, shortened. `None` if the member is missing.
    pub(crate) found: Option<String>,
}

impl MemberError {
    /// A member that is missing.
    pub(crate) fn missing(member: &str, expected: impl Display) -> Self {
        Self {
            member: member.to_owned(),
            expected: expected.to_string(),
            found: None,
        }
    }

    /// A member with a wrong value.
    pub(crate) fn invalid(member: &str, expected: impl Display, found: &Value) -> Self {
        Self {
            member: member.to_owned(),
            expected: expected.to_string(),
            found: Some(quote(found)),
        }
    }
}

/// The members of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Members<'a>(Option<&'a Map<String, Value>>);

impl<'a> Members<'a> {
    /// The members of an object; an absent one has none.
    pub(crate) fn new(object: impl Into<Option<&'a Map<String, Value>>>) -> Self {
        Self(object.into())
    }

    /// The value of a member.
    pub(crate) fn get(self, member: &str) -> Option<&'a Value> {
        self.0?.get(member)
    }

    /// A member that may be absent. `read` gives `None` for a value that is not as expected.
    pub(crate) fn optional<T>(
        self,
        member: &str,
        expected: impl Display,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, MemberError> {
        let Some(value) = self.get(member) else {
            return Ok(None);
        };
        match read(value) {
            Some(value) => Ok(Some(value)),
            None => Err(MemberError::invalid(member, expected, value)),
        }
    }

    /// A member that must be there. `read` gives `None` for a value that is not as expected.
    pub(crate) fn required<T>(
        self,
        member: &str,
        expected: impl Display,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<T, MemberError> {
        match self.optional(member, &expected, read)? {
            Some(value) => Ok(value),
            None => Err(MemberError::missing(member, expected)),
        }
    }

    /// A whole number within a range, which may be absent.
    pub(crate) fn number<T: Copy + Display + PartialOrd + TryFrom<i128>>(
        self,
        member: &str,
        range: RangeInclusive<T>,
    ) -> Result<Option<T>, MemberError> {
        let expected = format_args!("a whole number from {} to {}", range.start(), range.end());
        self.optional(member, expected, |value| {
            whole_number(value).filter(|number| range.contains(number))
        })
    }

    /// `true` or `false`, which may be absent.
    pub(crate) fn boolean(self, member: &str) -> Result<Option<bool>, MemberError> {
        self.optional(member, "true or false", Value::as_bool)
    }

    /// A string, which may be absent.
    pub(crate) fn string(
        self,
        member: &str,
        expected: impl Display,
    ) -> Result<Option<&'a str>, MemberError> {
        self.optional(member, expected, Value::as_str)
    }

    /// Refuses members with other names than these.
    pub(crate) fn only(self, known: &[&str]) -> Result<(), MemberError> {
        let mut members = self.0.into_iter().flatten();
        match members.find(|(member, _)| !known.contains(&member.as_str())) {
            None => Ok(()),
            Some((member, value)) => {
                let expected = format!("no member but {}", known.join(", "));
                Err(MemberError::invalid(member, expected, value))
            }
        }
    }
}

/// A whole number in the range of `T`, also when it is written as `3.0` or `3e0`.
pub(crate) fn whole_number<T: TryFrom<i128>>(value: &Value) -> Option<T> {
    const TWO_POW_64: f64 = 18_446_744_073_709_551_616.0;
    let number = if let Some(number) = value.as_u64() {
        i128::from(number)
    } else if let Some(number) = value.as_i64() {
        i128::from(number)
    } else {
        let number = value.as_f64()?;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the number is whole and below 2^64, so that the cast is exact"
        )]
        let whole = (number.fract() == 0.0 && number.abs() < TWO_POW_64).then_some(number as i128);
        whole?
    };
    T::try_from(number).ok()
}

/// A list of whole numbers in the range of `T`.
pub(crate) fn whole_numbers<T: TryFrom<i128>>(value: &Value) -> Option<Vec<T>> {
    value.as_array()?.iter().map(whole_number).collect()
}

/// A list of exactly `len` strings.
pub(crate) fn strings(value: &Value, len: usize) -> Option<Vec<&str>> {
    let items = value.as_array().filter(|items| items.len() == len)?;
    items.iter().map(Value::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn whole_numbers_may_be_written_as_floats() {
        assert_eq!(whole_number(&json!(3)), Some(3_u64));
        assert_eq!(whole_number(&json!(3.0)), Some(3_u64));
        assert_eq!(whole_number(&json!(0.0)), Some(0_u64));
        assert_eq!(whole_number(&json!(u64::MAX)), Some(u64::MAX));
        assert_eq!(whole_number(&json!(1e3)), Some(1000_u64));
        assert_eq!(whole_number(&json!(-1.0)), Some(-1_i32));
        assert_eq!(whole_number(&json!(i64::MIN)), Some(i64::MIN));
        assert_eq!(whole_number(&json!(-0.0)), Some(0_u64));
    }

    #[test]
    fn other_values_are_not_whole_numbers() {
        for value in [
            json!(3.5),
            json!(-1),
            json!(-1.0),
            json!(1e300),
            json!(18_446_744_073_709_551_616.0),
            json!("3"),
            json!(null),
            json!([3]),
        ] {
            assert_eq!(whole_number::<u64>(&value), None, "{value}");
        }
        assert_eq!(whole_number::<i32>(&json!(1_u64 << 31)), None);
    }

    /// An object with every kind of member.
    fn object() -> Value {
        json!({"number": 3.0, "name": "a", "flag": true, "list": [1, 2.0]})
    }

    fn error(member: &str, expected: &str, found: Option<&str>) -> MemberError {
        MemberError {
            member: member.to_owned(),
            expected: expected.to_owned(),
            found: found.map(str::to_owned),
        }
    }

    #[test]
    fn good_members_are_read() {
        let object = object();
        let members = Members::new(object.as_object());
        assert_eq!(members.number("number", -1..=9), Ok(Some(3)));
        assert_eq!(members.string("name", "a name"), Ok(Some("a")));
        assert_eq!(members.boolean("flag"), Ok(Some(true)));
        let list = members.required("list", "a list", whole_numbers);
        assert_eq!(list, Ok(vec![1_u32, 2]));
    }

    #[test]
    fn absent_members_are_missing_only_when_required() {
        let object = object();
        for members in [Members::new(object.as_object()), Members::new(None)] {
            assert_eq!(members.number("absent", -1..=9), Ok(None));
            assert_eq!(members.boolean("absent"), Ok(None));
            let required = members.required("absent", "a name", Value::as_str);
            assert_eq!(required, Err(error("absent", "a name", None)));
        }
    }

    #[test]
    fn wrong_members_say_expected_and_found() {
        let object = object();
        let members = Members::new(object.as_object());
        assert_eq!(
            members.number("number", 4..=9),
            Err(error("number", "a whole number from 4 to 9", Some("3.0")))
        );
        assert_eq!(
            members.boolean("name"),
            Err(error("name", "true or false", Some("\"a\"")))
        );
        assert_eq!(
            members.string("flag", "a name"),
            Err(error("flag", "a name", Some("true")))
        );
    }

    #[test]
    fn unknown_members_are_named() {
        let object = object();
        let members = Members::new(object.as_object());
        assert_eq!(members.only(&["number", "name", "flag", "list"]), Ok(()));
        assert_eq!(
            members.only(&["number", "name"]),
            Err(error("flag", "no member but number, name", Some("true")))
        );
    }
}
