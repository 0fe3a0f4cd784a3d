//! Whether bytes are a JSON document that can be read.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::document_error::DocumentError;
use super::words::{Part, Parts, Unreadable, unreadable};
use crate::n5::error_text::shortened;

/// What a document may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rules {
    /// Those of an `attributes.json`: `NaN` and the like may stand in it, and a `zarr.json` must
    /// have room for it.
    Attributes,
    /// Those of a `zarr.json`, which all readers of Zarr must be able to read.
    Zarr,
}

impl Rules {
    /// The most levels of objects and lists. `serde_json` reads 127, and a `zarr.json` has its
    /// attributes one level deeper.
    fn max_depth(self) -> usize {
        match self {
            Self::Attributes => 126,
            Self::Zarr => 127,
        }
    }
}

/// The text of a document, whose syntax is then known to be right. A UTF-8 byte order mark is
/// skipped.
pub(super) fn check(bytes: &[u8], rules: Rules) -> Result<&str, DocumentError> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if u32::try_from(bytes.len()).is_err() {
        return Err(DocumentError::TooLarge { size: bytes.len() });
    }
    let mut depth = 0_usize;
    let mut found_unreadable = false;
    let mut out_of_range = None;
    for part in Parts::new(bytes) {
        match part {
            Part::Open(at) if depth == rules.max_depth() => {
                let (line, column) = position(bytes, at);
                return Err(DocumentError::TooDeep {
                    max: rules.max_depth(),
                    line,
                    column,
                });
            }
            Part::Open(_) => depth += 1,
            Part::Close => depth = depth.saturating_sub(1),
            Part::Word(word) => {
                let kind = bytes.get(word.clone()).and_then(unreadable);
                found_unreadable |= kind.is_some();
                if kind == Some(Unreadable::OutOfRange) && out_of_range.is_none() {
                    out_of_range = Some(word);
                }
            }
        }
    }
    if found_unreadable {
        check_syntax(&blanked(bytes, |kind, _| {
            rules == Rules::Attributes || kind == Unreadable::OutOfRange
        }))?;
    } else {
        check_syntax(bytes)?;
    }
    if let (Rules::Zarr, Some(word)) = (rules, out_of_range) {
        return Err(not_in_range(bytes, word.start));
    }
    // The syntax is right, so that this does not fail.
    str::from_utf8(bytes).map_err(|error| DocumentError::NotJson(Error::custom(error)))
}

/// The error for the first number that cannot be read at or behind `start`, where there is one.
pub(super) fn unreadable_error(text: &str, start: usize) -> DocumentError {
    let bytes = text.as_bytes();
    let first = Parts::new(bytes).find_map(|part| match part {
        Part::Word(word) if word.start >= start => {
            let kind = bytes.get(word.clone()).and_then(unreadable)?;
            Some((kind, word.start))
        }
        _ => None,
    });
    match first {
        Some((Unreadable::OutOfRange, at)) => not_in_range(bytes, at),
        // The parser comes to the word when all such words before it are out of its way.
        _ => match check_syntax(&blanked(bytes, |_, at| at < start)) {
            Err(error) => error,
            Ok(()) => DocumentError::NotJson(Error::custom("a number that is not finite")),
        },
    }
}

fn not_in_range(bytes: &[u8], at: usize) -> DocumentError {
    let end = super::words::word_end(bytes, at);
    let number = bytes.get(at..end).unwrap_or_default();
    let (line, column) = position(bytes, at);
    DocumentError::OutOfRange {
        number: shortened(String::from_utf8_lossy(number)),
        line,
        column,
    }
}

/// The line and column of a byte, both counted from 1, as `serde_json` counts them.
fn position(bytes: &[u8], at: usize) -> (usize, usize) {
    let before = bytes.get(..at).unwrap_or_default();
    let line_start = before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |newline| newline + 1);
    let line = before.split(|byte| *byte == b'\n').count();
    (line, at - line_start + 1)
}

/// A copy with other numbers of the same length for those unreadable ones that `is_blanked`, so
/// that the parser's errors still name the right column.
fn blanked(bytes: &[u8], is_blanked: impl Fn(Unreadable, usize) -> bool) -> Vec<u8> {
    let mut copy = bytes.to_vec();
    for part in Parts::new(bytes) {
        let Part::Word(word) = part else { continue };
        let kind = bytes.get(word.clone()).and_then(unreadable);
        if kind.is_some_and(|kind| is_blanked(kind, word.start))
            && let Some([one, point, zeros @ ..]) = copy.get_mut(word)
        {
            (*one, *point) = (b'1', b'.');
            zeros.fill(b'0');
        }
    }
    copy
}

fn check_syntax(bytes: &[u8]) -> Result<(), DocumentError> {
    serde_json::from_slice(bytes)
        .map(|Checked| ())
        .map_err(DocumentError::NotJson)
}

/// Any value, read as strictly as one that is kept, and forgotten. (serde's `IgnoredAny` does not
/// look into strings.)
struct Checked;

impl<'de> Deserialize<'de> for Checked {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Checked {
    type Value = Self;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any valid JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while let Some(Self) = items.next_element()? {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        while let Some((Self, Self)) = members.next_entry()? {}
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn error(text: &str, rules: Rules) -> String {
        check(text.as_bytes(), rules).unwrap_err().to_string()
    }

    #[test]
    fn the_syntax_is_that_of_serde_json() {
        for text in [
            "",
            " ",
            "{",
            "[1,]",
            "{\"a\":1,}",
            "{a:1}",
            "{NaN:1}",
            "{1:1}",
            "{\"a\" 1}",
            "[1 2]",
            "01",
            "1.",
            "-",
            "+1",
            "tru",
            "nul",
            "\"",
            "\"\\x\"",
            "\"\u{1}\"",
            "\"\\ud800\"",
            "\"\\ud83d\\ude00\"",
            "[]",
            "{}",
            "null",
            "1 2",
            "{}x",
            "// a\n1",
            "[1e5,-0,0.1E-3]",
            "{\"a\":{\"b\":[null,true]}}",
            "[NaN",
            "[nan]",
            "[NaN}",
        ] {
            let expected = serde_json::from_str::<Value>(&text.replace("NaN", "1.0"));
            let checked = check(text.as_bytes(), Rules::Attributes);
            match (checked, expected) {
                (Ok(checked), Ok(_)) => assert_eq!(checked, text),
                (Err(DocumentError::NotJson(error)), Err(expected)) => {
                    assert_eq!(error.to_string(), expected.to_string(), "{text}");
                }
                (checked, expected) => panic!("{text}: {checked:?}, expected {expected:?}"),
            }
        }
    }

    #[test]
    fn only_attributes_may_hold_numbers_that_are_not_finite() {
        let text = "{\n\"a\": [NaN, 1e400]}";
        assert_eq!(check(text.as_bytes(), Rules::Attributes).unwrap(), text);
        let refused = error(text, Rules::Zarr);
        assert!(
            refused.contains("expected value at line 2 column 7"),
            "{refused}"
        );
        let refused = error("{\n\"a\": [1e400]}", Rules::Zarr);
        assert!(
            refused.contains("the number 1e400 at line 2 column 7"),
            "{refused}"
        );
        assert!(!refused.contains("valid JSON"), "{refused}");
    }

    #[test]
    fn errors_behind_nan_name_their_own_place() {
        let refused = error("{\"a\": [NaN, Infinity],\n \"b\" 1}", Rules::Attributes);
        assert!(
            refused.ends_with("expected `:` at line 2 column 6"),
            "{refused}"
        );
    }

    #[test]
    fn levels_are_bounded_and_the_text_says_so() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        for (rules, max) in [(Rules::Attributes, 126), (Rules::Zarr, 127)] {
            assert!(check(nested(max).as_bytes(), rules).is_ok());
            for text in [nested(max + 1), "[".repeat(100_000)] {
                let refused = error(&text, rules);
                let column = max + 1;
                for part in [
                    format!("more than {max} levels"),
                    format!("line 1 column {column}"),
                ] {
                    assert!(refused.contains(&part), "{refused}");
                }
                assert!(!refused.contains("valid JSON"), "{refused}");
            }
        }
    }

    #[test]
    fn invalid_utf8_is_refused() {
        for bytes in [
            &b"{\"a\": \"\xff\"}"[..],
            b"[NaN, \"\xff\"]",
            b"\xff",
            b"[\xff]",
        ] {
            let error = check(bytes, Rules::Attributes).unwrap_err();
            assert!(error.to_string().contains("line 1 column"), "{error}");
        }
    }
}
