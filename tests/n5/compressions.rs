//! The lists of compressions outside of the crate have all that the crate supports.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use zarrs_interop::n5::{Compression, N5DataType};

use crate::oracle::COMPRESSORS;

/// Every `type`, as the error for an unknown one lists them.
fn supported() -> BTreeSet<String> {
    let unknown = json!({"type": "?"});
    let error = Compression::from_json(unknown.as_object().unwrap()).unwrap_err();
    let text = error.to_string();
    let (_, names) = text.split_once("expected one of ").unwrap();
    names.split(", ").map(str::to_owned).collect()
}

fn file(path: &str) -> String {
    std::fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn the_oracle_has_every_compressor_that_is_compiled_in() {
    let is_on = |name: &String| {
        let object = Map::from_iter([("type".to_owned(), json!(name))]);
        let compression = Compression::from_json(&object).unwrap();
        compression.to_codec_metadata(N5DataType::UInt8).is_ok()
    };
    let listed = COMPRESSORS.iter().map(|compressor| {
        let codec = (!compressor.is_empty()).then(|| serde_json::from_str(compressor).unwrap());
        let compression = Compression::from_codec_metadata(codec.as_ref()).unwrap();
        compression.name().to_owned()
    });
    let expected: BTreeSet<_> = supported().into_iter().filter(is_on).collect();
    assert_eq!(listed.collect::<BTreeSet<_>>(), expected);
}

#[cfg(all(feature = "compressors", feature = "filesystem"))]
#[test]
fn every_compression_is_written_for_others() {
    let cases = crate::containers::written::cases();
    let written = cases.iter().map(|case| {
        let name = case.compression["type"].as_str().unwrap();
        name.to_owned()
    });
    assert_eq!(written.collect::<BTreeSet<_>>(), supported());
}

#[test]
fn every_compression_is_fuzzed() {
    let lines = file("fuzz/compressions.txt");
    let fuzzed = lines.lines().map(|line| {
        let (_, json) = line.split_once(' ').unwrap();
        let object: Map<String, Value> = serde_json::from_str(json).unwrap();
        Compression::from_json(&object).unwrap().name().to_owned()
    });
    assert_eq!(fuzzed.collect::<BTreeSet<_>>(), supported());
    let dictionary = file("fuzz/dictionaries/metadata.dict");
    for name in supported() {
        let entry = format!(r#""\"type\":\"{name}\"""#);
        assert!(dictionary.lines().any(|line| line == entry), "{entry}");
    }
}

#[test]
fn the_table_of_other_readers_has_a_row_for_every_compression() {
    let table = file("docs/other_readers.md");
    for name in supported() {
        let name = format!("`{name}`");
        let mut rows = table.lines().filter(|line| line.starts_with('|'));
        let is_first_cell = |row: &str| row.split('|').nth(1).is_some_and(|c| c.contains(&name));
        assert!(rows.any(is_first_cell), "no row for {name}");
    }
}

/// Each has the name of its compression.
#[test]
fn the_feature_of_all_compressors_has_every_one() {
    let manifest = file("Cargo.toml");
    let line = manifest
        .lines()
        .find(|line| line.starts_with("compressors = ["));
    let (_, list) = line.unwrap().split_once('[').unwrap();
    let features: BTreeSet<_> = list
        .split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect();
    let mut expected = supported();
    expected.remove("raw");
    assert_eq!(features, expected);
    let names: Vec<_> = features.iter().map(|name| format!("`{name}`")).collect();
    let row = format!("| `compressors` | yes | {}:", names.join(", "));
    assert!(file("README.md").contains(&row), "{row}");
}
