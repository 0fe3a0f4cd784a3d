//! Random templates, compared with a simple implementation.

use std::collections::HashMap;

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use zarrs_interop::template::{Template, TemplateError};

/// A piece of a template, for the simple implementation.
#[derive(Clone, Debug)]
enum Piece {
    Text(&'static str),
    Number {
        dimension: usize,
        from_end: bool,
        width: usize,
    },
    Rest {
        width: usize,
    },
}

#[derive(Clone, Debug)]
struct Pieces {
    dimensionality: usize,
    separator: &'static str,
    list: Vec<Piece>,
}

impl Pieces {
    /// Parses the template that these pieces make. A width of 0 is not written.
    fn template(&self) -> Result<Template, TemplateError> {
        let mut format = String::new();
        for piece in &self.list {
            let (index, width) = match piece {
                Piece::Text(text) => {
                    format += &text.replace('{', "{{").replace('}', "}}");
                    continue;
                }
                Piece::Number {
                    dimension,
                    from_end: false,
                    width,
                } => (dimension.to_string(), width),
                Piece::Number {
                    dimension,
                    from_end: true,
                    width,
                } => (format!("-{}", self.dimensionality - dimension), width),
                Piece::Rest { width } => ("*".to_owned(), width),
            };
            let width = if *width > 0 {
                format!(":0{width}")
            } else {
                String::new()
            };
            format.extend(["{", &index, &width, "}"]);
        }
        Template::new(&format, Some(self.separator))
    }

    /// Makes the key without the crate.
    fn key(&self, chunk_indices: &[u64]) -> String {
        let named: Vec<usize> = self
            .list
            .iter()
            .filter_map(|piece| match piece {
                Piece::Number { dimension, .. } => Some(*dimension),
                _ => None,
            })
            .collect();
        let piece_text = |piece: &Piece| match piece {
            Piece::Text(text) => (*text).to_owned(),
            Piece::Number {
                dimension, width, ..
            } => {
                format!("{:0width$}", chunk_indices[*dimension], width = *width)
            }
            Piece::Rest { width } => (0..self.dimensionality)
                .filter(|dimension| !named.contains(dimension))
                .map(|dimension| format!("{:0width$}", chunk_indices[dimension], width = *width))
                .collect::<Vec<_>>()
                .join(self.separator),
        };
        self.list.iter().map(piece_text).collect()
    }
}

const TEXTS: [&str; 14] = [
    "", "", "", "/", "_", ".", "a", "0", "1", "10", "1-", "-0", "{é}", "٣",
];
const SEPARATORS: [&str; 8] = ["/", ".", "", "0", "1", "-1", "1-", "→"];
const WIDTHS: [usize; 9] = [0, 0, 0, 1, 2, 3, 19, 20, 21];

/// Templates that fit their dimensionality, with a good share of ambiguous ones. Some have text
/// that is forbidden, and are refused.
fn pieces(max_dimensionality: usize) -> impl Strategy<Value = Pieces> {
    (1..=max_dimensionality)
        .prop_flat_map(|dimensionality| {
            let dimensions: Vec<usize> = (0..dimensionality).collect();
            let named = subsequence(dimensions, 0..=dimensionality).prop_shuffle();
            let details = prop::collection::vec(
                (select(&TEXTS), any::<bool>(), select(&WIDTHS)),
                dimensionality + 2,
            );
            (
                Just(dimensionality),
                named,
                details,
                select(&SEPARATORS),
                any::<prop::sample::Index>(),
            )
        })
        .prop_map(|(dimensionality, named, details, separator, rest_place)| {
            let mut expressions: Vec<Piece> = named
                .iter()
                .zip(&details)
                .map(|(&dimension, &(_, from_end, width))| Piece::Number {
                    dimension,
                    from_end,
                    width,
                })
                .collect();
            if named.len() < dimensionality {
                let place = rest_place.index(named.len() + 1);
                expressions.insert(
                    place,
                    Piece::Rest {
                        width: details[dimensionality].2,
                    },
                );
            }
            let mut list = Vec::new();
            for (expression, (text, ..)) in expressions.into_iter().zip(&details) {
                list.extend([Piece::Text(text), expression]);
            }
            list.push(Piece::Text(details[dimensionality + 1].0));
            Pieces {
                dimensionality,
                separator,
                list,
            }
        })
}

/// Any chunk indices, most of them near numbers where one more digit begins.
fn chunk_indices(dimensionality: usize) -> impl Strategy<Value = Vec<u64>> {
    let index = prop_oneof![0..120u64, 990..1010u64, any::<u64>(), Just(u64::MAX)];
    prop::collection::vec(index, dimensionality)
}

fn pieces_and_chunk(max_dimensionality: usize) -> impl Strategy<Value = (Pieces, Vec<u64>)> {
    pieces(max_dimensionality).prop_flat_map(|pieces| {
        let dimensionality = pieces.dimensionality;
        (Just(pieces), chunk_indices(dimensionality))
    })
}

/// Every chunk of a grid that has the chunk indices `values` along each dimension.
fn grid(values: &[u64], dimensionality: usize) -> Vec<Vec<u64>> {
    (0..dimensionality).fold(vec![Vec::new()], |places, _| {
        let longer = |place: &Vec<u64>, value: u64| [place.as_slice(), &[value]].concat();
        places
            .iter()
            .flat_map(|place| values.iter().map(|&v| longer(place, v)))
            .collect()
    })
}

/// A string that looks like a template more often than not.
fn template_like() -> impl Strategy<Value = String> {
    let bits = [
        "{",
        "}",
        "{{",
        "}}",
        "{0}",
        "{1}",
        "{2}",
        "{-1}",
        "{*}",
        "{*:03}",
        "{1:02}",
        "0",
        "1",
        "-",
        ":",
        "*",
        "/",
        ".",
        "\\",
        "\0",
        "zarr.json",
        "é",
        "a",
        " ",
    ];
    prop::collection::vec(select(bits.to_vec()), 0..9).prop_map(|bits| bits.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn keys_are_those_of_a_simple_implementation((pieces, chunk) in pieces_and_chunk(5)) {
        if let Ok(template) = pieces.template() {
            let key = template.encode(&chunk).unwrap();
            prop_assert_eq!(key.as_str(), pieces.key(&chunk));
        }
    }

    #[test]
    fn decode_undoes_encode_unless_ambiguous((pieces, chunk) in pieces_and_chunk(5)) {
        if let Ok(template) = pieces.template() {
            let key = template.encode(&chunk).unwrap();
            let decoded = template.decode(key.as_str(), pieces.dimensionality);
            if template.is_ambiguous(pieces.dimensionality).unwrap() {
                prop_assert!(decoded.is_err());
            } else {
                prop_assert_eq!(decoded.unwrap(), chunk);
            }
        }
    }

    #[test]
    fn decode_takes_nothing_that_encode_would_not_write(
        (pieces, chunk) in pieces_and_chunk(3),
        place in any::<prop::sample::Index>(),
        removed in 0..3usize,
        inserted in "[0-9/_.a-]{0,2}",
    ) {
        if let Ok(template) = pieces.template() {
            let mut key: Vec<char> = pieces.key(&chunk).chars().collect();
            let place = place.index(key.len());
            let end = (place + removed).min(key.len());
            key.splice(place..end, inserted.chars());
            let key = String::from_iter(key);
            if let Ok(decoded) = template.decode(&key, pieces.dimensionality) {
                let written = template.encode(&decoded).unwrap();
                prop_assert_eq!(written.as_str(), key);
            }
        }
    }

    #[test]
    fn no_string_makes_the_parser_panic(format in ".{0,40}", separator in ".{0,4}") {
        let _ = Template::new(&format, Some(&separator));
    }

    #[test]
    fn no_accepted_template_makes_a_key_that_zarrs_refuses(
        format in template_like(),
        separator in select(vec!["/", "/a/", "a/", ".", "", "0"]),
        chunk in chunk_indices(4),
    ) {
        if let Ok(template) = Template::new(&format, Some(separator)) {
            prop_assert_eq!(template.to_string(), format);
            for dimensionality in 0..=4 {
                let key = template.encode(&chunk[..dimensionality]);
                let fits = template.validate_dimensionality(dimensionality).is_ok();
                prop_assert_eq!(key.is_ok(), fits);
                prop_assert!(!matches!(key, Err(TemplateError::InvalidKey { .. })), "{:?}", key);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The grid crosses 9/10, 99/100 and 999/1000, with indices whose digits repeat.
    #[test]
    fn no_two_chunks_of_a_grid_share_a_key_unless_ambiguous(pieces in pieces(3)) {
        let values =
            [0, 1, 9, 10, 11, 12, 99, 100, 101, 110, 111, 999, 1000, 1111];
        if let Ok(template) = pieces.template() {
            let mut chunks: HashMap<String, Vec<u64>> = HashMap::new();
            for chunk in grid(&values, pieces.dimensionality) {
                let key = template.encode(&chunk).unwrap().as_str().to_owned();
                if let Some(other) = chunks.insert(key, chunk.clone()) {
                    prop_assert!(
                        template.is_ambiguous(pieces.dimensionality).unwrap(),
                        "{template} gives {chunk:?} and {other:?} one key"
                    );
                }
            }
        }
    }
}

/// `is_ambiguous` may be `true` without need, but not here: each pair of chunks shares its key.
#[test]
fn ambiguous_templates_lose_chunks() {
    let cases: [(&str, &str, [&[u64]; 2]); 9] = [
        ("{0}{1}", "", [&[1, 11], &[11, 1]]),
        ("{*}", "", [&[1, 11], &[11, 1]]),
        ("{*}", "0", [&[1, 101], &[101, 1]]),
        ("{0}5{1}", "", [&[1, 53], &[15, 3]]),
        ("{0:02}5{1:02}", "", [&[11, 511], &[115, 11]]),
        ("{0}{1:03}", "", [&[1, 2003], &[12, 3]]),
        ("{0:03}{1}", "", [&[123, 45], &[1234, 5]]),
        (
            "{0:019}{1:019}",
            "",
            [
                &[1_111_111_111_111_111_111, 11_111_111_111_111_111_111],
                &[11_111_111_111_111_111_111, 1_111_111_111_111_111_111],
            ],
        ),
        (
            "{0}{1:020}{2}",
            "",
            [
                &[1, 1_111_111_111_111_111_111, 11],
                &[10, 11_111_111_111_111_111_111, 1],
            ],
        ),
    ];
    for (format, separator, [one, other]) in cases {
        let template = Template::new(format, Some(separator)).unwrap();
        assert_ne!(one, other);
        assert_eq!(
            template.encode(one).unwrap(),
            template.encode(other).unwrap(),
            "{format}"
        );
        assert!(template.is_ambiguous(one.len()).unwrap(), "{format}");
    }
}

/// Digits beside the numbers of a template do not by themselves make it ambiguous.
#[test]
fn digits_beside_numbers_are_not_always_ambiguous() {
    for (format, separator, dimensionality) in [
        ("{0}1-{1}", "", 2),
        ("{0}-1{1}", "", 2),
        ("1{0}", "", 1),
        ("{0}0.jpg", "", 1),
        ("{*}", "9/9", 4),
        ("{0:020}{1:020}{2}", "", 3),
        ("{*:020}", "", 6),
    ] {
        let template = Template::new(format, Some(separator)).unwrap();
        assert!(!template.is_ambiguous(dimensionality).unwrap(), "{format}");
    }
}
