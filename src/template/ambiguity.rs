//! Whether two chunks can have the same key.
//!
//! Characters other than ASCII digits come from literal text only. All keys of an array therefore
//! have the same such characters, with runs of digits between them, and each run can be examined
//! alone. A run consists of digits from literal text, which are the same in every key, and of
//! numbers. A number has a fixed length if it is padded to at least [`MAX_DIGITS`] digits, since no
//! chunk index has more.
//!
//! * With at most one number of variable length in a run, that number is what the fixed pieces
//!   leave of the run. Every number can be read back, so no two chunks share a key.
//! * With two or more, digits can move from one to the other: `{0}{1}` gives 111 for (1, 11) and
//!   for (11, 1). This is reported as ambiguous.
//!
//! The second answer is conservative. In rare cases, such as two numbers padded to 19 digits with a
//! long run of literal digits between them, no two 64-bit chunk indices collide. The shape of the
//! array is not taken into account either: `{0:03}{1:03}` is ambiguous, because the 1000th chunk
//! along a dimension has four digits.

use super::error::TemplateError;
use super::part::{MAX_DIGITS, Part};
use super::template::Template;

/// Counts the numbers of variable length in the current run of digits.
#[derive(Default)]
struct DigitRun {
    variable: usize,
    ambiguous: bool,
}

impl DigitRun {
    fn number(&mut self, width: usize) {
        if width < MAX_DIGITS {
            self.variable += 1;
            self.ambiguous |= self.variable > 1;
        }
    }

    fn literal(&mut self, text: &str) {
        if text.bytes().any(|byte| !byte.is_ascii_digit()) {
            self.variable = 0;
        }
    }
}

impl Template {
    /// Returns whether two chunks of an array of `dimensionality` dimensions could have the same
    /// key, so that writing one destroys the other: `{0}{1}` gives `111` for (1, 11) and for
    /// (11, 1).
    ///
    /// The shape of the array is not taken into account. `false` is certain; `true` may in rare
    /// cases concern only chunk indices beyond 64 bits.
    ///
    /// # Errors
    /// As [`validate_dimensionality`](Self::validate_dimensionality).
    pub fn is_ambiguous(&self, dimensionality: usize) -> Result<bool, TemplateError> {
        self.validate_dimensionality(dimensionality)?;
        let caught = dimensionality.saturating_sub(self.named.count());
        Ok(self.is_ambiguous_with(caught))
    }

    /// Returns whether keys are ambiguous when `{*}` stands for `caught` dimensions.
    ///
    /// Two stand for any larger number: each further number follows the same separator.
    pub(super) fn is_ambiguous_with(&self, caught: usize) -> bool {
        let mut run = DigitRun::default();
        for part in &self.parts {
            match part {
                Part::Literal(text) => run.literal(text),
                Part::Index { width, .. } => run.number(*width),
                Part::CatchAll { width } => {
                    run.number(*width);
                    if caught > 1 {
                        run.literal(self.catch_all_separator());
                        run.number(*width);
                    }
                }
            }
        }
        run.ambiguous
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ambiguous(format: &str, separator: &str, dimensionality: usize) -> bool {
        Template::new(format, Some(separator))
            .unwrap()
            .is_ambiguous(dimensionality)
            .unwrap()
    }

    #[test]
    fn adjacent_numbers_are_ambiguous() {
        assert!(ambiguous("{0}{1}", "", 2));
        assert!(ambiguous("{0:03}{1:03}", "", 2));
        assert!(ambiguous("a{1}{*}", "/", 2));
    }

    #[test]
    fn digits_alone_do_not_separate() {
        assert!(ambiguous("{0}5{1}", "", 2));
        assert!(ambiguous("{*}", "00", 2));
        assert!(ambiguous("{*}", "", 2));
    }

    #[test]
    fn one_other_character_separates_whatever_digits_are_beside_it() {
        assert!(!ambiguous("{0}1-2{1}", "", 2));
        assert!(!ambiguous("{*}", "1-2", 5));
        assert!(!ambiguous("{0}é{1}", "", 2));
        assert!(!ambiguous("{0}٣{1}", "", 2));
    }

    #[test]
    fn digits_at_the_ends_do_no_harm() {
        assert!(!ambiguous("7{0}-{1}7", "", 2));
    }

    #[test]
    fn numbers_of_one_length_need_no_separator() {
        assert!(!ambiguous("{0:020}{1:020}", "", 2));
        assert!(!ambiguous("{0:020}{1}{2:025}", "", 3));
        assert!(ambiguous("{0}{1:020}{2}", "", 3));
    }

    #[test]
    fn a_catch_all_of_one_dimension_has_no_separator() {
        assert!(!ambiguous("{*}-{0}", "", 2));
        assert!(ambiguous("{*}-{0}", "", 3));
    }

    #[test]
    fn an_enormous_dimensionality_takes_no_time() {
        assert!(!ambiguous("{*}", "/", usize::MAX));
    }

    #[test]
    fn the_dimensionality_is_checked_first() {
        let template = Template::new("{0}{1}", None).unwrap();
        assert!(matches!(
            template.is_ambiguous(3),
            Err(TemplateError::WrongDimensionality { .. })
        ));
    }
}
