//! From chunk indices to a key.

use zarrs_storage::StoreKey;

use super::error::TemplateError;
use super::parsed::Template;
use super::rank::Token;

impl Template {
    /// The key of the chunk at `chunk_indices`, one index for each dimension of the array in the
    /// order of its shape.
    ///
    /// # Errors
    /// As [`validate_dimensionality`](Self::validate_dimensionality) for the number of indices.
    pub fn encode(&self, chunk_indices: &[u64]) -> Result<StoreKey, TemplateError> {
        self.validate_dimensionality(chunk_indices.len())?;
        StoreKey::new(self.key(chunk_indices)).map_err(|source| TemplateError::InvalidKey {
            template: self.as_str().to_owned(),
            source,
        })
    }

    /// The text of the key, for a rank that has been validated: no index is out of bounds.
    fn key(&self, chunk_indices: &[u64]) -> String {
        let rank = chunk_indices.len();
        // Measured first, so that there is one allocation, and nothing too much.
        let mut length = 0;
        self.visit(rank, |token| {
            length += match token {
                Token::Literal(text) => text.len(),
                Token::Number { dimension, width } => {
                    decimal_length(chunk_indices[dimension]).max(width)
                }
            };
        });

        let mut key = String::with_capacity(length);
        self.visit(rank, |token| match token {
            Token::Literal(text) => push_text(&mut key, text),
            Token::Number { dimension, width } => {
                push_number(&mut key, chunk_indices[dimension], width);
            }
        });
        key
    }
}

/// The number of digits of `value`.
fn decimal_length(value: u64) -> usize {
    value.checked_ilog10().map_or(1, |log| log as usize + 1)
}

/// Append `text`. A separator is one character as a rule, which is faster pushed than copied.
fn push_text(key: &mut String, text: &str) {
    match text.as_bytes() {
        [] => {}
        [byte] => key.push(char::from(*byte)),
        _ => key.push_str(text),
    }
}

/// Append `value`, with zeros on its left up to `width` digits.
fn push_number(key: &mut String, value: u64, width: usize) {
    if width > 1 || value > 999 {
        return push_long_number(key, value, width);
    }
    if value > 99 {
        key.push(last_digit(value / 100));
    }
    if value > 9 {
        key.push(last_digit(value / 10));
    }
    key.push(last_digit(value));
}

fn last_digit(value: u64) -> char {
    let [lowest_byte, ..] = (value % 10).to_le_bytes();
    char::from(b'0' + lowest_byte)
}

fn push_long_number(key: &mut String, value: u64, width: usize) {
    let mut buffer = itoa::Buffer::new();
    let digits = buffer.format(value);
    for _ in digits.len()..width {
        key.push('0');
    }
    key.push_str(digits);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_lengths_change_at_powers_of_ten() {
        for (value, length) in [(0, 1), (9, 1), (10, 2), (99, 2), (100, 3), (u64::MAX, 20)] {
            assert_eq!(decimal_length(value), length, "{value}");
        }
    }

    #[test]
    fn the_key_takes_exactly_the_memory_it_needs() {
        let template = Template::new("é{*:03}x{0}", Some("--")).unwrap();
        let key = template.key(&[7, 12345, u64::MAX, 0]);
        assert_eq!(key, "é12345--18446744073709551615--000x7");
        assert_eq!(key.capacity(), key.len());
    }
}
