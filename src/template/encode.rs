//! Encodes chunk indices as keys.

use zarrs_storage::StoreKey;

use super::error::TemplateError;
use super::part::MAX_WIDTH;
use super::template::Template;
use super::token::Token;

impl Template {
    /// Returns the key of the chunk at `chunk_indices`, one index for each dimension of the array
    /// in the order of its shape.
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

    /// Returns the text of the key. The number of indices has been validated.
    fn key(&self, chunk_indices: &[u64]) -> String {
        let mut key = String::with_capacity(self.largest_size(chunk_indices).min(MAX_WIDTH));
        self.visit(chunk_indices.len(), |token| match token {
            Token::Literal(text) => push_text(&mut key, text),
            Token::Number { dimension, width } => {
                // `visit` gives dimensions below the number of indices only.
                push_number(&mut key, chunk_indices[dimension], width);
            }
        });
        key
    }

    /// Returns an upper bound of the size of the key in bytes, so that it takes one allocation. It
    /// is exact where all numbers have the same number of digits.
    fn largest_size(&self, chunk_indices: &[u64]) -> usize {
        let largest = chunk_indices.iter().copied().max().unwrap_or(0);
        let number = decimal_length(largest).max(self.widest);
        let separators = chunk_indices.len().saturating_sub(self.named.count() + 1);
        self.literal_size
            .saturating_add(chunk_indices.len().saturating_mul(number))
            .saturating_add(separators.saturating_mul(self.catch_all_separator().len()))
    }
}

/// Returns the number of decimal digits of `value`.
fn decimal_length(value: u64) -> usize {
    value.checked_ilog10().map_or(1, |log| log as usize + 1)
}

/// Appends `text`. Most separators are one byte, and `push` is faster than `push_str` for those.
fn push_text(key: &mut String, text: &str) {
    match text.as_bytes() {
        [] => {}
        [byte] => key.push(char::from(*byte)), // a `str` of one byte is ASCII
        _ => key.push_str(text),
    }
}

/// Appends `value`, with zeros on its left up to `width` digits.
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
    fn a_key_may_be_longer_than_any_store_takes() {
        let template = Template::new("{*:01024}", Some("/")).unwrap();
        let key = template.encode(&[1, 2, 3]).unwrap();
        assert_eq!(key.as_str(), format!("{:01024}/{:01024}/{:01024}", 1, 2, 3));
    }

    #[test]
    fn the_key_never_outgrows_its_first_allocation() {
        for (format, indices) in [
            ("é{*:03}x{0}", vec![7, 12345, u64::MAX, 0]),
            ("{*}", vec![11, 22, 33]),
            ("{1:010}/{0}.png", vec![u64::MAX, 3]),
        ] {
            let template = Template::new(format, Some("--")).unwrap();
            let key = template.key(&indices);
            let largest = template.largest_size(&indices);
            assert!(key.len() <= largest, "{key}");
            assert_eq!(key.capacity(), largest, "{key}");
        }
        let exact = Template::new("{*}", Some("/")).unwrap();
        assert_eq!(exact.largest_size(&[11, 22, 33]), "11/22/33".len());
    }
}
