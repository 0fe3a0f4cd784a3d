//! Tests of the whole: objects, codec metadata, and payloads of every compression.

mod attributes;
#[cfg(feature = "compressors")]
mod fixtures;
#[cfg(feature = "compressors")]
mod hostile;
#[cfg(feature = "compressors")]
mod payload;
mod zarr_codec;

use super::*;

/// Every compression, with its defaults.
fn all() -> [Compression; 8] {
    [
        Compression::Raw,
        Compression::gzip(),
        Compression::Gzip(Gzip {
            level: GzipLevel::constant(6),
            use_zlib: true,
        }),
        Compression::bzip2(),
        Compression::zstd(),
        Compression::blosc(),
        Compression::xz(),
        Compression::lz4(),
    ]
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
