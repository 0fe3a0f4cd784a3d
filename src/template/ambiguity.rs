//! Whether two chunks can have the same key.
//!
//! Only literal text can bring a character that is not an ASCII digit into a key. So each key of an
//! array falls into the same sequence of such characters and, between them, stretches of digits,
//! and a stretch can be looked at alone. It is made of digits from the literal text, which are the
//! same in every key, and of numbers. A number is of fixed length if it is padded to at least
//! [`MAX_DIGITS`] digits, since no chunk index has more; then it also has one spelling only.
//!
//! * With at most one number of variable length, that number has what the fixed pieces leave of
//!   the stretch, so every number can be read back: no two chunks share a key.
//! * With two or more, digits can move from one to the other: `{0}{1}` writes 111 for (1, 11) and
//!   for (11, 1). This is reported as ambiguous.
//!
//! The second answer is on the safe side. In rare cases, such as two numbers padded to 19 digits
//! with a long run of digits between, no two 64-bit chunk indices would clash. It also knows
//! nothing of the array's shape: `{0:03}{1:03}` is called ambiguous, because the 1000th chunk
//! along a dimension has four digits.

use super::error::TemplateError;
use super::parsed::Template;
use super::parser::Part;

/// The number of digits of `u64::MAX`.
pub(super) const MAX_DIGITS: usize = 20;

/// Counts the numbers of variable length in the stretch of digits at hand.
#[derive(Default)]
struct Stretch {
    variable: usize,
    ambiguous: bool,
}

impl Stretch {
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
    /// Whether two chunks of an array of `rank` dimensions could have the same key, so that writing
    /// one destroys the other: `{0}{1}` writes `111` for (1, 11) and for (11, 1).
    ///
    /// The shape of the array is not taken into account. `false` is certain; `true` may in rare
    /// cases concern only chunk indices beyond 64 bits.
    ///
    /// # Errors
    /// As [`validate_dimensionality`](Self::validate_dimensionality).
    pub fn is_ambiguous(&self, rank: usize) -> Result<bool, TemplateError> {
        self.validate_dimensionality(rank)?;
        Ok(self.is_ambiguous_with(rank - self.named.count()))
    }

    /// Whether keys are ambiguous when `{*}` stands for `caught` dimensions. More than two make no
    /// difference: the numbers in the middle have a separator on either side like the outer ones.
    pub(super) fn is_ambiguous_with(&self, caught: usize) -> bool {
        let mut stretch = Stretch::default();
        for part in &self.parts {
            match part {
                Part::Literal(text) => stretch.literal(text),
                Part::Index { width, .. } => stretch.number(*width),
                Part::CatchAll { width } => {
                    stretch.number(*width);
                    if caught > 1 {
                        stretch.literal(self.catch_all_separator());
                        stretch.number(*width);
                    }
                }
            }
        }
        stretch.ambiguous
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ambiguous(format: &str, separator: &str, rank: usize) -> bool {
        Template::new(format, Some(separator))
            .unwrap()
            .is_ambiguous(rank)
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
    fn an_enormous_rank_takes_no_time() {
        assert!(!ambiguous("{*}", "/", usize::MAX));
    }

    #[test]
    fn the_rank_is_checked_first() {
        let template = Template::new("{0}{1}", None).unwrap();
        assert!(matches!(
            template.is_ambiguous(3),
            Err(TemplateError::WrongRank { .. })
        ));
    }
}
