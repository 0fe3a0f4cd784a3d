//! The table of templates in `data/template_cases.tsv`, and what metadata documents give.

use serde_json::json;
use zarrs_chunk_key_encoding::{ChunkKeyEncoding, ChunkKeyEncodingTraits};
use zarrs_interop::template::{
    Template, TemplateChunkKeyEncoding, TemplateError, validate_array_metadata,
    validate_chunk_key_encoding,
};
use zarrs_metadata::v3::{ArrayMetadataV3, MetadataV3};
use zarrs_storage::StoreKey;

const CASES: &str = include_str!("../data/template_cases.tsv");

struct Case {
    line: usize,
    template: String,
    separator: Option<String>,
    chunk_indices: Vec<u64>,
    /// A key, or the name of a variant of `TemplateError`.
    expected: Result<String, String>,
}

impl Case {
    fn read(line: usize, text: &str) -> Self {
        let columns: Vec<&str> = text.split('\t').collect();
        let expected = if columns[3].starts_with('"') {
            Ok(serde_json::from_str(columns[3]).unwrap())
        } else {
            Err(columns[3].to_owned())
        };
        Self {
            line,
            template: serde_json::from_str(columns[0]).unwrap(),
            separator: serde_json::from_str(columns[1]).unwrap(),
            chunk_indices: serde_json::from_str(columns[2]).unwrap(),
            expected,
        }
    }

    fn template(&self) -> Result<Template, TemplateError> {
        Template::new(&self.template, self.separator.as_deref())
    }

    fn metadata(&self) -> MetadataV3 {
        let mut configuration = json!({"format": self.template});
        if let Some(separator) = &self.separator {
            configuration["separator"] = json!(separator);
        }
        serde_json::from_value(json!({"name": "template", "configuration": configuration})).unwrap()
    }
}

fn cases() -> Vec<Case> {
    let lines = CASES.lines().enumerate();
    let cases: Vec<Case> = lines
        .filter(|(_, text)| !text.starts_with('#'))
        .map(|(number, text)| Case::read(number + 1, text))
        .collect();
    assert!(cases.len() > 150, "the table is cut short");
    cases
}

/// The name of the error's variant.
fn variant(error: &TemplateError) -> String {
    let text = format!("{error:?}");
    text.chars()
        .take_while(char::is_ascii_alphanumeric)
        .collect()
}

#[test]
fn every_case_of_the_table_gives_its_key_or_its_error() {
    for case in cases() {
        let found = case
            .template()
            .and_then(|template| template.encode(&case.chunk_indices));
        let found = found.as_ref().map(StoreKey::as_str).map_err(variant);
        let expected = case
            .expected
            .as_ref()
            .map(String::as_str)
            .map_err(String::clone);
        assert_eq!(found, expected, "line {}: {:?}", case.line, case.template);
    }
}

#[test]
fn every_variant_that_a_template_can_cause_is_in_the_table() {
    let cases = cases();
    for name in [
        "UnclosedBrace",
        "UnmatchedBrace",
        "InvalidExpression",
        "IndexLeadingZero",
        "NegativeZero",
        "IndexTooLarge",
        "ZeroWidth",
        "WidthLeadingZero",
        "WidthTooLarge",
        "RepeatedIndex",
        "RepeatedCatchAll",
        "MissingSeparator",
        "NoExpression",
        "LeadingSlash",
        "TrailingSlash",
        "TrailingDot",
        "ForbiddenLiteral",
        "ForbiddenSeparator",
        "WrongDimensionality",
        "EmptyCatchAll",
        "IndexOutOfRange",
        "SameDimension",
    ] {
        let tested = cases
            .iter()
            .any(|case| case.expected.as_ref().is_err_and(|e| e == name));
        assert!(tested, "{name}");
    }
}

#[test]
fn keys_of_the_table_lead_back_unless_they_are_ambiguous() {
    let mut decoded = 0;
    for case in cases() {
        let Ok(key) = &case.expected else { continue };
        let (template, dimensionality) = (case.template().unwrap(), case.chunk_indices.len());
        if !template.is_ambiguous(dimensionality).unwrap() {
            assert_eq!(
                template.decode(key, dimensionality).unwrap(),
                case.chunk_indices,
                "{key}"
            );
            decoded += 1;
        }
    }
    assert!(decoded > 40);
}

#[test]
fn zarrs_makes_the_keys_of_the_table_from_metadata() {
    for case in cases() {
        let created = ChunkKeyEncoding::from_metadata(&case.metadata());
        if let Ok(key) = &case.expected {
            assert_eq!(created.unwrap().encode(&case.chunk_indices).as_str(), key);
        } else if let Err(error) = case.template() {
            let text = created.unwrap_err().to_string();
            assert!(
                text.contains(&error.to_string()),
                "line {}: {text}",
                case.line
            );
        }
    }
}

#[test]
fn metadata_is_written_back_as_it_was_read() {
    for case in cases().iter().filter(|case| case.expected.is_ok()) {
        let encoding = ChunkKeyEncoding::from_metadata(&case.metadata()).unwrap();
        assert_eq!(encoding.metadata(), case.metadata(), "line {}", case.line);
    }
}

#[test]
fn the_other_name_of_the_template_is_written_as_format() {
    let metadata = |member: &str| -> MetadataV3 {
        let configuration = json!({member: "{*}", "separator": "/"});
        serde_json::from_value(json!({"name": "template", "configuration": configuration})).unwrap()
    };
    let encoding = ChunkKeyEncoding::from_metadata(&metadata("template")).unwrap();
    assert_eq!(encoding.metadata(), metadata("format"));
}

/// `template_cke` writes it for every template without a separator.
#[test]
fn a_separator_of_null_is_none() {
    let metadata = |configuration: serde_json::Value| -> MetadataV3 {
        serde_json::from_value(json!({"name": "template", "configuration": configuration})).unwrap()
    };
    let null = json!({"format": "{0}/{1}", "separator": null});
    let encoding = ChunkKeyEncoding::from_metadata(&metadata(null)).unwrap();
    assert_eq!(encoding.encode(&[7, 8]).as_str(), "7/8");
    assert_eq!(encoding.metadata(), metadata(json!({"format": "{0}/{1}"})));

    let null = json!({"format": "{*}", "separator": null});
    let error = ChunkKeyEncoding::from_metadata(&metadata(null)).unwrap_err();
    assert!(
        error.to_string().contains("there is no separator"),
        "{error}"
    );
}

#[test]
fn a_template_without_configuration_is_refused() {
    let error = ChunkKeyEncoding::from_metadata(&MetadataV3::new("template")).unwrap_err();
    assert!(
        error.to_string().contains("missing member `format`"),
        "{error}"
    );
}

#[test]
fn errors_say_where_and_what_was_expected() {
    let text = Template::new("a/{1}/{ 2}", None).unwrap_err().to_string();
    assert!(text.contains("`{ 2}` at byte 6"), "{text}");
    assert!(text.contains("expected an index such as `{0}`"), "{text}");
}

#[test]
#[should_panic(expected = "the template `{0}/{1}` names 2 dimension(s), but the array has 3")]
fn the_trait_method_panics_with_the_text_of_the_error() {
    let encoding = TemplateChunkKeyEncoding::new("{0}/{1}", None).unwrap();
    let _ = ChunkKeyEncodingTraits::encode(&encoding, &[1, 2, 3]);
}

#[test]
fn the_fallible_method_returns_it() {
    let encoding = TemplateChunkKeyEncoding::new("{0}/{1}", None).unwrap();
    assert!(matches!(
        encoding.try_encode(&[1, 2, 3]),
        Err(TemplateError::WrongDimensionality {
            expected: 2,
            dimensionality: 3,
            ..
        })
    ));
}

/// The cells of the tables in a page, without the ticks around them.
fn table_rows<'a>(page: &'a str) -> Vec<Vec<&'a str>> {
    let row = |line: &'a str| {
        line.trim_matches('|')
            .split('|')
            .map(|cell| cell.trim_matches([' ', '`']))
            .collect()
    };
    page.lines()
        .filter(|line| line.starts_with('|'))
        .skip(2)
        .map(row)
        .collect()
}

#[test]
fn the_layouts_of_the_documentation_hold() {
    let rows = table_rows(include_str!("../../docs/template_layouts.md"));
    assert_eq!(rows.len(), 10);
    for row in rows {
        let [layout, format, separator, key] = row[..] else {
            panic!("{row:?}")
        };
        let separator = Some(separator).filter(|separator| !separator.is_empty());
        let template = Template::new(format, separator).unwrap();
        assert_eq!(
            template.encode(&[7, 1, 2]).unwrap().as_str(),
            key,
            "{layout}"
        );
        assert_eq!(template.decode(key, 3).unwrap(), [7, 1, 2], "{layout}");
    }
}

#[test]
fn the_examples_of_the_grammar_hold() {
    let rows = table_rows(include_str!("../../docs/template_grammar.md"));
    assert_eq!(rows.len(), 3);
    for row in rows {
        let (format, key) = row[2].split_once(" → ").unwrap();
        let (format, separator) = format
            .split_once(" with separator ")
            .unwrap_or((format, "/"));
        let [format, separator, key] = [format, separator, key].map(|text| text.trim_matches('`'));
        let template = Template::new(format, Some(separator)).unwrap();
        assert_eq!(template.encode(&[11, 22, 33]).unwrap().as_str(), key);
    }
}

fn array_metadata(chunk_key_encoding: &serde_json::Value) -> ArrayMetadataV3 {
    serde_json::from_value(json!({
        "zarr_format": 3, "node_type": "array", "shape": [4, 4, 4], "data_type": "uint8",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [1, 2, 2]}},
        "chunk_key_encoding": chunk_key_encoding,
        "fill_value": 0, "codecs": [{"name": "bytes"}]
    }))
    .unwrap()
}

#[test]
fn an_array_document_is_checked_without_zarrs() {
    let template = |format: &str| {
        array_metadata(&json!({"name": "template", "configuration": {"format": format}}))
    };
    assert!(validate_array_metadata(&template("{0}/{1}_{2}.jpg")).is_ok());
    assert!(matches!(
        validate_array_metadata(&template("{0}/{1}.jpg")),
        Err(TemplateError::WrongDimensionality {
            expected: 2,
            dimensionality: 3,
            ..
        })
    ));
    assert!(matches!(
        validate_array_metadata(&template("{0}/{1}/{2")),
        Err(TemplateError::UnclosedBrace { offset: 8 })
    ));
    let unknown = json!({"name": "template", "configuration": {"pattern": "{0}"}});
    assert!(matches!(
        validate_array_metadata(&array_metadata(&unknown)),
        Err(TemplateError::Configuration(_))
    ));
}

#[test]
fn other_chunk_key_encodings_pass() {
    let default = MetadataV3::new("default");
    assert!(validate_chunk_key_encoding(&default, 0).is_ok());
}
