//! The README says what the documentation says: the tables and examples in both are the files of
//! `docs/`.

use zarrs_interop::n5::N5DataType;

const README: &str = include_str!("../../README.md");

#[test]
fn the_readme_has_the_tables_and_examples_of_the_documentation() {
    for (name, text) in [
        (
            "compression_table",
            include_str!("../../docs/compression_table.md"),
        ),
        ("when_it_fails", include_str!("../../docs/when_it_fails.md")),
        ("example_read", include_str!("../../docs/example_read.md")),
        ("example_write", include_str!("../../docs/example_write.md")),
        (
            "example_template",
            include_str!("../../docs/example_template.md"),
        ),
    ] {
        assert!(
            README.contains(text.trim()),
            "docs/{name}.md is not in README.md as it is"
        );
    }
}

/// The one that is not run is that of `open_url`, which is compiled with its feature only.
#[test]
fn every_example_of_the_readme_but_one_is_run_with_the_default_features() {
    assert_eq!(README.matches("\n```rust\n").count(), 3);
    assert_eq!(README.matches("\n```rust,").count(), 1);
    let remote = README.split("\n```rust,no_run\n").nth(1).unwrap();
    assert!(remote.split("\n```\n").next().unwrap().contains("open_url"));
}

#[test]
fn the_readme_is_short() {
    let lines: Vec<_> = README.lines().collect();
    assert!(lines.len() < 200, "{} lines", lines.len());
    for line in lines {
        let length = line.chars().count();
        assert!(length <= 120 || line.starts_with('|'), "{length}: {line}");
    }
}

/// rustdoc does not copy the files that README links: the front page defines each link again.
#[test]
fn every_link_of_the_readme_leads_to_a_page_of_the_documentation() {
    let front = include_str!("../../src/lib.rs");
    let links = README.lines().filter(|line| line.starts_with('['));
    let links = links.filter_map(|line| line.split_once("]: "));
    let names: Vec<_> = links
        .map(|(name, file)| (format!("{name}]"), file))
        .collect();
    assert!(names.len() > 5, "{names:?}");
    for (name, file) in names {
        let page = format!("doc = \"{name}: crate::");
        assert!(front.contains(&page) || name == "[block]", "{name}: {file}");
        assert!(README.contains(&format!("]{name}")), "{name} is not used");
    }
    assert!(!README.contains("](docs/") && !README.contains(".md)"));
}

#[test]
fn the_readme_names_every_feature() {
    let manifest = include_str!("../../Cargo.toml");
    let features = manifest.split("\n[features]\n").nth(1).unwrap();
    let features = features.split("\n[").next().unwrap().lines();
    let names = features.filter_map(|line| line.split_once(" = ").map(|(name, _)| name));
    let hidden = ["default", "benchable_apis"];
    let names: Vec<_> = names.filter(|name| !hidden.contains(name)).collect();
    assert!(names.len() > 10, "{names:?}");
    for name in names {
        assert!(README.contains(&format!("`{name}`")), "{name}");
    }
}

#[test]
fn the_readme_names_every_data_type() {
    let names = N5DataType::ALL
        .map(|data_type| format!("`{data_type}`"))
        .join(", ");
    assert!(README.contains(&names), "{names}");
}

#[test]
fn the_readme_states_the_versions_of_the_manifest() {
    let manifest = include_str!("../../Cargo.toml");
    assert!(manifest.contains("rust-version = \"1.91\"") && README.contains("Rust 1.91"));
    assert!(manifest.contains("zarrs = { version = \"0.23") && README.contains("zarrs 0.23"));
}
