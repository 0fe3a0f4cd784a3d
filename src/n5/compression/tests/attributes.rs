//! `compression` objects in, `compression` objects out.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::super::*;

fn object(json: Value) -> Map<String, Value> {
    match json {
        Value::Object(members) => members,
        other => panic!("{other} is no object"),
    }
}

fn parse(json: Value) -> Result<Compression, CompressionError> {
    Compression::from_json(&object(json))
}

fn refused(json: Value, texts: &[&str]) {
    let error = parse(json).unwrap_err().to_string();
    for text in texts {
        assert!(error.contains(text), "{error:?} lacks {text:?}");
    }
}

#[test]
fn what_java_writes_is_read() {
    assert_eq!(parse(json!({"type": "raw"})), Ok(Compression::Raw));
    assert_eq!(
        parse(json!({"type": "gzip", "useZlib": true, "level": 6})),
        Ok(Compression::Gzip(Gzip {
            level: Bounded::constant(6),
            use_zlib: true
        }))
    );
    assert_eq!(
        parse(json!({"type": "bzip2", "blockSize": 9})),
        Ok(Compression::bzip2())
    );
    assert_eq!(
        parse(json!({"type": "zstd", "level": -5})),
        Ok(Compression::Zstd(Zstd {
            level: Bounded::constant(-5)
        }))
    );
    assert_eq!(
        parse(
            json!({"type": "blosc", "clevel": 9, "blocksize": 1024, "typesize": 1, "cname": "zstd", "nthreads": 1, "shuffle": 2})
        ),
        Ok(Compression::Blosc(Blosc {
            cname: BloscCompressor::Zstd,
            clevel: Bounded::constant(9),
            shuffle: BloscShuffle::Bit,
            blocksize: Bounded::constant(1024),
            typesize: Some(Bounded::constant(1)),
            nthreads: Some(Bounded::constant(1)),
        }))
    );
    assert_eq!(
        parse(json!({"type": "xz", "preset": 6})),
        Ok(Compression::xz())
    );
    assert_eq!(
        parse(json!({"type": "lz4", "blockSize": 65536})),
        Ok(Compression::lz4())
    );
}

#[test]
fn absent_members_take_their_default() {
    for default in super::constructed() {
        assert_eq!(parse(json!({"type": default.name()})), Ok(default));
    }
}

#[test]
fn whole_numbers_may_have_a_fraction_of_zero() {
    assert_eq!(
        parse(json!({"type": "zstd", "level": 3.0})),
        Ok(Compression::zstd())
    );
    refused(
        json!({"type": "zstd", "level": 3.5}),
        &["`level`", "zstd", "3.5", "-131072 to 22"],
    );
}

#[test]
fn unknown_members_are_ignored() {
    assert_eq!(
        parse(json!({"type": "zstd", "level": 3, "nbWorkers": 0})),
        Ok(Compression::zstd())
    );
}

#[test]
fn a_missing_type_is_refused() {
    assert_eq!(
        parse(json!({"level": 3})),
        Err(CompressionError::MissingType)
    );
}

#[test]
fn a_type_that_is_no_string_is_refused() {
    refused(json!({"type": 7}), &["`type`", "7", "a string"]);
}

#[test]
fn an_unknown_type_is_refused_by_name() {
    refused(
        json!({"type": "jpeg"}),
        &["compression `jpeg` is not supported", "raw, gzip"],
    );
}

#[test]
fn a_wrong_gzip_level_is_refused() {
    let range = "expected a whole number from -1 to 9";
    refused(
        json!({"type": "gzip", "level": "x"}),
        &["`level`", "gzip", "\"x\"", range],
    );
    refused(json!({"type": "gzip", "level": 10}), &["is 10", range]);
    refused(json!({"type": "gzip", "level": -2}), &["is -2", range]);
    refused(json!({"type": "gzip", "level": null}), &["is null", range]);
    refused(json!({"type": "gzip", "level": 1e99}), &["is 1e+99", range]);
}

#[test]
fn a_wrong_zlib_flag_is_refused() {
    refused(
        json!({"type": "gzip", "useZlib": 1}),
        &["`useZlib`", "is 1", "true or false"],
    );
}

#[test]
fn a_wrong_bzip2_block_size_is_refused() {
    refused(
        json!({"type": "bzip2", "blockSize": 0}),
        &["`blockSize`", "bzip2", "is 0", "1 to 9"],
    );
}

#[test]
fn wrong_blosc_members_are_refused() {
    let refused = |member: &str, value: Value, expected: &str| {
        refused(
            json!({"type": "blosc", member: value}),
            &[&format!("`{member}`"), "blosc", expected],
        );
    };
    refused("cname", json!("lz5"), "one of blosclz, lz4, lz4hc, snappy");
    refused("clevel", json!(10), "0 to 9");
    refused("shuffle", json!(3), "-1 to 2");
    refused("shuffle", json!("shuffle"), "-1 to 2");
    refused("blocksize", json!(-1), "0 to 2147483647");
    refused("typesize", json!(256), "1 to 255");
    refused("nthreads", json!([1]), "0 to 2147483647");
}

#[test]
fn a_wrong_xz_preset_is_refused() {
    refused(
        json!({"type": "xz", "preset": 10}),
        &["`preset`", "xz", "is 10", "0 to 9"],
    );
}

#[test]
fn a_wrong_lz4_block_size_is_refused() {
    let range = "64 to 33554432";
    refused(json!({"type": "lz4", "blockSize": 63}), &["is 63", range]);
    refused(
        json!({"type": "lz4", "blockSize": 33_554_433}),
        &["is 33554433", range],
    );
}

#[test]
fn a_long_value_is_shortened_in_the_error() {
    let long = "é".repeat(1000);
    let error = parse(json!({"type": "xz", "preset": long})).unwrap_err();
    assert!(error.to_string().len() < 300, "{error}");
}

#[test]
fn the_display_is_the_object() {
    assert_eq!(
        Compression::blosc().to_string(),
        r#"{"type":"blosc","cname":"lz4","clevel":5,"shuffle":1,"blocksize":0}"#
    );
}

pub(crate) fn any_compression() -> impl Strategy<Value = Compression> {
    prop_oneof![1 => Just(Compression::Raw), 6 => any_compressed()]
}

/// Any but raw.
pub(crate) fn any_compressed() -> impl Strategy<Value = Compression> {
    let formats = FORMATS.iter().map(|format| any_like(&(format.default)()));
    proptest::strategy::Union::new(formats)
}

/// Any parameters of the same compression.
fn any_like(compression: &Compression) -> BoxedStrategy<Compression> {
    match compression {
        Compression::Raw => Just(Compression::Raw).boxed(),
        Compression::Gzip(_) => (-1..=9, any::<bool>())
            .prop_map(|(level, use_zlib)| {
                Compression::Gzip(Gzip {
                    level: Bounded::constant(level),
                    use_zlib,
                })
            })
            .boxed(),
        Compression::Bzip2(_) => (1..=9)
            .prop_map(|size| {
                Compression::Bzip2(Bzip2 {
                    block_size: Bounded::constant(size),
                })
            })
            .boxed(),
        Compression::Zstd(_) => (-131_072..=22)
            .prop_map(|level| {
                Compression::Zstd(Zstd {
                    level: Bounded::constant(level),
                })
            })
            .boxed(),
        Compression::Blosc(_) => any_blosc().prop_map(Compression::Blosc).boxed(),
        Compression::Xz(_) => (0..=9)
            .prop_map(|preset| {
                Compression::Xz(Xz {
                    preset: Bounded::constant(preset),
                })
            })
            .boxed(),
        Compression::Lz4(_) => (64..=33_554_432)
            .prop_map(|size| {
                Compression::Lz4(Lz4 {
                    block_size: Bounded::constant(size),
                })
            })
            .boxed(),
    }
}

fn any_blosc() -> impl Strategy<Value = Blosc> {
    let shuffles = [
        BloscShuffle::Auto,
        BloscShuffle::None,
        BloscShuffle::Byte,
        BloscShuffle::Bit,
    ];
    (
        proptest::sample::select(&BloscCompressor::ALL),
        0..=9,
        proptest::sample::select(shuffles.to_vec()),
        0..=i32::MAX,
        proptest::option::of(1..=255),
        proptest::option::of(0..=64),
    )
        .prop_map(
            |(cname, clevel, shuffle, blocksize, typesize, nthreads)| Blosc {
                cname,
                clevel: Bounded::constant(clevel),
                shuffle,
                blocksize: Bounded::constant(blocksize),
                typesize: typesize.map(Bounded::constant),
                nthreads: nthreads.map(Bounded::constant),
            },
        )
}

proptest! {
    #[test]
    fn an_object_that_is_written_reads_back_the_same(compression in any_compression()) {
        prop_assert_eq!(Compression::from_json(&compression.to_json()), Ok(compression));
    }
}
