//! The words of a JSON text: all that is neither a string nor punctuation. Of any bytes, JSON or
//! not.
//!
//! This is how the numbers are found that JSON or its parser does not have: `NaN`, `Infinity` and
//! `-Infinity`, which Python and Java write, and numbers beyond the range of 64-bit floating point.

use std::borrow::Cow;
use std::ops::Range;

/// A part of a text that matters here.
pub(super) enum Part {
    /// `{` or `[`, and where.
    Open(usize),
    /// `}` or `]`.
    Close,
    /// A number, `true`, or something that is no JSON.
    Word(Range<usize>),
}

/// The parts of a text, in their order.
pub(super) struct Parts<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Parts<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// How far the text has been read.
    pub(super) fn at(&self) -> usize {
        self.at
    }
}

impl Iterator for Parts<'_> {
    type Item = Part;

    fn next(&mut self) -> Option<Part> {
        loop {
            let start = self.at;
            match self.bytes.get(start)? {
                b'"' => self.at = string_end(self.bytes, start),
                b'{' | b'[' => {
                    self.at += 1;
                    return Some(Part::Open(start));
                }
                b'}' | b']' => {
                    self.at += 1;
                    return Some(Part::Close);
                }
                byte if is_between(*byte) => self.at += 1,
                _ => {
                    self.at = word_end(self.bytes, start);
                    return Some(Part::Word(start..self.at));
                }
            }
        }
    }
}

/// Whether a byte separates values.
fn is_between(byte: u8) -> bool {
    byte == b',' || byte == b':' || is_space(byte)
}

/// Whether a byte is white space of JSON.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The end of the string that begins at `start`, its quotes included.
pub(super) fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The end of the word that begins at `start`.
pub(super) fn word_end(bytes: &[u8], start: usize) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    let is_end = |byte: &u8| is_between(*byte) || matches!(byte, b'"' | b'{' | b'}' | b'[' | b']');
    rest.iter()
        .position(is_end)
        .map_or(bytes.len(), |len| start + len)
}

/// A number that cannot stand in a document that others are to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unreadable {
    /// `NaN`, `Infinity` or `-Infinity`: not JSON.
    NotFinite,
    /// A number of JSON beyond the range of 64-bit floating point, such as `1e400`.
    OutOfRange,
}

/// Whether a word is such a number.
pub(super) fn unreadable(word: &[u8]) -> Option<Unreadable> {
    if matches!(word, b"NaN" | b"Infinity" | b"-Infinity") {
        Some(Unreadable::NotFinite)
    } else if is_beyond_f64(word) {
        Some(Unreadable::OutOfRange)
    } else {
        None
    }
}

/// The string that stands for such a number in `zarr.json` and in values.
pub(super) fn stand_in(word: &[u8]) -> Option<&'static str> {
    unreadable(word)?;
    Some(match word.first() {
        Some(b'N') => "NaN",
        Some(b'-') => "-Infinity",
        _ => "Infinity",
    })
}

/// Whether a word is a number that 64-bit floating point rounds to infinity.
fn is_beyond_f64(word: &[u8]) -> bool {
    // Without an exponent it takes 309 digits; this spares nearly all numbers the work below.
    let may_be = word.len() > 308 || word.iter().any(|byte| matches!(byte, b'e' | b'E'));
    may_be
        && is_number(word)
        && str::from_utf8(word)
            .ok()
            .and_then(|word| word.parse().ok())
            .is_some_and(f64::is_infinite)
}

/// Whether a word is a number by the grammar of JSON.
fn is_number(word: &[u8]) -> bool {
    let unsigned = word.strip_prefix(b"-").unwrap_or(word);
    let (whole, rest) = digits(unsigned);
    if whole == 0 || whole > 1 && unsigned.first() == Some(&b'0') {
        return false;
    }
    let (fraction, rest) = match rest.strip_prefix(b".") {
        Some(rest) => digits(rest),
        None => (1, rest),
    };
    let (exponent, rest) = match rest {
        [b'e' | b'E', b'+' | b'-', rest @ ..] | [b'e' | b'E', rest @ ..] => digits(rest),
        _ => (1, rest),
    };
    fraction > 0 && exponent > 0 && rest.is_empty()
}

/// How many digits a text begins with, and what follows them.
fn digits(text: &[u8]) -> (usize, &[u8]) {
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (count, text.get(count..).unwrap_or_default())
}

/// Valid JSON with the value of `text`: strings in the place of numbers that cannot be read.
pub(crate) fn readable(text: &str) -> Cow<'_, str> {
    let mut readable = String::new();
    let mut copied = 0;
    for part in Parts::new(text.as_bytes()) {
        if let Part::Word(word) = part
            && let Some(name) = text.as_bytes().get(word.clone()).and_then(stand_in)
        {
            readable.push_str(text.get(copied..word.start).unwrap_or_default());
            readable.push('"');
            readable.push_str(name);
            readable.push('"');
            copied = word.end;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    readable.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(readable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_strings_do_not_count() {
        let text = r#"{"NaN": "a \" NaN", "\\": [NaN,-Infinity ],"b":1e400}"#;
        assert_eq!(
            readable(text),
            r#"{"NaN": "a \" NaN", "\\": ["NaN","-Infinity" ],"b":"Infinity"}"#
        );
        let plain = r#"{"NaN": ["Infinity", 1e308]}"#;
        assert!(matches!(readable(plain), Cow::Borrowed(text) if text == plain));
    }

    #[test]
    fn only_numbers_beyond_floating_point_are_unreadable() {
        let digits = "9".repeat(400);
        let leading_zero = format!("0{digits}");
        for (word, expected) in [
            ("NaN", Some(Unreadable::NotFinite)),
            ("nan", None),
            ("NaN2", None),
            ("Infinity", Some(Unreadable::NotFinite)),
            ("+Infinity", None),
            ("1e400", Some(Unreadable::OutOfRange)),
            ("-1.5E+309", Some(Unreadable::OutOfRange)),
            ("1e99999999999999999999", Some(Unreadable::OutOfRange)),
            ("1.7976931348623157e308", None),
            ("0e400", None),
            ("1e-400", None),
            ("1.e400", None),
            ("+1e400", None),
            ("01e400", None),
            ("1e400e", None),
            ("1e", None),
            ("true", None),
            (&digits, Some(Unreadable::OutOfRange)),
            (&leading_zero, None),
        ] {
            assert_eq!(unreadable(word.as_bytes()), expected, "{word}");
        }
    }

    #[test]
    fn an_open_string_ends_with_the_text() {
        for text in ["\"", "\"\\", "\"a\\\""] {
            assert_eq!(string_end(text.as_bytes(), 0), text.len());
        }
    }
}
