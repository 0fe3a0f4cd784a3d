//! What all error texts share: values that are quoted, lists that are shown, amounts, and the
//! causes of an error.

use std::error::Error;
use std::fmt::{self, Debug, Display, Write};

use serde_json::Value;

/// The most characters of an unexpected JSON value that an error text quotes.
const MAX_QUOTED: usize = 80;

/// The most entries of a shape that an error text shows.
const MAX_SHOWN: usize = 16;

/// A JSON value for an error text, shortened to a readable length.
pub(crate) fn quote(value: &Value) -> String {
    shortened(value)
}

/// The text of a value of any size, shortened to a readable length. What is cut off is never
/// written out.
pub(crate) fn shortened(value: impl Display) -> String {
    let mut text = Shortened::default();
    // An error means that the rest was cut off.
    let _ = write!(text, "{value}");
    text.text
}

/// Takes the first characters of a text and refuses the rest.
#[derive(Default)]
struct Shortened {
    text: String,
    len: usize,
}

impl Write for Shortened {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            if self.len == MAX_QUOTED {
                self.text.push('…');
                return Err(fmt::Error);
            }
            self.text.push(character);
            self.len += 1;
        }
        Ok(())
    }
}

/// A shape (or another list with an entry per dimension) for an error text, of readable length: a
/// header may claim 65535 dimensions.
pub(crate) fn shown<T: Debug>(shape: &[T]) -> String {
    match shape.get(..MAX_SHOWN) {
        Some(first) if first.len() < shape.len() => {
            let text = format!("{first:?}");
            format!("{}, …]", text.trim_end_matches(']'))
        }
        _ => format!("{shape:?}"),
    }
}

/// An amount of things, such as `1 byte` or `2 bytes`.
#[expect(clippy::needless_pass_by_value, reason = "an amount is a number")]
pub(crate) fn counted<N: Display + PartialEq + From<u8>>(
    count: N,
    one: &str,
    more: &str,
) -> String {
    let unit = if count == N::from(1) { one } else { more };
    format!("{count} {unit}")
}

/// The text of `error` with those of its sources that it does not already tell.
///
/// For errors of other crates that hold only text, so that the causes get through them.
pub(crate) fn full_text(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            // Writing to a string never fails.
            let _ = write!(text, ": {cause_text}");
        }
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn long_values_are_shortened_between_characters() {
        let quoted = quote(&json!("ü".repeat(500)));
        assert_eq!(quoted.chars().count(), MAX_QUOTED + 1);
        assert!(quoted.ends_with("ü…"), "{quoted}");
        assert_eq!(quote(&json!([1, "x"])), r#"[1,"x"]"#);
    }

    #[test]
    fn a_value_of_just_the_longest_length_is_whole() {
        let text = "a".repeat(MAX_QUOTED - 2);
        assert_eq!(quote(&json!(text)), format!("\"{text}\""));
        assert_eq!(shortened("a".repeat(MAX_QUOTED)), "a".repeat(MAX_QUOTED));
    }

    #[test]
    fn a_long_shape_is_shortened() {
        assert_eq!(shown(&[1, 2, 3]), "[1, 2, 3]");
        assert_eq!(shown(&[1; 16]), format!("{:?}", [1; 16]));
        assert!(shown(&[1; 17]).ends_with("1, …]"), "{}", shown(&[1; 17]));
    }

    #[test]
    fn one_thing_is_singular() {
        assert_eq!(counted(0_usize, "byte", "bytes"), "0 bytes");
        assert_eq!(counted(1_usize, "byte", "bytes"), "1 byte");
        assert_eq!(counted(2_u64, "entry", "entries"), "2 entries");
    }

    #[derive(Debug, thiserror::Error)]
    #[error("outer")]
    struct Outer(#[source] std::num::ParseIntError);

    #[test]
    fn the_full_text_tells_each_cause_once() {
        let error = Outer("x".parse::<u8>().unwrap_err());
        assert_eq!(full_text(&error), "outer: invalid digit found in string");
        assert_eq!(full_text(&error.0), "invalid digit found in string");
    }
}
