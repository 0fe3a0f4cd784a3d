//! Parses the text of a template into parts.
//!
//! Braces and literals are read by hand, because the regular expression of the specification does
//! not cover doubled braces. The text between two braces must match that expression, anchored at
//! both ends, and the number syntax of the grammar as well.

use std::num::NonZeroUsize;
use std::sync::LazyLock;

use regex::Regex;

use super::error::TemplateError;
use super::literal::{check_literal, check_template_ends};
use super::part::{Index, MAX_WIDTH, Part};

/// A part written between braces.
pub(super) struct Expression {
    /// An index or `{*}`, never literal text.
    pub(super) part: Part,
    /// The byte offset of the opening brace.
    pub(super) offset: usize,
}

/// The regular expression of the specification, anchored. `\d` is written `[0-9]`, because in the
/// `regex` crate it matches the digits of other scripts as well.
static EXPRESSION: LazyLock<Regex> = LazyLock::new(|| {
    // The pattern is a constant, and every test of this file compiles it: no input fails here.
    Regex::new(r"^\{((\*|-?[0-9]+)(:0([0-9]+))?)\}$").expect("a valid constant pattern")
});

/// The state of [`parse`].
struct Parser<'a> {
    template: &'a str,
    /// The byte offset of what is read next.
    position: usize,
    /// Where the literal text being read begins.
    literal_start: usize,
    /// The literal text being read, with single braces.
    literal: String,
    parts: Vec<Part>,
}

/// Reads `template` into parts. `accept` checks each expression before it becomes a part.
pub(super) fn parse(
    template: &str,
    mut accept: impl FnMut(&Expression) -> Result<(), TemplateError>,
) -> Result<Vec<Part>, TemplateError> {
    check_template_ends(template)?;
    let mut parser = Parser {
        template,
        position: 0,
        literal_start: 0,
        literal: String::new(),
        parts: Vec::new(),
    };
    while let Some(expression) = parser.next_expression()? {
        accept(&expression)?;
        parser.parts.push(expression.part);
    }
    Ok(parser.parts)
}

impl<'a> Parser<'a> {
    /// Reads literal text and then an expression, or literal text up to the end.
    fn next_expression(&mut self) -> Result<Option<Expression>, TemplateError> {
        loop {
            let rest = self.rest();
            let Some(plain) = rest.find(['{', '}']) else {
                self.push_literal(rest, rest.len());
                self.finish_literal()?;
                return Ok(None);
            };
            let (text, braces) = rest.split_at(plain);
            self.push_literal(text, plain);
            if braces.starts_with("{{") {
                self.push_literal("{", 2);
            } else if braces.starts_with("}}") {
                self.push_literal("}", 2);
            } else if braces.starts_with('}') {
                return Err(TemplateError::UnmatchedBrace {
                    offset: self.position,
                });
            } else {
                self.finish_literal()?;
                return self.read_expression(braces).map(Some);
            }
        }
    }

    fn rest(&self) -> &'a str {
        self.template.get(self.position..).unwrap_or_default()
    }

    /// Appends `text`, which takes `size` bytes of the template, to the literal text.
    fn push_literal(&mut self, text: &str, size: usize) {
        self.literal.push_str(text);
        self.position += size;
    }

    /// Makes the literal text a part.
    fn finish_literal(&mut self) -> Result<(), TemplateError> {
        // No forbidden sequence contains a brace, so the text can be checked as written.
        check_literal(self.template, self.literal_start..self.position)?;
        if !self.literal.is_empty() {
            self.parts
                .push(Part::Literal(std::mem::take(&mut self.literal)));
        }
        Ok(())
    }

    /// Reads the expression that `text` begins with.
    fn read_expression(&mut self, text: &str) -> Result<Expression, TemplateError> {
        let offset = self.position;
        let (before, _) = text
            .split_once('}')
            .ok_or(TemplateError::UnclosedBrace { offset })?;
        let expression = text.get(..=before.len()).unwrap_or(text);
        let part = parse_expression(expression, offset)?;
        self.position += expression.len();
        self.literal_start = self.position;
        Ok(Expression { part, offset })
    }
}

/// Parses `expression`, which includes its braces.
fn parse_expression(expression: &str, offset: usize) -> Result<Part, TemplateError> {
    let mut groups = EXPRESSION.capture_locations();
    let group = |groups: &regex::CaptureLocations, number| {
        let (start, end) = groups.get(number)?;
        expression.get(start..end)
    };
    let index = EXPRESSION
        .captures_read(&mut groups, expression)
        .and_then(|_| group(&groups, 2))
        .ok_or_else(|| TemplateError::InvalidExpression {
            offset,
            expression: expression.into(),
        })?;
    let width = match group(&groups, 4) {
        Some(width) => parse_width(width, expression, offset)?,
        None => 1,
    };
    match index {
        "*" => Ok(Part::CatchAll { width }),
        _ => Ok(Part::Index {
            index: parse_index(index, expression, offset)?,
            width,
        }),
    }
}

/// Parses the grammar's `<integer>`: no leading zeros, no `-0`.
fn parse_index(text: &str, expression: &str, offset: usize) -> Result<Index, TemplateError> {
    let expression = || expression.to_owned();
    let (from_end, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    if digits.len() > 1 && digits.starts_with('0') {
        return Err(TemplateError::IndexLeadingZero {
            offset,
            expression: expression(),
        });
    }
    // The regular expression passes digits only, so the number can only be too large.
    let value: usize = digits.parse().map_err(|_| TemplateError::IndexTooLarge {
        offset,
        expression: expression(),
    })?;
    match (from_end, NonZeroUsize::new(value)) {
        (false, _) => Ok(Index::FromStart(value)),
        (true, Some(value)) => Ok(Index::FromEnd(value)),
        (true, None) => Err(TemplateError::NegativeZero {
            offset,
            expression: expression(),
        }),
    }
}

/// Parses the grammar's `<positive>` after the `0` of a width, and the zeros inside numbers that
/// the grammar leaves out: `:010` is width 10.
fn parse_width(text: &str, expression: &str, offset: usize) -> Result<usize, TemplateError> {
    let expression = || expression.to_owned();
    if text == "0" {
        return Err(TemplateError::ZeroWidth {
            offset,
            expression: expression(),
        });
    }
    if text.starts_with('0') {
        return Err(TemplateError::WidthLeadingZero {
            offset,
            expression: expression(),
        });
    }
    match text.parse() {
        Ok(width) if width <= MAX_WIDTH => Ok(width),
        _ => Err(TemplateError::WidthTooLarge {
            offset,
            expression: expression(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(template: &str) -> Result<Vec<Part>, TemplateError> {
        parse(template, |_| Ok(()))
    }

    fn literal(text: &str) -> Part {
        Part::Literal(text.to_owned())
    }

    fn index(index: usize, width: usize) -> Part {
        Part::Index {
            index: Index::FromStart(index),
            width,
        }
    }

    #[test]
    fn literals_and_expressions_alternate() {
        let from_end = Index::FromEnd(NonZeroUsize::MIN);
        assert_eq!(
            parts("images/{-1}/{*:04}.jpeg").unwrap(),
            [
                literal("images/"),
                Part::Index {
                    index: from_end,
                    width: 1
                },
                literal("/"),
                Part::CatchAll { width: 4 },
                literal(".jpeg"),
            ]
        );
    }

    #[test]
    fn doubled_braces_join_the_text_around_them() {
        assert_eq!(
            parts("a{{b{0}}}c").unwrap(),
            [literal("a{b"), index(0, 1), literal("}c")]
        );
        assert_eq!(
            parts("{{{{{0}}}}}").unwrap(),
            [literal("{{"), index(0, 1), literal("}}")]
        );
    }

    #[test]
    fn adjacent_expressions_have_no_empty_text_between() {
        assert_eq!(parts("{0}{1:07}").unwrap(), [index(0, 1), index(1, 7)]);
    }

    #[test]
    fn inner_zeros_are_taken_though_the_grammar_forgets_them() {
        assert_eq!(parts("{10:010}").unwrap(), [index(10, 10)]);
        assert_eq!(parts("{100:0100}").unwrap(), [index(100, 100)]);
    }

    #[test]
    fn the_largest_width_is_taken() {
        assert_eq!(parts("{0:01024}").unwrap(), [index(0, 1024)]);
        assert!(matches!(
            parts("{0:01025}"),
            Err(TemplateError::WidthTooLarge { .. })
        ));
    }

    #[test]
    fn offsets_are_bytes_of_the_template_as_written() {
        let offset = |template| match parts(template) {
            Err(
                TemplateError::UnmatchedBrace { offset }
                | TemplateError::UnclosedBrace { offset }
                | TemplateError::InvalidExpression { offset, .. }
                | TemplateError::ForbiddenLiteral { offset, .. }
                | TemplateError::TrailingSlash { offset },
            ) => offset,
            other => panic!("{template}: {other:?}"),
        };
        assert_eq!(offset("{{é{0}}x"), 7);
        assert_eq!(offset("é{0"), 2);
        assert_eq!(offset("{0}é{x}"), 5);
        assert_eq!(offset("{{{0}}}é..b"), 9);
        assert_eq!(offset("{0}é/"), 5);
    }
}
