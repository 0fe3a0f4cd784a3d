//! Tests of the whole: objects, codec metadata, and payloads of every compression.

pub(crate) mod attributes;
#[cfg(feature = "compressors")]
mod fixtures;
#[cfg(feature = "compressors")]
mod hostile;
#[cfg(feature = "compressors")]
mod payload;
pub(crate) mod zarr_codec;

use super::*;

/// Every compression with its defaults, raw first; gzip with zlib too.
fn all() -> Vec<Compression> {
    let zlib = Compression::Gzip(Gzip {
        level: GzipLevel::constant(6),
        use_zlib: true,
    });
    let defaults = FORMATS.iter().map(|format| (format.default)());
    [Compression::Raw]
        .into_iter()
        .chain(defaults)
        .chain([zlib])
        .collect()
}

/// The constructors, for those compressions that have parameters.
fn constructed() -> Vec<Compression> {
    vec![
        Compression::gzip(),
        Compression::bzip2(),
        Compression::zstd(),
        Compression::blosc(),
        Compression::xz(),
        Compression::lz4(),
    ]
}

#[test]
fn every_compression_has_a_constructor_of_its_defaults() {
    let defaults: Vec<_> = FORMATS.iter().map(|format| (format.default)()).collect();
    assert_eq!(constructed(), defaults);
}

#[test]
fn the_documented_table_has_a_row_for_every_compression() {
    let table = include_str!("../../../docs/compression_table.md");
    for compression in all() {
        let row = table
            .lines()
            .find(|row| row.starts_with(&format!("| `{}`", compression.name())))
            .unwrap_or_else(|| panic!("no row for {compression}"));
        assert!(row.contains("| yes | yes |"), "{row}");
    }
}

#[test]
fn the_names_in_error_texts_are_those_of_the_list() {
    let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    assert_eq!(
        error::SUPPORTED_NAMES,
        format!("{RAW}, {}", names.join(", "))
    );
    for name in error::SUPPORTED_NAMES.split(", ") {
        assert!(all().iter().any(|compression| compression.name() == name));
    }
}
