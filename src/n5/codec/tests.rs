use std::borrow::Cow;
use std::num::NonZeroU64;

use zarrs::array::data_type;
use zarrs_codec::{
    ArrayBytes, ArrayToBytesCodecTraits, BytesRepresentation, CodecOptions, CodecTraits,
};
use zarrs_data_type::FillValue;

use zarrs_metadata::ConfigurationSerialize;

use super::*;

const TRANSPOSE: &str = r#"{"name":"transpose","configuration":{"order":[1,0]}}"#;
const BYTES: &str = r#"{"name":"bytes","configuration":{"endian":"big"}}"#;

fn create(codecs: &str) -> Result<Codec, PluginCreateError> {
    let json = format!(r#"{{"name":"n5_default","configuration":{{"codecs":[{codecs}]}}}}"#);
    N5DefaultCodec::create(&serde_json::from_str(&json).unwrap())
}

fn codec(codecs: &str) -> Arc<dyn ArrayToBytesCodecTraits> {
    match create(codecs).unwrap() {
        Codec::ArrayToBytes(codec) => codec,
        other => panic!("not an array to bytes codec: {other:?}"),
    }
}

#[track_caller]
fn refused(codecs: &str, texts: &[&str]) {
    let error = create(codecs).unwrap_err().to_string();
    for text in texts {
        assert!(error.contains(text), "`{text}` is missing in: {error}");
    }
}

fn shape(sizes: &[u64]) -> Vec<NonZeroU64> {
    sizes
        .iter()
        .map(|&size| NonZeroU64::new(size).unwrap())
        .collect()
}

fn encode(
    codecs: &str,
    sizes: &[u64],
    data_type: &DataType,
    bytes: usize,
) -> Result<Vec<u8>, String> {
    let fill_value = FillValue::new(vec![0; data_type.fixed_size().unwrap_or(1)]);
    codec(codecs)
        .encode(
            ArrayBytes::from(vec![0; bytes]),
            &shape(sizes),
            data_type,
            &fill_value,
            &CodecOptions::default(),
        )
        .map(Cow::into_owned)
        .map_err(|error| error.to_string())
}

#[test]
fn the_configuration_is_written_back_as_it_was() {
    for json in [
        format!(r#"{{"codecs":[{TRANSPOSE},{BYTES}]}}"#),
        format!(r#"{{"codecs":[{TRANSPOSE},{{"name":"bytes"}}]}}"#),
    ] {
        let configuration: N5DefaultCodecConfiguration = serde_json::from_str(&json).unwrap();
        let codec = N5DefaultCodec::new_with_configuration(&configuration).unwrap();
        let written = codec
            .configuration_v3(&CodecMetadataOptions::default())
            .unwrap();
        assert_eq!(
            N5DefaultCodecConfiguration::try_from_configuration(written).unwrap(),
            configuration
        );
        assert_eq!(codec.configuration, configuration);
    }
}

#[test]
fn unknown_members_are_refused() {
    let json = format!(r#"{{"codecs":[{TRANSPOSE},{BYTES}],"level":3}}"#);
    let error = serde_json::from_str::<N5DefaultCodecConfiguration>(&json).unwrap_err();
    assert!(error.to_string().contains("level"), "{error}");
}

#[test]
fn missing_codecs_are_refused() {
    refused("", &["holds 0 codecs", "`transpose`, `bytes`"]);
    refused(TRANSPOSE, &["holds 1 codec:"]);
}

#[test]
fn a_codec_in_the_wrong_place_is_refused() {
    refused(
        &format!("{BYTES},{TRANSPOSE}"),
        &["codec 0", "`bytes`", "expected `transpose`"],
    );
    refused(
        &format!("{TRANSPOSE},{TRANSPOSE}"),
        &["codec 1", "expected `bytes`"],
    );
}

#[test]
fn another_transpose_is_refused() {
    let transpose = r#"{"name":"transpose","configuration":{"order":[0,1]}}"#;
    refused(&format!("{transpose},{BYTES}"), &["[0, 1]", "[1, 0]"]);
    let transpose = r#"{"name":"transpose","configuration":{"order":"F"}}"#;
    refused(
        &format!("{transpose},{BYTES}"),
        &["`transpose`", "malformed"],
    );
}

#[test]
fn little_endian_is_refused() {
    let bytes = r#"{"name":"bytes","configuration":{"endian":"little"}}"#;
    refused(
        &format!("{TRANSPOSE},{bytes}"),
        &["\"little\"", "expected \"big\""],
    );
}

#[test]
fn a_second_compressor_is_refused() {
    let crc32c = r#"{"name":"crc32c"}"#;
    refused(
        &format!("{TRANSPOSE},{BYTES},{crc32c},{crc32c}"),
        &["holds 4 codecs", "at most one"],
    );
}

#[test]
fn a_last_codec_that_is_no_compressor_is_refused() {
    refused(
        &format!("{TRANSPOSE},{BYTES},{BYTES}"),
        &["`bytes`", "not a bytes to bytes codec"],
    );
    refused(
        &format!(r#"{TRANSPOSE},{BYTES},{{"name":"jpeg"}}"#),
        &["`jpeg`", "cannot be created"],
    );
}

#[test]
fn bytes_without_endian_is_for_one_byte_elements() {
    let codecs = format!(r#"{TRANSPOSE},{{"name":"bytes"}}"#);
    assert!(encode(&codecs, &[2, 3], &data_type::int8(), 6).is_ok());
    let error = encode(&codecs, &[2, 3], &data_type::uint16(), 12).unwrap_err();
    assert!(
        error.contains("no `endian`") && error.contains("uint16"),
        "{error}"
    );
}

#[test]
fn a_data_type_that_n5_lacks_is_refused() {
    let codecs = format!("{TRANSPOSE},{BYTES}");
    for (data_type, name) in [
        (data_type::bool(), "bool"),
        (data_type::float16(), "float16"),
        (data_type::complex64(), "complex64"),
        (data_type::string(), "string"),
    ] {
        let error = encode(&codecs, &[1, 1], &data_type, 1).unwrap_err();
        assert!(error.contains(&format!("`{name}`")), "{error}");
    }
}

#[test]
fn another_rank_than_that_of_the_transpose_is_refused() {
    let codecs = format!("{TRANSPOSE},{BYTES}");
    let error = encode(&codecs, &[1, 2, 3], &data_type::uint8(), 6).unwrap_err();
    assert!(error.contains("for 2 dimensions: expected 3"), "{error}");
}

#[test]
fn a_chunk_over_the_limit_is_refused() {
    let codecs = format!("{TRANSPOSE},{BYTES}");
    for sizes in [[1 << 16, (1 << 14) + 1], [u64::MAX, u64::MAX]] {
        let error = encode(&codecs, &sizes, &data_type::uint16(), 0).unwrap_err();
        assert!(error.contains("2147483648"), "{error}");
    }
}

#[test]
fn elements_that_do_not_fill_the_chunk_are_refused() {
    let codecs = format!("{TRANSPOSE},{BYTES}");
    let error = encode(&codecs, &[2, 3], &data_type::uint16(), 11).unwrap_err();
    assert!(error.contains("11 bytes: expected 12"), "{error}");
}

#[test]
fn the_encoded_representation_counts_the_header() {
    let codecs = format!("{TRANSPOSE},{BYTES}");
    let size = codec(&codecs)
        .encoded_representation(
            &shape(&[2, 3]),
            &data_type::uint16(),
            &FillValue::from(0u16),
        )
        .unwrap();
    assert_eq!(size, BytesRepresentation::FixedSize(12 + 12));
    let block = encode(&codecs, &[2, 3], &data_type::uint16(), 12).unwrap();
    assert_eq!(block.len(), 24);
}

#[test]
fn what_n5_has_no_compression_for_is_not_written() {
    let codecs = format!(r#"{TRANSPOSE},{BYTES},{{"name":"crc32c"}}"#);
    let error = encode(&codecs, &[2, 3], &data_type::uint8(), 6).unwrap_err();
    assert!(error.contains("crc32c"), "{error}");
}

#[cfg(feature = "zstd")]
#[test]
fn zstd_with_a_checksum_is_read_but_not_written() {
    let zstd = r#"{"name":"zstd","configuration":{"level":3,"checksum":true}}"#;
    let codecs = format!("{TRANSPOSE},{BYTES},{zstd}");
    let error = encode(&codecs, &[2, 3], &data_type::uint8(), 6).unwrap_err();
    assert!(error.contains("checksum"), "{error}");

    let mut block = vec![0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1];
    let mut encoder = zstd::Encoder::new(&mut block, 3).unwrap();
    encoder.include_checksum(true).unwrap();
    std::io::Write::write_all(&mut encoder, &[7, 8]).unwrap();
    encoder.finish().unwrap();
    let decoded = codec(&codecs)
        .decode(
            Cow::Borrowed(&block),
            &shape(&[2, 1]),
            &data_type::uint8(),
            &FillValue::from(0u8),
            &CodecOptions::default(),
        )
        .unwrap();
    assert_eq!(decoded, ArrayBytes::from(vec![7u8, 8]));
}

#[test]
fn capabilities_depend_on_the_compression() {
    let raw = codec(&format!("{TRANSPOSE},{BYTES}"));
    assert!(raw.partial_decoder_capability().partial_read);
    assert!(raw.partial_encoder_capability().partial_encode);
    let crc32c = codec(&format!(r#"{TRANSPOSE},{BYTES},{{"name":"crc32c"}}"#));
    assert!(!crc32c.partial_decoder_capability().partial_read);
    assert!(crc32c.partial_decoder_capability().partial_decode);
    assert!(!crc32c.partial_encoder_capability().partial_encode);
}

#[test]
fn both_names_create_the_codec() {
    for name in ["n5_default", "zarrs.n5_default"] {
        assert!(<N5DefaultCodec as ExtensionAliases<ZarrVersion3>>::matches_name(name));
    }
    assert!(!<N5DefaultCodec as ExtensionAliases<ZarrVersion3>>::matches_name("n5"));
}
