//! Codec metadata of zarr, both ways.

use proptest::prelude::*;
use serde_json::{Value, json};
use zarrs_metadata::v3::MetadataV3;

use super::super::*;
use super::attributes::any_compression;
use crate::n5::N5DataType;

fn to_json(compression: &Compression, data_type: N5DataType) -> Value {
    let metadata = compression.to_codec_metadata(data_type).unwrap();
    serde_json::to_value(metadata).unwrap()
}

#[expect(clippy::needless_pass_by_value, reason = "takes json! as it is")]
fn from(name: &str, configuration: Value) -> Result<Compression, CompressionError> {
    let metadata = json!({"name": name, "configuration": configuration});
    let metadata: MetadataV3 = serde_json::from_value(metadata).unwrap();
    Compression::from_codec_metadata(Some(&metadata))
}

fn refused(name: &str, configuration: Value, texts: &[&str]) {
    let error = from(name, configuration).unwrap_err().to_string();
    for text in texts {
        assert!(error.contains(text), "{error:?} lacks {text:?}");
    }
}

#[test]
fn raw_is_no_codec() {
    assert_eq!(to_json(&Compression::Raw, N5DataType::UInt8), Value::Null);
    assert_eq!(Compression::from_codec_metadata(None), Ok(Compression::Raw));
}

#[test]
fn an_unknown_codec_is_refused_by_name() {
    refused("crc32c", json!({}), &["`crc32c`", "cannot be expressed"]);
}

#[cfg(feature = "gzip")]
mod gzip {
    use super::*;

    #[test]
    fn the_default_level_is_six() {
        assert_eq!(
            to_json(&Compression::gzip(), N5DataType::UInt8),
            json!({"name": "gzip", "configuration": {"level": 6}})
        );
    }

    #[test]
    fn zlib_is_a_codec_of_its_own() {
        let zlib = Compression::Gzip(Gzip {
            level: Bounded::constant(9),
            use_zlib: true,
        });
        assert_eq!(
            to_json(&zlib, N5DataType::UInt8),
            json!({"name": "numcodecs.zlib", "configuration": {"level": 9}})
        );
        assert_eq!(from("numcodecs.zlib", json!({"level": 9})), Ok(zlib));
    }

    #[test]
    fn what_it_lacks_is_named() {
        refused("gzip", json!({}), &["`gzip`", "`level`", "null", "0 to 9"]);
        refused(
            "gzip",
            json!({"level": 1, "x": 2}),
            &["`x`", "no member but level"],
        );
    }
}

#[cfg(feature = "bzip2")]
#[test]
fn a_bz2_level_that_bzip2_does_not_have_is_refused() {
    assert_eq!(
        to_json(&Compression::bzip2(), N5DataType::UInt8),
        json!({"name": "numcodecs.bz2", "configuration": {"level": 9}})
    );
    refused(
        "numcodecs.bz2",
        json!({"level": 0}),
        &["`level`", "is 0", "1 to 9"],
    );
}

#[cfg(feature = "zstd")]
#[test]
fn a_zstd_checksum_is_refused() {
    assert_eq!(
        to_json(&Compression::zstd(), N5DataType::UInt8),
        json!({"name": "zstd", "configuration": {"level": 3, "checksum": false}})
    );
    assert_eq!(
        from("zstd", json!({"level": 3, "checksum": false})),
        Ok(Compression::zstd())
    );
    refused(
        "zstd",
        json!({"level": 3, "checksum": true}),
        &["`zstd`", "`checksum` of", "is true", "expected false"],
    );
}

#[cfg(feature = "blosc")]
mod blosc {
    use super::*;

    fn shuffle(data_type: N5DataType, blosc: Blosc) -> [Value; 2] {
        let json = to_json(&Compression::Blosc(blosc), data_type);
        ["shuffle", "typesize"].map(|member| json["configuration"][member].clone())
    }

    #[test]
    fn the_type_size_comes_from_the_data_type() {
        assert_eq!(
            to_json(&Compression::blosc(), N5DataType::Float64),
            json!({"name": "blosc", "configuration":
                {"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": 8, "blocksize": 0}})
        );
    }

    #[test]
    fn an_explicit_type_size_stays() {
        let blosc = Blosc {
            typesize: Some(Bounded::constant(1)),
            ..Blosc::default()
        };
        assert_eq!(
            shuffle(N5DataType::UInt16, blosc),
            [json!("shuffle"), json!(1)]
        );
    }

    #[test]
    fn the_automatic_shuffle_is_chosen_by_the_element_size() {
        let auto = Blosc {
            shuffle: BloscShuffle::Auto,
            ..Blosc::default()
        };
        assert_eq!(
            shuffle(N5DataType::UInt8, auto.clone()),
            [json!("bitshuffle"), json!(1)]
        );
        assert_eq!(
            shuffle(N5DataType::Int32, auto),
            [json!("shuffle"), json!(4)]
        );
    }

    #[test]
    fn wrong_members_are_named() {
        let with = |member: &str, value: Value| {
            let mut configuration = json!({"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": 2, "blocksize": 0});
            configuration[member] = value;
            configuration
        };
        refused(
            "blosc",
            with("cname", json!("lz5")),
            &["`cname`", "blosclz, lz4"],
        );
        refused(
            "blosc",
            with("shuffle", json!(1)),
            &["`shuffle`", "noshuffle"],
        );
        refused("blosc", with("clevel", json!(11)), &["`clevel`", "0 to 9"]);
        refused(
            "blosc",
            with("typesize", json!(0)),
            &["`typesize`", "1 to 255"],
        );
    }
}

#[cfg(feature = "xz")]
#[test]
fn lzma_that_is_not_xz_is_refused() {
    assert_eq!(
        to_json(&Compression::xz(), N5DataType::UInt8),
        json!({"name": "numcodecs.lzma", "configuration":
            {"format": 1, "check": -1, "preset": 6, "filters": null}})
    );
    let lzma = |configuration| from("numcodecs.lzma", configuration);
    assert_eq!(lzma(json!({})), Ok(Compression::xz()));
    assert_eq!(
        lzma(json!({"format": 1, "check": 4, "preset": null, "filters": null})),
        Ok(Compression::xz())
    );
    let refused = |configuration, texts: &[&str]| refused("numcodecs.lzma", configuration, texts);
    refused(json!({"format": 2}), &["`format`", "is 2", "expected 1"]);
    refused(json!({"check": 1}), &["`check`", "is 1", "CRC64"]);
    refused(
        json!({"filters": [{"id": 3}]}),
        &["`filters`", "expected null"],
    );
    refused(json!({"preset": 10}), &["`preset`", "is 10", "0 to 9"]);
}

#[cfg(feature = "lz4")]
#[test]
fn lz4_keeps_its_block_size() {
    assert_eq!(
        to_json(&Compression::lz4(), N5DataType::UInt8),
        json!({"name": "zarrs_interop.lz4_java", "configuration": {"block_size": 65536}})
    );
    refused(
        "zarrs_interop.lz4_java",
        json!({"block_size": 1}),
        &["`block_size`", "is 1", "64 to 33554432"],
    );
}

#[test]
fn a_compressor_that_is_off_is_refused_naming_its_feature() {
    let row = Format {
        enabled: false,
        ..*Format::named("xz").unwrap()
    };
    assert_eq!(
        row.check_enabled().unwrap_err().to_string(),
        "compression `xz` needs the feature `xz` of zarrs_interop"
    );
}

/// The zarr codec of a compression with its defaults, written down.
fn codec_of(compression: &Compression) -> Option<(&'static str, Value)> {
    Some(match compression {
        Compression::Raw => return None,
        Compression::Gzip(gzip) if gzip.use_zlib => ("numcodecs.zlib", json!({"level": 6})),
        Compression::Gzip(_) => ("gzip", json!({"level": 6})),
        Compression::Bzip2(_) => ("numcodecs.bz2", json!({"level": 9})),
        Compression::Zstd(_) => ("zstd", json!({"level": 3, "checksum": false})),
        Compression::Blosc(_) => (
            "blosc",
            json!({"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": 2, "blocksize": 0}),
        ),
        Compression::Xz(_) => ("numcodecs.lzma", json!({"preset": 6})),
        Compression::Lz4(_) => ("zarrs_interop.lz4_java", json!({"block_size": 65536})),
    })
}

/// Says something else in each build of this crate.
#[test]
fn both_directions_know_which_compressors_are_on() {
    for compression in super::all() {
        let Some((name, configuration)) = codec_of(&compression) else {
            assert_eq!(compression, Compression::Raw);
            continue;
        };
        let row = Format::named(compression.name()).unwrap();
        let there = compression.to_codec_metadata(N5DataType::UInt16);
        let back = from(name, configuration);
        if row.enabled {
            assert_eq!(there.unwrap().unwrap().name(), name);
            assert_eq!(back.unwrap().name(), row.name);
        } else {
            let off = CompressionError::FeatureOff {
                compression: row.name,
                feature: row.feature,
            };
            assert_eq!(there.unwrap_err(), off);
            assert_eq!(back.unwrap_err(), off);
        }
    }
}

/// What is lost on the way to zarr, by design: the spelling of defaults, and Blosc's hints.
pub(crate) fn normalized(compression: Compression, data_type: N5DataType) -> Compression {
    match compression {
        Compression::Gzip(Gzip { level, use_zlib }) if level.get() == -1 => {
            Compression::Gzip(Gzip {
                level: Bounded::constant(6),
                use_zlib,
            })
        }
        Compression::Blosc(blosc) => {
            let typesize = blosc
                .typesize
                .map_or(data_type.size(), |size| size.get().try_into().unwrap());
            Compression::Blosc(Blosc {
                shuffle: blosc.shuffle.resolve(typesize),
                typesize: None,
                nthreads: None,
                ..blosc
            })
        }
        other => other,
    }
}

proptest! {
    #[test]
    fn the_codec_stands_for_the_same_compression(
        compression in any_compression(),
        data_type in proptest::sample::select(&N5DataType::ALL),
    ) {
        if Format::named(compression.name()).is_some_and(|row| !row.enabled) {
            return Ok(());
        }
        let metadata = compression.to_codec_metadata(data_type).unwrap();
        prop_assert_eq!(
            Compression::from_codec_metadata(metadata.as_ref()),
            Ok(normalized(compression, data_type))
        );
        if let Some(metadata) = metadata {
            prop_assert!(zarrs_codec::Codec::from_metadata(&metadata).is_ok());
        }
    }
}
