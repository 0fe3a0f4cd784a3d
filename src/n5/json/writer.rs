//! How an object is written: a member a line, each value in its own spelling.

use serde_json::Value;

/// The spaces before a member of a level.
const INDENT: &str = "  ";

/// Writes an object that begins at some level of a document.
pub(crate) struct ObjectWriter<'a> {
    out: &'a mut String,
    level: usize,
    is_empty: bool,
}

impl<'a> ObjectWriter<'a> {
    /// Begins an object. The level of the document itself is 0.
    pub(crate) fn new(out: &'a mut String, level: usize) -> Self {
        out.push('{');
        Self {
            out,
            level,
            is_empty: true,
        }
    }

    /// Begins a member, whose value must be written next.
    pub(crate) fn member(&mut self, name: &str) -> &mut String {
        if !self.is_empty {
            self.out.push(',');
        }
        self.is_empty = false;
        self.new_line(self.level + 1);
        self.out.push_str(&Value::from(name).to_string());
        self.out.push_str(": ");
        self.out
    }

    /// Ends the object.
    pub(crate) fn finish(mut self) {
        if !self.is_empty {
            self.new_line(self.level);
        }
        self.out.push('}');
    }

    fn new_line(&mut self, level: usize) {
        self.out.push('\n');
        for _ in 0..level {
            self.out.push_str(INDENT);
        }
    }
}

/// How a value is moved to another level of a document: its lines change their indentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shift {
    /// One level deeper.
    In,
    /// One level less deep.
    Out,
}

impl Shift {
    /// Appends `json`. No string of JSON holds a line break, so that all breaks are between values.
    pub(crate) fn push(self, out: &mut String, json: &str) {
        let mut lines = json.split('\n');
        out.push_str(lines.next().unwrap_or_default());
        for line in lines {
            out.push('\n');
            match self {
                Self::In => {
                    out.push_str(INDENT);
                    out.push_str(line);
                }
                Self::Out => out.push_str(line.strip_prefix(INDENT).unwrap_or(line)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_written_as_serde_json_does() {
        let value = serde_json::json!({"a\n": 1, "b": {"c": [1, 2], "d": {}}});
        let mut out = String::new();
        let mut object = ObjectWriter::new(&mut out, 0);
        object.member("a\n").push('1');
        let mut inner = ObjectWriter::new(object.member("b"), 1);
        let list = format!("{:#}", value["b"]["c"]);
        let nested = inner.member("c");
        let mut shifted = String::new();
        Shift::In.push(&mut shifted, &list);
        Shift::In.push(nested, &shifted);
        inner.member("d").push_str("{}");
        inner.finish();
        object.finish();
        assert_eq!(out, format!("{value:#}"));
        let mut back = String::new();
        Shift::Out.push(&mut back, &shifted);
        assert_eq!(back, list);
    }

    #[test]
    fn an_empty_object_has_no_lines() {
        let mut out = String::new();
        ObjectWriter::new(&mut out, 3).finish();
        assert_eq!(out, "{}");
    }
}
