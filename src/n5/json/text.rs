//! The parts of valid JSON text: members, items, strings. What is not valid gives some result
//! without a panic.

use std::borrow::Cow;
use std::ops::Range;

use super::words::{Part, Parts, is_space, string_end, word_end};

/// What a text begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Object,
    Array,
    String,
    /// A number, `true`, `false`, `null`.
    Word,
}

impl Kind {
    /// The kind of a value, which begins with the first byte of `text`.
    pub(super) fn of(text: &str) -> Self {
        match text.as_bytes().first() {
            Some(b'{') => Self::Object,
            Some(b'[') => Self::Array,
            Some(b'"') => Self::String,
            _ => Self::Word,
        }
    }
}

/// The part of a text; empty if there is no such part.
pub(super) fn part(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

/// The text without white space around it.
pub(super) fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\n', '\r'])
}

/// The value of a string, which is given with its quotes.
pub(crate) fn decoded(string: &str) -> Cow<'_, str> {
    let inner = string
        .strip_prefix('"')
        .and_then(|string| string.strip_suffix('"'))
        .unwrap_or(string);
    if inner.contains('\\') {
        // The syntax is right, so that this does not fail.
        Cow::Owned(serde_json::from_str(string).unwrap_or_default())
    } else {
        Cow::Borrowed(inner)
    }
}

/// A member of an object: its name with quotes, and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: Range<usize>,
    pub(super) value: Range<usize>,
}

/// The members of an object in the order of the text, equal names included.
pub(super) struct Entries<'a>(Cursor<'a>);

impl<'a> Entries<'a> {
    pub(super) fn new(object: &'a str) -> Self {
        Self(Cursor::inside(object))
    }
}

impl Iterator for Entries<'_> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        let name = self.0.value()?;
        let value = self.0.value()?;
        Some(Entry { name, value })
    }
}

/// The items of a list.
pub(super) struct Items<'a>(Cursor<'a>);

impl<'a> Items<'a> {
    pub(super) fn new(array: &'a str) -> Self {
        Self(Cursor::inside(array))
    }
}

impl Iterator for Items<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        self.0.value()
    }
}

/// Goes from value to value.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Behind the bracket that `text` begins with.
    fn inside(text: &'a str) -> Self {
        Self {
            bytes: text.as_bytes(),
            at: 1,
        }
    }

    /// The next value or name on this level.
    fn value(&mut self) -> Option<Range<usize>> {
        let rest = self.bytes.get(self.at..)?;
        let is_between = |byte: &u8| is_space(*byte) || matches!(byte, b',' | b':');
        let start = self.at + rest.iter().position(|byte| !is_between(byte))?;
        self.at = match self.bytes.get(start)? {
            b'}' | b']' => return None,
            b'"' => string_end(self.bytes, start),
            b'{' | b'[' => bracket_end(self.bytes, start),
            _ => word_end(self.bytes, start),
        };
        Some(start..self.at)
    }
}

/// The end of the object or list that begins at `start`.
fn bracket_end(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0_usize;
    let mut parts = Parts::new(bytes.get(start..).unwrap_or_default());
    while let Some(part) = parts.next() {
        match part {
            Part::Open(_) => depth += 1,
            Part::Close => depth = depth.saturating_sub(1),
            Part::Word(_) => {}
        }
        if depth == 0 {
            return start + parts.at();
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_in_any_layout() {
        for object in [
            r#"{"a":[1,{"b":"}"}],"\"c\\":NaN,"":{}}"#,
            "{ \"a\" :\n[1,{\"b\":\"}\"}] ,\t\"\\\"c\\\\\": NaN,\"\":{} }",
        ] {
            let found: Vec<_> = Entries::new(object)
                .map(|entry| (part(object, entry.name), part(object, entry.value)))
                .collect();
            assert_eq!(
                found,
                [
                    ("\"a\"", r#"[1,{"b":"}"}]"#),
                    ("\"\\\"c\\\\\"", "NaN"),
                    ("\"\"", "{}")
                ]
            );
        }
        assert_eq!(Entries::new(" { } ").count(), 0);
    }

    #[test]
    fn items_of_items_are_one() {
        let array = "[[1],[ [2] ] , 3,\"]\",-Infinity]";
        let found: Vec<_> = Items::new(array).map(|item| part(array, item)).collect();
        assert_eq!(found, ["[1]", "[ [2] ]", "3", "\"]\"", "-Infinity"]);
        assert_eq!(Items::new("[ ]").count(), 0);
    }

    #[test]
    fn strings_are_decoded() {
        assert_eq!(decoded(r#""a\u00e9\"""#), "aé\"");
        assert_eq!(decoded("\"日本\""), "日本");
    }
}
