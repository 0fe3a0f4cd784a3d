//! The README says what the documentation says: the tables in both are the files of `docs/`.

use zarrs_interop::n5::N5DataType;

const README: &str = include_str!("../../README.md");

#[test]
fn the_readme_has_the_tables_of_the_documentation() {
    for (name, table) in [
        (
            "compression_table",
            include_str!("../../docs/compression_table.md"),
        ),
        (
            "metadata_table",
            include_str!("../../docs/metadata_table.md"),
        ),
        ("other_readers", include_str!("../../docs/other_readers.md")),
        (
            "template_grammar",
            include_str!("../../docs/template_grammar.md"),
        ),
    ] {
        assert!(
            README.contains(table.trim()),
            "docs/{name}.md is not in README.md as it is"
        );
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
