//! The levels that `multiscales` names, and that are not there or no datasets.

use std::path::Path;

use serde_json::Value;

use super::{run, write};

/// The group `em`, with the levels s0 and s1 in `multiscales`, and a dataset s0.
fn pyramid(folder: &Path) -> String {
    std::fs::write(folder.join("attributes.json"), r#"{"n5":"2.0.0"}"#).unwrap();
    let multiscales = r#"{"multiscales":[{"datasets":[{"path":"s0"},{"path":"s1"}]}]}"#;
    write(&folder.join("em"), multiscales);
    let attributes = r#"{"dimensions":[4,4],"blockSize":[2,2],"dataType":"uint8",
        "compression":{"type":"raw"}}"#;
    write(&folder.join("em/s0"), attributes);
    folder.to_str().unwrap().to_owned()
}

#[test]
fn a_level_that_is_not_there_is_named_and_no_error_unless_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = pyramid(folder.path());
    let named = "/em/s1: `multiscales` of /em names it as a level, but there is no attributes.json";
    // Without a folder, and with blocks that are left.
    for level in ["em", "em/s1/0"] {
        std::fs::create_dir_all(folder.path().join(level)).unwrap();
        let (text, error) = run(&[&path]);
        assert_eq!(error, None);
        assert!(text.contains(&format!("\nmissing: {named}\n")), "{text}");
    }
    // The blocks of s0 are all missing.
    let (_, error) = run(&[&path, "--fail-missing"]);
    let expected = "missing blocks: 4, missing levels: 1";
    assert_eq!(error.as_deref(), Some(expected));
    let (text, error) = run(&[&path, "--json"]);
    assert_eq!(error, None);
    let found: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(found["missing_levels"], serde_json::json!([named]));
    let (text, _) = run(&[&format!("{path}/em/s0")]);
    assert!(!text.contains("missing: "), "{text}");
}

#[test]
fn a_level_whose_document_says_nothing_of_a_dataset_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = pyramid(folder.path());
    for (document, size) in [("", 0), ("{}", 2)] {
        write(&folder.path().join("em/s1"), document);
        let (text, error) = run(&[&path]);
        assert_eq!(
            error.as_deref(),
            Some("nodes that cannot be checked: 1"),
            "{text}"
        );
        let line = format!("attributes.json ({size} bytes) describes no dataset");
        assert!(text.contains("cannot be checked: /em/s1: ") && text.contains(&line));
        assert!(!text.contains("missing: "), "{text}");
    }
    write(&folder.path().join("em/s1"), "{");
    let (text, _) = run(&[&path]);
    let named = text.lines().filter(|line| line.contains("/em/s1"));
    assert_eq!(named.count(), 1, "{text}");
}

#[test]
fn levels_beyond_the_first_hundred_are_said_not_to_be_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let path = pyramid(folder.path());
    let levels: Vec<Value> = (0..101)
        .map(|level| serde_json::json!({"path": format!("s{level}")}))
        .collect();
    let multiscales = serde_json::json!({"multiscales": [{"datasets": levels}]});
    write(&folder.path().join("em"), &multiscales.to_string());
    let (text, _) = run(&[&path]);
    assert!(text.contains("names more than 100 levels"), "{text}");
}
