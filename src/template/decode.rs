//! Decodes keys to chunk indices.

use super::key_decode_error::KeyDecodeError;
use super::part::MAX_DIGITS;
use super::template::Template;
use super::token::Token;

impl Template {
    /// Returns the indices of the chunk whose key is `key`, for an array of `dimensionality`
    /// dimensions: exactly the indices for which [`encode`](Self::encode) gives this key, one for
    /// each dimension in the order of the shape. They may lie outside the array's chunk grid.
    ///
    /// # Errors
    /// [`KeyDecodeError`] if the template does not fit the dimensionality or is
    /// [ambiguous](Self::is_ambiguous) for it, or if `encode` would never have written `key`.
    pub fn decode(&self, key: &str, dimensionality: usize) -> Result<Vec<u64>, KeyDecodeError> {
        if self.is_ambiguous(dimensionality)? {
            return Err(KeyDecodeError::Ambiguous {
                template: self.as_str().to_owned(),
                dimensionality,
            });
        }
        // Each dimension takes at least a byte: no allocation for an impossible dimensionality.
        if dimensionality > key.len() {
            return Err(KeyDecodeError::MissingNumber {
                key: key.to_owned(),
                offset: key.len(),
            });
        }
        let mut tokens = Vec::with_capacity(self.parts.len());
        self.visit(dimensionality, |token| tokens.push(token));

        let mut reader = KeyReader { key, position: 0 };
        let mut chunk_indices = vec![0; dimensionality];
        for (place, token) in tokens.iter().enumerate() {
            match *token {
                Token::Literal(text) => reader.literal(text)?,
                Token::Number { dimension, width } => {
                    let after = tokens.get(place + 1..).unwrap_or_default();
                    // `visit` gives only dimensions below the validated dimensionality.
                    chunk_indices[dimension] = reader.number(width, after)?;
                }
            }
        }
        reader.end()?;
        Ok(chunk_indices)
    }
}

/// A key, and the byte offset up to which it has been read.
struct KeyReader<'a> {
    key: &'a str,
    position: usize,
}

impl<'a> KeyReader<'a> {
    fn rest(&self) -> &'a str {
        self.key.get(self.position..).unwrap_or_default()
    }

    fn literal(&mut self, text: &str) -> Result<(), KeyDecodeError> {
        if !self.rest().starts_with(text) {
            return Err(KeyDecodeError::MissingLiteral {
                key: self.key.to_owned(),
                offset: self.position,
                expected: text.to_owned(),
            });
        }
        self.position += text.len();
        Ok(())
    }

    /// Reads the number that the tokens `after` follow.
    fn number(&mut self, width: usize, after: &[Token<'_>]) -> Result<u64, KeyDecodeError> {
        let digit_count = if width < MAX_DIGITS {
            // The template is not ambiguous, so what follows in this run of digits is fixed.
            leading_digits(self.rest()).saturating_sub(fixed_digits(after))
        } else {
            // Counting more digits than that would take quadratic time in one long run.
            let rest = self.rest().as_bytes();
            let rest = rest.get(..width).unwrap_or(rest);
            rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
        };
        let offset = self.position;
        let key = || self.key.to_owned();
        let digits = self.rest().get(..digit_count).unwrap_or_default();
        if digits.is_empty() {
            return Err(KeyDecodeError::MissingNumber { key: key(), offset });
        }
        if digit_count < width || (digit_count > width && digits.starts_with('0')) {
            let digits = digits.to_owned();
            return Err(KeyDecodeError::WrongPadding {
                key: key(),
                offset,
                digits,
                width,
            });
        }
        let value = digits.parse().map_err(|_| KeyDecodeError::NumberTooLarge {
            key: key(),
            offset,
            digits: digits.to_owned(),
        })?;
        self.position += digit_count;
        Ok(value)
    }

    fn end(&self) -> Result<(), KeyDecodeError> {
        if self.rest().is_empty() {
            return Ok(());
        }
        Err(KeyDecodeError::TrailingText {
            key: self.key.to_owned(),
            offset: self.position,
        })
    }
}

/// Returns the number of ASCII digits that `text` begins with.
fn leading_digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// Returns the number of digits that `tokens` write before their first other character. The numbers
/// up to there have a fixed length.
fn fixed_digits(tokens: &[Token<'_>]) -> usize {
    let mut digits = 0;
    for token in tokens {
        match token {
            Token::Number { width, .. } => digits += width,
            Token::Literal(text) => {
                digits += leading_digits(text);
                if leading_digits(text) < text.len() {
                    break;
                }
            }
        }
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::error::TemplateError;

    fn decode(format: &str, key: &str, dimensionality: usize) -> Result<Vec<u64>, KeyDecodeError> {
        Template::new(format, Some("/"))
            .unwrap()
            .decode(key, dimensionality)
    }

    #[test]
    fn digits_beside_a_number_are_told_apart() {
        assert_eq!(decode("7{0}42-3{1}", "7142-39", 2).unwrap(), [1, 9]);
        assert_eq!(
            decode("{0}{1:020}5", "1200000000000000000034\u{35}", 2).unwrap(),
            [12, 34]
        );
        assert_eq!(
            decode("{0:020}{1}", "000000000000000000345", 2).unwrap(),
            [34, 5]
        );
    }

    #[test]
    fn ambiguous_keys_are_not_guessed() {
        assert!(matches!(
            decode("{0}{1}", "111", 2),
            Err(KeyDecodeError::Ambiguous { .. })
        ));
    }

    #[test]
    fn the_dimensionality_is_checked() {
        assert!(matches!(
            decode("{0}/{1}", "1/2", 3),
            Err(KeyDecodeError::Dimensionality(
                TemplateError::WrongDimensionality { .. }
            ))
        ));
    }

    /// Reading all that follows each number again would take minutes.
    #[test]
    fn a_run_of_a_hundred_thousand_numbers_is_read_once() {
        let template = Template::new("{*:020}", Some("")).unwrap();
        let indices: Vec<u64> = (0..100_000).collect();
        let key = template.encode(&indices).unwrap();
        assert_eq!(template.decode(key.as_str(), 100_000).unwrap(), indices);
    }

    #[test]
    fn an_enormous_dimensionality_allocates_nothing() {
        assert!(matches!(
            decode("{*}", "1/2", usize::MAX),
            Err(KeyDecodeError::MissingNumber { offset: 3, .. })
        ));
    }

    #[test]
    fn missing_text_is_named_with_its_place() {
        assert!(matches!(
            decode("c/{*}", "d/1/2", 2),
            Err(KeyDecodeError::MissingLiteral { offset: 0, .. })
        ));
        assert!(matches!(
            decode("{0}.jpg", "12.png", 1),
            Err(KeyDecodeError::MissingLiteral { offset: 2, .. })
        ));
    }

    #[test]
    fn a_missing_number_is_named_with_its_place() {
        assert!(matches!(
            decode("{0}/{1}", "1/x", 2),
            Err(KeyDecodeError::MissingNumber { offset: 2, .. })
        ));
        assert!(matches!(
            decode("{0}7", "7", 1),
            Err(KeyDecodeError::MissingNumber { offset: 0, .. })
        ));
        assert!(matches!(
            decode("{0}/{1}", "1/+2", 2),
            Err(KeyDecodeError::MissingNumber { offset: 2, .. })
        ));
    }

    #[test]
    fn only_the_padding_of_encode_is_taken() {
        for (format, key) in [
            ("{0}", "01"),
            ("{0:03}", "12"),
            ("{0:03}", "0123"),
            ("{0}", "00"),
        ] {
            assert!(
                matches!(
                    decode(format, key, 1),
                    Err(KeyDecodeError::WrongPadding { .. })
                ),
                "{format} {key}"
            );
        }
    }

    #[test]
    fn numbers_end_at_64_bits() {
        assert_eq!(
            decode("{0}", "18446744073709551615", 1).unwrap(),
            [u64::MAX]
        );
        assert!(matches!(
            decode("{0}", "18446744073709551616", 1),
            Err(KeyDecodeError::NumberTooLarge { .. })
        ));
    }

    #[test]
    fn nothing_may_follow_the_template() {
        assert!(matches!(
            decode("{0}.jpg", "1.jpg.bak", 1),
            Err(KeyDecodeError::TrailingText { offset: 5, .. })
        ));
    }
}
